//! What the user chose about the timeline and the address keeps: tracks, clock, bookmarks.

use super::App;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::events::connections::Link;
use std::sync::Arc;
use view::timeline::clock::{Clock, ClockFace};
use view::timeline::evidence::Evidence;
use view::timeline::saved_range::SavedRange;
use view::url::tracks::TrackChoice;

/// What the user chose about the timeline. Copies are handles to the same.
#[derive(Clone, Copy, Default)]
pub struct TimelineChoices {
    /// Which tracks are open, pinned, hidden, moved, and how threads are sorted.
    pub tracks: RwSignal<Vec<TrackChoice>>,
    /// How moments are written.
    pub clock: RwSignal<Clock>,
    /// Ranges that were kept.
    pub saved_ranges: RwSignal<Vec<SavedRange>>,
    /// The list of all tracks by name is open.
    pub finder: RwSignal<bool>,
    /// Where the selected event stands among those that match the filter, from 1, and how many these are.
    pub place: RwSignal<Option<(u64, u64)>>,
    /// Raised to go to the next event that matches; true for later.
    pub walk: RwSignal<(u32, bool)>,
    /// The link that is to be followed.
    pub along: RwSignal<Option<Arc<Link>>>,
    /// What the finding that was shown last is about.
    pub evidence: RwSignal<Evidence>,
}

impl TimelineChoices {
    /// Another trace is opened: its tracks and ranges are others.
    pub fn forget(self) {
        self.tracks.set(Vec::new());
        self.saved_ranges.set(Vec::new());
        self.along.set(None);
        self.evidence.set(Evidence::default());
    }
}

impl App {
    /// How moments of the open trace are written everywhere on the page. Whoever asks follows the choice.
    pub fn face(self) -> ClockFace {
        let clock = self.timeline.clock.get();
        let start_unix_ms = self.trace.with(|trace| trace.as_ref().map_or(0.0, |trace| trace.start_unix_ms));
        let local_ahead_minutes = match clock {
            Clock::Local => -(js_sys::Date::new(&start_unix_ms.into()).get_timezone_offset() as i32),
            Clock::Relative | Clock::Utc => 0,
        };
        ClockFace { clock, start_unix_ms, local_ahead_minutes }
    }

    /// Makes the timeline show a span with some room around it.
    pub fn show_on_timeline(self, span: Span) {
        let room = span.duration().max(1_000_000) / 4;
        self.visible.set(Span::new(span.start.0.saturating_sub(room), span.end.0.saturating_add(room)));
        if self.timeline.evidence.with_untracked(|evidence| *evidence != Evidence::default()) {
            self.timeline.evidence.set(Evidence::default());
        }
    }

    /// The same, and outlines what a finding is about: its times on each of its threads, which come into view.
    pub fn show_evidence(self, span: Span, threads: Vec<ThreadId>, times: Vec<Span>) {
        self.show_on_timeline(span);
        self.timeline.evidence.set(Evidence { threads, times });
    }
}
