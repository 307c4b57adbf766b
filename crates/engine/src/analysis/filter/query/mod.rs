//! Selects events that match a query (`protocol::filter`).
//!
//! Conditions on names are evaluated once per type, thread, stack, activity and list of labels. The rows of a chunk are
//! evaluated bitwise, 64 at a time, into rows that match and rows that depend on their payload. Only those payloads are
//! read, in few large ranges of the file, and decoded only if their bytes could contain the text.

mod automaton;
mod compile;
mod complete;
mod duration;
mod evaluate;
mod expression;
mod matcher;
mod number_scan;
mod payload_field;
mod payload_texts;
mod possible;
mod route_leaf;
mod text_leaf;
mod trace_context;

pub use complete::{Names, query_help, suggests_names};
pub use duration::EventDurations;
pub use possible::wanted_by;

use crate::analysis::intervals::spans::request_times::RequestTimes;
use crate::analysis::scan::payload_batches::PayloadBatches;
use crate::analysis::scan::rows::retain_rows;
use crate::model::{CHUNK_ROWS, EventChunk, Store};
use evaluate::{Bits, Row};
use nettrace::{ByteSource, SourceError};
use payload_field::PayloadField;
use protocol::filter::{Condition, Name, Query};
use route_leaf::RouteLeaf;
use std::ops::Range;
use std::rc::Rc;
use text_leaf::TextLeaf;
use trace_context::TraceContextLeaf;

/// Payloads searched per step, and if all of them must be decoded.
const SEARCHED_PAYLOADS: usize = CHUNK_ROWS / 2;
const DECODED_PAYLOADS: usize = CHUNK_ROWS / 16;

/// What conditions need besides the store; without it, they match nothing.
#[derive(Clone, Copy, Default)]
pub struct Prepared<'p> {
    /// For conditions on durations.
    pub lasting: Option<&'p EventDurations>,
    /// For conditions on routes.
    pub requests: Option<&'p Rc<RequestTimes>>,
}

/// Returns whether a query needs [`Prepared::lasting`].
pub fn needs_durations(query: &Query) -> bool {
    query.has(|condition| matches!(condition, Condition::Duration(..)))
}

/// Returns whether a query needs [`Prepared::requests`].
pub fn needs_routes(query: &Query) -> bool {
    query.has(|condition| matches!(condition, Condition::Named(Name::Route, ..)))
}

/// A query with resolved names.
pub(crate) struct QuerySearch {
    node: Node,
    decodes: bool,
    /// A range of the file.
    buffer: Vec<u8>,
}

/// A node of a query with resolved names.
enum Node {
    /// The same result for every event.
    Fixed(bool),
    /// By type.
    Types(Vec<bool>),
    /// By thread.
    Threads(Vec<bool>),
    /// By writer.
    Writers(Vec<bool>),
    /// By stack.
    Stacks(Vec<bool>),
    /// By activity or related activity of the event.
    Activities(Vec<bool>),
    /// By list of labels.
    Labels(Vec<bool>),
    /// By route of the event's request.
    Routes(Box<RouteLeaf>),
    Rows(Range<usize>),
    /// Some rows, in order.
    Picked(Vec<u32>),
    Text(Box<TextLeaf>),
    Payload(Box<PayloadField>),
    /// By the trace ID or span ID in the payload.
    TraceContext(Box<TraceContextLeaf>),
    Not(Box<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
}

impl QuerySearch {
    /// Returns `None` if everything matches.
    pub fn new(store: &Store, query: &Query, prepared: Prepared<'_>) -> Option<Self> {
        let node = compile::compile(store, query, prepared);
        let decodes = node.decodes();
        (!query.is_everything()).then(|| Self { node, decodes, buffer: Vec::new() })
    }

    /// Keeps the bits of the rows of the chunk that match without their payload. Returns the payloads of rows that
    /// depend on it, for [`Self::search_payloads`].
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

    /// Examines payloads for a few milliseconds, and sets the bits of matching rows. Returns whether those were the
    /// last.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn search_payloads(
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
    /// Returns whether many payloads have to be decoded.
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
