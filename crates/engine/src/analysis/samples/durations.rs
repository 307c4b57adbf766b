//! How long a wall-clock sample stands for its thread.
//!
//! A sampler does not fire at a fixed rate: it takes its period plus the time of the walk, and sometimes pauses for
//! seconds. So a sample weighs the time to the same thread's next sample, but not more than a few of the thread's own
//! usual periods; the rest is not known.

/// A sample stands for at most so many median periods.
pub const CAP_PERIODS: i64 = 5;

/// The median of the positive intervals between `times` (ascending nanoseconds), the larger of two middles; 0 if there is none.
pub fn median_period(times: &[i64]) -> i64 {
    let mut intervals: Vec<i64> =
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).filter(|&interval| interval > 0).collect();
    if intervals.is_empty() {
        return 0;
    }
    let middle = intervals.len() / 2;
    *intervals.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_pause_does_not_move_the_period() {
        assert_eq!(median_period(&[0, 10, 20, 31, 41, 5_000]), 10);
    }

    #[test]
    fn a_thread_with_one_sample_has_no_period() {
        assert_eq!(median_period(&[]), 0);
        assert_eq!(median_period(&[7]), 0);
        assert_eq!(median_period(&[7, 7]), 0);
    }
}
