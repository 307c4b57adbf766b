//! Totals of types and threads, counted over the finished columns.

use super::columns::IdSet;
use super::events::{EventChunk, Events};
use super::ids::{StackId, ThreadId, TypeId};
use super::threads::Threads;
use super::types::Types;
use crate::clr::KnownEvent;

#[derive(Clone, Default)]
struct OfType {
    count: u64,
    payload_bytes: u64,
    with_stack: u64,
    first: i64,
    last: i64,
    is_sample: bool,
    last_thread: Option<u32>,
    threads: IdSet,
}

#[derive(Clone, Default)]
struct OfThread {
    count: u64,
    first: i64,
    last: i64,
    sample_stack: StackId,
}

/// Fills in the totals. Returns the stack of a sample of every thread that has one, by [`ThreadId`].
pub(super) fn count(events: &Events, types: &mut Types, threads: &mut Threads) -> Vec<StackId> {
    let is_sample = |known| matches!(known, KnownEvent::ThreadSample | KnownEvent::CpuSample);
    let mut of_types: Vec<OfType> =
        types.iter().map(|t| OfType { is_sample: is_sample(t.known), ..OfType::default() }).collect();
    let mut of_threads = vec![OfThread::default(); threads.len()];
    let mut columns = Columns::default();
    for chunk in events.chunks() {
        columns.count(chunk, &mut of_types, &mut of_threads);
    }
    for (id, totals) in (0u32..).zip(of_types) {
        if let Some(event_type) = types.get_mut(TypeId(id)) {
            event_type.count = totals.count;
            event_type.payload_bytes = totals.payload_bytes;
            event_type.with_stack = totals.with_stack;
            event_type.threads = totals.threads.len() as u32;
            event_type.first_ticks = totals.first;
            event_type.last_ticks = totals.last;
        }
    }
    for (id, totals) in (0u32..).zip(&of_threads) {
        if let Some(thread) = threads.get_mut(ThreadId(id)) {
            thread.events = totals.count;
            thread.first_ticks = totals.first;
            thread.last_ticks = totals.last;
        }
    }
    of_threads.into_iter().map(|totals| totals.sample_stack).collect()
}

/// The columns of a chunk at full width, so that the loop over its rows is the same for all.
#[derive(Default)]
struct Columns {
    types: Vec<u32>,
    threads: Vec<u32>,
    stacks: Vec<u32>,
    lengths: Vec<u32>,
}

impl Columns {
    fn count(&mut self, chunk: &EventChunk, of_types: &mut [OfType], of_threads: &mut [OfThread]) {
        let rows = 0..chunk.len();
        chunk.type_column().copy_into(rows.clone(), &mut self.types);
        chunk.thread_column().copy_into(rows.clone(), &mut self.threads);
        chunk.stack_column().copy_into(rows.clone(), &mut self.stacks);
        chunk.payload_length_column().copy_into(rows.clone(), &mut self.lengths);
        let values = self.types.iter().zip(&self.threads).zip(self.stacks.iter().zip(&self.lengths));
        let mut values = values;
        chunk.tick_column().for_each(rows, |_, ticks| {
            let Some(((&event_type, &thread), (&stack, &length))) = values.next() else { return };
            let mut is_sample = false;
            if let Some(totals) = of_types.get_mut(event_type as usize) {
                if totals.count == 0 {
                    totals.first = ticks;
                }
                totals.last = ticks;
                totals.count += 1;
                totals.payload_bytes += u64::from(length);
                totals.with_stack += u64::from(stack != 0);
                if totals.last_thread != Some(thread) {
                    totals.last_thread = Some(thread);
                    totals.threads.insert(thread);
                }
                is_sample = totals.is_sample;
            }
            if let Some(totals) = of_threads.get_mut(thread as usize) {
                if totals.count == 0 {
                    totals.first = ticks;
                }
                totals.last = ticks;
                totals.count += 1;
                if is_sample && stack != 0 {
                    totals.sample_stack = StackId(stack);
                }
            }
        });
    }
}
