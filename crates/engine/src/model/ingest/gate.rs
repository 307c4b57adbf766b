//! Decides which events become rows, so that a trace of any size fits into memory.

use crate::model::file::totals::Totals;
use protocol::base::indexed_part::{Indexed, Window};
use protocol::base::time::{Clock, Span};

/// Number of rows that may still arrive before the end of a full window. More than any region has.
const STRAGGLERS: u64 = 1 << 20;

/// Admits rows until a limit is reached, and then ends the window at the time that they cover.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    window: Window,
    first_ticks: i64,
    /// Exclusive.
    end_ticks: i64,
    most_rows: u64,
    is_full: bool,
    /// Totals of the events without rows.
    pub unindexed: Totals,
}

impl Gate {
    /// Creates a gate for the events of a window, at most about `most_rows`.
    pub fn new(window: Window, most_rows: u64, clock: Clock) -> Self {
        let (first_ticks, end_ticks) = window.span.map_or((i64::MIN, i64::MAX), |span| {
            (clock.ticks_at_or_after(span.start), clock.ticks_at_or_after(span.end))
        });
        Self { window, first_ticks, end_ticks, most_rows, is_full: false, unindexed: Totals::default() }
    }

    /// Returns whether events of this time become rows.
    #[inline]
    pub fn admits(&self, ticks: i64) -> bool {
        ticks >= self.first_ticks && ticks < self.end_ticks
    }

    /// Returns whether all events become rows, so far.
    pub fn is_open(&self) -> bool {
        (self.first_ticks, self.end_ticks) == (i64::MIN, i64::MAX) && self.window.providers.is_empty()
    }

    /// Returns whether the window stays open with this number of rows.
    pub fn has_room(&self, rows: u64) -> bool {
        rows < self.most_rows
    }

    /// Ends the window after the latest event so far, once there are enough rows. Earlier events that come later in the
    /// file are still admitted.
    pub fn close_when_full(&mut self, rows: u64, latest_ticks: i64) {
        if rows < self.most_rows {
            return;
        }
        if !self.is_full {
            self.is_full = true;
            self.close_at(latest_ticks.saturating_add(1));
        } else if rows - self.most_rows > STRAGGLERS.max(self.most_rows / 4) {
            // A damaged timestamp far in the future would keep the window open.
            self.close_at(self.first_ticks);
        }
    }

    /// Ends the window at these ticks.
    pub fn close_at(&mut self, ticks: i64) {
        self.end_ticks = self.end_ticks.min(ticks);
    }

    /// Returns the totals of the events without rows, and the gate if there are any.
    pub fn finish(mut self) -> (Totals, Option<Self>) {
        let unindexed = std::mem::take(&mut self.unindexed);
        let is_part = unindexed.events() > 0;
        (unindexed, is_part.then_some(self))
    }

    /// Returns the indexed part with its number of rows, of a trace with events in `full`.
    pub fn indexed(self, full: Span, clock: Clock, rows: u64) -> Indexed {
        let start = if self.first_ticks == i64::MIN { full.start } else { clock.nanos(self.first_ticks) };
        let end = if self.end_ticks == i64::MAX { full.end } else { clock.nanos(self.end_ticks) };
        let start = start.clamp(full.start, full.end);
        let span = Span { start, end: end.clamp(start, full.end) };
        Indexed { span, providers: self.window.providers, rows }
    }
}
