//! Findings about requests and connections: failed requests, and connections that are reopened. Slow requests are in
//! [`super::slow`].

use super::requests::{Connection, NONE, Request};
use super::{Counted, HttpFacts, of_event};
use crate::analysis::topics::Scope;
use crate::analysis::topics::exceptions::advice::short_type;
use crate::analysis::topics::shared::durations::ACTIVITIES;
use crate::analysis::topics::shared::evidence::{link, on_timeline, open, times};
use crate::analysis::topics::shared::evidence_text::evidence;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::values::activity_path::path_of;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget, MAX_THREADS, Narrowing};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;

/// Minimum number and share of failed requests for a finding.
const FAILED_REQUESTS: usize = 3;
const FAILED_SHARE: f64 = 0.01;
/// Minimum number of opened connections, and their share of requests, for a finding.
const OPENED: usize = 20;
const OPENED_SHARE: f64 = 0.5;
/// Connections have a common reason if it applies to more than this share of them.
const MOST: f64 = 0.5;
/// Maximum relative deviation from the median for equal lifetimes; shorter lifetimes than these nanoseconds aren't
/// compared.
const SAME_LIFETIME: f64 = 0.2;
const SHORT_LIFETIME: i64 = 500_000_000;

/// Minimum share of requests whose ends are unknown for a finding.
const UNKNOWN_SHARE: f64 = 0.1;

/// Maximum bytes of a condition that names requests, so that the filter has room for others.
const MAX_CONDITION: usize = 3_000;
/// Maximum number of methods and event types in a condition.
const MAX_TYPES: usize = 8;

/// Returns the finding that requests can't be checked, because their ends can't be identified.
fn unknown_durations(served: &Counted<'_>, sent: &Counted<'_>) -> Option<Finding> {
    let all = served.len() + sent.len();
    let unknown = served.iter().chain(sent).filter(|(_, request)| request.has_unsure_end).count();
    if unknown == 0 || (unknown as f64) < UNKNOWN_SHARE * all as f64 {
        return None;
    }
    let of = counted(all as u64, "request");
    let requests = counted(unknown as u64, "request");
    Some(Finding {
        title: format!("Durations of {requests} are unknown"),
        sentence: format!("{} of {of} have no activity ID, so start and stop can't be paired.", count(unknown as u64)),
        links: vec![open(Topic::Http)],
        advice: format!("Also enable {ACTIVITIES}."),
        details: "Several stop events could belong to each of these requests, so slow requests can't be found."
            .to_owned(),
        ..Finding::new(FindingKind::UnpairedEvents, Cost::count(unknown as u64, "requests"))
    })
}

impl HttpFacts {
    /// Returns all findings except those about slow and delayed requests, which may have another cause.
    pub(super) fn find(
        &self,
        store: &Store,
        scope: &Scope<'_>,
        served: &Counted<'_>,
        sent: &Counted<'_>,
    ) -> Vec<Finding> {
        let found = [
            self.cold_start(store, served),
            self.failed(store, served, sent),
            self.churn(scope, sent),
            unknown_durations(served, sent),
        ];
        found.into_iter().flatten().collect()
    }

    fn failed(&self, store: &Store, served: &Counted<'_>, sent: &Counted<'_>) -> Option<Finding> {
        let failed_of = |requests: &Counted<'_>| requests.iter().filter(|(_, request)| request.is_failed()).count();
        // A request that is both outgoing and incoming here counts once.
        let (requests, what) = match failed_of(served) {
            0 => (sent, "of outgoing requests failed or returned 5xx"),
            _ => (served, "of incoming requests returned 5xx"),
        };
        let failed: Counted<'_> = requests.iter().copied().filter(|(_, request)| request.is_failed()).collect();
        let is_much = failed.len() as f64 >= FAILED_SHARE * requests.len() as f64;
        if failed.len() < FAILED_REQUESTS || !is_much {
            return None;
        }
        let routes = self.by_route(&failed);
        let ((method, route), of) = routes.first()?;
        let name = [self.texts.get(*method), " ", self.texts.get(*route)].concat();
        let share = percent(failed.len() as f64, requests.len() as f64);
        let of = all_or_count(of.len(), failed.len());
        let longest = failed.iter().max_by_key(|(_, request)| request.duration())?.1;
        let mut thrown: FastMap<u32, u64> = FastMap::default();
        for (_, request) in failed.iter().filter(|(_, request)| request.exception != NONE) {
            *thrown.entry(request.exception).or_default() += 1;
        }
        let thrown = thrown.into_iter().max_by_key(|(name, number)| (*number, Reverse(*name)));
        let (thrown, details) = thrown.map_or_else(Default::default, |(name, number)| {
            let type_name = self.texts.get(name);
            (format!(", {} with {}", count(number), short_type(type_name)), format!("{type_name} was thrown."))
        });
        Some(Finding {
            title: format!("{} failed", counted(failed.len() as u64, "request")),
            sentence: evidence(format!("{of} are {}", name.trim()), [thrown.clone()]),
            times: spans_of(failed.iter().map(|(_, request)| *request)),
            threads: threads_of(&failed),
            links: links(store, &failed, longest, ("status", "")),
            advice: match (failed.iter().any(|(_, request)| !request.is_sent), thrown.is_empty()) {
                (true, false) => "Catch the exception, or add an IExceptionHandler.".to_owned(),
                (true, true) => "Check why the endpoint returns 5xx.".to_owned(),
                (false, _) => "Retry with AddStandardResilienceHandler.".to_owned(),
            },
            details: format!("{share} {what}. {details}").trim_end().to_owned(),
            ..Finding::new(FindingKind::FailedRequests, Cost::count(failed.len() as u64, "failed requests"))
        })
    }

    fn churn(&self, scope: &Scope<'_>, sent: &Counted<'_>) -> Option<Finding> {
        let opened: Vec<_> = self.joined.connections.iter().filter(|one| one.is_sent && scope.has(one.event)).collect();
        if opened.len() < OPENED || (opened.len() as f64) < OPENED_SHARE * sent.len() as f64 {
            return None;
        }
        let steps = self.joined.steps.iter().filter(|step| step.counts(scope) && step.is_whole);
        let total = steps.map(|step| step.end.saturating_sub(step.start)).fold(0, i64::saturating_add);
        let connections = counted(opened.len() as u64, "new connection");
        let requests = counted(sent.len() as u64, "request");
        // Without events of the steps, their duration is unknown.
        let cost = match total {
            0 => Cost::count(opened.len() as u64, "new connections"),
            _ => Cost::time(total, "DNS, connect and TLS"),
        };
        let why = Churn::of(&opened);
        let when = times(opened.iter().map(|one| Span::new(one.start, one.start.saturating_add(1))).collect());
        Some(Finding {
            title: match total {
                0 => format!("{connections} were opened for {requests}"),
                _ => format!("Opening {connections} took {}", cost.size()),
            },
            sentence: match why.evidence(opened.len()) {
                reason if reason.is_empty() => format!("{connections} served {requests}."),
                reason => reason,
            },
            links: on_timeline(&when).into_iter().collect(),
            times: when,
            advice: why.advice().to_owned(),
            details: format!(
                "{connections} were opened for {requests}: most outgoing requests opened a new one instead of reusing one.{}",
                why.details()
            ),
            ..Finding::new(FindingKind::ConnectionChurn, cost)
        })
    }
}

/// Reason why connections aren't reused.
enum Churn {
    /// Maximum number open at the same time: requests ran in parallel.
    Parallel(usize),
    /// They were closed after this lifetime, in nanoseconds.
    Lifetime(i64),
    /// They were closed after one request.
    OneRequest,
    Unknown,
}

impl Churn {
    fn of(opened: &[&Connection]) -> Self {
        let many = (opened.len() as f64 * MOST) as usize;
        let peak = most_open(opened);
        if peak > many {
            return Self::Parallel(peak);
        }
        let closed = opened.iter().filter(|one| one.end.is_some());
        let mut lives: Vec<i64> = closed.filter_map(|one| Some(one.end?.saturating_sub(one.start))).collect();
        sort_by_key(&mut lives, |nanos| *nanos);
        let Some(half) = percentile(&lives, 0.5).filter(|_| lives.len() > many) else { return Self::Unknown };
        let is_near = |nanos: &&i64| (**nanos - half).abs() as f64 <= SAME_LIFETIME * half as f64;
        let once = opened.iter().filter(|one| one.end.is_some() && one.requests <= 1).count();
        match (once > many, lives.iter().filter(is_near).count() > many) {
            (_, true) if half >= SHORT_LIFETIME => Self::Lifetime(half),
            (true, _) => Self::OneRequest,
            _ => Self::Unknown,
        }
    }

    fn evidence(&self, opened: usize) -> String {
        match self {
            Self::Parallel(peak) => format!("{} of {} were open at once.", count(*peak as u64), count(opened as u64)),
            Self::Lifetime(nanos) => format!("Most were closed after {}.", duration(*nanos)),
            Self::OneRequest => "Most were closed after one request.".to_owned(),
            Self::Unknown => String::new(),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Self::Parallel(_) => "Set MaxConnectionsPerServer, or use HTTP/2.",
            Self::Lifetime(_) => "Raise SocketsHttpHandler.PooledConnectionLifetime.",
            Self::OneRequest => "Reuse one HttpClient, and dispose every response.",
            Self::Unknown => "Reuse one HttpClient, or use IHttpClientFactory.",
        }
    }

    /// Returns further advice.
    fn details(&self) -> &'static str {
        match self {
            Self::Parallel(_) => " An HTTP/2 connection serves many requests at once.",
            Self::Lifetime(_) => " If they were idle, raise PooledConnectionIdleTimeout, too.",
            Self::OneRequest => " Check that neither side sends Connection: close.",
            Self::Unknown => {
                " Dispose every response, and check SocketsHttpHandler.PooledConnectionLifetime, \
                 PooledConnectionIdleTimeout and MaxConnectionsPerServer."
            }
        }
    }
}

/// Returns the number of a route's requests in words: "All", "17".
pub(super) fn all_or_count(of_route: usize, all: usize) -> String {
    if of_route == all { "All".to_owned() } else { count(of_route as u64) }
}

/// Returns the maximum number of connections open at the same time.
fn most_open(opened: &[&Connection]) -> usize {
    let mut ends: Vec<i64> = opened.iter().map(|one| one.end.unwrap_or(i64::MAX)).collect();
    let mut starts: Vec<i64> = opened.iter().map(|one| one.start).collect();
    ends.sort_unstable();
    starts.sort_unstable();
    let (mut over, mut most) = (0, 0);
    for (begun, start) in (1usize..).zip(starts) {
        while ends.get(over).is_some_and(|end| *end <= start) {
            over += 1;
        }
        most = most.max(begun.saturating_sub(over));
    }
    most
}

pub(super) fn spans_of<'r>(requests: impl Iterator<Item = &'r Request>) -> Vec<Span> {
    times(requests.map(|request| Span::new(request.start, request.end)).collect())
}

/// Returns threads by the number of requests that they started, in descending order.
pub(super) fn threads_of(requests: &Counted<'_>) -> Vec<ThreadId> {
    let mut threads: FastMap<ThreadId, usize> = FastMap::default();
    requests.iter().for_each(|(_, request)| *threads.entry(request.thread).or_default() += 1);
    let threads = ranked(threads, |number| *number);
    threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect()
}

/// Returns links to requests: all of them in the table, sorted by a column in descending order, and the phases of the
/// longest, or of its caller. `also` is a further condition on their start events.
pub(super) fn links(
    store: &Store,
    requests: &Counted<'_>,
    longest: &Request,
    (column, also): (&str, &str),
) -> Vec<FindingLink> {
    let start = requests.iter().map(|(_, request)| request.start).min();
    let end = requests.iter().map(|(_, request)| request.end).max();
    let span = start.zip(end).map(|(start, end)| Span::new(start, end));
    let timeline = span.map(|span| link("Show on timeline", FindingTarget::Timeline(span)));
    let types = types_condition(store, requests);
    let number = counted(requests.len() as u64, "request");
    let (words, condition) = match also {
        "" => match activities_condition(store, requests) {
            Some(activities) => (format!("View {number}"), format!("{types} {activities}")),
            None => ("View requests".to_owned(), types),
        },
        also => (format!("View {number}"), format!("{types}{also}")),
    };
    let are_sent = requests.iter().all(|(_, request)| request.is_sent);
    let table = if are_sent { "outgoing" } else { "incoming" }.to_owned();
    let column = column.to_owned();
    let of = Narrowing::to(condition);
    let rows = link(&words, FindingTarget::Rows { topic: Topic::Http, table, column, of });
    let of_longest = "View phases of slowest";
    let phases = match path_of(store, store.events.row(longest.event).activity) {
        path if path.is_empty() => link("View slowest request", FindingTarget::Event(longest.event)),
        path => {
            let (table, column) = ("parts".to_owned(), "durationNs".to_owned());
            let of = Narrowing::to(format!("activity:{}", word(&path)));
            link(of_longest, FindingTarget::Rows { topic: Topic::Http, table, column, of })
        }
    };
    timeline.into_iter().chain([rows, phases, open(Topic::Http)]).collect()
}

/// Returns a condition that matches only events of these requests, by activity; `None` if activities are unknown or too
/// many.
fn activities_condition(store: &Store, requests: &Counted<'_>) -> Option<String> {
    let mut conditions = Vec::new();
    let mut bytes = 0;
    for (_, request) in requests {
        let path = path_of(store, store.events.row(request.event).activity);
        if path.is_empty() || bytes > MAX_CONDITION {
            return None;
        }
        let condition = format!("activity={}", word(&path));
        bytes += condition.len() + " or ".len();
        conditions.push(condition);
    }
    Some(format!("({})", conditions.join(" or ")))
}

/// Returns a condition that matches the types of the requests' start events.
fn types_condition(store: &Store, requests: &Counted<'_>) -> String {
    let mut types: Vec<(String, String)> =
        requests.iter().filter_map(|(_, request)| of_event(store, request.event)).collect();
    types.sort_unstable();
    types.dedup();
    types.truncate(MAX_TYPES);
    let one = |(provider, event): &(String, String)| format!("provider={} event={}", word(provider), word(event));
    match types.as_slice() {
        [only] => one(only),
        several => format!("({})", several.iter().map(|of| format!("({})", one(of))).collect::<Vec<_>>().join(" or ")),
    }
}
