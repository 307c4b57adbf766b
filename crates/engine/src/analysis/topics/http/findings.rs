//! What is wrong with requests and connections: requests fail, connections are opened again and again or take long. Slow
//! requests are in [`super::slow`].

use super::requests::{Connection, Request, StepKind};
use super::{Counted, HttpFacts};
use crate::analysis::topics::shared::evidence::{extent, link, times};
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::{Known, Scope};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Finding, FindingKind, FindingLink, FindingTarget};
use protocol::topics::report::Unit;
use protocol::topics::topic::Topic;

/// Requests that fail are a finding from so many and this share of all on.
const FAILED_REQUESTS: usize = 3;
const FAILED_SHARE: f64 = 0.01;
/// Connections are opened too often from so many and this share of requests on.
const OPENED: usize = 20;
const OPENED_SHARE: f64 = 0.5;
/// Connections have a reason in common if it holds for more than this share of them.
const MOST: f64 = 0.5;
/// Lifetimes that differ no more than this from the median are the same; of shorter ones, nanoseconds, that says nothing.
const SAME_LIFETIME: f64 = 0.2;
const SHORT_LIFETIME: i64 = 500_000_000;
/// Looking up, connecting and encrypting take long from this median on, nanoseconds, and so many.
const SLOW_STEP: i64 = 100_000_000;
const SLOW_STEPS: usize = 5;

impl HttpFacts {
    /// All of them.
    pub(super) fn find(
        &self,
        known: &Known<'_>,
        scope: &Scope<'_>,
        served: &Counted<'_>,
        sent: &Counted<'_>,
    ) -> Vec<Finding> {
        let found = [
            self.slow(known, served),
            self.delayed(served),
            self.cold_start(served),
            self.failed(served, sent),
            self.churn(scope, sent),
            self.slow_steps(scope),
        ];
        found.into_iter().flatten().collect()
    }

    fn failed(&self, served: &Counted<'_>, sent: &Counted<'_>) -> Option<Finding> {
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
        let first = failed.first()?.1;
        Some(Finding {
            kind: FindingKind::FailedRequests,
            title: format!("{} failed", counted(failed.len() as u64, "request")),
            sentence: format!("{} accounts for {} of them; {share} {what}.", name.trim(), count(of.len() as u64)),
            cost: failed.len() as f64,
            unit: Unit::Count,
            cost_words: "failed requests".to_owned(),
            times: spans_of(failed.iter().map(|(_, request)| *request)),
            links: links(&failed, "Show the first failure", first),
            advice: "Open a request to see its exceptions and log messages.".to_owned(),
            weight: failed.len() as f64 / 100.0,
        })
    }

    fn churn(&self, scope: &Scope<'_>, sent: &Counted<'_>) -> Option<Finding> {
        let opened: Vec<_> = self.joined.connections.iter().filter(|one| one.is_sent && scope.has(one.event)).collect();
        if opened.len() < OPENED || (opened.len() as f64) < OPENED_SHARE * sent.len() as f64 {
            return None;
        }
        let steps = self.joined.steps.iter().filter(|step| step.counts(scope) && step.is_whole);
        let total: i64 = steps.map(|step| step.end.saturating_sub(step.start)).sum();
        let when = times(opened.iter().map(|one| Span::new(one.start, one.start.saturating_add(1))).collect());
        let why = Churn::of(&opened);
        Some(Finding {
            kind: FindingKind::ConnectionChurn,
            title: format!(
                "{} opened for {}",
                counted(opened.len() as u64, "new connection"),
                counted(sent.len() as u64, "request")
            ),
            sentence: format!(
                "Most outgoing requests open a new connection instead of reusing one. {}",
                why.evidence(opened.len())
            )
            .trim_end()
            .to_owned(),
            cost: total as f64,
            unit: Unit::Duration,
            cost_words: "DNS, connect and TLS".to_owned(),
            links: extent(&when)
                .map(|span| link("Show on timeline", FindingTarget::Timeline(span)))
                .into_iter()
                .collect(),
            times: when,
            advice: why.advice().to_owned(),
            weight: total as f64 / 1e9,
        })
    }

    fn slow_steps(&self, scope: &Scope<'_>) -> Option<Finding> {
        let mut found: Option<Finding> = None;
        // Connecting also waits for a thread of the pool: how long it takes says less.
        for kind in [StepKind::Lookup, StepKind::Handshake] {
            let steps = || self.joined.steps.iter().filter(|one| one.kind == kind && one.is_whole && one.counts(scope));
            let mut took: Vec<i64> = steps().map(|step| step.end.saturating_sub(step.start)).collect();
            took.sort_unstable();
            let Some(half) = percentile(&took, 0.5).filter(|half| *half >= SLOW_STEP && took.len() >= SLOW_STEPS)
            else {
                continue;
            };
            let total: i64 = took.iter().sum();
            let when = times(steps().map(|step| Span::new(step.start, step.end)).collect());
            let number = counted(took.len() as u64, kind.words());
            let one = Finding {
                kind: FindingKind::SlowConnecting,
                title: format!("{number} took {} each (median)", duration(half)),
                sentence: format!("{} in total; the longest took {}.", duration(total), duration(took[took.len() - 1])),
                cost: total as f64,
                unit: Unit::Duration,
                cost_words: "spent before requests were sent".to_owned(),
                links: extent(&when)
                    .map(|span| link("Show on timeline", FindingTarget::Timeline(span)))
                    .into_iter()
                    .collect(),
                times: when,
                advice: "Reuse connections; check DNS and the server's TLS certificate chain.".to_owned(),
                weight: total as f64 / 1e9,
            };
            if found.as_ref().is_none_or(|before| before.cost < one.cost) {
                found = Some(one);
            }
        }
        found
    }
}

/// Why connections aren't used again.
enum Churn {
    /// So many were open at the same time: there are as many requests at once.
    Parallel(usize),
    /// They were closed after they had lived for this time, nanoseconds.
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
            Self::Parallel(_) => {
                "Limit parallel requests with SocketsHttpHandler.MaxConnectionsPerServer, or use HTTP/2, which needs one \
                 connection."
            }
            Self::Lifetime(_) => {
                "Raise SocketsHttpHandler.PooledConnectionLifetime, or PooledConnectionIdleTimeout if they were idle."
            }
            Self::OneRequest => {
                "Reuse one HttpClient (or IHttpClientFactory), dispose every response, and check that neither side sends \
                 Connection: close."
            }
            Self::Unknown => {
                "Reuse one HttpClient (or IHttpClientFactory), and dispose every response. Check \
                 SocketsHttpHandler.PooledConnectionLifetime, PooledConnectionIdleTimeout and MaxConnectionsPerServer."
            }
        }
    }
}

/// How many connections were open at the same time, at most.
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

pub(super) fn links(requests: &Counted<'_>, words: &str, shown: &Request) -> Vec<FindingLink> {
    let start = requests.iter().map(|(_, request)| request.start).min();
    let end = requests.iter().map(|(_, request)| request.end).max();
    let span = start.zip(end).map(|(start, end)| Span::new(start, end));
    let mut links: Vec<FindingLink> =
        span.map(|span| link("Show on timeline", FindingTarget::Timeline(span))).into_iter().collect();
    links.push(link(words, FindingTarget::Event(shown.event)));
    links.push(link("Open HTTP", FindingTarget::Topic(Topic::Http)));
    links
}
