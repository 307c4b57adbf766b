//! Which thread served which request at which time: what belongs to a request besides the events of its activity.

use super::index::SpanIndex;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::timeline::track::TrackKind;
use std::rc::Rc;

/// Maximum number of overlapping requests on a thread that are examined.
const MAX_OVERLAPPING: usize = 8;

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

impl RequestTimes {
    /// Collects the times of threads in requests: from an event of the request's activity until an event of another
    /// activity on the same thread. While a request awaits, its thread does other work. A request without an activity
    /// is served by the thread on which it begins.
    pub fn new(store: &Store, spans: Rc<SpanIndex>) -> Self {
        let mut times = Self { spans, by_thread: FastMap::default() };
        if times.spans.route_names().next().is_none() {
            return times;
        }
        let mut current: FastMap<ThreadId, (u32, i64)> = FastMap::default();
        for chunk in store.events.chunks() {
            for row in 0..chunk.len() {
                let (activity, thread) = (chunk.activity(row), chunk.thread(row));
                if activity.0 == 0 {
                    continue;
                }
                let time = store.clock.nanos(chunk.ticks(row)).0;
                let request = times.spans.request_during(activity, time);
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
