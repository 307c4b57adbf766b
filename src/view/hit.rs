//! What lies under the pointer.

use super::gc_paint;
use super::lane_frame::{LaneFrame, MarkerRow, SliceRow, StateRow, Timed, touching};
use super::timescale::TimeScale;
use super::track_layout::{ThreadRows, TrackKey, TrackLayout};
use super::units::CssPx;
use crate::model::ids::ThreadId;
use crate::model::time::Span;
use crate::protocol::tables::{Collections, Exceptions};
use std::collections::BTreeMap;

/// What is known of the threads.
pub type LaneFrames = BTreeMap<ThreadId, LaneFrame>;

/// Something thinner is found up to so far beside it.
const REACH: CssPx = 3.0;
/// The same for triangles.
const TRIANGLE_REACH: CssPx = 6.0;

/// Something in the picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// Nothing.
    #[default]
    Nothing,
    /// A collection: row of the table.
    Collection(usize),
    /// An exception: row of the table.
    Exception(usize),
    /// A function on a stack.
    Slice {
        /// Whose.
        thread: ThreadId,
        /// Level.
        depth: u16,
        /// What.
        slice: SliceRow,
    },
    /// What a thread was in.
    State {
        /// Whose.
        thread: ThreadId,
        /// What.
        state: StateRow,
    },
    /// Events of a thread.
    Marker {
        /// Whose.
        thread: ThreadId,
        /// What.
        marker: MarkerRow,
    },
}

impl Target {
    /// The time it covers, if it lasts.
    pub fn span(&self, collections: Option<&Collections>) -> Option<Span> {
        let (start, end) = match self {
            Target::Collection(row) => {
                let collections = collections?;
                (*collections.start.get(*row)?, *collections.end.get(*row)?)
            }
            Target::Slice { slice, .. } => slice.bounds(),
            Target::State { state, .. } => state.bounds(),
            Target::Nothing | Target::Exception(_) | Target::Marker { .. } => return None,
        };
        (end > start).then(|| Span::new(start, end))
    }
}

/// What can be found.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The tracks.
    pub layout: &'a TrackLayout,
    /// What is known of the threads.
    pub frames: &'a LaneFrames,
    /// The collections.
    pub collections: Option<&'a Collections>,
    /// The exceptions.
    pub exceptions: Option<&'a Exceptions>,
    /// The shown range.
    pub scale: TimeScale,
}

impl Scene<'_> {
    /// What lies at a position; `y` counts from the top of the first track.
    pub fn hit(&self, x: CssPx, y: CssPx) -> Target {
        let Some(track) = self.layout.at(y) else { return Target::Nothing };
        let y = y - track.top;
        match track.key {
            TrackKey::Collections => self.collection_at(x).unwrap_or_default(),
            TrackKey::Exceptions => self.exception_at(x).unwrap_or_default(),
            TrackKey::Thread(thread) => {
                let (Some(rows), Some(frame)) = (&track.parts, self.frames.get(&thread)) else {
                    return Target::Nothing;
                };
                self.in_thread(thread, rows, frame, x, y).unwrap_or_default()
            }
            _ => Target::Nothing,
        }
    }

    fn collection_at(&self, x: CssPx) -> Option<Target> {
        let collections = self.collections?;
        let mut best: Option<(CssPx, usize)> = None;
        for row in 0..collections.number.len() {
            let (mut left, mut right) =
                (self.scale.x(collections.pause_start[row]), self.scale.x(collections.pause_end[row]));
            if gc_paint::is_background(collections, row) {
                left = left.min(self.scale.x(collections.start[row]));
                right = right.max(self.scale.x(collections.end[row]));
            }
            let distance = (left - x).max(x - right).max(0.0);
            if distance <= REACH && best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, row));
            }
        }
        best.map(|(_, row)| Target::Collection(row))
    }

    fn exception_at(&self, x: CssPx) -> Option<Target> {
        let times = &self.exceptions?.time;
        let distance = |row: usize| (self.scale.x(times[row]) - x).abs();
        let next = times.partition_point(|time| self.scale.x(*time) < x);
        let row = (next.saturating_sub(1)..(next + 1).min(times.len()))
            .min_by(|one, other| distance(*one).total_cmp(&distance(*other)))?;
        (distance(row) <= TRIANGLE_REACH).then_some(Target::Exception(row))
    }

    fn in_thread(&self, thread: ThreadId, rows: &ThreadRows, frame: &LaneFrame, x: CssPx, y: CssPx) -> Option<Target> {
        let marker = |exceptions_only: bool, reach: CssPx| {
            let wanted = |marker: &&MarkerRow| marker.exception || !exceptions_only;
            nearest(frame.markers.iter().filter(wanted), &self.scale, x, reach)
                .map(|marker| Target::Marker { thread, marker: *marker })
        };
        if y >= rows.ticks.0 - 1.0 {
            return marker(false, REACH);
        }
        if y < rows.strip.0 + 5.0
            && let Some(target) = marker(true, TRIANGLE_REACH)
        {
            return Some(target);
        }
        if y < rows.strip.0 + rows.strip.1 + 1.0 {
            let state = *nearest(self.around(&frame.states, x).iter(), &self.scale, x, REACH)?;
            return Some(Target::State { thread, state });
        }
        let row = rows.stack.iter().find(|row| y >= row.y && y < row.y + row.height)?;
        let slices = frame.depths.get(usize::from(row.depth))?;
        let slice = *nearest(self.around(slices, x).iter(), &self.scale, x, REACH)?;
        Some(Target::Slice { thread, depth: row.depth, slice })
    }

    fn around<'b, T: Timed>(&self, rows: &'b [T], x: CssPx) -> &'b [T] {
        touching(rows, Span { start: self.scale.time(x - REACH), end: self.scale.time(x + REACH) })
    }
}

/// The row nearest to `x`, at most `reach` away; of those that are equally near, the longest.
fn nearest<'a, T: Timed>(
    rows: impl Iterator<Item = &'a T>,
    scale: &TimeScale,
    x: CssPx,
    reach: CssPx,
) -> Option<&'a T> {
    let mut best: Option<(CssPx, i64, &T)> = None;
    for row in rows {
        let (start, end) = row.bounds();
        let distance = (scale.x(start) - x).max(x - scale.x(end)).max(0.0);
        let length = end - start;
        let is_better = best.is_none_or(|(nearest, longest, _)| (distance, -length) < (nearest, -longest));
        if distance <= reach && is_better {
            best = Some((distance, length, row));
        }
    }
    best.map(|(_, _, row)| row)
}

#[cfg(test)]
pub(crate) mod samples {
    use super::super::track_layout::{TrackChoices, TrackKey, samples::threads};
    use super::super::{exceptions_paint, gc_paint, lane_frame};
    use super::*;
    use crate::protocol::tables::Threads;

    /// Everything that a small timeline consists of.
    pub struct Small {
        /// One busy, expanded thread and one without samples.
        pub threads: Threads,
        /// Its tracks.
        pub layout: TrackLayout,
        /// What is known of the busy thread.
        pub frames: LaneFrames,
        /// Three collections.
        pub collections: Collections,
        /// One exception, at 500.
        pub exceptions: Exceptions,
    }

    /// A small timeline from 0 to 1000.
    pub fn small() -> Small {
        let mut threads = threads(&[(1, 9, 800, 1000, 1100), (2, 9, 0, 0, 60)]);
        threads.max_depth = vec![2, 0];
        let mut choices = TrackChoices {
            collections: true,
            background_collections: true,
            exceptions: true,
            ..TrackChoices::default()
        };
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        let layout = TrackLayout::new(&threads, &choices);
        let frames = LaneFrames::from([(ThreadId(1), lane_frame::samples::busy_thread())]);
        let exceptions = exceptions_paint::samples::exceptions(&[500]);
        Small { threads, layout, frames, collections: gc_paint::samples::collections(), exceptions }
    }

    impl Small {
        /// The scene at a width.
        pub fn scene(&self, width: CssPx) -> Scene<'_> {
            Scene {
                layout: &self.layout,
                frames: &self.frames,
                collections: Some(&self.collections),
                exceptions: Some(&self.exceptions),
                scale: TimeScale::new(Span::new(0, 1000), width),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thing_under_the_pointer_is_found_in_every_track() {
        let small = samples::small();
        let scene = small.scene(500.0);
        let thread = small.layout.find(TrackKey::Thread(ThreadId(1))).unwrap().top;
        assert_eq!(scene.hit(250.0, 30.0), Target::Collection(1));
        assert_eq!(scene.hit(420.0, 30.0), Target::Collection(2));
        assert_eq!(scene.hit(330.0, 30.0), Target::Nothing);
        assert_eq!(scene.hit(254.0, 60.0), Target::Exception(0));
        let Target::State { state, .. } = scene.hit(250.0, thread + 9.0) else { panic!("a state") };
        assert_eq!((state.start, state.end), (400, 600));
        let Target::Slice { slice, depth, .. } = scene.hit(250.0, thread + 30.0) else { panic!("a slice") };
        assert_eq!((slice.function, depth), (8, 1));
        let Target::Marker { marker, .. } = scene.hit(51.0, thread + 44.0) else { panic!("a marker") };
        assert_eq!(marker.event, 11);
        assert_eq!(scene.hit(250.0, thread + 500.0), Target::Nothing);
    }

    #[test]
    fn exceptions_lie_above_the_strip() {
        let small = samples::small();
        let thread = small.layout.find(TrackKey::Thread(ThreadId(1))).unwrap().top;
        let Target::Marker { marker, .. } = small.scene(500.0).hit(252.0, thread + 3.0) else { panic!("a marker") };
        assert!(marker.exception);
    }

    #[test]
    fn what_lasts_can_be_zoomed_to() {
        let small = samples::small();
        assert_eq!(Target::Collection(1).span(Some(&small.collections)), Some(Span::new(405, 595)));
        assert_eq!(Target::Exception(0).span(Some(&small.collections)), None);
    }
}
