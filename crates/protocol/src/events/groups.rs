//! Grouping of events.

use crate::request::EventColumn;
use serde::{Deserialize, Serialize};

/// Grouping of events by thread, type or field value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct GroupQuery {
    /// Key of the groups. Must not be [`EventColumn::Time`] or [`EventColumn::Duration`], whose values rarely repeat.
    pub by: EventColumn,
    /// Number to aggregate; `None` counts events only.
    pub measure: Option<Measure>,
    /// Column to sort by; ties are sorted by name.
    pub column: GroupColumn,
    /// True to sort in descending order.
    pub descending: bool,
}

/// Number to aggregate for each event.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Measure {
    /// Duration of the interval that the event starts or stops, in nanoseconds.
    Duration,
    /// Numeric payload field of this name.
    Field(String),
}

/// Column of the group table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum GroupColumn {
    /// Number of events.
    #[default]
    Count,
    Name,
    /// Time of the first event.
    First,
    /// Time of the last event.
    Last,
    Sum,
    /// Minimum.
    Min,
    Median,
    /// 95th percentile of the numbers.
    Percentile95,
    /// Maximum.
    Max,
}
