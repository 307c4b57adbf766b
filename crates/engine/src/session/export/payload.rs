//! Decoded payload values as JSON and as text.

use nettrace::Value;
use protocol::base::time::civil_from_days;
use protocol::export::Json;
use std::fmt::Write;

/// Number of 100 ns ticks between 1601 and 1970.
const EPOCH_TICKS: i64 = 116_444_736_000_000_000;

/// Writes named values as an object.
pub fn write_object<'v>(json: &mut Json, fields: impl Iterator<Item = (&'v str, &'v Value)>) {
    json.object(|json| fields.for_each(|(name, value)| write_value(json.key(name), value)));
}

/// Writes a value: bytes as hexadecimal digits, times as ISO 8601, GUIDs and characters as strings, undecodable values
/// as null.
fn write_value(json: &mut Json, value: &Value) {
    match value {
        Value::Boolean(value) => json.boolean(*value),
        Value::OddBoolean(number) => json.boolean(number & 0xFF != 0),
        Value::Char(unit) => json.utf16(&[*unit]),
        Value::Int(value, _) => json.integer(*value),
        Value::UInt(value, _) => json.integer(*value),
        Value::Pointer(value) => json.integer(*value),
        Value::Float32(value) => json.single(*value),
        Value::Float64(value) => json.float(*value),
        Value::Decimal(value) => json.plain(value),
        Value::DateTime(ticks) => json.plain(iso_8601(*ticks)),
        Value::Guid(value) => json.plain(value),
        Value::String(value) => json.string(value),
        Value::Utf16(units) => json.utf16(units),
        Value::Bytes(bytes) => json.plain(hex(bytes)),
        Value::Array(values) => json.array(|json| values.iter().for_each(|value| write_value(json, value))),
        Value::Object(fields) => write_object(json, fields.iter().map(|(name, value)| (name.as_str(), value))),
        // Null, undecodable values, and values of unknown kinds.
        _ => json.null(),
    }
}

/// Formats values in one line: "name=value, name=value".
pub fn one_line<'v>(fields: impl Iterator<Item = (&'v str, &'v Value)>) -> String {
    let mut line = String::new();
    for (name, value) in fields {
        if !line.is_empty() {
            line.push_str(", ");
        }
        let mut json = Json::default();
        match value {
            Value::Error(error) => json.plain(error),
            value => write_value(&mut json, value),
        }
        // Writing to a string can't fail.
        let _ = write!(line, "{name}={}", json.as_str());
    }
    line
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Formats a FILETIME: "2026-11-20T14:22:33.5930000Z".
pub fn iso_8601(ticks: i64) -> String {
    const TICKS_A_SECOND: i64 = 10_000_000;
    let since_1970 = i128::from(ticks) - i128::from(EPOCH_TICKS);
    let seconds = since_1970.div_euclid(i128::from(TICKS_A_SECOND)) as i64;
    let fraction = since_1970.rem_euclid(i128::from(TICKS_A_SECOND));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:07}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::{FieldError, Guid};

    #[test]
    fn filetimes_follow_calendar() {
        assert_eq!(iso_8601(EPOCH_TICKS), "1970-01-01T00:00:00.0000000Z");
        assert_eq!(iso_8601(0), "1601-01-01T00:00:00.0000000Z");
        assert_eq!(iso_8601(EPOCH_TICKS + 951_786_000 * 10_000_000 + 5), "2000-02-29T01:00:00.0000005Z");
    }

    #[test]
    fn every_value_kind_is_written() {
        let values = [
            ("number", Value::Int(-3, 32)),
            ("large", Value::UInt(u64::MAX, 64)),
            ("text", Value::String("a\"b".to_owned())),
            ("bytes", Value::Bytes(vec![1, 0xab])),
            ("guid", Value::Guid(Guid::ZERO)),
            ("list", Value::Array(vec![Value::Boolean(true), Value::Null])),
            ("nested", Value::Object(vec![("x".to_owned(), Value::Float64(0.5))])),
            ("broken", Value::Error(FieldError::TooShort)),
        ];
        let mut json = Json::default();
        write_object(&mut json, values.iter().map(|(name, value)| (*name, value)));
        let expected = serde_json::json!({
            "number": -3, "large": "18446744073709551615", "text": "a\"b", "bytes": "01ab",
            "guid": "00000000-0000-0000-0000-000000000000", "list": [true, null], "nested": {"x": 0.5}, "broken": null
        });
        assert_eq!(serde_json::from_str::<serde_json::Value>(json.as_str()).unwrap(), expected);
    }
}
