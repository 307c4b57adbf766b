//! Events that an excerpt of a trace needs: the selected ones, the other ends of their intervals, and those that
//! explain them.

mod names;

use crate::analysis::intervals::gc::GC_STEPS;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::interval_set::{Interval, NO_EVENT};
use crate::analysis::intervals::pairs::{End, Pairs};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::task_index::{TaskKey, is_operation_end};
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::clr::KnownEvent;
use crate::model::{EventType, Store};
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastSet;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::timeline::track::TrackKind;

/// Maximum number of rounds of adding other ends, because an added event may be an end of another interval.
const MAX_ROUNDS: usize = 4;

/// Returns the file offsets of the payloads, with the types, of the selected events, of `others`, and of all events that
/// name the code, modules, threads, types and processes to which they refer. The offsets are in ascending order.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn needed_payloads(
    store: &Store,
    source: &dyn ByteSource,
    selection: &Selection,
    others: &FastSet<u32>,
) -> Result<Vec<(u64, TypeId)>, SourceError> {
    let is_included = |row: usize| selection.contains(row) || others.contains(&(row as u32));
    let mut offsets = Vec::new();
    for chunk in store.events.chunks() {
        let included = (0..chunk.len()).filter(|row| is_included(chunk.first_row + row));
        offsets.extend(included.map(|row| (chunk.payload_offset(row), chunk.event_type(row))));
    }
    if offsets.len() < store.events.len() {
        offsets.extend(names::needed_names(store, source, is_included)?);
    }
    // There can be as many rows as events, so speed is more important than code size.
    offsets.sort_unstable();
    Ok(offsets)
}

/// Returns the rows of the other ends of intervals that selected events start or stop: spans, requests, waits,
/// compilations, loads, tasks, async methods, GCs.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn other_ends(
    store: &Store,
    source: &dyn ByteSource,
    (spans, tracks, gcs): (&SpanIndex, &mut TrackIndex, &[Gc]),
    selection: &Selection,
) -> Result<FastSet<u32>, SourceError> {
    let mut others = FastSet::default();
    if selection.count() >= store.events.len() as u64 {
        return Ok(others);
    }
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut add = |intervals: &[Interval]| pairs.extend(intervals.iter().filter_map(ends));
    spans.spans().iter().for_each(|span| add(std::slice::from_ref(&span.interval)));
    for kind in [TrackKind::Jit, TrackKind::Tiering, TrackKind::Contention, TrackKind::Loads] {
        add(tracks.intervals(store, source, kind)?.intervals());
    }
    add(tracks.handle_waits(store, source)?.intervals());
    add(&operations(store, source)?);
    pairs.extend(spans.tasks.causes().into_iter().map(|(effect, cause)| (cause.0, effect.0)));
    let groups = gc_events(store, gcs)?;
    for _ in 0..MAX_ROUNDS {
        let before = others.len();
        for &(start, stop) in &pairs {
            let has = |row: u32| selection.contains(row as usize) || others.contains(&row);
            match (has(start), has(stop)) {
                (true, false) => others.insert(stop),
                (false, true) => others.insert(start),
                _ => false,
            };
        }
        for group in &groups {
            if group.iter().any(|row| selection.contains(*row as usize) || others.contains(row)) {
                others.extend(group.iter().filter(|row| !selection.contains(**row as usize)));
            }
        }
        if others.len() == before {
            break;
        }
    }
    Ok(others)
}

/// Returns the rows of an interval's start and stop, if it has both.
fn ends(interval: &Interval) -> Option<(u32, u32)> {
    let (start, stop) = (interval.event, interval.last_event);
    (stop != NO_EVENT && start != stop && interval.is_whole()).then_some((start.0, stop.0))
}

/// Returns async methods, from their calls to their ends.
fn operations(store: &Store, source: &dyn ByteSource) -> Result<Vec<Interval>, SourceError> {
    let is_start = |one: &EventType| one.known == KnownEvent::TaskOperationBegin;
    let types = TypeSet::new(store, |one| is_start(one) || is_operation_end(one));
    let mut scan = PayloadScan::new(store, types, |_| true);
    let mut pairs: Pairs<TaskKey> = Pairs::new(store);
    while scan.step(store, source, false, |chunk, row, payload| {
        let Some(task) = payload.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) else { return };
        let end = End::of(store, chunk, row);
        let process = store.threads.get(end.thread).map(|thread| thread.process).unwrap_or_default();
        match store.types.get(chunk.event_type(row)).is_some_and(is_start) {
            true => pairs.start((process, task), end, 0),
            false => pairs.stop(&(process, task), end, 0),
        }
    })? != Step::Done
    {}
    Ok(pairs.finish())
}

/// Returns the rows of each GC's events: from the first pause to the heap sizes after it.
fn gc_events(store: &Store, gcs: &[Gc]) -> Result<Vec<Vec<u32>>, SourceError> {
    let mut rows: Vec<(i64, u32, ThreadId)> = Vec::new();
    TypeSet::of_known(store, &GC_STEPS).try_for_each_row(store, |chunk, row| {
        rows.push((store.clock.nanos(chunk.ticks(row)).0, chunk.event_id(row).0, chunk.thread(row)));
        Ok::<(), SourceError>(())
    })?;
    rows.sort_unstable();
    let process = |thread: ThreadId| store.threads.get(thread).map(|thread| thread.process);
    let of_gc = |gc: &Gc| {
        let restarted = gc.pauses.iter().filter_map(|pause| pause.restarted);
        let last = gc.heap.map(|heap| heap.time).into_iter().chain(restarted).fold(gc.last_known(), i64::max);
        let from = rows.partition_point(|row| row.0 < gc.first_known());
        let inside = rows.get(from..).unwrap_or(&[]).iter().take_while(|row| row.0 <= last);
        let own = process(ThreadId(gc.thread));
        inside.filter(|row| process(row.2) == own).map(|row| row.1).collect()
    };
    Ok(gcs.iter().map(of_gc).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::gc::gcs_of;
    use crate::analysis::intervals::spans::search::SpanSearch;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn only_code_on_included_stacks_is_named() {
        let (store, bytes) = store_of(&[
            (10, 5, What::Sample(true, vec![1, 2])),
            (20, 5, What::Sample(true, vec![1, 3])),
            (30, 5, What::Order("apples", 3)),
        ]);
        let rows = store.events.len();
        let none = FastSet::default();
        let of = |range, others: &FastSet<u32>| {
            let needed = needed_payloads(&store, &bytes, &Selection::of_range(range, rows), others).expect("payloads");
            assert!(needed.is_sorted());
            needed.len()
        };
        // The store's first rows load the methods.
        let first = rows - 3;
        assert_eq!(of(0..rows, &none), rows);
        assert_eq!(of(first..first + 1, &none), 1 + 2, "a sample and its two methods");
        assert_eq!(of(first..first + 2, &none), 2 + 3, "the methods of both samples");
        assert_eq!(of(rows - 1..rows, &none), 1, "an event without a stack");
        assert_eq!(of(rows - 1..rows, &FastSet::from_iter([first as u32])), 2 + 2);
        assert_eq!(of(0..0, &none), 0);
    }

    #[test]
    fn interval_of_selected_event_has_both_ends() {
        let (store, bytes) = store_of(&[
            (10, 5, What::Schedule(7, Vec::new())),
            (20, 5, What::WaitForLock { lock: 0x70, owner: 6, stack: Vec::new() }),
            (25, 8, What::SuspendBegin(1)),
            (30, 6, What::RunTask(7)),
            (40, 5, What::HaveLock),
            (45, 8, What::SuspendEnd),
            (50, 5, What::Order("apples", 3)),
            (60, 8, What::GcStart(1)),
            (70, 6, What::EndTask(7)),
            (80, 8, What::GcEnd(1)),
            (90, 8, What::RestartEnd),
            (95, 7, What::WaitForLock { lock: 0x70, owner: 6, stack: Vec::new() }),
        ]);
        let mut tracks = TrackIndex::default();
        let mut search = SpanSearch::new(&store);
        while search.step(&store, &bytes, false).expect("payloads") != Step::Done {}
        let spans = search.finish(&store, &bytes, &mut tracks).expect("payloads");
        let gcs = gcs_of(&store, &bytes).expect("payloads");
        let rows = store.events.len();
        let first = rows - 12;
        let mut added = |range: std::ops::Range<usize>| -> Vec<usize> {
            let selection = Selection::of_range(first + range.start..first + range.end, rows);
            let found = other_ends(&store, &bytes, (&spans, &mut tracks, &gcs), &selection).expect("payloads");
            let mut found: Vec<usize> = found.into_iter().map(|row| row as usize - first).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(added(4..5), [1], "the start of the wait");
        assert_eq!(added(3..4), [0, 8], "a task that begins to run was scheduled, and ends");
        assert_eq!(added(7..8), [2, 5, 9, 10], "all of a GC, with its pause");
        assert_eq!(added(6..7), [0; 0]);
        assert_eq!(added(11..12), [0; 0], "the trace has no other end");
        assert_eq!(added(0..12), [0; 0]);
    }
}
