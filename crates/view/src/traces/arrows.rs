//! Arrows of requests between the groups of two traces.

use crate::draw::drawlist::{Line, Painter, Stroke};
use crate::draw::palette::Token;
use crate::draw::units::CssPx;
use crate::timeline::paint::arrows::head;

/// Maximum number of arrows of requests that aren't selected: more would hide the tracks.
const MAX_ARROWS: usize = 150;
/// Distance from the edge at which arrows to tracks outside the visible part end.
const EDGE: CssPx = 2.0;

/// Arrow of a request, in pixels from the corner of the visible part of all tracks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CrossingArrow {
    pub from: (CssPx, CssPx),
    pub to: (CssPx, CssPx),
    /// True for the selected request.
    pub is_selected: bool,
}

/// Draws arrows. If there are too many, draws only those of the selected request.
pub fn paint_crossings(painter: &mut impl Painter, arrows: &[CrossingArrow], (width, height): (CssPx, CssPx)) {
    let is_visible = |arrow: &&CrossingArrow| {
        let outside = |y: CssPx| if y < 0.0 { -1 } else { i32::from(y > height) };
        let (from, to) = (arrow.from, arrow.to);
        let is_beside = from.0.max(to.0) < 0.0 || from.0.min(to.0) > width;
        !is_beside && (outside(from.1) == 0 || outside(from.1) != outside(to.1))
    };
    let visible: Vec<&CrossingArrow> = arrows.iter().filter(is_visible).collect();
    let is_crowded = visible.len() > MAX_ARROWS;
    for (is_selected, token) in [(false, Token::Text3), (true, Token::AccentLine)] {
        let of_kind = visible.iter().filter(|arrow| arrow.is_selected == is_selected && (is_selected || !is_crowded));
        let lines: Vec<Line> = of_kind.flat_map(|arrow| lines(arrow, height)).collect();
        if !lines.is_empty() {
            painter.lines(token, Stroke::Continuous, &lines);
        }
    }
}

fn lines(arrow: &CrossingArrow, height: CssPx) -> Vec<Line> {
    let (from, to) = (arrow.from, arrow.to);
    // The part inside the pane.
    let at = |y: CssPx| {
        let inside = y.clamp(EDGE, (height - EDGE).max(EDGE));
        let share = if to.1 == from.1 { 0.0 } else { (inside - from.1) / (to.1 - from.1) };
        (from.0 + share * (to.0 - from.0), inside)
    };
    let points = [at(from.1), at(to.1)];
    let line = Line { x1: points[0].0, y1: points[0].1, x2: points[1].0, y2: points[1].1 };
    std::iter::once(line).chain(head(&points)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;

    fn painted(arrows: &[CrossingArrow]) -> String {
        let mut painter = RecordingPainter::default();
        paint_crossings(&mut painter, arrows, (400.0, 100.0));
        painter.text()
    }

    fn arrow(from: (CssPx, CssPx), to: (CssPx, CssPx)) -> CrossingArrow {
        CrossingArrow { from, to, is_selected: false }
    }

    #[test]
    fn arrow_ends_at_edge_of_pane() {
        let text = painted(&[arrow((10.0, 50.0), (10.0, 150.0))]);
        assert!(text.starts_with("Continuous Text3: 10,50→10,98"), "{text}");
        assert_eq!(painted(&[arrow((10.0, 150.0), (10.0, 250.0))]), "", "both ends are below");
        assert_eq!(painted(&[arrow((500.0, 50.0), (510.0, 60.0))]), "", "later");
    }

    #[test]
    fn crowded_arrows_leave_only_selected_one() {
        let mut arrows = vec![arrow((1.0, 1.0), (1.0, 9.0)); MAX_ARROWS + 1];
        arrows.push(CrossingArrow { is_selected: true, ..arrow((2.0, 1.0), (2.0, 9.0)) });
        let text = painted(&arrows);
        assert!(text.starts_with("Continuous AccentLine") && text.lines().count() == 1, "{text}");
    }
}
