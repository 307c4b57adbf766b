//! What is wrong with requests: some are far slower than others, some fail, connections are opened again and again.

use super::report::durations;
use super::requests::{Part, PartKind, Request, StepKind};
use super::{Counted, HttpFacts};
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::call_site::{site, site_name};
use crate::analysis::topics::shared::evidence::{extent, link, times};
use crate::analysis::topics::shared::report::percentile;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::FunctionId;
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Finding, FindingKind, FindingLink, FindingTarget};
use protocol::topics::report::Unit;
use protocol::topics::topic::Topic;

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

impl HttpFacts {
    /// All of them.
    pub(super) fn find(
        &self,
        store: &Store,
        scope: &Scope<'_>,
        served: &Counted<'_>,
        sent: &Counted<'_>,
    ) -> Vec<Finding> {
        let found =
            [self.slow(store, served), self.failed(served, sent), self.churn(scope, sent), self.slow_steps(scope)];
        found.into_iter().flatten().collect()
    }

    /// Requests that took far longer than most, and what they waited for.
    fn slow(&self, store: &Store, served: &Counted<'_>) -> Option<Finding> {
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
        let total: i64 = slow.iter().filter_map(|(_, request)| request.duration()).sum();
        let routes = self.by_route(&slow);
        let ((method, route), of) = routes.first()?;
        let name = [self.texts.get(*method), " ", self.texts.get(*route)].concat();
        let waited = self.waited_for(store, &slow).filter(|(_, nanos)| *nanos as f64 >= CAUSE_SHARE * total as f64);
        let waited = waited.map_or_else(String::new, |(name, nanos)| {
            format!(" {} of their time was spent in {name}.", percent(nanos as f64, total as f64))
        });
        Some(Finding {
            kind: FindingKind::SlowRequests,
            title: format!("{} took {} or longer", counted(slow.len() as u64, "request"), duration(limit)),
            sentence: format!(
                "The median is {}. {} of them are {}; the slowest took {}.{waited}",
                duration(half),
                count(of.len() as u64),
                name.trim(),
                duration(longest.duration().unwrap_or(0))
            ),
            cost: total as f64,
            unit: Unit::Duration,
            cost_words: "in slow requests".to_owned(),
            times: spans_of(slow.iter().map(|(_, request)| *request)),
            links: links(&slow, "Show the slowest", longest),
            advice: "Open the slowest request to see where the time went.".to_owned(),
            weight: total as f64 / 1e9,
        })
    }

    /// Of the parts of requests those of one name and call site that took longest together.
    fn waited_for(&self, store: &Store, requests: &Counted<'_>) -> Option<(String, i64)> {
        let mut by_name: FastMap<(u32, Option<FunctionId>), i64> = FastMap::default();
        for (at, _) in requests {
            let of = |part: &Part| part.request < *at;
            let first = self.joined.parts.partition_point(of);
            let parts = self.joined.parts.get(first..)?.iter().take_while(|part| part.request == *at);
            for part in parts.filter(|part| part.kind != PartKind::Log && part.end > part.start) {
                let stack = store.events().row(part.event).stack;
                *by_name.entry((part.name, site(store, stack))).or_default() += part.end.saturating_sub(part.start);
            }
        }
        let ((name, site), nanos) = by_name.into_iter().max_by_key(|(key, nanos)| (*nanos, *key))?;
        let name = self.texts.get(name);
        Some(match site_name(store, site) {
            "" => (format!("“{name}”"), nanos),
            site => (format!("{site} (“{name}”)"), nanos),
        })
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
        let when = times(opened.iter().map(|one| Span::new(one.start, one.start + 1)).collect());
        Some(Finding {
            kind: FindingKind::ConnectionChurn,
            title: format!(
                "{} opened for {}",
                counted(opened.len() as u64, "new connection"),
                counted(sent.len() as u64, "request")
            ),
            sentence: "Most outgoing requests open a new connection instead of reusing one.".to_owned(),
            cost: total as f64,
            unit: Unit::Duration,
            cost_words: "DNS, connect and TLS".to_owned(),
            links: extent(&when)
                .map(|span| link("Show on timeline", FindingTarget::Timeline(span)))
                .into_iter()
                .collect(),
            times: when,
            advice: "Reuse one HttpClient (or IHttpClientFactory), and read or dispose every response.".to_owned(),
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

fn spans_of<'r>(requests: impl Iterator<Item = &'r Request>) -> Vec<Span> {
    times(requests.map(|request| Span::new(request.start, request.end)).collect())
}

fn links(requests: &Counted<'_>, words: &str, shown: &Request) -> Vec<FindingLink> {
    let start = requests.iter().map(|(_, request)| request.start).min();
    let end = requests.iter().map(|(_, request)| request.end).max();
    let span = start.zip(end).map(|(start, end)| Span::new(start, end));
    let mut links: Vec<FindingLink> =
        span.map(|span| link("Show on timeline", FindingTarget::Timeline(span))).into_iter().collect();
    links.push(link(words, FindingTarget::Event(shown.event)));
    links.push(link("Open HTTP", FindingTarget::Topic(Topic::Http)));
    links
}
