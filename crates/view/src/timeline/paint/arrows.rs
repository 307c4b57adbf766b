//! Arrows between threads, from the causes of the selected item to its effects.

use crate::draw::drawlist::{Align, CharacterWidths, Label, Line, Painter, Stroke};
use crate::draw::palette::Token;
use crate::draw::units::{CssPx, Rect};
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_layout::TrackLayout;
use protocol::base::ids::ThreadId;

/// Number of line segments of a curve.
const PIECES: usize = 16;
/// Minimum horizontal reach of a curve.
const LEAST_BEND: CssPx = 14.0;
/// Height of an arrow between two times of one thread.
const RISE: CssPx = 12.0;
/// Length of an arrowhead, and half of its width.
const HEAD: (CssPx, CssPx) = (8.0, 4.0);
/// Distance from the edge of the pane at which arrows to times outside it end, and arrows to tracks outside it.
const EDGE: (CssPx, CssPx) = (2.0, 6.0);
/// Maximum distance of the pointer from a curve.
const REACH: CssPx = 4.0;
/// Distance of a label from the end of its arrow, and from the line.
const LABEL_DISTANCE: (CssPx, CssPx) = (11.0, 5.0);
/// Height of a label.
const LABEL_HEIGHT: CssPx = 14.0;

/// Arrow from a cause to an effect: thread and nanoseconds of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Cause.
    pub from: (ThreadId, i64),
    /// Effect.
    pub to: (ThreadId, i64),
    /// True if the effect is the end that isn't selected.
    pub is_outgoing: bool,
    /// What the end that isn't selected is, and its thread.
    pub label: String,
    /// Time of this end, for arrows that leave the pane.
    pub moment: String,
}

/// Tracks on which arrows are drawn, and their scroll position.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// Tracks.
    pub layout: &'a TrackLayout,
    /// Scale of the visible range.
    pub scale: &'a TimeScale,
    /// Scroll position of the tracks.
    pub scroll_top: CssPx,
    /// Top and bottom of the pane, without pinned tracks.
    pub pane: (CssPx, CssPx),
    /// Widths of characters.
    pub characters: CharacterWidths,
}

/// Arrow in pixels.
struct Placed {
    points: Vec<(CssPx, CssPx)>,
    label: Label,
    /// Area of the label.
    area: Rect,
}

impl Ground<'_> {
    /// Returns an end of an arrow, and whether it is outside the pane; the ends of hidden threads are at the heading
    /// above them. `None` for threads that are nowhere.
    fn end(&self, (thread, time): (ThreadId, i64)) -> Option<((CssPx, CssPx), bool)> {
        let (x, y) = (self.scale.x(time), height_of(self.layout, thread)? - self.scroll_top);
        let inside = (within(x, (0.0, self.scale.width()), EDGE.0), within(y, self.pane, EDGE.1));
        Some((inside, inside != (x, y)))
    }

    /// Returns an arrow in pixels. `None` if it isn't visible.
    fn place(&self, arrow: &Arrow) -> Option<Placed> {
        let (from, to) = (self.end(arrow.from)?, self.end(arrow.to)?);
        let points = curve(from.0, to.0);
        let is_beyond = from.1 && to.1 && (from.0.0 == to.0.0 || from.0.1 == to.0.1);
        if points.is_empty() || is_beyond {
            return None;
        }
        let ((x, y), is_outside) = if arrow.is_outgoing { to } else { from };
        let text = match is_outside && !arrow.moment.is_empty() {
            true => format!("{} · {}", arrow.label, arrow.moment),
            false => arrow.label.clone(),
        };
        let width = text.chars().count() as CssPx * self.characters.small;
        let is_right = x + LABEL_DISTANCE.0 + width > self.scale.width();
        let (align, x) = match is_right {
            true => (Align::End, x - LABEL_DISTANCE.0),
            false => (Align::Start, x + LABEL_DISTANCE.0),
        };
        let baseline = y - LABEL_DISTANCE.1;
        let area = Rect::new(if is_right { x - width } else { x }, baseline - 10.0, width, LABEL_HEIGHT);
        let label = Label { align, has_plate: true, ..Label::small(x, baseline, text, Token::Text) };
        Some(Placed { points, label, area })
    }
}

/// Returns a position, or one at a distance inside of the ends for one outside of them.
fn within(at: CssPx, (start, end): (CssPx, CssPx), edge: CssPx) -> CssPx {
    match at {
        at if at < start => (start + edge).min(end),
        at if at > end => (end - edge).max(start),
        at => at,
    }
}

/// Draws arrows. Labels that would cover another one are hidden.
pub fn paint_arrows(painter: &mut impl Painter, ground: &Ground<'_>, arrows: &[Arrow]) {
    let placed: Vec<Placed> = arrows.iter().filter_map(|arrow| ground.place(arrow)).collect();
    let mut lines = Vec::new();
    for Placed { points, .. } in &placed {
        let pieces = points.windows(2).map(|ends| Line { x1: ends[0].0, y1: ends[0].1, x2: ends[1].0, y2: ends[1].1 });
        lines.extend(pieces);
        lines.extend(head(points));
    }
    if !lines.is_empty() {
        painter.lines(Token::AccentLine, Stroke::Continuous, &lines);
    }
    let mut covered: Vec<Rect> = Vec::new();
    for Placed { label, area, .. } in &placed {
        let is_free = !covered.iter().any(|other| overlap(*other, *area));
        if is_free && !label.text.is_empty() {
            painter.text(label);
            covered.push(*area);
        }
    }
}

/// Returns the position of the arrow at a point of the pane: near its line, or on its label.
pub fn arrow_at(ground: &Ground<'_>, arrows: &[Arrow], x: CssPx, y: CssPx) -> Option<usize> {
    arrows.iter().position(|arrow| {
        ground.place(arrow).is_some_and(|Placed { points, area, label }| {
            let on_label =
                !label.text.is_empty() && (area.x..area.right()).contains(&x) && (area.y..area.bottom()).contains(&y);
            on_label || points.windows(2).any(|ends| distance(ends[0], ends[1], (x, y)) <= REACH)
        })
    })
}

fn overlap(one: Rect, other: Rect) -> bool {
    one.x < other.right() && other.x < one.right() && one.y < other.bottom() && other.y < one.bottom()
}

/// Returns the distance of a point from a line.
fn distance(from: (CssPx, CssPx), to: (CssPx, CssPx), at: (CssPx, CssPx)) -> CssPx {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let length = (across * across + down * down).max(f64::MIN_POSITIVE);
    let along = (((at.0 - from.0) * across + (at.1 - from.1) * down) / length).clamp(0.0, 1.0);
    (at.0 - from.0 - along * across).hypot(at.1 - from.1 - along * down)
}

/// Returns the vertical middle of a thread's strip, or of the collapsed heading above it.
fn height_of(layout: &TrackLayout, thread: ThreadId) -> Option<CssPx> {
    let track = layout.track_of_thread(thread)?;
    let strip = track.parts.as_ref().map_or((0.0, track.height), |parts| parts.strip);
    Some(track.top + strip.0 + strip.1 / 2.0)
}

/// Returns the points of a curve that starts and ends horizontally; on one thread an arch, unless both ends coincide.
fn curve(from: (CssPx, CssPx), to: (CssPx, CssPx)) -> Vec<(CssPx, CssPx)> {
    let is_arch = from.1 == to.1;
    let half = (to.0 - from.0) / 2.0;
    if is_arch && half.abs() < HEAD.0 / 2.0 {
        return Vec::new();
    }
    let reach = if is_arch { half } else { half.abs().max(LEAST_BEND) };
    let rise = if is_arch { RISE } else { 0.0 };
    let (first, second) = ((from.0 + reach, from.1 - rise), (to.0 - reach, to.1 - rise));
    let point = |at: f64| {
        let rest = 1.0 - at;
        let weights = [rest * rest * rest, 3.0 * rest * rest * at, 3.0 * rest * at * at, at * at * at];
        let sum = |of: [CssPx; 4]| of.iter().zip(weights).map(|(value, weight)| value * weight).sum::<CssPx>();
        (sum([from.0, first.0, second.0, to.0]), sum([from.1, first.1, second.1, to.1]))
    };
    (0..=PIECES).map(|piece| point(piece as f64 / PIECES as f64)).collect()
}

/// Returns the lines that fill the head at the end of a curve.
pub(crate) fn head(points: &[(CssPx, CssPx)]) -> Vec<Line> {
    let Some((&(x2, y2), before)) = points.split_last() else { return Vec::new() };
    let Some(last) = before.last() else { return Vec::new() };
    let length = (x2 - last.0).hypot(y2 - last.1).max(f64::MIN_POSITIVE);
    let (across, down) = ((x2 - last.0) / length, (y2 - last.1) / length);
    let steps = HEAD.1 as i32;
    let line = |side: i32| {
        let side = CssPx::from(side);
        Line { x1: x2 - across * HEAD.0 - down * side, y1: y2 - down * HEAD.0 + across * side, x2, y2 }
    };
    (-steps..=steps).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::track_choices::TrackChoices;
    use crate::timeline::track_key::TrackKey;
    use crate::timeline::track_layout::samples::threads;
    use protocol::base::time::Span;

    fn ground<'a>(layout: &'a TrackLayout, scale: &'a TimeScale) -> Ground<'a> {
        Ground { layout, scale, scroll_top: 0.0, pane: (0.0, 2000.0), characters: CharacterWidths::default() }
    }

    fn arrow(from: i64, (thread, time): (u32, i64)) -> Arrow {
        let (label, moment) = ("Task runs · Worker".to_owned(), "2.000 s".to_owned());
        Arrow { from: (ThreadId(1), from), to: (ThreadId(thread), time), is_outgoing: true, label, moment }
    }

    #[test]
    fn arrow_is_found_and_ends_at_edge_with_time() {
        let threads = threads(&[(1, 9, 500, 900, 2000), (2, 9, 0, 900, 900)]);
        let layout = TrackLayout::new(&threads, &TrackChoices::default());
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let ground = ground(&layout, &scale);
        let arrows = [arrow(100, (2, 400)), arrow(500, (2, 9000))];
        let placed = ground.place(&arrows[0]).expect("a visible arrow");
        let (x, y) = placed.points[PIECES / 2];
        assert_eq!((arrow_at(&ground, &arrows, x, y), arrow_at(&ground, &arrows, 20.0, 5.0)), (Some(0), None));
        let placed = ground.place(&arrows[1]).expect("a visible arrow");
        assert_eq!(placed.points.last().map(|end| end.0), Some(498.0));
        assert_eq!((placed.label.text.as_str(), placed.label.align), ("Task runs · Worker · 2.000 s", Align::End));
        assert_eq!(arrow_at(&ground, &arrows, placed.area.x + 3.0, placed.area.y + 3.0), Some(1), "its label");
        assert!(ground.place(&arrow(5000, (2, 9000))).is_none(), "both ends are outside");
        let low = Ground { pane: (0.0, 45.0), ..ground };
        let placed = low.place(&arrows[0]).expect("a visible arrow");
        assert_eq!(placed.points.last(), Some(&(200.0, 39.0)), "at the bottom of the pane");
        assert_eq!(placed.label.text, "Task runs · Worker · 2.000 s");
        let above = Ground { pane: (90.0, 200.0), ..ground };
        assert!(above.place(&arrows[0]).is_none(), "both ends are above");
    }

    #[test]
    fn arrow_connects_strips_or_headings_of_hidden_threads() {
        let mut rows: Vec<_> = (10..24).map(|id| (id, 9, 500, 900, 2000)).collect();
        rows.extend([(1, 9, 500, 900, 2000), (2, 9, 0, 900, 900), (3, 9, 0, 900, 901)]);
        let threads = threads(&rows);
        let layout = |choices| TrackLayout::new(&threads, &choices);
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let closed = layout(TrackChoices::default());
        let drawn = |layout: &TrackLayout, to: u32| {
            let mut painter = RecordingPainter::default();
            paint_arrows(&mut painter, &ground(layout, &scale), &[arrow(100, (to, 400))]);
            painter.text()
        };
        let top = |layout: &TrackLayout, thread: u32| height_of(layout, ThreadId(thread));
        let group = closed.find(TrackKey::Quiet(0)).expect("the silent ones");
        let behind = group.top + group.height / 2.0;
        assert_eq!((top(&closed, 2), top(&closed, 99)), (Some(behind), None));
        let text = drawn(&closed, 2);
        assert!(text.contains(&format!("→200,{behind}\ntext Text 211,{}: Task runs", behind - 5.0)), "{text}");
        assert_eq!(drawn(&closed, 99), "", "a thread that is nowhere");
        let mut choices = TrackChoices::default();
        choices.toggle(TrackKey::Quiet(0));
        let open = layout(choices);
        let (from, to) = (top(&open, 1).expect("a height"), top(&open, 2).expect("a height"));
        assert!(to > behind);
        let text = drawn(&open, 2);
        assert!(text.starts_with(&format!("Continuous AccentLine: 50,{from}→")), "{text}");
        assert!(text.contains(&format!("→200,{to}\ntext")), "{text}");
    }

    #[test]
    fn arrow_on_one_thread_is_arch_between_its_ends() {
        let lines = |from: CssPx, to: CssPx| {
            let points = curve((from, 20.0), (to, 20.0));
            let pieces =
                points.windows(2).map(|ends| Line { x1: ends[0].0, y1: ends[0].1, x2: ends[1].0, y2: ends[1].1 });
            pieces.chain(head(&points)).collect::<Vec<Line>>()
        };
        assert!(lines(50.0, 55.0).is_empty(), "both ends are at one place");
        for (from, to) in [(50.0, 80.0), (80.0, 50.0)] {
            let drawn = lines(from, to);
            let ends = drawn.iter().flat_map(|line| [(line.x1, line.y1), (line.x2, line.y2)]);
            assert!(ends.clone().all(|(x, y)| (46.0..=84.0).contains(&x) && (8.0..=20.0).contains(&y)), "{drawn:?}");
            assert!(ends.clone().any(|(_, y)| y < 12.0));
            assert_eq!(drawn.last().map(|line| (line.x2, line.y2)), Some((to, 20.0)));
        }
    }
}
