//! Looking at all payloads of some types: in the order of the file, ahead of need and in steps, where reading one after the
//! other would wait for each.

use super::payload_pieces::{AHEAD_BYTES, PayloadPieces, Step};
use super::rows::TypeSet;
use crate::model::{CHUNK_ROWS, EventChunk, Store};
use crate::nettrace::{ByteSource, SourceError};
use std::collections::VecDeque;

/// Payloads that a step looks at.
const PAYLOADS_A_STEP: usize = CHUNK_ROWS / 4;

/// A walk over payloads, chunk by chunk; inside a chunk in the order of the file.
#[derive(Debug)]
pub struct Gathering {
    types: TypeSet,
    next_chunk: usize,
    /// What is to be read: the position of the chunk, its payloads, and for how many bytes.
    parts: VecDeque<(usize, PayloadPieces, u64)>,
    ahead_bytes: u64,
    /// A piece of the file.
    buffer: Vec<u8>,
}

impl Gathering {
    /// Will look at the payloads of these types.
    pub fn new(types: TypeSet) -> Self {
        Self { types, next_chunk: 0, parts: VecDeque::new(), ahead_bytes: 0, buffer: Vec::new() }
    }

    /// Looks at some more, a few milliseconds' work: calls `visit(chunk, row, payload)`. What a source has to fetch first is
    /// waited for, if `may_wait`.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn step(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        may_wait: bool,
        mut visit: impl FnMut(&EventChunk, usize, &[u8]),
    ) -> Result<Step, SourceError> {
        if self.next_chunk < store.events().chunks().len() && self.ahead_bytes < AHEAD_BYTES {
            self.plan(store, source, may_wait);
        } else if let Some((at, mut pieces, bytes)) = self.parts.pop_front() {
            let is_coming = may_wait && pieces.is_coming(source);
            let chunk = store.events().chunks().get(at);
            let visit = |payload: &[u8], row: usize| chunk.into_iter().for_each(|chunk| visit(chunk, row, payload));
            if is_coming || !pieces.visit(source, &mut self.buffer, PAYLOADS_A_STEP, visit)? {
                self.parts.push_front((at, pieces, bytes));
                return Ok(if is_coming { Step::Waiting } else { Step::More });
            }
            self.ahead_bytes -= bytes;
        } else {
            return Ok(Step::Done);
        }
        Ok(Step::More)
    }

    /// Whether some, but not all, of the payloads of a chunk were looked at.
    pub fn is_inside_chunk(&self) -> bool {
        self.parts.front().is_some_and(|(_, pieces, _)| pieces.is_begun())
    }

    fn plan(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) {
        let mut pieces = PayloadPieces::default();
        let (at, first) = (self.next_chunk, self.next_chunk * CHUNK_ROWS);
        self.next_chunk += 1;
        self.types.for_each_row(store, first..first + CHUNK_ROWS, |chunk, row| {
            pieces.add(chunk.payload_offset(row), chunk.payload_length(row), row);
        });
        if !pieces.is_empty() {
            pieces.plan();
            let bytes = pieces.announce(source, may_wait);
            self.ahead_bytes += bytes;
            self.parts.push_back((at, pieces, bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ORDERS, What, store_of};
    use super::*;

    #[test]
    fn every_payload_is_seen_once() {
        let events: Vec<_> = (0..70_000).map(|at| (at, 5 + at as u64 % 2, What::Order("sku", at as i32))).collect();
        let (store, bytes) = store_of(&events);
        let types = TypeSet::new(&store, |event_type| event_type.provider == ORDERS);
        let mut gathering = Gathering::new(types);
        let mut seen = Vec::new();
        loop {
            let step = gathering.step(&store, &bytes, true, |chunk, row, payload| {
                assert_eq!(*payload, *store.payload(chunk.event_id(row), &bytes).expect("a file"));
                seen.push(chunk.event_id(row).0);
            });
            if step.expect("a file") == Step::Done {
                break;
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 70_000);
    }
}
