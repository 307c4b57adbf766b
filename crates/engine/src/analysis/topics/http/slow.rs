//! Findings about slow requests: their waits and running code, delays before processing began, and JIT compilation.

use super::findings::{all_or_count, links, spans_of, threads_of};
use super::report::durations_of;
use super::requests::{PartKind, Request};
use super::route::route_text;
use super::{Counted, HttpFacts};
use crate::analysis::topics::shared::call_site::{Site, SiteNames, Sites};
use crate::analysis::topics::shared::cost::THREAD_TIME;
use crate::analysis::topics::shared::evidence::times;
use crate::analysis::topics::shared::evidence_text::evidence;
use crate::analysis::topics::shared::fixes::SHORTER_LOCK;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::waits::findings::AWAIT;
use crate::analysis::topics::{Known, Scope};
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FunctionId, StackId, ThreadId};
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::request::Filter;
use protocol::timeline::thread_state::Activity;
use protocol::topics::finding::{Cost, Finding, FindingKind};
use std::cmp::Reverse;

/// Minimum share of the requests' time for a wait to be named as the cause.
const CAUSE_SHARE: f64 = 0.2;
/// Minimum nanoseconds of a slow request, and minimum multiple of the median.
const SLOW: i64 = 500_000_000;
const SLOWER: i64 = 5;
/// Status of a request that became a WebSocket, which stays open.
const SWITCHING_PROTOCOLS: u16 = 101;
/// Minimum number of slow requests for a finding.
const SLOW_REQUESTS: usize = 3;
/// Minimum nanoseconds before processing began for a request to be delayed.
const DELAYED_EACH: i64 = 100_000_000;
/// Minimum total nanoseconds before processing began, and minimum share of the callers' wait time, for a finding.
const DELAYED: i64 = 1_000_000_000;
const DELAYED_SHARE: f64 = 0.2;
/// Minimum share of a cold request's time in which methods were compiled, and minimum total nanoseconds for a finding.
const COLD_SHARE: f64 = 0.3;
const COLD: i64 = 200_000_000;
/// Minimum share of slow requests' time for another finding to be their cause.
const EFFECT_SHARE: f64 = 0.5;

/// Fixes if the cause is unknown.
const NOT_RECORDED: &str = "Record waits and samples to find the cause.";
const FILTERED: &str = "Clear the filter to find the cause.";

/// Prefix of the web server's code.
const SERVER: &str = "Microsoft.AspNetCore.";

/// Returns the fix if the cause is unknown: a filter hides it, or nothing recorded it.
fn unknown_cause(scope: &Scope<'_>) -> &'static str {
    let is_filtered = Filter { span: None, ..scope.filter.clone() } != Filter::default();
    if is_filtered { FILTERED } else { NOT_RECORDED }
}

impl HttpFacts {
    /// Returns the finding about requests that took far longer than most, with what they waited for. Time that another
    /// finding explains counts there; such requests are counted here without their time.
    pub(super) fn slow(
        &self,
        known: &Known<'_>,
        scope: &Scope<'_>,
        served: &Counted<'_>,
        causes: &[Finding],
    ) -> Option<Finding> {
        let is_request = |(_, request): &&(u32, &Request)| request.status != SWITCHING_PROTOCOLS;
        let served: Counted<'_> = served.iter().filter(is_request).copied().collect();
        let all = durations_of(served.iter().map(|(_, request)| *request));
        let half = percentile(&all, 0.5)?;
        // If most requests are slow, all of these count.
        let limit = if half >= SLOW { SLOW } else { SLOW.max(half.saturating_mul(SLOWER)) };
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
        let is_much = |spent: &Spent| spent.nanos as f64 >= CAUSE_SHARE * total as f64;
        let spent = self.waited_for((known.sites(), known.site_names()), &slow).filter(is_much);
        let spent = spent.or_else(|| self.seen_in(known, &slow).filter(is_much));
        let times = slow.iter().map(|(_, request)| Span::new(request.start, request.end)).collect::<Vec<_>>();
        let waited = spent.as_ref().filter(|spent| spent.how != Spent::RUNNING).map_or(0, |spent| spent.nanos);
        let cause = Cause::of(&times, total, waited, causes);
        // If most requests are slow but nothing shows work or a wait, they may be long polls.
        if half >= SLOW && spent.is_none() && cause.is_none() {
            return None;
        }
        let lead = format!("{} are {}", all_or_count(of.len(), slow.len()), name.trim());
        let place = spent.as_ref().map(|spent| spent.short.as_str()).unwrap_or_default();
        let evidence = match (&cause, &spent) {
            (Some(cause), _) => evidence(lead, [format!("; {} of their {}", cause.share(), cause.words())]),
            (None, Some(Spent { how, nanos, .. })) => {
                let share = percent(*nanos as f64, total as f64);
                evidence(lead, [format!("; {share} of their time {how} {place}")])
            }
            (None, None) => evidence(lead, ["; the cause wasn't recorded".to_owned()]),
        };
        let mut details = format!(
            "The slowest took {}. The median of all requests is {}.",
            duration(longest.duration().unwrap_or(0)),
            duration(half)
        );
        if let Some(Spent { how, place, nanos, .. }) = &spent {
            let share = percent(*nanos as f64, total as f64);
            details += &format!(" Slow requests spent {share} of their time {how} {place}.");
        }
        let cost = match cause {
            Some(_) => Cost::count(slow.len() as u64, "slow requests"),
            None => Cost::time(total, "slow requests"),
        };
        // Waiting before that is a finding of its own.
        let all_callers = self.callers_waiting(&served, limit);
        let is_of_callers = all_callers > slow.len();
        if is_of_callers {
            details += &format!(
                " Including the wait before processing, callers waited {} or longer for {}.",
                duration(limit),
                counted(all_callers as u64, "request")
            );
        }
        let number = counted(slow.len() as u64, "request");
        Some(Finding {
            title: match cause {
                Some(_) if is_of_callers => format!("{number} took {} or longer to process", duration(limit)),
                Some(_) => format!("{number} took {} or longer", duration(limit)),
                None => format!("{number} of {} or longer took {} in total", duration(limit), cost.size()),
            },
            sentence: evidence,
            times: spans_of(slow.iter().map(|(_, request)| *request)),
            threads: threads_of(&slow),
            links: links(known.store, &slow, longest, ("durationNs", &format!(" dur>={limit}ns"))),
            advice: match (&cause, &spent) {
                (Some(cause), _) => cause.advice().to_owned(),
                (None, Some(Spent { how: Spent::RUNNING, .. })) => format!("Speed up {place}."),
                (None, Some(_)) => "Use async I/O, and run independent calls concurrently.".to_owned(),
                (None, None) => unknown_cause(scope).to_owned(),
            },
            details,
            ..Finding::new(FindingKind::SlowRequests, cost)
        })
    }

    /// Returns the number of requests for which their callers in the trace waited at least `limit` nanoseconds.
    fn callers_waiting(&self, served: &Counted<'_>, limit: i64) -> usize {
        let asking = |request: &Request| self.joined.requests.get(request.parent as usize);
        let waited = served.iter().filter_map(|(_, request)| asking(request)?.duration());
        waited.filter(|waited| *waited >= limit).count()
    }

    /// Returns the name and call site with the longest total time among the requests' parts.
    fn waited_for(&self, (mut sites, names): (Sites<'_>, SiteNames<'_>), requests: &Counted<'_>) -> Option<Spent> {
        let mut by_name: FastMap<(u32, Site), i64> = FastMap::default();
        for (at, _) in requests {
            for part in self.parts_of(*at).iter().filter(|part| part.kind != PartKind::Log && part.end > part.start) {
                let sum = by_name.entry((part.name, sites.of_event(part.event))).or_default();
                *sum = sum.saturating_add(part.end.saturating_sub(part.start));
            }
        }
        let ((name, site), nanos) = by_name.into_iter().max_by_key(|(key, nanos)| (*nanos, *key))?;
        let name = self.texts.get(name);
        let (place, short) = match (names.phrase(site), names.short(site)) {
            (site, _) if site.is_empty() => (format!("“{name}”"), format!("“{name}”")),
            (site, short) => (format!("{site} (“{name}”)"), short),
        };
        Some(Spent { how: "in", place, short, nanos })
    }

    /// Returns where samples saw the requests' threads most of the time.
    fn seen_in(&self, known: &Known<'_>, requests: &Counted<'_>) -> Option<Spent> {
        let store = known.store;
        let mut starts: FastMap<ThreadId, Vec<i64>> = FastMap::default();
        for request in self.joined.requests.iter().filter(|request| !request.is_sent) {
            starts.entry(request.thread).or_default().push(request.start);
        }
        starts.values_mut().for_each(|starts| starts.sort_unstable());
        let mut sites = known.sites();
        // By call site: total nanoseconds, and those in which the thread ran.
        let mut seen: FastMap<Site, (i64, i64)> = FastMap::default();
        for (_, request) in requests {
            // An asynchronous request leaves its thread, which then does other work.
            let anchors = server_functions(store, store.events.row(request.event).stack);
            let others = starts.get(&request.thread).map_or(&[][..], Vec::as_slice);
            let next = others.get(others.partition_point(|start| *start <= request.start)).copied();
            let until = next.unwrap_or(i64::MAX).min(request.end).max(request.start);
            let samples = known.samples.thread(request.thread);
            for index in samples.inside(Span::new(request.start, until)) {
                let (stack, activity) = (samples.stack(index), samples.activity(index));
                if activity == Some(Activity::Idle) || !has_any(store, stack, &anchors) {
                    continue;
                }
                let Some(site) = sites.of_thread(request.thread, samples.time(index), stack).known() else { continue };
                let nanos = samples.weight(index).min(until.saturating_sub(samples.time(index))).max(0);
                let (all, ran) = seen.entry(site).or_default();
                *all = all.saturating_add(nanos);
                if activity == Some(Activity::Running) {
                    *ran = ran.saturating_add(nanos);
                }
            }
        }
        let (site, (nanos, ran)) = seen.into_iter().max_by_key(|(site, (nanos, _))| (*nanos, *site))?;
        let how = if ran.saturating_mul(2) > nanos { Spent::RUNNING } else { "blocked in" };
        let names = known.site_names();
        Some(Spent { how, place: names.phrase(site), short: names.short(site), nanos })
    }

    /// Returns the finding about requests that waited long until the server started to process them.
    pub(super) fn delayed(
        &self,
        store: &Store,
        scope: &Scope<'_>,
        served: &Counted<'_>,
        causes: &[Finding],
    ) -> Option<Finding> {
        let asking = |request: &Request| self.joined.requests.get(request.parent as usize);
        let waiting: Vec<(&Request, &Request, i64)> = served
            .iter()
            .filter_map(|(_, request)| Some((*request, asking(request)?, request.before_server()?)))
            .filter(|(_, sent, before)| sent.is_whole && *before >= DELAYED_EACH)
            .collect();
        let sum = |nanos: &dyn Fn(&(&Request, &Request, i64)) -> i64| {
            waiting.iter().map(nanos).fold(0i64, i64::saturating_add)
        };
        let total = sum(&|(_, _, before)| *before);
        let all = sum(&|(_, sent, _)| sent.duration().unwrap_or(0));
        if total < DELAYED || (total as f64) < DELAYED_SHARE * all as f64 {
            return None;
        }
        let (longest, longest_sent, most) = waiting.iter().max_by_key(|(_, _, before)| *before)?;
        let number = waiting.len() as u64;
        let queued = sum(&|(_, sent, before)| sent.queued.clamp(0, *before));
        let share = percent(total as f64, all as f64);
        let average = duration(total / (number as i64).max(1));
        let is_queued = queued.saturating_mul(2) > total;
        let shown: Counted<'_> = waiting.iter().map(|(request, _, _)| (0, *request)).collect();
        let when: Vec<Span> = waiting.iter().map(|(request, sent, _)| Span::new(sent.start, request.start)).collect();
        let cause = Cause::of(&when, total, 0, causes);
        let of_queue = match queued {
            0 => String::new(),
            queued => format!("; {} for a connection", percent(queued as f64, total as f64)),
        };
        let sentence = match &cause {
            Some(cause) => {
                format!("{} overlaps {} of the {} that they waited.", cause.subject(), cause.share(), duration(total))
            }
            None => evidence(format!("They waited {share} of their time, {average} on average"), [of_queue]),
        };
        let mut details = format!(
            "These requests waited {} before processing ({share} of their time): {average} on average, max {} ({}).",
            duration(total),
            duration(*most),
            self.name_of(longest)
        );
        if queued > 0 {
            details += &format!(" {} of the wait was for a connection.", duration(queued));
        }
        let cost = match cause {
            Some(_) => Cost::count(number, "delayed requests"),
            None => Cost::time(total, "delayed requests"),
        };
        let requests = counted(number, "request");
        Some(Finding {
            title: match cause {
                Some(_) => format!("{requests} waited {} or longer before processing", duration(DELAYED_EACH)),
                None => format!("{requests} waited {} before processing", cost.size()),
            },
            sentence,
            times: times(when),
            threads: threads_of(&shown),
            // The phases of the caller's request include the wait.
            links: links(store, &shown, longest_sent, ("beforeServerNs", "")),
            advice: match (&cause, is_queued) {
                (Some(cause), _) => cause.advice().to_owned(),
                (None, true) => "Raise MaxConnectionsPerServer, or use HTTP/2.".to_owned(),
                (None, false) => unknown_cause(scope).to_owned(),
            },
            details: match is_queued || cause.is_some() {
                true => details,
                false => details + " Pool workers read the requests, so keep them free.",
            },
            ..Finding::new(FindingKind::DelayedRequests, cost)
        })
    }

    /// Returns the finding about requests that waited for methods to be compiled for the first time.
    pub(super) fn cold_start(&self, store: &Store, served: &Counted<'_>) -> Option<Finding> {
        let is_cold = |request: &Request| {
            request.duration().is_some_and(|took| request.compiling as f64 >= COLD_SHARE * took as f64)
        };
        let cold: Counted<'_> = served.iter().copied().filter(|(_, one)| one.compiling > 0 && is_cold(one)).collect();
        let compiling = cold.iter().map(|(_, one)| one.compiling).fold(0i64, i64::saturating_add);
        let took = cold.iter().filter_map(|(_, one)| one.duration()).fold(0i64, i64::saturating_add);
        if compiling < COLD {
            return None;
        }
        let (_, longest) = cold.iter().max_by_key(|(_, one)| one.compiling)?;
        let others = served.iter().map(|(_, one)| *one).filter(|one| one.is_whole && !is_cold(one));
        let usual = percentile(&durations_of(others), 0.5);
        let sentence = evidence(
            format!("The JIT took {} of their time", percent(compiling as f64, took as f64)),
            [format!(", up to {} in {}", duration(longest.compiling), self.name_of(longest))],
        );
        let usual =
            usual.map_or_else(String::new, |usual| format!("The median of the other requests is {}.", duration(usual)));
        let cost = Cost::time(compiling, THREAD_TIME);
        let shortest = cold.iter().filter_map(|(_, one)| one.duration()).min().unwrap_or(0);
        Some(Finding {
            title: match cold.len() {
                1 => format!("Cold start: a request spent {} in the JIT", cost.size()),
                number => format!("Cold start: {} requests spent {} in the JIT", count(number as u64), cost.size()),
            },
            sentence,
            times: spans_of(cold.iter().map(|(_, request)| *request)),
            threads: threads_of(&cold),
            links: links(store, &cold, longest, ("durationNs", &format!(" dur>={shortest}ns"))),
            advice: "Publish with ReadyToRun, or send warm-up requests.".to_owned(),
            details: usual,
            ..Finding::new(FindingKind::ColdStart, cost)
        })
    }

    /// Returns method and route: "GET /orders/{n}".
    pub(super) fn name_of(&self, request: &Request) -> String {
        route_text(self.texts.get(request.method), self.texts.get(request.route))
    }
}

/// Returns the web server's functions on a stack.
fn server_functions(store: &Store, stack: StackId) -> FastSet<FunctionId> {
    let functions = store.stacks.leaf_to_root(stack).map(|frame| store.frames.function(frame));
    functions.filter(|function| store.function_name(*function).starts_with(SERVER)).collect()
}

fn has_any(store: &Store, stack: StackId, functions: &FastSet<FunctionId>) -> bool {
    let mut frames = store.stacks.leaf_to_root(stack);
    !functions.is_empty() && frames.any(|frame| functions.contains(&store.frames.function(frame)))
}

/// The main use of the requests' time.
struct Spent {
    /// One of "in", "blocked in", [`Self::RUNNING`].
    how: &'static str,
    /// Call site with its full name, and without namespace.
    place: String,
    short: String,
    nanos: i64,
}

impl Spent {
    const RUNNING: &str = "running";
}

/// The cause of slow or delayed requests.
struct Cause {
    kind: FindingKind,
    /// Share of the requests' time.
    share: f64,
}

impl Cause {
    /// Returns the finding that already explains most of the time of slow or delayed requests: thread pool starvation
    /// at that time, or locks and tasks that the requests themselves waited for (`waited` of their `total`
    /// nanoseconds).
    fn of(slow: &[Span], total: i64, waited: i64, causes: &[Finding]) -> Option<Self> {
        let starved = causes.iter().find(|one| one.kind == FindingKind::PoolStarvation).map(|one| {
            let overlap = |span: &Span| {
                one.times
                    .iter()
                    .filter_map(|time| time.intersect(*span))
                    .map(|part| part.duration())
                    .fold(0, i64::saturating_add)
            };
            (one.kind, slow.iter().map(overlap).fold(0, i64::saturating_add))
        });
        let is_waiting = |one: &&Finding| matches!(one.kind, FindingKind::SyncOverAsync | FindingKind::LockContention);
        let own = causes.iter().find(is_waiting).map(|one| (one.kind, waited));
        let (kind, nanos) = starved.into_iter().chain(own).max_by_key(|(kind, nanos)| (*nanos, Reverse(*kind)))?;
        let share = nanos as f64 / total.max(1) as f64;
        (share >= EFFECT_SHARE).then_some(Self { kind, share })
    }

    /// Returns words after the share of the requests: "duration overlaps thread pool starvation".
    fn words(&self) -> &'static str {
        match self.kind {
            FindingKind::PoolStarvation => "duration overlaps thread pool starvation",
            FindingKind::SyncOverAsync => "duration is sync-over-async",
            _ => "duration is lock contention",
        }
    }

    /// Returns the cause as the beginning of a sentence.
    fn subject(&self) -> &'static str {
        match self.kind {
            FindingKind::PoolStarvation => "Thread pool starvation",
            FindingKind::SyncOverAsync => "Sync-over-async",
            _ => "Lock contention",
        }
    }

    fn share(&self) -> String {
        percent(self.share, 1.0)
    }

    fn advice(&self) -> &'static str {
        match self.kind {
            FindingKind::PoolStarvation => "Fix the starvation first.",
            FindingKind::SyncOverAsync => AWAIT,
            _ => SHORTER_LOCK,
        }
    }
}
