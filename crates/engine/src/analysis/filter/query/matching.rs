//! What a text or a value has to be like.

use super::evaluate::Row;
use super::text_leaf::inner_fields;
use crate::analysis::scan::text_match::Needle;
use crate::analysis::values::payload_text::Owner;
use crate::analysis::values::value_text::{number_in, write_value};
use crate::model::{EventType, Store};
use nettrace::{Field, Value};
use protocol::filter::{Comparison, Extent, Order, Pattern};
use regex_lite::{Regex, RegexBuilder};

/// Bytes that a regular expression may take when it is compiled.
const MOST_REGEX_BYTES: usize = 1 << 20;

/// `Provider/Name` of a type.
pub(super) fn full_name(event_type: &EventType) -> String {
    format!("{}/{}", event_type.provider, event_type.display_name)
}

/// A pattern that texts are held against.
pub(super) enum Matcher {
    /// Texts that contain this one.
    Part(Needle),
    /// Texts that are this one, ignoring case.
    Whole(Needle),
    Regex(Regex),
    /// The empty text.
    Empty,
    /// Nothing.
    Never,
}

impl Matcher {
    pub fn new(pattern: &Pattern, extent: Extent) -> Self {
        match (pattern, extent) {
            (Pattern::Text(text), Extent::Part) => Needle::new(text).map_or(Self::Empty, Self::Part),
            (Pattern::Text(text), Extent::Whole) => Needle::new(text).map_or(Self::Empty, Self::Whole),
            (Pattern::Regex { pattern, ignores_case }, extent) => {
                let whole = format!("^(?:{pattern})$");
                let pattern = if extent == Extent::Whole { &whole } else { pattern };
                let mut builder = RegexBuilder::new(pattern);
                let regex = builder.case_insensitive(*ignores_case).size_limit(MOST_REGEX_BYTES).build();
                // One that takes too much memory.
                regex.map_or(Self::Never, Self::Regex)
            }
        }
    }

    pub fn is_met_by(&self, text: &str) -> bool {
        match self {
            Self::Part(needle) => needle.is_in(text),
            Self::Whole(needle) => needle.is_all_of(text),
            Self::Regex(regex) => regex.is_match(text),
            Self::Empty => text.is_empty(),
            Self::Never => false,
        }
    }
}

/// A comparison with what is to be compared ready.
pub(super) enum Comparing {
    Like(Matcher),
    /// The text or the number.
    Is(Matcher, Option<f64>),
    IsNot(Matcher, Option<f64>),
    Number(Order, f64),
}

impl Comparing {
    pub fn new(comparison: &Comparison) -> Self {
        let number_in = |pattern: &Pattern| match pattern {
            Pattern::Text(text) => number_of(text),
            Pattern::Regex { .. } => None,
        };
        match comparison {
            Comparison::Like(pattern) => Self::Like(Matcher::new(pattern, Extent::Part)),
            Comparison::Is(pattern) => Self::Is(Matcher::new(pattern, Extent::Whole), number_in(pattern)),
            Comparison::IsNot(pattern) => Self::IsNot(Matcher::new(pattern, Extent::Whole), number_in(pattern)),
            Comparison::Number(order, number) => Self::Number(*order, number.parse().unwrap_or(f64::NAN)),
        }
    }

    /// Whether it holds for a value, which may have several texts: as it is shown, and as it is.
    pub fn holds(&self, texts: &[&str], number: Option<f64>) -> bool {
        let is_like = |matcher: &Matcher| texts.iter().any(|text| matcher.is_met_by(text));
        let is = |matcher, wanted: Option<f64>| wanted.is_some() && number == wanted || is_like(matcher);
        match self {
            Self::Like(matcher) => is_like(matcher),
            Self::Is(matcher, wanted) => is(matcher, *wanted),
            Self::IsNot(matcher, wanted) => !is(matcher, *wanted),
            Self::Number(order, limit) => number.is_some_and(|number| order.holds(number, *limit)),
        }
    }
}

/// A number as it may be typed: with a sign, a point, or hexadecimal.
pub(super) fn number_of(text: &str) -> Option<f64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number as f64),
        None => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// A condition on a field of the payload.
pub(super) struct PayloadField {
    /// The names on the way to the field.
    path: Vec<String>,
    comparing: Comparing,
    /// By type: whether it has the field.
    pub(super) types: Vec<bool>,
}

impl PayloadField {
    pub fn new(store: &Store, name: &str, comparison: &Comparison) -> Self {
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        let last = path.last().map_or(name, String::as_str);
        let types = store.types().iter().map(|event_type| has_field(&event_type.schema.fields, name, last)).collect();
        Self { path, comparing: Comparing::new(comparison), types }
    }

    /// Whether no event can have it.
    pub fn is_of_none(&self) -> bool {
        !self.types.contains(&true)
    }

    /// Whether an event's payload has the field with such a value; of an array, any of its elements.
    pub fn wants(&self, row: &Row<'_>) -> bool {
        if !self.may_be_of(row.event_type.id) {
            return false;
        }
        let owner = Owner { provider: &row.event_type.provider, event_id: row.event_type.record.event_id };
        let named = row.event_type.schema.fields.iter().map(|field| field.name.as_str()).zip(row.values());
        let mut open: Vec<(&str, &Value, &[String])> =
            named.map(|(name, value)| (name, value, self.path.as_slice())).collect();
        let whole = self.path.join(".");
        while let Some((name, value, path)) = open.pop() {
            // Some names have dots of their own; what does not fit may have the field inside.
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
                _ if rest.is_empty() && self.is_met_by(owner, name, value) => return true,
                _ => {}
            }
        }
        false
    }

    fn is_met_by(&self, owner: Owner<'_>, name: &str, value: &Value) -> bool {
        if let Value::Null | Value::Error(_) = value {
            return false;
        }
        if let Value::Array(elements) = value {
            return elements.iter().any(|element| self.is_met_by(owner, name, element));
        }
        let mut text = String::new();
        write_value(&mut text, value);
        let number = number_in(value);
        match owner.words(name, value) {
            Some(words) => self.comparing.holds(&[&text, &words], number),
            None => self.comparing.holds(&[&text], number),
        }
    }
}

/// The names of the parts of a pair of a name and a value, as DiagnosticSource and loggers have them.
const PAIR: [&str; 2] = ["Key", "Value"];

/// The name and the value of a pair: values of pairs can be asked for like fields.
fn pair(element: &Value) -> Option<(&str, &Value)> {
    let Value::Object(inner) = element else { return None };
    match inner.as_slice() {
        [(key, Value::String(name)), (of, value)] if [key.as_str(), of.as_str()] == PAIR => {
            Some((name.as_str(), value))
        }
        _ => None,
    }
}

/// Whether one of the fields is the last of the path, or has it somewhere inside, or has pairs that may.
fn has_field(fields: &[Field], whole: &str, last: &str) -> bool {
    fields.iter().any(|field| {
        let is_it = |wanted: &str| wanted.eq_ignore_ascii_case(&field.name);
        let inner = inner_fields(&field.field_type);
        let has_pairs = inner.iter().map(|field| field.name.as_str()).eq(PAIR);
        is_it(whole) || is_it(last) || has_pairs || has_field(inner, whole, last)
    })
}
