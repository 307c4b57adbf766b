//! Writes a query as equivalent text.

use super::units;
use super::{Comparison, Condition, Extent, Pattern, Query};
use std::fmt::{Display, Formatter, Result};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::All(parts) => joined(f, parts, " "),
            one => one.write_inside(f),
        }
    }
}

impl Query {
    /// Writes the query as a part of another one.
    fn write_inside(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Is(condition) => write!(f, "{condition}"),
            Self::Not(inner) => {
                f.write_str("-")?;
                inner.write_inside(f)
            }
            Self::All(parts) => {
                f.write_str("(")?;
                joined(f, parts, " ")?;
                f.write_str(")")
            }
            Self::Any(parts) => {
                f.write_str("(")?;
                joined(f, parts, " or ")?;
                f.write_str(")")
            }
        }
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Query], between: &str) -> Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        part.write_inside(f)?;
    }
    Ok(())
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Text(pattern) => write!(f, "{pattern}"),
            Self::Named(name, pattern, Extent::Part) => write!(f, "{}:{pattern}", name.word()),
            Self::Named(name, pattern, Extent::Whole) => write!(f, "{}={pattern}", name.word()),
            Self::Level(order, level) => write!(f, "level{}{level}", order.sign()),
            Self::Duration(order, nanos) => write!(f, "dur{}{}", order.sign(), units::text(*nanos)),
            Self::Time(from, until) => {
                let moment = |time: &Option<i64>| time.map(units::text).unwrap_or_default();
                write!(f, "time:{}..{}", moment(from), moment(until))
            }
            Self::Label(name, comparison) => write!(f, "label.{}{comparison}", key(name)),
            Self::Payload(field, comparison) => write!(f, "payload.{}{comparison}", key(field)),
        }
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Like(pattern) => write!(f, ":{pattern}"),
            Self::Is(pattern) => write!(f, "={pattern}"),
            Self::IsNot(pattern) => write!(f, "!={pattern}"),
            Self::Number(order, number) => write!(f, "{}{}", order.sign(), word(number)),
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Text(text) => f.write_str(&word(text)),
            Self::Regex { pattern, ignores_case } => {
                let pattern = pattern.replace('/', "\\/");
                write!(f, "/{pattern}/{}", if *ignores_case { "i" } else { "" })
            }
        }
    }
}

/// Returns a text as a value, quoted if necessary.
pub fn word(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_.$*+,;#@%&[]{}|^'?/-".contains(character);
    let is_operator = ["or", "and"].iter().any(|operator| text.eq_ignore_ascii_case(operator));
    let is_safe = !text.starts_with(['-', '/']) && text.chars().all(is_plain);
    if !text.is_empty() && !is_operator && is_safe { text.to_owned() } else { quoted(text) }
}

fn key(name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "_.$[]".contains(character);
    if !name.is_empty() && name.chars().all(is_plain) { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
