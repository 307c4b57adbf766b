//! How long a wall-clock sample stands for its thread.
//!
//! A sampler does not fire at a fixed rate: it takes its period plus the time of the walk, and sometimes pauses for
//! seconds. So a sample weighs the time to the same thread's next sample, but not more than a few of the thread's own
//! usual periods; the rest is not known. On macOS and Android every few samples are late by several periods: where late samples
//! are usual, they are no gaps.

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

/// Fewer intervals don't show which are usual.
const FEWEST_INTERVALS: usize = 100;
/// An interval that one in so many exceeds is usual.
const LATE_ONE_IN: usize = 20;

/// The longest interval between `times` (ascending nanoseconds, of this median period) that is not a gap.
pub fn longest_interval(times: &[i64], period: i64) -> i64 {
    let longest = period.saturating_mul(CAP_PERIODS);
    let mut intervals: Vec<i64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    if intervals.len() < FEWEST_INTERVALS {
        return longest;
    }
    let late = intervals.len() - 1 - intervals.len() / LATE_ONE_IN;
    let (_, usual, _) = intervals.select_nth_unstable(late);
    longest.max(usual.saturating_mul(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_pause_does_not_move_the_period() {
        assert_eq!(median_period(&[0, 10, 20, 31, 41, 5_000]), 10);
    }

    #[test]
    fn late_samples_are_gaps_only_where_they_are_rare() {
        let times = |late_every: usize, count: usize| {
            let mut at = 0;
            let mut next = |index: usize| {
                at += if index.is_multiple_of(late_every) { 130 } else { 14 };
                at
            };
            (1..=count).map(&mut next).collect::<Vec<i64>>()
        };
        assert_eq!(longest_interval(&times(7, 2_000), 14), 260, "one in seven is late");
        assert_eq!(longest_interval(&times(50, 2_000), 14), 70, "one in fifty is late");
        assert_eq!(longest_interval(&times(7, 50), 14), 70, "too few to know");
    }

    #[test]
    fn a_thread_with_one_sample_has_no_period() {
        assert_eq!(median_period(&[]), 0);
        assert_eq!(median_period(&[7]), 0);
        assert_eq!(median_period(&[7, 7]), 0);
    }
}
