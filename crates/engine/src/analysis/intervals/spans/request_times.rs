//! Which thread served which request at which time: what belongs to a request besides the events of its activity.

use super::index::{SpanIndex, SpanOf};
use super::routes::route_name;
use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::scan::payload_batches::Step;
use crate::model::{EventChunk, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::timeline::track::TrackKind;

/// Maximum number of requests of one activity, or of one thread, that are examined at a time.
const MAX_BEGUN: usize = 8;
/// Chunks of events per step: about 260,000 events.
const CHUNKS: usize = 4;

/// Incoming requests, with the times of threads in them.
#[derive(Debug, Default)]
pub struct RequestTimes {
    /// By start.
    requests: Vec<Request>,
    /// Names of routes, by number: "GET /orders/{n}".
    names: Vec<String>,
    /// By activity: positions of the requests of which it is a part, or which it contains.
    of_activity: FastMap<ActivityId, Vec<u32>>,
    /// Times of threads in requests with an activity, by start.
    served: FastMap<ThreadId, Vec<Serving>>,
    /// The same for requests without an activity: from start to end on one thread.
    served_alone: FastMap<ThreadId, Vec<Serving>>,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    /// Nanoseconds.
    start: i64,
    /// Nanoseconds.
    end: i64,
    has_end: bool,
    /// Number of its route.
    route: u32,
}

/// Time in which a thread served a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Serving {
    /// Nanoseconds.
    start: i64,
    /// Nanoseconds.
    end: i64,
    /// Position of the request.
    request: u32,
}

/// Search for the times of threads in requests, in steps: from an event of the request's activity until an event of
/// another activity on the same thread. While a request awaits, its thread does other work. A request without an
/// activity is served by the thread on which it begins.
#[derive(Debug)]
pub struct RequestTimeSearch {
    times: RequestTimes,
    /// By thread: its request, since when, and the request's last event on it.
    current: FastMap<ThreadId, (u32, i64, i64)>,
    next_chunk: usize,
}

impl RequestTimeSearch {
    /// Returns a search that has examined nothing. `routes` are the names of known routes by start event; other requests
    /// have that of their path.
    pub fn new(spans: &SpanIndex, routes: &FastMap<EventId, String>) -> Self {
        Self { times: RequestTimes::new(spans, routes), current: FastMap::default(), next_chunk: 0 }
    }

    /// Examines further events for a few milliseconds.
    pub fn step(&mut self, store: &Store) -> Step {
        let chunks = store.events.chunks();
        if self.times.requests.is_empty() {
            return Step::Done;
        }
        let end = self.next_chunk.saturating_add(CHUNKS).min(chunks.len());
        chunks.get(self.next_chunk..end).unwrap_or_default().iter().for_each(|chunk| self.examine(store, chunk));
        self.next_chunk = end;
        if end == chunks.len() { Step::Done } else { Step::More }
    }

    fn examine(&mut self, store: &Store, chunk: &EventChunk) {
        let Self { times, current, .. } = self;
        for row in (0..chunk.len()).filter(|row| chunk.activity(*row).0 != 0) {
            let (thread, time) = (chunk.thread(row), store.clock.nanos(chunk.ticks(row)).0);
            let request = times.of_activity_at(chunk.activity(row), time);
            match current.get_mut(&thread) {
                Some((known, _, last)) if Some(*known) == request => *last = time,
                _ => {
                    if let Some((before, start, _)) = current.remove(&thread) {
                        times.add(thread, before, start, time);
                    }
                    if let Some(request) = request {
                        current.insert(thread, (request, time, time));
                    }
                }
            }
        }
    }

    /// Returns the times.
    pub fn finish(self) -> RequestTimes {
        let Self { mut times, current, .. } = self;
        for (thread, (request, start, last)) in current {
            // The thread of a request without an end does other work later.
            let has_end = times.requests.get(request as usize).is_some_and(|one| one.has_end);
            times.add(thread, request, start, if has_end { i64::MAX } else { last });
        }
        times.served.values_mut().for_each(|of_thread| sort_by_key(of_thread, |one| one.start));
        times
    }
}

impl RequestTimes {
    /// Returns the times without steps; routes have the names of their paths.
    #[cfg(test)]
    pub fn of(store: &Store, spans: &SpanIndex) -> Self {
        let mut search = RequestTimeSearch::new(spans, &FastMap::default());
        while search.step(store) != Step::Done {}
        search.finish()
    }

    fn new(spans: &SpanIndex, routes: &FastMap<EventId, String>) -> Self {
        let mut times = Self::default();
        let mut numbers: FastMap<String, u32> = FastMap::default();
        // By span: the request that it is or is part of. Parents come before their children.
        let mut request_of: Vec<Option<u32>> = Vec::with_capacity(spans.spans().len());
        for span in spans.spans() {
            let parent = span.parent.map(|parent| parent as usize);
            let around = parent.and_then(|parent| request_of.get(parent).copied().flatten());
            let is_request = span.track == Some(TrackKind::IncomingRequests);
            let request = if is_request { Some(times.requests.len() as u32) } else { around };
            request_of.push(request);
            let Some(request) = request else { continue };
            if is_request {
                let known = routes.get(&span.interval.event).cloned();
                let name = known.unwrap_or_else(|| route_name(spans.text(span.interval.name)));
                times.add_request(span, name, &mut numbers);
                // Hosts report a request before the server does: its span is inside theirs.
                let outer = parent.filter(|_| around.is_none()).and_then(|parent| spans.spans().get(parent));
                outer.into_iter().for_each(|outer| times.add_activity(outer.activity, request));
            }
            times.add_activity(span.activity, request);
        }
        for of_activity in times.of_activity.values_mut() {
            of_activity.sort_unstable();
            of_activity.dedup();
        }
        times
    }

    fn add_request(&mut self, span: &SpanOf, name: String, numbers: &mut FastMap<String, u32>) {
        let Self { requests, names, served_alone, .. } = self;
        let route = *numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() as u32 - 1
        });
        let Interval { start, end, thread, .. } = span.interval;
        let request = requests.len() as u32;
        requests.push(Request { start, end, has_end: span.interval.has_end(), route });
        if span.activity.0 == 0 {
            let end = span.interval.last_known();
            served_alone.entry(thread).or_default().push(Serving { start, end, request });
        }
    }

    fn add_activity(&mut self, activity: ActivityId, request: u32) {
        if activity.0 != 0 {
            self.of_activity.entry(activity).or_default().push(request);
        }
    }

    /// Adds a time, until the end of the request at the latest.
    fn add(&mut self, thread: ThreadId, request: u32, start: i64, end: i64) {
        if let Some(of) = self.requests.get(request as usize) {
            self.served.entry(thread).or_default().push(Serving { start, end: end.min(of.end), request });
        }
    }

    /// Returns the names of all routes, by number.
    pub fn route_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the route of the request to which an event belongs: by the event's activity; without one, by its thread.
    /// To a request without an activity belong all events of its thread that belong to no other request.
    pub fn route_at(&self, activity: ActivityId, thread: ThreadId, time: i64) -> Option<u32> {
        let by_thread = || match activity.0 {
            0 => latest(self.served.get(&thread)?, time),
            _ => None,
        };
        let request = self.of_activity_at(activity, time).or_else(by_thread);
        let request = request.or_else(|| latest(self.served_alone.get(&thread)?, time));
        Some(self.requests.get(request? as usize)?.route)
    }

    /// Returns the request in progress of which an activity is a part, or which it contains.
    fn of_activity_at(&self, activity: ActivityId, time: i64) -> Option<u32> {
        let requests = self.of_activity.get(&activity)?;
        let of = |request: &u32| self.requests.get(*request as usize);
        let begun =
            requests.get(..requests.partition_point(|request| of(request).is_some_and(|one| one.start <= time)))?;
        begun.iter().rev().take(MAX_BEGUN).copied().find(|request| of(request).is_some_and(|one| time <= one.end))
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let served = self.served.values().chain(self.served_alone.values()).map(|times| size_of_val(times.as_slice()));
        let of_activity = self.of_activity.values().map(|requests| size_of_val(requests.as_slice()));
        let names = self.names.iter().map(|name| name.len() + size_of::<String>());
        size_of_val(self.requests.as_slice())
            + served.sum::<usize>()
            + of_activity.sum::<usize>()
            + names.sum::<usize>()
    }
}

/// Returns the request that a thread served at a time.
fn latest(times: &[Serving], time: i64) -> Option<u32> {
    let begun = times.get(..times.partition_point(|one| one.start <= time))?;
    begun.iter().rev().take(MAX_BEGUN).find(|one| time <= one.end).map(|one| one.request)
}
