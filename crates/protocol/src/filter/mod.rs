//! Filter syntax: conditions such as `provider:Http dur>5ms -thread:Finalizer`.
//!
//! `docs/filter-language.md` documents the syntax; a test parses its examples. [`parse`] turns text into a [`Query`],
//! and `Display` writes an equivalent text.

mod context;
mod parser;
mod print;
mod scanner;
mod units;

pub use context::{Context, Typing, context, keys};
pub use parser::{QueryError, parse, parts};
pub use print::word;

use crate::base::time::Span;
use crate::events::columns::Property;
use crate::named;
use serde::{Deserialize, Serialize};

/// Maximum length of a query in bytes.
pub const MAX_BYTES: usize = 4096;
/// Maximum nesting of parentheses.
const MAX_DEPTH: usize = 32;

/// Set of events.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Query {
    /// Events that match a condition.
    Is(Condition),
    /// Events that another query doesn't match.
    Not(Box<Query>),
    /// Events that all queries match; every event if the list is empty.
    All(Vec<Query>),
    /// Events that at least one query matches.
    Any(Vec<Query>),
}

impl Default for Query {
    /// Returns the query that matches every event.
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Query {
    /// Returns whether the query has no conditions.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the query contains a condition that satisfies a predicate.
    pub fn has(&self, is_wanted: fn(&Condition) -> bool) -> bool {
        match self {
            Self::Is(condition) => is_wanted(condition),
            Self::Not(inner) => inner.has(is_wanted),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.has(is_wanted)),
        }
    }

    /// Returns whether a time condition is negated or an alternative, so that it doesn't simply limit the time range.
    pub fn has_inner_time(&self) -> bool {
        match self {
            Self::Is(_) => false,
            Self::All(parts) => parts.iter().any(Self::has_inner_time),
            Self::Not(_) | Self::Any(_) => self.has(|condition| matches!(condition, Condition::Time(..))),
        }
    }

    /// Returns the query without the time conditions that must all match ([`Self::span_within`]); `None` if it has no
    /// such conditions.
    pub fn without_time(&self) -> Option<Self> {
        match self {
            Self::Is(Condition::Time(..)) => Some(Self::default()),
            Self::All(parts) if parts.iter().any(|part| part.without_time().is_some()) => {
                let others = parts.iter().map(|part| part.without_time().unwrap_or_else(|| part.clone()));
                Some(Self::All(others.filter(|part| !part.is_everything()).collect()))
            }
            _ => None,
        }
    }

    /// Returns the part of `whole` that contains all matches, according to the time conditions that must all match.
    pub fn span_within(&self, whole: Span) -> Span {
        match self {
            Self::Is(Condition::Time(from, until)) => {
                let start = from.map_or(whole.start.0, |from| from.clamp(whole.start.0, whole.end.0));
                Span::new(start, until.map_or(whole.end.0, |until| until.clamp(start, whole.end.0)))
            }
            Self::All(parts) => parts.iter().fold(whole, |span, part| part.span_within(span)),
            _ => whole,
        }
    }
}

/// Condition on an event.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Condition {
    /// Text in the names of provider, event and thread, or in a payload value.
    Text(Pattern),
    Named(Name, Pattern, Extent),
    /// Condition on the level: 1 Critical … 5 Verbose, 0 LogAlways.
    Level(Order, u8),
    /// Condition on the duration of the interval that the event starts or stops, in nanoseconds.
    Duration(Order, i64),
    /// Condition on the time, in nanoseconds since the start of the trace: from (inclusive), until (exclusive).
    Time(Option<i64>, Option<i64>),
    Label(String, Comparison),
    /// Condition on a payload field. Dots join the names of nested fields.
    Payload(String, Comparison),
}

/// Name of an event's property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Name {
    Provider,
    /// Full name of the event: `Provider/Name`.
    Event,
    /// Name of the thread, with its ID.
    Thread,
    /// Name of the process, with its ID.
    Process,
    /// Function on the call stack.
    Stack,
    /// Path or GUID of the activity.
    Activity,
    /// Route of the request during which the event was written, with the method or without.
    Route,
    /// W3C trace ID.
    Trace,
    /// W3C span ID.
    Span,
    /// Value of a property column.
    Property(Property),
}

impl Name {
    /// All names except properties, with their keys in the syntax.
    const PLAIN: [(Name, &'static str); 9] = [
        (Name::Provider, "provider"),
        (Name::Event, "event"),
        (Name::Thread, "thread"),
        (Name::Process, "process"),
        (Name::Stack, "stack"),
        (Name::Activity, "activity"),
        (Name::Route, "route"),
        (Name::Trace, "trace"),
        (Name::Span, "span"),
    ];

    /// Returns the key in the syntax.
    pub fn word(self) -> &'static str {
        match self {
            Self::Property(property) => property.key(),
            _ => Self::PLAIN.iter().find(|(name, _)| *name == self).map_or("", |(_, word)| word),
        }
    }

    /// Returns the name with a key in the syntax.
    pub fn with_word(word: &str) -> Option<Self> {
        let plain = Self::PLAIN.iter().find(|(_, known)| *known == word).map(|(name, _)| *name);
        plain.or_else(|| Property::with_key(word).map(Self::Property))
    }
}

/// Extent of a match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Extent {
    /// Substring (`:` or `~`).
    Part,
    Whole,
}

/// Pattern of a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Pattern {
    /// Text, case-insensitive.
    Text(String),
    /// Regular expression.
    Regex {
        /// Pattern between the slashes.
        pattern: String,
        /// True if the expression has the flag `i`.
        ignores_case: bool,
    },
}

named! {
    /// Comparison operator of numbers.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Order {
        Less: "<";
        AtMost: "<=";
        /// `=` or `:`
        Equal: "=";
        AtLeast: ">=";
        More: ">";
    }
    /// Returns the sign in the syntax.
    fn sign;
}

impl Order {
    /// Returns whether the comparison of a value with a limit is true.
    pub fn holds<T: PartialOrd>(self, value: T, limit: T) -> bool {
        match self {
            Self::Less => value < limit,
            Self::AtMost => value <= limit,
            Self::Equal => value == limit,
            Self::AtLeast => value >= limit,
            Self::More => value > limit,
        }
    }
}

/// Comparison with a value. Events without the value never match.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Comparison {
    /// Contains or matches the pattern (`:` or `~`).
    Like(Pattern),
    /// Equals the text or number (`=`).
    Is(Pattern),
    /// Differs from the text or number (`!=`).
    IsNot(Pattern),
    /// Compares with a number (`<`, `<=`, `>`, `>=`), stored as typed.
    Number(Order, String),
}

#[cfg(test)]
mod tests;
