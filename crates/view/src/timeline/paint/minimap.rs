//! Overview of the whole trace: event density, GC pauses, and the visible range of the timeline.

use super::gc::generation_color;
use crate::draw::drawlist::{Batches, Painter};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::timeline::timescale::TimeScale;
use protocol::base::time::Span;
use protocol::tables::Overview;

/// Height of the row of pauses below the density.
const PAUSES_HEIGHT: CssPx = 4.0;
/// Distance of the density's baseline from the bottom.
const FOOT: CssPx = 10.0;
/// Width and height of a brush.
const BRUSH: (CssPx, CssPx) = (5.0, 16.0);
/// Maximum distance from the pointer to a brush.
const BRUSH_REACH: CssPx = 6.0;

/// Marks on the overview.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MinimapMarks {
    /// Visible range of the timeline.
    pub visible: Span,
    /// Selected time range.
    pub range: Option<Span>,
}

/// Draws the part of the minimap that doesn't change while the timeline moves, over the pane of `scale`.
pub fn paint_overview(painter: &mut impl Painter, overview: &Overview, scale: &TimeScale, height: CssPx) {
    paint_density(painter, overview, scale, height - FOOT);
    paint_pauses(painter, overview, scale, height - FOOT + 2.0);
}

/// Draws the visible range of the timeline onto the minimap.
pub fn paint_marks(painter: &mut impl Painter, scale: &TimeScale, marks: MinimapMarks, height: CssPx) {
    paint_window(painter, scale, marks.visible, height);
    if let Some(range) = marks.range
        && let Some((x, width)) = whole_pixels(scale.x(range.start.0), scale.x(range.end.0), scale.width())
    {
        painter.rects(Fill::Solid(Token::Accent), &[Rect::new(x, 0.0, width, 3.0)]);
    }
}

/// Draws the density. Heights are square roots of the counts, so that a burst doesn't flatten the rest.
fn paint_density(painter: &mut impl Painter, overview: &Overview, scale: &TimeScale, foot: CssPx) {
    let (Some(&start), Some(&end)) = (overview.bounds.first(), overview.bounds.last()) else { return };
    let most = overview.events.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let length = (end - start) as f64 / overview.events.len() as f64;
    let mut points = Vec::with_capacity(overview.events.len() * 2);
    for (bucket, count) in overview.events.iter().enumerate() {
        let y = foot - (f64::from(*count) / f64::from(most)).sqrt() * (foot - 4.0);
        let at = |bucket: usize| scale.x(start + (bucket as f64 * length) as i64).round();
        points.push((at(bucket), y));
        points.push((at(bucket + 1), y));
    }
    painter.area(Fill::Shade(Token::Neutral, 3), foot, &points);
}

fn paint_pauses(painter: &mut impl Painter, overview: &Overview, scale: &TimeScale, top: CssPx) {
    let mut boxes = Batches::default();
    let mut drawn_until = [f64::MIN; 3];
    for (row, start) in overview.pause_starts.iter().enumerate() {
        let generation = overview.pause_generations[row].min(2);
        let Some((x, width)) = whole_pixels(scale.x(*start), scale.x(overview.pause_ends[row]), scale.width()) else {
            continue;
        };
        let until = &mut drawn_until[usize::from(generation)];
        if x + width > *until {
            *until = x + width;
            boxes.push(Fill::Solid(generation_color(generation)), Rect::new(x, top, width, PAUSES_HEIGHT));
        }
    }
    boxes.paint(painter);
}

/// Veils the time outside the visible range, and draws the window with a brush on either side.
fn paint_window(painter: &mut impl Painter, scale: &TimeScale, visible: Span, height: CssPx) {
    let (left, right) = (scale.x(visible.start.0).max(0.0).round(), scale.x(visible.end.0).min(scale.width()).round());
    if left <= 0.0 && right >= scale.width() {
        return;
    }
    let width = (right - left).max(2.0);
    painter.rects(
        Fill::Solid(Token::Veil),
        &[
            Rect::new(0.0, 0.0, left, height),
            Rect::new(left + width, 0.0, (scale.width() - left - width).max(0.0), height),
        ],
    );
    painter.outlines(Token::AccentLine, 1.0, &[Rect::new(left, 0.0, width, height)]);
    let brush = |x: CssPx| {
        let x = (x - BRUSH.0 / 2.0).clamp(0.0, scale.width() - BRUSH.0).floor();
        Rect::new(x, (height - BRUSH.1) / 2.0, BRUSH.0, BRUSH.1)
    };
    painter.rects(Fill::Solid(Token::Accent), &[brush(left), brush(left + width)]);
}

/// Part of the minimap that can be dragged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinimapGrip {
    /// Start of the window.
    Start,
    /// End of the window.
    End,
    Window,
    /// Outside the window: a drag selects a new window.
    Outside,
}

impl MinimapGrip {
    /// Returns the part at `x`. A window that shows the whole trace can't be moved, so a drag inside it selects a new
    /// one.
    pub fn at(x: CssPx, scale: &TimeScale, visible: Span) -> Self {
        let (left, right) = (scale.x(visible.start.0), scale.x(visible.end.0));
        if left <= 1.0 && right >= scale.width() - 1.0 {
            return Self::Outside;
        }
        let (to_left, to_right) = ((x - left).abs(), (x - right).abs());
        if to_right <= BRUSH_REACH && to_right <= to_left {
            Self::End
        } else if to_left <= BRUSH_REACH {
            Self::Start
        } else if x > left && x < right {
            Self::Window
        } else {
            Self::Outside
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;

    fn overview() -> Overview {
        Overview {
            bounds: vec![0, 1000],
            events: vec![0, 100, 25, 0],
            pause_starts: vec![300, 600],
            pause_ends: vec![310, 700],
            pause_generations: vec![0, 2],
            ..Overview::default()
        }
    }

    #[test]
    fn time_outside_window_is_veiled() {
        let scale = TimeScale::new(Span::new(0, 1000), 200.0);
        let marks = MinimapMarks { visible: Span::new(250, 500), range: Some(Span::new(300, 400)) };
        let mut painter = RecordingPainter::default();
        paint_overview(&mut painter, &overview(), &scale, 44.0);
        paint_marks(&mut painter, &scale, marks, 44.0);
        assert_eq!(
            painter.text(),
            "area Neutral*3 on 34: 0,34.0 50,34.0 50,4.0 100,4.0 100,19.0 150,19.0 150,34.0 200,34.0\n\
             Gen0: 60,36 2x4\n\
             Gen2: 120,36 20x4\n\
             Veil: 0,0 50x44; 100,0 100x44\n\
             outline AccentLine 1: 50,0 50x44\n\
             Accent: 47,14 5x16; 97,14 5x16\n\
             Accent: 60,0 20x3"
        );
    }

    #[test]
    fn grips_are_hit_near_edges() {
        let scale = TimeScale::new(Span::new(0, 1000), 200.0);
        let at = |x| MinimapGrip::at(x, &scale, Span::new(250, 500));
        assert_eq!(at(47.0), MinimapGrip::Start);
        assert_eq!(at(104.0), MinimapGrip::End);
        assert_eq!(at(75.0), MinimapGrip::Window);
        assert_eq!(at(150.0), MinimapGrip::Outside);
        assert_eq!(MinimapGrip::at(100.0, &scale, Span::new(-10, 1010)), MinimapGrip::Outside);
    }
}
