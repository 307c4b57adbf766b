//! Arrows between threads, from the causes of the selected item to its effects.

use crate::draw::drawlist::{Line, Painter, Stroke};
use crate::draw::palette::Token;
use crate::draw::units::CssPx;
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_layout::TrackLayout;
use protocol::base::ids::ThreadId;

/// Number of line segments of a curve.
const PIECES: usize = 16;
/// Minimum horizontal reach of a curve.
const LEAST_BEND: CssPx = 14.0;
/// Height of an arrow between two times of one thread.
const RISE: CssPx = 12.0;
/// Length of the two strokes of an arrowhead.
const HEAD: CssPx = 6.0;
/// Maximum distance outside the pane at which arrows are drawn.
const OUTSIDE: CssPx = 60.0;

/// Arrow from a cause to an effect: thread and nanoseconds of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Cause.
    pub from: (ThreadId, i64),
    /// Effect.
    pub to: (ThreadId, i64),
}

/// Draws arrows into a pane that is scrolled to `scroll_top`. The ends of hidden threads are at the heading above them.
pub fn paint_arrows(
    painter: &mut impl Painter,
    layout: &TrackLayout,
    scale: &TimeScale,
    scroll_top: CssPx,
    arrows: &[Arrow],
) {
    let mut lines = Vec::new();
    for arrow in arrows {
        let place = |(thread, time): (ThreadId, i64)| {
            let x = scale.x(time).clamp(-OUTSIDE, scale.width() + OUTSIDE);
            Some((x, height_of(layout, thread)? - scroll_top))
        };
        if let (Some(from), Some(to)) = (place(arrow.from), place(arrow.to)) {
            bend(&mut lines, from, to);
        }
    }
    if !lines.is_empty() {
        painter.lines(Token::AccentLine, Stroke::Continuous, &lines);
    }
}

/// Returns the vertical middle of a thread's strip, or of the collapsed heading above it.
fn height_of(layout: &TrackLayout, thread: ThreadId) -> Option<CssPx> {
    let track = layout.track_of_thread(thread)?;
    let strip = track.parts.as_ref().map_or((0.0, track.height), |parts| parts.strip);
    Some(track.top + strip.0 + strip.1 / 2.0)
}

/// Draws a curve that starts and ends horizontally, with a head; on one thread an arch, unless both ends coincide.
fn bend(lines: &mut Vec<Line>, from: (CssPx, CssPx), to: (CssPx, CssPx)) {
    let is_arch = from.1 == to.1;
    let half = (to.0 - from.0) / 2.0;
    if is_arch && half.abs() < HEAD {
        return;
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
    let mut last = from;
    for piece in 1..=PIECES {
        let next = point(piece as f64 / PIECES as f64);
        lines.push(Line { x1: last.0, y1: last.1, x2: next.0, y2: next.1 });
        last = next;
    }
    // Direction of the last segment.
    let (across, down) = if is_arch { (half, RISE) } else { (1.0, 0.0) };
    let length = across.hypot(down);
    let (across, down) = (across / length * HEAD, down / length * HEAD);
    for side in [-0.5, 0.5] {
        let (x1, y1) = (to.0 - across - side * down, to.1 - down + side * across);
        lines.push(Line { x1, y1, x2: to.0, y2: to.1 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::track_choices::TrackChoices;
    use crate::timeline::track_key::TrackKey;
    use crate::timeline::track_layout::samples::threads;
    use protocol::base::time::Span;

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
            let arrow = Arrow { from: (ThreadId(1), 100), to: (ThreadId(to), 400) };
            paint_arrows(&mut painter, layout, &scale, 0.0, &[arrow]);
            painter.text()
        };
        let top = |layout: &TrackLayout, thread: u32| height_of(layout, ThreadId(thread));
        let group = closed.find(TrackKey::Quiet(0)).expect("the silent ones");
        let behind = group.top + group.height / 2.0;
        assert_eq!((top(&closed, 2), top(&closed, 99)), (Some(behind), None));
        assert!(drawn(&closed, 2).ends_with(&format!("→200,{behind}")));
        assert_eq!(drawn(&closed, 99), "", "a thread that is nowhere");
        let mut choices = TrackChoices::default();
        choices.toggle(TrackKey::Quiet(0));
        let open = layout(choices);
        let (from, to) = (top(&open, 1).expect("a height"), top(&open, 2).expect("a height"));
        assert!(to > behind);
        let text = drawn(&open, 2);
        assert!(text.starts_with(&format!("Continuous AccentLine: 50,{from}→")), "{text}");
        assert!(text.ends_with(&format!("→200,{to}; 194,{}→200,{to}", to + 3.0)), "{text}");
    }

    #[test]
    fn arrow_on_one_thread_is_arch_between_its_ends() {
        let lines = |from: CssPx, to: CssPx| {
            let mut lines = Vec::new();
            bend(&mut lines, (from, 20.0), (to, 20.0));
            lines
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
