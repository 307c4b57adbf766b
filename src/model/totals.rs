//! Totals of types and threads, counted over the finished columns.

use super::columns::IdSet;
use super::events::{EventChunk, Events};
use super::ids::{StackId, ThreadId, TypeId};
use super::threads::Threads;
use super::types::Types;
use crate::clr::KnownEvent;

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
    sample_stack: StackId,
}

/// Totals by type and by thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    of_types: Vec<OfType>,
    of_threads: Vec<OfThread>,
    events: u64,
}

impl Totals {
    /// Events counted.
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

    /// Counts all rows of a chunk. `is_sample` says which types are samples of stacks.
    pub fn add_chunk(&mut self, chunk: &EventChunk, is_sample: &[bool], columns: &mut Columns) {
        self.make_room(chunk.types_present().end(), chunk.threads_present().end());
        self.events += chunk.len() as u64;
        columns.count(chunk, is_sample, &mut self.of_types, &mut self.of_threads);
    }

    /// Writes the totals down. Returns the stack of a sample of every thread that has one, by [`ThreadId`].
    pub fn finish(mut self, types: &mut Types, threads: &mut Threads) -> Vec<StackId> {
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
        self.of_threads.into_iter().map(|totals| totals.sample_stack).collect()
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
    #[inline]
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
    #[inline]
    fn add(&mut self, ticks: i64) {
        if self.count == 0 {
            (self.first, self.last) = (ticks, ticks);
        }
        (self.first, self.last) = (self.first.min(ticks), self.last.max(ticks));
        self.count += 1;
    }
}

/// Counts all rows on top of `totals`, and writes the sums down. Returns the stack of a sample of every thread that has
/// one, by [`ThreadId`].
pub(super) fn count(mut totals: Totals, events: &Events, types: &mut Types, threads: &mut Threads) -> Vec<StackId> {
    let is_sample: Vec<bool> =
        types.iter().map(|t| matches!(t.known, KnownEvent::ThreadSample | KnownEvent::CpuSample)).collect();
    let mut columns = Columns::default();
    for chunk in events.chunks() {
        totals.add_chunk(chunk, &is_sample, &mut columns);
    }
    totals.finish(types, threads)
}

/// The columns of a chunk at full width, so that the loop over its rows is the same for all.
#[derive(Default)]
pub(super) struct Columns {
    types: Vec<u32>,
    threads: Vec<u32>,
    stacks: Vec<u32>,
    lengths: Vec<u32>,
}

impl Columns {
    fn count(&mut self, chunk: &EventChunk, is_sample: &[bool], of_types: &mut [OfType], of_threads: &mut [OfThread]) {
        let rows = 0..chunk.len();
        chunk.type_column().copy_into(rows.clone(), &mut self.types);
        chunk.thread_column().copy_into(rows.clone(), &mut self.threads);
        chunk.stack_column().copy_into(rows.clone(), &mut self.stacks);
        chunk.payload_length_column().copy_into(rows.clone(), &mut self.lengths);
        let values = self.types.iter().zip(&self.threads).zip(self.stacks.iter().zip(&self.lengths));
        let mut values = values;
        chunk.tick_column().for_each(rows, |_, ticks| {
            let Some(((&event_type, &thread), (&stack, &length))) = values.next() else { return };
            if let Some(totals) = of_types.get_mut(event_type as usize) {
                totals.add(thread, ticks, stack != 0, length);
            }
            if let Some(totals) = of_threads.get_mut(thread as usize) {
                totals.add(ticks);
                if stack != 0 && is_sample.get(event_type as usize) == Some(&true) {
                    totals.sample_stack = StackId(stack);
                }
            }
        });
    }
}
