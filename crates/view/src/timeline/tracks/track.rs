//! What every kind of track does: how high it is, what it draws, what is found in it and what is said about that.
//!
//! A new kind of the runtime's tracks is a variant of [`protocol::timeline::track::TrackKind`], by which it is asked for and
//! linked, a file that implements [`TrackContent`] and [`RuntimeTrack`], and a line where its data arrives. A thread's track is [`super::thread::ThreadTrack`].

use crate::draw::drawlist::{CharacterWidths, DrawList};
use crate::draw::tooltip::{Tooltip, TooltipContext};
use crate::draw::units::CssPx;
use crate::timeline::hit::Target;
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_choices::KindHeights;
use crate::timeline::track_key::RuntimeKey;
use crate::url::selection::GcLink;
use protocol::base::time::Span;

/// What is chosen elsewhere on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chosen {
    /// A function.
    pub function: Option<u32>,
    /// A collection.
    pub gc: Option<GcLink>,
    /// An event.
    pub event: Option<u32>,
}

/// Where a track's picture lies and what it is drawn with.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The shown range.
    pub scale: &'a TimeScale,
    /// Top of the track in the pane, in pixels.
    pub top: CssPx,
    /// Height of the track.
    pub height: CssPx,
    /// What can have data; beyond it nothing is missing.
    pub limits: Span,
    /// What is chosen.
    pub chosen: Chosen,
    /// Widths of characters.
    pub characters: CharacterWidths,
}

/// What the details drawer shows of something in a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A collection.
    Gc(GcLink),
    /// An event: [`protocol::base::ids::EventId`].
    Event(u32),
    /// A function: [`protocol::base::ids::FunctionId`].
    Function(u32),
    /// A thread: [`protocol::base::ids::ThreadId`].
    Thread(u32),
}

/// The picture of a track and what can be found in it. Targets are those that its own [`TrackContent::hit`] gives.
pub trait TrackContent {
    /// Draws what there is at the scale's resolution.
    fn paint(&self, list: &mut DrawList, place: &Place<'_>);
    /// What lies at a position of a track so high; `y` counts from its top.
    fn hit(&self, scale: &TimeScale, height: CssPx, x: CssPx, y: CssPx) -> Option<Target>;
    /// What a tooltip says.
    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip>;
    /// First and last moment of a target, nanoseconds; equal for what does not last. Ranges snap to them.
    fn bounds(&self, target: &Target) -> Option<(i64, i64)>;
    /// What a click shows in the details drawer.
    fn subject(&self, target: &Target) -> Option<Subject>;
    /// Everything that it draws, for its table; in any order.
    fn targets(&self) -> Vec<Target>;
}

/// What the head of a track says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeadWords {
    /// Name.
    pub name: String,
    /// The figures that matter, short.
    pub figures: String,
}

/// One of the runtime's tracks.
pub trait RuntimeTrack: TrackContent {
    /// Which one it is.
    fn key(&self) -> RuntimeKey;
    /// Height in pixels, collapsed if it can be.
    fn height(&self) -> CssPx;
    /// Height when everything is shown; none for a track that always shows everything.
    fn expanded_height(&self) -> Option<CssPx> {
        None
    }
    /// Whether it shows a problem, so that it is visible at first whatever room there is.
    fn is_urgent(&self) -> bool {
        false
    }
    /// What its head says; `whole` is the range that figures are shares of.
    fn words(&self, whole: Span) -> HeadWords;
    /// The thing that the drawer shows, if it is in this track.
    fn find(&self, subject: Subject) -> Option<Target>;
    /// The first thing that begins after `from`, or the last that begins before it.
    fn neighbour(&self, from: i64, later: bool) -> Option<Target>;
    /// Whether a new question would show more of this range; never for a track that has everything from the start.
    fn wants(&self, _visible: Span, _resolution: i64) -> bool {
        false
    }
}

/// What the layout needs to know of a track.
pub fn heights(track: &dyn RuntimeTrack) -> KindHeights {
    let (key, is_urgent) = (track.key(), track.is_urgent());
    KindHeights { key, collapsed: track.height(), expanded: track.expanded_height(), is_urgent }
}

/// The runtime's tracks, by process in the order of their kinds.
#[derive(Default)]
pub struct RuntimeTracks {
    tracks: Vec<Box<dyn RuntimeTrack>>,
}

impl RuntimeTracks {
    /// Adds a track; it takes the place of one of the same kind and process.
    pub fn put(&mut self, track: Box<dyn RuntimeTrack>) {
        match self.tracks.binary_search_by_key(&track.key(), |present| present.key()) {
            Ok(at) => self.tracks[at] = track,
            Err(at) => self.tracks.insert(at, track),
        }
    }

    /// The track of a kind and process.
    pub fn get(&self, key: RuntimeKey) -> Option<&dyn RuntimeTrack> {
        self.iter().find(|track| track.key() == key)
    }

    /// All tracks.
    pub fn iter(&self) -> impl Iterator<Item = &dyn RuntimeTrack> {
        self.tracks.iter().map(AsRef::as_ref)
    }

    /// The thing that the drawer shows, if one of the tracks has it.
    pub fn find(&self, subject: Subject) -> Option<Target> {
        self.iter().find_map(|track| track.find(subject))
    }

    /// When a thing begins.
    pub fn moment_of(&self, target: &Target) -> Option<i64> {
        let Target::Item { track, .. } = target else { return None };
        Some(self.get(*track)?.bounds(target)?.0)
    }

    /// The next notable thing after `from`, or the last before it, whatever its kind.
    pub fn neighbour(&self, from: i64, later: bool) -> Option<Target> {
        let timed = |track: &dyn RuntimeTrack| {
            let target = track.neighbour(from, later)?;
            Some((track.bounds(&target)?.0, target))
        };
        let found = self.iter().filter_map(timed);
        let nearest = if later { found.min_by_key(|found| found.0) } else { found.max_by_key(|found| found.0) };
        nearest.map(|found| found.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::hit::samples::small;
    use protocol::timeline::track::TrackKind;

    const COLLECTION: RuntimeKey = RuntimeKey { process: 0, kind: TrackKind::Gc };
    const EXCEPTION: RuntimeKey = RuntimeKey { process: 0, kind: TrackKind::Exceptions };

    #[test]
    fn one_step_leads_to_the_neighbour_in_time_whatever_its_kind() {
        let small = small();
        let tracks = &small.runtime;
        let item = |track, item| Some(Target::Item { track, item });
        assert_eq!(tracks.neighbour(i64::MIN, true), item(COLLECTION, 0));
        assert_eq!(tracks.neighbour(405, true), item(EXCEPTION, 0));
        assert_eq!(tracks.neighbour(700, true), None);
        assert_eq!(tracks.neighbour(700, false), item(EXCEPTION, 0));
        assert_eq!(tracks.neighbour(100, false), None);
        assert_eq!(RuntimeTracks::default().neighbour(0, true), None);
    }

    #[test]
    fn what_is_shown_in_the_drawer_is_found_in_its_track() {
        let small = small();
        let gc = |process| Subject::Gc(GcLink { process, number: 41 });
        assert_eq!(small.runtime.find(gc(0)), Some(Target::Item { track: COLLECTION, item: 2 }));
        assert_eq!(small.runtime.find(gc(7)), None);
        assert_eq!(small.runtime.find(Subject::Event(100)), Some(Target::Item { track: EXCEPTION, item: 0 }));
        assert_eq!(small.runtime.find(Subject::Event(1)), None);
    }
}
