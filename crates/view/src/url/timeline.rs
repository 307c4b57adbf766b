//! State of the timeline in a URL.

use super::part::{self, UrlPart};
use super::tracks::TrackChoice;
use crate::notes::MAX_NOTES;
use crate::timeline::clock::Clock;
use crate::timeline::saved_range::SavedRange;
use protocol::base::time::Span;

/// Visible range; `None` for the whole trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VisibleRange(pub Option<Span>);

impl UrlPart for VisibleRange {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        if let Some(span) = self.0 {
            push("t0", &span.start.0.to_string());
            push("t1", &span.end.0.to_string());
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "t0" | "t1" => part::decode_bound(&mut self.0, key == "t1", value),
            _ => return false,
        }
        true
    }

    fn finish(&mut self) {
        self.0 = part::completed(self.0);
    }

    fn fit(&mut self, whole: Span) {
        self.0 = part::fitted(self.0, whole);
    }

    fn is_step_from(&self, _before: &Self) -> bool {
        false
    }
}

/// Choices about the timeline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimelineView {
    /// Choices about the tracks.
    pub tracks: Vec<TrackChoice>,
    /// Format of times.
    pub clock: Clock,
    pub saved_ranges: Vec<SavedRange>,
}

impl UrlPart for TimelineView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        self.tracks.iter().for_each(|choice| push("tk", &choice.encode()));
        match self.clock {
            Clock::Relative => {}
            Clock::Utc => push("clock", "utc"),
            Clock::Local => push("clock", "local"),
        }
        self.saved_ranges.iter().for_each(|saved_range| push("b", &saved_range.encode()));
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match (key, value) {
            ("tk", _) => self.tracks.extend(TrackChoice::decode(value)),
            ("clock", "utc") => self.clock = Clock::Utc,
            ("clock", "local") => self.clock = Clock::Local,
            ("clock", _) => {}
            ("b", _) if self.saved_ranges.len() < MAX_NOTES => self.saved_ranges.extend(SavedRange::decode(value)),
            ("b", _) => {}
            _ => return false,
        }
        true
    }

    fn fit(&mut self, whole: Span) {
        self.saved_ranges.retain(|saved_range| saved_range.span.intersect(whole) == Some(saved_range.span));
    }

    fn is_step_from(&self, before: &Self) -> bool {
        self.saved_ranges != before.saved_ranges
    }
}
