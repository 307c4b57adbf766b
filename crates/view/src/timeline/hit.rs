//! What lies under the pointer.

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

/// What is known of the threads.
pub type LaneFrames = BTreeMap<ThreadId, LaneFrame>;

/// Something thinner is found up to so far beside it.
pub const REACH: CssPx = 3.0;
/// The same for triangles.
pub const TRIANGLE_REACH: CssPx = 6.0;

/// Something in the picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// Nothing.
    #[default]
    Nothing,
    /// Something in one of the runtime's tracks.
    Item {
        /// Which track.
        track: RuntimeKey,
        /// Row of its table.
        item: usize,
    },
    /// A function on a stack.
    Slice {
        /// Whose.
        thread: ThreadId,
        /// Level.
        depth: u16,
        /// What.
        slice: SliceRow,
    },
    /// A span of a thread.
    Span {
        /// Whose.
        thread: ThreadId,
        /// Row of the frame's spans.
        item: usize,
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
    /// The row of the table of this track, if it is one of its `rows` rows.
    pub fn item_of(&self, wanted: RuntimeKey, rows: usize) -> Option<usize> {
        match *self {
            Target::Item { track, item } if track == wanted && item < rows => Some(item),
            _ => None,
        }
    }

    /// The track that it lies in.
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

/// What can be found.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The tracks.
    pub layout: &'a TrackLayout,
    /// What is known of the threads.
    pub frames: &'a LaneFrames,
    /// The runtime's tracks.
    pub runtime: &'a RuntimeTracks,
    /// The shown range.
    pub scale: TimeScale,
}

impl Scene<'_> {
    /// What lies at a position; `y` counts from the top of the first track.
    pub fn hit(&self, x: CssPx, y: CssPx) -> Target {
        let Some(track) = self.layout.at(y) else { return Target::Nothing };
        let found = self.content(track, 0, |content| content.hit(&self.scale, track.height, x, y - track.top));
        found.flatten().unwrap_or_default()
    }

    /// Does something with what a track shows; headings show nothing. `most_events` is what a full bar of a thread's
    /// graph stands for.
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

    /// Does something with the track that a target lies in.
    pub fn content_of<R>(&self, target: &Target, act: impl FnOnce(&dyn TrackContent) -> R) -> Option<R> {
        self.content(self.layout.find(target.track()?)?, 0, act)
    }

    /// The tooltip of what is under the pointer.
    pub fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        self.content_of(target, |content| content.tooltip(target, context)).flatten()
    }

    /// The time that something covers, if it lasts.
    pub fn span_of(&self, target: &Target) -> Option<Span> {
        let (start, end) = self.content_of(target, |content| content.bounds(target)).flatten()?;
        (end > start).then(|| Span::new(start, end))
    }

    /// What a click on something shows in the details drawer.
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

    /// Everything that a small timeline consists of.
    pub struct Small {
        /// One busy, expanded thread and one without samples.
        pub threads: Threads,
        /// Its tracks.
        pub layout: TrackLayout,
        /// What is known of the busy thread.
        pub frames: LaneFrames,
        /// Three collections.
        pub gcs: Arc<Gcs>,
        /// The collections, and one exception at 500.
        pub runtime: RuntimeTracks,
    }

    /// A small timeline from 0 to 1000.
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
        /// What its tooltips are written with.
        pub fn context(&self) -> TooltipContext<'_> {
            TooltipContext { threads: &self.threads, face: ClockFace::default() }
        }

        /// The scene at a width.
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
    fn the_thing_under_the_pointer_is_found_in_every_track() {
        let small = samples::small();
        let scene = small.scene(500.0);
        let thread = small.layout.find(TrackKey::Thread(ThreadId(1))).unwrap().top;
        assert_eq!(scene.hit(250.0, 30.0), gc(1));
        assert_eq!(scene.hit(420.0, 45.0), gc(2));
        assert_eq!(scene.hit(330.0, 30.0), Target::Nothing);
        assert_eq!(scene.hit(330.0, 60.0), gc(1), "the heap that it left");
        assert_eq!(scene.hit(254.0, 92.0), exception(0));
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
    fn exceptions_lie_above_the_strip() {
        let small = samples::small();
        let thread = small.layout.find(TrackKey::Thread(ThreadId(1))).unwrap().top;
        let Target::Marker { marker, .. } = small.scene(500.0).hit(252.0, thread + 3.0) else { panic!("a marker") };
        assert!(marker.exception);
    }

    #[test]
    fn what_lasts_can_be_zoomed_to() {
        let small = samples::small();
        let scene = small.scene(500.0);
        assert_eq!(scene.span_of(&gc(1)), Some(Span::new(400, 601)));
        assert_eq!(scene.span_of(&exception(0)), None);
    }
}
