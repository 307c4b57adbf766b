//! Event density by thread over time, while the trace loads.

use super::ruler::{RulerMarks, paint_ruler};
use crate::draw::drawlist::{Batches, CharacterWidths, Line, Painter, Stroke};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::timeline::ticks::Ticks;
use crate::timeline::timescale::TimeScale;
use protocol::base::time::Span;
use protocol::tables::Overview;

/// Height of the ruler and of each row.
pub const HEAT_ROW: CssPx = 22.0;

/// Space above and below the boxes of a row.
const ROW_ROOM: CssPx = 4.0;

/// Draws the ruler, one row per thread for the first threads, darker for more events, and a hatch over the part that
/// hasn't been read.
pub fn paint_heat(
    painter: &mut impl Painter,
    overview: &Overview,
    rows: usize,
    width: CssPx,
    characters: CharacterWidths,
) {
    let (Some(&start), Some(&end)) = (overview.bounds.first(), overview.bounds.last()) else { return };
    let scale = TimeScale::new(Span::new(start, end), width);
    let marks = RulerMarks::default();
    paint_ruler(painter, &scale, &Ticks::new(&scale), marks, HEAT_ROW, characters);
    let mut boxes = Batches::default();
    for row in 0..rows {
        push_row(&mut boxes, overview, row, &scale);
    }
    boxes.paint(painter);
    let bottom = HEAT_ROW * (rows + 1) as CssPx;
    let lines: Vec<Line> = (1..=rows + 1)
        .map(|row| HEAT_ROW * row as CssPx - 0.5)
        .map(|y| Line { x1: 0.0, y1: y, x2: width, y2: y })
        .collect();
    painter.lines(Token::LineFaint, Stroke::Continuous, &lines);
    let read_until = overview.read_until.first().copied().unwrap_or(end);
    let edge = scale.x(read_until).round().clamp(0.0, width);
    if edge < width {
        painter.rects(Fill::Unknown, &[Rect::new(edge, HEAT_ROW, width - edge, bottom - HEAT_ROW)]);
        painter.rects(Fill::Solid(Token::Accent), &[Rect::new(edge, HEAT_ROW, 1.0, bottom - HEAT_ROW)]);
    }
}

fn push_row(boxes: &mut Batches, overview: &Overview, row: usize, scale: &TimeScale) {
    let buckets = overview.events.len();
    let counts = overview.thread_events.get(row * buckets..(row + 1) * buckets).unwrap_or_default();
    let most = f64::from(counts.iter().copied().max().unwrap_or(0)).max(1.0);
    let step = scale.width() / buckets as f64;
    let top = HEAT_ROW * (row + 1) as CssPx + ROW_ROOM;
    for (bucket, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let left = bucket as f64 * step;
        let Some((x, width)) = whole_pixels(left, left + step, scale.width()) else { continue };
        // Square root, so that a burst doesn't pale the rest.
        let level = ((f64::from(*count) / most).sqrt() * 4.0).ceil().clamp(1.0, 4.0) as u8;
        let fill = Fill::Shade(Token::Neutral, level);
        boxes.push(fill, Rect::new(x, top, width, HEAT_ROW - 2.0 * ROW_ROOM));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;

    #[test]
    fn rows_have_shades_and_unread_time_is_hatched() {
        let overview = Overview {
            bounds: vec![0, 1000],
            events: vec![17, 0, 1, 0],
            os_threads: vec![7, 8],
            thread_events: vec![16, 0, 1, 0, 1, 0, 0, 0],
            read_until: vec![700],
            ..Overview::default()
        };
        let mut painter = RecordingPainter::default();
        paint_heat(&mut painter, &overview, 2, 100.0, CharacterWidths::default());
        let text = painter.text();
        let boxes: Vec<&str> = text.lines().filter(|line| !line.starts_with("text") && line.contains('x')).collect();
        assert_eq!(
            boxes,
            [
                "Neutral*4: 0,26 25x14; 0,48 25x14",
                "Neutral*1: 50,26 25x14",
                "Unknown: 70,22 30x44",
                "Accent: 70,22 1x44",
            ],
            "{text}"
        );
    }
}
