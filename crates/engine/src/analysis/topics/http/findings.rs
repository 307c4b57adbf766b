//! What is wrong with requests: some are far slower than others, some fail, connections are opened again and again.

use super::report::durations;
use super::requests::{NONE, Part, PartKind, Request, StepKind};
use super::{Counted, HttpFacts, of_event};
use crate::analysis::topics::shared::call_site::{Site, SiteNames, Sites};
use crate::analysis::topics::shared::evidence::{extent, link, times};
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::{Known, Scope};
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

/// What requests waited for is named as a cause from this share of their time on.
const CAUSE_SHARE: f64 = 0.2;
/// A request is slow that takes so long, nanoseconds, and so many times as long as half of all do.
const SLOW: i64 = 500_000_000;
const SLOWER: i64 = 5;
/// So many of them are a pattern.
const SLOW_REQUESTS: usize = 3;
/// Requests that fail are a finding from so many and this share of all on.
const FAILED_REQUESTS: usize = 3;
const FAILED_SHARE: f64 = 0.01;
/// Connections are opened too often from so many and this share of requests on.
const OPENED: usize = 20;
const OPENED_SHARE: f64 = 0.5;
/// Looking up, connecting and encrypting take long from this median on, nanoseconds, and so many.
const SLOW_STEP: i64 = 100_000_000;
const SLOW_STEPS: usize = 5;

/// Slow requests are the effect of something that took this share of their time.
const EFFECT_SHARE: f64 = 0.5;
/// Bytes of a condition that names requests: the filter still has room for others.
const MAX_CONDITION: usize = 3_000;
/// Types of events that a condition names.
const MAX_TYPES: usize = 8;

impl HttpFacts {
    /// All but slow requests, which may be the effect of something else.
    pub(super) fn find(
        &self,
        known: &Known<'_>,
        scope: &Scope<'_>,
        served: &Counted<'_>,
        sent: &Counted<'_>,
    ) -> Vec<Finding> {
        let found = [self.failed(known.store, served, sent), self.churn(scope, sent), self.slow_steps(scope)];
        found.into_iter().flatten().collect()
    }

    /// Requests that took far longer than most, and what they waited for. Time that another finding explains counts there:
    /// such requests are counted, not their time.
    pub(super) fn slow(&self, known: &Known<'_>, served: &Counted<'_>, causes: &[Finding]) -> Option<Finding> {
        let all = durations(served.iter().map(|(_, request)| *request));
        let half = percentile(&all, 0.5)?;
        let limit = SLOW.max(half.saturating_mul(SLOWER));
        let slow: Counted<'_> = served
            .iter()
            .copied()
            .filter(|(_, request)| request.duration().is_some_and(|took| took >= limit))
            .collect();
        if slow.len() < SLOW_REQUESTS {
            return None;
        }
        let longest = slow.iter().max_by_key(|(_, request)| request.duration())?.1;
        let total = slow.iter().filter_map(|(_, request)| request.duration()).fold(0, i64::saturating_add);
        let routes = self.by_route(&slow);
        let ((method, route), of) = routes.first()?;
        let name = [self.texts.get(*method), " ", self.texts.get(*route)].concat();
        let waited = self.waited_for((known.sites(), known.site_names()), &slow);
        let waited = waited.filter(|(_, nanos)| *nanos as f64 >= CAUSE_SHARE * total as f64);
        let cause = Cause::of(&slow, total, waited.as_ref().map_or(0, |(_, nanos)| *nanos), causes);
        let mut sentence = format!(
            "{} of them are {}; the slowest took {}, the median of all requests is {}.",
            count(of.len() as u64),
            name.trim(),
            duration(longest.duration().unwrap_or(0)),
            duration(half)
        );
        if let Some((name, nanos)) = &waited {
            sentence += &format!(" {} of their time was spent in {name}.", percent(*nanos as f64, total as f64));
        }
        if let Some(cause) = &cause {
            sentence += &cause.sentence();
        }
        let cost = match cause {
            Some(_) => Cost::count(slow.len() as u64, "slow requests"),
            None => Cost::time(total, "in slow requests"),
        };
        let number = counted(slow.len() as u64, "request");
        Some(Finding {
            title: match cause {
                Some(_) => format!("{number} took {} or longer", duration(limit)),
                None => format!("Slow requests took {}: {number} of {} or longer", cost.size(), duration(limit)),
            },
            sentence,
            times: spans_of(slow.iter().map(|(_, request)| *request)),
            threads: threads_of(&slow),
            links: links(known.store, &slow, longest, &format!(" dur>={limit}ns")),
            advice: match (&cause, &waited) {
                (Some(cause), _) => cause.advice().to_owned(),
                (None, Some((name, _))) => format!(
                    "Shorten what they wait for in {name}: use async I/O, run independent calls with Task.WhenAll, and \
                     set timeouts (CancellationTokenSource.CancelAfter)."
                ),
                (None, None) => "Use async I/O in the endpoint, run independent calls with Task.WhenAll, and set \
                     timeouts (CancellationTokenSource.CancelAfter)."
                    .to_owned(),
            },
            ..Finding::new(FindingKind::SlowRequests, cost)
        })
    }

    /// Of the parts of requests those of one name and call site that took longest together.
    fn waited_for(
        &self,
        (mut sites, names): (Sites<'_>, SiteNames<'_>),
        requests: &Counted<'_>,
    ) -> Option<(String, i64)> {
        let mut by_name: FastMap<(u32, Site), i64> = FastMap::default();
        for (at, _) in requests {
            let of = |part: &Part| part.request < *at;
            let first = self.joined.parts.partition_point(of);
            let parts = self.joined.parts.get(first..)?.iter().take_while(|part| part.request == *at);
            for part in parts.filter(|part| part.kind != PartKind::Log && part.end > part.start) {
                *by_name.entry((part.name, sites.of_event(part.event))).or_default() +=
                    part.end.saturating_sub(part.start);
            }
        }
        let ((name, site), nanos) = by_name.into_iter().max_by_key(|(key, nanos)| (*nanos, *key))?;
        let name = self.texts.get(name);
        Some(match names.phrase(site).as_str() {
            "" => (format!("“{name}”"), nanos),
            site => (format!("{site} (“{name}”)"), nanos),
        })
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
        let longest = failed.iter().max_by_key(|(_, request)| request.duration())?.1;
        let mut thrown: FastMap<u32, u64> = FastMap::default();
        for (_, request) in failed.iter().filter(|(_, request)| request.exception != NONE) {
            *thrown.entry(request.exception).or_default() += 1;
        }
        let thrown = thrown.into_iter().max_by_key(|(name, number)| (*number, Reverse(*name)));
        let thrown = thrown.map_or_else(String::new, |(name, number)| {
            format!(" {} was thrown in {}.", self.texts.get(name), count(number))
        });
        Some(Finding {
            title: format!("{} failed", counted(failed.len() as u64, "request")),
            sentence: format!(
                "{} accounts for {} of them; {share} {what}.{thrown}",
                name.trim(),
                count(of.len() as u64)
            ),
            times: spans_of(failed.iter().map(|(_, request)| *request)),
            threads: threads_of(&failed),
            links: links(store, &failed, longest, ""),
            advice: match failed.iter().any(|(_, request)| !request.is_sent) {
                true => "Handle the exception in the endpoint, or map it to a response in one place \
                     (UseExceptionHandler, IExceptionHandler)."
                    .to_owned(),
                false => "Set HttpClient.Timeout, and retry what is safe to repeat (AddStandardResilienceHandler)."
                    .to_owned(),
            },
            ..Finding::new(FindingKind::FailedRequests, Cost::count(failed.len() as u64, "failed requests"))
        })
    }

    fn churn(&self, scope: &Scope<'_>, sent: &Counted<'_>) -> Option<Finding> {
        let opened: Vec<_> = self.joined.connections.iter().filter(|one| one.is_sent && scope.has(one.event)).collect();
        if opened.len() < OPENED || (opened.len() as f64) < OPENED_SHARE * sent.len() as f64 {
            return None;
        }
        let steps = self.joined.steps.iter().filter(|step| scope.has(step.event) && step.is_whole);
        let total = steps.map(|step| step.end.saturating_sub(step.start)).fold(0, i64::saturating_add);
        let connections = counted(opened.len() as u64, "new connection");
        let requests = counted(sent.len() as u64, "request");
        // Without events of the steps nobody knows how long it took.
        let cost = match total {
            0 => Cost::count(opened.len() as u64, "new connections"),
            _ => Cost::time(total, "DNS, connect and TLS"),
        };
        let when = times(opened.iter().map(|one| Span::new(one.start, one.start.saturating_add(1))).collect());
        Some(Finding {
            title: match total {
                0 => format!("{connections} opened for {requests}"),
                _ => format!("Opening {connections} took {}", cost.size()),
            },
            sentence: format!(
                "{connections} were opened for {requests}: most outgoing requests open one instead of reusing one."
            ),
            links: extent(&when)
                .map(|span| link("Show on timeline", FindingTarget::Timeline(span)))
                .into_iter()
                .collect(),
            times: when,
            advice: "Reuse one HttpClient (or IHttpClientFactory), and read or dispose every response.".to_owned(),
            ..Finding::new(FindingKind::ConnectionChurn, cost)
        })
    }

    fn slow_steps(&self, scope: &Scope<'_>) -> Option<Finding> {
        let mut found: Option<Finding> = None;
        // Connecting also waits for a thread of the pool: how long it takes says less.
        for kind in [StepKind::Lookup, StepKind::Handshake] {
            let steps =
                || self.joined.steps.iter().filter(|one| one.kind == kind && one.is_whole && scope.has(one.event));
            let mut took: Vec<i64> = steps().map(|step| step.end.saturating_sub(step.start)).collect();
            took.sort_unstable();
            let Some(half) = percentile(&took, 0.5).filter(|half| *half >= SLOW_STEP && took.len() >= SLOW_STEPS)
            else {
                continue;
            };
            let total = took.iter().copied().fold(0, i64::saturating_add);
            let cost = Cost::time(total, "spent before requests were sent");
            let when = times(steps().map(|step| Span::new(step.start, step.end)).collect());
            let number = counted(took.len() as u64, kind.words());
            let one = Finding {
                title: format!("{number} took {}", cost.size()),
                sentence: format!(
                    "The median is {}; the longest took {}.",
                    duration(half),
                    duration(took.last().copied().unwrap_or(0))
                ),
                links: extent(&when)
                    .map(|span| link("Show on timeline", FindingTarget::Timeline(span)))
                    .into_iter()
                    .collect(),
                times: when,
                advice:
                    "Reuse connections: one HttpClient with SocketsHttpHandler.PooledConnectionLifetime. Check DNS and \
                     the server's certificate chain."
                        .to_owned(),
                ..Finding::new(FindingKind::SlowConnecting, cost)
            };
            if found.as_ref().is_none_or(|before| before.cost.value < one.cost.value) {
                found = Some(one);
            }
        }
        found
    }
}

fn spans_of<'r>(requests: impl Iterator<Item = &'r Request>) -> Vec<Span> {
    times(requests.map(|request| Span::new(request.start, request.end)).collect())
}

/// Threads by how many of the requests they began, most first.
fn threads_of(requests: &Counted<'_>) -> Vec<ThreadId> {
    let mut threads: FastMap<ThreadId, usize> = FastMap::default();
    requests.iter().for_each(|(_, request)| *threads.entry(request.thread).or_default() += 1);
    let mut threads: Vec<(ThreadId, usize)> = threads.into_iter().collect();
    sort_by_key(&mut threads, |(thread, number)| (Reverse(*number), *thread));
    threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect()
}

/// Links to requests: all of them in the table, and the phases of the longest. `also` is a further condition that holds for
/// the events that they begin with, and for no other of their types; without one they are named by their activities.
fn links(store: &Store, requests: &Counted<'_>, longest: &Request, also: &str) -> Vec<FindingLink> {
    let start = requests.iter().map(|(_, request)| request.start).min();
    let end = requests.iter().map(|(_, request)| request.end).max();
    let span = start.zip(end).map(|(start, end)| Span::new(start, end));
    let timeline = span.map(|span| link("Show on timeline", FindingTarget::Timeline(span)));
    let types = types_condition(store, requests);
    let number = counted(requests.len() as u64, "request");
    let (words, condition) = match also {
        "" => match activities_condition(store, requests) {
            Some(activities) => (format!("View {number}"), format!("{types} {activities}")),
            None => ("View the requests".to_owned(), types),
        },
        also => (format!("View {number}"), format!("{types}{also}")),
    };
    let (table, column) = ("requests".to_owned(), "durationNs".to_owned());
    let of = Narrowing::to(condition);
    let rows = link(&words, FindingTarget::Rows { topic: Topic::Http, table, column, of });
    let of_longest = "Show phases of the slowest";
    let phases = match path_of(store, store.events().row(longest.event).activity) {
        path if path.is_empty() => link("Show the slowest", FindingTarget::Event(longest.event)),
        path => {
            let (table, column) = ("parts".to_owned(), "durationNs".to_owned());
            let of = Narrowing::to(format!("activity:{}", word(&path)));
            link(of_longest, FindingTarget::Rows { topic: Topic::Http, table, column, of })
        }
    };
    timeline.into_iter().chain([rows, phases, link("Open HTTP", FindingTarget::Topic(Topic::Http))]).collect()
}

/// A condition that holds for the events of these requests only, by their activities; none if these aren't known, or are too
/// many for a condition.
fn activities_condition(store: &Store, requests: &Counted<'_>) -> Option<String> {
    let mut conditions = Vec::new();
    let mut bytes = 0;
    for (_, request) in requests {
        let path = path_of(store, store.events().row(request.event).activity);
        if path.is_empty() || bytes > MAX_CONDITION {
            return None;
        }
        let condition = format!("activity={}", word(&path));
        bytes += condition.len() + " or ".len();
        conditions.push(condition);
    }
    Some(format!("({})", conditions.join(" or ")))
}

/// A condition that holds for the types of the events that requests begin with.
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

/// What slow requests are the effect of.
struct Cause {
    kind: FindingKind,
    /// Share of their time.
    share: f64,
}

impl Cause {
    /// The finding that most of the time of slow requests counts for already: a pool that starved meanwhile, or locks and
    /// tasks that they waited for themselves, for `waited` of their `total` time.
    fn of(slow: &Counted<'_>, total: i64, waited: i64, causes: &[Finding]) -> Option<Self> {
        let starved = causes.iter().find(|one| one.kind == FindingKind::PoolStarvation).map(|one| {
            let overlap = |request: &Request| {
                let span = Span::new(request.start, request.end);
                one.times
                    .iter()
                    .filter_map(|time| time.intersect(span))
                    .map(|part| part.duration())
                    .fold(0, i64::saturating_add)
            };
            (one.kind, slow.iter().map(|(_, request)| overlap(request)).fold(0, i64::saturating_add))
        });
        let is_waiting = |one: &&Finding| matches!(one.kind, FindingKind::SyncOverAsync | FindingKind::LockConvoy);
        let own = causes.iter().find(is_waiting).map(|one| (one.kind, waited));
        let (kind, nanos) = starved.into_iter().chain(own).max_by_key(|(kind, nanos)| (*nanos, Reverse(*kind)))?;
        let share = nanos as f64 / total.max(1) as f64;
        (share >= EFFECT_SHARE).then_some(Self { kind, share })
    }

    fn sentence(&self) -> String {
        let cause = match self.kind {
            FindingKind::PoolStarvation => "thread pool starvation, during",
            FindingKind::SyncOverAsync => "sync-over-async, for",
            _ => "lock contention, for",
        };
        format!(" Likely cause: {cause} {} of their time.", percent(self.share, 1.0))
    }

    fn advice(&self) -> &'static str {
        match self.kind {
            FindingKind::PoolStarvation | FindingKind::SyncOverAsync => {
                "Free the pool's workers first: use await instead of .Result and .Wait()."
            }
            _ => "Shorten the lock first: move I/O and allocation out of the critical section.",
        }
    }
}
