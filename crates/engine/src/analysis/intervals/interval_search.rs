//! Interface of step-by-step searches for intervals.

use super::interval_set::IntervalSet;
use crate::analysis::scan::payload_batches::Step;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use std::fmt::Debug;

/// Search for potentially many intervals, step by step.
pub(crate) trait IntervalSearch: Debug {
    /// Continues to read for a few milliseconds. Waits for bytes that a source has to fetch if `may_wait`.
    fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError>;

    fn finish(self: Box<Self>) -> IntervalSet;
}
