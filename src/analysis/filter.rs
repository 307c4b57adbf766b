//! Which events a filter selects: one pass over the columns of types and threads, and only for a text that no name
//! contains a look at payloads.
//!
//! Everything that can be decided by an interned name is decided once a type and once a thread. Chunks of which all or
//! no types and threads are wanted are not looked at.

use super::payload_text::{Owner, any_value};
use super::selection::{Selection, SelectionBuilder};
use super::text_match::Needle;
use crate::clr::manifest::describe;
use crate::model::EventType;
use crate::model::Store;
use crate::model::Thread;
use crate::model::ids::{EventId, TypeId};
use crate::model::{CHUNK_ROWS, EventChunk};
use crate::nettrace::{ByteSource, Field, FieldType, SourceError, Value, decode};
use crate::protocol::request::Filter;
use std::ops::Range;

const WORDS: usize = CHUNK_ROWS / 64;

/// What to call a thread where its number must be seen: "Pool worker 8123".
pub fn numbered_label(thread: &Thread) -> String {
    format!("{} {}", thread.label(), thread.os_thread)
}

/// A filter on its way over the events. Work is done in steps, so that a session can be interrupted.
pub struct Search {
    rows: Range<usize>,
    next: usize,
    /// By type and by thread: whether the filter allows it.
    types: Column,
    threads: Column,
    text: Option<TextSearch>,
    builder: SelectionBuilder,
}

/// What is allowed of a column of identities.
struct Column {
    allowed: Vec<bool>,
    all: bool,
}

struct TextSearch {
    needle: Needle,
    /// By type: how its payloads are searched.
    types: Vec<PayloadSearch>,
    /// By thread: whether its label contains the text.
    threads: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PayloadSearch {
    /// The type's name already contains the text.
    NameMatches,
    /// Its payloads cannot contain it.
    Impossible,
    /// Only payloads whose bytes contain the text are decoded.
    IfBytesMatch,
    /// All payloads are decoded: the text may stand for a number.
    Numbers,
    /// All payloads are decoded: words that stand for numbers contain the text.
    Words,
}

impl Search {
    /// Prepares a filter.
    pub fn new(store: &Store, filter: &Filter) -> Self {
        let events = store.events();
        let rows = filter.span.map_or(0..events.len(), |span| events.range(store.clock(), span));
        Self {
            next: rows.start,
            types: Column::new(store.types().iter().map(|event_type| allows_type(filter, event_type))),
            threads: Column::new(store.threads().iter().map(|thread| allows_thread(filter, thread))),
            text: Needle::new(&filter.text).map(|needle| TextSearch::new(store, needle)),
            builder: SelectionBuilder::new(events.len()),
            rows,
        }
    }

    /// Looks at about `count` more rows; whether that was the last.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, count: usize) -> Result<bool, SourceError> {
        let end = self.next.saturating_add(count.max(1)).min(self.rows.end);
        for (chunk, inside) in store.events().chunks_in(self.next..end) {
            self.look_at(store, source, chunk, inside)?;
        }
        self.next = end;
        Ok(end == self.rows.end)
    }

    /// The rows that match, of those looked at.
    pub fn finish(self) -> Selection {
        self.builder.finish()
    }

    /// Whether one event matches.
    ///
    /// # Errors
    /// If its payload cannot be read from the file.
    pub fn matches(&self, store: &Store, source: &dyn ByteSource, event: EventId) -> Result<bool, SourceError> {
        let row = store.events().row(event);
        if !self.rows.contains(&event.index())
            || !self.types.allows(row.event_type.0)
            || !self.threads.allows(row.thread.0)
        {
            return Ok(false);
        }
        let Some(text) = &self.text else { return Ok(true) };
        if text.threads.get(row.thread.index()) == Some(&true) {
            return Ok(true);
        }
        text.matches(store, source, row.event_type.0, event)
    }

    fn look_at(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        chunk: &EventChunk,
        inside: Range<usize>,
    ) -> Result<(), SourceError> {
        let types = self.types.over(chunk.types_present().iter());
        let threads = self.threads.over(chunk.threads_present().iter());
        if types == Some(false) || threads == Some(false) || inside.is_empty() {
            return Ok(());
        }
        let first = chunk.first_row();
        if types == Some(true) && threads == Some(true) && self.text.is_none() {
            self.builder.insert_range(first + inside.start..first + inside.end);
            return Ok(());
        }
        let mut words = vec![0u64; WORDS];
        set_range(&mut words, inside.clone());
        if types.is_none() {
            chunk.type_column().for_each(inside.clone(), |row, id| keep_if(&mut words, row, self.types.allows(id)));
        }
        if threads.is_none() {
            chunk.thread_column().for_each(inside.clone(), |row, id| keep_if(&mut words, row, self.threads.allows(id)));
        }
        if let Some(text) = &self.text {
            text.narrow(store, source, chunk, &mut words)?;
        }
        let used = inside.start / 64..inside.end.div_ceil(64);
        for (word, &bits) in words.iter().enumerate().take(used.end).skip(used.start) {
            self.builder.insert_word(first + word * 64, bits);
        }
        Ok(())
    }
}

/// The rows that a filter selects.
///
/// # Errors
/// If a payload cannot be read from the file.
pub fn select(store: &Store, source: &dyn ByteSource, filter: &Filter) -> Result<Selection, SourceError> {
    let mut search = Search::new(store, filter);
    while !search.step(store, source, usize::MAX)? {}
    Ok(search.finish())
}

fn allows_type(filter: &Filter, event_type: &EventType) -> bool {
    let listed = |id: TypeId| filter.types.contains(&id);
    (filter.types.is_empty() || listed(event_type.id) || listed(event_type.base))
        && (filter.providers.is_empty() || filter.providers.contains(&event_type.provider))
}

fn allows_thread(filter: &Filter, thread: &Thread) -> bool {
    filter.threads.is_empty() || filter.threads.contains(&thread.id)
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

    /// What holds for all of these identities, if it is the same.
    fn over(&self, mut present: impl Iterator<Item = u32>) -> Option<bool> {
        if self.all {
            return Some(true);
        }
        let first = present.next().is_some_and(|id| self.allows(id));
        present.all(|id| self.allows(id) == first).then_some(first)
    }
}

impl TextSearch {
    fn new(store: &Store, needle: Needle) -> Self {
        let types = store.types().iter().map(|event_type| payload_search(&needle, event_type)).collect();
        let threads = store.threads().iter().map(|thread| needle.is_in(&numbered_label(thread))).collect();
        Self { needle, types, threads }
    }

    /// Keeps the rows whose names or payload contain the text.
    fn narrow(
        &self,
        store: &Store,
        source: &dyn ByteSource,
        chunk: &EventChunk,
        words: &mut [u64],
    ) -> Result<(), SourceError> {
        for (index, word) in words.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let row = index * 64 + bit;
                let is_named = self.threads.get(chunk.thread(row).index()) == Some(&true);
                if !is_named && !self.matches(store, source, chunk.event_type(row).0, chunk.event_id(row))? {
                    *word &= !(1 << bit);
                }
            }
        }
        Ok(())
    }

    fn matches(
        &self,
        store: &Store,
        source: &dyn ByteSource,
        event_type: u32,
        event: EventId,
    ) -> Result<bool, SourceError> {
        let search = self.types.get(event_type as usize).copied().unwrap_or(PayloadSearch::Impossible);
        match search {
            PayloadSearch::NameMatches => return Ok(true),
            PayloadSearch::Impossible => return Ok(false),
            PayloadSearch::IfBytesMatch | PayloadSearch::Numbers | PayloadSearch::Words => {}
        }
        let Some(event_type) = store.types().get(TypeId(event_type)) else { return Ok(false) };
        let payload = store.payload(event, source)?;
        if search == PayloadSearch::IfBytesMatch && !self.needle.may_be_in_bytes(&payload) {
            return Ok(false);
        }
        let fields = &event_type.schema.fields;
        let values = decode(fields, &payload, store.header().pointer_size);
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        let also_words = search == PayloadSearch::Words;
        Ok(any_value(owner, fields, &values, also_words, &mut |text| self.needle.is_in(text)))
    }
}

fn payload_search(needle: &Needle, event_type: &EventType) -> PayloadSearch {
    let fields = &event_type.schema.fields;
    if needle.is_in(&format!("{}/{}", event_type.provider, event_type.display_name)) {
        PayloadSearch::NameMatches
    } else if fields.is_empty() {
        PayloadSearch::Impossible
    } else if fields.iter().any(|field| words_match(needle, event_type, field)) {
        PayloadSearch::Words
    } else if needle.may_be_in_a_number() {
        PayloadSearch::Numbers
    } else if fields.iter().any(|field| may_hold_text(&field.field_type)) {
        PayloadSearch::IfBytesMatch
    } else {
        PayloadSearch::Impossible
    }
}

/// Whether words that stand for numbers of this field contain the text. Their bytes do not.
fn words_match(needle: &Needle, event_type: &EventType, field: &Field) -> bool {
    let (provider, id) = (&event_type.provider, event_type.record.event_id);
    let words = |number: u64| describe(provider, id, &field.name, &Value::UInt(number, 64));
    let has_words = [0, 1, 2, 3, 4, 8].into_iter().any(|number| words(number).is_some());
    let flags = (8..64).map(|bit| 1u64 << bit);
    let mut numbers = (0..256).chain(flags).take_while(|_| has_words);
    let matches = numbers.any(|number| words(number).is_some_and(|words| needle.is_in(&words)));
    matches || inner_fields(&field.field_type).iter().any(|inner| words_match(needle, event_type, inner))
}

fn inner_fields(field_type: &FieldType) -> &[Field] {
    match field_type {
        FieldType::Object(fields) => fields,
        FieldType::Array(element)
        | FieldType::FixedLengthArray(element, _)
        | FieldType::RelLoc(element)
        | FieldType::DataLoc(element)
        | FieldType::CountedArray { element, .. } => inner_fields(element),
        _ => &[],
    }
}

fn may_hold_text(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Object(fields) => fields.iter().any(|field| may_hold_text(&field.field_type)),
        FieldType::Array(element)
        | FieldType::FixedLengthArray(element, _)
        | FieldType::RelLoc(element)
        | FieldType::DataLoc(element)
        | FieldType::CountedArray { element, .. } => may_hold_text(element),
        FieldType::Char16
        | FieldType::Utf16String
        | FieldType::Utf8String
        | FieldType::CountedUtf8String
        | FieldType::Utf8CodeUnit => true,
        _ => false,
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
    use super::super::testing::{ORDERS, What, store_of};
    use super::*;
    use crate::model::time::Span;

    fn times(store: &Store, bytes: &[u8], filter: &Filter) -> Vec<i64> {
        let selection = select(store, &bytes, filter).unwrap();
        let search = Search::new(store, filter);
        for row in 0..store.events().len() {
            let event = EventId(row as u32);
            assert_eq!(search.matches(store, &bytes, event), Ok(selection.contains(row)), "row {row}");
        }
        selection.iter().map(|row| store.events().row(EventId(row as u32)).ticks).collect()
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
    fn nothing_asked_is_everything() {
        let (store, bytes) = trace();
        let all = select(&store, &bytes, &Filter::default()).unwrap();
        assert_eq!(all.count(), store.events().len() as u64);
    }

    #[test]
    fn span_thread_provider_and_type_are_joined_by_and() {
        let (store, bytes) = trace();
        let thread = |os_thread| store.threads().iter().find(|thread| thread.os_thread == os_thread).unwrap().id;
        let span = Some(Span::new(0, 50));
        let filter = Filter { span, threads: vec![thread(5)], ..Filter::default() };
        assert_eq!(times(&store, &bytes, &filter), [0, 30]);
        let filter = Filter { providers: vec![ORDERS.to_owned()], ..filter };
        assert_eq!(times(&store, &bytes, &filter), [0]);
        let filter = Filter { threads: vec![], ..filter };
        assert_eq!(times(&store, &bytes, &filter), [0, 20]);
        let samples = store.types().iter().find(|kind| kind.sample_state.is_some()).unwrap();
        let filter = Filter { types: vec![samples.base], ..Filter::default() };
        assert_eq!(times(&store, &bytes, &filter), [10, 40], "the base of a type stands for all its variants");
    }

    #[test]
    fn a_text_is_looked_for_in_names_and_in_payloads() {
        let (store, bytes) = trace();
        let find = |text: &str| {
            times(&store, &bytes, &Filter { span: Some(Span::new(0, 100)), text: text.to_owned(), ..Filter::default() })
        };
        assert_eq!(find("tr-0049"), [0, 30]);
        assert_eq!(find("orderplaced"), [0, 20]);
        assert_eq!(find("700"), [20]);
        assert_eq!(find("induced"), [50], "words that stand for numbers are found");
        assert_eq!(find("formatexception"), [30]);
        assert_eq!(find("no such text"), [] as [i64; 0]);
        assert_eq!(find("thread 6").len() + find("main 6").len(), 3);
    }
}
