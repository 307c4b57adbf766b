//! Waits for contended locks, wait handles and monitors (docs/format/runtime-events.md#locks).

use super::interval_set::{Interval, IntervalSet, Texts};
use super::pairs::pair_on_threads;
use crate::analysis::timeline::threads::latest_begun;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{ContentionStart, WaitHandleWaitStart};
use crate::model::{Store, Thread};
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::ThreadId;

/// Returns every wait for a lock. The name is the lock's; the note is the OS ID of its owner.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn contentions(store: &Store, source: &dyn ByteSource) -> Result<IntervalSet, SourceError> {
    let mut texts = Texts::default();
    let none = texts.position("");
    let mut intervals = pair_on_threads(store, KnownEvent::ContentionStart, KnownEvent::ContentionStop);
    for interval in &mut intervals {
        (interval.name, interval.note) = (none, none);
        let Some(start) = started(store, source, interval)?.and_then(|payload| ContentionStart::read(&payload)) else {
            continue;
        };
        // The GC moves objects, so their addresses change; the lock's ID stays.
        if let Some(lock) = [start.lock_id, start.object_id].into_iter().flatten().find(|id| *id != 0) {
            interval.name = texts.position(&format!("{lock:#x}"));
        }
        if let Some(owner) = start.owner_thread.filter(|id| *id != 0) {
            interval.note = texts.position(&owner.to_string());
        }
    }
    Ok(IntervalSet::new(intervals, texts).packed())
}

/// Returns the thread with this OS ID that owned a lock while another waited for it.
pub fn lock_owner(store: &Store, wait: &Interval, os_thread: u64) -> Option<ThreadId> {
    let process = store.threads.get(wait.thread).map(|thread| thread.process);
    let is_owner = |thread: &Thread| thread.os_thread == os_thread && Some(thread.process) == process;
    let had_begun = |thread: &Thread| store.clock.nanos(thread.first_ticks).0 <= wait.end;
    latest_begun(store, is_owner, had_begun)
}

/// Returns every wait on a wait handle or monitor (.NET 9 and later).
///
/// # Errors
/// If a payload can't be read from the file.
pub fn handle_waits(store: &Store, source: &dyn ByteSource) -> Result<IntervalSet, SourceError> {
    let mut texts = Texts::default();
    let names = ["", "Wait handle", "Monitor.Wait"].map(|name| texts.position(name));
    let mut intervals = pair_on_threads(store, KnownEvent::WaitHandleWaitStart, KnownEvent::WaitHandleWaitStop);
    for interval in &mut intervals {
        let pointer_size = store.header.pointer_size;
        let start = started(store, source, interval)?;
        let start = start.and_then(|payload| WaitHandleWaitStart::read(&payload, pointer_size));
        interval.name = start.map_or(names[0], |start| names[1 + usize::from(start.is_monitor_wait)]);
        interval.note = names[0];
    }
    Ok(IntervalSet::new(intervals, texts))
}

/// Returns the payload of an interval's start event.
fn started<'s>(
    store: &'s Store,
    source: &dyn ByteSource,
    interval: &Interval,
) -> Result<Option<std::borrow::Cow<'s, [u8]>>, SourceError> {
    match interval.flags & protocol::tables::interval_flag::OPEN_START {
        0 => store.payload(interval.event, source).map(Some),
        _ => Ok(None),
    }
}
