//! Parts of tracks that match a filter, by pixel, so that the rest can be dimmed.

use super::event_ticks::Kind;
use crate::analysis::intervals::interval_set::{Interval, IntervalSet};
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::selection::Selection;
use crate::model::{CHUNK_ROWS, EventChunk, Store};
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::tables::{self, match_bit};
use protocol::timeline::track::TrackKind;
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of buckets; more aren't visible on any screen.
const MAX_BUCKETS: u32 = 8_192;

/// Chunks of events that are looked at per step: about 260,000 events.
const CHUNKS: usize = 4;

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

    /// Returns the bucket of a time in the range.
    fn at(self, time: i64) -> usize {
        (self.position(time) as usize).min(self.count - 1)
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

/// Marks the spans of a thread whose start event matches. Of a span whose end isn't in the trace, only the start: the
/// thread does other work later.
pub fn mark_spans(row: &mut [u8], buckets: Buckets, set: &IntervalSet, selection: &Selection) {
    let begun = set.intervals().iter().take_while(|one| one.start < buckets.span.end.0);
    for one in begun.filter(|one| selection.contains(one.event.index())) {
        if one.last_known() >= buckets.span.start.0 {
            buckets.mark(row, (one.start, one.last_known()), match_bit::SPAN);
        }
    }
}

/// Marks matching events besides samples in the rows of their threads, and matching exceptions also in those of tracks of
/// exceptions, in steps.
pub struct EventMarks {
    buckets: Buckets,
    /// Rows of threads, then of tracks.
    rows: Vec<Vec<u8>>,
    /// By thread: position of its row.
    row_of: Vec<usize>,
    /// Rows of tracks of exceptions, with their processes.
    exceptions: Vec<(usize, u32)>,
    /// By event type.
    kinds: Vec<Kind>,
    selection: Rc<Selection>,
    /// Events that haven't been looked at.
    rest: Range<usize>,
}

impl EventMarks {
    /// Returns rows of these threads and tracks without a mark.
    pub fn new(
        store: &Store,
        buckets: Buckets,
        selection: Rc<Selection>,
        threads: &[ThreadId],
        tracks: &[(u32, TrackKind)],
    ) -> Self {
        let mut row_of = vec![usize::MAX; store.threads.len()];
        for (row, thread) in threads.iter().enumerate() {
            if let Some(entry) = row_of.get_mut(thread.index()) {
                *entry = row;
            }
        }
        let of_exceptions = (threads.len()..).zip(tracks).filter(|(_, (_, kind))| *kind == TrackKind::Exceptions);
        Self {
            rows: vec![buckets.row(); threads.len() + tracks.len()],
            row_of,
            exceptions: of_exceptions.map(|(row, (process, _))| (row, *process)).collect(),
            kinds: store.types.iter().map(Kind::of).collect(),
            selection,
            rest: store.events.range(store.clock, buckets.span),
            buckets,
        }
    }

    /// Looks at further events for a few milliseconds.
    pub fn step(&mut self, store: &Store) -> Step {
        let end = (self.rest.start / CHUNK_ROWS).saturating_add(CHUNKS).saturating_mul(CHUNK_ROWS).min(self.rest.end);
        for (chunk, inside) in store.events.chunks_in(self.rest.start..end) {
            self.mark(store, chunk, inside);
        }
        self.rest.start = end;
        if self.rest.is_empty() { Step::Done } else { Step::More }
    }

    /// Returns the rows.
    pub fn finish(self) -> Vec<Vec<u8>> {
        self.rows
    }

    fn mark(&mut self, store: &Store, chunk: &EventChunk, inside: Range<usize>) {
        let (buckets, first) = (self.buckets, chunk.first_row);
        let bucket_of = |row: usize| buckets.at(store.clock.nanos(chunk.ticks(row)).0);
        let (mut bucket, mut bucket_end) = (0, 0);
        let mut next = self.selection.next_at(first + inside.start);
        while let Some(row) = next.map(|row| row - first).filter(|row| *row < inside.end) {
            next = self.selection.next_at(first + row + 1);
            let kind = self.kinds.get(chunk.event_type(row).index()).copied().unwrap_or_default();
            if kind == Kind::Sample {
                continue;
            }
            if row >= bucket_end {
                bucket = bucket_of(row);
                bucket_end = end_where(row..inside.end, |row| bucket_of(row) == bucket);
            }
            let thread = chunk.thread(row);
            let lane = self.row_of.get(thread.index()).and_then(|row| self.rows.get_mut(*row));
            if let Some(bits) = lane.and_then(|row| row.get_mut(bucket)) {
                *bits |= match_bit::EVENT;
            }
            if kind == Kind::Exception {
                let process = store.threads.get(thread).map_or(0, |thread| store.os_process_of(thread));
                for (row, _) in self.exceptions.iter().filter(|(_, of)| *of == 0 || *of == process) {
                    if let Some(bits) = self.rows.get_mut(*row).and_then(|row| row.get_mut(bucket)) {
                        *bits |= match_bit::EVENT;
                    }
                }
            }
        }
    }
}

/// Returns the end of the first rows for which a condition holds; it holds for no later row.
fn end_where(rows: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = rows;
    while start < end {
        let middle = start.midpoint(end);
        if holds(middle) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::interval_set::Texts;
    use crate::analysis::intervals::interval_set::samples::intervals;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::testing::{What, store_of};
    use proptest::prelude::*;
    use protocol::base::ids::EventId;
    use protocol::tables::interval_flag;

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
        let (threads, tracks) = ([thread(5), thread(6)], [(0, TrackKind::Exceptions), (0, TrackKind::Jit)]);
        let mut marks = EventMarks::new(&store, buckets, Rc::new(at(&store, &[5, 15, 25])), &threads, &tracks);
        assert_eq!(marks.step(&store), Step::Done);
        let event = match_bit::EVENT;
        assert_eq!(marks.finish(), [vec![event, event, 0, 0], vec![0, 0, event, 0], vec![0, event, 0, 0], vec![0; 4]]);
        let mut row = buckets.row();
        let set = intervals(&[(-5, 3, 0), (12, 29, 0), (30, 39, 0)]);
        mark_intervals(&mut row, buckets, &set, match_bit::SPAN, |one| one.event != EventId(2));
        let span = match_bit::SPAN;
        assert_eq!(row, [span, span, span, 0]);
    }

    #[test]
    fn span_without_end_is_marked_at_its_start() {
        let (store, _) = store_of(&[(5, 5, What::Order("a", 1)), (6, 5, What::Order("b", 1))]);
        let (buckets, selection) = (Buckets::new(Span::new(0, 40), 4), at(&store, &[5]));
        let event = EventId(selection.iter().next().expect("an event") as u32);
        let marked = |flags| {
            let one = Interval { start: 5, end: 29, event, flags, ..Interval::default() };
            let mut row = buckets.row();
            mark_spans(&mut row, buckets, &IntervalSet::new(vec![one], Texts::default()), &selection);
            row
        };
        let span = match_bit::SPAN;
        assert_eq!(marked(0), [span, span, span, 0]);
        assert_eq!(marked(interval_flag::OPEN_END), [span, 0, 0, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn events_are_marked_where_each_is(
            steps in proptest::collection::vec((0i64..9, 5u64..8, 0u8..10), 1..200),
            start in -10i64..900, length in 0i64..900, count in 1u32..70,
        ) {
            let mut time = 0;
            let events: Vec<_> = steps.into_iter().map(|(step, thread, what)| {
                time += step;
                (time, thread, match what { 0 => What::Throw("bad"), 1 => What::Sample(true, vec![1]), _ => What::Order("a", 1) })
            }).collect();
            let (store, _) = store_of(&events);
            let threads: Vec<ThreadId> = store.threads.iter().map(|thread| thread.id).take(2).collect();
            let buckets = Buckets::new(Span::new(start, start + length), count);
            let mut expected = vec![buckets.row(); 3];
            for row in store.events.range(store.clock, buckets.span) {
                let event = store.events.row(EventId(row as u32));
                let at = store.clock.nanos(event.ticks).0;
                let kind = store.types.get(event.event_type).map(Kind::of).unwrap_or_default();
                let lane = threads.iter().position(|thread| *thread == event.thread).filter(|_| kind != Kind::Sample);
                let rows = lane.into_iter().chain((kind == Kind::Exception).then_some(2));
                rows.for_each(|row| buckets.mark(&mut expected[row], (at, at), match_bit::EVENT));
            }
            let all = Rc::new(Selection::of_range(0..store.events.len(), store.events.len()));
            let mut marks = EventMarks::new(&store, buckets, all, &threads, &[(0, TrackKind::Exceptions)]);
            while marks.step(&store) != Step::Done {}
            prop_assert_eq!(marks.finish(), expected);
        }
    }
}
