//! The columns of the table of events.

use serde::{Deserialize, Serialize};

/// A column of the table of events.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum EventColumn {
    /// When.
    Time,
    /// Thread's label.
    Thread,
    /// Provider.
    Provider,
    /// Event name.
    Name,
    /// Level.
    Level,
    /// How long what the event begins or ends lasts.
    Duration,
    /// Activity and labels.
    BelongsTo,
    /// The payload's field of this name.
    Field(String),
    /// Payload in a line.
    Payload,
}

/// The fields of payloads among columns, in their order.
pub fn fields_of(columns: &[EventColumn]) -> Vec<String> {
    let name = |column: &EventColumn| match column {
        EventColumn::Field(name) => Some(name.clone()),
        _ => None,
    };
    columns.iter().filter_map(name).collect()
}
