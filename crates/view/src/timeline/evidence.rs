//! Evidence of a finding on the timeline: outlines of each of its times on each of its threads.

use super::timescale::TimeScale;
use super::track_key::TrackKey;
use super::track_layout::Track;
use crate::draw::units::{CssPx, Rect};
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;

/// Threads and times of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// Threads; none for a finding about the whole process.
    pub threads: Vec<ThreadId>,
    /// Times, in order.
    pub times: Vec<Span>,
}

impl Evidence {
    /// Returns the outlines: in the tracks of the threads, or over the whole height if there are none.
    pub fn outlines(&self, tracks: &[Track], scale: &TimeScale, scroll_top: CssPx, height: CssPx) -> Vec<Rect> {
        let mut outlines = Vec::new();
        let mut add = |top: CssPx, height: CssPx| {
            for time in &self.times {
                if let Some((left, right)) = extent(*time, scale) {
                    outlines.push(Rect::new(left, top, right - left, height));
                }
            }
        };
        if self.threads.is_empty() {
            add(1.0, height - 2.0);
        }
        for track in tracks {
            if matches!(track.key, TrackKey::Thread(thread) if self.threads.contains(&thread)) {
                add(track.top - scroll_top + 1.0, track.height - 3.0);
            }
        }
        outlines
    }
}

/// Returns the left and right edges of a time, at least three pixels apart; `None` if it isn't visible. Edges outside
/// the pane stay outside, so that an outline looks cut off.
pub fn extent(time: Span, scale: &TimeScale) -> Option<(CssPx, CssPx)> {
    let (left, right) = (scale.x(time.start.0), scale.x(time.end.0));
    let is_visible = right >= 0.0 && left <= scale.width();
    let (left, right) = (left.floor().max(-4.0), right.ceil().min(scale.width() + 4.0));
    is_visible.then(|| (left, right.max(left + 3.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::hit::samples::small;

    #[test]
    fn evidence_outlines_visible_times_on_its_threads() {
        let small = small();
        let scene = small.scene(500.0);
        let tracks = scene.layout.between(0.0, 1_000.0);
        let thread = tracks.iter().find_map(|track| match track.key {
            TrackKey::Thread(thread) => Some(thread),
            _ => None,
        });
        let visible = scene.scale.span();
        let half = Span::new(visible.start.0, visible.start.0 + visible.duration() / 2);
        let before = Span::new(visible.start.0 - 2_000, visible.start.0 - 1_000);
        let of = |threads: Vec<ThreadId>, times: Vec<Span>| {
            Evidence { threads, times }.outlines(tracks, &scene.scale, 0.0, 100.0)
        };
        let on_thread = of(thread.into_iter().collect(), vec![before, half]);
        assert_eq!(on_thread.len(), 1, "what is not visible has no outline: {on_thread:?}");
        assert!((on_thread[0].width - scene.scale.width() / 2.0).abs() <= 1.0, "{on_thread:?}");
        assert_eq!(of(vec![ThreadId(u32::MAX)], vec![half]), [], "its track isn't shown");
        assert_eq!(of(Vec::new(), vec![half])[0].height, 98.0, "of the whole process");
        assert_eq!(of(Vec::new(), Vec::new()), []);
    }
}
