//! What of the collections is wrong with the program.

use super::GcFacts;
use super::reason_text::{called, cause};
use super::report::{PausePart, PauseParts, counts, inside};
use super::tables::Counted;
use super::tables::{asker_name, suspension};
use crate::analysis::intervals::gc_pauses::{Gc, Pause};
use crate::analysis::topics::shared::evidence::{extent, link, times};
use crate::analysis::topics::shared::silence::silent_in_pause;
use crate::analysis::topics::{Known, Scope};
use crate::clr::known::payload::is_induced;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::format::{count, counted as number_of, duration, percent, seconds};
use protocol::topics::finding::{Finding, FindingKind, FindingLink, FindingTarget};
use protocol::topics::report::Unit;
use protocol::topics::topic::Topic;

/// A pause that people notice, nanoseconds.
const LONG: i64 = 50_000_000;
/// A share of the time, and nanoseconds of it, from which on collections cost too much: programs that allocate much and are
/// well lose up to a tenth.
const SHARE: f64 = 0.15;
const SHARE_LEAST: i64 = 100_000_000;
/// Suspending threads is slow from this share of the pauses on, and nanoseconds of it.
const SUSPEND_SHARE: f64 = 0.4;
const SUSPEND_LEAST: i64 = 50_000_000;
/// So many induced collections are a habit.
const INDUCED: usize = 3;
/// So many collections for large objects, so large a share of all, and such a share of the time, are churn.
const LARGE: usize = 5;
const LARGE_SHARE: f64 = 0.2;
const LARGE_TIME: f64 = 0.01;
/// The runtime's code: an allocation of a large object, small or large budget.
const LARGE_OBJECT: u32 = 4;
/// So many objects were finalized in a second that it is a burden.
const FINALIZED_A_SECOND: f64 = 10_000.0;

/// All of it.
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

/// Nanoseconds of a pause without those in which the whole machine stood still: that is no work of the GC.
fn lasted(known: &Known<'_>, pause: &Pause) -> i64 {
    let silent = silent_in_pause(known, pause).iter().map(|time| time.duration()).fold(0, i64::saturating_add);
    pause.duration().saturating_sub(silent)
}

/// Nanoseconds of the pauses in which the whole machine stood still.
fn silent(known: &Known<'_>, counted: &[Counted<'_>]) -> i64 {
    let of = |pause: &Pause| pause.duration().saturating_sub(lasted(known, pause));
    counted.iter().map(|(one, _)| one.sum(of)).fold(0, i64::saturating_add)
}

/// One collection stopped everything for so long that people notice.
fn long_pause(known: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let longest_of = |one: &Gc| one.pauses.iter().map(|pause| lasted(known, pause)).max().unwrap_or(0);
    let long: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| longest_of(one) >= LONG).collect();
    let (one, detail) = long.iter().max_by_key(|(one, _)| longest_of(one)).copied()?;
    let pause = one.pauses.iter().max_by_key(|pause| lasted(known, pause))?;
    let all = paused(counted, scope).saturating_sub(silent(known, counted));
    let of_long = long.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    let of_long = of_long.saturating_sub(long.iter().map(|one| silent(known, &[**one])).fold(0, i64::saturating_add));
    let place = asker_name(known.store, detail);
    let why = if place.is_empty() { cause(one.reason) } else { format!("{} in {place}", cause(one.reason)) };
    let mut sentence = format!("{} at {}, triggered by {why}.", called(one), seconds(pause.start, 3));
    if long.len() > 1 {
        let others = number_of(long.len() as u64 - 1, "other");
        sentence += &format!(" {others} also paused for {} or longer.", duration(LONG));
    }
    let when = pauses(long.iter().map(|(one, _)| *one));
    let shown = Span::new(pause.start, pause.end);
    let number = format!("GC #{}", one.number);
    Some(Finding {
        kind: FindingKind::LongPause,
        title: format!("Longest GC pause: {}", duration(lasted(known, pause))),
        sentence,
        cost: of_long as f64,
        unit: Unit::Duration,
        cost_words: format!("of {} total GC pause", duration(all)),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(shown)),
            link(&number, FindingTarget::Event(EventId(one.event))),
            link("Open GC", FindingTarget::Topic(Topic::Gc)),
        ],
        times: when,
        advice: advice(
            &[(one, detail)],
            "Long pauses usually come from a large heap, forced GCs or memory pressure. Check the GC's reason and the \
             top allocators.",
        ),
        weight: of_long as f64 / 1e9,
    })
}

/// What helps against pauses; `of_work` if the GC's work takes most of their time.
fn advice(counted: &[Counted<'_>], of_work: &str) -> String {
    match PauseParts::of(counted).largest() {
        PausePart::Work => of_work.to_owned(),
        part => part.advice().to_owned(),
    }
}

impl PausePart {
    /// What helps where it takes most of the pauses.
    fn advice(self) -> &'static str {
        match self {
            Self::Work => "Reduce allocations at the top call sites.",
            Self::Suspend => {
                "Suspending threads took most of the time, so the heap isn't the cause. Look for more runnable threads \
                 than CPUs, and for long loops without calls."
            }
            Self::Resume => {
                "Resuming threads took most of the time, so the heap isn't the cause: the GC's thread waited for a CPU. \
                 Look for more runnable threads than CPUs."
            }
        }
    }
}

/// The threads were slow to stop: not the heap costs time.
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
    Some(Finding {
        kind: FindingKind::SlowSuspension,
        title: format!("Suspending threads for GCs took {}", duration(parts.suspend)),
        sentence: format!(
            "Suspend time is {} of {} total GC pause. The slowest suspend took {}, for GC #{} at {}.",
            percent(parts.suspend as f64, all as f64),
            duration(all),
            duration(pause.suspend_duration()),
            slowest.number,
            seconds(pause.start, 3)
        ),
        cost: parts.suspend as f64,
        unit: Unit::Duration,
        cost_words: format!("of {} total GC pause", duration(paused(counted, scope))),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(show)),
            link("Open GC", FindingTarget::Topic(Topic::Gc)),
        ],
        times: when,
        advice: PausePart::Suspend.advice().to_owned(),
        weight: parts.suspend as f64 / 1e9,
    })
}

/// Collections took a large part of the time.
fn pause_share(known: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let (all, whole) = (paused(counted, scope).saturating_sub(silent(known, counted)), scope.span.duration());
    if all < SHARE_LEAST || (all as f64) < SHARE * whole as f64 {
        return None;
    }
    let when = pauses(counted.iter().map(|(one, _)| *one));
    let share = percent(all as f64, whole as f64);
    Some(Finding {
        kind: FindingKind::PauseShare,
        title: format!("GC paused the process for {share} of the time"),
        sentence: format!(
            "{} paused all threads for {} of {}.",
            number_of(counted.len() as u64, "GC"),
            duration(all),
            duration(whole)
        ),
        cost: all as f64,
        unit: Unit::Duration,
        cost_words: "of GC pauses".to_owned(),
        links: links("Open GC", &when),
        times: when,
        advice: advice(
            counted,
            "Reduce allocations at the top call sites. For services, try Server GC or more memory.",
        ),
        weight: all as f64 / 1e9,
    })
}

/// The program asks for collections itself.
fn induced(known: &Known<'_>, scope: &Scope<'_>, counted: &[Counted<'_>]) -> Option<Finding> {
    let asked: Vec<&Counted<'_>> = counted.iter().filter(|(one, _)| is_induced(one.reason)).collect();
    let cost = asked.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    if asked.len() < INDUCED && cost < LONG {
        return None;
    }
    let (_, detail) = asked.iter().max_by_key(|(one, _)| one.pause_total()).copied()?;
    let place = asker_name(known.store, detail);
    let by = if place.is_empty() { String::new() } else { format!(" {place} triggered the longest one.") };
    let when = pauses(asked.iter().map(|(one, _)| *one));
    Some(Finding {
        kind: FindingKind::InducedGcs,
        title: format!("The app forced {} (GC.Collect)", number_of(asked.len() as u64, "GC")),
        sentence: format!(
            "{} of {} were forced; they paused the process for {}.{by}",
            count(asked.len() as u64),
            number_of(counted.len() as u64, "GC"),
            duration(cost)
        ),
        cost: cost as f64,
        unit: Unit::Duration,
        cost_words: "of GC pauses".to_owned(),
        links: links("Open GC", &when),
        times: when,
        advice: match PauseParts::sum(asked.iter().copied()).largest() {
            PausePart::Work => "Remove GC.Collect calls and let the GC decide when to run.".to_owned(),
            part => format!("Remove GC.Collect calls. {}", part.advice()),
        },
        weight: cost as f64 / 1e9,
    })
}

/// Large objects come and go: each of these collections is a full one.
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
        kind: FindingKind::LargeObjectChurn,
        title: format!("Large object allocations triggered {}", number_of(large.len() as u64, "GC")),
        sentence: format!(
            "Objects of 85,000 bytes or more go to the LOH, which only gen 2 GCs collect: {} of {}.",
            count(large.len() as u64),
            number_of(counted.len() as u64, "GC")
        ),
        cost: cost as f64,
        unit: Unit::Duration,
        cost_words: "of GC pauses".to_owned(),
        links: links("Open GC", &when)
            .into_iter()
            .chain([link("Open Allocations", FindingTarget::Topic(Topic::Allocations))])
            .collect(),
        times: when,
        advice: match PauseParts::sum(large.iter().copied()).largest() {
            PausePart::Work => "Rent large buffers from ArrayPool<T> or reuse them.".to_owned(),
            part => format!("{} Fewer large objects also help: use ArrayPool<T>.", part.advice()),
        },
        weight: cost as f64 / 1e9,
    })
}

/// Very many objects have finalizers.
fn finalizers(facts: &GcFacts, scope: &Scope<'_>) -> Option<Finding> {
    let seconds = scope.span.duration().max(1) as f64 / 1e9;
    let a_second = facts.finalized as f64 / seconds;
    if a_second < FINALIZED_A_SECOND || scope.filter != &Default::default() {
        return None;
    }
    Some(Finding {
        kind: FindingKind::FinalizerBacklog,
        title: format!("{} objects were finalized", count(facts.finalized)),
        sentence: format!(
            "{}/s. Each survives at least one extra GC, and a single thread runs all finalizers.",
            count(a_second as u64)
        ),
        cost: facts.finalized as f64,
        unit: Unit::Count,
        cost_words: "objects finalized".to_owned(),
        links: vec![link("Open GC", FindingTarget::Topic(Topic::Gc))],
        times: Vec::new(),
        advice: "Dispose finalizable objects; a Dispose that calls GC.SuppressFinalize keeps them off the queue."
            .to_owned(),
        weight: a_second / FINALIZED_A_SECOND / 10.0,
    })
}
