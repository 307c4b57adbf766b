//! Labels: what ties events together.

use serde::{Deserialize, Serialize};

/// What ties events to a piece of work, across threads and processes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Label {
    /// Its activity by GUID: events of it, and events that name it as the one they are related to.
    Activity(String),
    /// The W3C trace id, 32 hexadecimal digits.
    Trace(String),
    /// The W3C span id, 16 hexadecimal digits.
    Span(String),
    /// A label with a name of its own, and its value as shown.
    Named(String, String),
}

impl Label {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Activity(_) => "Activity",
            Self::Trace(_) => "Trace ID",
            Self::Span(_) => "Span ID",
            Self::Named(name, _) => name,
        }
    }

    /// Its value as shown.
    pub fn value(&self) -> &str {
        match self {
            Self::Activity(value) | Self::Trace(value) | Self::Span(value) | Self::Named(_, value) => value,
        }
    }

    /// Whether both are values of the same name.
    pub fn is_alternative_to(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.name() == other.name()
    }
}
