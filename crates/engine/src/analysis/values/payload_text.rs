//! Decoded payloads as text: one line for a table, one row per field for details.

use super::payload_fit::mark_inferred;
use super::value_text::{raw_text, type_text, value_text};
use crate::clr::manifest::describe;
use nettrace::{Field, FieldType, Fit, Value};
use protocol::events::payload::{FIELD_END, NAME_END};
use protocol::format::counted;
use protocol::reply::FieldValue;

/// The event of a payload, on which the meaning of numbers depends.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    pub provider: &'a str,
    /// The event's ID within the provider.
    pub event_id: u32,
}

impl Owner<'_> {
    /// Returns the words for a value, if it has a meaning.
    pub fn words(&self, field: &str, value: &Value) -> Option<String> {
        describe(self.provider, self.event_id, field, value)
    }
}

/// Returns names and values in one line of at most `most_chars` characters, separated as in
/// [`protocol::events::payload`].
pub fn one_line(owner: Owner<'_>, fields: &[Field], values: &[Value], most_chars: usize) -> String {
    let mut line = String::new();
    for (field, value) in fields.iter().zip(values) {
        write_field(&mut line, owner, &field.name, value);
        if line.len() > most_chars * 4 {
            break;
        }
    }
    truncated(line.chars(), most_chars)
}

fn write_field(line: &mut String, owner: Owner<'_>, name: &str, value: &Value) {
    match value {
        Value::Null => return,
        // A self-describing payload is one unnamed field around the others.
        Value::Object(inner) if name.is_empty() => {
            inner.iter().for_each(|(name, value)| write_field(line, owner, name, value));
            return;
        }
        _ => {}
    }
    let text = owner.words(name, value).unwrap_or_else(|| value_text(value));
    if !line.is_empty() {
        line.push(FIELD_END);
    }
    if !name.is_empty() {
        line.extend(name.chars().map(printable));
        line.push(NAME_END);
    }
    match text.as_str() {
        "" => line.push_str("\"\""),
        text => line.extend(text.chars().map(printable)),
    }
}

fn printable(char: char) -> char {
    if char.is_control() { ' ' } else { char }
}

/// Removes control characters, and truncates with an ellipsis.
pub fn cut(line: &str, most_chars: usize) -> String {
    truncated(line.chars().map(printable), most_chars)
}

fn truncated(mut chars: impl Iterator<Item = char>, most_chars: usize) -> String {
    let mut text: String = chars.by_ref().take(most_chars).collect();
    if chars.next().is_some() {
        text.pop();
        text.push('…');
    }
    text
}

/// Maximum number of an array's elements that get separate rows.
const MAX_ROWS_AN_ARRAY: usize = 256;

/// Returns one row per field, with structures and arrays of structures expanded. Inferred values are marked.
pub fn field_rows(owner: Owner<'_>, fields: &[Field], values: &[Value], fit: &Fit) -> Vec<FieldValue> {
    let mut rows = Vec::new();
    for (index, (field, value)) in fields.iter().zip(values).enumerate() {
        let first = rows.len();
        push_rows(&mut rows, owner, 0, field.name.clone(), &field.field_type, value);
        if fit.inferred.contains(&index) {
            mark_inferred(rows.get_mut(first..).unwrap_or_default());
        }
    }
    rows
}

fn push_rows(
    rows: &mut Vec<FieldValue>,
    owner: Owner<'_>,
    depth: u32,
    name: String,
    field_type: &FieldType,
    value: &Value,
) {
    let type_name = type_text(field_type);
    match (field_type, value) {
        (FieldType::Object(fields), Value::Object(inner)) => {
            let unresolved = name.is_empty();
            if !unresolved {
                rows.push(FieldValue { depth, name, type_name, ..FieldValue::default() });
            }
            let depth = if unresolved { depth } else { depth + 1 };
            for (field, (name, value)) in fields.iter().zip(inner) {
                push_rows(rows, owner, depth, name.clone(), &field.field_type, value);
            }
        }
        (_, Value::Array(elements)) if elements.iter().any(|element| matches!(element, Value::Object(_))) => {
            let count = counted(elements.len() as u64, "element");
            rows.push(FieldValue { depth, name, type_name, value: count, ..FieldValue::default() });
            for (index, element) in elements.iter().take(MAX_ROWS_AN_ARRAY).enumerate() {
                push_rows(rows, owner, depth + 1, format!("[{index}]"), element_type(field_type), element);
            }
        }
        (_, Value::Error(error)) => {
            rows.push(FieldValue { depth, name, type_name, error: error.to_string(), ..FieldValue::default() });
        }
        (_, Value::Null) => {
            let error = "not in this version of the event".to_owned();
            rows.push(FieldValue { depth, name, type_name, error, ..FieldValue::default() });
        }
        _ => {
            let plain = value_text(value);
            let (value, raw) = match owner.words(&name, value) {
                Some(words) => (words, plain),
                None => (plain, raw_text(value)),
            };
            rows.push(FieldValue { depth, name, type_name, value, raw, error: String::new() });
        }
    }
}

/// Returns the type of an array's elements, or any other type itself.
pub fn element_type(field_type: &FieldType) -> &FieldType {
    field_type.element().unwrap_or(field_type)
}

/// Returns the declared fields, without values.
pub fn declared_rows(fields: &[Field]) -> Vec<FieldValue> {
    let mut rows = Vec::new();
    push_declared(&mut rows, 0, fields);
    rows
}

fn push_declared(rows: &mut Vec<FieldValue>, depth: u32, fields: &[Field]) {
    for field in fields {
        let type_name = type_text(&field.field_type);
        rows.push(FieldValue { depth, name: field.name.clone(), type_name, ..FieldValue::default() });
        let mut inner = &field.field_type;
        while !std::ptr::eq(inner, element_type(inner)) {
            inner = element_type(inner);
        }
        if let FieldType::Object(fields) = inner {
            push_declared(rows, depth + 1, fields);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::events::payload::{pairs, plain};

    const GC_START: Owner<'_> = Owner { provider: "Microsoft-Windows-DotNETRuntime", event_id: 1 };
    const OTHER: Owner<'_> = Owner { provider: "Orders", event_id: 1 };

    fn text(value: &str) -> Value {
        Value::String(value.to_owned())
    }

    fn string(name: &str) -> Field {
        Field::new(name, FieldType::Utf16String)
    }

    #[test]
    fn one_line_has_names_and_values() {
        let fields = [string("host"), string("empty"), Field::new("port", FieldType::Int32), string("later")];
        let values = [text("a b\nc"), text(""), Value::Int(8080, 32), Value::Null];
        let line = |most_chars| one_line(OTHER, &fields, &values, most_chars);
        assert_eq!(pairs(&line(240)).collect::<Vec<_>>(), [("host", "a b c"), ("empty", "\"\""), ("port", "8080")]);
        assert_eq!(plain(&line(9)), "host=a b…");
        let hostile = [text("a\u{1e}b\u{1f}c")];
        assert_eq!(pairs(&one_line(OTHER, &fields, &hostile, 240)).collect::<Vec<_>>(), [("host", "a b c")]);
    }

    #[test]
    fn numbers_with_meaning_are_words() {
        let fields = [Field::new("Count", FieldType::UInt32), Field::new("Reason", FieldType::UInt32)];
        let values = [Value::UInt(39, 32), Value::UInt(1, 32)];
        assert_eq!(plain(&one_line(GC_START, &fields, &values, 240)), "Count=39, Reason=Induced");
        let rows = field_rows(GC_START, &fields, &values, &Fit::default());
        assert_eq!((rows[1].value.as_str(), rows[1].raw.as_str()), ("Induced", "1"));
    }

    #[test]
    fn unnamed_outer_field_is_omitted() {
        let inner = vec![string("Name"), Field::new("Mean", FieldType::Float64)];
        let fields = [Field::new("", FieldType::Object(vec![Field::new("Payload", FieldType::Object(inner))]))];
        let counter = Value::Object(vec![("Name".into(), text("cpu-usage")), ("Mean".into(), Value::Float64(2.5))]);
        let values = [Value::Object(vec![("Payload".into(), counter)])];
        assert_eq!(plain(&one_line(OTHER, &fields, &values, 240)), "Payload={Name=cpu-usage, Mean=2.5}");
        let rows: Vec<_> = field_rows(OTHER, &fields, &values, &Fit::default())
            .into_iter()
            .map(|row| (row.depth, row.name, row.value))
            .collect();
        assert_eq!(
            rows,
            [
                (0, "Payload".into(), "".into()),
                (1, "Name".into(), "cpu-usage".into()),
                (1, "Mean".into(), "2.5".into())
            ]
        );
    }

    #[test]
    fn older_version_has_marked_missing_fields() {
        let rows = field_rows(OTHER, &[string("later")], &[Value::Null], &Fit::default());
        assert_eq!((rows[0].value.as_str(), rows[0].error.as_str()), ("", "not in this version of the event"));
    }

    #[test]
    fn arrays_of_structures_are_expanded() {
        let item = FieldType::Object(vec![Field::new("Id", FieldType::Int32)]);
        let fields = [Field::new("Items", FieldType::Array(Box::new(item)))];
        let element = |id| Value::Object(vec![("Id".to_owned(), Value::Int(id, 32))]);
        let rows = field_rows(OTHER, &fields, &[Value::Array(vec![element(1), element(2)])], &Fit::default());
        let shape: Vec<_> =
            rows.iter().map(|row| (row.depth, row.name.as_str(), row.type_name.as_str(), row.value.as_str())).collect();
        assert_eq!(
            shape,
            [
                (0, "Items", "struct[]", "2 elements"),
                (1, "[0]", "struct", ""),
                (2, "Id", "int", "1"),
                (1, "[1]", "struct", ""),
                (2, "Id", "int", "2")
            ]
        );
        let declared: Vec<_> = declared_rows(&fields).into_iter().map(|row| (row.depth, row.name)).collect();
        assert_eq!(declared, [(0, "Items".to_owned()), (1, "Id".to_owned())]);
    }
}
