//! Events that tell of a start and of a stop, put together.

use super::marks::{Mark, NO_EVENT};
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::model::{EventChunk, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::tables::mark_flag;
use std::hash::Hash;

/// One of the two events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Nanoseconds.
    pub time: i64,
    /// Its thread.
    pub thread: ThreadId,
    /// The event.
    pub event: EventId,
}

impl End {
    /// A row of a chunk.
    pub fn of(store: &Store, chunk: &EventChunk, row: usize) -> Self {
        let time = store.clock().nanos(chunk.ticks(row)).0;
        Self { time, thread: chunk.thread(row), event: chunk.event_id(row) }
    }
}

/// Puts together a stop and the latest start of the same key that is still open. What stays alone is open-ended.
#[derive(Debug)]
pub struct Pairs<K> {
    open: FastMap<K, Vec<(End, u8)>>,
    marks: Vec<Mark>,
    first: i64,
    last: i64,
}

impl<K: Hash + Eq> Pairs<K> {
    /// Nothing yet, of a trace.
    pub fn new(store: &Store) -> Self {
        let span = store.full_span();
        Self { open: FastMap::default(), marks: Vec::new(), first: span.start.0, last: span.end.0 }
    }

    /// A start. `shade` is the mark's.
    pub fn start(&mut self, key: K, start: End, shade: u8) {
        self.open.entry(key).or_default().push((start, shade));
    }

    /// The stop of a start is known to be missing: forgets it, and what was opened within it and is still open.
    pub fn forget(&mut self, key: &K, start: EventId) {
        if let Some(open) = self.open.get_mut(key)
            && let Some(at) = open.iter().rposition(|(one, _)| one.event == start)
        {
            open.truncate(at);
        }
    }

    /// Whether there is a start of this key without a stop.
    pub fn is_open(&self, key: &K) -> bool {
        self.open.get(key).is_some_and(|open| !open.is_empty())
    }

    /// A stop without a start that says how long it took, in nanoseconds. What began before the trace is open-ended.
    pub fn stop_after(&mut self, stop: End, nanos: i64) {
        let start = stop.time.saturating_sub(nanos.max(0));
        let flags = if start < self.first { mark_flag::OPEN_START } else { 0 };
        self.marks.push(Mark { start: start.max(self.first), flags, ..whole(stop, stop, 0) });
    }

    /// A stop that means nothing without its start: the start's event, if there is one. `shade` becomes the mark's.
    pub fn stop_if_started(&mut self, key: &K, stop: End, shade: u8) -> Option<EventId> {
        let (start, _) = self.open.get_mut(key).and_then(Vec::pop)?;
        self.marks.push(whole(start, stop, shade));
        Some(start.event)
    }

    /// A stop.
    pub fn stop(&mut self, key: &K, stop: End, shade: u8) {
        match self.open.get_mut(key).and_then(Vec::pop) {
            Some((start, shade)) => self.marks.push(whole(start, stop, shade)),
            None => {
                let flags = mark_flag::OPEN_START;
                self.marks.push(Mark { start: self.first, flags, ..whole(stop, stop, shade) });
            }
        }
    }

    /// A start whose stop can't be told from others. It has ended at `until` at the latest; by the end of the trace if
    /// that is none.
    pub fn unsure(&mut self, start: End, until: Option<i64>) {
        let (flags, last_event) = (mark_flag::OPEN_END | mark_flag::UNSURE_END, NO_EVENT);
        let end = until.unwrap_or(self.last);
        self.marks.push(Mark { end, flags, last_event, ..whole(start, start, 0) });
    }

    /// All marks; starts without a stop last until the end of the trace.
    pub fn finish(mut self) -> Vec<Mark> {
        let last = self.last;
        let alone = self.open.into_values().flatten();
        self.marks.extend(alone.map(|(start, shade)| {
            let (flags, last_event) = (mark_flag::OPEN_END, NO_EVENT);
            Mark { end: last, flags, last_event, ..whole(start, start, shade) }
        }));
        self.marks
    }
}

fn whole(start: End, stop: End, shade: u8) -> Mark {
    Mark {
        start: start.time,
        end: stop.time,
        thread: start.thread,
        event: start.event,
        last_thread: stop.thread,
        last_event: stop.event,
        shade,
        ..Mark::default()
    }
}

/// Starts and stops of one thread each, nested.
pub fn pair_on_threads(store: &Store, start: KnownEvent, stop: KnownEvent) -> Vec<Mark> {
    let mut pairs = Pairs::new(store);
    TypeSet::of_known(store, &[start, stop]).for_each_row(store, 0..store.events().len(), |chunk, row| {
        let is_start = store.types().get(chunk.event_type(row)).is_some_and(|event_type| event_type.known == start);
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
    fn a_stop_ends_the_latest_open_start_of_its_thread_and_what_is_alone_stays_open() {
        let (store, _) = store_of(&[
            (5, 2, What::SuspendEnd),
            (10, 1, What::SuspendBegin(1)),
            (12, 2, What::SuspendBegin(1)),
            (14, 1, What::SuspendBegin(1)),
            (15, 1, What::SuspendEnd),
            (16, 1, What::SuspendEnd),
            (90, 1, What::Order("last", 1)),
        ]);
        let marks = pair_on_threads(&store, KnownEvent::GcSuspendBegin, KnownEvent::GcSuspendEnd);
        let found: Vec<_> = marks.iter().map(|mark| (mark.start, mark.end, mark.flags)).collect();
        assert_eq!(
            found,
            [(-4, 5, mark_flag::OPEN_START), (14, 15, 0), (10, 16, 0), (12, 91, mark_flag::OPEN_END)],
            "the trace lasts from -4 to 91, which is the end of its last nanosecond"
        );
    }
}
