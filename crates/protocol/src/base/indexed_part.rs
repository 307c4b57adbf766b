//! Which part of a trace has rows, when all of it would not fit into memory.

use super::time::Span;
use serde::{Deserialize, Serialize};

/// Rows that are indexed at most, about: at 20 bytes each they take half of what a tab may have.
pub const MOST_ROWS: u64 = 100_000_000;

/// The part of a trace whose events become rows. What a trace declares, what code ran, losses, and totals always come
/// from all of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Window {
    /// Only events inside this range; all if none.
    pub span: Option<Span>,
    /// Only events of these providers, by exact name; all if there are none.
    pub providers: Vec<String>,
}

/// What there are rows of, when that is not everything.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Indexed {
    /// The time that the rows cover: all events of [`Indexed::providers`] inside of it have rows.
    pub span: Span,
    /// The providers; all if there are none.
    pub providers: Vec<String>,
    /// Events with rows.
    pub rows: u64,
}
