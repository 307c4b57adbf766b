//! Lost events by thread, with the range of time in which they were lost. The exact time is unknown.

use super::interval_set::{Interval, IntervalSet, Texts};
use crate::analysis::timeline::threads::thread_of_loss;
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, ThreadId, thread_number};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::reply::{Loss, ThreadLoss};
use protocol::request::{Filter, UNKNOWN_PROCESS};
use protocol::tables::interval_flag;
use std::cmp::Reverse;

/// Marks the absence of an event or a thread: lost events have none, and a thread without any recorded event isn't in
/// the trace.
const NONE: u32 = u32::MAX;
/// Maximum number of rows; further threads share the last one.
const MAX_ROWS: usize = 84;
/// Maximum number of gaps listed per thread, by size.
const MAX_PLACES: usize = 50;

/// Returns the losses of each thread, most first.
pub fn losses_by_thread(store: &Store) -> Vec<ThreadLoss> {
    let clock = store.clock;
    let start = store.full_span.start.0;
    let mut threads: FastMap<u64, ThreadLoss> = FastMap::default();
    for loss in &store.losses {
        let after = loss.after_ticks.map(|ticks| clock.nanos(ticks).0);
        let place = Loss { after: after.unwrap_or(start), before: clock.nanos(loss.before_ticks).0, count: loss.count };
        let none = || ThreadLoss { os_thread: loss.os_thread, after, before: place.before, ..ThreadLoss::default() };
        let sum = threads.entry(loss.os_thread).or_insert_with(none);
        sum.count += loss.count;
        sum.gaps += 1;
        // Unknown is earlier than any time.
        sum.after = sum.after.min(after);
        sum.before = sum.before.max(place.before);
        sum.largest.push(place);
    }
    let mut threads: Vec<ThreadLoss> = threads.into_values().collect();
    for thread in &mut threads {
        sort_by_key(&mut thread.largest, |place| Reverse(place.count));
        thread.largest.truncate(MAX_PLACES);
        sort_by_key(&mut thread.largest, |place| (place.after, place.before));
    }
    sort_by_key(&mut threads, |thread| (Reverse(thread.count), thread.os_thread));
    threads
}

/// Returns the processes with anything but losses.
fn known_processes(store: &Store) -> FastSet<u32> {
    let threads = store.threads.iter().filter(|thread| thread.events > 0);
    threads.map(|thread| store.os_process_of(thread)).collect()
}

/// Returns all gaps, with a row for each thread in the order of their first loss; or, if the format doesn't record
/// losses, one interval over the whole trace that states this.
pub fn losses(store: &Store) -> IntervalSet {
    let mut texts = Texts::default();
    let span = store.full_span;
    let nowhere = Interval { thread: ThreadId(NONE), event: EventId(NONE), ..Interval::default() };
    if store.lost_events.is_none() {
        let name = texts.position("Lost events: unknown");
        let note = texts.position("netperf files have no sequence numbers");
        let whole =
            Interval { start: span.start.0, end: span.end.0, flags: interval_flag::UNKNOWN, name, note, ..nowhere };
        return IntervalSet::new(vec![whole], texts);
    }
    let known = known_processes(store);
    let is_of_known = |thread: &ThreadId| {
        store.threads.get(*thread).is_some_and(|thread| known.contains(&store.os_process_of(thread)))
    };
    let mut rows: FastMap<u64, u16> = FastMap::default();
    let mut intervals = Vec::new();
    for loss in &store.losses {
        let next = rows.len().min(MAX_ROWS - 1) as u16;
        let row = *rows.entry(loss.os_thread).or_insert(next);
        let thread = thread_of_loss(store, loss).filter(is_of_known).unwrap_or(ThreadId(NONE));
        let start = loss.after_ticks.map(|ticks| store.clock.nanos(ticks).0);
        let end = store.clock.nanos(loss.before_ticks).0;
        let flags = if start.is_none() { interval_flag::OPEN_START } else { 0 };
        let start = start.unwrap_or(span.start.0).min(end);
        let mut name = "Thread ".to_owned();
        name.push_str(&thread_number(loss.os_thread));
        let note = if loss.shown_by_point { "sequence point" } else { "sequence number of the next event" };
        let (name, note) = (texts.position(&name), texts.position(note));
        // Sequence numbers have 32 bits, so every gap fits.
        let more = u32::try_from(loss.count.saturating_sub(1)).unwrap_or(u32::MAX - 1);
        intervals.push(Interval { start, end, thread, row, flags, name, note, more, ..nowhere });
    }
    IntervalSet::new(intervals, texts)
}

/// Returns whether a filter selects these losses: range, processes and threads apply. Lost events have no type, text or
/// label.
pub fn is_selected(store: &Store, filter: &Filter, interval: &Interval) -> bool {
    let span = filter.span.unwrap_or(Span::new(i64::MIN, i64::MAX));
    let is_in_time = interval.start < span.end.0 && interval.end >= span.start.0;
    let process = store.threads.get(interval.thread).map_or(UNKNOWN_PROCESS, |thread| store.os_process_of(thread));
    let is_of_process = filter.processes.is_empty() || filter.processes.contains(&process);
    is_in_time && is_of_process && (filter.threads.is_empty() || filter.threads.contains(&interval.thread))
}
