//! In which order events stand.

use serde::{Deserialize, Serialize};

/// What events are sorted by.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SortKey {
    /// When they happened.
    #[default]
    Time,
    /// What the thread is called.
    Thread,
    /// The provider's name.
    Provider,
    /// The event's name.
    Name,
    /// The level, most severe first.
    Level,
    /// How long what they begin or end lasts: then events that do neither.
    Duration,
    /// The payload's field of this name: numbers, then texts (ignoring case), then events without it.
    Field(String),
}

/// The order of events. Equal ones are in order of time.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct EventOrder {
    /// What they are sorted by.
    pub key: SortKey,
    /// Largest first. Events without a value are last all the same.
    pub descending: bool,
}

impl EventOrder {
    /// Whether nothing has to be sorted: the order of time, or its reverse.
    pub fn is_time(&self) -> bool {
        self.key == SortKey::Time
    }
}
