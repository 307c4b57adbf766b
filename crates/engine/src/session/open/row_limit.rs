//! How many events get rows, in a tab that may have less memory than others.

use protocol::base::indexed_part::MAX_ROWS;
use protocol::{Failure, FailureCode};

/// Fewer rows than this are not tried: then something else needs the memory.
const FEWEST_ROWS: u64 = 1 << 20;

/// The limit, which falls when memory runs out.
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
    /// Rows at most, about.
    pub fn most_rows(self) -> u64 {
        self.most_rows
    }

    /// Whether to read once more, with fewer rows, after a failure when so many events had been read.
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
    fn memory_that_ran_out_halves_the_rows_until_few_are_left() {
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
