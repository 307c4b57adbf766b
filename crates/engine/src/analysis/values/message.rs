//! Messages of events: the provider's template, filled with the event's values.

use super::payload_text::Owner;
use super::value_text::write_value;
use nettrace::{Field, Value};

/// Fills a template's `{field}` placeholders with values. Formats (`{field:0.0}`, `{field,8}`) are ignored. Names
/// without a field stay unchanged.
pub fn filled(template: &str, owner: Owner<'_>, fields: &[Field], values: &[Value]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let is_doubled = from.len() > 1 && from.as_bytes().first() == from.as_bytes().get(1);
        let placeholder = from.split_once('}').filter(|_| from.starts_with('{') && !is_doubled);
        let value = placeholder.and_then(|(inside, _)| {
            let name = inside.trim_start_matches('{').split([':', ',']).next()?;
            let position = fields.iter().position(|field| field.name == name)?;
            values.get(position).map(|value| (name, value))
        });
        rest = match (value, placeholder) {
            (Some((name, value)), Some((_, after))) => {
                match owner.words(name, value) {
                    Some(words) => text.push_str(&words),
                    None => write_value(&mut text, value),
                }
                after
            }
            _ => {
                text.push_str(&from[..1]);
                &from[if is_doubled { 2 } else { 1 }..]
            }
        };
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::FieldType;

    #[test]
    fn template_names_become_values() {
        let fields = [Field::new("id", FieldType::Int32), Field::new("who", FieldType::Utf16String)];
        let values = [Value::Int(7, 32), Value::String("Ann {id}".to_owned())];
        let owner = Owner { provider: "Shop", event_id: 1 };
        let filled = |template: &str| filled(template, owner, &fields, &values);
        assert_eq!(filled("Order {id} of {who}, {id:D4} and {id,8}."), "Order 7 of Ann {id}, 7 and 7.");
        assert_eq!(filled("{{id}} {nobody} {"), "{id} {nobody} {");
        assert_eq!(filled("} é{id}é }} {"), "} é7é } {");
        assert_eq!(filled(""), "");
    }
}
