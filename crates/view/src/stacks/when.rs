//! Weights over time of rows and functions, as a small picture and in words.

use crate::events::histogram::outline;
use crate::format;
use protocol::tables::{WHEN_BUCKETS, When};

/// Height of the picture in units; it is [`WHEN_BUCKETS`] wide.
pub const HEIGHT: u32 = 16;

/// Weights of one row over time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowTimes {
    heights: [u8; WHEN_BUCKETS],
    words: String,
}

impl RowTimes {
    /// Returns a row of an answer; `None` if it is missing or has no weight.
    pub fn new(when: &When, row: usize) -> Option<Self> {
        let start = row.checked_mul(WHEN_BUCKETS)?;
        let heights: [u8; WHEN_BUCKETS] = when.heights.get(start..start + WHEN_BUCKETS)?.try_into().ok()?;
        heights.iter().any(|&height| height > 0).then(|| Self { heights, words: words(when, row) })
    }

    /// Returns the outline of the picture as an SVG path.
    pub fn outline(&self) -> String {
        let height = u64::from(HEIGHT);
        outline(self.heights.iter().map(|&bar| (u64::from(bar) * height).div_ceil(255)), height)
    }

    /// Returns the description in words.
    pub fn words(&self) -> &str {
        &self.words
    }
}

fn words(when: &When, row: usize) -> String {
    let at = |column: &[i64], row: usize| column.get(row).copied().unwrap_or(0);
    let (from, to) = (at(&when.bounds, 0), at(&when.bounds, 1));
    let (start, end) = (at(&when.bulk_start, row), at(&when.bulk_end, row));
    // 80% of evenly distributed weight is in 80% of the time.
    let most = to.saturating_sub(from) / 4 * 3;
    if end.saturating_sub(start) >= most {
        return "throughout".to_owned();
    }
    format!("mostly {}", format::range(start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_is_drawn_and_described() {
        let mut heights = vec![0; 2 * WHEN_BUCKETS];
        heights[WHEN_BUCKETS + 4] = 255;
        heights[WHEN_BUCKETS + 5] = 1;
        let second = 1_000_000_000;
        let when = When {
            bounds: vec![0, 32 * second],
            heights,
            bulk_start: vec![0, 4 * second],
            bulk_end: vec![32 * second, 5 * second],
        };
        assert_eq!(RowTimes::new(&when, 0), None, "never on a stack");
        assert_eq!(RowTimes::new(&when, 2), None, "no such row");
        let row = RowTimes::new(&when, 1).unwrap();
        assert!(row.outline().starts_with("M0 16V16H1V16H2V16H3V16H4V0H5V15H6V16H7"), "{}", row.outline());
        assert_eq!(row.words(), "mostly 4.000–5.000 s");
        let whole = When { heights: vec![255; WHEN_BUCKETS], ..when };
        assert_eq!(RowTimes::new(&whole, 0).unwrap().words(), "throughout");
    }
}
