//! The summary of a trace.

use super::header_detail::{diagnostics, format_text, format_words, processes};
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::samples::index::is_sample;
use crate::clr::KnownEvent;
use crate::model::{EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by;
use protocol::filter::word;
use protocol::reply::{ProviderCount, Summary};
use std::cmp::Reverse;

/// Maximum number of recording programs in a condition.
const MAX_RECORDERS: usize = 8;

/// Returns the summary of a trace. The session fills in file name, file size, load time and memory.
pub fn summary(store: &Store, gcs: &[Gc]) -> Summary {
    let process = store.processes.main().cloned().unwrap_or_default();
    let count_of = |is_wanted: &dyn Fn(&EventType) -> bool| -> u64 {
        store.types.iter().filter(|event_type| is_wanted(event_type)).map(|event_type| event_type.count).sum()
    };
    Summary {
        format: format_text(store),
        format_words: format_words(store).to_owned(),
        processes: processes(store).len() as u32,
        without_recorders: without_recorders(store),
        process_name: process.name,
        os_process: process.os_process,
        runtime: process.runtime,
        operating_system: [process.operating_system, process.architecture].join(" ").trim().to_owned(),
        processors: store.header.known_processor_count().unwrap_or(0),
        command_line: process.command_line,
        start_unix_ms: store.header.sync_time_utc.unix_ms() as f64,
        full_span: store.full_span,
        user_span: store.user_span,
        events: store.total_events,
        indexed: store.indexed.clone(),
        rundown_events: count_of(&|event_type| event_type.is_rundown),
        lost: store.lost_events,
        samples: count_of(&is_sample),
        has_labels: !store.activities.is_empty() || store.label_lists.len() > 1,
        samples_processors: count_of(&|event_type| event_type.known == KnownEvent::CpuSample) > 0,
        stacks: store.types.iter().map(|event_type| event_type.with_stack).sum(),
        threads: store.threads.iter().filter(|thread| thread.events > 0).count() as u32,
        gcs: gcs.len() as u32,
        exceptions: count_of(&|event_type| event_type.known == KnownEvent::ExceptionThrown),
        methods: store.methods.len() as u64,
        providers: providers(store),
        diagnostics: diagnostics(store),
        diagnostic_count: store.diagnostics.total,
        ..Summary::default()
    }
}

/// Returns the filter condition that excludes the programs that recorded the trace, unless one of them is its subject.
fn without_recorders(store: &Store) -> String {
    let main = store.processes.main().map(|main| main.id);
    let recorders = store.processes.iter().filter(|process| process.is_recorder() && Some(process.id) != main);
    let conditions: Vec<String> =
        recorders.take(MAX_RECORDERS).map(|process| format!("-process={}", word(&process.numbered_label()))).collect();
    conditions.join(" ")
}

fn providers(store: &Store) -> Vec<ProviderCount> {
    let mut by_name: FastMap<&str, ProviderCount> = FastMap::default();
    for event_type in &store.types {
        let sum = by_name.entry(&event_type.provider).or_default();
        sum.events += event_type.count;
        sum.payload_bytes += event_type.payload_bytes;
    }
    let mut providers: Vec<ProviderCount> =
        by_name.into_iter().map(|(name, sum)| ProviderCount { name: name.to_owned(), ..sum }).collect();
    sort_by(&mut providers, |a, b| (Reverse(a.events), &a.name).cmp(&(Reverse(b.events), &b.name)));
    providers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn summary_counts_all_sample_variants() {
        let (store, _) = store_of(&[
            (0, 5, What::Sample(true, vec![1])),
            (5, 5, What::Sample(false, vec![1])),
            (6, 5, What::Order("x", 1)),
        ]);
        let summary = summary(&store, &[]);
        assert_eq!((summary.samples, summary.stacks, summary.format.as_str()), (2, 2, "nettrace 4"));
        assert_eq!(summary.providers.iter().map(|provider| provider.events).sum::<u64>(), summary.events);
    }
}
