//! Analyses: a report on one subject of a trace, with verdict, figures, charts and tables.
//!
//! Each topic goes once over its events, in steps, and keeps what it needs of them ([`Facts::read`]). The report for a
//! filter is put together from that ([`Facts::report`]): another filter reads nothing again.

pub mod allocations;
pub mod contention;
mod counters;
pub mod cpu_findings;
mod event_source_findings;
pub mod exceptions;
pub mod finalizer_findings;
mod flood_findings;
pub mod gc;
pub mod heap;
mod http;
pub mod jit;
mod logs;
pub mod lost_events;
pub mod machine_findings;
pub mod recorded_topics;
pub mod recording_findings;
pub mod role_times;
mod schema_findings;
pub mod shared;
mod sql;
pub mod startup;
mod tasks;
#[cfg(test)]
pub mod tests;
pub mod thread_pool;
pub mod waits;

use super::intervals::gc_pauses::Gc;
use super::intervals::spans::index::SpanIndex;
use super::intervals::tracks::TrackIndex;
use super::samples::index::SampleIndex;
use super::samples::thread_time::ThreadTime;
use super::scan::selection::Selection;
use crate::model::{EventChunk, EventType, Store};
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::topic::Topic;
use shared::report::Report;

/// What is known of a trace when a topic is reported on.
pub struct Known<'k> {
    /// What was loaded.
    pub store: &'k Store,
    /// The garbage collections, by start.
    pub gcs: &'k [Gc],
    /// The samples of all threads.
    pub samples: &'k SampleIndex,
    /// What begins and ends, of any provider; none unless [`Facts::needs`] asks for it.
    pub spans: Option<&'k SpanIndex>,
    /// The marks of the kinds that [`Facts::needs`] asks for.
    pub tracks: &'k TrackIndex,
}

/// What a topic needs besides the events that it reads itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// What begins and ends, of any provider.
    pub spans: bool,
    /// The marks of these tracks.
    pub tracks: &'static [TrackKind],
    /// Waits on wait handles and monitors.
    pub handle_waits: bool,
    /// What begins and ends, if only requests distinguish some code of the program ([`shared::call_site`]).
    pub requests: bool,
}

/// Which events count.
pub struct Scope<'s> {
    /// The filter.
    pub filter: &'s Filter,
    /// The rows that it selects.
    pub selection: &'s Selection,
    /// The time that it is about: its range, else the time that was recorded, without the rundown.
    pub span: Span,
    /// What threads did in that time, for findings and for analyses of threads.
    pub time: Option<&'s ThreadTime>,
}

impl Scope<'_> {
    /// Whether an event counts.
    pub fn has(&self, event: EventId) -> bool {
        self.selection.contains(event.index())
    }
}

/// What is kept of the events of a topic.
pub trait Facts {
    /// Whether events of a type are to be read.
    fn wants(&self, event_type: &EventType) -> bool;

    /// Whether the payloads of events of such a type are needed.
    fn wants_payload(&self, _event_type: &EventType) -> bool {
        true
    }

    /// An event of such a type with its payload, which is empty if it is not needed; they come in order of time.
    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]);

    /// All events were read.
    fn finish(&mut self, _known: &Known<'_>) {}

    /// What else is needed.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Returns the report on the events that count.
    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report;

    /// What of it is wrong with the program, in any order; nothing without evidence.
    fn findings(&self, _known: &Known<'_>, _scope: &Scope<'_>) -> Vec<Finding> {
        Vec::new()
    }

    /// What of it is wrong and may be the effect of what was found otherwise, in all topics.
    fn effects(&self, _known: &Known<'_>, _scope: &Scope<'_>, _causes: &[Finding]) -> Vec<Finding> {
        Vec::new()
    }

    /// Of each of [`Known::gcs`] whether it counts; only the GC analysis says so.
    fn counted_collections(&self, _known: &Known<'_>, _scope: &Scope<'_>) -> Vec<bool> {
        Vec::new()
    }

    /// Bytes held.
    fn bytes(&self) -> usize;
}

/// Topics that may find something wrong with the program.
pub const WITH_FINDINGS: [Topic; 9] = [
    Topic::Gc,
    Topic::Allocations,
    Topic::Heap,
    Topic::Exceptions,
    Topic::Contention,
    Topic::ThreadPool,
    Topic::Http,
    Topic::Sql,
    Topic::Jit,
];

/// Nothing read yet of a topic.
pub fn facts_of(topic: Topic, store: &Store) -> Box<dyn Facts> {
    match topic {
        Topic::Gc => Box::new(gc::GcFacts::new(store)),
        Topic::Allocations => Box::new(allocations::AllocationFacts::new(store)),
        Topic::Heap => Box::new(heap::HeapFacts::new(store)),
        Topic::Exceptions => Box::new(exceptions::ExceptionFacts::new(store)),
        Topic::Http => Box::new(http::HttpFacts::new(store)),
        Topic::Logs => Box::new(logs::LogFacts::new(store)),
        Topic::Counters => Box::new(counters::CounterFacts::new(store)),
        Topic::Tasks => Box::new(tasks::TaskFacts::new(store)),
        Topic::Sql => Box::new(sql::SqlFacts::new(store)),
        Topic::Contention => Box::new(contention::ContentionFacts::default()),
        Topic::Waits => Box::new(waits::WaitFacts::default()),
        Topic::ThreadPool => Box::new(thread_pool::PoolFacts::new(store)),
        Topic::Jit => Box::new(jit::JitFacts::default()),
        Topic::Startup => Box::new(startup::StartupFacts::default()),
    }
}
