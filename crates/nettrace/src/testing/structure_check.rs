//! Checks that the structure of a section is complete.

use crate::structure::{Part, PartValue, Structure};
use crate::{Field, FieldType, Guid, Value, decode};

/// Reads a leaf again, according to its kind of value.
fn read_again(bytes: &[u8], part: &Part, pointer_size: u8) -> PartValue {
    let number = || bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let leb128 = || bytes.iter().rev().fold(0_u64, |sum, byte| sum << 7 | u64::from(byte & 0x7F));
    let units =
        |bytes: &[u8]| -> Vec<u16> { bytes.chunks(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect() };
    match &part.reading {
        PartValue::Unsigned(_) => PartValue::Unsigned(number()),
        PartValue::Signed(_) => PartValue::Signed(number() as i64),
        PartValue::Varint(_) => PartValue::Varint(leb128()),
        PartValue::Guid(_) => PartValue::Guid(Guid(bytes.try_into().expect("16 bytes"))),
        PartValue::Utf8(_) => PartValue::Utf8(String::from_utf8_lossy(bytes).into_owned()),
        PartValue::Utf16(_) => {
            let (text, end) = bytes.split_at(bytes.len() - 2);
            assert_eq!(end, [0_u8; 2]);
            PartValue::Utf16(String::from_utf16_lossy(&units(text)))
        }
        PartValue::Field(field_type, Value::Error(error)) => PartValue::Field(field_type.clone(), Value::Error(*error)),
        PartValue::Field(field_type, Value::Null) => {
            assert!(bytes.is_empty());
            PartValue::Field(field_type.clone(), Value::Null)
        }
        // References need the rest of the payload; the tests of the decoder compare them.
        PartValue::Field(FieldType::DataLoc(_) | FieldType::RelLoc(_), _) => {
            assert_eq!(bytes.len(), 4);
            part.reading.clone()
        }
        PartValue::Field(field_type, _) => {
            let value = decode(&[Field::new("", field_type.clone())], bytes, pointer_size).remove(0);
            PartValue::Field(field_type.clone(), value)
        }
        PartValue::Elements(FieldType::UInt8, _) => PartValue::Elements(FieldType::UInt8, Value::Bytes(bytes.to_vec())),
        PartValue::Elements(element, _) => {
            let text = match element {
                FieldType::Char16 => {
                    let units = units(bytes);
                    String::from_utf16(&units).map_or(Value::Utf16(units), Value::String)
                }
                _ => Value::String(String::from_utf8_lossy(bytes).into_owned()),
            };
            PartValue::Elements(element.clone(), text)
        }
        other => other.clone(),
    }
}

/// Checks that the parts cover a section, each byte once, and that each leaf read again gives its value.
///
/// # Panics
/// If they don't.
pub fn check_parts(trace: &[u8], (offset, bytes): (u64, u64), found: &Structure, pointer_size: u8, what: &str) {
    let mut at = offset;
    let mut open: Vec<u64> = Vec::new();
    for part in &found.parts {
        let depth = usize::from(part.depth);
        assert!(depth <= open.len(), "{what}: {part:?} is deeper than what it is in");
        open.drain(depth..).for_each(|end| assert_eq!(end, at, "{what}: what is before {part:?} ends elsewhere"));
        assert_eq!(part.offset, at, "{what}: {part:?}");
        if part.is_leaf() {
            let read = &trace[part.offset as usize..(part.offset + part.bytes) as usize];
            let again = read_again(read, part, pointer_size);
            // Compared as text, because NaN doesn't equal itself.
            let is_same = again == part.reading || format!("{again:?}") == format!("{:?}", part.reading);
            assert!(is_same, "{what}: {part:?} reads {again:?}");
            at += part.bytes;
        } else {
            open.push(part.offset + part.bytes);
        }
    }
    open.drain(..).for_each(|end| assert_eq!(end, at, "{what}: the last part ends elsewhere"));
    assert_eq!(at, offset + bytes, "{what}: all of the section");
}
