//! Hit testing: finds the item under the pointer.

use super::timescale::TimeScale;
use super::track_key::{RuntimeKey, TrackKey};
use super::track_layout::{Track, TrackLayout};
use super::tracks::lane_frame::{LaneFrame, MarkerRow, SliceRow, StateRow};
use super::tracks::thread::ThreadTrack;
use super::tracks::track::{RuntimeTracks, Subject, TrackContent};
use crate::draw::tooltip::{Tooltip, TooltipContext};
use crate::draw::units::CssPx;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use std::collections::BTreeMap;

/// Data of threads with an answer.
pub type LaneFrames = BTreeMap<ThreadId, LaneFrame>;

/// Maximum distance from the pointer to a thin item.
pub const REACH: CssPx = 3.0;
/// Maximum distance from the pointer to a triangle.
pub const TRIANGLE_REACH: CssPx = 6.0;

/// Item of the picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Target {
    #[default]
    Nothing,
    /// Item of a runtime track.
    Item {
        track: RuntimeKey,
        /// Row of its table.
        item: usize,
    },
    /// Function on a stack.
    Slice { thread: ThreadId, depth: u16, slice: SliceRow },
    /// Span of a thread.
    Span {
        thread: ThreadId,
        /// Row of the frame's spans.
        item: usize,
    },
    /// State of a thread.
    State { thread: ThreadId, state: StateRow },
    /// Events of a thread.
    Marker { thread: ThreadId, marker: MarkerRow },
}

impl Target {
    /// Returns the row of the item in a track's table of `rows` rows; `None` if the item isn't in it.
    pub fn item_of(&self, wanted: RuntimeKey, rows: usize) -> Option<usize> {
        match *self {
            Target::Item { track, item } if track == wanted && item < rows => Some(item),
            _ => None,
        }
    }

    /// Returns the track of the item.
    pub fn track(&self) -> Option<TrackKey> {
        match *self {
            Target::Nothing => None,
            Target::Item { track, .. } => Some(TrackKey::Kind(track)),
            Target::Slice { thread, .. }
            | Target::Span { thread, .. }
            | Target::State { thread, .. }
            | Target::Marker { thread, .. } => Some(TrackKey::Thread(thread)),
        }
    }
}

/// Everything that can be under the pointer.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Tracks.
    pub layout: &'a TrackLayout,
    /// Data of threads.
    pub frames: &'a LaneFrames,
    pub runtime: &'a RuntimeTracks,
    /// Scale of the visible range.
    pub scale: TimeScale,
}

impl Scene<'_> {
    /// Returns the item at a position; `y` is relative to the top of the first track.
    pub fn hit(&self, x: CssPx, y: CssPx) -> Target {
        let Some(track) = self.layout.at(y) else { return Target::Nothing };
        let found = self.content(track, 0, |content| content.hit(&self.scale, track.height, x, y - track.top));
        found.flatten().unwrap_or_default()
    }

    /// Calls a function with the content of a track; `None` for headings, which have none. `most_events` is the number
    /// of events of a full bar in a thread's graph.
    pub fn content<R>(&self, track: &Track, most_events: u32, act: impl FnOnce(&dyn TrackContent) -> R) -> Option<R> {
        match track.key {
            TrackKey::Kind(key) => self.runtime.get(key).map(|track| act(track)),
            TrackKey::Thread(thread) => {
                let rows = track.parts.as_ref()?;
                Some(act(&ThreadTrack { thread, rows, frame: self.frames.get(&thread), most_events }))
            }
            _ => None,
        }
    }

    /// Calls a function with the content of the track that contains a target.
    pub fn content_of<R>(&self, target: &Target, act: impl FnOnce(&dyn TrackContent) -> R) -> Option<R> {
        self.content(self.layout.find(target.track()?)?, 0, act)
    }

    /// Returns top and height of the item that an event starts, below the top of the first track: its row, or the
    /// whole track while that shows no rows. `None` if the track isn't visible.
    pub fn place_of_event(&self, event: u32) -> Option<(CssPx, CssPx)> {
        let target = self.runtime.find(Subject::Event(event))?;
        let track = self.layout.find(target.track()?)?;
        let row = self.content(track, 0, |content| content.row_of(&target, track.height)).flatten();
        let (top, height) = row.unwrap_or((0.0, track.height));
        Some((track.top + top, height))
    }

    /// Returns the tooltip of an item.
    pub fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        self.content_of(target, |content| content.tooltip(target, context)).flatten()
    }

    /// Returns the time range of an item; `None` if it has no duration.
    pub fn span_of(&self, target: &Target) -> Option<Span> {
        let (start, end) = self.content_of(target, |content| content.bounds(target)).flatten()?;
        (end > start).then(|| Span::new(start, end))
    }

    /// Returns the subject that a click on an item shows in the details.
    pub fn subject_of(&self, target: &Target) -> Option<Subject> {
        self.content_of(target, |content| content.subject(target)).flatten()
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use crate::timeline::clock::ClockFace;
    use crate::timeline::paint::gc as gc_paint;
    use crate::timeline::track_choices::TrackChoices;
    use crate::timeline::track_key::TrackKey;
    use crate::timeline::track_layout::samples::threads;
    use crate::timeline::tracks::exceptions::ExceptionsTrack;
    use crate::timeline::tracks::gc::GcTrack;
    use crate::timeline::tracks::track::heights;
    use crate::timeline::tracks::{exceptions as exceptions_track, lane_frame};
    use protocol::tables::{Gcs, Threads};
    use std::sync::Arc;

    /// Small timeline.
    pub struct Small {
        /// One busy, expanded thread and one without samples.
        pub threads: Threads,
        /// Tracks.
        pub layout: TrackLayout,
        /// Data of the busy thread.
        pub frames: LaneFrames,
        /// Three GCs.
        pub gcs: Arc<Gcs>,
        /// The GCs, and one exception at 500.
        pub runtime: RuntimeTracks,
    }

    /// Returns a small timeline from 0 to 1000.
    pub fn small() -> Small {
        let mut threads = threads(&[(1, 9, 800, 1000, 1100), (2, 9, 0, 0, 60)]);
        threads.max_depth = vec![2, 0];
        let gcs = Arc::new(gc_paint::samples::gcs());
        let mut runtime = RuntimeTracks::default();
        runtime.put(Box::new(ExceptionsTrack { process: 0, table: exceptions_track::samples::exceptions(&[500]) }));
        runtime.put(Box::new(GcTrack::new(0, gcs.clone())));
        let mut choices = TrackChoices { runtime: runtime.iter().map(heights).collect(), ..TrackChoices::default() };
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        let layout = TrackLayout::new(&threads, &choices);
        let frames = LaneFrames::from([(ThreadId(1), lane_frame::samples::busy_thread())]);
        Small { threads, layout, frames, gcs, runtime }
    }

    impl Small {
        /// Returns the data for its tooltips.
        pub fn context(&self) -> TooltipContext<'_> {
            TooltipContext { threads: &self.threads, face: ClockFace::default() }
        }

        /// Returns the scene at a width.
        pub fn scene(&self, width: CssPx) -> Scene<'_> {
            Scene {
                layout: &self.layout,
                frames: &self.frames,
                runtime: &self.runtime,
                scale: TimeScale::new(Span::new(0, 1000), width),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::timeline::track::TrackKind;

    fn gc(item: usize) -> Target {
        Target::Item { track: RuntimeKey::only(TrackKind::Gc), item }
    }

    fn exception(item: usize) -> Target {
        Target::Item { track: RuntimeKey::only(TrackKind::Exceptions), item }
    }

    #[test]
    fn item_under_pointer_is_found_in_every_track() {
        let small = samples::small();
        let scene = small.scene(500.0);
        let thread = small.layout.find(TrackKey::Thread(ThreadId(1))).unwrap().top;
        assert_eq!(scene.hit(250.0, 30.0), gc(1));
        assert_eq!(scene.hit(420.0, 38.0), gc(2));
        assert_eq!(scene.hit(330.0, 30.0), Target::Nothing);
        assert_eq!(scene.hit(330.0, 46.0), gc(1), "the heap that it left");
        assert_eq!(scene.hit(254.0, 62.0), exception(0));
        let Target::State { state, .. } = scene.hit(280.0, thread + 9.0) else { panic!("a state") };
        assert_eq!((state.start, state.end), (400, 600));
        let Target::State { state, .. } = scene.hit(250.0, thread + 9.0) else { panic!("a wait") };
        assert_eq!((state.start, state.end), (420, 520));
        let Target::Slice { slice, depth, .. } = scene.hit(250.0, thread + 30.0) else { panic!("a slice") };
        assert_eq!((slice.function, depth), (8, 1));
        let Target::Marker { marker, .. } = scene.hit(51.0, thread + 44.0) else { panic!("a marker") };
        assert_eq!(marker.event, 11);
        assert_eq!(scene.hit(250.0, thread + 500.0), Target::Nothing);
    }

    #[test]
    fn exceptions_are_above_strip() {
        let small = samples::small();
        let thread = small.layout.find(TrackKey::Thread(ThreadId(1))).unwrap().top;
        let Target::Marker { marker, .. } = small.scene(500.0).hit(252.0, thread + 3.0) else { panic!("a marker") };
        assert!(marker.exception);
    }

    #[test]
    fn items_with_duration_have_span() {
        let small = samples::small();
        let scene = small.scene(500.0);
        assert_eq!(scene.span_of(&gc(1)), Some(Span::new(400, 601)));
        assert_eq!(scene.span_of(&exception(0)), None);
    }
}
