//! Findings about GCs: long pauses, high total cost, and their causes.

use super::GcFacts;
use super::reason_text::{cause, kind};
use super::report::{PausePart, PauseParts, counts, inside};
use super::tables::Counted;
use super::tables::{asker_name, suspension};
use crate::analysis::intervals::gc_pauses::{Gc, Pause};
use crate::analysis::topics::shared::cost::of_pauses;
use crate::analysis::topics::shared::evidence::{extent, link, times};
use crate::analysis::topics::shared::silence::silent_in_pause;
use crate::analysis::topics::{Known, Scope};
use crate::clr::known::payload::is_induced;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::format::{count, counted as number_of, duration, percent, seconds};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget};
use protocol::topics::topic::Topic;
use std::cmp::Reverse;

/// Minimum nanoseconds of a pause that users notice.
const LONG: i64 = 50_000_000;
/// Minimum share of time, and nanoseconds, for a finding about the total cost of GCs. Healthy apps that allocate much
/// spend up to a tenth.
const SHARE: f64 = 0.15;
const SHARE_LEAST: i64 = 100_000_000;
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

/// Returns all findings about GCs.
pub fn findings(facts: &GcFacts, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let all = known.gcs.iter().zip(&facts.details);
    let counted: Vec<Counted<'_>> = all.filter(|one| counts(known.store, one, scope)).collect();
    let detectors = [long_pause, pause_share, slow_suspension, induced, large_objects];
    let found = detectors.iter().filter_map(|detector| detector(known, scope, &counted));
    found.chain(finalizers(facts, scope)).collect()
}

fn paused(counted: &[Counted<'_>], scope: &Scope<'_>) -> i64 {
    counted.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)))
}

fn pauses<'c>(gcs: impl Iterator<Item = &'c Gc>) -> Vec<Span> {
    times(gcs.flat_map(|one| one.pauses.iter().map(|pause| Span::new(pause.start, pause.end))).collect())
}

fn links(words: &str, times: &[Span]) -> Vec<FindingLink> {
    let show = extent(times).map(|span| link("Show on timeline", FindingTarget::Timeline(span)));
    show.into_iter().chain([link(words, FindingTarget::Topic(Topic::Gc))]).collect()
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
fn long_pause(known: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let longest_of = |one: &Gc| one.pauses.iter().map(|pause| lasted(known, pause)).max().unwrap_or(0);
    let long: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| longest_of(one) >= LONG).collect();
    let (one, detail) = long.iter().max_by_key(|(one, _)| longest_of(one)).copied()?;
    let pause = one.pauses.iter().max_by_key(|pause| lasted(known, pause))?;
    let all = paused(counted, scope).saturating_sub(silent(known, counted));
    let of_long = long.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    let of_long = of_long.saturating_sub(long.iter().map(|one| silent(known, &[**one])).fold(0, i64::saturating_add));
    let place = asker_name(known, detail);
    let why = if place.is_empty() { cause(one.reason) } else { format!("{} in {place}", cause(one.reason)) };
    let longest = duration(lasted(known, pause));
    let mut sentence = format!(
        "GC #{}, a {} gen {} GC at {}, paused the process for {longest}. It was triggered by {why}.",
        one.number,
        kind(one).to_lowercase(),
        one.generation,
        seconds(pause.start, 3)
    );
    if long.len() > 1 {
        let others = number_of(long.len() as u64 - 1, "other");
        sentence += &format!(" {others} also paused the process for {} or longer.", duration(LONG));
    }
    let when = pauses(long.iter().map(|(one, _)| *one));
    let shown = Span::new(pause.start, pause.end);
    let number = format!("GC #{}", one.number);
    let cost = Cost::time(of_long, &format!("of {} total GC pause time", duration(all)));
    Some(Finding {
        title: match long.as_slice() {
            [(only, _)] if only.pauses.len() == 1 => format!("One GC pause took {}", cost.size()),
            _ => format!("Long GC pauses took {}", cost.size()),
        },
        sentence,
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(shown)),
            link(&number, FindingTarget::Event(EventId(one.event))),
            link("Open GC", FindingTarget::Topic(Topic::Gc)),
        ],
        times: when,
        advice: advice(
            &[(one, detail)],
            "Enable background GC (System.GC.Concurrent), and keep fewer objects alive: limit caches, pool buffers \
             with ArrayPool<T>, and don't call GC.Collect.",
        ),
        ..Finding::new(FindingKind::LongPause, cost)
    })
}

/// Returns advice against pauses; `of_work` if the GC's work takes most of their time.
fn advice(counted: &[Counted<'_>], of_work: &str) -> String {
    match PauseParts::of(counted).largest() {
        PausePart::Work => of_work.to_owned(),
        part => part.advice().to_owned(),
    }
}

impl PausePart {
    /// Returns advice for pauses that consist mostly of this part.
    fn advice(self) -> &'static str {
        match self {
            Self::Work => "Reduce allocations at the top call sites.",
            Self::Suspend => {
                "Suspending threads took most of the time, so the heap isn't the cause. Run at most one \
                 CPU-bound thread per CPU (MaxDegreeOfParallelism), and split long Span<T> copies and loops without calls."
            }
            Self::Resume => {
                "Resuming threads took most of the time, so the heap isn't the cause: the GC's thread waited for a \
                 CPU. Look for more runnable threads than CPUs."
            }
        }
    }
}

/// Returns the finding that threads were slow to suspend, so that the heap isn't the cause.
fn slow_suspension(_: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let parts = PauseParts::of(counted);
    let all = parts.suspend.saturating_add(parts.work);
    if parts.suspend < SUSPEND_LEAST || (parts.suspend as f64) < SUSPEND_SHARE * all as f64 {
        return None;
    }
    let (slowest, _) = counted.iter().max_by_key(|(one, _)| suspension(one))?;
    let pause = slowest.pauses.iter().max_by_key(|pause| pause.suspend_duration())?;
    let suspending = |pause: &Pause| Some(Span::new(pause.start, pause.suspended?));
    let when = times(counted.iter().flat_map(|(one, _)| one.pauses.iter().filter_map(suspending)).collect());
    let show = Span::new(pause.start, pause.end);
    let cost = Cost::time(parts.suspend, &format!("of {} total GC pause time", duration(paused(counted, scope))));
    Some(Finding {
        title: format!("Suspending threads for GCs took {}", duration(parts.suspend)),
        sentence: format!(
            "Suspend time is {} of {} total GC pause time. The slowest suspend took {}, for GC #{} at {}.",
            percent(parts.suspend as f64, all as f64),
            duration(all),
            duration(pause.suspend_duration()),
            slowest.number,
            seconds(pause.start, 3)
        ),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(show)),
            link("Open GC", FindingTarget::Topic(Topic::Gc)),
        ],
        times: when,
        advice: PausePart::Suspend.advice().to_owned(),
        ..Finding::new(FindingKind::SlowSuspension, cost)
    })
}

/// Returns the finding that GCs took a large share of the time.
fn pause_share(known: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let (all, whole) = (paused(counted, scope).saturating_sub(silent(known, counted)), scope.span.duration());
    if all < SHARE_LEAST || (all as f64) < SHARE * whole as f64 {
        return None;
    }
    let when = pauses(counted.iter().map(|(one, _)| *one));
    let share = percent(all as f64, whole as f64);
    let mut by_reason: FastMap<u32, (i64, u64)> = FastMap::default();
    for (one, _) in counted {
        let sum = by_reason.entry(one.reason).or_default();
        *sum = (sum.0.saturating_add(inside(one, scope)), sum.1 + 1);
    }
    let (reason, (nanos, gcs)) = by_reason.into_iter().max_by_key(|(reason, sum)| (*sum, Reverse(*reason)))?;
    Some(Finding {
        title: format!("GC paused the process for {} ({share} of the time)", duration(all)),
        sentence: format!(
            "GCs triggered by {} account for {} of it: {} of {} in {}.",
            cause(reason),
            percent(nanos as f64, all as f64),
            count(gcs),
            number_of(counted.len() as u64, "GC"),
            duration(whole)
        ),
        links: links("Open GC", &when),
        times: when,
        advice: advice(
            counted,
            "Reduce allocations at the top call sites. For services, try Server GC or more memory.",
        ),
        ..Finding::new(FindingKind::PauseShare, of_pauses(all))
    })
}

/// Returns the finding that the app itself induces GCs.
fn induced(known: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let asked: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| is_induced(one.reason)).collect();
    let cost = asked.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    if asked.len() < INDUCED && cost < LONG {
        return None;
    }
    let (_, detail) = asked.iter().max_by_key(|(one, _)| one.pause_total()).copied()?;
    let place = asker_name(known, detail);
    let by = if place.is_empty() { String::new() } else { format!(" {place} triggered the longest one.") };
    let when = pauses(asked.iter().map(|(one, _)| *one));
    Some(Finding {
        title: format!("GC.Collect paused the process for {}", duration(cost)),
        sentence: format!(
            "The app forced {} of {}.{by}",
            count(asked.len() as u64),
            number_of(counted.len() as u64, "GC")
        ),
        links: links("Open GC", &when),
        times: when,
        advice: match PauseParts::sum(asked.iter().copied()).largest() {
            PausePart::Work => "Remove GC.Collect calls and let the GC decide when to run.".to_owned(),
            part => format!("Remove GC.Collect calls. {}", part.advice()),
        },
        ..Finding::new(FindingKind::InducedGcs, of_pauses(cost))
    })
}

/// Returns the finding that short-lived large objects trigger GCs, each of which is a full one.
fn large_objects(_: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let large: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| one.reason == LARGE_OBJECT).collect();
    if large.len() < LARGE || (large.len() as f64) < LARGE_SHARE * counted.len() as f64 {
        return None;
    }
    let cost = large.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    if (cost as f64) < LARGE_TIME * scope.span.duration() as f64 {
        return None;
    }
    let when = pauses(large.iter().map(|(one, _)| *one));
    Some(Finding {
        title: format!("GCs for large objects paused the process for {}", duration(cost)),
        sentence: format!(
            "{} of {} were triggered by LOH allocations (85,000 bytes or more), which only gen 2 GCs reclaim.",
            count(large.len() as u64),
            number_of(counted.len() as u64, "GC")
        ),
        links: links("Open GC", &when)
            .into_iter()
            .chain([link("Open Allocations", FindingTarget::Topic(Topic::Allocations))])
            .collect(),
        times: when,
        advice: match PauseParts::sum(large.iter().copied()).largest() {
            PausePart::Work => "Rent large buffers from ArrayPool<T> or reuse them.".to_owned(),
            part => format!("{} Fewer large objects also help: use ArrayPool<T>.", part.advice()),
        },
        ..Finding::new(FindingKind::LargeObjectChurn, of_pauses(cost))
    })
}

/// Returns the finding that very many objects have finalizers.
fn finalizers(facts: &GcFacts, scope: &Scope<'_>) -> Option<Finding> {
    let seconds = scope.span.duration().max(1) as f64 / 1e9;
    let finalized = facts.finalized(scope);
    let a_second = finalized as f64 / seconds;
    if a_second < FINALIZED_A_SECOND || seconds < FINALIZED_SECONDS {
        return None;
    }
    Some(Finding {
        title: format!("{} objects were finalized", count(finalized)),
        sentence: format!(
            "{}/s. Each survives at least one extra GC, and a single thread runs all finalizers.",
            count(a_second as u64)
        ),
        links: vec![link("Open GC", FindingTarget::Topic(Topic::Gc))],
        advice: "Dispose finalizable objects; a Dispose that calls GC.SuppressFinalize keeps them off the queue."
            .to_owned(),
        ..Finding::new(FindingKind::FinalizerBacklog, Cost::count(finalized, "objects finalized"))
    })
}
