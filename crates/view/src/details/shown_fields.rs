//! Fields of a payload as lines: an array of keys and values has a line for each key.

use protocol::reply::FieldValue;

/// Line of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownField<'f> {
    /// Index of the field with the value.
    pub index: usize,
    /// Its name, or the key of the value.
    pub name: &'f str,
}

/// Returns the lines of a payload.
pub fn shown_fields(fields: &[FieldValue]) -> Vec<ShownField<'_>> {
    let mut shown = Vec::with_capacity(fields.len());
    let mut index = 0;
    while let Some(field) = fields.get(index) {
        match fields.get(index..index + 3) {
            Some([pair, key, value]) if is_pair(pair, key, value, fields.get(index + 3)) => {
                shown.push(ShownField { index: index + 2, name: &key.value });
                index += 3;
            }
            _ => {
                shown.push(ShownField { index, name: &field.name });
                index += 1;
            }
        }
    }
    shown
}

/// Returns whether an element of an array consists of a key and a simple value.
fn is_pair(pair: &FieldValue, key: &FieldValue, value: &FieldValue, next: Option<&FieldValue>) -> bool {
    let inner = pair.depth + 1;
    let is_element = pair.name.starts_with('[') && key.depth == inner && value.depth == inner;
    let has_names = key.name == "Key" && value.name == "Value" && !key.value.is_empty();
    is_element && has_names && next.is_none_or(|next| next.depth < inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_one_line() {
        let field = |depth, name: &str, value: &str| FieldValue {
            depth,
            name: name.to_owned(),
            value: value.to_owned(),
            ..FieldValue::default()
        };
        let fields = [
            field(0, "Arguments", "2 elements"),
            field(1, "[0]", ""),
            field(2, "Key", "StatusCode"),
            field(2, "Value", "200"),
            field(1, "[1]", ""),
            field(2, "Key", "Path"),
            field(2, "Value", "/orders"),
            field(0, "Key", "alone"),
        ];
        let shown: Vec<_> = shown_fields(&fields).into_iter().map(|one| (one.index, one.name)).collect();
        assert_eq!(shown, [(0, "Arguments"), (3, "StatusCode"), (6, "Path"), (7, "Key")]);
        let wider = [&fields[1..4], &[field(2, "More", "1")]].concat();
        let shown: Vec<_> = shown_fields(&wider).into_iter().map(|one| one.name).collect();
        assert_eq!(shown, ["[0]", "Key", "Value", "More"]);
    }
}
