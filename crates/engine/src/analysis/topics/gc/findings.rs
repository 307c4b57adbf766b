//! Findings about GCs: long pauses, high total cost, and their causes.

use super::GcFacts;
use super::pause_cost::{Advice, PauseCosts, joined, title};
use super::reason_text::{cause, kind, triggered};
use super::report::{PauseParts, counts, inside};
use super::tables::Counted;
use super::tables::{asker_short, suspension};
use crate::analysis::intervals::gc::process_in_table;
use crate::analysis::intervals::gc_pauses::{Gc, Pause};
use crate::analysis::topics::shared::bursts::busiest;
use crate::analysis::topics::shared::evidence::{link, on_timeline, open, times};
use crate::analysis::topics::shared::evidence_text::{evidence, moment, period};
use crate::analysis::topics::shared::fixes::LIMIT_THREADS;
use crate::analysis::topics::shared::silence::silent_in_pause;
use crate::analysis::topics::{Known, Scope};
use crate::clr::known::payload::is_induced;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::format::{capitalized, count, counted as number_of, duration, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget, Narrowing};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Minimum nanoseconds of a pause that users notice.
const LONG: i64 = 50_000_000;
/// Minimum share of time, and nanoseconds, for a finding about the total cost of GCs. Healthy apps that allocate much
/// spend up to a tenth.
const SHARE: f64 = 0.15;
const SHARE_LEAST: i64 = 100_000_000;
/// Minimum nanoseconds of pauses in a part of the time in which they take [`SHARE`], if they don't take it of all time.
/// A burst has several GCs: a single one has its own finding.
const BURST_LEAST: i64 = 500_000_000;
const BURST_GCS: usize = 10;
/// Minimum share of the pauses, and nanoseconds, for a finding about slow suspension.
const SUSPEND_SHARE: f64 = 0.4;
const SUSPEND_LEAST: i64 = 50_000_000;
/// Minimum number of induced GCs for a finding.
const INDUCED: usize = 3;
/// Minimum number of GCs triggered by large objects, their share of all GCs, and their share of time, for a finding.
const LARGE: usize = 5;
const LARGE_SHARE: f64 = 0.2;
const LARGE_TIME: f64 = 0.01;
/// The runtime's reason codes for an allocation of a large object, small or large budget.
const LARGE_OBJECT: u32 = 4;
/// Minimum objects finalized per second for a finding.
const FINALIZED_A_SECOND: f64 = 10_000.0;
/// Minimum seconds for a meaningful rate: finalizers run in bursts after GCs.
const FINALIZED_SECONDS: f64 = 0.5;
/// Minimum objects finalized in a part of the time, and minimum runs of the finalizer thread there.
const FINALIZED_LEAST: u64 = 50_000;
const FINALIZED_RUNS: usize = 3;

/// Returns all findings about GCs.
pub fn findings(facts: &GcFacts, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let all = known.gcs.iter().zip(&facts.details);
    let counted: Vec<Counted<'_>> = all.filter(|one| counts(known.store, one, scope)).collect();
    let costs = PauseCosts::new(known, scope, &counted);
    let detectors = [pause_share, long_pause, slow_suspension, induced, large_objects];
    let mut found = joined(detectors.iter().filter_map(|detector| detector(&costs, &counted)).collect());
    found.extend(finalizers(facts, known, scope));
    found
}

fn paused(counted: &[Counted<'_>], scope: &Scope<'_>) -> i64 {
    counted.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)))
}

fn pauses<'c>(gcs: impl Iterator<Item = &'c Gc>) -> Vec<Span> {
    times(gcs.flat_map(|one| one.pauses.iter().map(|pause| Span::new(pause.start, pause.end))).collect())
}

fn links(times: &[Span]) -> Vec<FindingLink> {
    on_timeline(times).into_iter().chain([open(Topic::Gc)]).collect()
}

/// Returns the nanoseconds of a pause without gaps of the whole machine, which aren't the GC's work.
fn lasted(known: &Known<'_>, pause: &Pause) -> i64 {
    let silent = silent_in_pause(known, pause).iter().map(|time| time.duration()).fold(0, i64::saturating_add);
    pause.duration().saturating_sub(silent)
}

/// Returns the nanoseconds of the pauses during gaps of the whole machine.
fn silent(known: &Known<'_>, counted: &[Counted<'_>]) -> i64 {
    let of = |pause: &Pause| pause.duration().saturating_sub(lasted(known, pause));
    counted.iter().map(|(one, _)| one.sum(of)).fold(0, i64::saturating_add)
}

/// Returns the finding that a single GC paused the app noticeably.
fn long_pause(costs: &PauseCosts<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let (known, scope) = (costs.known, costs.scope);
    let longest_of = |one: &Gc| one.pauses.iter().map(|pause| lasted(known, pause)).max().unwrap_or(0);
    let long: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| longest_of(one) >= LONG).collect();
    let (one, detail) = long.iter().max_by_key(|(one, _)| longest_of(one)).copied()?;
    let pause = one.pauses.iter().max_by_key(|pause| lasted(known, pause))?;
    let all = paused(counted, scope).saturating_sub(silent(known, counted));
    let of_long = long.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    let of_long = of_long.saturating_sub(long.iter().map(|one| silent(known, &[**one])).fold(0, i64::saturating_add));
    let longest = duration(lasted(known, pause));
    let place = asker_short(known, detail);
    let (number, at) = (one.number, moment(pause.start));
    let what = format!("a {} gen {} GC", kind(one).to_lowercase(), one.generation);
    let slow = PauseParts::of(&[(*one, *detail)]).evidence_of_largest("");
    let (lead, what) = match &slow {
        Some(_) => (format!("GC #{number} at {at} paused the process for {longest}"), what),
        None => (format!("GC #{number}, {what} at {at}, paused the process for {longest}"), "it".to_owned()),
    };
    let slow = slow.map(|slow| format!("; {slow}"));
    let why = Some(format!(", triggered in {place}")).filter(|_| !place.is_empty());
    let mut details = format!(
        "{} was triggered by {}. All GC pauses took {} of wall time.",
        capitalized(&what),
        cause(one.reason),
        duration(all)
    );
    if long.len() > 1 {
        let others = number_of(long.len() as u64 - 1, "more GC");
        details += &format!(" {others} paused the process for at least {}.", duration(LONG));
    }
    let when = pauses(long.iter().map(|(one, _)| *one));
    let shown = Span::new(pause.start, pause.end);
    let number = format!("GC #{number}");
    let cost = costs.of(long.iter().map(|(one, _)| *one), of_long);
    // Only gen 2 GCs can run in the background, and they do unless it is disabled.
    let is_concurrent = known.gcs.iter().any(Gc::is_background);
    let of_work = match one.generation >= 2 && !is_concurrent {
        true => "Keep fewer objects alive; check System.GC.Concurrent.",
        false => "Keep fewer objects alive.",
    };
    let advice = Advice::of(&[(*one, *detail)], of_work);
    Some(Finding {
        title: match long.as_slice() {
            [(only, _)] if only.pauses.len() == 1 => title("One GC pause", &cost),
            _ => title("Long GC pauses", &cost),
        },
        sentence: evidence(lead, slow.into_iter().chain(why)),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(shown)),
            link(&number, FindingTarget::Gc { process: process_in_table(known.store, one), number: one.number }),
            open(Topic::Gc),
        ],
        times: when,
        details: advice.explain(details),
        advice: advice.fix,
        ..Finding::new(FindingKind::LongPause, cost)
    })
}

/// Returns the finding that threads were slow to suspend, so that the heap isn't the cause.
fn slow_suspension(costs: &PauseCosts<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let parts = PauseParts::of(counted);
    let all = parts.suspend.saturating_add(parts.work);
    if parts.suspend < SUSPEND_LEAST || (parts.suspend as f64) < SUSPEND_SHARE * all as f64 {
        return None;
    }
    let (slowest, _) = counted.iter().max_by_key(|(one, _)| suspension(one))?;
    let pause = slowest.pauses.iter().max_by_key(|pause| pause.suspend_duration())?;
    let suspending = |pause: &Pause| Span::new(pause.start, pause.suspended?).intersect(costs.scope.span);
    let suspended =
        Span::joined(counted.iter().flat_map(|(one, _)| one.pauses.iter().filter_map(suspending)).collect());
    let show = Span::new(pause.start, pause.end);
    let cost = costs.of_times(&suspended, parts.suspend);
    let advice = Advice::of(counted, LIMIT_THREADS);
    Some(Finding {
        title: title("GC suspension", &cost),
        sentence: format!(
            "Suspending threads took {} of pause time; longest: {} (GC #{}).",
            percent(parts.suspend as f64, all as f64),
            duration(pause.suspend_duration()),
            slowest.number
        ),
        links: vec![link("Show on timeline", FindingTarget::Timeline(show)), open(Topic::Gc)],
        times: times(suspended),
        advice: LIMIT_THREADS.to_owned(),
        details: advice.explain(format!(
            "Suspension took {}, and all pauses {} of wall time.",
            duration(parts.suspend),
            duration(all)
        )),
        ..Finding::new(FindingKind::SlowSuspension, cost)
    })
}

/// Returns the finding that GCs took a large share of the time.
fn pause_share(costs: &PauseCosts<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let (known, scope) = (costs.known, costs.scope);
    let (all, whole) = (paused(counted, scope).saturating_sub(silent(known, counted)), scope.span.duration());
    if all < SHARE_LEAST {
        return None;
    }
    let (paused, is_burst) = match all as f64 >= SHARE * whole as f64 {
        true => {
            let whole_words = if scope.filter.span.is_some() { "time range" } else { "trace" };
            (format!("pauses took {} of the {whole_words}", percent(all as f64, whole as f64)), false)
        }
        false => {
            let times = costs.stops.iter().map(|stop| (stop.start.0, stop.duration()));
            let (burst, nanos) = busiest(scope.span, SHARE, times).filter(|(_, nanos)| *nanos >= BURST_LEAST)?;
            if costs.stops.iter().filter(|stop| stop.intersect(burst).is_some()).count() < BURST_GCS {
                return None;
            }
            let share = percent(nanos as f64, burst.duration() as f64);
            (format!("pauses took {share} of the time {}", period(burst)), true)
        }
    };
    let when = pauses(counted.iter().map(|(one, _)| *one));
    let mut by_reason: FastMap<u32, (i64, u64)> = FastMap::default();
    for (one, _) in counted {
        let sum = by_reason.entry(one.reason).or_default();
        *sum = (sum.0.saturating_add(inside(one, scope)), sum.1 + 1);
    }
    let (reason, (nanos, gcs)) = by_reason.into_iter().max_by_key(|(reason, sum)| (*sum, Reverse(*reason)))?;
    let cost = costs.of_times(&costs.stops, all);
    let trigger = triggered(reason, "", (nanos, all), "pause time");
    let slow = PauseParts::of(counted).evidence_of_largest(" of pause time");
    let also = slow.is_some().then(|| format!("; {trigger}"));
    let cause_words = slow.unwrap_or(trigger);
    // The time of a burst is too long to follow.
    let (lead, next) = if is_burst { (paused, cause_words) } else { (cause_words, paused) };
    let sentence = evidence(capitalized(&lead), [format!("; {next}")].into_iter().chain(also));
    let advice = match reason {
        LARGE_OBJECT => "Rent large buffers from ArrayPool<T>.",
        _ => "Allocate less at the top call sites.",
    };
    let advice = Advice::of(counted, advice);
    Some(Finding {
        title: title("GC pauses", &cost),
        sentence,
        links: links(&when),
        times: when,
        advice: advice.fix.clone(),
        details: advice.explain(format!(
            "GCs paused the process for {} of wall time. {} of {} in {} were triggered by {}.",
            duration(all),
            count(gcs),
            number_of(counted.len() as u64, "GC"),
            duration(whole),
            cause(reason)
        )),
        ..Finding::new(FindingKind::PauseShare, cost)
    })
}

/// Returns the finding that the app itself induces GCs.
fn induced(costs: &PauseCosts<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let (known, scope) = (costs.known, costs.scope);
    let asked: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| is_induced(one.reason)).collect();
    let paused = asked.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    if asked.len() < INDUCED && paused < LONG {
        return None;
    }
    let (_, detail) = asked.iter().max_by_key(|(one, _)| one.pause_total()).copied()?;
    let place = asker_short(known, detail);
    let by = if place.is_empty() { String::new() } else { format!(", the longest in {place}") };
    let when = pauses(asked.iter().map(|(one, _)| *one));
    let cost = costs.of(asked.iter().map(|(one, _)| *one), paused);
    let lead = format!("{} of {} were induced", count(asked.len() as u64), number_of(counted.len() as u64, "GC"));
    let advice = Advice::of(asked.iter().copied(), "");
    let reasons: BTreeSet<u32> = asked.iter().map(|(one, _)| one.reason).collect();
    let reasons: Vec<String> = reasons.into_iter().map(|reason| format!("payload.Reason={reason}")).collect();
    let rows = FindingTarget::Rows {
        topic: Topic::Gc,
        table: "collections".to_owned(),
        column: "pauseNs".to_owned(),
        of: Narrowing::to(format!("event=GC/Start ({})", reasons.join(" or "))),
    };
    let view = link(&format!("View {}", number_of(asked.len() as u64, "GC")), rows);
    Some(Finding {
        title: title("Induced GCs", &cost),
        sentence: evidence(lead, [by]),
        links: on_timeline(&when).into_iter().chain([view]).collect(),
        times: when,
        advice: "Remove calls to GC.Collect.".to_owned(),
        details: advice.explain(format!("Induced GCs paused the process for {} of wall time.", duration(paused))),
        ..Finding::new(FindingKind::InducedGcs, cost)
    })
}

/// Returns the finding that short-lived large objects trigger GCs, each of which is a full one.
fn large_objects(costs: &PauseCosts<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let large: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| one.reason == LARGE_OBJECT).collect();
    if large.len() < LARGE || (large.len() as f64) < LARGE_SHARE * counted.len() as f64 {
        return None;
    }
    let paused = large.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, costs.scope)));
    if (paused as f64) < LARGE_TIME * costs.scope.span.duration() as f64 {
        return None;
    }
    let when = pauses(large.iter().map(|(one, _)| *one));
    let cost = costs.of(large.iter().map(|(one, _)| *one), paused);
    let advice = Advice::of(large.iter().copied(), "Rent large buffers from ArrayPool<T>.");
    Some(Finding {
        title: title("GCs triggered by LOH allocations", &cost),
        sentence: format!(
            "{} of {} were triggered by LOH allocations.",
            count(large.len() as u64),
            number_of(counted.len() as u64, "GC")
        ),
        links: links(&when)
            .into_iter()
            .chain([open(Topic::Allocations)])
            .collect(),
        times: when,
        advice: advice.fix.clone(),
        details: advice.explain(format!(
            "Large objects are 85,000 bytes or larger, and only gen 2 GCs reclaim them. These GCs paused the process for \
             {} of wall time.",
            duration(paused)
        )),
        ..Finding::new(FindingKind::LargeObjectChurn, cost)
    })
}

/// Returns the finding that very many objects have finalizers.
fn finalizers(facts: &GcFacts, known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let rate = |objects: u64, span: Span| objects as f64 / (span.duration().max(1) as f64 / 1e9);
    let mut finalized = facts.finalized(scope);
    let (mut a_second, mut part) = (rate(finalized, scope.span), String::new());
    if a_second < FINALIZED_A_SECOND {
        let (burst, objects) = most_finalized(facts, known, scope)?;
        (finalized, a_second, part) = (objects, rate(objects, burst), format!(" {}", period(burst)));
    } else if (scope.span.duration() as f64) < FINALIZED_SECONDS * 1e9 {
        return None;
    }
    Some(Finding {
        title: format!("{} objects were finalized", count(finalized)),
        sentence: format!(
            "One thread ran {} finalizers/s{part}; each object survives an extra GC.",
            count(a_second as u64)
        ),
        links: vec![open(Topic::Gc)],
        advice: "Dispose objects, and call GC.SuppressFinalize in Dispose.".to_owned(),
        ..Finding::new(FindingKind::FinalizerBacklog, Cost::count(finalized, "objects finalized"))
    })
}

/// Returns the part of the time with the most finalized objects beyond [`FINALIZED_A_SECOND`], and their number; `None`
/// without such a part.
fn most_finalized(facts: &GcFacts, known: &Known<'_>, scope: &Scope<'_>) -> Option<(Span, u64)> {
    let time = |event: EventId| known.store.clock.nanos(known.store.events.row(event).ticks).0;
    let of_scope = facts.finalized.iter().filter(|(event, _)| scope.has(*event));
    let runs: Vec<(i64, u64)> = of_scope.map(|(event, objects)| (time(*event), u64::from(*objects))).collect();
    // Each object takes the time in which it may be finalized, so more than all of the time is too much.
    let takes = |(at, objects): &(i64, u64)| (*at, (*objects as f64 / FINALIZED_A_SECOND * 1e9) as i64);
    let (burst, _) = busiest(scope.span, 1.0, runs.iter().map(takes))?;
    let inside: Vec<u64> =
        runs.iter().filter(|(at, _)| *at >= burst.start.0 && *at < burst.end.0).map(|(_, objects)| *objects).collect();
    let objects = inside.iter().copied().fold(0, u64::saturating_add);
    (inside.len() >= FINALIZED_RUNS && objects >= FINALIZED_LEAST).then_some((burst, objects))
}
