//! Which thread served which request at which time: what belongs to a request besides the events of its activity.

use super::index::SpanIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::model::{EventChunk, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::timeline::track::TrackKind;
use std::rc::Rc;

/// Maximum number of overlapping requests on a thread that are examined.
const MAX_OVERLAPPING: usize = 8;
/// Chunks of events per step: about 260,000 events.
const CHUNKS: usize = 4;

/// Times of threads in incoming requests.
#[derive(Debug)]
pub struct RequestTimes {
    spans: Rc<SpanIndex>,
    /// By start.
    by_thread: FastMap<ThreadId, Vec<Serving>>,
}

/// Time in which a thread served a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Serving {
    /// Nanoseconds.
    start: i64,
    /// Nanoseconds.
    end: i64,
    /// Position of the request among the spans.
    request: u32,
}

/// Search for the times of threads in requests, in steps: from an event of the request's activity until an event of
/// another activity on the same thread. While a request awaits, its thread does other work. A request without an
/// activity is served by the thread on which it begins.
#[derive(Debug)]
pub struct RequestTimeSearch {
    times: RequestTimes,
    /// By thread: its request, and since when.
    current: FastMap<ThreadId, (u32, i64)>,
    next_chunk: usize,
}

impl RequestTimeSearch {
    /// Returns a search that has examined nothing.
    pub fn new(spans: Rc<SpanIndex>) -> Self {
        let times = RequestTimes { spans, by_thread: FastMap::default() };
        Self { times, current: FastMap::default(), next_chunk: 0 }
    }

    /// Examines further events for a few milliseconds.
    pub fn step(&mut self, store: &Store) -> Step {
        let chunks = store.events.chunks();
        if self.times.route_names().next().is_none() {
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
            let request = times.spans.request_during(chunk.activity(row), time);
            if request == current.get(&thread).map(|(request, _)| *request) {
                continue;
            }
            if let Some((before, start)) = current.remove(&thread) {
                times.add(thread, before, start, time);
            }
            if let Some(request) = request {
                current.insert(thread, (request, time));
            }
        }
    }

    /// Returns the times.
    pub fn finish(self) -> RequestTimes {
        let Self { mut times, current, .. } = self;
        for (thread, (request, start)) in current {
            times.add(thread, request, start, i64::MAX);
        }
        let spans = times.spans.clone();
        for (request, span) in (0..).zip(spans.spans()) {
            if span.track == Some(TrackKind::IncomingRequests) && span.activity.0 == 0 {
                times.add(span.interval.thread, request, span.interval.start, i64::MAX);
            }
        }
        times.by_thread.values_mut().for_each(|of_thread| sort_by_key(of_thread, |one| one.start));
        times
    }
}

impl RequestTimes {
    /// Adds a time, until the end of the request at the latest.
    fn add(&mut self, thread: ThreadId, request: u32, start: i64, end: i64) {
        let Some(span) = self.spans.spans().get(request as usize) else { return };
        let end = end.min(span.interval.end);
        self.by_thread.entry(thread).or_default().push(Serving { start, end, request });
    }

    /// Returns the names of all routes, by number.
    pub fn route_names(&self) -> impl Iterator<Item = &str> {
        self.spans.route_names()
    }

    /// Returns the route of the request to which an event belongs: by its activity, or else by its thread.
    pub fn route_at(&self, activity: ActivityId, thread: ThreadId, time: i64) -> Option<u32> {
        let request = match activity.0 {
            0 => self.served_by(thread, time),
            _ => self.spans.request_during(activity, time),
        };
        self.spans.route_of(request?)
    }

    fn served_by(&self, thread: ThreadId, time: i64) -> Option<u32> {
        let times = self.by_thread.get(&thread)?;
        let begun = times.get(..times.partition_point(|one| one.start <= time))?;
        let latest = begun.iter().rev().take(MAX_OVERLAPPING);
        latest.copied().find(|one| time <= one.end).map(|one| one.request)
    }

    /// Returns the memory use in bytes, without the spans.
    pub fn bytes(&self) -> usize {
        self.by_thread.values().map(|times| size_of_val(times.as_slice())).sum()
    }
}
