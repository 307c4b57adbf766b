//! Search for a text anywhere in an event: in the names of its type and thread, or in its payload.
//!
//! Names are searched once per type and thread. For other rows, a payload is decoded only if its bytes or numbers could
//! contain the text.

use super::evaluate::{Bits, Row};
use super::matcher::{Matcher, full_name};
use super::number_scan::{Digits, NumberScan};
use super::payload_texts::{Possible, Verdicts, Wanted, words_may_match};
use crate::analysis::scan::rows::retain_rows;
use crate::analysis::scan::text_match::Needle;
use crate::analysis::values::payload_text::Owner;
use crate::model::{EventChunk, EventType, Store};
use nettrace::{Field, FieldType, Payload};
use std::cell::RefCell;

/// A text to find.
pub(super) struct TextLeaf {
    matcher: Matcher,
    /// Every text that matches contains one of these, unless there are none.
    needles: Vec<(Needle, Digits)>,
    possible: Possible,
    /// By type: how to search its payloads.
    types: Vec<PayloadSearch>,
    /// By thread: true if its label contains the text.
    threads: Vec<bool>,
    is_any_thread_named: bool,
    verdicts: RefCell<Verdicts>,
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
    /// All payloads are decoded.
    Always,
    /// All payloads are decoded, because words for numbers may contain the text.
    Words,
}

impl TextLeaf {
    /// Prepares the search for a matcher.
    pub fn new(store: &Store, matcher: Matcher) -> Self {
        let needles = needles_of(&matcher);
        let possible = Possible::of(&matcher);
        let types =
            store.types.iter().map(|event_type| payload_search(&matcher, &needles, possible, event_type)).collect();
        let threads: Vec<bool> = store
            .threads
            .iter()
            .map(|thread| matcher.matches(&thread.numbered_label()) || matcher.matches(&thread.numbered_role()))
            .collect();
        let is_any_thread_named = threads.contains(&true);
        let needles = needles.into_iter().map(|needle| (Digits::new(&needle.lower), needle));
        let needles = needles.map(|(digits, needle)| (needle, digits)).collect();
        Self { matcher, needles, possible, types, threads, is_any_thread_named, verdicts: RefCell::default() }
    }

    /// Returns whether many payloads have to be decoded or scanned field by field.
    pub fn decodes(&self) -> bool {
        use PayloadSearch::{Always, IfBytesOrNumbersMatch, Words};
        self.types.iter().any(|search| matches!(search, IfBytesOrNumbersMatch | Always | Words))
    }

    /// Returns the rows that contain the text among those whose bits are set.
    pub fn judge(&self, chunk: &EventChunk, within: &[u64]) -> Bits {
        let (mut yes, mut maybe) = (within.to_vec(), vec![0; within.len()]);
        let is_impossible = |event_type: u32| self.search_of(event_type) == PayloadSearch::Impossible;
        if !self.is_any_thread_named && chunk.types_present.iter().all(is_impossible) {
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
                _ => {
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
        let in_bytes = || self.needles.iter().any(|(needle, _)| needle.may_be_in_bytes(row.payload));
        let is_candidate = match search {
            PayloadSearch::NameMatches => return true,
            PayloadSearch::Impossible => return false,
            PayloadSearch::IfBytesMatch => in_bytes(),
            PayloadSearch::IfBytesOrNumbersMatch => in_bytes() || self.may_be_in_numbers(row),
            PayloadSearch::Always | PayloadSearch::Words => true,
        };
        is_candidate && self.is_in_payload(row, search == PayloadSearch::Words)
    }

    fn may_be_in_numbers(&self, row: &Row<'_>) -> bool {
        let pointer_size = row.store.header.pointer_size;
        self.needles.iter().any(|(needle, digits)| {
            let scan = NumberScan { text: &needle.lower, digits, pointer_size };
            scan.may_be_in(&row.event_type.schema.fields, row.payload)
        })
    }

    fn search_of(&self, event_type: u32) -> PayloadSearch {
        self.types.get(event_type as usize).copied().unwrap_or(PayloadSearch::Impossible)
    }

    fn is_in_payload(&self, row: &Row<'_>, words: bool) -> bool {
        let owner = Owner { provider: &row.event_type.provider, event_id: row.event_type.record.event_id };
        let fields = &row.event_type.schema.fields;
        let payload = Payload::new(fields, row.payload, row.store.header.pointer_size);
        let wanted = Wanted { matcher: &self.matcher, possible: self.possible, words };
        self.verdicts.borrow_mut().any_value(wanted, owner, payload)
    }
}

/// Returns texts of which everything that matches contains one; none if everything has to be looked at.
fn needles_of(matcher: &Matcher) -> Vec<Needle> {
    match matcher {
        Matcher::Part(needle) => vec![needle.clone()],
        Matcher::Regex(expressed) => {
            let texts = expressed.expression.as_ref().map_or_else(Vec::new, |expression| expression.required_texts());
            texts.iter().filter_map(|text| Needle::new(text)).collect()
        }
        _ => Vec::new(),
    }
}

fn payload_search(matcher: &Matcher, needles: &[Needle], possible: Possible, event_type: &EventType) -> PayloadSearch {
    let fields = &event_type.schema.fields;
    let is_text = matches!(matcher, Matcher::Part(_));
    let holds_text = fields.iter().any(|field| may_hold_text(&field.field_type));
    let in_numbers = || match needles {
        [needle] if is_text => needle.may_be_in_a_number(),
        _ => fields.iter().any(|field| possible.in_type(&field.field_type)),
    };
    if matcher.matches(&full_name(event_type)) {
        PayloadSearch::NameMatches
    } else if fields.is_empty() {
        PayloadSearch::Impossible
    } else if words_may_match(event_type, fields, matcher, needles) {
        PayloadSearch::Words
    } else if !is_text && possible.errors() || needles.is_empty() && (holds_text || in_numbers()) {
        PayloadSearch::Always
    } else if in_numbers() {
        PayloadSearch::IfBytesOrNumbersMatch
    } else if holds_text && !needles.is_empty() {
        PayloadSearch::IfBytesMatch
    } else {
        PayloadSearch::Impossible
    }
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
    use crate::analysis::values::value_text::write_value;
    use crate::model::CHUNK_ROWS;
    use nettrace::Value;
    use proptest::prelude::*;
    use protocol::base::ids::EventId;
    use protocol::filter::{Extent, Pattern};
    use protocol::request::Filter;

    /// Returns whether an event contains the text, found by decoding it.
    fn contains(is_match: &dyn Fn(&str) -> bool, store: &Store, bytes: &[u8], event: EventId) -> bool {
        let chunk = &store.events.chunks()[event.index() / CHUNK_ROWS];
        let row = event.index() % CHUNK_ROWS;
        let payload = store.payload(event, &bytes).expect("a payload");
        let row = Row::new(store, chunk, row, &payload).expect("a type");
        let thread = store.threads.get(chunk.thread(row.row)).expect("a thread");
        is_match(&full_name(row.event_type))
            || is_match(&thread.numbered_label())
            || is_match(&thread.numbered_role())
            || any_value(row.event_type, row.values(), &mut |text| is_match(text))
    }

    /// Returns whether `is_wanted` is true for the text of any value, or for the words for it.
    fn any_value(event_type: &EventType, values: &[Value], is_wanted: &mut dyn FnMut(&str) -> bool) -> bool {
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        let names = event_type.schema.fields.iter().map(|field| field.name.as_str());
        let mut open: Vec<(&str, &Value)> = names.zip(values).collect();
        while let Some((name, value)) = open.pop() {
            match value {
                Value::Object(inner) => open.extend(inner.iter().map(|(name, value)| (name.as_str(), value))),
                Value::Array(elements) => open.extend(elements.iter().map(|element| (name, element))),
                _ => {
                    let mut text = String::new();
                    write_value(&mut text, value);
                    if is_wanted(&text) || owner.words(name, value).is_some_and(|words| is_wanted(&words)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    const TEXTS: [&str; 8] = ["", "a", "Ab", "bAB", "aabb", "bb a", "1a", "order"];

    /// Texts, and expressions with and without texts that every match contains.
    fn pattern() -> impl Strategy<Value = (bool, String)> {
        let text = "[ab]{1,3}|[0-9]{1,2}|[bt][AO]|order|main|indu|\u{e9}";
        let part = "[ab]|a\\+|[ab]\\?|\\[ab\\]\\*|\\\\d|[0-9]|\\.|\\.\\*|\\^|\\$|\\(a\\|bb\\)|\\\\s|ord|indu|less";
        prop_oneof![
            (any::<bool>(), text),
            proptest::collection::vec(part, 1..4).prop_map(|parts| (true, parts.concat())),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn text_search_matches_decoding_every_payload(
            orders in proptest::collection::vec((0usize..8, 0i32..30, 5u64..7), 1..40),
            (is_regex, text) in pattern(),
        ) {
            let what = |text, amount| match amount {
                0 => What::Throw(text),
                1 => What::GcStart(2),
                _ => What::Order(text, amount),
            };
            let times = (0i64..).zip(&orders);
            let events: Vec<_> = times.map(|(at, order)| (at, order.2, what(TEXTS[order.0], order.1))).collect();
            let (store, bytes) = store_of(&events);
            let (query, pattern) = if is_regex {
                (format!("/{text}/i"), Pattern::Regex { pattern: text, ignores_case: true })
            } else {
                (text.clone(), Pattern::Text(text))
            };
            let found = select(&store, &bytes, &Filter { query, ..Filter::default() }).expect("a file");
            let matcher = Matcher::new(&pattern, Extent::Part);
            // Without what makes expressions fast.
            let is_match = |text: &str| match &matcher {
                Matcher::Regex(expressed) => expressed.regex.is_match(text),
                matcher => matcher.matches(text),
            };
            for row in 0..store.events.len() {
                let expected = contains(&is_match, &store, &bytes, EventId(row as u32));
                prop_assert_eq!(found.contains(row), expected, "row {}", row);
            }
        }
    }
}
