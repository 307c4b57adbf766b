//! Tasks and async methods: times waiting for a thread, running and awaiting, by call site, by method, individually.

mod async_buffers;
mod chain_methods;
mod gather;
#[cfg(test)]
mod reference_tests;
mod tables;
#[cfg(test)]
mod tests;
mod trees;

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::SiteNames;
use super::shared::durations::ascending;
use super::shared::report::{Report, by_size, percentile};
use super::{Analysis, Facts, Known, Needs, Scope, cut_words};
use crate::clr::KnownEvent;
use crate::clr::source_names::TASKS;
use crate::model::{EventChunk, EventType, Store};
use async_buffers::AsyncBuffers;
use gather::{Blocking, Gathered, Operation, Task, is_task_event};
use protocol::base::ids::EventId;
use protocol::format::{count, counted, duration, times};
use protocol::topics::report::{Hue, Unit};
use tables::by_site;

/// The tasks of a trace.
#[derive(Debug, Default)]
pub struct TaskFacts {
    gathered: Gathered,
    buffers: AsyncBuffers,
}

impl Analysis for TaskFacts {
    const HAS_FINDINGS: bool = false;
    const NEEDS: Needs = Needs { spans: true, ..Needs::NONE };

    fn role(event_type: &EventType, trace: &Trace) -> Option<Role> {
        use KnownEvent as E;
        match event_type.known {
            known if Some(known) == trace.tasks => Some(Role::Counted),
            E::TaskScheduled | E::TaskOperationBegin | E::TaskExecuteStart | E::TaskWaitBegin | E::AsyncEvents => {
                Some(Role::Related)
            }
            _ => None,
        }
    }
}

impl Facts for TaskFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        is_task_event(event_type) || event_type.known == KnownEvent::AsyncEvents
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        if store.types.get(chunk.event_type(row)).is_some_and(|one| one.known == KnownEvent::AsyncEvents) {
            return self.buffers.take(store, chunk.event_id(row), payload);
        }
        self.gathered.take(store, chunk, row, payload);
    }

    fn finish(&mut self, known: &Known<'_>) {
        self.gathered.finish(known);
        self.buffers.seal(known.store);
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let (store, names) = (known.store, known.site_names());
        let recorded = Recorded::new(store);
        let tasks: Vec<(u32, &Task)> = self.tasks_in(recorded, scope).collect();
        let operations: Vec<(u32, &Operation)> = self.operations_in(scope).collect();
        let blocking = self.gathered.blocking.iter().filter(|one| counts(scope, one.event, one.lasts()));
        let blocking: Vec<&Blocking> = blocking.collect();
        let cut = |(start, end): (i64, i64)| scope.cuts(start, end);
        let cut = Cut {
            tasks: tasks.iter().filter(|(_, one)| cut(one.lasts(recorded))).count(),
            operations: operations.iter().filter(|(_, one)| cut(one.lasts())).count(),
            blocking: blocking.iter().filter(|one| cut(one.lasts())).count(),
        };
        let mut report = Report::default();
        judge_tasks(names, recorded, &tasks, cut, &mut report);
        self.judge_operations(recorded, &operations, &blocking, cut, &mut report);
        self.buffers.judge(store, scope, &mut report);
        if report.verdict.is_empty() {
            report.verdict = "No tasks or async calls.".to_owned();
        }
        let mut sizes: Vec<(f64, usize)> =
            tasks.iter().filter_map(|(_, one)| Some((one.waited()? as f64, 0))).collect();
        sizes.extend(tasks.iter().filter_map(|(_, one)| Some((one.ran()? as f64, 1))));
        let series = [("Wait", Hue::Neutral), ("Run", Hue::Managed)];
        report.charts.extend(by_size("Task wait and run times", Unit::Duration, &series, &sizes));
        let sizes: Vec<(f64, usize)> =
            operations.iter().filter_map(|(_, one)| Some((one.duration()? as f64, 0))).collect();
        report.charts.extend(by_size("Async call duration", Unit::Duration, &[("Async calls", Hue::Span)], &sizes));
        report.tables.push(self.sites_table(names, recorded, &tasks));
        report.tables.push(self.methods_table(recorded, &operations));
        report.tables.push(self.tasks_table((store, names), recorded, &tasks));
        report.tables.push(self.operations_table(store, recorded, &operations));
        report.tables.push(self.trees_table(store, recorded, &operations));
        report.tables.push(self.blocking_table(names, &blocking));
        report.tables.extend(self.buffers.tables(scope));
        for (words, event, is_there) in [
            ("View scheduling stacks", "TaskScheduled", !tasks.is_empty()),
            ("View task wait stacks", "TaskWaitBegin", !blocking.is_empty()),
        ] {
            let event_type =
                store.types.iter().find(|one| one.provider == TASKS && one.display_name.starts_with(event));
            if let Some(event_type) = event_type.filter(|_| is_there) {
                report.view_stacks(words, TASKS, &event_type.display_name);
            }
        }
        report
    }

    fn counted_items(&self, store: &Store, scope: &Scope<'_>) -> Option<u64> {
        let recorded = Recorded::new(store);
        let items = match counted_event(store)? {
            KnownEvent::TaskOperationBegin => self.operations_in(scope).count(),
            _ => self.tasks_in(recorded, scope).filter(|(_, one)| !one.is_earlier(recorded)).count(),
        };
        Some(items as u64)
    }

    fn bytes(&self) -> usize {
        self.gathered.bytes() + self.buffers.bytes()
    }
}

/// Returns the event of which the tab counts one per item: a scheduled task, or else a running one, or else a call of
/// an async method.
pub(super) fn counted_event(store: &Store) -> Option<KnownEvent> {
    let kinds = [KnownEvent::TaskScheduled, KnownEvent::TaskExecuteStart, KnownEvent::TaskOperationBegin];
    kinds.into_iter().find(|known| has_events(store, *known))
}

/// Returns whether the times from the first to the last event of an item are in scope.
fn counts(scope: &Scope<'_>, event: EventId, (start, end): (i64, i64)) -> bool {
    scope.covers(event, start, end)
}

fn has_events(store: &Store, known: KnownEvent) -> bool {
    store.types.of_known(known).any(|one| one.count > 0)
}

/// Numbers of items that the time range cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cut {
    tasks: usize,
    operations: usize,
    blocking: usize,
}

/// Event types of tasks and async methods in a trace. Without one, its facts are unknown for all tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Recorded {
    schedules: bool,
    task_starts: bool,
    task_ends: bool,
    /// Sections of async methods on threads.
    sections: bool,
    awaits: bool,
}

impl Recorded {
    fn new(store: &Store) -> Self {
        let has = |known: KnownEvent| has_events(store, known);
        Self {
            schedules: has(KnownEvent::TaskScheduled),
            task_starts: has(KnownEvent::TaskExecuteStart),
            task_ends: has(KnownEvent::TaskExecuteStop),
            sections: has(KnownEvent::TaskWorkBegin),
            awaits: has(KnownEvent::TaskWaitBegin),
        }
    }
}

fn judge_tasks(names: SiteNames<'_>, recorded: Recorded, tasks: &[(u32, &Task)], cut: Cut, report: &mut Report) {
    let waited = ascending(tasks.iter().filter_map(|(_, one)| one.waited()));
    let ran = ascending(tasks.iter().filter_map(|(_, one)| one.ran()));
    let total = |values: &[i64]| values.iter().sum::<i64>();
    let earlier = tasks.iter().filter(|(_, one)| one.is_earlier(recorded)).count();
    let own = tasks.len() - earlier;
    let number = || match earlier {
        0 => counted(own as u64, "task"),
        _ => format!("{} and {} scheduled earlier", counted(own as u64, "task"), count(earlier as u64)),
    };
    if !waited.is_empty() {
        let waiting = duration(total(&waited));
        report.verdict = match ran.is_empty() {
            true => format!("{} waited {waiting} in the queue.", number()),
            false => {
                let ran = duration(total(&ran));
                format!("{} ran for {ran} after waiting {waiting} in the queue.", number())
            }
        };
        let sites = by_site(tasks);
        let longest = sites.iter().max_by_key(|(_, of)| of.iter().filter_map(|one| one.waited()).sum::<i64>());
        if let Some((site, of)) = longest.filter(|(site, _)| sites.len() > 1 && site.is_some()) {
            let waited: i64 = of.iter().filter_map(|one| one.waited()).sum();
            let name = names.phrase(*site);
            report.explanation =
                format!("{} from {name} waited most: {} in total.", counted(of.len() as u64, "task"), duration(waited));
        }
    } else if !tasks.is_empty() {
        report.verdict = match ran.is_empty() {
            true if !recorded.task_starts => format!("{} scheduled; their starts weren't recorded.", number()),
            true => format!("{}, with an unknown run time.", number()),
            false => format!("{} ran for {}.", number(), duration(total(&ran))),
        };
    }
    report.figure("tasks", "Tasks", own as f64, Unit::Count, cut_words(cut.tasks));
    if earlier > 0 {
        let note = "scheduled before the trace, or the event was lost";
        report.figure("scheduledEarlier", "Scheduled earlier", earlier as f64, Unit::Count, note);
    }
    if tasks.is_empty() {
        return;
    }
    let at = |values: &[i64], share: f64| percentile(values, share).map_or(f64::NAN, |nanos| nanos as f64);
    if !waited.is_empty() {
        report.figure("waitedNs", "Total wait", total(&waited) as f64, Unit::Duration, "summed over tasks");
        report.figure("waitedP50Ns", "Wait p50", at(&waited, 0.5), Unit::Duration, "");
        report.figure("waitedP95Ns", "Wait p95", at(&waited, 0.95), Unit::Duration, "");
        report.figure("waitedP99Ns", "Wait p99", at(&waited, 0.99), Unit::Duration, "");
        report.figure("waitedMaxNs", "Max wait", at(&waited, 1.0), Unit::Duration, "");
    }
    if !ran.is_empty() {
        report.figure("ranNs", "Total run", total(&ran) as f64, Unit::Duration, "summed over tasks");
        report.figure("ranMaxNs", "Max run", at(&ran, 1.0), Unit::Duration, "");
    }
    let number = |is_one: &dyn Fn(&Task) -> bool| tasks.iter().filter(|(_, one)| is_one(one)).count() as f64;
    if recorded.task_ends {
        report.figure("failed", "Failed", number(&|one| one.is_exceptional), Unit::Count, "");
    }
    let note = "at the end of the trace";
    if recorded.task_starts {
        let is_waiting = |one: &Task| one.started.is_none() && one.ended.is_none();
        report.figure("neverStarted", "Not started", number(&is_waiting), Unit::Count, note);
    }
    if recorded.task_starts && recorded.task_ends {
        let is_open = |one: &Task| one.started.is_some() && one.ended.is_none();
        report.figure("neverCompleted", "Still running", number(&is_open), Unit::Count, note);
    }
}

impl TaskFacts {
    /// Returns the tasks in scope with their positions.
    fn tasks_in(&self, recorded: Recorded, scope: &Scope<'_>) -> impl Iterator<Item = (u32, &Task)> {
        (0..).zip(&self.gathered.tasks).filter(move |(_, one)| counts(scope, one.event, one.lasts(recorded)))
    }

    /// Returns the calls of async methods in scope with their positions.
    fn operations_in(&self, scope: &Scope<'_>) -> impl Iterator<Item = (u32, &Operation)> {
        (0..).zip(&self.gathered.operations).filter(|(_, one)| counts(scope, one.event, one.lasts()))
    }

    fn judge_operations(
        &self,
        recorded: Recorded,
        operations: &[(u32, &Operation)],
        blocking: &[&Blocking],
        cut: Cut,
        report: &mut Report,
    ) {
        let note = cut_words(cut.operations);
        report.figure("asyncMethods", "Async calls", operations.len() as f64, Unit::Count, note);
        let mut sentences = vec![std::mem::take(&mut report.explanation)];
        if !operations.is_empty() {
            let lasting = ascending(operations.iter().filter_map(|(_, one)| one.duration()));
            let ran: i64 = operations.iter().map(|(_, one)| one.ran).sum();
            let open = operations.iter().filter(|(_, one)| one.end.is_none()).count();
            let awaits: u64 = operations.iter().map(|(_, one)| u64::from(one.awaits)).sum();
            let longest = operations.iter().max_by_key(|(_, one)| one.duration().unwrap_or(-1));
            if let Some((_, one)) = longest
                && let Some(length) = one.duration()
            {
                let executed =
                    if recorded.sections { format!(" executed for {}", duration(ran)) } else { String::new() };
                let across = match recorded.awaits {
                    true => format!(" across {}", counted(awaits, "await")),
                    false => String::new(),
                };
                let words = format!(
                    "{}{executed}{across}; the longest, {}, took {}.",
                    counted(operations.len() as u64, "async call"),
                    self.gathered.texts.get(one.name),
                    duration(length)
                );
                if report.verdict.is_empty() { report.verdict = words } else { sentences.push(words) }
            }
            let at = |share: f64| percentile(&lasting, share).map_or(f64::NAN, |nanos| nanos as f64);
            report.figure("asyncP95Ns", "Async call p95", at(0.95), Unit::Duration, "");
            report.figure("asyncMaxNs", "Async call max", at(1.0), Unit::Duration, "");
            if recorded.sections {
                report.figure("asyncRanNs", "Async executing", ran as f64, Unit::Duration, "");
            }
            if recorded.awaits {
                report.figure("awaits", "Awaits", awaits as f64, Unit::Count, "");
            }
            report.figure("asyncOpen", "Unfinished async calls", open as f64, Unit::Count, "at the end of the trace");
        }
        let blocked = blocking.iter().filter_map(|one| one.duration()).fold(0, i64::saturating_add);
        let unknown = blocking.iter().filter(|one| one.end.is_none()).count() as u64;
        let note = match unknown {
            0 => String::new(),
            _ => format!("no end event for {}", counted(unknown, "wait")),
        };
        let number = blocking.len() as f64;
        report.figure("blockingWaits", "Blocking waits", number, Unit::Count, cut_words(cut.blocking));
        report.figure("blockedNs", "Blocked on tasks", blocked as f64, Unit::Duration, &note);
        if !blocking.is_empty() {
            let times = times(blocking.len() as u64);
            sentences.push(match blocked {
                0 => format!("Threads blocked on tasks {times}; durations are unknown."),
                _ => format!("Threads blocked on tasks {times}, {} in total.", duration(blocked)),
            });
        }
        sentences.retain(|sentence| !sentence.is_empty());
        report.explanation = sentences.join(" ");
    }
}
