//! Fields of decoded payloads, by name.

use super::decimal::decimal;
use super::value_text::number_in;
use nettrace::{Field, Value};

/// A decoded payload: each field with its value.
pub type Decoded<'f> = [(&'f Field, Value)];

/// Returns the text of a field; empty if it has none.
pub fn text<'v>(fields: &'v Decoded<'_>, name: &str) -> &'v str {
    match find(fields, name) {
        Some(Value::String(text)) => text,
        _ => "",
    }
}

/// Returns the number in a field, if it is an integer.
pub fn whole(fields: &Decoded<'_>, name: &str) -> Option<i64> {
    match *find(fields, name)? {
        Value::Int(value, _) => Some(value),
        Value::UInt(value, _) => i64::try_from(value).ok(),
        _ => None,
    }
}

/// Returns the number in a field, or the number that its text contains.
pub fn number(fields: &Decoded<'_>, name: &str) -> Option<f64> {
    match find(fields, name)? {
        Value::String(text) => decimal(text),
        value => number_in(value),
    }
}

pub fn is_true(fields: &Decoded<'_>, name: &str) -> bool {
    match find(fields, name) {
        Some(Value::Boolean(value)) => *value,
        _ => whole(fields, name) == Some(1),
    }
}

fn find<'v>(fields: &'v Decoded<'_>, name: &str) -> Option<&'v Value> {
    fields.iter().find(|(field, _)| field.name == name).map(|(_, value)| value)
}

/// Field of DiagnosticSource's events with names and values.
pub const ARGUMENTS: &str = "Arguments";

/// Returns the fields with their values, in the form that [`arguments`] reads.
pub fn pairs<'f>(fields: &'f Decoded<'_>) -> impl Iterator<Item = (&'f Field, &'f Value)> {
    fields.iter().map(|(field, value)| (*field, value))
}

/// Returns the names and values in an event of DiagnosticSource.
pub fn arguments<'f, 'v>(
    fields: impl IntoIterator<Item = (&'f Field, &'v Value)>,
) -> impl Iterator<Item = (&'v str, &'v str)> {
    let list = fields.into_iter().find(|(field, _)| field.name == ARGUMENTS).map(|(_, value)| value);
    let elements: &[Value] = match list {
        Some(Value::Array(elements)) => elements,
        _ => &[],
    };
    elements.iter().filter_map(|element| {
        let Value::Object(inner) = element else { return None };
        match (inner.first(), inner.get(1)) {
            (Some((_, Value::String(key))), Some((_, Value::String(value)))) => Some((key.as_str(), value.as_str())),
            _ => None,
        }
    })
}
