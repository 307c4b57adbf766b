//! State of the timeline that other panels use: visible range, tracks, clock, saved ranges.

use crate::app::signals::SetChanged;
use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, PageState, page_state};
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::events::connections::Link;
use std::sync::Arc;
use view::draw::units::CssPx;
use view::timeline::clock::{Clock, ClockFace};
use view::timeline::evidence::Evidence;
use view::timeline::saved_range::SavedRange;
use view::timeline::timescale::TimeScale;
use view::url::timeline::{TimelineView, VisibleRange};
use view::url::tracks::TrackChoice;

page_state! {
    /// Choices about the timeline.
    TimelineChoices: TimelineView {
        /// Expanded, pinned, hidden and moved tracks, and the order of threads.
        tracks: Vec<TrackChoice>,
        /// Format of times.
        clock: Clock => kept,
        saved_ranges: Vec<SavedRange>,
    } {
        /// True if the list of tracks is open.
        finder: bool,
        /// Position of the selected event among the matching ones, from 1, and their number.
        place: Option<(u64, u64)>,
        /// Request to go to the next matching event, with a counter; true for later.
        walk: (u32, bool) => kept,
        /// Link to follow.
        along: Option<Arc<Link>>,
        /// Evidence of the finding that was shown last.
        evidence: Evidence,
        /// Time under the pointer, on the timeline or a chart.
        crosshair: Option<i64>,
        /// Left edge of the lanes in the window, and their visible range.
        lanes: Option<(CssPx, TimeScale)>,
    }
}

impl PageState for RwSignal<Span> {
    fn reset(self) {
        self.set(Span::default());
    }
}

impl LinkedState for RwSignal<Span> {
    type Link = VisibleRange;

    fn to_url(self, app: App) -> VisibleRange {
        let (visible, whole) = (self.get(), app.whole_span());
        VisibleRange((Some(visible) != whole && visible.duration() > 0).then_some(visible))
    }

    fn apply_url(self, app: App, link: VisibleRange) {
        if let Some(visible) = link.0.or_else(|| app.whole_span()) {
            self.set(visible);
        }
    }
}

impl App {
    /// Returns the time range of the open trace.
    pub fn whole_span(self) -> Option<Span> {
        self.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span))
    }

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

    /// Returns the part of a time range within the open traces; the whole range if no part of it is.
    fn within_traces(self, span: Span) -> Span {
        let whole = self.whole_span().map(|own| self.traces.whole_in(self, own));
        whole.and_then(|whole| whole.intersect(span)).unwrap_or(span)
    }

    /// Shows a time range on the timeline with a margin.
    pub fn show_on_timeline(self, span: Span) {
        let room = span.duration().max(1_000_000) / 4;
        let around = Span::new(span.start.0.saturating_sub(room), span.end.0.saturating_add(room));
        self.visible.set(self.within_traces(around));
        self.timeline.evidence.set_changed(Evidence::default());
    }

    /// Shows a time range on the timeline with a margin, scrolls to the threads of a finding, and outlines its times.
    pub fn show_evidence(self, span: Span, threads: Vec<ThreadId>, times: Vec<Span>) {
        self.show_on_timeline(span);
        let times = times.into_iter().map(|time| self.within_traces(time)).collect();
        self.timeline.evidence.set(Evidence { threads, times });
    }
}
