//! Values of the fields of an event type.
//!
//! The selected events are read once, in steps. If there are very many, evenly spaced ones are read. Values are
//! distinguished by text, up to a number per field and a total size; further ones are only counted.

use super::rank_order::selected_in;
use crate::analysis::scan::payload_batches::{PayloadBatches, Step};
use crate::analysis::scan::read_ahead::ReadAhead;
use crate::analysis::scan::selection::Selection;
use crate::analysis::values::payload_text::Owner;
use crate::analysis::values::sort_value::{Entry, Values};
use crate::analysis::values::value_text::{value_text, write_value};
use crate::model::{CHUNK_ROWS, Store, Strings};
use nettrace::{ByteSource, Field, FieldType, SourceError, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{StringId, TypeId};
use protocol::base::sort::sort_by;
use protocol::tables::FieldValues;
use std::cmp::{Ordering, Reverse};
use std::rc::Rc;

/// Payloads decoded per step.
const DECODED_PAYLOADS: usize = CHUNK_ROWS / 32;
/// Maximum number of events read.
const MAX_EVENTS: u64 = 1 << 20;
/// Maximum number of values of a field that are distinguished.
const MAX_DISTINCT: usize = 1 << 16;
/// Maximum bytes of the texts of all fields.
const MAX_TEXT_BYTES: u64 = 64 << 20;
/// Maximum bytes of a text that are compared.
const MAX_BYTES: usize = 512;
/// Maximum number of values displayed per field.
const MAX_VALUES: usize = 16;
/// Maximum number of fields.
const MAX_FIELDS: usize = 256;

/// A field without inner fields.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Leaf {
    /// Its row among all fields of the event type, including those of structures.
    row: u32,
    /// Its name, including those of the outer fields.
    name: String,
    own_name: String,
    /// Positions in the fields, from the outermost on.
    path: Vec<usize>,
}

/// Values of a field found so far.
#[derive(Default)]
struct Seen {
    with_value: u64,
    counts: FastMap<StringId, u64>,
    is_cut: bool,
    smallest: Option<(Entry, Value)>,
    largest: Option<(Entry, Value)>,
}

/// Search for field values, in steps, so that a session can be interrupted.
pub struct FieldValueSearch {
    selection: Rc<Selection>,
    event_type: TypeId,
    leaves: Vec<Leaf>,
    next: usize,
    /// One in this many selected events is read.
    stride: u64,
    /// Number of events of the type so far.
    passed: u64,
    looked_at: u64,
    ahead: ReadAhead,
    seen: Vec<Seen>,
    texts: Strings,
    order: Values,
    text: String,
}

impl FieldValueSearch {
    /// Prepares a search in the selected events of this type.
    pub fn new(store: &Store, selection: Rc<Selection>, event_type: TypeId) -> Self {
        let mut leaves = Vec::new();
        if let Some(one) = store.types.get(event_type) {
            collect(&one.schema.fields, "", &mut Vec::new(), &mut 0, &mut leaves);
        }
        let seen = leaves.iter().map(|_| Seen::default()).collect();
        Self {
            stride: selection.count().div_ceil(MAX_EVENTS).max(1),
            selection,
            event_type,
            leaves,
            next: 0,
            passed: 0,
            looked_at: 0,
            ahead: ReadAhead::default(),
            seen,
            texts: Strings::default(),
            order: Values::default(),
            text: String::new(),
        }
    }

    /// Reads further events for a few milliseconds. Announces payloads that a source has to fetch, and waits for them,
    /// if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        if self.next < store.events.len() && !self.ahead.is_full(may_wait) {
            self.plan(store, source, may_wait);
            return Ok(Step::More);
        }
        let mut ahead = std::mem::take(&mut self.ahead);
        let step = ahead.step(source, may_wait, DECODED_PAYLOADS, |_, _, payload| self.take(store, payload));
        self.ahead = ahead;
        step
    }

    /// Plans to read the payloads of the next rows.
    fn plan(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) {
        let rows = self.next..(self.next + CHUNK_ROWS).min(store.events.len());
        let at = self.next / CHUNK_ROWS;
        self.next = rows.end;
        let Some(chunk) = store.events.chunks().get(at) else { return };
        let base = |event_type| store.types.get(event_type).map(|one| one.base);
        let wanted = base(self.event_type);
        let mut batches = PayloadBatches::default();
        for row in selected_in(&self.selection, &rows) {
            let inside = row - chunk.first_row;
            if base(chunk.event_type(inside)) != wanted {
                continue;
            }
            let is_taken = self.passed.is_multiple_of(self.stride);
            self.passed += 1;
            if is_taken {
                batches.add(chunk.payload_offset(inside), chunk.payload_length(inside), inside);
            }
        }
        self.ahead.add(at, batches, source, may_wait);
    }

    fn take(&mut self, store: &Store, payload: &[u8]) {
        let Some(event_type) = store.types.get(self.event_type) else { return };
        self.looked_at += 1;
        let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        for (leaf, seen) in self.leaves.iter().zip(&mut self.seen) {
            let Some(value) = value_at(&values, &leaf.path) else { continue };
            if matches!(value, Value::Null | Value::Error(_)) {
                continue;
            }
            seen.with_value += 1;
            self.text.clear();
            match owner.words(&leaf.own_name, value) {
                Some(words) => self.text.push_str(&words),
                None => {
                    write_value(&mut self.text, value);
                    seen.compare(&mut self.order, value);
                }
            }
            self.text.truncate(self.text.floor_char_boundary(MAX_BYTES));
            seen.count(&mut self.texts, &self.text);
        }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let counts: usize = self.seen.iter().map(|seen| seen.counts.capacity() * size_of::<(StringId, u64)>()).sum();
        counts + self.ahead.bytes() + self.texts.heap_bytes() as usize
    }

    /// Returns the values, after the last step.
    pub fn finish(self) -> FieldValues {
        let mut table =
            FieldValues { events: vec![self.passed], looked_at: vec![self.looked_at], ..FieldValues::default() };
        for (leaf, seen) in self.leaves.iter().zip(self.seen) {
            table.field.push(leaf.row);
            table.name.push(&leaf.name);
            table.with_value.push(seen.with_value);
            table.distinct.push(seen.counts.len() as u64);
            table.is_cut.push(seen.is_cut.into());
            let shown =
                |found: &Option<(Entry, Value)>| found.as_ref().map_or(String::new(), |(_, value)| value_text(value));
            table.smallest.push(&shown(&seen.smallest));
            table.largest.push(&shown(&seen.largest));
            // By count in descending order; ties are sorted numerically for integers, then alphabetically for texts.
            let ordered = |(text, count): (&_, &u64)| {
                let text = self.texts.get(*text);
                let number = text.parse::<i64>().ok();
                (Reverse(*count), number.is_none(), number, text)
            };
            let mut counts: Vec<_> = seen.counts.iter().map(ordered).collect();
            sort_by(&mut counts, Ord::cmp);
            for (Reverse(count), _, _, text) in counts.into_iter().take(MAX_VALUES) {
                table.value.push(text);
                table.value_events.push(count);
            }
            table.values_end.push(table.value_events.len() as u32);
        }
        table
    }
}

impl Seen {
    fn count(&mut self, texts: &mut Strings, text: &str) {
        let has_room = self.counts.len() < MAX_DISTINCT && texts.heap_bytes() < MAX_TEXT_BYTES;
        let text = if has_room { Some(texts.intern(text)) } else { texts.find(text) };
        let known = text.filter(|text| has_room || self.counts.contains_key(text));
        match known {
            Some(text) => *self.counts.entry(text).or_default() += 1,
            None => self.is_cut = true,
        }
    }

    /// Updates the smallest and the largest number.
    fn compare(&mut self, order: &mut Values, value: &Value) {
        let is_number = matches!(
            value,
            Value::Int(..)
                | Value::UInt(..)
                | Value::Float32(_)
                | Value::Float64(_)
                | Value::Decimal(_)
                | Value::DateTime(_)
        );
        let Some(entry) = is_number.then(|| order.entry(value, 0)).flatten() else { return };
        let is_first = |found: &Option<(Entry, Value)>, wanted: Ordering| {
            found.as_ref().is_none_or(|(known, _)| order.compare(&entry, known, false) == wanted)
        };
        if is_first(&self.smallest, Ordering::Less) {
            self.smallest = Some((entry, value.clone()));
        }
        if is_first(&self.largest, Ordering::Greater) {
            self.largest = Some((entry, value.clone()));
        }
    }
}

/// Collects the fields without inner fields, in order; `row` counts all fields, including those in arrays.
fn collect(fields: &[Field], outside: &str, path: &mut Vec<usize>, row: &mut u32, leaves: &mut Vec<Leaf>) {
    for (at, field) in fields.iter().enumerate() {
        path.push(at);
        let name = match (outside, field.name.as_str()) {
            ("", name) => name.to_owned(),
            (outside, "") => outside.to_owned(),
            (outside, name) => format!("{outside}.{name}"),
        };
        let own_row = *row;
        *row += 1;
        match &field.field_type {
            FieldType::Object(inner) => collect(inner, &name, path, row, leaves),
            other => {
                *row += rows_inside(other);
                if leaves.len() < MAX_FIELDS {
                    let own_name = field.name.clone();
                    leaves.push(Leaf { row: own_row, name, own_name, path: path.clone() });
                }
            }
        }
        path.pop();
    }
}

/// Returns the number of fields of an array's elements.
fn rows_inside(field_type: &FieldType) -> u32 {
    let element = crate::analysis::values::payload_text::element_type(field_type);
    match field_type {
        FieldType::Object(fields) => fields.iter().map(|field| 1 + rows_inside(&field.field_type)).sum(),
        other if std::ptr::eq(other, element) => 0,
        _ => rows_inside(element),
    }
}

fn value_at<'v>(values: &'v [Value], path: &[usize]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(values.get(*first)?, |value, at| match value {
        Value::Object(fields) => fields.get(*at).map(|(_, value)| value),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::testing::{ORDERS, What, store_of};
    use protocol::request::Filter;

    fn values(happenings: &[(i64, u64, What)]) -> FieldValues {
        let (store, bytes) = store_of(happenings);
        let event_type = store.types.iter().find(|one| one.provider == ORDERS).expect("orders").id;
        let filter = Filter { types: vec![event_type], ..Filter::default() };
        let selection = Rc::new(select(&store, &bytes, &filter).expect("a selection"));
        let mut search = FieldValueSearch::new(&store, selection, event_type);
        while search.step(&store, &bytes, false).expect("a file") != Step::Done {}
        search.finish()
    }

    fn top(table: &FieldValues, row: usize) -> Vec<(&str, u64)> {
        table.values_of(row).map(|at| (table.value.get(at), table.value_events[at])).collect()
    }

    #[test]
    fn field_values_sort_numbers_before_texts() {
        let events = ["9", "1a", "10"].map(|sku| (0, 5, What::Order(sku, 1)));
        assert_eq!(top(&values(&events), 0), [("9", 1), ("10", 1), ("1a", 1)]);
    }

    #[test]
    fn field_values_are_sorted_by_count() {
        let table = values(&[
            (0, 5, What::Order("tea", 7)),
            (1, 5, What::Order("milk", -2)),
            (2, 5, What::Order("tea", 11)),
            (3, 5, What::GcStart(1)),
        ]);
        assert_eq!((table.events[0], table.looked_at[0]), (3, 3));
        assert_eq!(table.name.iter().collect::<Vec<_>>(), ["sku", "amount"]);
        assert_eq!((table.distinct.as_slice(), table.is_cut.as_slice()), (&[2, 3][..], &[0, 0][..]));
        assert_eq!(top(&table, 0), [("tea", 2), ("milk", 1)]);
        assert_eq!(top(&table, 1), [("-2", 1), ("7", 1), ("11", 1)]);
        assert_eq!((table.smallest.get(1), table.largest.get(1)), ("-2", "11"));
        assert_eq!((table.smallest.get(0), table.largest.get(0)), ("", ""), "texts have no size");
    }

    #[test]
    fn structure_fields_have_consecutive_rows() {
        let pair = || FieldType::Object(vec![Field::new("a", FieldType::Int32), Field::new("b", FieldType::Int32)]);
        let fields = [
            Field::new("", FieldType::Object(vec![Field::new("inner", pair())])),
            Field::new("many", FieldType::Array(Box::new(pair()))),
            Field::new("last", FieldType::Int32),
        ];
        let mut leaves = Vec::new();
        collect(&fields, "", &mut Vec::new(), &mut 0, &mut leaves);
        let found: Vec<_> = leaves.iter().map(|leaf| (leaf.row, leaf.name.as_str(), leaf.path.as_slice())).collect();
        let expected: [(u32, &str, &[usize]); 4] =
            [(2, "inner.a", &[0, 0, 0]), (3, "inner.b", &[0, 0, 1]), (4, "many", &[1]), (7, "last", &[2])];
        assert_eq!(found, expected);
    }

    #[test]
    fn values_beyond_limit_are_counted() {
        let mut seen = Seen::default();
        let mut texts = Strings::default();
        for at in 0..=MAX_DISTINCT {
            seen.count(&mut texts, &at.to_string());
        }
        seen.count(&mut texts, "7");
        assert!(seen.is_cut);
        assert_eq!(seen.counts.len(), MAX_DISTINCT);
        assert_eq!(texts.find("7").map(|text| seen.counts[&text]), Some(2));
    }
}
