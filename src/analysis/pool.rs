//! The thread pool over time: how many workers there are and should be, and how much work waits (field notes 4.4).

use super::rows::TypeSet;
use super::selection::Selection;
use super::series::{LineKey, Lines, QUEUE_LANE, WORKERS_LANE};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{ThreadPoolAdjustment, ThreadPoolWorkers};
use crate::clr::manifest::describe;
use crate::model::{EventType, Store};
use crate::nettrace::{ByteSource, SourceError, Value};

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const FRAMEWORK: &str = "System.Diagnostics.Eventing.FrameworkEventSource";
/// The event of an adjustment, whose reason has words.
const ADJUSTMENT: u32 = 55;

fn key(lane: &str, name: &str, unit: &str) -> LineKey {
    let [source, lane, name, unit] = [RUNTIME, lane, name, unit].map(str::to_owned);
    LineKey { source, lane, name, unit }
}

/// Adds the lines of the thread pool.
///
/// # Errors
/// If a payload cannot be read from the file.
pub fn pool(
    store: &Store,
    source: &dyn ByteSource,
    selection: &Selection,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    workers(store, source, selection, lines)?;
    queue(store, selection, lines);
    Ok(())
}

fn workers(
    store: &Store,
    source: &dyn ByteSource,
    selection: &Selection,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    use KnownEvent::{
        ThreadPoolAdjustment as Adjusted, ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait,
    };
    let (active, target) = (key(WORKERS_LANE, "Workers", "threads"), key(WORKERS_LANE, "Target", "threads"));
    let wanted =
        TypeSet::of_known(store, &[Adjusted, ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait]);
    wanted.try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types().get(chunk.event_type(row)) else { return Ok(()) };
        let (event, time) = (chunk.event_id(row), store.clock().nanos(chunk.ticks(row)).0);
        if !selection.contains(event.index()) {
            return Ok(());
        }
        let payload = store.payload(event, source)?;
        if event_type.known != Adjusted {
            let workers = ThreadPoolWorkers::read(&payload);
            workers.into_iter().for_each(|workers| lines.push(&active, time, workers.active.into(), ""));
        } else if let Some(adjusted) = ThreadPoolAdjustment::read(&payload) {
            let why = describe(RUNTIME, ADJUSTMENT, "Reason", &Value::UInt(adjusted.reason.into(), 32));
            lines.push(&target, time, adjusted.worker_count.into(), why.as_deref().unwrap_or("reason not known"));
            if adjusted.is_for_stuck_workers() {
                lines.mark_urgent(WORKERS_LANE);
            }
        }
        Ok(())
    })
}

/// How much work was handed over and not yet taken. How much waited when the trace began is not in it: the least that
/// ever waits counts as none.
fn queue(store: &Store, selection: &Selection, lines: &mut Lines) {
    let change = |event_type: &EventType| match (event_type.known, event_type.display_name.as_str()) {
        (KnownEvent::ThreadPoolEnqueue, _) => Some((true, 1)),
        (KnownEvent::ThreadPoolDequeue, _) => Some((true, -1)),
        (_, "ThreadPoolEnqueueWork") if event_type.provider == FRAMEWORK => Some((false, 1)),
        (_, "ThreadPoolDequeueWork") if event_type.provider == FRAMEWORK => Some((false, -1)),
        _ => None,
    };
    // Both tell of the same work.
    let by_runtime = store.types().iter().any(|one| one.count > 0 && change(one).is_some_and(|(own, _)| own));
    let change = |event_type: &EventType| change(event_type).filter(|(own, _)| *own == by_runtime).map(|(_, by)| by);
    let mut waiting: Vec<(i64, i32)> = Vec::new();
    TypeSet::new(store, |one| change(one).is_some()).for_each_row(store, 0..store.events().len(), |chunk, row| {
        let by = store.types().get(chunk.event_type(row)).and_then(change);
        if let Some(by) = by.filter(|_| selection.contains(chunk.event_id(row).index())) {
            let before = waiting.last().map_or(0, |last| last.1);
            waiting.push((store.clock().nanos(chunk.ticks(row)).0, before.saturating_add(by)));
        }
    });
    let key = key(QUEUE_LANE, "", "work items");
    let least = waiting.iter().map(|point| point.1).fold(0, i32::min);
    waiting.into_iter().for_each(|(time, count)| lines.push(&key, time, f64::from(count.saturating_sub(least)), ""));
}
