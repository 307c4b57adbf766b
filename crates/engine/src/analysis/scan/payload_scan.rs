//! Visits all events of some types in time order with their payloads, in steps. Ranges that a slow source has to fetch
//! are announced ahead, because reading payloads individually would wait for each.

use super::payload_batches::{AHEAD_BYTES, PayloadBatches, Step};
use super::rows::TypeSet;
use crate::model::{CHUNK_ROWS, EventChunk, EventType, Store};
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::EventId;
use std::collections::VecDeque;

/// Events visited per step.
const EVENTS_A_STEP: usize = CHUNK_ROWS / 8;
/// Maximum bytes of payloads in memory; a larger one is alone.
const BATCH_BYTES: usize = 4 << 20;

/// A scan of events.
#[derive(Debug)]
pub struct PayloadScan {
    types: TypeSet,
    with_payload: TypeSet,
    next_chunk: usize,
    /// The batch to which payloads are added.
    open: Batch,
    batches: VecDeque<Batch>,
    ahead_bytes: u64,
    /// A range of the file.
    buffer: Vec<u8>,
}

impl PayloadScan {
    /// Prepares a scan of events of these types, and of the payloads of those for which `needs_payload` is true.
    pub fn new(store: &Store, types: TypeSet, needs_payload: impl Fn(&EventType) -> bool) -> Self {
        let with_payload = TypeSet::new(store, |one| types.contains(one.id.0) && needs_payload(one));
        let (open, batches) = (Batch::default(), VecDeque::new());
        Self { types, with_payload, next_chunk: 0, open, batches, ahead_bytes: 0, buffer: Vec::new() }
    }

    /// Continues for a few milliseconds: calls `visit(chunk, row, payload)`, with an empty payload if it isn't needed.
    /// Waits for bytes that a source has to fetch if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        may_wait: bool,
        mut visit: impl FnMut(&EventChunk, usize, &[u8]),
    ) -> Result<Step, SourceError> {
        let chunks = if self.types.is_empty() { 0 } else { store.events.chunks().len() };
        if self.next_chunk < chunks && self.ahead_bytes < AHEAD_BYTES {
            self.plan(store, source, may_wait);
            if self.next_chunk == chunks || self.open.is_wide() {
                self.close(source, may_wait);
            }
            return Ok(Step::More);
        }
        let Some(batch) = self.batches.front_mut() else { return Ok(Step::Done) };
        if may_wait && batch.batches.is_coming(source) {
            return Ok(Step::Waiting);
        }
        if batch.is_read(source, &mut self.buffer)? && batch.visit(store, &self.with_payload, &mut visit) {
            self.ahead_bytes -= batch.held_bytes;
            self.batches.pop_front();
        }
        Ok(Step::More)
    }

    /// Collects the wanted events of the next chunk.
    fn plan(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) {
        let first = self.next_chunk * CHUNK_ROWS;
        self.next_chunk += 1;
        let types = std::mem::take(&mut self.types);
        types.for_each_row(store, first..first + CHUNK_ROWS, |chunk, row| {
            let needs_payload = self.with_payload.contains(chunk.event_type(row).0);
            let is_read = needs_payload && store.kept_payload(&chunk.row(row)).is_none();
            let length = if is_read { chunk.payload_length(row) } else { 0 };
            if self.open.payload_bytes > 0 && self.open.payload_bytes + length as usize > BATCH_BYTES {
                self.close(source, may_wait);
            }
            self.open.add(chunk.event_id(row), chunk.payload_offset(row), length);
        });
        self.types = types;
    }

    /// Announces the collected payloads.
    fn close(&mut self, source: &dyn ByteSource, may_wait: bool) {
        let mut batch = std::mem::take(&mut self.open);
        if !batch.events.is_empty() {
            batch.batches.plan();
            let places = batch.events.len() * size_of::<(EventId, u32, u32)>();
            batch.held_bytes = places as u64 + batch.batches.announce(source, may_wait);
            self.ahead_bytes += batch.held_bytes;
            self.batches.push_back(batch);
        }
    }
}

/// Consecutive events.
#[derive(Debug, Default)]
struct Batch {
    /// In order.
    events: Vec<EventId>,
    batches: PayloadBatches,
    /// Range of the file that contains the payloads to read.
    extent: Option<(u64, u64)>,
    /// By position in `events`: offset and length of the payload in `payloads`.
    places: Vec<(u32, u32)>,
    payloads: Vec<u8>,
    payload_bytes: usize,
    /// Memory use of the batch in bytes, including announced ranges.
    held_bytes: u64,
    is_read: bool,
    /// Number of payloads visited.
    visited: usize,
}

impl Batch {
    fn add(&mut self, event: EventId, offset: u64, length: u32) {
        if length > 0 {
            self.batches.add(offset, length, self.events.len());
            let (first, last) = self.extent.unwrap_or((offset, offset));
            self.extent = Some((first.min(offset), last.max(offset)));
        }
        self.events.push(event);
        self.places.push((0, 0));
        self.payload_bytes += length as usize;
    }

    /// Returns whether reading it may require as many bytes as are announced ahead, or it is large by itself.
    fn is_wide(&self) -> bool {
        self.events.len() >= CHUNK_ROWS || self.extent.is_some_and(|(first, last)| last - first >= AHEAD_BYTES / 2)
    }

    /// Reads a little. Returns whether everything is read.
    fn is_read(&mut self, source: &dyn ByteSource, buffer: &mut Vec<u8>) -> Result<bool, SourceError> {
        if !self.is_read {
            let Self { batches, places, payloads, .. } = self;
            self.is_read = batches.visit(source, buffer, EVENTS_A_STEP, |payload, position| {
                places[position] = (payloads.len() as u32, payload.len() as u32);
                payloads.extend_from_slice(payload);
            })?;
        }
        Ok(self.is_read)
    }

    /// Visits some payloads. Returns whether those were the last.
    fn visit(
        &mut self,
        store: &Store,
        with_payload: &TypeSet,
        visit: &mut impl FnMut(&EventChunk, usize, &[u8]),
    ) -> bool {
        let end = (self.visited + EVENTS_A_STEP).min(self.events.len());
        for position in self.visited..end {
            let (event, (start, length)) = (self.events[position].index(), self.places[position]);
            let Some(chunk) = store.events.chunks().get(event / CHUNK_ROWS) else { continue };
            let row = event % CHUNK_ROWS;
            let payload = match length {
                0 if with_payload.contains(chunk.event_type(row).0) => store.kept_payload(&chunk.row(row)),
                _ => self.payloads.get(start as usize..(start + length) as usize),
            };
            visit(chunk, row, payload.unwrap_or_default());
        }
        self.visited = end;
        end == self.events.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{ORDERS, What, store_of};
    use std::cell::RefCell;
    use std::ops::Range;

    fn trace() -> (Store, Vec<u8>) {
        let events: Vec<_> = (0..70_000)
            .map(|at| match at % 5 {
                0 => (at, 5, What::Sample(true, vec![1])),
                thread => (at, 5 + thread as u64 % 2, What::Order("sku", at as i32)),
            })
            .collect();
        store_of(&events)
    }

    #[test]
    fn scan_visits_every_event_once_in_time_order() {
        let (store, bytes) = trace();
        let needs_payload = |one: &EventType| one.provider == ORDERS;
        let mut walk = PayloadScan::new(&store, TypeSet::new(&store, |_| true), needs_payload);
        let mut seen = Vec::new();
        loop {
            let step = walk.step(&store, &bytes, true, |chunk, row, payload| {
                let (event, kind) = (chunk.event_id(row), store.types.get(chunk.event_type(row)).expect("a type"));
                let expected = store.payload(event, &bytes).expect("a file");
                assert_eq!(payload, if needs_payload(kind) { &*expected } else { &[] });
                seen.push(event.index());
            });
            if step.expect("a file") == Step::Done {
                break;
            }
        }
        assert!(seen.iter().copied().eq(0..store.events.len()));
    }

    /// A source whose announced ranges become available only when allowed, and that reads nothing else.
    struct Slow {
        bytes: Vec<u8>,
        coming: RefCell<Vec<Range<u64>>>,
        announced: RefCell<Vec<Range<u64>>>,
    }

    impl ByteSource for Slow {
        fn len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
            let end = offset + buffer.len() as u64;
            let covers = |range: &Range<u64>| range.start <= offset && end <= range.end;
            assert!(self.announced.borrow().iter().any(covers), "{offset} was not announced");
            self.bytes.as_slice().read_at(offset, buffer)
        }

        fn announce(&self, range: Range<u64>) {
            self.coming.borrow_mut().push(range.clone());
            self.announced.borrow_mut().push(range);
        }

        fn is_coming(&self, range: Range<u64>) -> bool {
            self.coming.borrow().contains(&range)
        }
    }

    #[test]
    fn slow_source_is_awaited_and_only_announced_bytes_are_read() {
        let (store, bytes) = trace();
        let source = Slow { bytes, coming: RefCell::default(), announced: RefCell::default() };
        let types = TypeSet::new(&store, |one| one.provider == ORDERS);
        let (mut walk, mut events, mut waits) = (PayloadScan::new(&store, types, |_| true), 0, 0);
        loop {
            match walk.step(&store, &source, true, |_, _, _| events += 1).expect("a file") {
                Step::Done => break,
                Step::More => {}
                Step::Waiting => {
                    waits += 1;
                    source.coming.borrow_mut().remove(0);
                }
            }
        }
        assert_eq!((events, waits), (56_000, source.announced.borrow().len()));
    }
}
