//! Differences between a payload and its schema, as text.

use super::value_text::value_text;
use crate::model::inferred_words;
use nettrace::{Field, Fit, Value};
use protocol::format;
use protocol::reply::FieldValue;

/// Maximum number of bytes outside the schema that are printed.
const MAX_BYTES: usize = 1024;

/// Returns the differences: "4 bytes longer than declared", "2 bytes shorter than declared; field “Ids” is inferred"; empty if
/// the payload fits.
pub fn fit_words(fit: &Fit, fields: &[Field]) -> String {
    let bytes = format::counted(fit.difference.unsigned_abs(), "byte");
    let words = match fit.difference {
        1.. => format!("{bytes} longer than declared"),
        ..0 => format!("{bytes} shorter than declared"),
        0 if fit.unread.is_empty() => return String::new(),
        0 => format!("{} unreadable", format::counted(fit.unread.len() as u64, "byte")),
    };
    let inferred = fit.inferred.iter().filter_map(|at| fields.get(*at));
    let inferred: Vec<&str> = inferred.map(|field| field.name.as_str()).collect();
    words + &inferred_words(&inferred)
}

/// Returns the bytes of a payload that belong to no field, or to unreadable ones; `None` if there are none.
pub fn unread_bytes(fit: &Fit, payload: &[u8]) -> Option<Value> {
    let unread = payload.get(fit.unread.clone()).filter(|bytes| !bytes.is_empty())?;
    Some(Value::Bytes(unread.iter().copied().take(MAX_BYTES).collect()))
}

/// Marks the rows of top-level fields with inferred values, in their type.
pub fn mark_inferred(rows: &mut [FieldValue]) {
    let is_inferred = |row: &&mut FieldValue| row.type_name == "bool" || row.type_name.ends_with(']');
    rows.iter_mut().filter(is_inferred).for_each(|row| row.type_name.insert_str(0, "inferred "));
}

/// Returns the row of the bytes that belong to no field.
pub fn unread_row(fit: &Fit, fields: &[Field], payload: &[u8]) -> Option<FieldValue> {
    let bytes = unread_bytes(fit, payload)?;
    Some(FieldValue {
        name: "Bytes outside the schema".to_owned(),
        type_name: format!("byte[{}]", fit.unread.len()),
        value: value_text(&bytes),
        error: fit_words(fit, fields),
        ..FieldValue::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::FieldType;

    #[test]
    fn payload_differences_are_words() {
        let fields = [Field::new("Count", FieldType::Int32), Field::new("Ids", FieldType::Int32)];
        let words = |fit: Fit| fit_words(&fit, &fields);
        assert_eq!(words(Fit::default()), "");
        assert_eq!(words(Fit { difference: 4, unread: 4..8, ..Fit::default() }), "4 bytes longer than declared");
        assert_eq!(words(Fit { difference: -1, ..Fit::default() }), "1 byte shorter than declared");
        assert_eq!(words(Fit { unread: 4..8, ..Fit::default() }), "4 bytes unreadable");
        let inferred = Fit { difference: -2, inferred: vec![1], ..Fit::default() };
        assert_eq!(words(inferred), "2 bytes shorter than declared; field “Ids” is inferred");
    }
}
