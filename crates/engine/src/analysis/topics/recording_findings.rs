//! What is wrong with the recording itself, and so puts other figures in doubt: lost events, code without names, times
//! without samples, event sources that failed.

use super::event_source_findings::event_source_findings;
use super::shared::evidence::{extent, link, times};
use super::shared::silence::{silences, silent_in_pause};
use super::{Known, Scope};
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::model::Store;
use protocol::base::ids::{FrameId, StackId};
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::report::Unit;

/// A share of stacks with code that has no name from which on it is a finding.
const NAMELESS_SHARE: f64 = 0.05;
/// No thread has a sample for so many of the sampler's periods, and for so long, nanoseconds.
const GAP_PERIODS: i64 = 20;
const GAP: i64 = 200_000_000;
/// A gap that has this share in a GC's pause belongs to it.
const MOSTLY: f64 = 0.9;

/// All of them.
pub fn recording_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let found = [lost_events(known.store, scope), no_names(known, scope), sampling_gap(known, scope)];
    found.into_iter().flatten().chain(event_source_findings(known, scope)).collect()
}

/// Events that were lost while what counts was recorded.
fn lost_events(store: &Store, scope: &Scope<'_>) -> Option<Finding> {
    let clock = store.clock();
    let first = store.full_span().start.0;
    let time_of = |after: Option<i64>, before: i64| {
        Span::new(after.map_or(first, |ticks| clock.nanos(ticks).0), clock.nanos(before).0.saturating_add(1))
    };
    let (mut lost, mut when, mut threads) = (0u64, Vec::new(), Vec::new());
    for loss in store.losses() {
        let time = time_of(loss.after_ticks, loss.before_ticks);
        if scope.filter.span.is_none_or(|span| time.intersect(span).is_some()) {
            lost += loss.count;
            when.push(time);
            threads.push(loss.os_thread);
        }
    }
    if lost == 0 {
        return None;
    }
    threads.sort_unstable();
    threads.dedup();
    let when = times(when);
    let of_all = percent(lost as f64, (lost + scope.selection.count()) as f64);
    let low_by = match of_all.strip_prefix('<') {
        Some(most) => format!("less than {}", most.trim_start()),
        None => format!("about {of_all}"),
    };
    let of_threads = counted(threads.len() as u64, "thread");
    Some(Finding {
        kind: FindingKind::LostEvents,
        title: format!("{} lost", counted(lost, "event")),
        sentence: format!(
            "Event buffers overflowed on {of_threads}. Counts are low by {low_by}, and some start events have no stop."
        ),
        cost: lost as f64,
        unit: Unit::Count,
        cost_words: "events lost".to_owned(),
        links: extent(&when).map(|span| link("Show on timeline", FindingTarget::Timeline(span))).into_iter().collect(),
        times: when,
        advice: "Record with a larger buffer (--buffersize 1024), fewer providers, or a lower level.".to_owned(),
        weight: 0.0,
    })
}

/// Samples with frames of which nobody knows the method.
fn no_names(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    // Native code without symbols is as usual; compiled code without a name means that its names are missing.
    let is_unresolved = |frame: FrameId| {
        let function = store.function_of(frame);
        function.is_some_and(|one| one.is_unresolved && store.strings().get(one.module).is_empty())
    };
    let mut has_unresolved = vec![false; store.stacks().len()];
    for stack in (1..store.stacks().len() as u32).map(StackId) {
        let above = has_unresolved[store.stacks().parent(stack).index()];
        has_unresolved[stack.index()] = above || store.stacks().frame(stack).is_some_and(is_unresolved);
    }
    let (mut samples, mut unresolved) = (0u64, 0u64);
    for (_, thread) in known.samples.iter() {
        for at in thread.inside(scope.span) {
            let stack = thread.stack(at);
            samples += u64::from(stack != StackId(0));
            unresolved += u64::from(has_unresolved.get(stack.index()).copied().unwrap_or(false));
        }
    }
    if samples == 0 || (unresolved as f64) < NAMELESS_SHARE * samples as f64 {
        return None;
    }
    let why = if store.rundown_events() > 0 {
        "No method is known at these addresses: native code or runtime stubs."
    } else {
        "The trace has no rundown, so methods compiled before recording started have no names."
    };
    Some(Finding {
        kind: FindingKind::NoNames,
        title: format!("Unresolved frames in {} of samples", percent(unresolved as f64, samples as f64)),
        sentence: why.to_owned(),
        cost: unresolved as f64,
        unit: Unit::Count,
        cost_words: format!("of {} samples", count(samples)),
        times: Vec::new(),
        links: Vec::new(),
        advice: "Stop recording before the process exits, with rundown enabled, or drop the process's perf-PID.map \
                 file here."
            .to_owned(),
        weight: 0.0,
    })
}

/// Times in which the sampler, which runs, took no sample of any thread, and those in which nothing at all was recorded.
fn sampling_gap(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let mut taken: Vec<i64> = Vec::new();
    // What samples processors takes none of what does not run.
    let by_clock =
        || known.samples.iter().map(|(_, thread)| thread).filter(|thread| thread.kind() == Sampling::WallClock);
    for thread in by_clock() {
        taken.extend(thread.inside(scope.span).map(|at| thread.time(at)));
    }
    taken.sort_unstable();
    taken.dedup();
    let period = by_clock().map(ThreadSamples::period).filter(|period| *period > 0).min();
    let least = GAP.max(period.unwrap_or(0).saturating_mul(GAP_PERIODS));
    let mut gaps: Vec<Span> =
        taken.windows(2).filter(|pair| pair[1] - pair[0] > least).map(|pair| Span::new(pair[0], pair[1])).collect();
    let pauses = || known.gcs.iter().flat_map(|one| &one.pauses);
    // While threads are suspended for a GC, the sampler waits, too.
    gaps.retain(|gap| !pauses().any(|pause| is_mostly_in(*gap, Span::new(pause.start, pause.end))));
    let mut silent: Vec<Span> = gaps.iter().flat_map(|gap| silences(known.store, *gap, least)).collect();
    let in_pauses: Vec<Span> = pauses()
        .flat_map(|pause| silent_in_pause(known, pause))
        .filter(|time| time.duration() >= GAP && time.intersect(scope.span).is_some())
        .collect();
    gaps.extend(in_pauses.iter().copied());
    silent.extend(in_pauses.iter().copied());
    let longest = gaps.iter().copied().max_by_key(|gap| gap.duration())?;
    let total: i64 = gaps.iter().map(|gap| gap.duration()).sum();
    let number = match gaps.len() {
        1 => format!("for {}", duration(longest.duration())),
        many => format!("{} times, for up to {}", count(many as u64), duration(longest.duration())),
    };
    let mut sentence = match period {
        Some(period) if in_pauses.len() < gaps.len() => format!(
            "The sampler normally runs every {} but captured nothing {number}. Stacks can't show what ran then.",
            duration(period)
        ),
        _ => format!("Nothing was recorded on the whole machine {number}."),
    };
    let is_silent = !silent.is_empty();
    if is_silent && in_pauses.len() < gaps.len() {
        let nanos = silent.iter().map(|time| time.duration()).fold(0, i64::saturating_add);
        sentence += &format!(" For {}, no thread has an event either.", duration(nanos));
    }
    if !in_pauses.is_empty() {
        let nanos = in_pauses.iter().map(|time| time.duration()).fold(0, i64::saturating_add);
        sentence += &format!(" {} of it lie in GC pauses; that isn't the GC's work.", duration(nanos));
    }
    Some(Finding {
        kind: FindingKind::SamplingGap,
        title: match is_silent {
            true => format!("Nothing recorded for {}", duration(longest.duration())),
            false => format!("No samples for {}", duration(longest.duration())),
        },
        sentence,
        cost: total as f64,
        unit: Unit::Duration,
        cost_words: "without samples".to_owned(),
        links: vec![link("Show on timeline", FindingTarget::Timeline(longest))],
        times: times(gaps),
        advice: match is_silent {
            true => {
                "The process or the machine stood still: look for a suspended VM or container, CPU throttling, or a \
                 debugger."
            }
            false => {
                "The sampler was starved or blocked: other events continue. Look for more runnable threads than CPUs."
            }
        }
        .to_owned(),
        weight: 0.0,
    })
}

/// Whether nearly all of a time is inside of another.
fn is_mostly_in(time: Span, other: Span) -> bool {
    time.intersect(other).is_some_and(|both| both.duration() as f64 >= MOSTLY * time.duration() as f64)
}
