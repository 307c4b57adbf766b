//! Fields of decoded payloads by name.

use nettrace::{Field, Value};

/// A decoded payload: each field with its value.
pub type Decoded<'f> = [(&'f Field, Value)];

/// The text of a field; empty if it has none.
pub fn text<'v>(fields: &'v Decoded<'_>, name: &str) -> &'v str {
    match find(fields, name) {
        Some(Value::String(text)) => text,
        _ => "",
    }
}

/// The number in a field, if it is a whole one.
pub fn whole(fields: &Decoded<'_>, name: &str) -> Option<i64> {
    match *find(fields, name)? {
        Value::Int(value, _) => Some(value),
        Value::UInt(value, _) => i64::try_from(value).ok(),
        _ => None,
    }
}

fn find<'v>(fields: &'v Decoded<'_>, name: &str) -> Option<&'v Value> {
    fields.iter().find(|(field, _)| field.name == name).map(|(_, value)| value)
}
