//! How long a wall-clock sample stands for its thread.
//!
//! A sampler does not fire at a fixed rate: it takes its period plus the time of the walk, and sometimes pauses for
//! seconds. So a sample weighs the time to the same thread's next sample, but not more than a few of the thread's own
//! usual periods; the rest is not known. On macOS and Android every few samples are late by several periods: where late samples
//! are usual, they are no gaps. A single late one is none either if the thread was where it had been.

/// A sample stands for at most so many median periods.
pub const CAP_PERIODS: i64 = 5;

/// A sample that comes at most so many median periods after the last one is late; after more, the sampler paused.
pub const LATE_PERIODS: i64 = 20;

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

/// How late samples usually are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    /// The longest interval that is not a gap, nanoseconds.
    pub longest: i64,
    /// The interval that one sample in twenty exceeds, nanoseconds, if that makes intervals longer than the cap usual.
    pub usual: Option<i64>,
}

/// How late samples at `times` (ascending nanoseconds, of this median period) usually are.
pub fn lateness(times: &[i64], period: i64) -> Lateness {
    let cap = period.saturating_mul(CAP_PERIODS);
    let mut intervals: Vec<i64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    if intervals.len() < FEWEST_INTERVALS {
        return Lateness { longest: cap, usual: None };
    }
    let late = intervals.len() - 1 - intervals.len() / LATE_ONE_IN;
    let (_, &mut usual, _) = intervals.select_nth_unstable(late);
    let longest = usual.saturating_mul(2);
    match longest > cap {
        true => Lateness { longest, usual: Some(usual) },
        false => Lateness { longest: cap, usual: None },
    }
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
        let of = |times: &[i64]| lateness(times, 14);
        let usual = |longest, usual| Lateness { longest, usual };
        assert_eq!(of(&times(7, 2_000)), usual(260, Some(130)), "one in seven is late");
        assert_eq!(of(&times(50, 2_000)), usual(70, None), "one in fifty is late");
        assert_eq!(of(&times(7, 50)), usual(70, None), "too few to know");
    }

    #[test]
    fn a_thread_with_one_sample_has_no_period() {
        assert_eq!(median_period(&[]), 0);
        assert_eq!(median_period(&[7]), 0);
        assert_eq!(median_period(&[7, 7]), 0);
    }
}
