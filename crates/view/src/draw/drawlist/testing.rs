//! Painter for tests.

use super::{Label, Line, Painter, Stroke};
use crate::draw::palette::{Fill, SHARES, Token};
use crate::draw::units::{CssPx, Rect};

/// Painter that records its calls as text, one line per call.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordingPainter {
    pub calls: Vec<String>,
}

impl RecordingPainter {
    /// Returns all calls as one text.
    pub fn text(&self) -> String {
        self.calls.join("\n")
    }
}

fn list(rects: &[Rect]) -> String {
    let texts: Vec<String> =
        rects.iter().map(|rect| format!("{},{} {}x{}", rect.x, rect.y, rect.width, rect.height)).collect();
    texts.join("; ")
}

fn fill_name(fill: Fill) -> String {
    match fill {
        Fill::Solid(token) => format!("{token:?}"),
        Fill::Shade(token, level) => format!("{token:?}*{level}"),
        Fill::Share(token, parts) => format!("{token:?}*{parts}/{SHARES}"),
        pattern => format!("{pattern:?}"),
    }
}

impl Painter for RecordingPainter {
    fn rects(&mut self, fill: Fill, rects: &[Rect]) {
        self.calls.push(format!("{}: {}", fill_name(fill), list(rects)));
    }

    fn outlines(&mut self, color: Token, line_width: CssPx, rects: &[Rect]) {
        self.calls.push(format!("outline {color:?} {line_width}: {}", list(rects)));
    }

    fn lines(&mut self, color: Token, stroke: Stroke, lines: &[Line]) {
        let texts: Vec<String> =
            lines.iter().map(|line| format!("{},{}→{},{}", line.x1, line.y1, line.x2, line.y2)).collect();
        self.calls.push(format!("{stroke:?} {color:?}: {}", texts.join("; ")));
    }

    fn triangles(&mut self, color: Token, boxes: &[Rect]) {
        self.calls.push(format!("triangles {color:?}: {}", list(boxes)));
    }

    fn area(&mut self, fill: Fill, baseline: CssPx, points: &[(CssPx, CssPx)]) {
        let texts: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y:.1}")).collect();
        self.calls.push(format!("area {} on {baseline}: {}", fill_name(fill), texts.join(" ")));
    }

    fn text(&mut self, label: &Label) {
        self.calls.push(format!("text {:?} {},{}: {}", label.ink, label.x, label.y, label.text));
    }
}
