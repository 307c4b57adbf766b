//! Tables of requests.

use super::report::durations_of;
use super::requests::{Connection, NONE, Part, Request, Step};
use super::route::route_condition;
use super::{Counted, HttpFacts};
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::groups::grouped;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::analysis::values::activity_path::path_of;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Maximum number of requests with a condition for their activity, because each condition is a separate text.
const MAX_CONDITIONS: usize = 50_000;

/// Returns the number of a request as displayed.
fn number(position: u32) -> Option<u64> {
    (position != NONE).then_some(u64::from(position) + 1)
}

fn status(request: &Request) -> Option<u16> {
    (request.status != 0).then_some(request.status)
}

/// Sorts requests by duration in descending order; unknown durations come last.
fn slowest_first<'r>(requests: &Counted<'r>) -> Counted<'r> {
    let mut sorted = requests.clone();
    sort_by_key(&mut sorted, |(at, request)| (Reverse(request.duration()), *at));
    sorted
}

fn target_of(store: &Store, request: &Request, rows: usize) -> RowTarget {
    let path = match rows {
        0..=MAX_CONDITIONS => path_of(store, store.events.row(request.event).activity),
        _ => String::new(),
    };
    let condition = if path.is_empty() { path } else { format!("activity:{}", word(&path)) };
    RowTarget::of(request.event).over(Span::new(request.start, request.end.saturating_add(1))).filtered(condition)
}

/// Requests in scope with a common property, and their durations in ascending order.
type Durations<'r> = (Vec<&'r Request>, Vec<i64>);

fn with_durations<K>((key, of): (K, Vec<&Request>)) -> (K, Durations<'_>) {
    let durations = durations_of(of.iter().copied());
    (key, (of, durations))
}

impl HttpFacts {
    pub(super) fn text(&self, position: u32) -> &str {
        if position == NONE { "" } else { self.texts.get(position) }
    }

    /// Groups requests by method and route, by number in descending order.
    pub(super) fn by_route<'r>(&self, requests: &Counted<'r>) -> Vec<((u32, u32), Vec<&'r Request>)> {
        grouped(requests.iter().map(|(_, request)| *request), |one| (one.method, one.route), Vec::len)
    }

    /// Returns the table of incoming requests, the slowest first.
    pub(super) fn incoming_table(&self, store: &Store, served: &Counted<'_>) -> Table {
        Table::of("incoming", "Incoming", &slowest_first(served))
            .numbers("number", "No.", Unit::Identity, |(at, _)| number(*at))
            .numbers("timeNs", "Time", Unit::Moment, |(_, request)| request.start)
            .words("method", "Method", |(_, request)| self.text(request.method))
            .words("path", "Path", |(_, request)| self.text(request.target))
            .words("route", "Route", |(_, request)| self.text(request.route))
            .numbers("status", "Status", Unit::Identity, |(_, request)| status(request))
            .bars("durationNs", "Duration", Unit::Duration, |(_, request)| request.duration())
            .numbers("beforeServerNs", "Before processing", Unit::Duration, |(_, request)| request.before_server())
            .threads("thread", "Thread", store, |(_, request)| request.thread)
            .words("failure", "Error", |(_, request)| self.text(request.failure))
            .words("exception", "Exception", |(_, request)| self.text(request.exception))
            .numbers("askedBy", "Caller", Unit::Identity, |(_, request)| number(request.parent))
            .target(|(_, request)| target_of(store, request, served.len()))
    }

    /// Returns the table of outgoing requests, the slowest first.
    pub(super) fn outgoing_table(&self, store: &Store, sent: &Counted<'_>) -> Table {
        Table::of("outgoing", "Outgoing", &slowest_first(sent))
            .numbers("number", "No.", Unit::Identity, |(at, _)| number(*at))
            .numbers("timeNs", "Time", Unit::Moment, |(_, request)| request.start)
            .words("method", "Method", |(_, request)| self.text(request.method))
            .words("path", "Path", |(_, request)| self.text(request.target))
            .words("host", "Host", |(_, request)| self.text(request.host))
            .numbers("status", "Status", Unit::Identity, |(_, request)| status(request))
            .bars("durationNs", "Duration", Unit::Duration, |(_, request)| request.duration())
            .numbers("queuedNs", "Queued", Unit::Duration, |(_, request)| {
                (request.queued >= 0).then_some(request.queued)
            })
            .numbers("beforeServerNs", "Before processing", Unit::Duration, |(_, request)| request.before_server())
            .threads("thread", "Thread", store, |(_, request)| request.thread)
            .words("failure", "Error", |(_, request)| self.text(request.failure))
            .words("exception", "Exception", |(_, request)| self.text(request.exception))
            .numbers("askedBy", "Parent", Unit::Identity, |(_, request)| number(request.parent))
            .target(|(_, request)| target_of(store, request, sent.len()))
    }

    pub(super) fn routes_table(&self, served: &Counted<'_>) -> Table {
        let routes: Vec<_> = self.by_route(served).into_iter().map(with_durations).collect();
        Table::of("routes", "By route", &routes)
            .words("method", "Method", |((method, _), _)| self.text(*method))
            .words("route", "Route", |((_, route), _)| self.text(*route))
            .bars("count", "Requests", Unit::Count, |(_, (of, _))| of.len())
            .durations(|(_, (_, durations))| durations)
            .numbers("failed", "Failed", Unit::Count, |(_, (of, _))| tally(of, Request::is_failed))
            .numbers("clientErrors", "Status 4xx", Unit::Count, |(_, (of, _))| tally(of, Request::is_client_error))
            .target(|((method, route), (of, _))| target(of, route_condition(self.text(*method), self.text(*route))))
    }

    pub(super) fn hosts_table(&self, scope: &Scope<'_>, sent: &Counted<'_>) -> Table {
        let mut opened: FastMap<u32, u64> = FastMap::default();
        for one in self.joined.connections.iter().filter(|one| one.is_sent && scope.has(one.event)) {
            *opened.entry(one.peer).or_default() += 1;
        }
        let hosts = grouped(sent.iter().map(|(_, request)| *request), |one| one.host, Vec::len);
        let hosts: Vec<_> = hosts.into_iter().map(with_durations).collect();
        Table::of("hosts", "By host", &hosts)
            .words("host", "Host", |(host, _)| self.text(*host))
            .bars("count", "Requests", Unit::Count, |(_, (of, _))| of.len())
            .durations(|(_, (_, durations))| durations)
            .numbers("queuedNs", "Queued", Unit::Duration, |(_, (of, _))| {
                of.iter().map(|request| request.queued.max(0)).sum::<i64>()
            })
            .numbers("connections", "Connections opened", Unit::Count, |(host, _)| {
                opened.get(host).copied().unwrap_or(0)
            })
            .numbers("failed", "Failed", Unit::Count, |(_, (of, _))| tally(of, Request::is_failed))
            .numbers("clientErrors", "Status 4xx", Unit::Count, |(_, (of, _))| tally(of, Request::is_client_error))
            .target(|(host, (of, _))| target(of, host_condition(self.text(*host))))
    }

    pub(super) fn parts_table(&self, store: &Store, scope: &Scope<'_>) -> Table {
        let request_of = |part: &Part| self.joined.requests.get(part.request as usize);
        let parts = self.joined.parts.iter().filter_map(|part| Some((part, request_of(part)?)));
        let parts: Vec<(&Part, &Request)> = parts.filter(|(_, request)| request.counts(scope)).collect();
        Table::of("parts", "Phases", &parts)
            .numbers("request", "Request", Unit::Identity, |(part, _)| number(part.request))
            .words("kind", "Kind", |(part, _)| part.kind.words())
            .words("name", "Name", |(part, _)| self.text(part.name))
            .numbers("offsetNs", "Start offset", Unit::Duration, |(part, of)| part.start.saturating_sub(of.start))
            .places(
                "durationNs",
                "Duration",
                |(part, _)| part.end.saturating_sub(part.start),
                |(_, of)| Span::new(of.start, of.end + 1),
            )
            .threads("thread", "Thread", store, |(part, _)| part.thread)
            .target(|(part, _)| RowTarget::of(part.event).over(Span::new(part.start, part.end + 1)))
    }

    pub(super) fn connections_table(&self, scope: &Scope<'_>) -> Table {
        let is_open = |one: &&Connection| scope.covers(one.event, one.start, one.end.unwrap_or(i64::MAX));
        let connections: Vec<&Connection> = self.joined.connections.iter().filter(is_open).collect();
        Table::of("connections", "Connections", &connections)
            .numbers("timeNs", "Time", Unit::Moment, |one| one.start)
            .words("side", "Direction", |one| if one.is_sent { "opened" } else { "accepted" })
            .words("peer", "Peer", |one| self.text(one.peer))
            .words("version", "Version", |one| self.text(one.version))
            .numbers("requests", "Requests", Unit::Count, |one| one.requests)
            .bars("durationNs", "Lifetime", Unit::Duration, |one| one.end.map(|end| end.saturating_sub(one.start)))
            .numbers("request", "Opened for request", Unit::Identity, |one| number(one.request))
            .target(|one| RowTarget::of(one.event).over(Span::new(one.start, one.end.unwrap_or(one.start) + 1)))
    }

    pub(super) fn steps_table(&self, scope: &Scope<'_>) -> Table {
        let steps: Vec<&Step> = self.joined.steps.iter().filter(|step| step.counts(scope)).collect();
        Table::of("steps", "DNS, connect, TLS", &steps)
            .numbers("timeNs", "Time", Unit::Moment, |step| step.start)
            .words("kind", "Kind", |step| step.kind.words())
            .words("name", "Target", |step| self.text(step.name))
            .bars("durationNs", "Duration", Unit::Duration, |step| {
                step.is_whole.then_some(step.end.saturating_sub(step.start))
            })
            .words("failure", "Error", |step| self.text(step.failure))
            .numbers("request", "Request", Unit::Identity, |step| number(step.request))
            .target(|step| RowTarget::of(step.event).over(Span::new(step.start, step.end + 1)))
    }
}

fn tally(requests: &[&Request], is_wanted: fn(&Request) -> bool) -> usize {
    requests.iter().filter(|request| is_wanted(request)).count()
}

/// Returns a row target with the slowest of several requests, and a condition for all of them.
fn target(requests: &[&Request], condition: String) -> RowTarget {
    let slowest = requests.iter().max_by_key(|request| request.duration().unwrap_or(-1));
    let span = durations::extent(requests.iter().map(|request| (request.start, request.end)));
    RowTarget::of(slowest.map(|request| request.event)).over(span).filtered(condition)
}

/// Returns a condition for the start events of requests to a host such as "http://shop:5080".
fn host_condition(host: &str) -> String {
    let name = host.split_once("://").map_or(host, |(_, rest)| rest);
    match name.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("payload.host={} payload.port={port}", word(name))
        }
        _ => format!("payload.host={}", word(name)),
    }
}
