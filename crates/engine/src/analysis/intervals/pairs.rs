//! Pairs start and stop events.

use super::gaps::Gaps;
use super::interval_set::{Interval, NO_EVENT};
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::model::{EventChunk, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::tables::interval_flag;
use std::hash::Hash;

/// A start or stop event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Nanoseconds.
    pub time: i64,
    pub thread: ThreadId,
    pub event: EventId,
}

impl End {
    /// Reads a row of a chunk.
    pub fn of(store: &Store, chunk: &EventChunk, row: usize) -> Self {
        let time = store.clock.nanos(chunk.ticks(row)).0;
        Self { time, thread: chunk.thread(row), event: chunk.event_id(row) }
    }
}

/// What a stop has in common with its start.
pub trait PairKey: Hash + Eq {
    /// Returns whether only one start and one stop have this key. Other starts and stops are paired by their order, so
    /// not across lost events.
    fn is_unique(&self) -> bool;
}

impl PairKey for ThreadId {
    fn is_unique(&self) -> bool {
        false
    }
}

/// Pairs each stop with the latest open start of the same key. Events without a counterpart are open-ended.
#[derive(Debug)]
pub struct Pairs<K> {
    open: FastMap<K, Vec<(End, u8)>>,
    gaps: Gaps,
    intervals: Vec<Interval>,
    first: i64,
    last: i64,
}

impl<K: PairKey> Pairs<K> {
    /// Returns empty pairs for a trace.
    pub fn new(store: &Store) -> Self {
        let span = store.full_span;
        let (open, intervals, gaps) = (FastMap::default(), Vec::new(), Gaps::of(store));
        Self { open, gaps, intervals, first: span.start.0, last: span.end.0 }
    }

    /// Adds a start. `shade` is the interval's.
    pub fn start(&mut self, key: K, start: End, shade: u8) {
        self.open.entry(key).or_default().push((start, shade));
    }

    /// Drops a start whose stop is known to be missing, and open starts within it.
    pub fn forget(&mut self, key: &K, start: EventId) {
        if let Some(open) = self.open.get_mut(key)
            && let Some(at) = open.iter().rposition(|(one, _)| one.event == start)
        {
            open.truncate(at);
        }
    }

    /// Returns whether a start of this key is open.
    pub fn is_open(&self, key: &K) -> bool {
        self.open.get(key).is_some_and(|open| !open.is_empty())
    }

    /// Adds a stop without a start but with a duration in nanoseconds. An interval that began before the trace is
    /// open-ended.
    pub fn stop_after(&mut self, stop: End, nanos: i64) {
        let start = stop.time.saturating_sub(nanos.max(0));
        let flags = if start < self.first { interval_flag::OPEN_START } else { 0 };
        self.intervals.push(Interval { start: start.max(self.first), flags, ..whole(stop, stop, 0) });
    }

    /// Adds a stop that is ignored without its start. Returns the start's event, if there is one. `shade` becomes the
    /// interval's.
    pub fn stop_if_started(&mut self, key: &K, stop: End, shade: u8) -> Option<EventId> {
        self.drop_before_gap(key, stop);
        let (start, _) = self.open.get_mut(key).and_then(Vec::pop)?;
        self.intervals.push(whole(start, stop, shade));
        Some(start.event)
    }

    /// Adds a stop.
    pub fn stop(&mut self, key: &K, stop: End, shade: u8) {
        let gap = self.drop_before_gap(key, stop);
        match self.open.get_mut(key).and_then(Vec::pop) {
            Some((start, shade)) => self.intervals.push(whole(start, stop, shade)),
            None => {
                let (flags, start) = (interval_flag::OPEN_START, gap.unwrap_or(self.first));
                self.intervals.push(Interval { start, flags, ..whole(stop, stop, shade) });
            }
        }
    }

    /// Ends the open starts of a stop's key before which its thread lost events: the lost ones may have been their
    /// stops, and the start of this one. Returns the time of the thread's last event before the gap, if there was one.
    fn drop_before_gap(&mut self, key: &K, stop: End) -> Option<i64> {
        if key.is_unique() {
            return None;
        }
        let open = self.open.get_mut(key)?;
        let (earliest, _) = open.first()?;
        let last_gap = |thread| self.gaps.last_between(thread, earliest.time, stop.time);
        let gap = [stop.thread, earliest.thread].into_iter().filter_map(last_gap).max_by_key(|gap| gap.end)?;
        let is_inside = |start: &End| start.time >= gap.end;
        let after = open.iter().position(|(start, _)| is_inside(start)).unwrap_or(open.len());
        let dropped: Vec<(End, u8)> = open.drain(..after).collect();
        for (start, _) in dropped {
            self.unsure(start, Some(gap.end));
        }
        Some(gap.start)
    }

    /// Adds a start whose stop can't be identified. It ended at `until` at the latest; by the end of the trace for
    /// `None`.
    pub fn unsure(&mut self, start: End, until: Option<i64>) {
        let (flags, last_event) = (interval_flag::OPEN_END | interval_flag::UNSURE_END, NO_EVENT);
        let end = until.unwrap_or(self.last);
        self.intervals.push(Interval { end, flags, last_event, ..whole(start, start, 0) });
    }

    /// Returns all intervals; starts without a stop last until the end of the trace.
    pub fn finish(mut self) -> Vec<Interval> {
        let last = self.last;
        let alone = self.open.into_values().flatten();
        self.intervals.extend(alone.map(|(start, shade)| {
            let (flags, last_event) = (interval_flag::OPEN_END, NO_EVENT);
            Interval { end: last, flags, last_event, ..whole(start, start, shade) }
        }));
        self.intervals
    }
}

fn whole(start: End, stop: End, shade: u8) -> Interval {
    Interval {
        start: start.time,
        end: stop.time,
        thread: start.thread,
        event: start.event,
        last_thread: stop.thread,
        last_event: stop.event,
        shade,
        ..Interval::default()
    }
}

/// Returns the intervals of nested starts and stops on the same thread.
pub fn pair_on_threads(store: &Store, start: KnownEvent, stop: KnownEvent) -> Vec<Interval> {
    let mut pairs = Pairs::new(store);
    TypeSet::of_known(store, &[start, stop]).for_each_row(store, 0..store.events.len(), |chunk, row| {
        let is_start = store.types.get(chunk.event_type(row)).is_some_and(|event_type| event_type.known == start);
        let end = End::of(store, chunk, row);
        if is_start { pairs.start(end.thread, end, 0) } else { pairs.stop(&end.thread, end, 0) }
    });
    pairs.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn stop_ends_latest_open_start_of_its_thread() {
        let (store, _) = store_of(&[
            (5, 2, What::SuspendEnd),
            (10, 1, What::SuspendBegin(1)),
            (12, 2, What::SuspendBegin(1)),
            (14, 1, What::SuspendBegin(1)),
            (15, 1, What::SuspendEnd),
            (16, 1, What::SuspendEnd),
            (90, 1, What::Order("last", 1)),
        ]);
        let intervals = pair_on_threads(&store, KnownEvent::GcSuspendBegin, KnownEvent::GcSuspendEnd);
        let found: Vec<_> = intervals.iter().map(|interval| (interval.start, interval.end, interval.flags)).collect();
        assert_eq!(
            found,
            [(-4, 5, interval_flag::OPEN_START), (14, 15, 0), (10, 16, 0), (12, 91, interval_flag::OPEN_END)],
            "the trace lasts from -4 to 91, which is the end of its last nanosecond"
        );
    }
}
