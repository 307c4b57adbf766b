//! Labels that several events share.

use serde::{Deserialize, Serialize};

/// Label that connects events across threads and processes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Label {
    /// Activity by GUID: its events, and events with this related activity.
    Activity(String),
    /// W3C trace ID, 32 hexadecimal digits.
    Trace(String),
    /// W3C span ID, 16 hexadecimal digits.
    Span(String),
    /// Named label and its displayed value.
    Named(String, String),
}

impl Label {
    pub fn name(&self) -> &str {
        match self {
            Self::Activity(_) => "Activity",
            Self::Trace(_) => "Trace ID",
            Self::Span(_) => "Span ID",
            Self::Named(name, _) => name,
        }
    }

    /// Returns the displayed value.
    pub fn value(&self) -> &str {
        match self {
            Self::Activity(value) | Self::Trace(value) | Self::Span(value) | Self::Named(_, value) => value,
        }
    }

    /// Returns whether both labels have the same name.
    pub fn is_alternative_to(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.name() == other.name()
    }
}
