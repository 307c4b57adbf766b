//! Texts in payloads: their places and kinds.

use super::kinds::{field_kind, text_kind};
use crate::analysis::values::fields::ARGUMENTS;
use crate::model::EventType;
use nettrace::{Field, FieldType, Payload, Text, ValueRef};
use protocol::base::hash::FastMap;
use protocol::base::ids::TypeId;
use protocol::redaction::TextKind;
use std::ops::Range;

/// Maximum number of bytes of field names that are remembered, because the names of arguments come from the file.
/// Determining the kind of further fields takes longer.
const MAX_NAME_BYTES: usize = 1 << 20;
/// Bytes that count for an entry besides its name.
const ENTRY_BYTES: usize = 64;

/// Text in a payload.
pub(super) struct FoundText<'a> {
    pub kind: TextKind,
    /// Name of the field, or of the argument.
    pub field: &'a str,
    /// Bytes in the payload.
    pub range: Range<usize>,
    pub text: Text<'a>,
}

/// Finds texts in payloads. Remembers the kinds of fields.
#[derive(Default)]
pub(super) struct TextFinder {
    /// By type, then by field, so that finding a kind allocates nothing.
    kinds: FastMap<TypeId, FastMap<String, Option<TextKind>>>,
    name_bytes: usize,
}

impl TextFinder {
    /// Calls `visit` for each text of a payload that isn't empty.
    pub fn visit(
        &mut self,
        event_type: &EventType,
        payload: &[u8],
        pointer_size: u8,
        mut visit: impl FnMut(FoundText<'_>),
    ) {
        let start = payload.as_ptr() as usize;
        let mut found = |field: &str, text: Text<'_>| {
            let bytes = text.as_bytes();
            let at = (bytes.as_ptr() as usize).wrapping_sub(start);
            let range = at..at.saturating_add(bytes.len());
            if bytes.is_empty() || range.end > payload.len() {
                return;
            }
            let kind = self.kind(event_type.id, &event_type.provider, &event_type.display_name, field);
            let kind = kind.unwrap_or_else(|| text_kind(&text.to_str()));
            visit(FoundText { kind, field, range, text });
        };
        let view = Payload::new(&event_type.schema.fields, payload, pointer_size);
        for (field, value) in view.iter() {
            visit_value(field, value, &mut found);
        }
    }

    fn kind(&mut self, id: TypeId, provider: &str, event: &str, field: &str) -> Option<TextKind> {
        if let Some(known) = self.kinds.get(&id).and_then(|kinds| kinds.get(field)) {
            return *known;
        }
        let kind = field_kind(provider, event, field);
        let name_bytes = self.name_bytes.saturating_add(field.len() + ENTRY_BYTES);
        if name_bytes <= MAX_NAME_BYTES {
            self.name_bytes = name_bytes;
            self.kinds.entry(id).or_default().insert(field.to_owned(), kind);
        }
        kind
    }
}

/// Calls `found` with the texts in a value and the names of their fields.
fn visit_value(field: &str, value: ValueRef<'_>, found: &mut dyn FnMut(&str, Text<'_>)) {
    match value {
        ValueRef::Text(text) => found(field, text),
        ValueRef::Array(elements) => elements.iter().for_each(|element| match element {
            ValueRef::Object(pair) if is_list_of_pairs(field) => {
                let mut values = pair.iter().map(|(_, value)| value);
                match (values.next(), values.next()) {
                    (Some(ValueRef::Text(name)), Some(value)) => visit_value(&name.to_str(), value, found),
                    _ => visit_value(field, element, found),
                }
            }
            _ => visit_value(field, element, found),
        }),
        ValueRef::Object(object) => object.iter().for_each(|(inner, value)| visit_value(inner, value, found)),
        _ => {}
    }
}

/// Returns whether the elements of a field are pairs of a name and a value, as in events of DiagnosticSource and of
/// loggers.
fn is_list_of_pairs(field: &str) -> bool {
    field == ARGUMENTS || field == "ExceptionJson"
}

/// Returns whether payloads of an event type can contain text.
pub(super) fn has_text(event_type: &EventType) -> bool {
    fn is_text(field_type: &FieldType) -> bool {
        match field_type {
            FieldType::Object(fields) => any(fields),
            FieldType::Char16 | FieldType::Utf8CodeUnit => true,
            FieldType::Utf16String | FieldType::Utf8String | FieldType::CountedUtf8String => true,
            other => other.element().is_some_and(is_text),
        }
    }
    fn any(fields: &[Field]) -> bool {
        fields.iter().any(|field| is_text(&field.field_type))
    }
    any(&event_type.schema.fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_field_names_is_limited() {
        let mut finder = TextFinder::default();
        for number in 0..100_000 {
            assert_eq!(finder.kind(TypeId(1), "App", "Order", &format!("url{number}")), Some(TextKind::Url));
        }
        assert!(finder.name_bytes <= MAX_NAME_BYTES);
        let remembered: usize = finder.kinds.values().map(FastMap::len).sum();
        assert!((5_000..20_000).contains(&remembered), "{remembered}");
        assert_eq!(finder.kind(TypeId(1), "App", "Order", &"x".repeat(2 * MAX_NAME_BYTES)), None);
    }
}
