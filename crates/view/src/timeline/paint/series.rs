//! Values over time as steps: the line keeps its height until the next measurement, because values in between are
//! unknown.

use crate::draw::drawlist::DrawList;
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};
use crate::timeline::timescale::TimeScale;

/// Thickness of the line.
const LINE: CssPx = 1.0;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepStyle {
    /// Time in nanoseconds until which the last value is valid.
    pub end: i64,
    /// Values at the bottom and at the top.
    pub axis: (f64, f64),
    /// Top and height.
    pub area: (CssPx, CssPx),
    /// Color of the line.
    pub line: Token,
    /// Fill of the area below the line.
    pub ground: Option<Token>,
}

impl StepStyle {
    /// Returns the vertical position of a value's line.
    pub fn y_of(&self, value: f64) -> CssPx {
        let ((low, high), (top, height)) = (self.axis, self.area);
        let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        (top + height - LINE - share * (height - LINE)).round()
    }
}

/// Draws the steps `(time, value)`, in time order. If several measurements share a pixel, the line covers all of their
/// heights. A value that isn't finite is a gap.
pub fn paint_steps(list: &mut DrawList, steps: impl Iterator<Item = (i64, f64)>, style: &StepStyle, scale: &TimeScale) {
    let (base, line) = (style.area.0 + style.area.1, style.line);
    let mut column = Column { x: 0.0, highest: f64::MAX, lowest: f64::MIN };
    let mut last: Option<(CssPx, CssPx)> = None;
    let mut draw_to = |list: &mut DrawList, last: Option<(CssPx, CssPx)>, until: CssPx| {
        let Some((from, y)) = last else { return };
        let (from, until) = (from.clamp(0.0, scale.width()), until.clamp(0.0, scale.width()));
        let (first, next) = (from.floor(), until.floor());
        column.take(list, first, y, line);
        if next > first {
            if let Some(ground) = style.ground {
                list.boxes.push(Fill::Solid(ground), Rect::new(first, y, next - first, base - y));
            }
            column.flush(list, line);
            if next > first + 1.0 {
                list.details.push(Fill::Solid(line), Rect::new(first + 1.0, y, next - first - 1.0, LINE));
            }
        }
        column.take(list, next, y, line);
    };
    for (time, value) in steps {
        let x = scale.x(time);
        draw_to(list, last, x);
        if x > scale.width() {
            return;
        }
        last = value.is_finite().then(|| (x, style.y_of(value)));
    }
    draw_to(list, last, scale.x(style.end));
}

/// Range of heights of the line in a pixel column.
struct Column {
    x: CssPx,
    highest: CssPx,
    lowest: CssPx,
}

impl Column {
    fn take(&mut self, list: &mut DrawList, x: CssPx, y: CssPx, line: Token) {
        if x != self.x {
            self.flush(list, line);
            self.x = x;
        }
        self.highest = self.highest.min(y);
        self.lowest = self.lowest.max(y);
    }

    fn flush(&mut self, list: &mut DrawList, line: Token) {
        if self.lowest >= self.highest {
            let rect = Rect::new(self.x, self.highest, 1.0, self.lowest - self.highest + LINE);
            list.details.push(Fill::Solid(line), rect);
        }
        (self.highest, self.lowest) = (f64::MAX, f64::MIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use protocol::base::time::Span;

    fn drawn(steps: &[(i64, f64)], most: f64) -> String {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 100), 100.0);
        let (line, ground) = (Token::Gen1, Some(Token::BackgroundSoft));
        let style = StepStyle { end: 90, axis: (0.0, most), area: (0.0, 11.0), line, ground };
        paint_steps(&mut list, steps.iter().copied(), &style, &scale);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        painter.text()
    }

    #[test]
    fn value_is_drawn_as_step() {
        assert_eq!(
            drawn(&[(10, 10.0), (40, 0.0)], 10.0),
            "BackgroundSoft: 10,0 30x11; 40,10 50x1\n\
             Gen1: 10,0 30x1; 40,0 1x11; 41,10 49x1"
        );
        assert_eq!(drawn(&[], 0.0), "");
    }

    #[test]
    fn gap_is_not_drawn() {
        assert_eq!(
            drawn(&[(10, 10.0), (40, f64::NAN), (60, 10.0)], 10.0),
            "BackgroundSoft: 10,0 30x11; 60,0 30x11\n\
             Gen1: 10,0 31x1; 60,0 30x1"
        );
    }

    #[test]
    fn measurements_in_one_pixel_cover_their_range() {
        let steps = [(-50, 5.0), (50, 5.0), (50, 10.0), (50, 0.0), (51, 5.0), (200, 1.0)];
        let text = drawn(&steps, 10.0);
        assert!(text.contains("50,0 1x11"), "{text}");
        assert!(
            drawn(&(0..10_000).map(|at| (at / 100, f64::from(at as u32 % 7))).collect::<Vec<_>>(), 7.0).len() < 9_000
        );
    }
}
