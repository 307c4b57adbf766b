//! Totals of types and threads.

use super::types::Types;
use crate::clr::KnownEvent;
use crate::model::columns::events::{EventChunk, Events};
use crate::model::columns::narrow::IdSet;
use crate::model::threads::table::Threads;
use protocol::base::ids::{EventId, StackId, ThreadId, TypeId};

/// Number of rows that are counted at a time, so that their columns stay in the processor's cache.
const COUNTED_ROWS: usize = 4096;

#[derive(Clone, Debug, Default)]
struct OfType {
    count: u64,
    payload_bytes: u64,
    with_stack: u64,
    first: i64,
    last: i64,
    last_thread: Option<u32>,
    threads: IdSet,
}

#[derive(Clone, Debug, Default)]
struct OfThread {
    count: u64,
    first: i64,
    last: i64,
    /// Row of a sample of the thread with a stack.
    sample: Option<EventId>,
}

/// Totals by type and by thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    of_types: Vec<OfType>,
    of_threads: Vec<OfThread>,
    events: u64,
}

impl Totals {
    /// Returns the number of counted events.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Counts an event.
    pub fn add(&mut self, event_type: TypeId, thread: ThreadId, ticks: i64, has_stack: bool, payload_bytes: u32) {
        self.make_room(event_type.index() + 1, thread.index() + 1);
        self.events += 1;
        if let Some(totals) = self.of_types.get_mut(event_type.index()) {
            totals.add(thread.0, ticks, has_stack, payload_bytes);
        }
        if let Some(totals) = self.of_threads.get_mut(thread.index()) {
            totals.add(ticks);
        }
    }

    /// Counts the rows of a chunk.
    fn count(&mut self, chunk: &EventChunk, is_sample: &[bool], columns: &mut CountedColumns) {
        self.make_room(chunk.types_present.end(), chunk.threads_present.end());
        self.events += chunk.len() as u64;
        columns.count(chunk, is_sample, &mut self.of_types, &mut self.of_threads);
    }

    /// Adds other totals, of later events.
    fn merge(&mut self, other: Self) {
        self.make_room(other.of_types.len(), other.of_threads.len());
        self.events += other.events;
        for (into, from) in self.of_types.iter_mut().zip(other.of_types).filter(|(_, from)| from.count > 0) {
            let is_first = into.count == 0;
            into.first = if is_first { from.first } else { into.first.min(from.first) };
            into.last = if is_first { from.last } else { into.last.max(from.last) };
            into.count += from.count;
            into.payload_bytes += from.payload_bytes;
            into.with_stack += from.with_stack;
            into.threads.extend(&from.threads);
        }
        for (into, from) in self.of_threads.iter_mut().zip(other.of_threads).filter(|(_, from)| from.count > 0) {
            let is_first = into.count == 0;
            into.first = if is_first { from.first } else { into.first.min(from.first) };
            into.last = if is_first { from.last } else { into.last.max(from.last) };
            into.count += from.count;
            into.sample = from.sample.or(into.sample);
        }
    }

    /// Writes the totals into types and threads. Returns a sample with a stack for every thread that has one, by
    /// [`ThreadId`].
    fn finish(mut self, types: &mut Types, threads: &mut Threads) -> Vec<Option<EventId>> {
        self.of_threads.resize(threads.len(), OfThread::default());
        for (id, totals) in (0u32..).zip(self.of_types) {
            if let Some(event_type) = types.get_mut(TypeId(id)) {
                event_type.count = totals.count;
                event_type.payload_bytes = totals.payload_bytes;
                event_type.with_stack = totals.with_stack;
                event_type.threads = totals.threads;
                event_type.first_ticks = totals.first;
                event_type.last_ticks = totals.last;
            }
        }
        for (id, totals) in (0u32..).zip(&self.of_threads) {
            if let Some(thread) = threads.get_mut(ThreadId(id)) {
                thread.events = totals.count;
                thread.first_ticks = totals.first;
                thread.last_ticks = totals.last;
            }
        }
        self.of_threads.into_iter().map(|totals| totals.sample).collect()
    }

    fn make_room(&mut self, types: usize, threads: usize) {
        if self.of_types.len() < types {
            self.of_types.resize(types, OfType::default());
        }
        if self.of_threads.len() < threads {
            self.of_threads.resize(threads, OfThread::default());
        }
    }
}

impl OfType {
    #[inline(always)]
    fn add(&mut self, thread: u32, ticks: i64, has_stack: bool, payload_bytes: u32) {
        if self.count == 0 {
            (self.first, self.last) = (ticks, ticks);
        }
        (self.first, self.last) = (self.first.min(ticks), self.last.max(ticks));
        self.count += 1;
        self.payload_bytes += u64::from(payload_bytes);
        self.with_stack += u64::from(has_stack);
        if self.last_thread != Some(thread) {
            self.last_thread = Some(thread);
            self.threads.insert(thread);
        }
    }
}

impl OfThread {
    #[inline(always)]
    fn add(&mut self, ticks: i64) {
        if self.count == 0 {
            (self.first, self.last) = (ticks, ticks);
        }
        (self.first, self.last) = (self.first.min(ticks), self.last.max(ticks));
        self.count += 1;
    }
}

/// Totals of rows, updated with each complete chunk, so that little is left to do at the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowTotals {
    totals: Totals,
    /// Number of counted chunks.
    chunks: usize,
    columns: CountedColumns,
}

impl RowTotals {
    /// Returns by type whether its events are samples.
    pub fn samples(types: &Types) -> Vec<bool> {
        types.iter().map(|t| matches!(t.known, KnownEvent::ThreadSample | KnownEvent::CpuSample)).collect()
    }

    /// Counts the rows of a chunk that isn't in the columns yet.
    pub fn of_chunk(chunk: &EventChunk, is_sample: &[bool], columns: &mut CountedColumns) -> Totals {
        let mut totals = Totals::default();
        totals.count(chunk, is_sample, columns);
        totals
    }

    /// Adds the counts of the last chunk; all before it are counted.
    pub fn absorb(&mut self, mut totals: Totals, events: &Events) {
        let first = events.chunks().last().map_or(0, |chunk| chunk.first_row) as u32;
        for sample in totals.of_threads.iter_mut().filter_map(|totals| totals.sample.as_mut()) {
            sample.0 += first;
        }
        self.totals.merge(totals);
        self.chunks += 1;
    }

    /// Counts new chunks.
    pub fn follow(&mut self, events: &Events, types: &Types) {
        let new = events.chunks().get(self.chunks..).unwrap_or_default();
        if new.is_empty() {
            return;
        }
        let is_sample = Self::samples(types);
        new.iter().for_each(|chunk| self.totals.count(chunk, &is_sample, &mut self.columns));
        self.chunks += new.len();
    }

    /// Counts the remaining rows, and writes the totals, including events without rows. Returns the stack of a sample
    /// of every thread that has one, by [`ThreadId`].
    pub fn finish(
        mut self,
        unindexed: Totals,
        events: &Events,
        types: &mut Types,
        threads: &mut Threads,
    ) -> Vec<StackId> {
        self.follow(events, types);
        self.totals.merge(unindexed);
        let samples = self.totals.finish(types, threads);
        samples.into_iter().map(|sample| sample.map_or(StackId(0), |event| events.row(event).stack)).collect()
    }
}

/// Full-width columns of some rows of a chunk, so that the loop over them is the same for all widths.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedColumns {
    ticks: Vec<i64>,
    types: Vec<u32>,
    threads: Vec<u32>,
    stacks: Vec<u32>,
    lengths: Vec<u32>,
}

impl CountedColumns {
    fn count(&mut self, chunk: &EventChunk, is_sample: &[bool], of_types: &mut [OfType], of_threads: &mut [OfThread]) {
        for first in (0..chunk.len()).step_by(COUNTED_ROWS) {
            let rows = first..chunk.len().min(first + COUNTED_ROWS);
            chunk.ticks.copy_into(rows.clone(), &mut self.ticks);
            chunk.types.copy_into(rows.clone(), &mut self.types);
            chunk.threads.copy_into(rows.clone(), &mut self.threads);
            chunk.stacks.copy_into(rows.clone(), &mut self.stacks);
            chunk.payload_lengths.copy_into(rows.clone(), &mut self.lengths);
            let ids = self.types.iter().zip(&self.threads);
            let values = self.stacks.iter().zip(&self.lengths).zip(&self.ticks);
            for ((row, (&event_type, &thread)), ((&stack, &length), &ticks)) in rows.zip(ids).zip(values) {
                if let Some(totals) = of_types.get_mut(event_type as usize) {
                    totals.add(thread, ticks, stack != 0, length);
                }
                if let Some(totals) = of_threads.get_mut(thread as usize) {
                    totals.add(ticks);
                    if stack != 0 && is_sample.get(event_type as usize) == Some(&true) {
                        totals.sample = Some(chunk.event_id(row));
                    }
                }
            }
        }
    }
}
