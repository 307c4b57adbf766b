//! The thread pool over time: active workers, target workers, and queue length
//! (docs/format/runtime-events.md#thread-pool).

use super::lines::{LineKey, Lines, ValueSources};
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{ThreadPoolAdjustment, ThreadPoolWorkers};
use crate::clr::manifest::describe;
use crate::clr::source_names::{FRAMEWORK, RUNTIME};
use crate::model::{EventType, Store};
use nettrace::{SourceError, Value};
use protocol::timeline::track::TrackKind;

/// ID of the adjustment event, whose reasons have names.
const ADJUSTMENT: u32 = 55;

/// Adds the numbers of active workers and target workers.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn workers(sources: &ValueSources<'_>, lines: &mut Lines) -> Result<(), SourceError> {
    use KnownEvent::{
        ThreadPoolAdjustment as Adjusted, ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait,
    };
    let ValueSources { store, source, rows, .. } = *sources;
    let key = |name| LineKey::of_track(TrackKind::ThreadPool, RUNTIME, name, "workers");
    let (active, target) = (key("Active"), key("Target"));
    let wanted =
        TypeSet::of_known(store, &[Adjusted, ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait]);
    wanted.try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return Ok(()) };
        let (event, time) = (chunk.event_id(row), store.clock.nanos(chunk.ticks(row)).0);
        if !rows.of_processes.contains(event.index()) {
            return Ok(());
        }
        let payload = store.payload(event, source)?;
        if event_type.known != Adjusted {
            let workers = ThreadPoolWorkers::read(&payload);
            workers.into_iter().for_each(|workers| lines.push(&active, time, workers.active.into(), ""));
        } else if let Some(adjusted) = ThreadPoolAdjustment::read(&payload) {
            lines.push(&target, time, adjusted.worker_count.into(), &reason_words(adjusted.reason));
            if adjusted.is_for_stuck_workers() {
                lines.mark_urgent(TrackKind::ThreadPool);
            }
        }
        Ok(())
    })
}

/// Returns the reason of an adjustment in words.
pub fn reason_words(reason: u32) -> String {
    let words = describe(RUNTIME, ADJUSTMENT, "Reason", &Value::UInt(reason.into(), 32));
    words.unwrap_or_else(|| "unknown reason".to_owned())
}

/// Events that change the length of the pool's queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueEvents {
    /// True for the runtime's own events, false for those of the framework, which record the same work items.
    are_of_runtime: bool,
}

impl QueueEvents {
    /// Finds the thread pool events of a trace.
    pub fn new(store: &Store) -> Self {
        let is_of_runtime = |one: &EventType| one.count > 0 && queue_change(one).is_some_and(|(own, _)| own);
        Self { are_of_runtime: store.types.iter().any(is_of_runtime) }
    }

    /// Returns by how much an event of a type changes the queue length; `None` if it doesn't.
    pub fn change(self, event_type: &EventType) -> Option<i32> {
        queue_change(event_type).filter(|(own, _)| *own == self.are_of_runtime).map(|(_, by)| by)
    }
}

/// Returns whether it is the runtime's own event, and by how much the queue length changes.
fn queue_change(event_type: &EventType) -> Option<(bool, i32)> {
    match (event_type.known, event_type.display_name.as_str()) {
        (KnownEvent::ThreadPoolEnqueue, _) => Some((true, 1)),
        (KnownEvent::ThreadPoolDequeue, _) => Some((true, -1)),
        (_, "ThreadPoolEnqueueWork") if event_type.provider == FRAMEWORK => Some((false, 1)),
        (_, "ThreadPoolDequeueWork") if event_type.provider == FRAMEWORK => Some((false, -1)),
        _ => None,
    }
}

/// Returns the queue lengths that result from changes. The initial length isn't recorded, so the minimum counts as 0.
pub fn queue_lengths(changes: impl Iterator<Item = (i64, i32)>) -> Vec<(i64, i32)> {
    let mut length = 0i32;
    let mut lengths: Vec<(i64, i32)> = changes
        .map(|(time, by)| {
            length = length.saturating_add(by);
            (time, length)
        })
        .collect();
    let least = lengths.iter().map(|(_, length)| *length).fold(0, i32::min);
    lengths.iter_mut().for_each(|(_, length)| *length = length.saturating_sub(least));
    lengths
}

/// Adds the number of work items enqueued and not yet dequeued.
///
/// # Errors
/// Never: all tracks of values have this signature.
pub fn queue_length(sources: &ValueSources<'_>, lines: &mut Lines) -> Result<(), SourceError> {
    let ValueSources { store, rows, .. } = *sources;
    let events = QueueEvents::new(store);
    let mut changes: Vec<(i64, i32)> = Vec::new();
    let wanted = TypeSet::new(store, |one| events.change(one).is_some());
    wanted.for_each_row(store, 0..store.events.len(), |chunk, row| {
        let by = store.types.get(chunk.event_type(row)).and_then(|one| events.change(one));
        if let Some(by) = by.filter(|_| rows.of_processes.contains(chunk.event_id(row).index())) {
            changes.push((store.clock.nanos(chunk.ticks(row)).0, by));
        }
    });
    let key = LineKey::of_track(TrackKind::QueueLength, RUNTIME, "", "work items");
    queue_lengths(changes.into_iter()).into_iter().for_each(|(time, count)| lines.push(&key, time, count.into(), ""));
    Ok(())
}
