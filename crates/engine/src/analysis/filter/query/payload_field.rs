//! Conditions on payload fields.

use super::evaluate::Row;
use super::matcher::PreparedComparison;
use super::text_leaf::inner_fields;
use crate::analysis::values::payload_text::Owner;
use crate::analysis::values::value_text::{number_in, write_value};
use crate::model::Store;
use nettrace::{Field, Value};
use protocol::filter::Comparison;

/// A condition on a field of the payload.
pub(super) struct PayloadField {
    /// Names on the path to the field.
    path: Vec<String>,
    comparison: PreparedComparison,
    /// By type: true if it has the field.
    pub(super) types: Vec<bool>,
}

impl PayloadField {
    pub fn new(store: &Store, name: &str, comparison: &Comparison) -> Self {
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        let last = path.last().map_or(name, String::as_str);
        let types = store.types.iter().map(|event_type| has_field(&event_type.schema.fields, name, last)).collect();
        Self { path, comparison: PreparedComparison::new(comparison), types }
    }

    /// Returns whether no event can have the field.
    pub fn matches_no_type(&self) -> bool {
        !self.types.contains(&true)
    }

    /// Returns whether an event's payload has the field with a matching value; for an array, in any element.
    pub fn matches_row(&self, row: &Row<'_>) -> bool {
        if !self.type_can_match(row.event_type.id) {
            return false;
        }
        let owner = Owner { provider: &row.event_type.provider, event_id: row.event_type.record.event_id };
        let named = row.event_type.schema.fields.iter().map(|field| field.name.as_str()).zip(row.values());
        let mut open: Vec<(&str, &Value, &[String])> =
            named.map(|(name, value)| (name, value, self.path.as_slice())).collect();
        let whole = self.path.join(".");
        while let Some((name, value, path)) = open.pop() {
            // Some names contain dots; if a name doesn't match, the field may be nested in it.
            let rest = match path {
                _ if whole.eq_ignore_ascii_case(name) => &[],
                [first, rest @ ..] if first.eq_ignore_ascii_case(name) => rest,
                _ => self.path.as_slice(),
            };
            match value {
                Value::Object(inner) => open.extend(inner.iter().map(|(name, value)| (name.as_str(), value, rest))),
                Value::Array(elements) if elements.iter().any(|element| matches!(element, Value::Object(_))) => {
                    open.extend(elements.iter().filter_map(pair).map(|(name, value)| (name, value, rest)));
                    open.extend(elements.iter().flat_map(|element| {
                        match element {
                            Value::Object(inner) => inner.as_slice(),
                            _ => &[],
                        }
                        .iter()
                        .map(|(name, value)| (name.as_str(), value, rest))
                    }));
                }
                _ if rest.is_empty() && self.matches(owner, name, value) => return true,
                _ => {}
            }
        }
        false
    }

    fn matches(&self, owner: Owner<'_>, name: &str, value: &Value) -> bool {
        if let Value::Null | Value::Error(_) = value {
            return false;
        }
        if let Value::Array(elements) = value {
            return elements.iter().any(|element| self.matches(owner, name, element));
        }
        let mut text = String::new();
        write_value(&mut text, value);
        let number = number_in(value);
        match owner.words(name, value) {
            Some(words) => self.comparison.holds(&[&text, &words], number),
            None => self.comparison.holds(&[&text], number),
        }
    }
}

/// Names of the parts of a key/value pair in events of DiagnosticSource and loggers.
const PAIR: [&str; 2] = ["Key", "Value"];

/// Returns key and value of a pair, so that conditions can use pairs like fields.
fn pair(element: &Value) -> Option<(&str, &Value)> {
    let Value::Object(inner) = element else { return None };
    match inner.as_slice() {
        [(key, Value::String(name)), (of, value)] if [key.as_str(), of.as_str()] == PAIR => {
            Some((name.as_str(), value))
        }
        _ => None,
    }
}

/// Returns whether one of the fields is the last one of the path, contains it, or has pairs that may.
fn has_field(fields: &[Field], whole: &str, last: &str) -> bool {
    fields.iter().any(|field| {
        let is_it = |wanted: &str| wanted.eq_ignore_ascii_case(&field.name);
        let inner = inner_fields(&field.field_type);
        let has_pairs = inner.iter().map(|field| field.name.as_str()).eq(PAIR);
        is_it(whole) || is_it(last) || has_pairs || has_field(inner, whole, last)
    })
}
