//! Tests whether a number in a payload could contain given digits, without decoding the payload: a few divisions
//! exclude most numbers, many times faster than formatting and searching them.

use crate::analysis::values::value_text::value_text;
use nettrace::{Field, FieldType, Value, decode_field};
use std::ops::ControlFlow;

/// Digits to find, if they can be part of an integer or an address.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Digits {
    decimal: Option<Pattern>,
    hexadecimal: Option<Pattern>,
    /// True if the text has this before its digits: all numbers with it are candidates.
    with_sign: bool,
    with_prefix: bool,
}

/// Consecutive digits of a number in some base.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    value: u64,
    /// The smallest number with this many digits.
    smallest: u64,
    /// The first number with more digits; `None` if it doesn't fit.
    beyond: Option<u64>,
}

impl Pattern {
    fn new(digits: &str, base: u32) -> Option<Self> {
        let is_digits = digits.bytes().all(|byte| char::from(byte).is_digit(base));
        let value = u64::from_str_radix(digits, base).ok().filter(|_| is_digits)?;
        let power = |count: usize| u64::from(base).checked_pow(u32::try_from(count).ok()?);
        Some(Self { value, smallest: power(digits.len() - 1)?, beyond: power(digits.len()) })
    }

    fn is_in(self, mut number: u64, base: u64) -> bool {
        if number == 0 {
            return self.value == 0 && self.smallest == 1;
        }
        while number >= self.smallest {
            if self.beyond.map_or(number, |beyond| number % beyond) == self.value {
                return true;
            }
            number /= base;
        }
        false
    }
}

impl Digits {
    /// Prepares the search for a lowercase text.
    pub fn new(text: &str) -> Self {
        Self {
            decimal: Pattern::new(text, 10),
            hexadecimal: Pattern::new(text, 16),
            with_sign: text.starts_with('-'),
            with_prefix: text == "0" || text.contains('x'),
        }
    }

    fn may_be_in_unsigned(&self, number: u64) -> bool {
        self.decimal.is_some_and(|pattern| pattern.is_in(number, 10))
    }

    fn may_be_in_signed(&self, number: i64) -> bool {
        (self.with_sign && number < 0) || self.may_be_in_unsigned(number.unsigned_abs())
    }

    fn may_be_in_address(&self, address: u64) -> bool {
        self.with_prefix || self.hexadecimal.is_some_and(|pattern| pattern.is_in(address, 16))
    }
}

/// Searches for digits in the numbers of a payload. If in doubt, the payload is decoded. Texts aren't examined.
pub(super) struct NumberScan<'a> {
    /// The text to find, in lower case.
    pub text: &'a str,
    /// Its digits, if it can be part of an integer or an address.
    pub digits: &'a Digits,
    /// Size of an address in bytes.
    pub pointer_size: u8,
}

/// Breaks if the text may be there; otherwise continues with the remaining bytes.
type Rest<'d> = ControlFlow<(), &'d [u8]>;

impl NumberScan<'_> {
    /// Returns whether any number of a payload with these fields could contain the text.
    pub fn may_be_in(&self, fields: &[Field], payload: &[u8]) -> bool {
        let mut rest = payload;
        for field in fields {
            // An older version of the event ends here.
            if rest.is_empty() {
                return false;
            }
            let behind = match &field.field_type {
                FieldType::CountedArray { count_field, element } => {
                    match decode_field(fields, payload, self.pointer_size, usize::from(*count_field)) {
                        Value::UInt(count, _) => self.elements(element, count, rest),
                        _ => ControlFlow::Break(()),
                    }
                }
                field_type => self.value(field_type, rest),
            };
            match behind {
                ControlFlow::Break(()) => return true,
                ControlFlow::Continue(behind) => rest = behind,
            }
        }
        // A payload that doesn't match its schema may be decoded differently.
        !rest.is_empty()
    }

    fn value<'d>(&self, field_type: &FieldType, rest: &'d [u8]) -> Rest<'d> {
        match field_type {
            FieldType::Object(fields) => {
                fields.iter().try_fold(rest, |rest, field| self.value(&field.field_type, rest))
            }
            FieldType::Array(element) => match rest.split_first_chunk() {
                Some((count, rest)) => self.elements(element, u64::from(u16::from_le_bytes(*count)), rest),
                None => ControlFlow::Break(()),
            },
            _ => match self.bytes(field_type, rest).and_then(|bytes| rest.split_at_checked(bytes)) {
                Some((value, behind)) if !self.may_be_in_value(field_type, value) => ControlFlow::Continue(behind),
                _ => ControlFlow::Break(()),
            },
        }
    }

    fn elements<'d>(&self, element: &FieldType, count: u64, rest: &'d [u8]) -> Rest<'d> {
        // Byte arrays have a specific format; elements without a size would never end.
        let is_plain = !matches!(element, FieldType::UInt8) && element.fixed_bytes(self.pointer_size) != Some(0);
        if !is_plain || count > rest.len() as u64 {
            return ControlFlow::Break(());
        }
        (0..count).try_fold(rest, |rest, _| self.value(element, rest))
    }

    /// Returns the size of a value at the start of `rest`; `None` if only decoding can determine it.
    fn bytes(&self, field_type: &FieldType, rest: &[u8]) -> Option<usize> {
        match field_type {
            FieldType::Utf16String => rest.chunks_exact(2).position(|unit| unit == [0, 0]).map(|units| 2 * units + 2),
            FieldType::Utf8String => rest.iter().position(|byte| *byte == 0).map(|bytes| bytes + 1),
            FieldType::CountedUtf8String => rest.first_chunk().map(|count| 2 + usize::from(u16::from_le_bytes(*count))),
            // Text in an array, and the end of an older version, are too rare to handle here.
            _ if rest.is_empty() => None,
            _ => field_type.fixed_bytes(self.pointer_size),
        }
    }

    fn may_be_in_value(&self, field_type: &FieldType, value: &[u8]) -> bool {
        match field_type {
            FieldType::Utf16String | FieldType::Utf8String | FieldType::CountedUtf8String => false,
            FieldType::Char16 | FieldType::Utf8CodeUnit => false,
            FieldType::UInt8 | FieldType::UInt16 | FieldType::UInt32 | FieldType::UInt64 => {
                self.digits.may_be_in_unsigned(unsigned(value))
            }
            FieldType::Int8 | FieldType::Int16 | FieldType::Int32 | FieldType::Int64 => {
                self.digits.may_be_in_signed(signed(value))
            }
            FieldType::Pointer => self.digits.may_be_in_address(unsigned(value)),
            FieldType::Boolean8 | FieldType::Boolean32 => {
                unsigned(value) > 1 || ["true", "false"].iter().any(|word| word.contains(self.text))
            }
            FieldType::Float32 | FieldType::Float64 | FieldType::DateTime | FieldType::Guid | FieldType::Decimal => {
                let field = Field::new("", field_type.clone());
                let written = value_text(&decode_field(&[field], value, self.pointer_size, 0));
                written.to_ascii_lowercase().contains(self.text)
            }
            _ => true,
        }
    }
}

fn unsigned(value: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (byte, from) in bytes.iter_mut().zip(value) {
        *byte = *from;
    }
    u64::from_le_bytes(bytes)
}

fn signed(value: &[u8]) -> i64 {
    let unused_bits = 64 - 8 * value.len().clamp(1, 8);
    ((unsigned(value) << unused_bits) as i64) >> unused_bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::decode;
    use proptest::prelude::*;

    #[test]
    fn digits_in_numbers_are_found() {
        let is_in = |text: &str, number: u64| Digits::new(text).may_be_in_unsigned(number);
        assert!(is_in("0", 0) && !is_in("000", 1_003) && is_in("00", 1_005_003) && is_in("03", 1_003));
        assert!(!is_in("5", 0) && !is_in("05", 5) && is_in("18446744073709551615", u64::MAX));
        assert!(!is_in("184467440737095516150", u64::MAX) && !is_in("1.5", 15) && !is_in("f", 15));
    }

    #[test]
    fn payload_without_matching_number_is_not_decoded() {
        let range = vec![Field::new("Base", FieldType::Pointer), Field::new("Length", FieldType::UInt64)];
        let element = Box::new(FieldType::Object(range));
        let fields = [
            Field::new("Count", FieldType::UInt16),
            Field::new("Name", FieldType::Utf16String),
            Field::new("Ranges", FieldType::CountedArray { count_field: 0, element }),
        ];
        let ranges = [0x7f12u64, 4096, 0x8f34, 65_535].map(u64::to_le_bytes);
        let payload = [&[2, 0, b'9', 0, 0, 0], ranges.as_flattened()].concat();
        let may_be =
            |text: &str| NumberScan { text, digits: &Digits::new(text), pointer_size: 8 }.may_be_in(&fields, &payload);
        assert!(["2", "409", "553", "7f", "0x8f"].into_iter().all(may_be));
        assert!(!["9876", "77", "-2", "1.5", "f2f"].into_iter().any(may_be));
    }

    fn simple() -> impl Strategy<Value = FieldType> {
        use FieldType as F;
        let integers = vec![F::UInt8, F::Int8, F::UInt16, F::Int16, F::Int32, F::UInt32, F::Int64, F::UInt64];
        let others = vec![F::Pointer, F::Boolean8, F::Boolean32, F::Float32, F::Float64, F::Guid, F::DateTime];
        let rare = vec![F::Utf16String, F::Utf8String, F::CountedUtf8String, F::Char16, F::VarInt, F::Decimal];
        let all = [integers, others, rare].concat();
        proptest::sample::select(all)
    }

    fn field_type() -> impl Strategy<Value = FieldType> {
        simple().prop_recursive(2, 6, 3, |inner| {
            let named = |types: Vec<FieldType>| types.into_iter().map(|one| Field::new("inner", one)).collect();
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(move |types| FieldType::Object(named(types))),
                inner.clone().prop_map(|element| FieldType::Array(Box::new(element))),
                inner.prop_map(|element| FieldType::CountedArray { count_field: 0, element: Box::new(element) }),
            ]
        })
    }

    /// Collects the displayed texts of all numbers in a value.
    fn written(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(_) | Value::Utf16(_) | Value::Char(_) | Value::Null => {}
            Value::Object(inner) => inner.iter().for_each(|(_, value)| written(value, texts)),
            Value::Array(elements) => elements.iter().for_each(|element| written(element, texts)),
            _ => texts.push(value_text(value)),
        }
    }

    proptest! {
        #[test]
        fn formatted_number_is_never_missed(
            types in proptest::collection::vec(field_type(), 1..6),
            bytes in proptest::collection::vec(prop_oneof![3 => Just(0u8), 1 => Just(255), 3 => 0u8..20, 1 => any::<u8>()], 0..60),
            pointer_size in prop_oneof![Just(4u8), Just(8)],
            from in 0usize..20,
            count in 1usize..5,
        ) {
            let fields: Vec<Field> = types.into_iter().map(|one| Field::new("field", one)).collect();
            let mut texts = Vec::new();
            decode(&fields, &bytes, pointer_size).iter().for_each(|value| written(value, &mut texts));
            for whole in texts {
                let text: String = whole.to_ascii_lowercase().chars().skip(from % whole.len().max(1)).take(count).collect();
                let scan = NumberScan { text: &text, digits: &Digits::new(&text), pointer_size };
                prop_assert!(text.is_empty() || scan.may_be_in(&fields, &bytes), "{text:?} of {whole:?}");
            }
        }
    }
}
