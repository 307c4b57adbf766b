//! Rounds of a sampler.
//!
//! The runtime's sampler stops all threads of a process at once and takes a sample of each that has managed frames. So
//! a thread without a sample in a round ran no managed code at that time, while a time without any round is unknown for
//! all threads. Within a round, samples follow each other closely; between rounds the sampler sleeps.

use super::durations::{LATE_PERIODS, lateness, median_period};
use protocol::base::time::Span;

/// One in this many intervals between a thread's samples is shorter than any sleep of the sampler.
const SHORTEST_ONE_IN: usize = 100;

/// The rounds in which the threads of a process are sampled.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// Nanoseconds of the first sample of each, ascending.
    starts: Vec<i64>,
    /// Median interval between rounds in nanoseconds; 0 if unknown.
    pub period: i64,
    /// Longest interval between rounds that isn't a silence, in nanoseconds.
    pub longest: i64,
    /// Interval in nanoseconds that one round in twenty exceeds; `None` if late rounds are rare.
    pub late: Option<i64>,
}

impl Rounds {
    /// Returns the rounds that start at these times (ascending, in nanoseconds).
    pub fn new(starts: Vec<i64>) -> Self {
        let period = median_period(&starts);
        let lateness = lateness(&starts, period);
        Self { starts, period, longest: lateness.longest, late: lateness.usual }
    }

    /// Returns the longest interval in nanoseconds after which a round is only late: a thread that is at the same place
    /// before and after it was there all the time.
    pub fn latest(&self) -> i64 {
        self.longest.max(self.period.saturating_mul(LATE_PERIODS))
    }

    /// Returns the start of a round in nanoseconds; `None` if the number is too large.
    pub fn start(&self, number: u32) -> Option<i64> {
        self.starts.get(number as usize).copied()
    }

    /// Returns the times in which the sampler was silent: longer than [`Self::longest`].
    pub fn silences(&self) -> Vec<Span> {
        self.gaps(&self.starts, self.longest).collect()
    }

    /// Returns the parts of a time in which the sampler took rounds, some of them late.
    pub fn heard(&self, time: Span) -> Vec<Span> {
        let first = self.starts.partition_point(|start| *start <= time.start.0).saturating_sub(1);
        let last = self.starts.partition_point(|start| *start < time.end.0);
        let touching = self.starts.get(first..(last + 1).min(self.starts.len())).unwrap_or_default();
        let (mut heard, mut from) = (Vec::new(), time.start.0);
        for gap in self.gaps(touching, self.latest()).filter_map(|gap| gap.intersect(time)) {
            if from < gap.start.0 {
                heard.push(Span::new(from, gap.start.0));
            }
            from = gap.end.0;
        }
        if from < time.end.0 {
            heard.push(Span::new(from, time.end.0));
        }
        heard
    }

    /// Returns the times between starts that are farther apart than `most`, without their known beginnings.
    fn gaps<'s>(&self, starts: &'s [i64], most: i64) -> impl Iterator<Item = Span> + use<'s> {
        let longest = self.longest;
        let wide = starts.windows(2).filter(move |pair| pair[1].saturating_sub(pair[0]) > most);
        wide.map(move |pair| Span::new(pair[0].saturating_add(longest), pair[1]))
    }
}

/// Numbers the samples of a process by round, in time order.
#[derive(Debug)]
pub struct RoundSearch {
    /// Samples that are farther apart, in nanoseconds, belong to different rounds.
    close: i64,
    starts: Vec<i64>,
    last: i64,
}

impl RoundSearch {
    /// Returns a search for the process of a thread that was sampled at these times (ascending, in nanoseconds); one
    /// thread has at most one sample in a round.
    pub fn new(times: &[i64]) -> Self {
        let mut intervals: Vec<i64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let shortest = intervals.len() / SHORTEST_ONE_IN;
        let sleep = if intervals.is_empty() { 0 } else { *intervals.select_nth_unstable(shortest).1 };
        Self { close: sleep / 2, starts: Vec::new(), last: 0 }
    }

    /// Returns the round of the next sample; `previous` is that of its thread's previous sample.
    pub fn number(&mut self, time: i64, previous: Option<u32>) -> u32 {
        let last = self.starts.len().checked_sub(1).map(|last| last as u32);
        if last.is_none() || previous == last || time.saturating_sub(self.last) > self.close {
            self.starts.push(time);
        }
        self.last = time;
        self.starts.len().saturating_sub(1) as u32
    }

    pub fn finish(self) -> Rounds {
        Rounds::new(self.starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_ends_with_sleep_of_sampler_or_second_sample_of_thread() {
        let mut search = RoundSearch::new(&[0, 100, 210, 320]);
        let mut number = |time, previous| search.number(time, previous);
        assert_eq!(number(0, None), 0);
        assert_eq!(number(3, None), 0, "another thread");
        assert_eq!(number(100, None), 1, "a third thread, after the sleep");
        assert_eq!(number(104, Some(0)), 1);
        assert_eq!(number(130, Some(1)), 2, "the thread of the last sample again");
        assert_eq!(search.finish().starts, [0, 100, 130]);
    }

    #[test]
    fn silence_is_longer_than_late_round() {
        let starts: Vec<i64> = (0..10).map(|at| at * 10).chain([250, 260, 900, 910]).collect();
        let rounds = Rounds::new(starts);
        assert_eq!((rounds.period, rounds.longest, rounds.latest()), (10, 50, 200));
        assert_eq!(rounds.silences(), [Span::new(140, 250), Span::new(310, 900)]);
        assert_eq!(rounds.heard(Span::new(20, 905)), [Span::new(20, 310), Span::new(900, 905)], "160 is only late");
        assert_eq!(rounds.heard(Span::new(400, 800)), []);
    }
}
