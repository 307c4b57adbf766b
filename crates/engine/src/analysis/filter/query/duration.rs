//! Durations of the intervals that events start or stop.

use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::interval_set::{Interval, NO_EVENT};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::timeline::track::TrackKind;

/// Events that start or stop an interval, with its nanoseconds.
#[derive(Debug, Default)]
pub struct EventDurations {
    /// By row.
    rows: Vec<(u32, i64)>,
}

impl EventDurations {
    /// Collects the durations of spans, compilations, waits and GCs. Intervals without a start or stop in the trace
    /// have no duration.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
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

    /// Returns the rows for whose durations `holds` is true, in order, without duplicates.
    pub fn rows_where(&self, holds: impl Fn(i64) -> bool) -> Vec<u32> {
        let mut rows: Vec<u32> = self.rows.iter().filter(|(_, nanos)| holds(*nanos)).map(|(row, _)| *row).collect();
        rows.dedup();
        rows
    }

    /// Returns the nanoseconds of the interval that an event starts or stops; the longest if there are several.
    pub fn of_row(&self, row: u32) -> Option<i64> {
        let behind = self.rows.partition_point(|(at, _)| *at <= row);
        self.rows.get(..behind)?.last().filter(|(at, _)| *at == row).map(|(_, nanos)| *nanos)
    }

    /// Returns the maximum number of events that start or stop an interval. An event that does both may count twice.
    pub fn events(&self) -> usize {
        self.rows.len()
    }

    /// Returns the memory use in bytes.
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
