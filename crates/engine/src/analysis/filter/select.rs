//! Selects the events of a filter: one pass over the columns of types and threads. Payloads are read only for
//! conditions on them (`query`).
//!
//! Conditions on interned names are evaluated once per type and thread. Chunks in which all or no types and threads
//! match aren't examined.

use super::query::{Prepared, QuerySearch};
use super::stacks::StackFilter;
use crate::analysis::scan::payload_batches::{AHEAD_BYTES, PayloadBatches, Step};
use crate::analysis::scan::selection::{Selection, SelectionBuilder};
use crate::analysis::values::labels::LabelSearch;
use crate::analysis::values::sort_value::field_names;
use crate::model::EventType;
use crate::model::Store;
use crate::model::Thread;
use crate::model::{CHUNK_ROWS, EventChunk};
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::TypeId;
use protocol::filter::Query;
use protocol::request::Filter;
use protocol::tables::FieldNames;
use std::collections::VecDeque;
use std::ops::Range;

const WORDS: usize = CHUNK_ROWS / 64;

/// A filter being applied, in steps, so that a session can be interrupted.
pub struct Search {
    rows: Range<usize>,
    next: usize,
    /// By type and by thread: true if the filter allows it.
    types: Column,
    threads: Column,
    labels: Option<LabelSearch>,
    stacks: Option<StackFilter>,
    query: Option<QuerySearch>,
    /// Parts whose payloads have to be read, in row order.
    parts: VecDeque<Part>,
    ahead_bytes: u64,
    builder: SelectionBuilder,
}

/// Rows of a chunk.
struct Part {
    /// Position of the chunk.
    chunk: usize,
    /// A bit for each matching row.
    words: Vec<u64>,
    /// Payloads of further potential rows, and the bytes reserved for them.
    batches: PayloadBatches,
    bytes: u64,
}

/// Allowed IDs of a column.
struct Column {
    allowed: Vec<bool>,
    all: bool,
}

impl Search {
    /// Prepares a filter with its parsed query.
    pub fn new(store: &Store, filter: &Filter, query: &Query, prepared: Prepared<'_>) -> Self {
        let events = &store.events;
        let rows = filter.span.map_or(0..events.len(), |span| events.range(store.clock, span));
        Self {
            next: rows.start,
            types: Column::new(store.types.iter().map(|event_type| allows_type(filter, event_type))),
            threads: Column::new(store.threads.iter().map(|thread| allows_thread(store, filter, thread))),
            labels: LabelSearch::new(store, &filter.labels),
            stacks: StackFilter::new(store, &filter.frames),
            query: QuerySearch::new(store, query, prepared),
            parts: VecDeque::new(),
            ahead_bytes: 0,
            builder: SelectionBuilder::new(events.len()),
            rows,
        }
    }

    /// Examines further rows for a few milliseconds. Announces payloads that a source has to fetch, and waits for them,
    /// if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let is_ahead = self.ahead_bytes >= if may_wait { AHEAD_BYTES } else { 1 };
        if self.next < self.rows.end && !is_ahead {
            let end = (self.next / CHUNK_ROWS * CHUNK_ROWS).saturating_add(CHUNK_ROWS).min(self.rows.end);
            for (chunk, inside) in store.events.chunks_in(self.next..end) {
                self.look_at(store, source, chunk, inside, may_wait);
            }
            self.next = end;
        } else if let Some(mut part) = self.parts.pop_front() {
            if may_wait && part.batches.is_coming(source) {
                self.parts.push_front(part);
                return Ok(Step::Waiting);
            }
            if let (Some(chunk), Some(query)) = (store.events.chunks().get(part.chunk), &mut self.query) {
                if !query.search_payloads(store, source, chunk, &mut part.batches, &mut part.words)? {
                    self.parts.push_front(part);
                    return Ok(Step::More);
                }
                self.insert(chunk, &part.words);
            }
            self.ahead_bytes -= part.bytes;
        }
        Ok(if self.next == self.rows.end && self.parts.is_empty() { Step::Done } else { Step::More })
    }

    /// Returns the examined share of the rows.
    pub fn share(&self) -> f64 {
        let examined = (self.next - self.rows.start).saturating_sub(self.parts.len() * CHUNK_ROWS);
        examined as f64 / self.rows.len().max(1) as f64
    }

    /// Returns the matching rows among those examined.
    pub fn finish(self) -> Selection {
        self.builder.finish()
    }

    fn look_at(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        chunk: &EventChunk,
        inside: Range<usize>,
        may_wait: bool,
    ) {
        let types = self.types.over(chunk.types_present.iter());
        let threads = self.threads.over(chunk.threads_present.iter());
        if types == Some(false) || threads == Some(false) || inside.is_empty() {
            return;
        }
        let first = chunk.first_row;
        let by_row = self.labels.is_some() || self.stacks.is_some() || self.query.is_some();
        if types == Some(true) && threads == Some(true) && !by_row {
            return self.builder.insert_range(first + inside.start..first + inside.end);
        }
        let mut words = vec![0u64; WORDS];
        set_range(&mut words, inside.clone());
        if types.is_none() {
            chunk.types.for_each(inside.clone(), |row, id| keep_if(&mut words, row, self.types.allows(id)));
        }
        if threads.is_none() {
            chunk.threads.for_each(inside, |row, id| keep_if(&mut words, row, self.threads.allows(id)));
        }
        if let Some(labels) = &self.labels {
            labels.narrow(store, chunk, &mut words);
        }
        if let Some(stacks) = &self.stacks {
            stacks.narrow(chunk, &mut words);
        }
        let query = self.query.as_ref();
        let batches = query.map_or_else(PayloadBatches::default, |query| query.narrow(store, chunk, &mut words));
        if batches.is_empty() {
            return self.insert(chunk, &words);
        }
        let bytes = batches.announce(source, may_wait);
        self.ahead_bytes += bytes;
        self.parts.push_back(Part { chunk: first / CHUNK_ROWS, words, batches, bytes });
    }

    fn insert(&mut self, chunk: &EventChunk, words: &[u64]) {
        for (word, &bits) in words.iter().enumerate() {
            self.builder.insert_word(chunk.first_row + word * 64, bits);
        }
    }
}

/// Returns the rows that a filter selects, without steps.
///
/// # Errors
/// If a payload can't be read from the file.
#[cfg(test)]
pub fn select(store: &Store, source: &dyn ByteSource, filter: &Filter) -> Result<Selection, SourceError> {
    use crate::analysis::intervals::spans::{request_times::RequestTimes, search::SpanSearch};
    use crate::analysis::intervals::tracks::TrackIndex;
    let query = protocol::filter::parse(&filter.query).map_err(|error| SourceError::new(error.to_string()))?;
    let mut requests = None;
    if super::query::needs_routes(&query) {
        let (mut search, mut tracks) = (SpanSearch::new(store), TrackIndex::default());
        while search.step(store, source, false)? != Step::Done {}
        let spans = search.finish(store, source, &mut tracks)?;
        requests = Some(std::rc::Rc::new(RequestTimes::of(store, &spans)));
    }
    let prepared = Prepared { requests: requests.as_ref(), ..Prepared::default() };
    let mut search = Search::new(store, filter, &query, prepared);
    while search.step(store, source, false)? != Step::Done {}
    Ok(search.finish())
}

/// Returns the names of payload fields of the event types that a filter allows.
pub fn filtered_fields(store: &Store, filter: &Filter) -> FieldNames {
    let allowed = store.types.iter().filter(|event_type| event_type.count > 0 && allows_type(filter, event_type));
    field_names(allowed.map(|event_type| event_type.schema.fields.as_slice()))
}

fn allows_type(filter: &Filter, event_type: &EventType) -> bool {
    let listed = |id: TypeId| filter.types.contains(&id);
    filter.level.is_none_or(|most| event_type.record.level <= most)
        && (filter.types.is_empty() || listed(event_type.id) || listed(event_type.base))
        && (filter.providers.is_empty() || filter.providers.contains(&event_type.provider))
}

fn allows_thread(store: &Store, filter: &Filter, thread: &Thread) -> bool {
    (filter.threads.is_empty() || filter.threads.contains(&thread.id)) && allows_process(store, filter, thread)
}

pub(crate) fn allows_process(store: &Store, filter: &Filter, thread: &Thread) -> bool {
    let is_listed = || filter.processes.contains(&store.os_process_of(thread));
    filter.processes.is_empty() || is_listed()
}

impl Column {
    fn new(allowed: impl Iterator<Item = bool>) -> Self {
        let allowed: Vec<bool> = allowed.collect();
        Self { all: allowed.iter().all(|&allowed| allowed), allowed }
    }

    #[inline]
    fn allows(&self, id: u32) -> bool {
        self.allowed.get(id as usize).copied().unwrap_or(false)
    }

    /// Returns whether all of these IDs are allowed, or none; `None` if they differ.
    fn over(&self, mut present: impl Iterator<Item = u32>) -> Option<bool> {
        if self.all {
            return Some(true);
        }
        let first = present.next().is_some_and(|id| self.allows(id));
        present.all(|id| self.allows(id) == first).then_some(first)
    }
}

fn set_range(words: &mut [u64], rows: Range<usize>) {
    for (index, word) in words.iter_mut().enumerate().take(rows.end.div_ceil(64)).skip(rows.start / 64) {
        let start = rows.start.saturating_sub(index * 64);
        let length = rows.end.saturating_sub(index * 64).min(64) - start.min(64);
        let ones = if length == 64 { u64::MAX } else { (1 << length) - 1 };
        *word = ones << start.min(63);
    }
}

#[inline]
fn keep_if(words: &mut [u64], row: usize, keep: bool) {
    words[row / 64] &= !(u64::from(!keep) << (row % 64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{ORDERS, What, store_of};
    use protocol::base::ids::EventId;
    use protocol::base::time::Span;

    fn times(store: &Store, bytes: &[u8], filter: &Filter) -> Vec<i64> {
        let selection = select(store, &bytes, filter).unwrap();
        selection.iter().map(|row| store.events.row(EventId(row as u32)).ticks).collect()
    }

    fn trace() -> (Store, Vec<u8>) {
        store_of(&[
            (0, 5, What::Order("TR-0049", 12)),
            (10, 6, What::Sample(true, vec![1])),
            (20, 6, What::Order("BK-4471", 700)),
            (30, 5, What::Throw("bad TR-0049")),
            (40, 6, What::Sample(false, vec![1])),
            (50, 5, What::GcStart(3)),
        ])
    }

    #[test]
    fn empty_filter_selects_everything() {
        let (store, bytes) = trace();
        let all = select(&store, &bytes, &Filter::default()).unwrap();
        assert_eq!(all.count(), store.events.len() as u64);
    }

    #[test]
    fn span_thread_provider_and_type_must_all_match() {
        let (store, bytes) = trace();
        let thread = |os_thread| store.threads.iter().find(|thread| thread.os_thread == os_thread).unwrap().id;
        let span = Some(Span::new(0, 50));
        let filter = Filter { span, threads: vec![thread(5)], ..Filter::default() };
        assert_eq!(times(&store, &bytes, &filter), [0, 30]);
        let filter = Filter { providers: vec![ORDERS.to_owned()], ..filter };
        assert_eq!(times(&store, &bytes, &filter), [0]);
        let filter = Filter { threads: vec![], ..filter };
        assert_eq!(times(&store, &bytes, &filter), [0, 20]);
        let samples = store.types.iter().find(|kind| kind.sample_state.is_some()).unwrap();
        let filter = Filter { types: vec![samples.base], ..Filter::default() };
        assert_eq!(times(&store, &bytes, &filter), [10, 40], "the base of a type stands for all its variants");
    }

    #[test]
    fn text_is_searched_in_names_and_payloads() {
        let (store, bytes) = trace();
        let find = |text: &str| {
            times(
                &store,
                &bytes,
                &Filter { span: Some(Span::new(0, 100)), query: text.to_owned(), ..Filter::default() },
            )
        };
        assert_eq!(find("tr-0049"), [0, 30]);
        assert_eq!(find("orderplaced"), [0, 20]);
        assert_eq!(find("700"), [20]);
        assert_eq!(find("induced"), [50], "words that stand for numbers are found");
        assert_eq!(find("formatexception"), [30]);
        assert_eq!(find("\"no such text\""), [] as [i64; 0]);
        assert_eq!(find("\"thread 6\"").len() + find("\"main 6\"").len(), 3);
    }
}
