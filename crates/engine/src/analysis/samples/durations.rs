//! Time that a wall-clock sample represents.
//!
//! A sampler has no fixed rate: it needs its period plus the time to walk stacks, and sometimes pauses for seconds. So
//! the weight of a sample is the time to the same thread's next sample, but not more than a few of the thread's usual
//! periods; the rest is unknown. On macOS and Android, every few samples are late by several periods: where late
//! samples are common, they aren't gaps. A single late sample isn't a gap either if the thread was still at the same
//! place.

/// Maximum number of median periods that a sample represents.
pub const CAP_PERIODS: i64 = 5;

/// Maximum number of median periods after which a sample is late. After more, the sampler paused.
pub const LATE_PERIODS: i64 = 20;

/// Returns the median of the positive intervals between `times` (ascending, in nanoseconds), the larger of two middle
/// values; 0 if there are none.
pub fn median_period(times: &[i64]) -> i64 {
    let mut intervals: Vec<i64> =
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).filter(|&interval| interval > 0).collect();
    if intervals.is_empty() {
        return 0;
    }
    let middle = intervals.len() / 2;
    *intervals.select_nth_unstable(middle).1
}

/// Minimum number of intervals that show which are common.
const FEWEST_INTERVALS: usize = 100;
/// An interval is common if one in this many exceeds it.
const LATE_ONE_IN: usize = 20;

/// Usual lateness of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    /// The longest interval that isn't a gap, in nanoseconds.
    pub longest: i64,
    /// The interval that one sample in twenty exceeds, in nanoseconds, if intervals longer than the cap are common.
    pub usual: Option<i64>,
}

/// Returns the usual lateness of samples at `times` (ascending, in nanoseconds) with this median period.
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
    fn long_pause_does_not_change_period() {
        assert_eq!(median_period(&[0, 10, 20, 31, 41, 5_000]), 10);
    }

    #[test]
    fn late_samples_are_gaps_only_if_rare() {
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
    fn thread_with_one_sample_has_no_period() {
        assert_eq!(median_period(&[]), 0);
        assert_eq!(median_period(&[7]), 0);
        assert_eq!(median_period(&[7, 7]), 0);
    }
}
