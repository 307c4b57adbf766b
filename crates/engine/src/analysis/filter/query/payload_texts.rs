//! Walks the values of a payload without copying them, with one verdict for each distinct text.

use super::expression::Chars;
use super::matcher::Matcher;
use super::text_leaf::inner_fields;
use crate::analysis::scan::text_match::Needle;
use crate::analysis::values::payload_text::Owner;
use crate::analysis::values::value_text::write_value;
use crate::clr::manifest::named_values;
use crate::model::EventType;
use nettrace::{Field, FieldError, FieldType, Payload, Text, Value, ValueRef};
use protocol::base::hash::FastMap;

/// Maximum number of texts with a remembered verdict, and the longest of them.
const MAX_TEXTS: usize = 1 << 16;
const MAX_TEXT_BYTES: usize = 256;

/// Maximum number of characters of an integer or an address.
const MAX_INTEGER: usize = 20;

/// Values whose texts may match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Possible {
    integers: bool,
    addresses: bool,
    /// All others except texts.
    others: bool,
    /// Words for the cause why a field is unreadable.
    errors: bool,
}

impl Possible {
    const ALL: Self = Self { integers: true, addresses: true, others: true, errors: true };

    /// Returns the values that a matcher may match.
    pub fn of(matcher: &Matcher) -> Self {
        let Matcher::Regex(expressed) = matcher else { return Self::ALL };
        let Some(expression) = &expressed.expression else { return Self::ALL };
        let is_possible = |chars| expression.can_match_in(chars);
        Self {
            integers: is_possible(Chars::of("-0123456789")) && expression.shortest() <= MAX_INTEGER,
            addresses: is_possible(Chars::of("0123456789abcdefx")) && expression.shortest() <= MAX_INTEGER,
            // Booleans, decimals, floating-point numbers, dates, GUIDs, bytes.
            others: is_possible(Chars::of("-+.:0123456789 abcdef true false nan inf t z … (bytes)")),
            errors: FieldError::ALL.iter().any(|error| expressed.regex.is_match(&error_text(*error))),
        }
    }

    /// Returns whether the cause why a field is unreadable may match.
    pub fn errors(self) -> bool {
        self.errors
    }

    /// Returns whether anything but a text may match.
    fn any(self) -> bool {
        self != Self { integers: false, addresses: false, others: false, errors: false }
    }

    /// Returns whether a value of this type may match as something else than text.
    pub fn in_type(self, field_type: &FieldType) -> bool {
        match field_type {
            FieldType::Object(fields) => fields.iter().any(|field| self.in_type(&field.field_type)),
            FieldType::Array(element)
            | FieldType::FixedLengthArray(element, _)
            | FieldType::RelLoc(element)
            | FieldType::DataLoc(element)
            | FieldType::CountedArray { element, .. } => self.in_type(element),
            FieldType::Utf16String | FieldType::Utf8String | FieldType::CountedUtf8String => self.errors,
            FieldType::Pointer => self.addresses || self.errors,
            FieldType::Int8
            | FieldType::Int16
            | FieldType::Int32
            | FieldType::Int64
            | FieldType::UInt16
            | FieldType::UInt32
            | FieldType::UInt64
            | FieldType::VarInt
            | FieldType::VarUInt => self.integers || self.errors,
            // One byte may be one of an array.
            _ => self.any(),
        }
    }
}

fn error_text(error: FieldError) -> String {
    let mut text = String::new();
    write_value(&mut text, &Value::Error(error));
    text
}

/// Returns whether words for numbers of these fields may match, which contain one of the needles unless there are none. If
/// in doubt, they may.
pub(super) fn words_may_match(event_type: &EventType, fields: &[Field], matcher: &Matcher, needles: &[Needle]) -> bool {
    let (provider, id) = (&event_type.provider, event_type.record.event_id);
    let is_in = |name: &str| match needles {
        [] => matcher.matches(name),
        _ => needles.iter().any(|needle| needle.is_in(name)),
    };
    // Several flags are joined, with a hexadecimal number for those that have no name.
    let may_be_joint = needles.is_empty() || needles.iter().any(|needle| is_joint(&needle.lower));
    fields.iter().any(|field| {
        let names = named_values(provider, id, &field.name);
        let in_names = names.is_some_and(|(is_flags, mut names)| is_flags && may_be_joint || names.any(is_in));
        in_names || words_may_match(event_type, inner_fields(&field.field_type), matcher, needles)
    })
}

fn is_joint(text: &str) -> bool {
    text.contains(',') || text.starts_with(' ') || text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'x')
}

/// Returns whether an integer or address matches, if that is quick to tell.
fn integer_answer(matcher: &Matcher, value: ValueRef<'_>) -> Option<bool> {
    let mut digits = [0; MAX_INTEGER];
    let (prefix, digits): (&[u8], &[u8]) = match value {
        ValueRef::Int(number, _) if number < 0 => (b"-", write_digits::<10>(&mut digits, number.unsigned_abs())),
        ValueRef::Int(number, _) => (b"", write_digits::<10>(&mut digits, number.unsigned_abs())),
        ValueRef::UInt(number, _) => (b"", write_digits::<10>(&mut digits, number)),
        ValueRef::Pointer(address) => (b"0x", write_digits::<16>(&mut digits, address)),
        _ => return None,
    };
    matcher.answer(prefix.iter().chain(digits).map(|byte| u16::from(*byte)))
}

/// Writes a number to the end of a buffer that fits any.
fn write_digits<const BASE: u64>(buffer: &mut [u8; MAX_INTEGER], mut number: u64) -> &[u8] {
    let mut start = buffer.len();
    loop {
        start -= 1;
        buffer[start] = b"0123456789abcdef"[(number % BASE) as usize];
        number /= BASE;
        if number == 0 {
            return &buffer[start..];
        }
    }
}

/// Verdicts about the texts of payloads.
#[derive(Default)]
pub(super) struct Verdicts {
    utf16: FastMap<Box<[u8]>, bool>,
    utf8: FastMap<Box<[u8]>, bool>,
    written: String,
}

/// What to look for in payloads.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'m> {
    pub matcher: &'m Matcher,
    pub possible: Possible,
    /// True if words for numbers count.
    pub words: bool,
}

impl Verdicts {
    /// Returns whether any value of a payload matches, or the words for it.
    pub fn any_value(&mut self, wanted: Wanted<'_>, owner: Owner<'_>, payload: Payload<'_>) -> bool {
        payload.iter().any(|(name, value)| self.value(wanted, owner, name, value))
    }

    fn value(&mut self, wanted: Wanted<'_>, owner: Owner<'_>, name: &str, value: ValueRef<'_>) -> bool {
        let possible = wanted.possible;
        let is_possible = match value {
            ValueRef::Text(text) => return self.text(wanted.matcher, text),
            ValueRef::Object(object) => {
                return object.iter().any(|(name, value)| self.value(wanted, owner, name, value));
            }
            ValueRef::Array(array) => return array.iter().any(|value| self.value(wanted, owner, name, value)),
            ValueRef::Null | ValueRef::Char(_) => true,
            ValueRef::Int(..) | ValueRef::UInt(..) => possible.integers,
            ValueRef::Pointer(_) => possible.addresses,
            ValueRef::Error(_) => possible.errors,
            _ => possible.others,
        };
        if !is_possible && !wanted.words {
            return false;
        }
        let answer = if is_possible { integer_answer(wanted.matcher, value) } else { Some(false) };
        if answer == Some(true) || answer == Some(false) && !wanted.words {
            return answer == Some(true);
        }
        let value = value.to_value();
        if answer.is_none() {
            self.written.clear();
            write_value(&mut self.written, &value);
            if wanted.matcher.matches(&self.written) {
                return true;
            }
        }
        wanted.words && owner.words(name, &value).is_some_and(|words| wanted.matcher.matches(&words))
    }

    fn text(&mut self, matcher: &Matcher, text: Text<'_>) -> bool {
        let bytes = text.as_bytes();
        let answer = if text.is_utf16() {
            matcher.answer(bytes.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)))
        } else {
            matcher.answer(bytes.iter().map(|byte| u16::from(*byte)))
        };
        if let Some(verdict) = answer {
            return verdict;
        }
        let known = if text.is_utf16() { &mut self.utf16 } else { &mut self.utf8 };
        if let Some(verdict) = known.get(text.as_bytes()) {
            return *verdict;
        }
        self.written.clear();
        self.written.extend(text.chars());
        let verdict = matcher.matches(&self.written);
        if known.len() < MAX_TEXTS && text.as_bytes().len() <= MAX_TEXT_BYTES {
            known.insert(text.as_bytes().into(), verdict);
        }
        verdict
    }
}
