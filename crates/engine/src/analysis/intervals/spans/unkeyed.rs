//! Starts and stops of asynchronous spans without activity IDs: a stop can be on any thread, and doesn't identify its
//! start.

use crate::analysis::intervals::pairs::End;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, ThreadId};

/// Result for one of the overlapping starts and stops of a group, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// A start, to be paired by thread.
    Start(End),
    /// The stop of the latest start on this thread.
    Stop(ThreadId, End),
    /// A start that ended at this time at the latest, if it did; its stop can't be identified.
    Unsure(End, Option<i64>),
}

/// Starts and stops while at least one start is open.
#[derive(Debug, Default)]
struct Overlap {
    ends: Vec<(bool, End)>,
    open: usize,
    open_on_thread: FastMap<ThreadId, usize>,
    /// True if a stop came on a thread without an open start, so threads can't be used for pairing.
    changes_threads: bool,
}

/// Starts and stops without an activity, by group and process.
#[derive(Debug, Default)]
pub(super) struct Unkeyed {
    overlaps: FastMap<(u32, ProcessId), Overlap>,
}

impl Unkeyed {
    /// Adds a start.
    pub fn start(&mut self, group: u32, process: ProcessId, end: End) {
        let overlap = self.overlaps.entry((group, process)).or_default();
        overlap.ends.push((true, end));
        overlap.open += 1;
        *overlap.open_on_thread.entry(end.thread).or_default() += 1;
    }

    /// Adds a stop. Returns the results once nothing is open; a stop without an open start remains unpaired.
    pub fn stop(&mut self, group: u32, process: ProcessId, end: End) -> Vec<Outcome> {
        let Some(overlap) = self.overlaps.get_mut(&(group, process)) else {
            return vec![Outcome::Stop(end.thread, end)];
        };
        overlap.ends.push((false, end));
        overlap.open = overlap.open.saturating_sub(1);
        match overlap.open_on_thread.get_mut(&end.thread).filter(|open| **open > 0) {
            Some(open) => *open -= 1,
            None => overlap.changes_threads = true,
        }
        if overlap.open > 0 {
            return Vec::new();
        }
        self.overlaps.remove(&(group, process)).map_or_else(Vec::new, Overlap::outcomes)
    }

    /// Returns the results for open starts, with their groups.
    pub fn finish(self) -> impl Iterator<Item = (u32, Outcome)> {
        let of = |((group, _), overlap): ((u32, ProcessId), Overlap)| {
            overlap.outcomes().into_iter().map(move |outcome| (group, outcome))
        };
        self.overlaps.into_iter().flat_map(of)
    }
}

impl Overlap {
    fn outcomes(self) -> Vec<Outcome> {
        let last = self.ends.last().map(|(_, end)| end.time).filter(|_| self.open == 0);
        let mut starts = self.ends.iter().filter(|(is_start, _)| *is_start).map(|(_, end)| *end);
        let only = starts.next().filter(|_| starts.next().is_none() && self.open == 0);
        let outcome = |(is_start, end): (bool, End)| match (is_start, only) {
            (true, _) if !self.changes_threads || only.is_some() => Some(Outcome::Start(end)),
            (true, _) => Some(Outcome::Unsure(end, last)),
            (false, Some(start)) => Some(Outcome::Stop(start.thread, end)),
            (false, None) if !self.changes_threads => Some(Outcome::Stop(end.thread, end)),
            (false, None) => None,
        };
        self.ends.iter().copied().filter_map(outcome).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::ids::EventId;

    /// Returns the results of starts (+) and stops (-) on these threads, one per nanosecond.
    fn outcomes(ends: &[i64]) -> Vec<Outcome> {
        let (mut unkeyed, mut found) = (Unkeyed::default(), Vec::new());
        for (at, &thread) in (0u32..).zip(ends) {
            let end = end(at, thread.unsigned_abs() as u32);
            match thread > 0 {
                true => unkeyed.start(1, ProcessId(0), end),
                false => found.extend(unkeyed.stop(1, ProcessId(0), end)),
            }
        }
        found.extend(unkeyed.finish().map(|(_, outcome)| outcome));
        found
    }

    fn end(at: u32, thread: u32) -> End {
        End { time: at.into(), thread: ThreadId(thread), event: EventId(at) }
    }

    #[test]
    fn stops_on_the_threads_of_their_starts_are_paired_by_thread() {
        let by_thread = [
            Outcome::Start(end(0, 1)),
            Outcome::Start(end(1, 2)),
            Outcome::Stop(ThreadId(1), end(2, 1)),
            Outcome::Stop(ThreadId(2), end(3, 2)),
        ];
        assert_eq!(outcomes(&[1, 2, -1, -2]), by_thread);
        assert_eq!(outcomes(&[1, 2, -1]), by_thread[..3], "one is open at the end");
    }

    #[test]
    fn start_alone_is_ended_by_the_stop_of_any_thread() {
        assert_eq!(outcomes(&[1, -5]), [Outcome::Start(end(0, 1)), Outcome::Stop(ThreadId(1), end(1, 5))]);
        assert_eq!(outcomes(&[-5]), [Outcome::Stop(ThreadId(5), end(0, 5))], "began before the trace");
    }

    #[test]
    fn overlapping_starts_that_change_threads_have_no_stop() {
        let unsure = |last| [Outcome::Unsure(end(0, 1), last), Outcome::Unsure(end(1, 2), last)];
        assert_eq!(outcomes(&[1, 2, -5, -1]), unsure(Some(3)));
        assert_eq!(outcomes(&[1, 2, -5]), unsure(None), "one is open at the end");
        let after = [Outcome::Start(end(4, 1)), Outcome::Stop(ThreadId(1), end(5, 1))];
        assert_eq!(outcomes(&[1, 2, -5, -1, 1, -1]), [unsure(Some(3)), after].concat());
    }
}
