//! Keys for sorting payload values.

use super::value_text::write_value;
use crate::model::Strings;
use nettrace::{Field, FieldType, Value};
use protocol::base::ids::StringId;
use protocol::base::sort::sort_by;
use protocol::tables::FieldNames;
use std::cmp::Ordering;

/// Maximum bytes of the texts that are distinguished beyond their first characters.
const MAX_TEXT_BYTES: u64 = 256 << 20;
/// Maximum bytes of a text that are compared.
const MAX_BYTES: usize = 1024;
/// Texts come after all numbers: their keys begin with these bits, which no number's key has.
const TEXT: u64 = 0xffff << 48;
/// Key of NaN, after infinity.
const NOT_A_NUMBER: u64 = 0xfffe << 48;

/// A row with its sort key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The number, rounded, or the first bytes of the text.
    key: u64,
    /// Remainder of rounding, or the position of a text.
    detail: u32,
    pub row: u32,
}

/// Deduplicated texts among the values.
#[derive(Default)]
pub struct Values {
    texts: Strings,
    text: String,
}

impl Values {
    /// Returns the entry of a value; `None` if there is no value.
    pub fn entry(&mut self, value: &Value, row: u32) -> Option<Entry> {
        let (key, detail) = match value {
            Value::Null | Value::Error(_) => return None,
            Value::Boolean(value) => of_unsigned((*value).into()),
            Value::Int(value, _) | Value::DateTime(value) => match u64::try_from(*value) {
                Ok(value) => of_unsigned(value),
                Err(_) => (of_float(*value as f64), lost(value.wrapping_sub(*value as f64 as i64))),
            },
            Value::UInt(value, _) | Value::Pointer(value) => of_unsigned(*value),
            Value::Float32(value) => (of_float((*value).into()), 0),
            Value::Float64(value) => (of_float(*value), 0),
            Value::Decimal(value) => (of_float(value.rounded()), 0),
            _ => self.of_text(value),
        };
        Some(Entry { key, detail, row })
    }

    /// Compares two entries; equal ones stay in time order.
    #[inline]
    pub fn compare(&self, one: &Entry, other: &Entry, descending: bool) -> Ordering {
        let values = one.key.cmp(&other.key).then_with(|| {
            if one.detail == other.detail {
                Ordering::Equal
            } else if one.key & TEXT == TEXT {
                self.texts.get(StringId(one.detail)).cmp(self.texts.get(StringId(other.detail)))
            } else {
                one.detail.cmp(&other.detail)
            }
        });
        let values = if descending { values.reverse() } else { values };
        values.then(one.row.cmp(&other.row))
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.texts.heap_bytes() as usize
    }

    /// Returns the key of a value's displayed text, case-insensitive for ASCII letters.
    fn of_text(&mut self, value: &Value) -> (u64, u32) {
        self.text.clear();
        write_value(&mut self.text, value);
        let mut end = self.text.len().min(MAX_BYTES);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.truncate(end);
        self.text.make_ascii_lowercase();
        let mut first = [0; 8];
        first.iter_mut().skip(2).zip(self.text.bytes()).for_each(|(byte, text)| *byte = text);
        let has_room = self.texts.heap_bytes() < MAX_TEXT_BYTES;
        let text = if has_room { self.texts.intern(&self.text).0 } else { 0 };
        (TEXT | u64::from_be_bytes(first), text)
    }
}

/// Returns the key of a number, and the remainder of rounding.
fn of_unsigned(value: u64) -> (u64, u32) {
    let rounded = value as f64;
    (of_float(rounded), lost(value.wrapping_sub(rounded as u64) as i64))
}

/// Converts a rounding difference, which is less than 2^12, to a positive number in the same order.
fn lost(difference: i64) -> u32 {
    const MIDDLE: i64 = 1 << 16;
    (difference + MIDDLE) as u32
}

/// Converts a float to an unsigned number in the same order.
fn of_float(value: f64) -> u64 {
    if value.is_nan() {
        return NOT_A_NUMBER;
    }
    // Both zeros are equal.
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Path of a named field in a payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldPath {
    /// Position among the top-level fields.
    pub index: usize,
    /// The name, if the field is nested in that one.
    inner: Option<String>,
}

impl FieldPath {
    /// Returns the first field with this name, top-level fields before nested ones.
    pub fn find(fields: &[Field], name: &str) -> Option<Self> {
        let outer = fields.iter().position(|field| field.name == name).map(|index| Self { index, inner: None });
        outer.or_else(|| {
            let index = fields.iter().position(|field| has_inner(&field.field_type, name))?;
            Some(Self { index, inner: Some(name.to_owned()) })
        })
    }

    pub fn name<'f>(&'f self, fields: &'f [Field]) -> &'f str {
        self.inner.as_deref().or_else(|| Some(fields.get(self.index)?.name.as_str())).unwrap_or_default()
    }

    /// Returns the value within that of the top-level field.
    pub fn follow<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match &self.inner {
            None => Some(value),
            Some(name) => inner_value(value, name),
        }
    }
}

fn has_inner(field_type: &FieldType, name: &str) -> bool {
    let FieldType::Object(fields) = field_type else { return false };
    fields.iter().any(|field| field.name == name || has_inner(&field.field_type, name))
}

fn inner_value<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let Value::Object(fields) = value else { return None };
    let named = fields.iter().find(|(field, _)| field == name).map(|(_, value)| value);
    named.or_else(|| fields.iter().find_map(|(_, value)| inner_value(value, name)))
}

/// Returns the names of sortable fields of these payloads without duplicates, alphabetically.
pub fn field_names<'f>(payloads: impl Iterator<Item = &'f [Field]>) -> FieldNames {
    let mut names = Vec::new();
    payloads.for_each(|fields| collect(fields, &mut names));
    // If names are equal, numbers come first.
    sort_by(&mut names, |one, other| (one.0, !one.1).cmp(&(other.0, !other.1)));
    names.dedup_by_key(|(name, _)| *name);
    let (name, is_number): (Vec<&str>, Vec<bool>) = names.into_iter().unzip();
    FieldNames { name: name.into_iter().collect(), is_number: is_number.into_iter().map(u8::from).collect() }
}

fn collect<'f>(fields: &'f [Field], names: &mut Vec<(&'f str, bool)>) {
    for field in fields {
        match &field.field_type {
            FieldType::Object(inner) => collect(inner, names),
            _ if field.name.is_empty() => {}
            field_type => names.push((&field.name, is_number(field_type))),
        }
    }
}

fn is_number(field_type: &FieldType) -> bool {
    use FieldType as F;
    let is_integer = matches!(field_type, F::Int8 | F::Int16 | F::Int32 | F::Int64 | F::VarInt | F::VarUInt)
        || matches!(field_type, F::UInt8 | F::UInt16 | F::UInt32 | F::UInt64);
    is_integer || matches!(field_type, F::Float32 | F::Float64 | F::Decimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_type_sort_before_texts() {
        let large = 1_u64 << 60;
        let ascending = [
            Value::Float64(f64::NEG_INFINITY),
            Value::Int(i64::MIN, 64),
            Value::Int(i64::MIN + 1, 64),
            Value::Int(-1, 8),
            Value::Float64(0.0),
            Value::Boolean(true),
            Value::Float32(1.5),
            Value::UInt(2, 8),
            Value::UInt(large - 1, 64),
            Value::UInt(large, 64),
            Value::Pointer(large + 1),
            Value::UInt(u64::MAX - 1, 64),
            Value::UInt(u64::MAX, 64),
            Value::Float64(f64::INFINITY),
            Value::Float64(f64::NAN),
            Value::String(String::new()),
            Value::String("System.A".to_owned()),
            Value::String("system.B".to_owned()),
            Value::String("System.Linq".to_owned()),
            Value::String("\u{e9}t\u{e9}".to_owned()),
        ];
        let mut values = Values::default();
        let entries: Vec<Entry> = ascending.iter().filter_map(|value| values.entry(value, 0)).collect();
        assert_eq!(entries.len(), ascending.len());
        for (at, one) in entries.iter().enumerate() {
            for (other_at, other) in entries.iter().enumerate() {
                assert_eq!(values.compare(one, other, false), at.cmp(&other_at), "{at} {other_at}");
                assert_eq!(values.compare(one, other, true), other_at.cmp(&at));
            }
        }
        assert_eq!(values.entry(&Value::Null, 0), None);
    }

    #[test]
    fn nested_fields_are_found_by_name() {
        let inner = Field::new("Payload", FieldType::Object(vec![Field::new("Mean", FieldType::Float64)]));
        let fields = [Field::new("Id", FieldType::Int32), Field::new("", FieldType::Object(vec![inner]))];
        let path = FieldPath::find(&fields, "Mean").expect("a field");
        let payload = Value::Object(vec![("Mean".to_owned(), Value::Float64(2.5))]);
        let value = Value::Object(vec![("Payload".to_owned(), payload)]);
        assert_eq!((path.index, path.follow(&value)), (1, Some(&Value::Float64(2.5))));
        assert_eq!(FieldPath::find(&fields, "Max"), None);
        let names = field_names([fields.as_slice(), &fields].into_iter());
        assert_eq!(names.name.iter().collect::<Vec<_>>(), ["Id", "Mean"]);
        let (text, number) = ([Field::new("Id", FieldType::Utf16String)], [Field::new("Id", FieldType::Int32)]);
        assert_eq!(field_names([text.as_slice()].into_iter()).is_number, [0]);
        assert_eq!(field_names([text.as_slice(), &number].into_iter()).is_number, [1], "somewhere it is one");
    }
}
