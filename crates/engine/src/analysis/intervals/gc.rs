//! The GCs of a trace.

use super::gaps::Gaps;
use super::gc_pauses::{Gc, GcEvent, GcStep, Pause, gcs};
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{GcEnd, GcHeapStats, GcStart, GcType, SuspendBegin, is_induced};
use crate::clr::manifest::describe;
use crate::model::EventChunk;
use crate::model::Store;
use nettrace::{ByteSource, SourceError, Value};
use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::request::Filter;
use protocol::tables;

/// Events about GCs.
pub const GC_STEPS: [KnownEvent; 12] = [
    KnownEvent::GcStart,
    KnownEvent::GcEnd,
    KnownEvent::GcHeapStats,
    KnownEvent::GcSuspendBegin,
    KnownEvent::GcSuspendEnd,
    KnownEvent::GcRestartBegin,
    KnownEvent::GcRestartEnd,
    KnownEvent::GcGlobalHeapHistory,
    KnownEvent::GcPerHeapHistory,
    KnownEvent::GcLohCompact,
    KnownEvent::GcCreateSegment,
    KnownEvent::GcFreeSegment,
];

/// Returns all GCs in the order of their starts.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn gcs_of(store: &Store, source: &dyn ByteSource) -> Result<Vec<Gc>, SourceError> {
    let wanted = TypeSet::of_known(store, &GC_STEPS);
    let mut by_process: FastMap<u32, Vec<GcEvent>> = FastMap::default();
    let (gaps, mut last) = (Gaps::of(store), FastMap::<u32, i64>::default());
    wanted.try_for_each_row(store, |chunk, row| {
        let Some((process, event)) = gc_event(store, source, chunk, row)? else { return Ok(()) };
        let events = by_process.entry(process).or_default();
        if let Some(before) = last.insert(event.thread, event.time)
            && gaps.last_between(ThreadId(event.thread), before, event.time).is_some()
        {
            events.push(GcEvent { step: GcStep::Gap, ..event });
        }
        events.push(event);
        Ok(())
    })?;
    let mut all: Vec<Gc> = by_process.into_values().flat_map(|events| gcs(events.into_iter())).collect();
    sort_by_key(&mut all, |gc| (gc.start, gc.event));
    Ok(all)
}

/// Returns the process of an event, and its step of a GC.
fn gc_event(
    store: &Store,
    source: &dyn ByteSource,
    chunk: &EventChunk,
    row: usize,
) -> Result<Option<(u32, GcEvent)>, SourceError> {
    let Some(event_type) = store.types.get(chunk.event_type(row)) else { return Ok(None) };
    let event = chunk.event_id(row);
    // Only for types whose payloads are stored; for others the file would be read again.
    let payload = || store.payload(event, source);
    let version = event_type.record.version;
    let step = match event_type.known {
        KnownEvent::GcStart => GcStart::read(&payload()?).map(|start| GcStep::Start {
            number: start.number,
            generation: start.generation.min(255) as u8,
            kind: match start.gc_type {
                Some(GcType::Background) => 1,
                Some(GcType::Foreground) => 2,
                Some(GcType::Blocking) | None => 0,
            },
            reason: start.reason,
        }),
        KnownEvent::GcEnd => GcEnd::read(&payload()?).map(|end| GcStep::End { number: end.number }),
        KnownEvent::GcSuspendBegin => {
            SuspendBegin::read(&payload()?, version).map(|begin| GcStep::SuspendBegin { for_gc: begin.is_for_gc() })
        }
        KnownEvent::GcHeapStats => GcHeapStats::read(&payload()?)
            .map(|stats| GcStep::HeapStats { sizes: stats.generations().map(|one| one.size) }),
        KnownEvent::GcSuspendEnd => Some(GcStep::SuspendEnd),
        KnownEvent::GcRestartBegin => Some(GcStep::RestartBegin),
        KnownEvent::GcRestartEnd => Some(GcStep::RestartEnd),
        _ => Some(GcStep::WorkDone),
    };
    let thread = chunk.thread(row);
    let process = store.threads.get(thread).map_or(0, |thread| thread.process.0);
    let time = store.clock.nanos(chunk.ticks(row)).0;
    Ok(step.map(|step| (process, GcEvent { time, thread: thread.0, event: event.0, step })))
}

/// Returns whether a filter has conditions on events besides time, thread, process and provider. A GC is then in scope
/// if one of its events matches.
pub fn asks_of_events(filter: &Filter) -> bool {
    !filter.query.is_empty() || !filter.labels.is_empty() || !filter.frames.is_empty() || !filter.types.is_empty()
}

/// Returns whether a GC overlaps the filter's time range and belongs to its processes. GCs concern all threads of a
/// process, so conditions on threads and providers don't exclude them.
pub fn is_inside(store: &Store, one: &Gc, filter: &Filter) -> bool {
    filter.span.is_none_or(|span| one.first_known() < span.end.0 && one.last_known() >= span.start.0)
        && (filter.processes.is_empty() || filter.processes.contains(&process_of(store, one)))
}

fn process_of(store: &Store, one: &Gc) -> u32 {
    store.threads.get(ThreadId(one.thread)).map_or(0, |thread| store.os_process_of(thread))
}

/// Returns the process by which the page identifies a GC: 0 if the trace has one.
pub fn process_in_table(store: &Store, one: &Gc) -> u32 {
    if store.has_several_processes() { process_of(store, one) } else { 0 }
}

pub fn collection_table<'c>(store: &Store, gcs: impl Iterator<Item = &'c Gc>) -> tables::Gcs {
    let mut table = tables::Gcs::default();
    let mut stops: Vec<(Pause, u32)> = Vec::new();
    for (row, one) in (0u32..).zip(gcs) {
        table.process.push(process_in_table(store, one));
        table.number.push(one.number);
        table.generation.push(one.generation);
        table.kind.push(one.kind);
        table.induced.push(is_induced(one.reason).into());
        table.start.push(one.start);
        table.end.push(one.end.unwrap_or_else(|| one.last_known()));
        table.pause_total.push(one.pause_total());
        table.reason.push(&reason_words(one.reason));
        table.thread.push(one.thread);
        table.event.push(one.event);
        stops.extend(one.pauses.iter().map(|pause| (*pause, row)));
        if let Some(heap) = one.heap {
            table.heap_row.push(row);
            table.heap_time.push(heap.time);
            table.heap_sizes.extend(heap.sizes);
        }
    }
    sort_by_key(&mut stops, |(pause, row)| (pause.start, *row));
    for (pause, row) in stops {
        table.stop_row.push(row);
        table.stop_start.push(pause.start);
        table.stop_end.push(pause.end);
        table.stop_counted.push(pause.counted_until);
        table.stop_suspension.push(pause.suspend_duration());
        table.stop_resume.push(pause.resume_duration().unwrap_or(-1));
    }
    table
}

/// Returns the words for a reason code.
pub fn reason_words(reason: u32) -> String {
    let words = describe("Microsoft-Windows-DotNETRuntime", 1, "Reason", &Value::UInt(reason.into(), 32));
    words.unwrap_or_else(|| format!("reason {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use protocol::base::time::Span;

    #[test]
    fn gc_table_has_gcs_overlapping_span() {
        let gc = |at: i64, number| {
            [
                (at, 5, What::SuspendBegin(1)),
                (at + 2, 5, What::SuspendEnd),
                (at + 3, 5, What::GcStart(number)),
                (at + 8, 5, What::GcEnd(number)),
                (at + 9, 5, What::RestartEnd),
            ]
        };
        let mut happenings = gc(0, 1).to_vec();
        happenings.extend([(20, 9, What::SuspendBegin(0)), (21, 9, What::SuspendEnd), (22, 9, What::RestartEnd)]);
        happenings.extend(gc(100, 2));
        let (store, bytes) = store_of(&happenings);
        let all = gcs_of(&store, &bytes).unwrap();
        let table = collection_table(&store, all.iter());
        assert_eq!((table.number.as_slice(), table.pause_total.as_slice()), ([1, 2].as_slice(), [8, 8].as_slice()));
        assert_eq!(table.reason.get(0), "Induced");
        let filter = Filter { span: Some(Span::new(105, 106)), ..Filter::default() };
        let second = collection_table(&store, all.iter().filter(|one| is_inside(&store, one, &filter)));
        assert_eq!((second.number, second.start, second.induced), (vec![2], vec![103], vec![1]));
        assert_eq!((second.stop_row, second.stop_start, second.stop_end), (vec![0], vec![100], vec![109]));
        assert_eq!((second.stop_counted, second.stop_suspension, second.stop_resume), (vec![108], vec![2], vec![1]));
    }
}
