//! Order of events.

use serde::{Deserialize, Serialize};

/// Sort key of events.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SortKey {
    #[default]
    Time,
    /// Label of the thread.
    Thread,
    /// Name of the provider.
    Provider,
    /// Name of the event.
    Name,
    /// Level, most severe first.
    Level,
    /// Duration of the interval that an event starts or stops; other events come last.
    Duration,
    /// Payload field of this name: numbers, then strings (case-insensitive), then events without it.
    Field(String),
}

/// Order of events. Ties are sorted by time.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct EventOrder {
    pub key: SortKey,
    /// True to sort in descending order. Events without a value come last in both cases.
    pub descending: bool,
}

impl EventOrder {
    /// Returns whether the order is that of time, ascending or descending, so nothing has to be sorted.
    pub fn is_time(&self) -> bool {
        self.key == SortKey::Time
    }
}
