//! Markers of the timeline: the number of events, besides samples, per thread and pixel.
//!
//! Complete blocks of rows are summed up by thread on first use. A view of millions of events then iterates over
//! blocks; only blocks across the edge of a pixel are read row by row.

use super::lanes::Window;
use crate::analysis::samples::index::is_sample;
use crate::analysis::samples::level_of_detail::bucket_of;
use crate::clr::KnownEvent;
use crate::model::{CHUNK_ROWS, EventChunk, Store};
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::time::{Clock, Nanos};
use protocol::tables::Lanes;
use std::ops::Range;

/// Bit of `marker_kind`: the events include an exception.
const EXCEPTION: u8 = 1;
/// Rows per block; a divisor of [`CHUNK_ROWS`].
const BLOCK_ROWS: usize = 1024;
/// Marks a thread that wasn't requested.
const NO_LANE: u32 = u32::MAX;

/// Sums of events by block.
#[derive(Debug, Default)]
pub struct MarkerIndex {
    /// By chunk.
    chunks: Vec<Option<ChunkSums>>,
    /// By event type.
    kinds: Vec<Kind>,
}

/// Kind of an event for markers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Kind {
    /// A sample or a context switch, which has no marker.
    Sample,
    #[default]
    Event,
    Exception,
}

/// The blocks of a chunk.
#[derive(Debug, Default)]
struct ChunkSums {
    /// By block: end of its sums in `sums`.
    ends: Vec<u32>,
    sums: Vec<Sum>,
}

/// The events of one thread in one block.
#[derive(Clone, Copy, Debug)]
struct Sum {
    thread: u32,
    /// Position of the first event in the chunk.
    first_row: u16,
    count: u16,
    kind: u8,
}

impl MarkerIndex {
    /// Appends the markers of `threads` in the window.
    pub fn push(&mut self, table: &mut Lanes, store: &Store, threads: &[ThreadId], window: Window) {
        if self.kinds.len() != store.types.len() {
            self.kinds = store.types.iter().map(Kind::of).collect();
        }
        let mut lane_of = vec![NO_LANE; store.threads.len()];
        for (lane, thread) in (0u32..).zip(threads) {
            if let Some(entry) = lane_of.get_mut(thread.index()) {
                *entry = lane;
            }
        }
        let clock = store.clock;
        let mut lanes: Vec<Lane> = threads.iter().map(|_| Lane::default()).collect();
        let mut walk = Walk { lane_of: &lane_of, lanes: &mut lanes, clock, resolution: window.resolution };
        for (chunk, inside) in store.events.chunks_in(store.events.range(clock, window.span)) {
            if !chunk.threads_present.iter().any(|thread| walk.lane(thread) != NO_LANE) {
                continue;
            }
            let mut row = inside.start;
            while row < inside.end {
                let block = row / BLOCK_ROWS;
                let rows = block * BLOCK_ROWS..((block + 1) * BLOCK_ROWS).min(chunk.len());
                let is_whole = rows.start == row && rows.end <= inside.end;
                if is_whole && chunk.ticks(rows.end - 1) < walk.end_of_bucket(chunk.ticks(row)) {
                    let sums = self.sums(store, chunk);
                    sums.of(block).for_each(|sum| walk.add_sum(chunk, sum));
                } else {
                    self.add_rows(&mut walk, chunk, row..rows.end.min(inside.end));
                }
                row = rows.end;
            }
        }
        for (lane, markers) in (0u32..).zip(lanes) {
            table.marker_lane.extend(std::iter::repeat_n(lane, markers.time.len()));
            table.marker_time.extend(markers.time);
            table.marker_count.extend(markers.count);
            table.marker_event.extend(markers.event);
            table.marker_kind.extend(markers.kind);
        }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let chunks = self.chunks.iter().flatten();
        chunks.map(|chunk| chunk.ends.len() * 4 + chunk.sums.len() * size_of::<Sum>()).sum()
    }

    fn kind(&self, event_type: u32) -> Kind {
        self.kinds.get(event_type as usize).copied().unwrap_or_default()
    }

    fn add_rows(&self, walk: &mut Walk<'_>, chunk: &EventChunk, rows: Range<usize>) {
        chunk.threads.for_each(rows, |row, thread| {
            let lane = walk.lane(thread);
            if lane != NO_LANE {
                match self.kind(chunk.event_type(row).0) {
                    Kind::Sample => {}
                    Kind::Event => walk.add(lane, chunk.ticks(row), chunk.event_id(row), 1, 0),
                    Kind::Exception => walk.add(lane, chunk.ticks(row), chunk.event_id(row), 1, EXCEPTION),
                }
            }
        });
    }

    /// Returns the sums of a chunk, computed on first use.
    fn sums(&mut self, store: &Store, chunk: &EventChunk) -> &ChunkSums {
        let number = chunk.first_row / CHUNK_ROWS;
        if self.chunks.len() <= number {
            self.chunks.resize_with(number + 1, || None);
        }
        if self.chunks[number].is_none() {
            self.chunks[number] = Some(self.sum_up(chunk, store.threads.len()));
        }
        self.chunks[number].get_or_insert_default()
    }

    /// Sums up a chunk. It is a separate function, because engines replace slow code with fast code when a function is
    /// called, and this one is called for every chunk.
    #[inline(never)]
    fn sum_up(&self, chunk: &EventChunk, threads: usize) -> ChunkSums {
        let mut sums = ChunkSums::default();
        let (mut types, mut thread_ids) = (Vec::new(), Vec::new());
        // By thread: position of its sum in the current block, if any.
        let mut place = vec![u32::MAX; threads];
        for start in (0..chunk.len()).step_by(BLOCK_ROWS) {
            let rows = start..(start + BLOCK_ROWS).min(chunk.len());
            let begin = sums.sums.len();
            chunk.types.copy_into(rows.clone(), &mut types);
            chunk.threads.copy_into(rows.clone(), &mut thread_ids);
            for (row, (&event_type, &thread)) in rows.zip(types.iter().zip(&thread_ids)) {
                let kind = self.kind(event_type);
                let Some(place) = place.get_mut(thread as usize).filter(|_| kind != Kind::Sample) else { continue };
                let known = sums.sums.get_mut(*place as usize).filter(|_| *place as usize >= begin);
                let exception = if kind == Kind::Exception { EXCEPTION } else { 0 };
                match known {
                    Some(sum) => {
                        sum.count += 1;
                        sum.kind |= exception;
                    }
                    None => {
                        *place = sums.sums.len() as u32;
                        sums.sums.push(Sum { thread, first_row: row as u16, count: 1, kind: exception });
                    }
                }
            }
            sums.ends.push(sums.sums.len() as u32);
        }
        sums.sums.shrink_to_fit();
        sums
    }
}

impl Kind {
    pub(super) fn of(event_type: &crate::model::EventType) -> Self {
        // Like samples, context switches are shown in the thread's strip.
        if is_sample(event_type) || event_type.known == KnownEvent::ContextSwitch {
            Self::Sample
        } else if event_type.known == KnownEvent::ExceptionThrown {
            Self::Exception
        } else {
            Self::Event
        }
    }
}

impl ChunkSums {
    fn of(&self, block: usize) -> impl Iterator<Item = &Sum> {
        let end = |block: usize| self.ends.get(block).map_or(0, |&end| end as usize);
        let start = block.checked_sub(1).map_or(0, end);
        self.sums.get(start..end(block)).unwrap_or_default().iter()
    }
}

/// State of one lane while events are read.
#[derive(Default)]
struct Lane {
    /// Ticks at which the next bucket begins.
    bucket_end: Option<i64>,
    time: Vec<i64>,
    count: Vec<u32>,
    event: Vec<u32>,
    kind: Vec<u8>,
}

/// Groups events into buckets, in time order.
struct Walk<'a> {
    lane_of: &'a [u32],
    lanes: &'a mut [Lane],
    clock: Clock,
    resolution: i64,
}

impl Walk<'_> {
    #[inline]
    fn lane(&self, thread: u32) -> u32 {
        self.lane_of.get(thread as usize).copied().unwrap_or(NO_LANE)
    }

    /// Returns the ticks at which the bucket with `ticks` ends.
    fn end_of_bucket(&self, ticks: i64) -> i64 {
        let bucket = bucket_of(self.clock.nanos(ticks).0, self.resolution);
        self.clock.ticks_at_or_after(Nanos(bucket.saturating_add(1).saturating_mul(self.resolution)))
    }

    fn add_sum(&mut self, chunk: &EventChunk, sum: &Sum) {
        let lane = self.lane(sum.thread);
        if lane != NO_LANE {
            let row = usize::from(sum.first_row);
            self.add(lane, chunk.ticks(row), chunk.event_id(row), sum.count.into(), sum.kind);
        }
    }

    /// Adds `count` events of a bucket, the first of which is `event`.
    fn add(&mut self, lane: u32, ticks: i64, event: EventId, count: u32, kind: u8) {
        let Some(bucket_end) = self.lanes.get(lane as usize).map(|lane| lane.bucket_end) else { return };
        let is_new = bucket_end.is_none_or(|end| ticks >= end);
        let next_end = if is_new { Some(self.end_of_bucket(ticks)) } else { bucket_end };
        let time = if is_new { self.clock.nanos(ticks).0 } else { 0 };
        let Some(lane) = self.lanes.get_mut(lane as usize) else { return };
        if is_new {
            lane.bucket_end = next_end;
            lane.time.push(time);
            lane.count.push(0);
            lane.event.push(event.0);
            lane.kind.push(0);
        }
        if let (Some(sum), Some(kinds)) = (lane.count.last_mut(), lane.kind.last_mut()) {
            *sum += count;
            *kinds |= kind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use proptest::prelude::*;
    use protocol::base::time::Span;

    /// Returns the same markers, counted row by row.
    fn counted(store: &Store, threads: &[ThreadId], window: Window) -> Vec<(u32, i64, u32, u32, u8)> {
        let mut markers: Vec<(u32, i64, u32, u32, u8)> = Vec::new();
        for (lane, &thread) in (0u32..).zip(threads) {
            let mut last_bucket = None;
            for row in store.events.range(store.clock, window.span) {
                let event = store.events.row(EventId(row as u32));
                let kind = store.types.get(event.event_type).map(Kind::of).unwrap_or_default();
                if event.thread != thread || kind == Kind::Sample {
                    continue;
                }
                let time = store.clock.nanos(event.ticks).0;
                let bucket = Some(bucket_of(time, window.resolution));
                if bucket != last_bucket {
                    markers.push((lane, time, 0, row as u32, 0));
                    last_bucket = bucket;
                }
                if let Some(marker) = markers.last_mut() {
                    marker.2 += 1;
                    marker.4 |= u8::from(kind == Kind::Exception);
                }
            }
        }
        markers
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn block_sums_match_rows(
            seeds in proptest::collection::vec((0i64..4, 5u64..8, 0u8..20), 3_000..4_000),
            start in 0i64..6_000, length in 0i64..9_000, zoom in 0u32..14,
        ) {
            let mut time = 0;
            let events: Vec<_> = seeds.into_iter().map(|(step, thread, what)| {
                time += step;
                (time, thread, match what { 0 => What::Throw("bad"), 1 => What::Sample(true, vec![1]), _ => What::Order("a", 1) })
            }).collect();
            let (store, _) = store_of(&events);
            let threads: Vec<ThreadId> = store.threads.iter().map(|thread| thread.id).take(2).collect();
            let mut index = MarkerIndex::default();
            let windows = [Span::new(0, 20_000), Span::new(start, start + length)];
            for window in windows.map(|span| Window { span, resolution: 1 << zoom, max_depth: 0 }) {
                let mut table = Lanes::default();
                index.push(&mut table, &store, &threads, window);
                let found: Vec<_> = (0..table.marker_time.len()).map(|at| {
                    (table.marker_lane[at], table.marker_time[at], table.marker_count[at], table.marker_event[at], table.marker_kind[at])
                }).collect();
                prop_assert_eq!(found, counted(&store, &threads, window));
            }
        }
    }
}
