//! Indexed part of a trace that doesn't fully fit into memory.

use super::time::Span;
use serde::{Deserialize, Serialize};

/// Approximate maximum number of indexed rows. At 20 bytes each, they take half of a tab's memory.
pub const MAX_ROWS: u64 = 100_000_000;

/// Part of a trace whose events become rows. Metadata, methods, losses and totals always cover the whole trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Window {
    /// Time range; `None` for all times.
    pub span: Option<Span>,
    /// Exact provider names; all providers if empty.
    pub providers: Vec<String>,
}

/// Indexed part of a partially indexed trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Indexed {
    /// Time range in which all events of [`Indexed::providers`] have rows.
    pub span: Span,
    /// Provider names; all providers if empty.
    pub providers: Vec<String>,
    pub rows: u64,
}
