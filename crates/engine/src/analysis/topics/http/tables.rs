//! Tables of requests.

use super::report::durations_of;
use super::requests::{Connection, NONE, Part, Request};
use super::route::route_condition;
use super::{Counted, HttpFacts};
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use crate::analysis::topics::shared::thread_names::ThreadNames;
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
fn number(position: u32) -> Cell<'static> {
    if position == NONE { Cell::Nothing } else { (u64::from(position) + 1).into() }
}

fn status(request: &Request) -> Cell<'static> {
    if request.status == 0 { Cell::Nothing } else { u64::from(request.status).into() }
}

/// Sorts requests by duration in descending order; unknown durations come last.
fn slowest_first<'r>(requests: &Counted<'r>) -> Counted<'r> {
    let mut sorted = requests.clone();
    sort_by_key(&mut sorted, |(at, request)| (Reverse(request.duration()), *at));
    sorted
}

/// Adds a row about a request, which represents `of` requests.
fn push_request(table: &mut Table, store: &Store, cells: &[Cell<'_>], request: &Request, of: usize) {
    let path = match of {
        0..=MAX_CONDITIONS => path_of(store, store.events().row(request.event).activity),
        _ => String::new(),
    };
    let condition = if path.is_empty() { path } else { format!("activity:{}", word(&path)) };
    let span = Some(Span::new(request.start, request.end.saturating_add(1)));
    table.push(cells, RowTarget { event: Some(request.event), span, condition: &condition });
}

impl HttpFacts {
    pub(super) fn text(&self, position: u32) -> &str {
        if position == NONE { "" } else { self.texts.get(position) }
    }

    /// Groups requests by method and route, in no particular order.
    pub(super) fn by_route<'r>(&self, requests: &Counted<'r>) -> Vec<((u32, u32), Vec<&'r Request>)> {
        let mut by_route: FastMap<(u32, u32), Vec<&'r Request>> = FastMap::default();
        for (_, request) in requests {
            by_route.entry((request.method, request.route)).or_default().push(request);
        }
        let mut routes: Vec<_> = by_route.into_iter().collect();
        sort_by_key(&mut routes, |(route, of)| (Reverse(of.len()), *route));
        routes
    }

    /// Returns the table of incoming requests, the slowest first.
    pub(super) fn incoming_table(&self, store: &Store, served: &Counted<'_>) -> Table {
        let mut table = Table::new("incoming", "Incoming requests")
            .numbers("number", "No.", Unit::Identity)
            .numbers("timeNs", "Time", Unit::Moment)
            .words("method", "Method")
            .words("path", "Path")
            .words("route", "Route")
            .numbers("status", "Status", Unit::Identity)
            .bars("durationNs", "Duration", Unit::Duration)
            .numbers("beforeServerNs", "Before processing", Unit::Duration)
            .words("thread", "Thread")
            .words("failure", "Error")
            .words("exception", "Exception")
            .numbers("askedBy", "Caller", Unit::Identity);
        let mut names = ThreadNames::default();
        for (at, request) in slowest_first(served) {
            let cells = [
                number(at),
                request.start.into(),
                Cell::Text(self.text(request.method)),
                Cell::Text(self.text(request.target)),
                Cell::Text(self.text(request.route)),
                status(request),
                request.duration().into(),
                request.before_server().into(),
                Cell::Text(names.name(store, request.thread)),
                Cell::Text(self.text(request.failure)),
                Cell::Text(self.text(request.exception)),
                number(request.parent),
            ];
            push_request(&mut table, store, &cells, request, served.len());
        }
        table
    }

    /// Returns the table of outgoing requests, the slowest first.
    pub(super) fn outgoing_table(&self, store: &Store, sent: &Counted<'_>) -> Table {
        let mut table = Table::new("outgoing", "Outgoing requests")
            .numbers("number", "No.", Unit::Identity)
            .numbers("timeNs", "Time", Unit::Moment)
            .words("method", "Method")
            .words("path", "Path")
            .words("host", "Host")
            .numbers("status", "Status", Unit::Identity)
            .bars("durationNs", "Duration", Unit::Duration)
            .numbers("queuedNs", "Queued", Unit::Duration)
            .numbers("beforeServerNs", "Before processing", Unit::Duration)
            .words("thread", "Thread")
            .words("failure", "Error")
            .words("exception", "Exception")
            .numbers("askedBy", "Parent", Unit::Identity);
        let mut names = ThreadNames::default();
        for (at, request) in slowest_first(sent) {
            let cells = [
                number(at),
                request.start.into(),
                Cell::Text(self.text(request.method)),
                Cell::Text(self.text(request.target)),
                Cell::Text(self.text(request.host)),
                status(request),
                request.duration().into(),
                (request.queued >= 0).then_some(request.queued).into(),
                request.before_server().into(),
                Cell::Text(names.name(store, request.thread)),
                Cell::Text(self.text(request.failure)),
                Cell::Text(self.text(request.exception)),
                number(request.parent),
            ];
            push_request(&mut table, store, &cells, request, sent.len());
        }
        table
    }

    pub(super) fn routes_table(&self, served: &Counted<'_>) -> Table {
        let table = Table::new("routes", "By route").words("method", "Method").words("route", "Route").bars(
            "count",
            "Requests",
            Unit::Count,
        );
        let mut table = durations::with_columns(table).numbers("failed", "Failed", Unit::Count).numbers(
            "clientErrors",
            "Status 4xx",
            Unit::Count,
        );
        for ((method, route), of) in self.by_route(served) {
            let route = self.text(route);
            let [half, most, nearly_all, longest, total] = durations::cells(&durations_of(of.iter().copied()));
            let cells = [
                Cell::Text(self.text(method)),
                Cell::Text(route),
                (of.len() as u64).into(),
                half,
                most,
                nearly_all,
                longest,
                total,
                tally(&of, Request::is_failed),
                tally(&of, Request::is_client_error),
            ];
            table.push(&cells, target(&of, &route_condition("path", route)));
        }
        table
    }

    pub(super) fn hosts_table(&self, scope: &Scope<'_>, sent: &Counted<'_>) -> Table {
        let table = Table::new("hosts", "By host").words("host", "Host").bars("count", "Requests", Unit::Count);
        let mut table = durations::with_columns(table)
            .numbers("queuedNs", "Queued", Unit::Duration)
            .numbers("connections", "Connections opened", Unit::Count)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("clientErrors", "Status 4xx", Unit::Count);
        let mut opened: FastMap<u32, u64> = FastMap::default();
        for one in self.joined.connections.iter().filter(|one| one.is_sent && scope.has(one.event)) {
            *opened.entry(one.peer).or_default() += 1;
        }
        let mut hosts: FastMap<u32, Vec<&Request>> = FastMap::default();
        for (_, request) in sent {
            hosts.entry(request.host).or_default().push(request);
        }
        let mut hosts: Vec<(u32, Vec<&Request>)> = hosts.into_iter().collect();
        sort_by_key(&mut hosts, |(host, of)| (Reverse(of.len()), *host));
        for (host, of) in hosts {
            let opened = opened.get(&host).copied().unwrap_or(0);
            let queued: i64 = of.iter().map(|request| request.queued.max(0)).sum();
            let [half, most, nearly_all, longest, total] = durations::cells(&durations_of(of.iter().copied()));
            let cells = [
                Cell::Text(self.text(host)),
                (of.len() as u64).into(),
                half,
                most,
                nearly_all,
                longest,
                total,
                queued.into(),
                opened.into(),
                tally(&of, Request::is_failed),
                tally(&of, Request::is_client_error),
            ];
            table.push(&cells, target(&of, &host_condition(self.text(host))));
        }
        table
    }

    pub(super) fn parts_table(&self, store: &Store, scope: &Scope<'_>) -> Table {
        let mut table = Table::new("parts", "Request phases")
            .numbers("request", "Request", Unit::Identity)
            .words("kind", "Kind")
            .words("name", "Name")
            .numbers("offsetNs", "Start offset", Unit::Duration)
            .places("durationNs", "Duration")
            .words("thread", "Thread");
        let mut names = ThreadNames::default();
        for part in &self.joined.parts {
            let Some(request) = self.joined.requests.get(part.request as usize).filter(|of| of.counts(scope)) else {
                continue;
            };
            let Part { start, end, .. } = *part;
            let cells = [
                number(part.request),
                Cell::Text(part.kind.words()),
                Cell::Text(self.text(part.name)),
                start.saturating_sub(request.start).into(),
                end.saturating_sub(start).into(),
                Cell::Text(names.name(store, part.thread)),
            ];
            let (span, within) = (Span::new(start, end + 1), Span::new(request.start, request.end + 1));
            let target = RowTarget { event: Some(part.event), span: Some(span), condition: "" };
            table.push_within(&cells, target, within);
        }
        table
    }

    pub(super) fn connections_table(&self, scope: &Scope<'_>) -> Table {
        let mut table = Table::new("connections", "Connections")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("side", "Direction")
            .words("peer", "Peer")
            .words("version", "Version")
            .numbers("requests", "Requests", Unit::Count)
            .bars("durationNs", "Lifetime", Unit::Duration)
            .numbers("request", "Opened for request", Unit::Identity);
        let is_open = |one: &&Connection| scope.covers(one.event, one.start, one.end.unwrap_or(i64::MAX));
        for one in self.joined.connections.iter().filter(is_open) {
            let cells = [
                one.start.into(),
                Cell::Text(if one.is_sent { "opened" } else { "accepted" }),
                Cell::Text(self.text(one.peer)),
                Cell::Text(self.text(one.version)),
                one.requests.into(),
                one.end.map(|end| end.saturating_sub(one.start)).into(),
                number(one.request),
            ];
            let span = Some(Span::new(one.start, one.end.unwrap_or(one.start) + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    pub(super) fn steps_table(&self, scope: &Scope<'_>) -> Table {
        let mut table = Table::new("steps", "DNS, connect, TLS")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("kind", "Kind")
            .words("name", "Target")
            .bars("durationNs", "Duration", Unit::Duration)
            .words("failure", "Error")
            .numbers("request", "Request", Unit::Identity);
        for step in self.joined.steps.iter().filter(|step| step.counts(scope)) {
            let cells = [
                step.start.into(),
                Cell::Text(step.kind.words()),
                Cell::Text(self.text(step.name)),
                step.is_whole.then_some(step.end.saturating_sub(step.start)).into(),
                Cell::Text(self.text(step.failure)),
                number(step.request),
            ];
            let span = Some(Span::new(step.start, step.end + 1));
            table.push(&cells, RowTarget { event: Some(step.event), span, condition: "" });
        }
        table
    }
}

fn tally(requests: &[&Request], is_wanted: fn(&Request) -> bool) -> Cell<'static> {
    (requests.iter().filter(|request| is_wanted(request)).count() as u64).into()
}

/// Returns a row target with the slowest of several requests, and a condition for all of them.
fn target<'t>(requests: &[&Request], condition: &'t str) -> RowTarget<'t> {
    let slowest = requests.iter().max_by_key(|request| request.duration().unwrap_or(-1));
    let span = durations::extent(requests.iter().map(|request| (request.start, request.end)));
    RowTarget { event: slowest.map(|request| request.event), span, condition }
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
