//! Findings from waits: thread pool starvation, and blocking on tasks.

use crate::analysis::samples::stack_states::BlockedOn;
use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::cost::{THREAD_TIME, WALL_TIME};
use crate::analysis::topics::shared::evidence::{extent, link, open, stacks_of, times};
use crate::analysis::topics::shared::evidence_text::{self, evidence, moment};
use crate::analysis::topics::thread_pool::Starved;
use crate::analysis::topics::thread_pool::blocked_workers::BlockedSite;
use crate::clr::source_names::RUNTIME;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::format::{counted, duration, percent};
use protocol::request::SampleChoice;
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget, MAX_THREADS, Narrowing};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;

/// Minimum share for which the second call site is named.
const NEXT_SHARE: f64 = 0.01;
/// Minimum share that needs no mention.
const NEARLY_ALL: f64 = 0.995;
/// Maximum number of call sites in a condition.
const MAX_PLACES: usize = 8;
/// Fix for workers that block on tasks, if the call isn't known.
pub const AWAIT: &str = "Use await instead of blocking on tasks.";
/// Minimum total nanoseconds of workers blocked on tasks, for a finding.
const BLOCKED: i64 = 200_000_000;

/// Returns the finding about starvation; `starved` are all episodes, the longest first.
pub fn starvation(names: SiteNames<'_>, starved: &[Starved]) -> Option<Finding> {
    let worst = starved.first()?;
    let one = &worst.starvation;
    let when = times(starved.iter().map(|one| one.starvation.span).collect());
    let all = when.iter().map(|time| time.duration()).fold(0, i64::saturating_add);
    // Without samples and waits, the number of blocked workers is unknown.
    let sites: Vec<&BlockedSite> = starved.iter().flat_map(|one| &one.workers.sites).collect();
    let blocked = sites.iter().map(|site| site.nanos).fold(0, i64::saturating_add);
    // Workers that block on tasks are a finding of their own, which has this time.
    let on_tasks =
        sites.iter().filter(|site| site.on == BlockedOn::Task).map(|site| site.nanos).fold(0, i64::saturating_add);
    let is_explained = on_tasks >= BLOCKED && on_tasks >= blocked / 2;
    let is_time_starved = is_explained || blocked == 0;
    let cost = match is_time_starved {
        true => Cost::time(all, WALL_TIME),
        false => Cost::time(blocked, THREAD_TIME),
    };
    let growth = match (one.added, one.longest_queue) {
        (0, queue) => {
            let queue = counted(queue.unwrap_or(0).max(0) as u64, "work item");
            format!("up to {queue} queued at once")
        }
        _ => worst.short_growth(),
    };
    let lead = leading(&sites).map(|(site, nanos)| {
        let place = place_name(names, site.site);
        match nanos as f64 >= NEARLY_ALL * blocked as f64 {
            true => format!("Workers blocked in {place}"),
            false => format!("Workers blocked in {place} ({})", percent(nanos as f64, blocked as f64)),
        }
    });
    let sentence = match lead {
        Some(lead) => evidence(lead, [["; ", &growth].concat()]),
        None => evidence(format!("Starting at {}, {growth}", moment(one.span.start.0)), []),
    };
    let from = moment(one.span.start.0);
    let mut details = vec![match one.added {
        0 => format!("Starting at {from}, work was queued without a break."),
        _ => format!("Starting at {from}, the pool {}.", worst.growth_words()),
    }];
    if let Some(queue) = one.longest_queue.filter(|queue| *queue > 0 && one.added > 0) {
        details.push(format!("Up to {} waited in its queue.", counted(queue as u64, "work item")));
    }
    if let Some((site, _)) = leading(&sites) {
        let (blocked, on) = (duration(blocked), site.on.words());
        details.push(format!("Workers were blocked for {blocked} in total, mostly waiting for {on}."));
        details.extend(Some(names.explanation(site.site)).filter(|words| !words.is_empty()));
    }
    let advice = match is_explained {
        true => instead_of_blocking(names, leading(&sites).map(|(site, _)| site)),
        false => "Use async APIs, or TaskCreationOptions.LongRunning.".to_owned(),
    };
    let links = [
        Some(link("Show on timeline", FindingTarget::Timeline(one.span))),
        where_they_wait(names, &worst.workers.sites, one.span),
        Some(open(Topic::ThreadPool)),
    ];
    Some(Finding {
        title: match is_time_starved {
            true => format!("Thread pool starvation lasted {}", cost.size()),
            false => format!("Blocked workers starved the thread pool ({} in total)", cost.size()),
        },
        sentence,
        times: when,
        threads: threads_of(sites.into_iter()),
        links: links.into_iter().flatten().collect(),
        advice,
        details: details.join(" "),
        ..Finding::new(FindingKind::PoolStarvation, cost)
    })
}

/// Returns the fix for a site that blocks on a task, which names the call on its stack.
fn instead_of_blocking(names: SiteNames<'_>, site: Option<&BlockedSite>) -> String {
    let call = site.filter(|site| site.on == BlockedOn::Task).and_then(|site| names.blocking_call(site.event));
    // The whole call wouldn't fit beside the evidence.
    let call = call.map(|call| call.trim_start_matches(".GetAwaiter()"));
    call.map_or_else(|| AWAIT.to_owned(), |call| format!("Use await, not {call}."))
}

/// Returns the site with the most time lost over all episodes, and its nanoseconds.
fn leading<'s>(sites: &[&'s BlockedSite]) -> Option<(&'s BlockedSite, i64)> {
    let mut sums: FastMap<(Site, BlockedOn), (&BlockedSite, i64)> = FastMap::default();
    for site in sites {
        let sum = sums.entry((site.site, site.on)).or_insert((*site, 0));
        sum.1 = sum.1.saturating_add(site.nanos);
    }
    sums.into_iter().max_by_key(|(place, (_, nanos))| (*nanos, Reverse(*place))).map(|(_, most)| most)
}

fn place_name(names: SiteNames<'_>, site: Site) -> String {
    Some(names.short(site)).filter(|name| !name.is_empty()).unwrap_or_else(|| "unresolved code".to_owned())
}

/// Returns the threads that were blocked at sites, without duplicates.
fn threads_of<'s>(sites: impl Iterator<Item = &'s BlockedSite>) -> Vec<ThreadId> {
    let mut threads: Vec<ThreadId> = Vec::new();
    for thread in sites.flat_map(|site| &site.workers) {
        if !threads.contains(thread) && threads.len() < MAX_THREADS {
            threads.push(*thread);
        }
    }
    threads
}

/// Returns a link to the stacks of exactly these waits, by duration: of events if the runtime records them, else of
/// samples.
fn where_they_wait<'s>(
    names: SiteNames<'_>,
    sites: impl IntoIterator<Item = &'s BlockedSite>,
    span: Span,
) -> Option<FindingLink> {
    let sites: Vec<&BlockedSite> = sites.into_iter().take(MAX_PLACES).collect();
    let is_recorded = sites.first()?.is_recorded;
    let conditions: Vec<String> = sites.iter().map(|site| names.condition(site.site)).collect();
    let condition = match conditions.as_slice() {
        [only] => only.clone(),
        all if all.iter().any(String::is_empty) => String::new(),
        several => format!("({})", several.join(" or ")),
    };
    Some(match is_recorded {
        true => link("View wait stacks", stacks_of(RUNTIME, "WaitHandleWait/Start", &condition, span)),
        false => {
            let of = Narrowing::within(condition, span);
            link("View wait stacks", FindingTarget::ThreadTime(SampleChoice::Blocked, of))
        }
    })
}

/// Returns the finding about workers blocked on tasks.
pub fn sync_over_async(
    names: SiteNames<'_>,
    sites: &[BlockedSite],
    starved: &[Starved],
    span: Span,
) -> Option<Finding> {
    let on_tasks: Vec<&BlockedSite> = sites.iter().filter(|site| site.on == BlockedOn::Task).collect();
    let nanos = on_tasks.iter().fold(0i64, |sum, site| sum.saturating_add(site.nanos));
    let worst = on_tasks.first().filter(|_| nanos >= BLOCKED)?;
    let share = |site: &BlockedSite| percent(site.nanos as f64, nanos as f64);
    let place = place_name(names, worst.site);
    let lead = format!("{} in {place}", evidence_text::share_was(worst.nanos as f64, nanos as f64));
    let awaited = names.short_method(worst.awaited);
    let route = Some(names.route_name(worst.route)).filter(|route| !route.is_empty() && *route != place);
    let next = on_tasks.get(1).filter(|next| next.nanos as f64 >= NEXT_SHARE * nanos as f64);
    let parts = [
        route.map(|route| format!(" for {route}")),
        Some(format!(", waiting for {awaited}")).filter(|_| !awaited.is_empty()),
        next.map(|next| format!("; then {} ({})", place_name(names, next.site), share(next))),
        extent(&worst.times).map(|span| evidence_text::when(Some(span))),
    ];
    let sentence = evidence(lead, parts.into_iter().flatten());
    let starved_on_tasks =
        starved.iter().filter(|one| one.workers.sites.first().is_some_and(|site| site.on == BlockedOn::Task));
    let starved_for = starved_on_tasks.map(|one| one.starvation.span.duration()).fold(0, i64::saturating_add);
    let why = "Blocked workers can't run the continuations that they wait for. Replace .Result, .Wait() and \
               GetAwaiter().GetResult() with await.";
    let mut details = vec![why.to_owned()];
    if starved_for > 0 {
        details.push(format!("This starved the thread pool for {}.", duration(starved_for)));
    }
    details.extend(Some(names.explanation(worst.site)).filter(|words| !words.is_empty()));
    let cost = Cost::time(nanos, THREAD_TIME);
    let (threads, workers) = (threads_of(on_tasks.iter().copied()), on_tasks.iter().flat_map(|site| &site.workers));
    let workers = workers.collect::<FastSet<_>>().len() as u64;
    let when = times(on_tasks.iter().flat_map(|site| site.times.iter().copied()).collect());
    let links = [
        extent(&when).map(|shown| link("Show on timeline", FindingTarget::Timeline(shown))),
        where_they_wait(names, on_tasks.iter().copied(), span),
        Some(link("View longest wait", FindingTarget::Event(worst.event))),
        Some(open(Topic::ThreadPool)),
    ];
    Some(Finding {
        title: format!("Sync-over-async blocked {} for {} in total", counted(workers, "worker"), cost.size()),
        sentence,
        times: when,
        threads,
        links: links.into_iter().flatten().collect(),
        advice: instead_of_blocking(names, Some(worst)),
        details: details.join(" "),
        ..Finding::new(FindingKind::SyncOverAsync, cost)
    })
}
