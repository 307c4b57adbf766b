//! Interface of all kinds of tracks: height, drawing, hit testing, texts.
//!
//! Most tracks have intervals or values, so they need no implementation: [`super::table`] has their rows. The track of
//! a thread is [`super::thread::ThreadTrack`].

use crate::draw::drawlist::{CharacterWidths, DrawList};
use crate::draw::tooltip::{Tooltip, TooltipContext};
use crate::draw::units::CssPx;
use crate::format;
use crate::timeline::hit::Target;
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_choices::KindHeights;
use crate::timeline::track_key::RuntimeKey;
use crate::url::selection::GcLink;
use protocol::base::time::Span;

/// Selection elsewhere on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chosen {
    pub function: Option<u32>,
    pub gc: Option<GcLink>,
    pub event: Option<u32>,
}

/// Position of a track's picture, and data for drawing it.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Scale of the visible range.
    pub scale: &'a TimeScale,
    /// Top of the track in the pane, in pixels.
    pub top: CssPx,
    /// Height of the track.
    pub height: CssPx,
    /// Time range that can have data; no data is missing beyond it.
    pub limits: Span,
    /// Selection.
    pub chosen: Chosen,
    pub characters: CharacterWidths,
}

/// Subject of the details for an item of a track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Gc(GcLink),
    /// Event: [`protocol::base::ids::EventId`].
    Event(u32),
    /// Function: [`protocol::base::ids::FunctionId`].
    Function(u32),
    /// Thread: [`protocol::base::ids::ThreadId`].
    Thread(u32),
}

/// Content of a track. Targets are those from its own [`TrackContent::hit`].
pub trait TrackContent {
    /// Draws the content at the scale's resolution.
    fn paint(&self, list: &mut DrawList, place: &Place<'_>);
    /// Returns the item at a position of a track of a height; `y` is relative to its top.
    fn hit(&self, scale: &TimeScale, height: CssPx, x: CssPx, y: CssPx) -> Option<Target>;
    /// Returns the tooltip of an item.
    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip>;
    /// Returns the start and end of an item in nanoseconds, which are equal for items without duration. Ranges snap to
    /// them.
    fn bounds(&self, target: &Target) -> Option<(i64, i64)>;
    /// Returns top and height of an item in a track of a height, if the track has rows.
    fn row_of(&self, _target: &Target, _height: CssPx) -> Option<(CssPx, CssPx)> {
        None
    }
    /// Returns the subject that a click shows in the details.
    fn subject(&self, target: &Target) -> Option<Subject>;
    /// Returns all items for the track's table, in any order.
    fn targets(&self) -> Vec<Target>;
}

/// Text of a track header.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeadWords {
    pub name: String,
    /// Most important figures, in short form.
    pub figures: String,
}

impl HeadWords {
    /// Marks a count as a minimum, for traces that lost events: "≥1,670 · 1,253/s".
    pub fn at_least(mut self) -> Self {
        let first = self.figures.split(' ').next().unwrap_or("");
        if !first.is_empty() && first.chars().all(|one| one.is_ascii_digit() || one == ',') {
            self.figures.insert(0, '≥');
        }
        self
    }

    /// Returns the figures while a filter is set, of which only the count is known: "3 of 11".
    pub fn matching(&self, count: u64) -> String {
        let whole = self.figures.split(" · ").next().unwrap_or_default();
        format!("{} of {whole}", format::count(count))
    }
}

pub trait RuntimeTrack: TrackContent {
    /// Returns the identity.
    fn key(&self) -> RuntimeKey;
    /// Returns the height in pixels, collapsed if possible.
    fn height(&self) -> CssPx;
    /// Returns the height when expanded; `None` for a track that always shows everything.
    fn expanded_height(&self) -> Option<CssPx> {
        None
    }
    /// Returns whether the track shows a problem, and so is visible by default.
    fn is_urgent(&self) -> bool {
        false
    }
    /// Returns the text of the header; `whole` is the range that shares refer to.
    fn words(&self, whole: Span) -> HeadWords;
    /// Returns the figures of the header for a time range, if the track has all of its data.
    fn figures_in(&self, _span: Span) -> Option<String> {
        None
    }
    /// Returns the item of a subject, if it is in this track.
    fn find(&self, subject: Subject) -> Option<Target>;
    /// Returns the first item after `from`, or the last one before it.
    fn neighbor(&self, from: i64, later: bool) -> Option<Target>;
    /// Returns whether a new request would improve this range; never for a track whose data is complete.
    fn wants(&self, _visible: Span, _resolution: i64) -> bool {
        false
    }
}

/// Returns the heights of a track for the layout.
pub fn heights(track: &dyn RuntimeTrack) -> KindHeights {
    let (key, is_urgent) = (track.key(), track.is_urgent());
    KindHeights { key, collapsed: track.height(), expanded: track.expanded_height(), is_urgent }
}

/// Runtime tracks by process, in the order of their kinds.
#[derive(Default)]
pub struct RuntimeTracks {
    tracks: Vec<Box<dyn RuntimeTrack>>,
}

impl RuntimeTracks {
    /// Adds a track, and replaces one of the same kind and process.
    pub fn put(&mut self, track: Box<dyn RuntimeTrack>) {
        match self.tracks.binary_search_by_key(&track.key(), |present| present.key()) {
            Ok(at) => self.tracks[at] = track,
            Err(at) => self.tracks.insert(at, track),
        }
    }

    /// Returns the track of a kind and process.
    pub fn get(&self, key: RuntimeKey) -> Option<&dyn RuntimeTrack> {
        self.iter().find(|track| track.key() == key)
    }

    /// Returns all tracks.
    pub fn iter(&self) -> impl Iterator<Item = &dyn RuntimeTrack> {
        self.tracks.iter().map(AsRef::as_ref)
    }

    /// Returns the item of a subject, if it is in one of the tracks.
    pub fn find(&self, subject: Subject) -> Option<Target> {
        self.iter().find_map(|track| track.find(subject))
    }

    /// Returns the start of an item.
    pub fn moment_of(&self, target: &Target) -> Option<i64> {
        let Target::Item { track, .. } = target else { return None };
        Some(self.get(*track)?.bounds(target)?.0)
    }

    /// Returns the next notable item of any kind after `from`, or the last one before it.
    pub fn neighbor(&self, from: i64, later: bool) -> Option<Target> {
        let timed = |track: &dyn RuntimeTrack| {
            let target = track.neighbor(from, later)?;
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
    fn only_counts_are_marked_as_minimums() {
        let marked = |figures: &str| HeadWords { name: String::new(), figures: figures.to_owned() }.at_least().figures;
        assert_eq!(marked("1,670 · 1,253/s"), "≥1,670 · 1,253/s");
        assert_eq!(marked("66"), "≥66");
        for other in ["2–37 threads", "0–300 MB/s", "", "55.25–110.5 MB"] {
            assert_eq!(marked(other), other);
        }
    }

    #[test]
    fn head_of_filtered_track_has_matching_items_and_all() {
        let matching = |figures: &str| HeadWords { name: String::new(), figures: figures.to_owned() }.matching(3);
        assert_eq!(matching("11 · 39.1 ms paused · 0.4%"), "3 of 11");
        assert_eq!(matching("≥1,670"), "3 of ≥1,670");
    }

    #[test]
    fn step_leads_to_nearest_item_of_any_kind() {
        let small = small();
        let tracks = &small.runtime;
        let item = |track, item| Some(Target::Item { track, item });
        assert_eq!(tracks.neighbor(i64::MIN, true), item(COLLECTION, 0));
        assert_eq!(tracks.neighbor(405, true), item(EXCEPTION, 0));
        assert_eq!(tracks.neighbor(700, true), None);
        assert_eq!(tracks.neighbor(700, false), item(EXCEPTION, 0));
        assert_eq!(tracks.neighbor(100, false), None);
        assert_eq!(RuntimeTracks::default().neighbor(0, true), None);
    }

    #[test]
    fn selected_subject_is_found_in_track() {
        let small = small();
        let gc = |process| Subject::Gc(GcLink { process, number: 41 });
        assert_eq!(small.runtime.find(gc(0)), Some(Target::Item { track: COLLECTION, item: 2 }));
        assert_eq!(small.runtime.find(gc(7)), None);
        assert_eq!(small.runtime.find(Subject::Event(100)), Some(Target::Item { track: EXCEPTION, item: 0 }));
        assert_eq!(small.runtime.find(Subject::Event(1)), None);
    }
}
