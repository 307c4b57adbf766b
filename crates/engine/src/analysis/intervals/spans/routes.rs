//! Routes of incoming requests, and the request to which an event or a thread belongs.

use super::index::{SpanIndex, SpanOf};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, ThreadId};
use protocol::columns::Strings;
use protocol::timeline::track::TrackKind;

/// Minimum number of hexadecimal digits for which a part of a path is an ID.
const ID_DIGITS: usize = 12;
/// Maximum number of spans examined of one activity, around one span, and within it.
const MAX_OF_ACTIVITY: usize = 8;
const MAX_ABOVE: usize = 32;
const MAX_WITHIN: usize = 8;

/// Requests by method and route: those of one route have the same number.
#[derive(Debug, Default)]
pub(super) struct Routes {
    /// By number: "GET /orders/{n}".
    names: Vec<String>,
    /// By text of a span.
    of_texts: FastMap<u32, u32>,
    /// The requests that begin on each thread, by start.
    by_thread: FastMap<ThreadId, Vec<u32>>,
}

impl Routes {
    /// Collects the requests among spans, which are ordered by start.
    pub fn new(spans: &[SpanOf], texts: &Strings) -> Self {
        let mut routes = Self::default();
        let mut numbers: FastMap<String, u32> = FastMap::default();
        for (at, span) in (0..).zip(spans).filter(|(_, span)| span.track == Some(TrackKind::IncomingRequests)) {
            let Self { names, of_texts, by_thread } = &mut routes;
            by_thread.entry(span.interval.thread).or_default().push(at);
            of_texts.entry(span.interval.name).or_insert_with(|| {
                let name = route_name(texts.get(span.interval.name as usize));
                *numbers.entry(name).or_insert_with_key(|name| {
                    names.push(name.clone());
                    names.len() as u32 - 1
                })
            });
        }
        routes
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let names: usize = self.names.iter().map(|name| name.len() + size_of::<String>()).sum();
        let requests: usize = self.by_thread.values().map(|of_thread| of_thread.len() * 4).sum();
        names + requests + self.of_texts.len() * size_of::<(u32, u32)>()
    }
}

impl SpanIndex {
    /// Returns the name of a route: "GET /orders/{n}"; empty if the number doesn't exist.
    pub fn route(&self, number: u32) -> &str {
        self.routes().names.get(number as usize).map_or("", String::as_str)
    }

    /// Returns the route of the request around a time in an activity; without a request in the activity, of the
    /// thread's latest request in progress.
    pub fn route_at(&self, activity: ActivityId, thread: ThreadId, at: i64) -> Option<u32> {
        let of_activity = self.begun_in_activity(activity, at).take(MAX_OF_ACTIVITY).filter(|_| activity.0 != 0);
        let request = of_activity.into_iter().find_map(|span| self.request_of(span, at));
        let request = request.or_else(|| self.begun_on(thread, at));
        let name = self.spans().get(request? as usize)?.interval.name;
        self.routes().of_texts.get(&name).copied()
    }

    /// Returns the request that a span is, is part of, or represents.
    fn request_of(&self, span: u32, at: i64) -> Option<u32> {
        let is_request = |span: &u32| {
            self.spans().get(*span as usize).is_some_and(|span| span.track == Some(TrackKind::IncomingRequests))
        };
        let above = || std::iter::once(span).chain(self.above(span).take(MAX_ABOVE));
        above().find(is_request).or_else(|| {
            // Hosts report a request before the server does: its span is inside theirs.
            let after = self.spans().get(span as usize + 1..)?;
            let last = self.spans().get(span as usize)?.interval.end;
            let begun = (span + 1..).zip(after).take_while(|(_, one)| one.interval.start <= at.min(last));
            begun
                .filter(|(_, one)| one.parent == Some(span))
                .take(MAX_WITHIN)
                .map(|(within, _)| within)
                .find(is_request)
        })
    }

    /// Returns the thread's latest request, if in progress.
    fn begun_on(&self, thread: ThreadId, at: i64) -> Option<u32> {
        let requests = self.routes().by_thread.get(&thread)?;
        let interval = |request: u32| self.spans().get(request as usize).map(|span| span.interval);
        let begun = requests.partition_point(|request| interval(*request).is_some_and(|one| one.start <= at));
        let last = *requests.get(begun.checked_sub(1)?)?;
        interval(last).filter(|one| at < one.end).map(|_| last)
    }
}

/// Returns "GET /orders/{n}" for "GET /orders/17?full=1".
pub(crate) fn route_name(request: &str) -> String {
    match request.split_once(' ') {
        Some((method, path)) => [method, " ", &route_of(path)].concat(),
        None => route_of(request),
    }
}

/// Returns the path without its query, with `{id}` for IDs and `{n}` for numbers, so that "/orders/17" and "/orders/18"
/// are one route. Version numbers ("/v2/") stay.
pub(crate) fn route_of(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut route = String::with_capacity(path.len());
    for (at, part) in path.split('/').enumerate() {
        if at > 0 {
            route.push('/');
        }
        write_part(&mut route, part);
    }
    if route.is_empty() { "/".to_owned() } else { route }
}

fn write_part(route: &mut String, part: &str) {
    let digits = part.bytes().filter(u8::is_ascii_hexdigit).count();
    let is_id = digits >= ID_DIGITS
        && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && part.bytes().any(|byte| byte.is_ascii_digit());
    let is_version = part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if is_id && !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return route.push_str("{id}");
    }
    if is_version {
        return route.push_str(part);
    }
    let mut is_number = false;
    for character in part.chars() {
        if !character.is_ascii_digit() {
            route.push(character);
        } else if !is_number {
            route.push_str("{n}");
        }
        is_number = character.is_ascii_digit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_paths_are_replaced() {
        let cases = [
            ("/orders/17?full=1", "/orders/{n}"),
            ("/inventory/item-4", "/inventory/item-{n}"),
            ("/v2/users/8f14e45f-ceea-467f-a8d1-6e2f3b6a1c55/photo", "/v2/users/{id}/photo"),
            ("/fast", "/fast"),
            ("/", "/"),
            ("", "/"),
            ("/feedfacecafe", "/feedfacecafe"),
        ];
        for (path, route) in cases {
            assert_eq!(route_of(path), route, "{path}");
        }
    }

    #[test]
    fn requests_of_same_route_have_same_name() {
        assert_eq!(route_name("GET /orders/17?full=1"), "GET /orders/{n}");
        assert_eq!(route_name("/legacy"), "/legacy");
    }
}
