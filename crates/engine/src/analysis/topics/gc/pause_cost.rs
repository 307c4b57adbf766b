//! Cost of GC pauses, and advice against them.

use super::report::{PausePart, PauseParts};
use super::tables::Counted;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::topics::cpu_findings::LIMIT_THREADS;
use crate::analysis::topics::shared::cost::{THREAD_TIME, WALL_TIME, is_thread_time, stopped_time};
use crate::analysis::topics::shared::silence::silent_in_pause;
use crate::analysis::topics::{Known, Scope};
use protocol::base::hash::FastSet;
use protocol::base::ids::{ProcessId, ThreadId};
use protocol::base::time::Span;
use protocol::topics::finding::{Cost, Finding, FindingKind};

/// Returns the times of pauses without gaps of the whole machine, in order and without overlaps.
pub(super) fn stopped<'c>(known: &Known<'_>, scope: &Scope<'_>, gcs: impl Iterator<Item = &'c Gc>) -> Vec<Span> {
    let mut stopped: Vec<Span> = Vec::new();
    for pause in gcs.flat_map(|one| &one.pauses) {
        let Some(span) = Span::new(pause.start, pause.end).intersect(scope.span) else { continue };
        let mut from = span.start;
        for silent in silent_in_pause(known, pause) {
            stopped.push(Span { start: from, end: silent.start.clamp(from, span.end) });
            from = silent.end.clamp(from, span.end);
        }
        stopped.push(Span { start: from, end: span.end });
    }
    Span::joined(stopped)
}

/// Returns the cost of these times of GCs, which are ordered and take `nanos` of wall time. All findings about the
/// `counted` GCs have the same unit: the time of stopped threads, or wall time if hardly any thread was sampled, so that all
/// pauses together stopped threads for less than they lasted.
pub(super) fn cost_of(
    known: &Known<'_>,
    scope: &Scope<'_>,
    counted: &[Counted<'_>],
    (nanos, times): (i64, &[Span]),
) -> Cost {
    let process = |thread: u32| known.store.threads().get(ThreadId(thread)).map(|thread| thread.process);
    let processes: FastSet<Option<ProcessId>> = counted.iter().map(|(one, _)| process(one.thread)).collect();
    let stopped_in = |times: &[Span]| stopped_time(scope, times, |thread| processes.contains(&process(thread.0)));
    let all = stopped(known, scope, counted.iter().map(|(one, _)| *one));
    let lasted = all.iter().map(|time| time.duration()).fold(0, i64::saturating_add);
    match stopped_in(&all).filter(|nanos| *nanos >= lasted) {
        Some(_) => Cost::time(stopped_in(times).unwrap_or(0).max(nanos), THREAD_TIME),
        None => Cost::time(nanos, WALL_TIME),
    }
}

/// Returns the title: "GC pauses stopped threads for 32.8 s in total", "GC pauses took 3.92 s of wall time".
pub(super) fn title(subject: &str, cost: &Cost) -> String {
    match is_thread_time(cost) {
        true => format!("{subject} stopped threads for {} in total", cost.size()),
        false => format!("{subject} took {} of wall time", cost.size()),
    }
}

/// A fix for pauses, and why it is that.
pub(super) struct Advice {
    pub fix: String,
    why: &'static str,
}

impl Advice {
    /// Returns advice against pauses; `of_work` if the GC's work takes most of their time.
    pub fn of<'c>(counted: impl IntoIterator<Item = &'c Counted<'c>>, of_work: &str) -> Self {
        let part = PauseParts::sum(counted.into_iter()).largest();
        let (fix, why) = match part {
            PausePart::Work => (of_work, ""),
            PausePart::Suspend => (
                LIMIT_THREADS,
                "Suspending threads takes most of the pauses, so the heap isn't the cause. Run at most one CPU-bound \
                 thread per CPU, and split long Span<T> copies and loops without calls.",
            ),
            PausePart::Resume => (
                LIMIT_THREADS,
                "Resuming threads takes most of the pauses, so the heap isn't the cause: the GC's thread waited for a CPU.",
            ),
        };
        Self { fix: fix.to_owned(), why }
    }

    /// Adds the reason to other details.
    pub fn explain(&self, details: String) -> String {
        [details.as_str(), self.why].join(" ").trim().to_owned()
    }
}

/// Joins findings with the same fix: they are about the same pauses. The one about all pauses, or else the costliest,
/// gets the evidence and links of the others.
pub(super) fn joined(found: Vec<Finding>) -> Vec<Finding> {
    let mut joined: Vec<Finding> = Vec::new();
    for one in found {
        let Some(same) = joined.iter_mut().find(|other| other.advice == one.advice) else {
            joined.push(one);
            continue;
        };
        let is_larger = same.kind != FindingKind::PauseShare && one.cost.value > same.cost.value;
        let second = if is_larger { std::mem::replace(same, one) } else { one };
        same.details = format!("{} {}: {}", same.details, second.title, second.sentence);
        for link in second.links {
            if !same.links.iter().any(|known| known.words == link.words) {
                same.links.push(link);
            }
        }
    }
    joined
}
