//! Order of events.

use serde::{Deserialize, Serialize};

use super::columns::EventColumn;

/// Order of events. Ties are sorted by time.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct EventOrder {
    /// A sortable column.
    pub key: EventColumn,
    /// True to sort in descending order. Events without a value come last in both cases.
    pub descending: bool,
}

impl EventOrder {
    /// Returns whether the order is by time, ascending or descending, so that nothing has to be sorted.
    pub fn is_time(&self) -> bool {
        self.key == EventColumn::Time
    }
}
