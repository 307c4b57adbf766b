//! Choices about the timeline that are part of the URL: tracks, clock, saved ranges.

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

/// Choices about the timeline. Copies are handles to the same state.
#[derive(Clone, Copy, Default)]
pub struct TimelineChoices {
    /// Expanded, pinned, hidden and moved tracks, and the order of threads.
    pub tracks: RwSignal<Vec<TrackChoice>>,
    /// Format of times.
    pub clock: RwSignal<Clock>,
    /// Saved ranges.
    pub saved_ranges: RwSignal<Vec<SavedRange>>,
    /// True if the list of tracks is open.
    pub finder: RwSignal<bool>,
    /// Position of the selected event among the matching ones, from 1, and their number.
    pub place: RwSignal<Option<(u64, u64)>>,
    /// Request to go to the next matching event, with a counter; true for later.
    pub walk: RwSignal<(u32, bool)>,
    /// Link to follow.
    pub along: RwSignal<Option<Arc<Link>>>,
    /// Evidence of the finding that was shown last.
    pub evidence: RwSignal<Evidence>,
}

impl TimelineChoices {
    /// Resets the choices for another trace.
    pub fn forget(self) {
        self.tracks.set(Vec::new());
        self.saved_ranges.set(Vec::new());
        self.along.set(None);
        self.evidence.set(Evidence::default());
    }
}

impl App {
    /// Returns the format of times for the open trace; tracks the choice.
    pub fn face(self) -> ClockFace {
        let clock = self.timeline.clock.get();
        let start_unix_ms = self.trace.with(|trace| trace.as_ref().map_or(0.0, |trace| trace.start_unix_ms));
        let local_ahead_minutes = match clock {
            Clock::Local => -(js_sys::Date::new(&start_unix_ms.into()).get_timezone_offset() as i32),
            Clock::Relative | Clock::Utc => 0,
        };
        ClockFace { clock, start_unix_ms, local_ahead_minutes }
    }

    /// Shows a time range on the timeline with a margin.
    pub fn show_on_timeline(self, span: Span) {
        let room = span.duration().max(1_000_000) / 4;
        self.visible.set(Span::new(span.start.0.saturating_sub(room), span.end.0.saturating_add(room)));
        if self.timeline.evidence.with_untracked(|evidence| *evidence != Evidence::default()) {
            self.timeline.evidence.set(Evidence::default());
        }
    }

    /// Shows a time range on the timeline with a margin, scrolls to the threads of a finding, and outlines its times.
    pub fn show_evidence(self, span: Span, threads: Vec<ThreadId>, times: Vec<Span>) {
        self.show_on_timeline(span);
        self.timeline.evidence.set(Evidence { threads, times });
    }
}
