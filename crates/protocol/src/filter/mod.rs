//! The language of filters: conditions as they are typed, such as `provider:Http dur>5ms -thread:Finalizer`.
//!
//! `docs/filter-language.md` is the grammar for people; a test holds its examples against this. Text becomes a [`Query`]
//! by [`parse`] and is written again by `Display`, in a form that means the same.

mod context;
mod parser;
mod print;
mod scanner;
mod units;

pub use context::{Context, KEYS, Typing, context};
pub use parser::{QueryError, parse, parts};
pub use print::word;

use crate::base::time::Span;
use serde::{Deserialize, Serialize};

/// Bytes of a query that are read; nobody types more.
pub const MOST_BYTES: usize = 4096;
/// Parentheses inside of parentheses.
const MOST_DEPTH: usize = 32;

/// Which events are wanted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Query {
    /// Those that meet a condition.
    Is(Condition),
    /// Those that are not wanted by another.
    Not(Box<Query>),
    /// Those that all want; of none: everything.
    All(Vec<Query>),
    /// Those that one of these wants.
    Any(Vec<Query>),
}

impl Default for Query {
    /// Everything.
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Query {
    /// Whether everything is wanted.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a condition of such a kind is in it.
    pub fn has(&self, is_wanted: fn(&Condition) -> bool) -> bool {
        match self {
            Self::Is(condition) => is_wanted(condition),
            Self::Not(inner) => inner.has(is_wanted),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.has(is_wanted)),
        }
    }

    /// The part of `whole` outside of which nothing is wanted: what conditions on the time say that all have to meet.
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

/// A condition on an event.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Condition {
    /// A text anywhere: in the names of provider, event and thread, or in a value of the payload.
    Text(Pattern),
    /// A name.
    Named(Name, Pattern, Extent),
    /// The level: 1 critical … 5 verbose, 0 always.
    Level(Order, u8),
    /// How long what begins or ends with the event lasts, in nanoseconds.
    Duration(Order, i64),
    /// When it happened, in nanoseconds since the trace's start: from, and before.
    Time(Option<i64>, Option<i64>),
    /// A label with this name.
    Label(String, Comparison),
    /// A field of the payload; the names of fields inside of others are joined by dots.
    Payload(String, Comparison),
}

/// What of an event has a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Name {
    /// Its provider.
    Provider,
    /// The event itself: `Provider/Name`.
    Event,
    /// Its thread: what it is called, with its number.
    Thread,
    /// Its process: what it is called, with its number.
    Process,
    /// A function on its stack.
    Stack,
    /// Its activity: the path, or the GUID.
    Activity,
    /// The W3C trace id.
    Trace,
    /// The W3C span id.
    Span,
}

impl Name {
    /// All, with the word that is typed.
    pub const ALL: [(Name, &'static str); 8] = [
        (Name::Provider, "provider"),
        (Name::Event, "event"),
        (Name::Thread, "thread"),
        (Name::Process, "process"),
        (Name::Stack, "stack"),
        (Name::Activity, "activity"),
        (Name::Trace, "trace"),
        (Name::Span, "span"),
    ];

    /// The word that is typed.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(name, _)| *name == self).map_or("", |(_, word)| word)
    }
}

/// How much of a text has to be the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Extent {
    /// Any part (`:` or `~`).
    Part,
    /// All of it (`=`).
    Whole,
}

/// What a text has to be like.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Pattern {
    /// This text, ignoring case.
    Text(String),
    /// A regular expression, with or without regard to case.
    Regex {
        /// As it stands between slashes.
        pattern: String,
        /// Whether an `i` stands behind it.
        ignores_case: bool,
    },
}

/// How numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=` or `:`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

impl Order {
    /// Whether it holds for two numbers, of which the first is the event's.
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

/// What a value has to be. An event without the value meets none of these.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Comparison {
    /// Containing the pattern (`:` or `~`).
    Like(Pattern),
    /// The same text, or the same number (`=`).
    Is(Pattern),
    /// Another (`!=`).
    IsNot(Pattern),
    /// A number (`<`, `<=`, `>`, `>=`); kept as it was typed.
    Number(Order, String),
}

#[cfg(test)]
mod tests;
