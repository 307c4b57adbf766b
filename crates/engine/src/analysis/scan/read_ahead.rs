//! Payloads of selected rows, chunk by chunk: announced to the source ahead of time, and visited in steps.

use super::payload_batches::{AHEAD_BYTES, PayloadBatches, Step};
use nettrace::{ByteSource, SourceError};
use std::collections::VecDeque;

/// Planned ranges.
#[derive(Default)]
pub struct ReadAhead {
    parts: VecDeque<Part>,
    ahead_bytes: u64,
    /// A range of the file.
    buffer: Vec<u8>,
}

struct Part {
    /// Position of the chunk.
    chunk: usize,
    batches: PayloadBatches,
    held_bytes: u64,
}

impl ReadAhead {
    /// Returns whether enough is planned, so that some payloads should be visited first.
    pub fn is_full(&self, may_wait: bool) -> bool {
        self.ahead_bytes >= if may_wait { AHEAD_BYTES } else { 1 }
    }

    /// Plans to read payloads of a chunk, which are numbered by row within it.
    pub fn add(&mut self, chunk: usize, mut batches: PayloadBatches, source: &dyn ByteSource, may_wait: bool) {
        if !batches.is_empty() {
            batches.plan();
            let held_bytes = batches.announce(source, may_wait);
            self.ahead_bytes += held_bytes;
            self.parts.push_back(Part { chunk, batches, held_bytes });
        }
    }

    /// Calls `visit(chunk, row within it, payload)` with at most `most` payloads. Returns [`Step::Done`] if nothing is
    /// planned. Waits for bytes that aren't available yet if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(
        &mut self,
        source: &dyn ByteSource,
        may_wait: bool,
        most: usize,
        mut visit: impl FnMut(usize, usize, &[u8]),
    ) -> Result<Step, SourceError> {
        let Some(part) = self.parts.front_mut() else { return Ok(Step::Done) };
        if may_wait && part.batches.is_coming(source) {
            return Ok(Step::Waiting);
        }
        let chunk = part.chunk;
        if part.batches.visit(source, &mut self.buffer, most, |payload, inside| visit(chunk, inside, payload))? {
            self.ahead_bytes -= part.held_bytes;
            self.parts.pop_front();
        }
        Ok(Step::More)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.buffer.capacity() + self.ahead_bytes as usize
    }
}
