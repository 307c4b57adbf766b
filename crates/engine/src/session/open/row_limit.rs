//! Maximum number of rows, which decreases if the tab has too little memory.

use protocol::base::indexed_part::MAX_ROWS;
use protocol::{Failure, FailureCode};

/// Minimum number of rows to try. If even these don't fit, something else uses the memory.
const FEWEST_ROWS: u64 = 1 << 20;

/// Limit that decreases when memory runs out.
#[derive(Clone, Copy, Debug)]
pub struct RowLimit {
    most_rows: u64,
}

impl Default for RowLimit {
    fn default() -> Self {
        Self { most_rows: MAX_ROWS }
    }
}

impl RowLimit {
    /// Returns the approximate maximum number of rows.
    pub fn most_rows(self) -> u64 {
        self.most_rows
    }

    /// Lowers the limit after a failure at a number of events, if that may help. Returns whether to read again.
    pub fn lower_after(&mut self, failure: &Failure, events: u64) -> bool {
        let fewer = self.most_rows.min(events) / 2;
        let is_worth_it = failure.code == FailureCode::OutOfMemory && fewer >= FEWEST_ROWS;
        if is_worth_it {
            self.most_rows = fewer;
        }
        is_worth_it
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_memory_halves_row_limit_down_to_minimum() {
        let full = Failure::new(FailureCode::OutOfMemory, "No memory.");
        let mut limit = RowLimit::default();
        assert!(!limit.lower_after(&Failure::new(FailureCode::Unreadable, "Gone."), u64::MAX));
        assert_eq!(limit.most_rows(), MAX_ROWS);
        assert!(limit.lower_after(&full, 60_000_000), "the events read so far were too many");
        assert_eq!(limit.most_rows(), 30_000_000);
        let attempts = std::iter::repeat_with(|| limit.lower_after(&full, u64::MAX)).take_while(|again| *again).count();
        assert_eq!((attempts, limit.most_rows()), (4, 1_875_000));
    }
}
