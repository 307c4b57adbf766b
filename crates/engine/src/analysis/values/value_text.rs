//! Payload values as text.

use nettrace::{FieldType, Value};
use protocol::base::time::civil_from_days;
use std::fmt::Write;

/// Maximum number of an array's elements that are printed; the rest is counted.
const MAX_ELEMENTS: usize = 64;
/// Maximum number of bytes of a byte array that are printed.
const MAX_BYTES: usize = 64;

/// 100 ns between 1601-01-01 and 1970-01-01.
const FILETIME_OF_1970: i64 = 116_444_736_000_000_000;

/// Appends a value. Text is unchanged, so that it can be searched and copied.
pub fn write_value(text: &mut String, value: &Value) {
    // Writing to a String can't fail.
    let _ = match value {
        Value::Boolean(value) => write!(text, "{value}"),
        Value::OddBoolean(number) => write!(text, "{} ({number})", number & 0xFF != 0),
        Value::Char(unit) => write!(text, "{}", char::from_u32((*unit).into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
        Value::Int(value, _) => write!(text, "{value}"),
        Value::UInt(value, _) => write!(text, "{value}"),
        Value::Float32(value) => write!(text, "{value}"),
        Value::Float64(value) => write!(text, "{value}"),
        Value::Decimal(value) => write!(text, "{value}"),
        Value::DateTime(filetime) => write_date_time(text, *filetime),
        Value::Guid(guid) => write!(text, "{guid}"),
        Value::String(value) => text.write_str(value),
        Value::Utf16(units) => char::decode_utf16(units.iter().copied())
            .try_for_each(|unit| text.write_char(unit.unwrap_or(char::REPLACEMENT_CHARACTER))),
        Value::Bytes(bytes) => write_bytes(text, bytes),
        Value::Array(values) => write_array(text, values),
        Value::Object(fields) => write_object(text, fields),
        Value::Pointer(address) => write!(text, "{address:#x}"),
        Value::Error(error) => write!(text, "‹{error}›"),
        // Null, and kinds of values that this crate doesn't know.
        _ => Ok(()),
    };
}

pub fn value_text(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

/// Returns the number in a value; for a Boolean, 0 or 1.
pub fn number_in(value: &Value) -> Option<f64> {
    match value {
        Value::Boolean(value) => Some(f64::from(u8::from(*value))),
        Value::Int(value, _) => Some(*value as f64),
        Value::UInt(value, _) | Value::Pointer(value) => Some(*value as f64),
        Value::Float32(value) => Some((*value).into()),
        Value::Float64(value) => Some(*value),
        Value::Decimal(value) => Some(value.rounded()),
        _ => None,
    }
}

/// Returns the alternative notation of a value, if any: hexadecimal for numbers, FILETIME for dates.
pub fn raw_text(value: &Value) -> String {
    match value {
        Value::Int(value, bits) if *value < 0 || *value > 9 => format!("{:#x}", *value as u64 & low_bits(*bits)),
        Value::UInt(value, _) if *value > 9 => format!("{value:#x}"),
        Value::DateTime(filetime) => filetime.to_string(),
        Value::Char(unit) => format!("{unit:#06x}"),
        Value::Utf16(units) => units.iter().map(|unit| format!("{unit:04x}")).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// Converts milliseconds since 1970 to 100 ns since 1601.
pub fn filetime_of_unix_ms(unix_ms: i64) -> i64 {
    unix_ms.saturating_mul(10_000).saturating_add(FILETIME_OF_1970)
}

/// Returns a field's type in C# notation.
pub fn type_text(field_type: &FieldType) -> String {
    let simple = match field_type {
        FieldType::Object(_) => "struct",
        FieldType::Boolean32 | FieldType::Boolean8 => "bool",
        FieldType::Char16 => "char",
        FieldType::Int8 => "sbyte",
        FieldType::UInt8 => "byte",
        FieldType::Int16 => "short",
        FieldType::UInt16 => "ushort",
        FieldType::Int32 => "int",
        FieldType::UInt32 => "uint",
        FieldType::Int64 | FieldType::VarInt => "long",
        FieldType::UInt64 | FieldType::VarUInt => "ulong",
        FieldType::Float32 => "float",
        FieldType::Float64 => "double",
        FieldType::Decimal => "decimal",
        FieldType::DateTime => "DateTime",
        FieldType::Guid => "Guid",
        FieldType::Utf16String | FieldType::Utf8String | FieldType::CountedUtf8String => "string",
        FieldType::Utf8CodeUnit => "UTF-8 code unit",
        FieldType::Pointer => "pointer",
        other => match other.element() {
            Some(element) => return array_text(element),
            None => "unknown type",
        },
    };
    simple.to_owned()
}

fn array_text(element: &FieldType) -> String {
    match element {
        FieldType::Utf8CodeUnit | FieldType::Char16 => "string".to_owned(),
        _ => type_text(element) + "[]",
    }
}

fn low_bits(bits: u8) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn write_bytes(text: &mut String, bytes: &[u8]) -> std::fmt::Result {
    for byte in bytes.iter().take(MAX_BYTES) {
        write!(text, "{byte:02x}")?;
    }
    if bytes.len() > MAX_BYTES { write!(text, "… ({} bytes)", bytes.len()) } else { Ok(()) }
}

fn write_array(text: &mut String, values: &[Value]) -> std::fmt::Result {
    text.push('[');
    for (index, value) in values.iter().take(MAX_ELEMENTS).enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write_value(text, value);
    }
    if values.len() > MAX_ELEMENTS {
        write!(text, ", … ({} total)", values.len())?;
    }
    text.push(']');
    Ok(())
}

fn write_object(text: &mut String, fields: &[(String, Value)]) -> std::fmt::Result {
    text.push('{');
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write!(text, "{name}=")?;
        write_value(text, value);
    }
    text.push('}');
    Ok(())
}

/// Writes ISO 8601 in UTC, with as many decimals as a FILETIME has.
fn write_date_time(text: &mut String, filetime: i64) -> std::fmt::Result {
    let since_1970 = filetime.saturating_sub(FILETIME_OF_1970);
    let (seconds, fraction) = (since_1970.div_euclid(10_000_000), since_1970.rem_euclid(10_000_000));
    let (days, second_of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    write!(text, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:07}Z")
}

/// Formats nanoseconds as seconds with nine decimals, for other programs: "-0.000637885".
pub fn exact_seconds(nanos: i64) -> String {
    let (sign, size) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    format!("{sign}{}.{:09}", size / 1_000_000_000, size % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_csharp_notation() {
        assert_eq!(value_text(&Value::Boolean(true)), "true");
        assert_eq!(value_text(&Value::Float64(0.1)), "0.1");
        assert_eq!(value_text(&Value::Pointer(0x7fff_0010)), "0x7fff0010");
        assert_eq!(value_text(&Value::Bytes(vec![0, 255])), "00ff");
        assert_eq!(value_text(&Value::Array(vec![Value::Int(1, 32), Value::Int(-2, 32)])), "[1, -2]");
        assert_eq!(
            value_text(&Value::Object(vec![("a".into(), Value::Int(1, 32)), ("b".into(), Value::String("x".into()))])),
            "{a=1, b=x}"
        );
        assert_eq!(value_text(&Value::Utf16(vec![0x61, 0xD800])), "a\u{FFFD}");
    }

    #[test]
    fn dates_are_utc_with_all_digits() {
        assert_eq!(value_text(&Value::DateTime(FILETIME_OF_1970)), "1970-01-01T00:00:00.0000000Z");
        assert_eq!(value_text(&Value::DateTime(133_536_384_000_000_007)), "2024-02-29T00:00:00.0000007Z");
        assert_eq!(value_text(&Value::DateTime(0)), "1601-01-01T00:00:00.0000000Z");
        assert!(value_text(&Value::DateTime(i64::MIN)).starts_with('-'));
    }

    #[test]
    fn raw_numbers_keep_width() {
        assert_eq!(raw_text(&Value::Int(-1, 32)), "0xffffffff");
        assert_eq!(raw_text(&Value::UInt(255, 8)), "0xff");
        assert_eq!(raw_text(&Value::Int(7, 32)), "");
    }

    #[test]
    fn arrays_of_code_units_are_strings() {
        assert_eq!(type_text(&FieldType::Array(Box::new(FieldType::Utf8CodeUnit))), "string");
        assert_eq!(type_text(&FieldType::Array(Box::new(FieldType::Int32))), "int[]");
    }
}
