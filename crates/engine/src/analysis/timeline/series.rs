//! Tracks of values over time: allocation rate, thread pool, counters and meters.

use super::counters::counters;
use super::lines::{Lines, SeriesRows, ValueSources};
use super::series_source::{SeriesPayloads, SeriesSource};
use super::track_data::TrackData;
use crate::analysis::samples::index::SampleIndex;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::sort::sort_by_key;
use protocol::request::Filter;
use protocol::tables::Series;
use protocol::timeline::track::TrackKind;

/// Returns a filter for values of processes instead of threads: all threads of the processes of the filter's threads,
/// without conditions on texts and labels, which such events don't have.
pub fn of_processes(store: &Store, filter: &Filter) -> Filter {
    let of_filter = |of: u32| {
        let mut threads = filter.threads.iter().filter_map(|thread| store.threads.get(*thread));
        threads.any(|thread| thread.process.0 == of)
    };
    let mut threads = filter.threads.clone();
    if !threads.is_empty() {
        let all = store.threads.iter().filter(|thread| of_filter(thread.process.0));
        threads.extend(all.map(|thread| thread.id));
        sort_by_key(&mut threads, |thread| *thread);
        threads.dedup();
    }
    Filter { threads, query: String::new(), labels: Vec::new(), frames: Vec::new(), ..filter.clone() }
}

/// Tracks that links of older versions name by number, before counters and meters.
const NUMBERED: [TrackKind; 3] = [TrackKind::AllocationRate, TrackKind::ThreadPool, TrackKind::QueueLength];

/// Returns all series: those of the runtime, and counters and meters by provider and name. Links name counters and
/// meters by their position in the table, so tracks that aren't `NUMBERED` come after them.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn series(
    store: &Store,
    source: &dyn ByteSource,
    payloads: &SeriesPayloads,
    samples: &SampleIndex,
    rows: &SeriesRows<'_>,
) -> Result<Series, SourceError> {
    let (mut numbered, mut of_counters, mut named) = (Lines::default(), Lines::default(), Lines::default());
    counters(store, &SeriesSource { payloads, source }, rows.of_processes, &mut of_counters)?;
    let sources = ValueSources { store, source, payloads, samples, rows, counters: &of_counters };
    for &kind in TrackKind::ALL {
        if let TrackData::Values(add) = TrackData::of(kind) {
            add(&sources, if NUMBERED.contains(&kind) { &mut numbered } else { &mut named })?;
        }
    }
    numbered.borrow(TrackKind::AllocationRate, &of_counters, &["Allocation Rate"]);
    let queue = ["ThreadPool Queue Length", "dotnet.thread_pool.queue.length"];
    numbered.borrow(TrackKind::QueueLength, &of_counters, &queue);
    of_counters.sort();
    let mut table = Series::default();
    for lines in [numbered, of_counters, named] {
        lines.write(&mut table, rows.is_wider);
    }
    Ok(table)
}
