//! Waits of threads for locks, wait handles and monitors, from exact events.

use super::interval_set::{Interval, IntervalSet, Texts};
use crate::analysis::samples::level_of_detail::bucket_of;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::tables::{Lanes, state};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wait {
    /// Nanoseconds.
    start: i64,
    /// Nanoseconds.
    end: i64,
    /// One of [`state`].
    state: u8,
    /// The start event.
    event: EventId,
    /// The object, and the thread that owns it: positions in [`ThreadWaits::texts`].
    subject: u32,
    owner: u32,
}

/// The waits of every thread, in time order, without overlaps.
#[derive(Debug, Default)]
pub struct ThreadWaits {
    by_thread: FastMap<ThreadId, Vec<Wait>>,
    /// Names of objects and threads; the first is empty.
    texts: Texts,
}

impl ThreadWaits {
    /// Merges waits for locks and for handles. If two overlap, the earlier one is used. `owner` returns the name of the
    /// thread that owned the lock; empty if not recorded. `is_idle` returns whether the thread of a wait for a handle
    /// has nothing to do, so nothing blocks it.
    pub fn new(
        locks: &IntervalSet,
        handles: &IntervalSet,
        owner: impl Fn(&Interval) -> String,
        mut is_idle: impl FnMut(&Interval) -> bool,
    ) -> Self {
        let mut by_thread: FastMap<ThreadId, Vec<Wait>> = FastMap::default();
        let mut texts = Texts::default();
        texts.position("");
        for (set, is_lock) in [(locks, true), (handles, false)] {
            for interval in set.intervals().iter().filter(|interval| interval.is_whole()) {
                let subject = texts.position(set.text(interval.name));
                let (state, owner) = match is_lock {
                    true => (state::LOCK, texts.position(&owner(interval))),
                    false if is_idle(interval) => (state::IDLE, 0),
                    false => (state::BLOCKED, 0),
                };
                let Interval { start, end, event, .. } = *interval;
                let wait = Wait { start, end, state, event, subject, owner };
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
        Self { by_thread, texts }
    }

    /// Returns the name of an object or owner that rows of lanes refer to.
    pub fn text(&self, position: u32) -> &str {
        self.texts.get(position)
    }

    /// Adds the waits of a lane's thread in the window. Those shorter than the resolution are merged per bucket, with
    /// the share of it that they cover.
    pub fn push(&self, table: &mut Lanes, lane: u32, thread: ThreadId, window: Span, resolution: i64) {
        let Some(waits) = self.by_thread.get(&thread) else { return };
        let first = waits.partition_point(|wait| wait.end < window.start.0);
        let last = waits.partition_point(|wait| wait.start < window.end.0);
        // Bucket, state, covered nanoseconds and longest wait of the last row, if it consists of short waits.
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
                table.wait_subject.push(wait.subject);
                table.wait_owner.push(wait.owner);
            }
            if length > continued.map_or(0, |open| open.3) {
                let of_longest = [(&mut table.wait_event, wait.event.0), (&mut table.wait_subject, wait.subject)];
                for (column, value) in of_longest.into_iter().chain([(&mut table.wait_owner, wait.owner)]) {
                    if let Some(last) = column.last_mut() {
                        *last = value;
                    }
                }
            }
            if let (Some(start), Some(end), Some(share)) =
                (table.wait_start.last(), table.wait_end.last_mut(), table.wait_share.last_mut())
            {
                *end = wait.end;
                *share = (covered as f64 / (wait.end - start).max(1) as f64 * 255.0).round() as u8;
            }
            let longest = continued.map_or(0, |open| open.3).max(length);
            open = short.then_some((bucket, wait.state, covered, longest));
        }
    }

    /// Returns the waits of a thread that overlap a time range: start, end, one of [`state`], start event.
    pub fn of_thread(&self, thread: ThreadId, window: Span) -> impl Iterator<Item = (i64, i64, u8, EventId)> {
        let waits = self.by_thread.get(&thread).map_or(&[][..], Vec::as_slice);
        let first = waits.partition_point(|wait| wait.end <= window.start.0);
        let touching = waits[first..].iter().take_while(move |wait| wait.start < window.end.0);
        touching.map(|wait| (wait.start, wait.end, wait.state, wait.event))
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let waits: usize = self.by_thread.values().map(|waits| waits.len() * size_of::<Wait>()).sum();
        waits + self.texts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::interval_set::samples::intervals;

    #[test]
    fn waits_do_not_overlap_and_short_ones_become_density() {
        let locks = intervals(&[(100, 110, 0), (120, 122, 0), (124, 126, 0), (500, 900, 0)]);
        let handles = intervals(&[(105, 115, 0), (600, 700, 0), (950, 990, 0)]);
        let waits =
            ThreadWaits::new(&locks, &handles, |wait| format!("owner of {}", wait.start), |wait| wait.start == 950);
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
                (950, 990, state::IDLE, 255)
            ]
        );
        assert!(table.wait_lane.iter().all(|lane| *lane == 3));
        assert_eq!(table.wait_event, [0, 0, 1, 3, 2], "of several short ones the longest");
        let owners: Vec<&str> = table.wait_owner.iter().map(|owner| waits.text(*owner)).collect();
        assert_eq!(owners, ["owner of 100", "", "owner of 120", "owner of 500", ""]);
        let mut narrow = Lanes::default();
        waits.push(&mut narrow, 0, ThreadId(0), Span::new(600, 601), 1);
        assert_eq!((narrow.wait_start, narrow.wait_end), (vec![500], vec![900]));
    }
}
