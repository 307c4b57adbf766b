//! Which events a query wants (`protocol::filter`).
//!
//! What names can decide is decided once: by type, thread, stack, activity, list of labels. Over a chunk's rows a query
//! is judged bit by bit, 64 rows at a time: which rows are wanted for certain, and which may be once their payloads are
//! known. Only those payloads are read, in few large pieces of the file, and decoded only if their bytes could contain
//! what is looked for.

mod compile;
mod complete;
mod duration;
mod evaluate;
mod matcher;
mod number_scan;
mod of_threads;
mod payload_field;
mod text_leaf;
mod trace_context;

pub use complete::query_help;
pub use duration::EventDurations;
pub use of_threads::wanted_by;

use crate::analysis::scan::payload_batches::PayloadBatches;
use crate::analysis::scan::rows::retain_rows;
use crate::model::{CHUNK_ROWS, EventChunk, Store};
use evaluate::{Bits, Row};
use nettrace::{ByteSource, SourceError};
use payload_field::PayloadField;
use protocol::filter::Query;
use std::ops::Range;
use text_leaf::TextLeaf;
use trace_context::TraceContextLeaf;

/// Payloads that are looked at in a step, and when all of them have to be decoded.
const SEARCHED_PAYLOADS: usize = CHUNK_ROWS / 2;
const DECODED_PAYLOADS: usize = CHUNK_ROWS / 16;

/// A query, looked up in what the trace has.
pub(crate) struct QuerySearch {
    node: Node,
    decodes: bool,
    /// A piece of the file.
    buffer: Vec<u8>,
}

/// A query whose names are looked up.
enum Node {
    /// The same for every event.
    Fixed(bool),
    /// By type.
    Types(Vec<bool>),
    /// By thread.
    Threads(Vec<bool>),
    /// By writer.
    Writers(Vec<bool>),
    /// By stack.
    Stacks(Vec<bool>),
    /// By activity: of the event, or of what it is related to.
    Activities(Vec<bool>),
    /// By list of labels.
    Labels(Vec<bool>),
    /// A range of rows.
    Rows(Range<usize>),
    /// Some rows, in order.
    Picked(Vec<u32>),
    Text(Box<TextLeaf>),
    Payload(Box<PayloadField>),
    /// By the trace or the span that the payload names.
    TraceContext(Box<TraceContextLeaf>),
    Not(Box<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
}

impl QuerySearch {
    /// None if everything is wanted. `lasting` is needed by queries about durations.
    pub fn new(store: &Store, query: &Query, lasting: Option<&EventDurations>) -> Option<Self> {
        let node = compile::compile(store, query, lasting);
        let decodes = node.decodes();
        (!query.is_everything()).then(|| Self { node, decodes, buffer: Vec::new() })
    }

    /// Keeps, of the rows of the chunk whose bits are set, those that are wanted for certain; the payloads of others that
    /// may be are to be looked at by [`Self::look_at_payloads`].
    pub fn narrow(&self, store: &Store, chunk: &EventChunk, words: &mut [u64]) -> PayloadBatches {
        let Bits { yes, mut maybe } = self.node.judge(store, chunk, words);
        words.copy_from_slice(&yes);
        let mut batches = PayloadBatches::default();
        retain_rows(&mut maybe, |row| {
            batches.add(chunk.payload_offset(row), chunk.payload_length(row), row);
            true
        });
        batches.plan();
        batches
    }

    /// Looks at some of the payloads, a few milliseconds' work, and sets the bits of those rows of the chunk that are
    /// wanted; whether those were the last.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn look_at_payloads(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        chunk: &EventChunk,
        batches: &mut PayloadBatches,
        words: &mut [u64],
    ) -> Result<bool, SourceError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let most = if self.decodes { DECODED_PAYLOADS } else { SEARCHED_PAYLOADS };
        let result = batches.visit(source, &mut buffer, most, |payload, row| {
            let wanted = Row::new(store, chunk, row, payload).is_some_and(|row| self.node.matches_row(&row));
            if wanted && let Some(word) = words.get_mut(row / 64) {
                *word |= 1 << (row % 64);
            }
        });
        self.buffer = buffer;
        result
    }
}

impl Node {
    /// Whether many payloads have to be decoded to be judged.
    fn decodes(&self) -> bool {
        match self {
            Self::Text(leaf) => leaf.decodes(),
            Self::Payload(_) | Self::TraceContext(_) => true,
            Self::Not(inner) => inner.decodes(),
            Self::All(inner) | Self::Any(inner) => inner.iter().any(Self::decodes),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
