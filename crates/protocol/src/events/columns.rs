//! Columns of the event table.

use serde::{Deserialize, Serialize};

/// Column of the event table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum EventColumn {
    Time,
    /// Label of the thread.
    Thread,
    Provider,
    Name,
    Level,
    /// Duration of the interval that the event starts or stops.
    Duration,
    BelongsTo,
    /// Payload field of this name.
    Field(String),
    /// Payload in one line.
    Payload,
}

/// Returns the payload fields among columns, in order.
pub fn fields_of(columns: &[EventColumn]) -> Vec<String> {
    let name = |column: &EventColumn| match column {
        EventColumn::Field(name) => Some(name.clone()),
        _ => None,
    };
    columns.iter().filter_map(name).collect()
}
