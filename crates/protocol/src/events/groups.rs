//! How events are grouped, what is computed of each group, and in which order groups stand.

use crate::request::SortKey;
use serde::{Deserialize, Serialize};

/// Events of one thread, one type, one value of a field, as a row of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct GroupQuery {
    /// What events of a group have in common. Not [`SortKey::Time`] and [`SortKey::Duration`], by which each is alone.
    pub by: SortKey,
    /// What is summed up; without it events are counted only.
    pub measure: Option<Measure>,
    /// What groups are sorted by; equal ones by name.
    pub column: GroupColumn,
    /// Largest first, latest first, names from Z on.
    pub descending: bool,
}

/// A number that events have.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Measure {
    /// How long what begins or ends with the event lasts, nanoseconds.
    Duration,
    /// The payload's field of this name, where it is a number.
    Field(String),
}

/// A column of the table of groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum GroupColumn {
    /// How many events.
    #[default]
    Count,
    /// What they have in common.
    Name,
    /// When the first happened.
    First,
    /// When the last happened.
    Last,
    /// All numbers together.
    Sum,
    /// The smallest number.
    Min,
    /// The number that half of the events do not exceed.
    Median,
    /// The number that 95 of 100 events do not exceed.
    Percentile95,
    /// The largest number.
    Max,
}
