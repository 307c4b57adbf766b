//! Which events contain a text: in the name of their type, in that of their thread, or in their payload.
//!
//! What names can decide is decided once a type and once a thread. The payloads of the other rows are read in few large
//! pieces of the file; a payload is decoded only if its bytes could contain the text.

use super::payload_pieces::PayloadPieces;
use super::payload_text::{Owner, any_value};
use super::rows::retain_rows;
use super::text_match::Needle;
use crate::clr::manifest::describe;
use crate::model::{CHUNK_ROWS, EventChunk, EventType, Store};
use crate::nettrace::{ByteSource, Field, FieldType, SourceError, Value, decode};

/// Payloads that are looked at in a step, and when all of them have to be decoded.
const SEARCHED_PAYLOADS: usize = CHUNK_ROWS / 2;
const DECODED_PAYLOADS: usize = CHUNK_ROWS / 16;

/// A text on its way over the events.
pub struct TextSearch {
    needle: Needle,
    /// By type: how its payloads are searched.
    types: Vec<PayloadSearch>,
    /// By thread: whether its label contains the text.
    threads: Vec<bool>,
    is_any_thread_named: bool,
    /// A piece of the file.
    buffer: Vec<u8>,
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

impl TextSearch {
    /// Looks for `text`; none if it is empty, so that there is no condition.
    pub fn new(store: &Store, text: &str) -> Option<Self> {
        let needle = Needle::new(text)?;
        let types = store.types().iter().map(|event_type| payload_search(&needle, event_type)).collect();
        let threads: Vec<bool> = store.threads().iter().map(|thread| needle.is_in(&thread.numbered_label())).collect();
        let is_any_thread_named = threads.contains(&true);
        Some(Self { needle, types, threads, is_any_thread_named, buffer: Vec::new() })
    }

    /// Whether an event of the chunk could match, by the types and threads that it has.
    pub fn may_match(&self, chunk: &EventChunk) -> bool {
        self.is_any_thread_named
            || chunk.types_present().iter().any(|event_type| self.search_of(event_type) != PayloadSearch::Impossible)
    }

    /// Keeps, of the rows of the chunk whose bits are set, those whose names contain the text; the payloads of others that
    /// may contain it are to be looked at by [`Self::look_at_payloads`].
    pub fn narrow(&self, chunk: &EventChunk, words: &mut [u64]) -> PayloadPieces {
        let mut pieces = PayloadPieces::default();
        retain_rows(words, |row| {
            if self.is_any_thread_named && self.threads.get(chunk.thread(row).index()) == Some(&true) {
                return true;
            }
            match self.search_of(chunk.event_type(row).0) {
                PayloadSearch::NameMatches => true,
                PayloadSearch::Impossible => false,
                PayloadSearch::IfBytesMatch | PayloadSearch::Numbers | PayloadSearch::Words => {
                    pieces.add(chunk.payload_offset(row), chunk.payload_length(row), row);
                    false
                }
            }
        });
        pieces.plan();
        pieces
    }

    /// Looks at some of the payloads, a few milliseconds' work, and sets the bits of those rows of the chunk whose payloads
    /// contain the text; whether those were the last.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn look_at_payloads(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        chunk: &EventChunk,
        pieces: &mut PayloadPieces,
        words: &mut [u64],
    ) -> Result<bool, SourceError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let decodes = |search: &PayloadSearch| matches!(search, PayloadSearch::Numbers | PayloadSearch::Words);
        let most = if self.types.iter().any(decodes) { DECODED_PAYLOADS } else { SEARCHED_PAYLOADS };
        let result = pieces.visit(source, &mut buffer, most, |payload, row| {
            let event_type = chunk.event_type(row);
            let search = self.search_of(event_type.0);
            if search == PayloadSearch::IfBytesMatch && !self.needle.may_be_in_bytes(payload) {
                return;
            }
            let Some(event_type) = store.types().get(event_type) else { return };
            if self.is_in_payload(store, event_type, payload, search == PayloadSearch::Words)
                && let Some(word) = words.get_mut(row / 64)
            {
                *word |= 1 << (row % 64);
            }
        });
        self.buffer = buffer;
        result
    }

    fn search_of(&self, event_type: u32) -> PayloadSearch {
        self.types.get(event_type as usize).copied().unwrap_or(PayloadSearch::Impossible)
    }

    fn is_in_payload(&self, store: &Store, event_type: &EventType, payload: &[u8], also_words: bool) -> bool {
        let fields = &event_type.schema.fields;
        let values = decode(fields, payload, store.header().pointer_size);
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        any_value(owner, fields, &values, also_words, &mut |text| self.needle.is_in(text))
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

#[cfg(test)]
mod tests {
    use super::super::filter::select;
    use super::super::testing::{What, store_of};
    use super::*;
    use crate::model::ids::EventId;
    use crate::protocol::request::Filter;
    use proptest::prelude::*;

    /// Whether an event contains the text, found by decoding it.
    fn contains(search: &TextSearch, store: &Store, bytes: &[u8], event: EventId) -> bool {
        let row = store.events().row(event);
        let event_type = store.types().get(row.event_type).expect("a type");
        let thread = store.threads().get(row.thread).expect("a thread");
        let name = format!("{}/{}", event_type.provider, event_type.display_name);
        search.needle.is_in(&name)
            || search.needle.is_in(&thread.numbered_label())
            || search.is_in_payload(store, event_type, &store.payload(event, &bytes).expect("a payload"), true)
    }

    const TEXTS: [&str; 8] = ["", "a", "Ab", "bAB", "aabb", "bb a", "1a", "order"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn finds_what_decoding_every_payload_finds(
            orders in proptest::collection::vec((0usize..8, 0i32..30, 5u64..7), 1..40),
            text in "[ab]{1,3}|[0-9]{1,2}|[bt][AO]|order|main|\u{e9}",
        ) {
            let what = |text, amount| if amount == 0 { What::Throw(text) } else { What::Order(text, amount) };
            let times = (0i64..).zip(&orders);
            let events: Vec<_> = times.map(|(at, order)| (at, order.2, what(TEXTS[order.0], order.1))).collect();
            let (store, bytes) = store_of(&events);
            let found = select(&store, &bytes, &Filter { text: text.clone(), ..Filter::default() }).expect("a file");
            let search = TextSearch::new(&store, &text).expect("a text");
            for row in 0..store.events().len() {
                let expected = contains(&search, &store, &bytes, EventId(row as u32));
                prop_assert_eq!(found.contains(row), expected, "row {}", row);
            }
        }
    }
}
