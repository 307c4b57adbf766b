//! The overview of a trace that is still being read.

use crate::model::Ingest;
use crate::model::time::Clock;
use crate::protocol::tables::Overview;

/// Rows for so many threads at most: what the loading screen can show.
const THREADS: usize = 64;

/// Event density from the first to the last event so far; empty before the first.
pub(super) fn live_overview(ingest: &Ingest) -> Overview {
    let (Some(header), Some(density)) = (ingest.header(), ingest.density()) else { return Overview::default() };
    let Some((first, last)) = density.span_ticks() else { return Overview::default() };
    let bucket_of = |ticks: i64| (ticks.saturating_sub(density.start_ticks()) / density.bucket_ticks()) as usize;
    let buckets = density.buckets();
    let used = bucket_of(first).min(buckets)..(bucket_of(last) + 1).min(buckets);
    let clock = Clock::new(header.tick_frequency);
    let edge = |bucket: usize| {
        clock.nanos(density.start_ticks().saturating_add(density.bucket_ticks().saturating_mul(bucket as i64))).0
    };
    let mut threads: Vec<_> = density
        .threads()
        .map(|thread| {
            let row = density.thread(thread).get(used.clone()).unwrap_or_default();
            (row.iter().map(|&count| u64::from(count)).sum::<u64>(), thread, row)
        })
        .collect();
    threads.sort_unstable_by_key(|&(events, thread, _)| (std::cmp::Reverse(events), thread));
    threads.truncate(THREADS);
    Overview {
        bounds: vec![edge(used.start), edge(used.end)],
        events: density.total().get(used).unwrap_or_default().to_vec(),
        os_threads: threads.iter().map(|&(_, thread, _)| ingest.os_thread(thread).unwrap_or(0)).collect(),
        thread_events: threads.iter().flat_map(|(.., row)| row.iter().copied()).collect(),
        ..Overview::default()
    }
}
