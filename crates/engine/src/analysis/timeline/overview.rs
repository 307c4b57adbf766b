//! Event density for the minimap, for loaded traces and while loading.

use super::threads::busiest_first;
use super::window::density;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::scan::selection::Selection;
use crate::model::{Ingest, Store};
use protocol::base::ids::ThreadId;
use protocol::base::indexed_part::Indexed;
use protocol::base::sort::sort_by_key;
use protocol::base::time::{Clock, Nanos, Span};
use protocol::tables::Overview;
use std::cmp::Reverse;

/// Maximum number of threads with a separate row.
const MAX_THREADS: usize = 64;
/// Maximum number of buckets; more aren't visible on any screen.
const MAX_BUCKETS: u32 = 8_192;

/// Returns the density over `span` (`None` for the whole trace) in equal buckets.
pub fn overview(store: &Store, samples: &SampleIndex, gcs: &[Gc], span: Option<Span>, buckets: u32) -> Overview {
    let span = span.unwrap_or(store.full_span);
    let span = Span { start: span.start, end: span.end.max(Nanos(span.start.0.saturating_add(1))) };
    let buckets = buckets.clamp(1, MAX_BUCKETS) as usize;
    // Where no rows are loaded, the block directory has the counts.
    let has_rows = store.indexed.as_ref().is_none_or(|indexed| covers(indexed, span));
    let busiest: Vec<ThreadId> = busiest_first(store, samples, has_rows.then_some(span))
        .iter()
        .take(MAX_THREADS)
        .map(|totals| totals.thread)
        .collect();
    let os_thread = |thread: &ThreadId| store.threads.get(*thread).map_or(0, |thread| thread.os_thread);
    let count = if has_rows { count_rows } else { density };
    let (events, thread_events) = count(store, span, buckets, &busiest);
    let mut table = Overview {
        bounds: vec![span.start.0, span.end.0],
        read_until: vec![span.end.0],
        events,
        os_threads: busiest.iter().map(os_thread).collect(),
        thread_events,
        ..Overview::default()
    };
    push_pauses(&mut table, gcs, span);
    table
}

/// Counts the selected events in equal parts of `span`.
pub fn density_of(store: &Store, selection: &Selection, span: Span, buckets: u32) -> Overview {
    let buckets = buckets.clamp(1, MAX_BUCKETS) as usize;
    let before: Vec<u64> = (0..=buckets).map(|edge| selection.rank(edge_row(store, span, edge, buckets))).collect();
    Overview {
        bounds: vec![span.start.0, span.end.0],
        read_until: vec![span.end.0],
        events: before.windows(2).map(|edges| edges[1].saturating_sub(edges[0]) as u32).collect(),
        ..Overview::default()
    }
}

/// Returns the first row of a bucket.
fn edge_row(store: &Store, span: Span, edge: usize, buckets: usize) -> usize {
    let length = i128::from(span.end.0) - i128::from(span.start.0);
    let at = Nanos((i128::from(span.start.0) + length * edge as i128 / buckets as i128) as i64);
    store.events.lower_bound(store.clock.ticks_at_or_after(at))
}

fn covers(indexed: &Indexed, span: Span) -> bool {
    indexed.providers.is_empty() && indexed.span.start <= span.start && span.end <= indexed.span.end
}

/// Returns the number of events by bucket, in total and for the busiest threads.
fn count_rows(store: &Store, span: Span, buckets: usize, busiest: &[ThreadId]) -> (Vec<u32>, Vec<u32>) {
    let rows: Vec<usize> = (0..=buckets).map(|edge| edge_row(store, span, edge, buckets)).collect();
    let mut counts = vec![0; busiest.len() * buckets];
    let mut row_of = vec![usize::MAX; store.threads.len()];
    for (row, thread) in busiest.iter().enumerate() {
        row_of[thread.index()] = row * buckets;
    }
    for (bucket, edges) in rows.windows(2).enumerate() {
        for (chunk, inside) in store.events.chunks_in(edges[0]..edges[1]) {
            chunk.threads.for_each(inside, |_, thread| {
                let row = row_of.get(thread as usize).copied().unwrap_or(usize::MAX);
                if let Some(count) = counts.get_mut(row.saturating_add(bucket)) {
                    *count += 1;
                }
            });
        }
    }
    (rows.windows(2).map(|edges| (edges[1] - edges[0]) as u32).collect(), counts)
}

fn push_pauses(table: &mut Overview, gcs: &[Gc], span: Span) {
    let of = |one: &Gc| one.pauses.iter().map(move |pause| (pause.start, pause.end)).collect::<Vec<_>>();
    let mut pauses: Vec<(i64, i64, u8)> = gcs
        .iter()
        .flat_map(|one| of(one).into_iter().map(|(start, end)| (start, end, one.generation)))
        .filter(|&(start, end, _)| start < span.end.0 && end >= span.start.0)
        .collect();
    sort_by_key(&mut pauses, |pause| *pause);
    for (start, end, generation) in pauses {
        table.pause_starts.push(start);
        table.pause_ends.push(end);
        table.pause_generations.push(generation);
    }
}

/// Returns the density of the events read so far, by thread in descending order; empty before the first event.
pub fn live_overview(ingest: &Ingest) -> Overview {
    let (Some(density), Some(header)) = (ingest.density(), ingest.header()) else { return Overview::default() };
    let Some((lowest, highest)) = density.span_ticks() else { return Overview::default() };
    let clock = Clock::new(header.tick_frequency);
    let width = density.bucket_ticks();
    let bucket_of = |ticks: i64| (ticks.saturating_sub(density.start_ticks()) / width.max(1)).max(0) as usize;
    let end = ingest.expected_end_ticks().map_or(highest, |end| end.max(highest));
    let last = bucket_of(end).min(density.buckets().saturating_sub(1));
    let used = bucket_of(lowest).min(last)..last + 1;
    let edge = |bucket: usize| {
        let ticks = i128::from(density.start_ticks()) + i128::from(width) * bucket as i128;
        clock.nanos(ticks.clamp(i64::MIN.into(), i64::MAX.into()) as i64).0
    };
    let mut busiest: Vec<(u64, ThreadId)> = density
        .threads()
        .map(|thread| (density.thread(thread).iter().map(|&count| u64::from(count)).sum(), thread))
        .collect();
    sort_by_key(&mut busiest, |&(events, thread)| (Reverse(events), thread));
    busiest.truncate(MAX_THREADS);
    let row = |thread: ThreadId| density.thread(thread).get(used.clone()).unwrap_or_default();
    Overview {
        bounds: vec![edge(used.start), edge(used.end)],
        read_until: vec![clock.nanos(highest).0],
        events: density.total.get(used.clone()).unwrap_or_default().to_vec(),
        os_threads: busiest.iter().map(|&(_, thread)| ingest.os_thread(thread).unwrap_or(0)).collect(),
        thread_events: busiest.iter().flat_map(|&(_, thread)| row(thread).iter().copied()).collect(),
        ..Overview::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::gc::gcs_of;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn every_event_is_in_one_bucket_and_row_of_its_thread() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Order("a", 1)),
            (10, 5, What::SuspendBegin(1)),
            (11, 5, What::SuspendEnd),
            (12, 5, What::GcStart(1)),
            (14, 5, What::GcEnd(1)),
            (15, 5, What::RestartEnd),
            (99, 6, What::Sample(true, vec![1])),
        ]);
        let samples = SampleIndex::build(&store).expect("memory");
        let gcs = gcs_of(&store, &bytes).unwrap();
        let table = overview(&store, &samples, &gcs, Some(Span::new(0, 100)), 10);
        assert_eq!(table.bounds, [0, 100]);
        assert_eq!(table.events, [1, 5, 0, 0, 0, 0, 0, 0, 0, 1]);
        let row = |os_thread| {
            let row = table.os_threads.iter().position(|&id| id == os_thread).unwrap();
            table.thread_events[row * 10..row * 10 + 10].to_vec()
        };
        assert_eq!(row(5), [1, 5, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(row(6), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((table.pause_starts, table.pause_ends, table.pause_generations), (vec![10], vec![15], vec![2]));
    }

    #[test]
    fn selected_events_are_counted_in_their_buckets() {
        // The first nine of the fifteen rows, from before time 0, are about methods.
        let order = |time| (time, 5, What::Order("a", 1));
        let (store, _) = store_of(&[order(0), order(10), order(11), order(55), order(99), order(100)]);
        let events = |rows, span, buckets| {
            let all = store.events.len();
            density_of(&store, &Selection::of_range(rows, all), span, buckets).events
        };
        assert_eq!(events(9..15, Span::new(0, 100), 10), [1, 2, 0, 0, 0, 1, 0, 0, 0, 1]);
        assert_eq!(events(11..13, Span::new(0, 100), 10), [0, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(events(0..15, Span::new(i64::MIN, i64::MAX), 1), [15]);
        assert_eq!(events(0..15, Span::new(7, 7), 2), [0, 0]);
    }

    #[test]
    fn overview_before_first_event_is_empty() {
        assert_eq!(live_overview(&Ingest::new()), Overview::default());
    }
}
