//! Cost of GC pauses, and advice against them.

use super::report::{PausePart, PauseParts};
use super::tables::Counted;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::topics::shared::cost::{THREAD_TIME, WALL_TIME, is_thread_time, stopped_time};
use crate::analysis::topics::shared::fixes::LIMIT_THREADS;
use crate::analysis::topics::shared::silence::silent_in_pause;
use crate::analysis::topics::{Known, Scope};
use protocol::base::hash::FastSet;
use protocol::base::ids::{ProcessId, ThreadId};
use protocol::base::time::Span;
use protocol::topics::finding::{Cost, Finding, FindingKind};

/// Returns the times of pauses without gaps of the whole machine, in order and without overlaps.
fn stopped<'c>(known: &Known<'_>, scope: &Scope<'_>, gcs: impl Iterator<Item = &'c Gc>) -> Vec<Span> {
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

/// The costs of GC pauses. All findings have the same unit: the time of stopped threads, or wall time if hardly any
/// thread was sampled, so that all pauses together stopped threads for less than they lasted.
pub(super) struct PauseCosts<'c> {
    pub known: &'c Known<'c>,
    pub scope: &'c Scope<'c>,
    processes: FastSet<Option<ProcessId>>,
    /// The times of all pauses ([`stopped`]).
    pub stops: Vec<Span>,
    is_thread_time: bool,
}

impl<'c> PauseCosts<'c> {
    /// Returns the costs of the pauses of these GCs.
    pub fn new(known: &'c Known<'c>, scope: &'c Scope<'c>, counted: &[Counted<'_>]) -> Self {
        let processes = counted.iter().map(|(one, _)| process(known, ThreadId(one.thread))).collect();
        let stops = stopped(known, scope, counted.iter().map(|(one, _)| *one));
        let lasted = stops.iter().map(|time| time.duration()).fold(0, i64::saturating_add);
        let mut costs = Self { known, scope, processes, stops, is_thread_time: false };
        costs.is_thread_time = costs.stopped_in(&costs.stops).is_some_and(|nanos| nanos >= lasted);
        costs
    }

    /// Returns the cost of some of the GCs, whose pauses take `nanos` of wall time.
    pub fn of<'g>(&self, gcs: impl Iterator<Item = &'g Gc>, nanos: i64) -> Cost {
        self.of_times(&stopped(self.known, self.scope, gcs), nanos)
    }

    /// Returns the cost of parts of the pauses, which are ordered and take `nanos` of wall time.
    pub fn of_times(&self, times: &[Span], nanos: i64) -> Cost {
        match self.is_thread_time {
            true => Cost::time(self.stopped_in(times).unwrap_or(0).max(nanos), THREAD_TIME),
            false => Cost::time(nanos, WALL_TIME),
        }
    }

    fn stopped_in(&self, times: &[Span]) -> Option<i64> {
        stopped_time(self.scope, times, |thread| self.processes.contains(&process(self.known, thread)))
    }
}

fn process(known: &Known<'_>, thread: ThreadId) -> Option<ProcessId> {
    known.store.threads.get(thread).map(|thread| thread.process)
}

/// Returns the title: "GC pauses cost 32.8 s of thread time", "GC pauses took 3.92 s of wall time".
pub(super) fn title(subject: &str, cost: &Cost) -> String {
    match is_thread_time(cost) {
        true => format!("{subject} cost {} of thread time", cost.size()),
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
                "Suspend time dominates these pauses, so the heap isn't the cause. Common causes: more runnable \
                 threads than CPUs, CPU limits of the container, paging.",
            ),
            PausePart::Resume => (
                LIMIT_THREADS,
                "Resume time exceeds GC work, so the heap isn't the cause: the GC's thread waited for a CPU.",
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
        same.details = format!("{} {}. {}", same.details, second.title, second.sentence);
        for link in second.links {
            if !same.links.iter().any(|known| known.words == link.words) {
                same.links.push(link);
            }
        }
    }
    joined
}
