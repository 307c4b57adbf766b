//! Search for a text anywhere in an event: in the names of its type and thread, or in its payload.
//!
//! Names are searched once per type and thread. For other rows, a payload is decoded only if its bytes or numbers could
//! contain the text.

use super::evaluate::{Bits, Row};
use super::matcher::{Matcher, full_name};
use super::number_scan::{Digits, NumberScan};
use crate::analysis::scan::rows::retain_rows;
use crate::analysis::scan::text_match::Needle;
use crate::analysis::values::payload_text::{Owner, any_value};
use crate::clr::manifest::describe;
use crate::model::{EventChunk, EventType, Store};
use nettrace::{Field, FieldType, Value};

/// A text to find.
pub(super) struct TextLeaf {
    matcher: Matcher,
    digits: Digits,
    /// By type: how to search its payloads.
    types: Vec<PayloadSearch>,
    /// By thread: true if its label contains the text.
    threads: Vec<bool>,
    is_any_thread_named: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PayloadSearch {
    /// The type's name already contains the text.
    NameMatches,
    /// Its payloads can't contain the text.
    Impossible,
    /// Payloads are decoded if their bytes contain the text.
    IfBytesMatch,
    /// Payloads are decoded if their bytes or numbers may contain the text.
    IfBytesOrNumbersMatch,
    /// All payloads are decoded, because words for numbers may contain the text.
    Words,
}

impl TextLeaf {
    /// Prepares the search for a matcher.
    pub fn new(store: &Store, matcher: Matcher) -> Self {
        let types = store.types().iter().map(|event_type| payload_search(&matcher, event_type)).collect();
        let threads: Vec<bool> = store
            .threads()
            .iter()
            .map(|thread| matcher.matches(&thread.numbered_label()) || matcher.matches(&thread.numbered_role()))
            .collect();
        let is_any_thread_named = threads.contains(&true);
        let digits = match &matcher {
            Matcher::Part(needle) => Digits::new(needle.lower()),
            _ => Digits::default(),
        };
        Self { matcher, digits, types, threads, is_any_thread_named }
    }

    /// Returns whether many payloads have to be decoded or looked at field by field.
    pub fn decodes(&self) -> bool {
        self.types.iter().any(|search| matches!(search, PayloadSearch::IfBytesOrNumbersMatch | PayloadSearch::Words))
    }

    /// Returns the rows that contain the text among those whose bits are set.
    pub fn judge(&self, chunk: &EventChunk, within: &[u64]) -> Bits {
        let (mut yes, mut maybe) = (within.to_vec(), vec![0; within.len()]);
        let is_impossible = |event_type: u32| self.search_of(event_type) == PayloadSearch::Impossible;
        if !self.is_any_thread_named && chunk.types_present().iter().all(is_impossible) {
            yes.fill(0);
            return Bits { yes, maybe };
        }
        retain_rows(&mut yes, |row| {
            if self.is_any_thread_named && self.threads.get(chunk.thread(row).index()) == Some(&true) {
                return true;
            }
            match self.search_of(chunk.event_type(row).0) {
                PayloadSearch::NameMatches => true,
                PayloadSearch::Impossible => false,
                PayloadSearch::IfBytesMatch | PayloadSearch::IfBytesOrNumbersMatch | PayloadSearch::Words => {
                    maybe[row / 64] |= 1 << (row % 64);
                    false
                }
            }
        });
        Bits { yes, maybe }
    }

    /// Returns whether a row contains the text.
    pub fn matches_row(&self, row: &Row<'_>) -> bool {
        if self.is_any_thread_named && self.threads.get(row.chunk.thread(row.row).index()) == Some(&true) {
            return true;
        }
        let search = self.search_of(row.event_type.id.0);
        let is_candidate = match (search, &self.matcher) {
            (PayloadSearch::NameMatches, _) => return true,
            (PayloadSearch::Impossible, _) => return false,
            (PayloadSearch::IfBytesMatch, Matcher::Part(needle)) => needle.may_be_in_bytes(row.payload),
            (PayloadSearch::IfBytesOrNumbersMatch, Matcher::Part(needle)) => {
                needle.may_be_in_bytes(row.payload) || self.may_be_in_numbers(needle, row)
            }
            _ => true,
        };
        is_candidate && self.is_in_payload(row, search == PayloadSearch::Words)
    }

    fn may_be_in_numbers(&self, needle: &Needle, row: &Row<'_>) -> bool {
        let pointer_size = row.store.header().pointer_size;
        let scan = NumberScan { text: needle.lower(), digits: &self.digits, pointer_size };
        scan.may_be_in(&row.event_type.schema.fields, row.payload)
    }

    fn search_of(&self, event_type: u32) -> PayloadSearch {
        self.types.get(event_type as usize).copied().unwrap_or(PayloadSearch::Impossible)
    }

    fn is_in_payload(&self, row: &Row<'_>, also_words: bool) -> bool {
        let owner = Owner { provider: &row.event_type.provider, event_id: row.event_type.record.event_id };
        let fields = &row.event_type.schema.fields;
        any_value(owner, fields, row.values(), also_words, &mut |text| self.matcher.matches(text))
    }
}

fn payload_search(matcher: &Matcher, event_type: &EventType) -> PayloadSearch {
    let fields = &event_type.schema.fields;
    if matcher.matches(&full_name(event_type)) {
        return PayloadSearch::NameMatches;
    }
    if fields.is_empty() {
        return PayloadSearch::Impossible;
    }
    let Matcher::Part(needle) = matcher else { return PayloadSearch::Words };
    if fields.iter().any(|field| words_match(needle, event_type, field)) {
        PayloadSearch::Words
    } else if needle.may_be_in_a_number() {
        PayloadSearch::IfBytesOrNumbersMatch
    } else if fields.iter().any(|field| may_hold_text(&field.field_type)) {
        PayloadSearch::IfBytesMatch
    } else {
        PayloadSearch::Impossible
    }
}

/// Returns whether words for numbers of this field contain the text, which isn't in their bytes.
fn words_match(needle: &Needle, event_type: &EventType, field: &Field) -> bool {
    let (provider, id) = (&event_type.provider, event_type.record.event_id);
    let words = |number: u64| describe(provider, id, &field.name, &Value::UInt(number, 64));
    let has_words = [0, 1, 2, 3, 4, 8].into_iter().any(|number| words(number).is_some());
    let flags = (8..64).map(|bit| 1u64 << bit);
    let mut numbers = (0..256).chain(flags).take_while(|_| has_words);
    let matches = numbers.any(|number| words(number).is_some_and(|words| needle.is_in(&words)));
    matches || inner_fields(&field.field_type).iter().any(|inner| words_match(needle, event_type, inner))
}

/// Returns the fields inside a field, or inside the elements of an array; empty if there are none.
pub(super) fn inner_fields(field_type: &FieldType) -> &[Field] {
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
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::testing::{What, store_of};
    use crate::model::CHUNK_ROWS;
    use proptest::prelude::*;
    use protocol::base::ids::EventId;
    use protocol::filter::{Extent, Pattern};
    use protocol::request::Filter;

    /// Returns whether an event contains the text, found by decoding it.
    fn contains(leaf: &TextLeaf, store: &Store, bytes: &[u8], event: EventId) -> bool {
        let chunk = &store.events().chunks()[event.index() / CHUNK_ROWS];
        let row = event.index() % CHUNK_ROWS;
        let payload = store.payload(event, &bytes).expect("a payload");
        let row = Row::new(store, chunk, row, &payload).expect("a type");
        let thread = store.threads().get(chunk.thread(row.row)).expect("a thread");
        leaf.matcher.matches(&full_name(row.event_type))
            || leaf.matcher.matches(&thread.numbered_label())
            || leaf.matcher.matches(&thread.numbered_role())
            || leaf.is_in_payload(&row, true)
    }

    const TEXTS: [&str; 8] = ["", "a", "Ab", "bAB", "aabb", "bb a", "1a", "order"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn text_search_matches_decoding_every_payload(
            orders in proptest::collection::vec((0usize..8, 0i32..30, 5u64..7), 1..40),
            text in "[ab]{1,3}|[0-9]{1,2}|[bt][AO]|order|main|\u{e9}",
            is_regex in any::<bool>(),
        ) {
            let what = |text, amount| if amount == 0 { What::Throw(text) } else { What::Order(text, amount) };
            let times = (0i64..).zip(&orders);
            let events: Vec<_> = times.map(|(at, order)| (at, order.2, what(TEXTS[order.0], order.1))).collect();
            let (store, bytes) = store_of(&events);
            let (query, pattern) = if is_regex {
                (format!("/{text}/i"), Pattern::Regex { pattern: text, ignores_case: true })
            } else {
                (text.clone(), Pattern::Text(text))
            };
            let found = select(&store, &bytes, &Filter { query, ..Filter::default() }).expect("a file");
            let leaf = TextLeaf::new(&store, Matcher::new(&pattern, Extent::Part));
            for row in 0..store.events().len() {
                let expected = contains(&leaf, &store, &bytes, EventId(row as u32));
                prop_assert_eq!(found.contains(row), expected, "row {}", row);
            }
        }
    }
}
