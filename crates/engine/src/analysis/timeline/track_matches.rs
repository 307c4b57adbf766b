//! Parts of tracks that match a filter, by pixel, so that the rest can be dimmed.

use crate::analysis::intervals::interval_set::{Interval, IntervalSet};
use crate::analysis::samples::index::is_sample;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::scan::selection::Selection;
use crate::clr::KnownEvent;
use crate::model::Store;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::time::Span;
use protocol::tables::{self, match_bit};
use protocol::timeline::track::TrackKind;

/// Maximum number of buckets; more aren't visible on any screen.
const MAX_BUCKETS: u32 = 8_192;

/// Equal parts of a time range.
#[derive(Clone, Copy, Debug)]
pub struct Buckets {
    span: Span,
    nanos: f64,
    count: usize,
}

impl Buckets {
    /// Divides a time range.
    pub fn new(span: Span, count: u32) -> Self {
        let count = count.clamp(1, MAX_BUCKETS) as usize;
        Self { span, nanos: (span.duration().max(1) as f64) / count as f64, count }
    }

    /// Returns a row in which nothing matches.
    pub fn row(self) -> Vec<u8> {
        vec![0; self.count]
    }

    fn position(self, at: i64) -> f64 {
        at.saturating_sub(self.span.start.0) as f64 / self.nanos
    }

    /// Calls `visit` with the buckets of a time range, and the part of each that it covers.
    fn each(self, start: i64, end: i64, mut visit: impl FnMut(usize, f32)) {
        if end < self.span.start.0 || start >= self.span.end.0 {
            return;
        }
        let (from, until) = (self.position(start).max(0.0), self.position(end).min(self.count as f64));
        let first = from as usize;
        // Even the shortest range is in one bucket.
        let end = (until.ceil() as usize).clamp(first + 1, self.count.max(first + 1));
        for bucket in first..end.min(self.count) {
            let part = until.min((bucket + 1) as f64) - from.max(bucket as f64);
            visit(bucket, part.max(0.0) as f32);
        }
    }

    /// Marks a time range in a row.
    pub fn mark(self, row: &mut [u8], (start, end): (i64, i64), bit: u8) {
        self.each(start, end, |bucket, _| row[bucket] |= bit);
    }

    /// Returns a table of rows.
    pub fn table(self, rows: Vec<Vec<u8>>) -> tables::TrackMatches {
        tables::TrackMatches {
            bounds: vec![self.span.start.0, self.span.end.0],
            buckets: vec![self.count as u32],
            matched: rows.concat(),
        }
    }
}

/// Sets the share of the time of a thread's samples that matches.
pub fn mark_samples(row: &mut [u8], buckets: Buckets, samples: &ThreadSamples, selection: &Selection) {
    let inside = samples.inside(buckets.span);
    // The sample before the range may last until then.
    let first = inside.start.saturating_sub(1);
    let (mut known, mut matching) = (vec![0f32; row.len()], vec![0f32; row.len()]);
    for index in first..inside.end {
        let start = samples.time(index);
        let is_match = selection.contains(samples.event(index).index());
        buckets.each(start, start.saturating_add(samples.weight(index).max(1)), |bucket, part| {
            let part = part.max(f32::EPSILON);
            known[bucket] += part;
            matching[bucket] += if is_match { part } else { 0.0 };
        });
    }
    let most = f32::from(match_bit::SHARE);
    for (bits, (known, matching)) in row.iter_mut().zip(known.iter().zip(&matching)) {
        if *matching > 0.0 {
            *bits |= (matching / known * most).round().clamp(1.0, most) as u8;
        }
    }
}

/// Marks the matching intervals for which `counts` is true.
pub fn mark_intervals(
    row: &mut [u8],
    buckets: Buckets,
    set: &IntervalSet,
    bit: u8,
    counts: impl Fn(&Interval) -> bool,
) {
    for one in set.intervals() {
        if one.start >= buckets.span.end.0 {
            break;
        }
        if one.end >= buckets.span.start.0 && counts(one) {
            buckets.mark(row, (one.start, one.end), bit);
        }
    }
}

/// Marks matching events besides samples in the rows of their threads; matching exceptions also in the rows of tracks of
/// exceptions, which `exceptions` names by process. Rows of threads come first.
pub fn mark_events(
    rows: &mut [Vec<u8>],
    buckets: Buckets,
    store: &Store,
    selection: &Selection,
    threads: &[ThreadId],
    exceptions: &[(usize, u32)],
) {
    let mut row_of = vec![usize::MAX; store.threads.len()];
    for (row, thread) in threads.iter().enumerate() {
        if let Some(entry) = row_of.get_mut(thread.index()) {
            *entry = row;
        }
    }
    let (mut is_event, mut is_exception) = (Vec::new(), Vec::new());
    for event_type in store.types.iter() {
        is_event.push(!is_sample(event_type) && event_type.known != KnownEvent::ContextSwitch);
        is_exception.push(event_type.known == KnownEvent::ExceptionThrown);
    }
    let is = |of: &[bool], id: usize| of.get(id).copied().unwrap_or(false);
    let (clock, rows_inside) = (store.clock, store.events.range(store.clock, buckets.span));
    let mut next = selection.next_at(rows_inside.start);
    while let Some(row) = next.filter(|row| *row < rows_inside.end) {
        next = selection.next_at(row + 1);
        let event = store.events.row(EventId(row as u32));
        let id = event.event_type.index();
        if !is(&is_event, id) {
            continue;
        }
        let at = clock.nanos(event.ticks).0;
        if let Some(row) = row_of.get(event.thread.index()).and_then(|row| rows.get_mut(*row)) {
            buckets.mark(row, (at, at), match_bit::EVENT);
        }
        if is(&is_exception, id) {
            let process = store.threads.get(event.thread).map_or(0, |thread| store.os_process_of(thread));
            for (row, of) in exceptions {
                if let Some(row) = rows.get_mut(*row).filter(|_| *of == 0 || *of == process) {
                    buckets.mark(row, (at, at), match_bit::EVENT);
                }
            }
        }
    }
}

/// Returns the tracks of exceptions among requested ones, as positions of their rows with their processes.
pub fn exception_rows(threads: usize, tracks: &[(u32, TrackKind)]) -> Vec<(usize, u32)> {
    let rows = (threads..).zip(tracks).filter(|(_, (_, kind))| *kind == TrackKind::Exceptions);
    rows.map(|(row, (process, _))| (row, *process)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::interval_set::samples::intervals;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::testing::{What, store_of};

    /// Returns the selection of the events at these times.
    fn at(store: &Store, times: &[i64]) -> Selection {
        let mut builder = crate::analysis::scan::selection::SelectionBuilder::new(store.events.len());
        for row in 0..store.events.len() {
            let event = store.events.row(EventId(row as u32));
            if times.contains(&store.clock.nanos(event.ticks).0) && event.thread.0 > 0 {
                builder.insert(row);
            }
        }
        builder.finish()
    }

    #[test]
    fn share_of_matching_samples_is_by_time() {
        let sample = |time| (time, 5, What::Sample(true, vec![1]));
        let (store, _) = store_of(&[sample(0), sample(10), sample(20), sample(30), sample(40)]);
        let samples = SampleIndex::build(&store).expect("memory");
        let thread = store.threads.iter().find(|thread| thread.os_thread == 5).expect("a thread").id;
        let row = |times: &[i64], span, count| {
            let buckets = Buckets::new(span, count);
            let mut row = buckets.row();
            mark_samples(&mut row, buckets, samples.thread(thread), &at(&store, times));
            row
        };
        assert_eq!(row(&[10, 30], Span::new(0, 40), 4), [0, 63, 0, 63]);
        assert_eq!(row(&[10, 30], Span::new(0, 40), 2), [32, 32], "half of each");
        assert_eq!(row(&[10], Span::new(12, 28), 2), [63, 0], "began before the range");
        assert_eq!(row(&[], Span::new(0, 40), 2), [0, 0]);
    }

    #[test]
    fn events_and_intervals_are_marked_where_they_are() {
        let order = |time, thread| (time, thread, What::Order("a", 1));
        let (store, _) = store_of(&[order(5, 5), (15, 5, What::Throw("no")), order(25, 6)]);
        let thread = |id| store.threads.iter().find(|one| one.os_thread == id).expect("a thread").id;
        let buckets = Buckets::new(Span::new(0, 40), 4);
        let mut rows = vec![buckets.row(), buckets.row(), buckets.row()];
        let exceptions = exception_rows(2, &[(0, TrackKind::Exceptions), (0, TrackKind::Jit)]);
        let threads = [thread(5), thread(6)];
        mark_events(&mut rows, buckets, &store, &at(&store, &[5, 15, 25]), &threads, &exceptions);
        let event = match_bit::EVENT;
        assert_eq!(rows, [vec![event, event, 0, 0], vec![0, 0, event, 0], vec![0, event, 0, 0]]);
        let mut row = buckets.row();
        let set = intervals(&[(-5, 3, 0), (12, 29, 0), (30, 39, 0)]);
        mark_intervals(&mut row, buckets, &set, match_bit::SPAN, |one| one.event != EventId(2));
        let span = match_bit::SPAN;
        assert_eq!(row, [span, span, span, 0]);
    }
}
