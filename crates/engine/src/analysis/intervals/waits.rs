//! What threads waited for, as far as events record it exactly: locks, wait handles, monitors.

use super::interval_set::IntervalSet;
use crate::analysis::samples::level_of_detail::bucket_of;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::tables::{Lanes, state};

/// A wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wait {
    /// Nanoseconds.
    start: i64,
    /// Nanoseconds.
    end: i64,
    /// One of [`state`].
    state: u8,
    /// The event that it began with.
    event: EventId,
}

/// The waits of every thread, in time order; none overlaps another.
#[derive(Debug, Default)]
pub struct ThreadWaits {
    by_thread: FastMap<ThreadId, Vec<Wait>>,
}

impl ThreadWaits {
    /// Puts waits for locks and for handles together. Of two at the same time the one that began first is shown.
    pub fn new(locks: &IntervalSet, handles: &IntervalSet) -> Self {
        let mut by_thread: FastMap<ThreadId, Vec<Wait>> = FastMap::default();
        for (set, state) in [(locks, state::LOCK), (handles, state::BLOCKED)] {
            for interval in set.intervals().iter().filter(|interval| interval.is_whole()) {
                let wait = Wait { start: interval.start, end: interval.end, state, event: interval.event };
                by_thread.entry(interval.thread).or_default().push(wait);
            }
        }
        for waits in by_thread.values_mut() {
            sort_by_key(waits, |wait| (wait.start, wait.end));
            let mut known_until = i64::MIN;
            waits.retain_mut(|wait| {
                wait.start = wait.start.max(known_until);
                known_until = known_until.max(wait.end);
                wait.end > wait.start
            });
        }
        Self { by_thread }
    }

    /// Adds the waits of a lane's thread that touch the window; of those that are shorter than the resolution one for
    /// every bucket, with the share of it that they cover.
    pub fn push(&self, table: &mut Lanes, lane: u32, thread: ThreadId, window: Span, resolution: i64) {
        let Some(waits) = self.by_thread.get(&thread) else { return };
        let first = waits.partition_point(|wait| wait.end < window.start.0);
        let last = waits.partition_point(|wait| wait.start < window.end.0);
        // Bucket, state, covered nanoseconds and the longest wait of the last row while it is one of short waits.
        let mut open: Option<(i64, u8, i64, i64)> = None;
        for wait in waits.get(first..last).unwrap_or(&[]) {
            let length = wait.end - wait.start;
            let bucket = bucket_of(wait.start, resolution);
            let short = length < resolution;
            let continued = open.filter(|open| short && (open.0, open.1) == (bucket, wait.state));
            let covered = continued.map_or(0, |open| open.2) + length;
            if continued.is_none() {
                table.wait_lane.push(lane);
                table.wait_start.push(wait.start);
                table.wait_end.push(0);
                table.wait_state.push(wait.state);
                table.wait_share.push(0);
                table.wait_event.push(wait.event.0);
            }
            let longest = continued.map_or(0, |open| open.3);
            if let Some(event) = table.wait_event.last_mut().filter(|_| length > longest) {
                *event = wait.event.0;
            }
            if let (Some(start), Some(end), Some(share)) =
                (table.wait_start.last(), table.wait_end.last_mut(), table.wait_share.last_mut())
            {
                *end = wait.end;
                *share = (covered as f64 / (wait.end - start).max(1) as f64 * 255.0).round() as u8;
            }
            open = short.then_some((bucket, wait.state, covered, longest.max(length)));
        }
    }

    /// The waits of a thread that touch a time: start, end, one of [`state`].
    pub fn of_thread(&self, thread: ThreadId, window: Span) -> impl Iterator<Item = (i64, i64, u8)> {
        let waits = self.by_thread.get(&thread).map_or(&[][..], Vec::as_slice);
        let first = waits.partition_point(|wait| wait.end <= window.start.0);
        let touching = waits[first..].iter().take_while(move |wait| wait.start < window.end.0);
        touching.map(|wait| (wait.start, wait.end, wait.state))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.by_thread.values().map(|waits| waits.len() * size_of::<Wait>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::interval_set::samples::intervals;

    #[test]
    fn waits_of_a_thread_do_not_overlap_and_short_ones_become_density() {
        let locks = intervals(&[(100, 110, 0), (120, 122, 0), (124, 126, 0), (500, 900, 0)]);
        let handles = intervals(&[(105, 115, 0), (600, 700, 0), (950, 990, 0)]);
        let waits = ThreadWaits::new(&locks, &handles);
        let mut table = Lanes::default();
        waits.push(&mut table, 3, ThreadId(0), Span::new(0, 2000), 32);
        let rows: Vec<_> = (0..table.wait_lane.len())
            .map(|row| (table.wait_start[row], table.wait_end[row], table.wait_state[row], table.wait_share[row]))
            .collect();
        assert_eq!(
            rows,
            [
                (100, 110, state::LOCK, 255),
                (110, 115, state::BLOCKED, 255),
                (120, 126, state::LOCK, 170),
                (500, 900, state::LOCK, 255),
                (950, 990, state::BLOCKED, 255)
            ]
        );
        assert!(table.wait_lane.iter().all(|lane| *lane == 3));
        assert_eq!(table.wait_event, [0, 0, 1, 3, 2], "of several short ones the longest");
        let mut narrow = Lanes::default();
        waits.push(&mut narrow, 0, ThreadId(0), Span::new(600, 601), 1);
        assert_eq!((narrow.wait_start, narrow.wait_end), (vec![500], vec![900]));
    }
}
