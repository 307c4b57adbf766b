//! Analyses: the report on one subject of a trace, with verdict, figures, charts and tables.
//!
//! Each topic reads its events once, in steps, and stores the facts that it needs ([`Facts::read`]). The report for a
//! filter is computed from these ([`Facts::report`]), so a new filter reads no events.

pub mod allocations;
pub mod contention;
mod counters;
pub mod cpu_findings;
mod event_source_findings;
pub mod exceptions;
pub mod finalizer_findings;
mod flood_findings;
pub mod gc;
mod gc_triggers;
pub mod heap;
mod http;
pub mod jit;
mod logs;
pub mod lost_events;
pub mod machine_findings;
mod networking;
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
use super::intervals::interval_set::Interval;
use super::intervals::spans::index::SpanIndex;
use super::intervals::tracks::TrackIndex;
use super::measures::Collector;
use super::samples::index::SampleIndex;
use super::samples::thread_time::ThreadTime;
use super::scan::selection::Selection;
use super::timeline::thread_states::ThreadStates;
use crate::model::{EventChunk, EventType, Store};
use nettrace::Value;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::events::span_times::{Phase, RequestFacts};
use protocol::names::FoundName;
use protocol::request::Filter;
use protocol::tables::interval_flag;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::report::GcTrigger;
use protocol::topics::topic::Topic;
use recorded_topics::{Role, Trace};
use shared::report::Report;
use std::rc::Rc;

/// The data of a trace that topics share.
pub struct Known<'k> {
    /// The loaded trace.
    pub store: &'k Store,
    /// True if only the beginning of the trace has been read, because it is still loading or being recorded.
    pub is_partial: bool,
    /// The GCs, by start.
    pub gcs: &'k [Gc],
    pub samples: &'k SampleIndex,
    /// Spans of all providers; `None` unless [`needs_of`] requests them.
    pub spans: Option<&'k SpanIndex>,
    /// The tracks that [`needs_of`] requests.
    pub tracks: &'k TrackIndex,
}

/// Data that a topic needs besides the events that it reads itself.
#[derive(Clone, Copy)]
pub struct Needs {
    pub spans: bool,
    /// Intervals of these tracks.
    pub tracks: &'static [TrackKind],
    /// Waits on wait handles and monitors.
    pub handle_waits: bool,
    /// Spans, if only requests can identify some of the app's code ([`shared::call_site`]).
    pub requests: bool,
}

impl Needs {
    const NONE: Self = Self { spans: false, tracks: &[], handle_waits: false, requests: false };
}

/// The events that a report includes.
pub struct Scope<'s> {
    pub filter: &'s Filter,
    /// The rows that the filter selects.
    pub selection: Rc<Selection>,
    /// The filter's time range, or else the recorded time without the rundown.
    pub span: Span,
    /// Thread states in that time, for findings and for analyses of threads.
    pub time: Option<Rc<ThreadTime>>,
    /// States of all threads at any time, for findings.
    pub states: Option<Rc<ThreadStates>>,
    /// The rows that the filter would select without its time range; `None` if it has none.
    pub of_any_time: Option<Rc<Selection>>,
}

impl Scope<'_> {
    /// Returns whether an event is in scope.
    pub fn has(&self, event: EventId) -> bool {
        self.selection.contains(event.index())
    }

    /// Returns whether the interval that begins with an event is in scope: with a time range, if it overlaps the range.
    pub fn covers(&self, event: EventId, start: i64, end: i64) -> bool {
        let Some(of_any_time) = &self.of_any_time else { return self.has(event) };
        let Span { start: from, end: until } = self.span;
        of_any_time.contains(event.index()) && start < until.0 && (end > from.0 || start >= from.0)
    }

    /// Returns whether the time range contains only a part of an interval.
    pub fn cuts(&self, start: i64, end: i64) -> bool {
        self.of_any_time.is_some() && (start < self.span.start.0 || end > self.span.end.0)
    }

    /// Returns the part of an interval in the time range.
    pub fn part_of(&self, start: i64, end: i64) -> (i64, i64) {
        match self.of_any_time {
            Some(_) => {
                let start = start.max(self.span.start.0);
                (start, end.min(self.span.end.0).max(start))
            }
            None => (start, end),
        }
    }
}

impl Interval {
    /// Returns whether it is in scope ([`Scope::covers`]).
    fn counts(&self, scope: &Scope<'_>) -> bool {
        scope.covers(self.event, self.start, self.end)
    }

    /// Clips it to the time range: an interval that continues after the range has a known duration within it.
    fn within(&self, scope: &Scope<'_>) -> Self {
        let (start, end) = scope.part_of(self.start, self.end);
        let flags = if end < self.end { self.flags & !interval_flag::OPEN_END } else { self.flags };
        Self { start, end, flags, ..*self }
    }
}

/// Returns a note about intervals that the range cuts; empty for 0.
fn cut_words(cut: usize) -> String {
    match cut {
        0 => String::new(),
        _ => format!("{} cut by the range", protocol::format::count(cut as u64)),
    }
}

/// A request with its phases, in no particular order.
pub struct RequestOf {
    pub facts: RequestFacts,
    pub phases: Vec<Phase>,
}

/// Facts that a topic stores about its events.
pub trait Facts {
    /// Returns whether events of a type are to be read.
    fn wants(&self, _event_type: &EventType) -> bool {
        false
    }

    /// Returns whether the payloads of such events are needed.
    fn wants_payload(&self, _event_type: &EventType) -> bool {
        true
    }

    /// Reads an event with its payload, which is empty if not needed. Events come in time order.
    fn read(&mut self, _store: &Store, _chunk: &EventChunk, _row: usize, _payload: &[u8]) {}

    /// Finishes reading, once all events are read.
    fn finish(&mut self, _known: &Known<'_>) {}

    /// Returns the report on the events in scope.
    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report;

    /// Returns findings, in any order. Each has evidence.
    fn findings(&self, _known: &Known<'_>, _scope: &Scope<'_>) -> Vec<Finding> {
        Vec::new()
    }

    /// Returns findings that may be the effect of other findings, in all topics.
    fn effects(&self, _known: &Known<'_>, _scope: &Scope<'_>, _causes: &[Finding]) -> Vec<Finding> {
        Vec::new()
    }

    /// Returns, for each of [`Known::gcs`], whether it is in scope. Only the GC analysis implements it.
    fn counted_collections(&self, _known: &Known<'_>, _scope: &Scope<'_>) -> Vec<bool> {
        Vec::new()
    }

    /// Returns the number of the tab's items in scope, if they may last longer than their event, but have no track. Only
    /// the task analysis implements it.
    fn counted_items(&self, _store: &Store, _scope: &Scope<'_>) -> Option<u64> {
        None
    }

    /// Returns what triggered the GC that starts with an event. Only the GC analysis implements it.
    fn trigger(&self, _known: &Known<'_>, _event: EventId) -> Option<GcTrigger> {
        None
    }

    /// Returns the routes of incoming requests by start event. Only the HTTP analysis implements it.
    fn routes(&self) -> FastMap<EventId, String> {
        FastMap::default()
    }

    /// Returns what is known about the request that starts with an event. Only the HTTP analysis implements it.
    fn request(&self, _event: EventId) -> Option<RequestOf> {
        None
    }

    /// Returns the method that caught the exception thrown with an event, and the times of both. Only the exception
    /// analysis implements it.
    fn caught(&self, _event: EventId) -> Option<(String, Span)> {
        None
    }

    /// Returns the items that a user may search by name, regardless of a filter, those of most events first.
    fn items(&self) -> Vec<FoundName> {
        Vec::new()
    }

    /// Adds the measures by which traces are compared. A subject without any value is recorded, too, if the trace has its
    /// events.
    fn measures(&self, _known: &Known<'_>, _scope: &Scope<'_>, _into: &mut Collector) {}

    /// Returns the memory use in bytes.
    fn bytes(&self) -> usize;
}

/// Declarations of a topic's folder.
trait Analysis: Facts + Default + 'static {
    /// True if the topic has findings.
    const HAS_FINDINGS: bool;
    const NEEDS: Needs = Needs::NONE;
    /// Decides whether an activity of a library is about the topic, if only its payload shows that.
    const IS_ABOUT: Option<IsAbout> = None;

    /// Returns empty facts.
    fn new(_store: &Store) -> Self {
        Self::default()
    }

    /// Returns the role of an event type for the topic; `None` if it has none.
    fn role(event_type: &EventType, trace: &Trace) -> Option<Role>;
}

/// Returns whether an event with these values is about a topic.
type IsAbout = fn(&EventType, Vec<Value>) -> bool;

/// A topic's folder.
#[derive(Clone, Copy)]
struct Folder {
    has_findings: bool,
    needs: Needs,
    is_about: Option<IsAbout>,
    new: fn(&Store) -> Box<dyn Facts>,
    role: fn(&EventType, &Trace) -> Option<Role>,
}

impl Folder {
    fn of<A: Analysis>() -> Self {
        let new = |store: &Store| -> Box<dyn Facts> { Box::new(A::new(store)) };
        Self { has_findings: A::HAS_FINDINGS, needs: A::NEEDS, is_about: A::IS_ABOUT, new, role: A::role }
    }
}

fn folder(topic: Topic) -> Folder {
    match topic {
        Topic::Gc => Folder::of::<gc::GcFacts>(),
        Topic::Allocations => Folder::of::<allocations::AllocationFacts>(),
        Topic::Heap => Folder::of::<heap::HeapFacts>(),
        Topic::Exceptions => Folder::of::<exceptions::ExceptionFacts>(),
        Topic::Contention => Folder::of::<contention::ContentionFacts>(),
        Topic::Waits => Folder::of::<waits::WaitFacts>(),
        Topic::ThreadPool => Folder::of::<thread_pool::PoolFacts>(),
        Topic::Http => Folder::of::<http::HttpFacts>(),
        Topic::Networking => Folder::of::<networking::NetworkingFacts>(),
        Topic::Sql => Folder::of::<sql::SqlFacts>(),
        Topic::Tasks => Folder::of::<tasks::TaskFacts>(),
        Topic::Logs => Folder::of::<logs::LogFacts>(),
        Topic::Counters => Folder::of::<counters::CounterFacts>(),
        Topic::Jit => Folder::of::<jit::JitFacts>(),
        Topic::Startup => Folder::of::<startup::StartupFacts>(),
    }
}

/// Returns the empty facts of a topic.
pub fn facts_of(topic: Topic, store: &Store) -> Box<dyn Facts> {
    (folder(topic).new)(store)
}

/// Returns the other data that a topic needs.
pub fn needs_of(topic: Topic) -> Needs {
    folder(topic).needs
}

pub fn with_findings() -> Vec<Topic> {
    Topic::ALL.into_iter().filter(|topic| folder(*topic).has_findings).collect()
}
