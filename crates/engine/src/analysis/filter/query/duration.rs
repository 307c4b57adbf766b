//! How long what begins or ends with an event lasts.

use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::interval_set::{Interval, NO_EVENT};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::timeline::track::TrackKind;

/// Events that begin or end something, with the nanoseconds that it lasts.
#[derive(Debug, Default)]
pub struct EventDurations {
    /// By row.
    rows: Vec<(u32, i64)>,
}

impl EventDurations {
    /// Of spans, compilations, waits and collections. What has no beginning or no end in the trace has no duration.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn new(
        store: &Store,
        source: &dyn ByteSource,
        spans: &SpanIndex,
        tracks: &mut TrackIndex,
        gcs: &[Gc],
    ) -> Result<Self, SourceError> {
        let mut rows = Vec::new();
        spans.spans().iter().for_each(|span| add(&mut rows, &span.interval));
        for kind in [TrackKind::Jit, TrackKind::Tiering, TrackKind::Contention] {
            tracks.intervals(store, source, kind)?.intervals().iter().for_each(|interval| add(&mut rows, interval));
        }
        tracks.handle_waits(store, source)?.intervals().iter().for_each(|interval| add(&mut rows, interval));
        let whole = gcs.iter().filter_map(|one| Some((one.event, one.end?.saturating_sub(one.start))));
        rows.extend(whole);
        rows.sort_unstable();
        Ok(Self { rows })
    }

    /// The rows for whose durations `holds`, in order, each once.
    pub fn rows_where(&self, holds: impl Fn(i64) -> bool) -> Vec<u32> {
        let mut rows: Vec<u32> = self.rows.iter().filter(|(_, nanos)| holds(*nanos)).map(|(row, _)| *row).collect();
        rows.dedup();
        rows
    }

    /// How long what an event begins or ends lasts, nanoseconds; of several the longest.
    pub fn of_row(&self, row: u32) -> Option<i64> {
        let behind = self.rows.partition_point(|(at, _)| *at <= row);
        self.rows.get(..behind)?.last().filter(|(at, _)| *at == row).map(|(_, nanos)| *nanos)
    }

    /// Returns the number of events that begin or end something, at most: one that does both may count twice.
    pub fn events(&self) -> usize {
        self.rows.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }
}

fn add(rows: &mut Vec<(u32, i64)>, interval: &Interval) {
    if interval.is_whole() {
        let events = [interval.event, interval.last_event].into_iter().filter(|event| *event != NO_EVENT);
        rows.extend(events.map(|event| (event.0, interval.duration())));
    }
}
