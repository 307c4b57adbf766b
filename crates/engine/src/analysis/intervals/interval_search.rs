//! Searches for intervals of which there may be many.

use super::interval_set::IntervalSet;
use crate::analysis::scan::payload_batches::Step;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use std::fmt::Debug;

/// Looks for intervals of which there may be many, step by step.
pub(crate) trait IntervalSearch: Debug {
    /// Reads on, a few milliseconds' work. What a source has to fetch first is waited for, if `may_wait`.
    fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError>;

    /// What was found.
    fn finish(self: Box<Self>) -> IntervalSet;
}
