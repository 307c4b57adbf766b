//! Legend of a picture: swatches with their texts, in lines.

use super::painter::SvgPainter;
use super::widths::estimated_width;
use crate::draw::drawlist::{Label, Line, Painter, Stroke, TextSize};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};

/// Height of a line.
pub const LINE_PX: CssPx = 18.0;
const SWATCH: Rect = Rect::new(0.0, 4.0, 12.0, 10.0);
const BASELINE: CssPx = 13.0;
/// Distance from a swatch to its text, and from a text to the next swatch.
const GAPS: (CssPx, CssPx) = (5.0, 16.0);

/// Swatch of a legend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swatch {
    Fill(Fill),
    Outlined(Token, Token),
    /// Triangle, as for exceptions.
    Triangle(Token),
    /// Narrow line, as for events.
    Tick(Token),
}

impl Swatch {
    /// Returns the swatch of a class in the style sheet.
    pub fn of_class(class: &str) -> Self {
        match class {
            "native" | "external" => Self::Fill(Fill::Solid(Token::External)),
            "managed-soft" => Self::Outlined(Token::ManagedSoft, Token::Managed),
            "external-soft" => Self::Outlined(Token::ExternalSoft, Token::External),
            "stopped" => Self::Fill(Fill::Shade(Token::Gen1, 2)),
            "wait" => Self::Fill(Fill::Waiting),
            "unknown" => Self::Fill(Fill::Unknown),
            "gcbg" => Self::Fill(Fill::BackgroundGc),
            "lost" => Self::Fill(Fill::Lost),
            "blocked" => Self::Fill(Fill::Blocked),
            "lock" => Self::Fill(Fill::LockWait),
            "exc" => Self::Triangle(Token::Exception),
            "warning" => Self::Triangle(Token::Warning),
            "danger" => Self::Tick(Token::Danger),
            "event" => Self::Tick(Token::Text3),
            other => {
                let of_category = |token: &&Token| token.property().strip_prefix("--cat-") == Some(other);
                Self::Fill(Fill::Solid(Token::ALL.iter().find(of_category).copied().unwrap_or(Token::Neutral)))
            }
        }
    }

    fn paint(self, painter: &mut SvgPainter<'_>, x: CssPx, y: CssPx) {
        let area = Rect { x: x + SWATCH.x, y: y + SWATCH.y, ..SWATCH };
        match self {
            Self::Fill(fill) => painter.rects(fill, &[area]),
            Self::Outlined(fill, edge) => {
                painter.rects(Fill::Solid(fill), &[area]);
                painter.outlines(edge, 1.0, &[area]);
            }
            Self::Triangle(color) => painter.triangles(color, &[area]),
            Self::Tick(color) => {
                let middle = area.x + area.width / 2.0;
                let ticks = [middle - 1.0, middle].map(|x| Line::vertical(x, area.y, area.bottom()));
                painter.lines(color, Stroke::Continuous, &ticks);
            }
        }
    }
}

/// Entry of a legend.
pub type Entry = (Swatch, String);

/// Returns the positions of entries in lines of a width, and the number of lines.
fn places(entries: &[Entry], width: CssPx, character: CssPx) -> (Vec<(CssPx, CssPx)>, usize) {
    let (mut x, mut line) = (0.0, 0usize);
    let place = |(_, text): &Entry| {
        let needed = SWATCH.width + GAPS.0 + estimated_width(text, character);
        if x > 0.0 && x + needed > width {
            (x, line) = (0.0, line + 1);
        }
        let place = (x, line as CssPx * LINE_PX);
        x += needed + GAPS.1;
        place
    };
    let places: Vec<_> = entries.iter().map(place).collect();
    let lines = if places.is_empty() { 0 } else { line + 1 };
    (places, lines)
}

/// Returns the height of a legend.
pub fn height(entries: &[Entry], width: CssPx, character: CssPx) -> CssPx {
    places(entries, width, character).1 as CssPx * LINE_PX
}

/// Draws a legend.
pub fn paint(painter: &mut SvgPainter<'_>, entries: &[Entry], width: CssPx, character: CssPx) {
    let (places, _) = places(entries, width, character);
    for ((swatch, text), (x, y)) in entries.iter().zip(places) {
        swatch.paint(painter, x, y);
        let label = Label::small(x + SWATCH.width + GAPS.0, y + BASELINE, text.clone(), Token::Text2);
        painter.text(&Label { size: TextSize::Normal, ..label });
    }
}
