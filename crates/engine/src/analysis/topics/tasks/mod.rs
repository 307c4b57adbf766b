//! Tasks and async methods: how long they waited for a thread, ran, awaited; by place, by method, one by one.

mod async_buffers;
mod gather;
#[cfg(test)]
mod reference_tests;
mod tables;
#[cfg(test)]
mod tests;
mod trees;

use super::shared::call_site::site_name;
use super::shared::report::{Report, by_size, percentile};
use super::{Facts, Known, Needs, Scope};
use crate::clr::KnownEvent;
use crate::clr::source_names::TASKS;
use crate::model::{EventChunk, EventType, Store};
use async_buffers::AsyncBuffers;
use gather::{Blocking, Gathered, Operation, Task, is_told};
use protocol::base::sort::sort_by_key;
use protocol::format::{count, counted, duration, times};
use protocol::topics::report::{Hue, StacksOf, Unit};
use tables::by_site;

/// The tasks of a trace.
#[derive(Debug, Default)]
pub struct TaskFacts {
    gathered: Gathered,
    buffers: AsyncBuffers,
}

impl TaskFacts {
    /// Nothing read yet.
    pub fn new(_store: &Store) -> Self {
        Self::default()
    }
}

impl Facts for TaskFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        is_told(event_type) || event_type.known == KnownEvent::AsyncEvents
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        if store.types().get(chunk.event_type(row)).is_some_and(|one| one.known == KnownEvent::AsyncEvents) {
            return self.buffers.take(store, chunk.event_id(row), payload);
        }
        self.gathered.take(store, chunk, row, payload);
    }

    fn needs(&self) -> Needs {
        Needs { spans: true, ..Needs::default() }
    }

    fn finish(&mut self, known: &Known<'_>) {
        self.gathered.finish(known);
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let store = known.store;
        let tasks: Vec<(u32, &Task)> =
            (0..).zip(&self.gathered.tasks).filter(|(_, one)| scope.has(one.event)).collect();
        let operations: Vec<(u32, &Operation)> =
            (0..).zip(&self.gathered.operations).filter(|(_, one)| scope.has(one.event)).collect();
        let blocking: Vec<&Blocking> = self.gathered.blocking.iter().filter(|one| scope.has(one.event)).collect();
        let mut report = Report::default();
        judge_tasks(store, &tasks, &mut report);
        self.judge_operations(&operations, &blocking, &mut report);
        self.buffers.judge(store, scope, &mut report);
        if report.verdict.is_empty() {
            report.verdict = "No task was scheduled and no async method was called.".to_owned();
        }
        let mut sizes: Vec<(f64, usize)> =
            tasks.iter().filter_map(|(_, one)| Some((one.waited()? as f64, 0))).collect();
        sizes.extend(tasks.iter().filter_map(|(_, one)| Some((one.ran()? as f64, 1))));
        let series = [("Waited for a thread", Hue::Lock), ("Ran", Hue::Managed)];
        report.charts.extend(by_size("Tasks by time", Unit::Duration, &series, &sizes));
        let sizes: Vec<(f64, usize)> =
            operations.iter().filter_map(|(_, one)| Some((one.duration()? as f64, 0))).collect();
        report.charts.extend(by_size(
            "Async methods by time",
            Unit::Duration,
            &[("From call to end", Hue::Span)],
            &sizes,
        ));
        report.tables.push(self.sites_table(store, &tasks));
        report.tables.push(self.methods_table(&operations));
        report.tables.push(self.tasks_table(store, &tasks));
        report.tables.push(self.operations_table(store, &operations));
        report.tables.push(self.trees_table(store, &operations));
        report.tables.push(self.blocking_table(store, &blocking));
        report.tables.extend(self.buffers.table(scope));
        for (words, event, is_there) in [
            ("Where tasks are scheduled", "TaskScheduled", !tasks.is_empty()),
            ("Who waits for tasks", "TaskWaitBegin", !blocking.is_empty()),
        ] {
            let told = store.types().iter().find(|one| one.provider == TASKS && one.display_name.starts_with(event));
            if let Some(told) = told.filter(|_| is_there) {
                let (words, provider, event) = (words.to_owned(), TASKS.to_owned(), told.display_name.clone());
                report.stacks.push(StacksOf { words, provider, event });
            }
        }
        report
    }

    fn bytes(&self) -> usize {
        self.gathered.bytes() + self.buffers.bytes()
    }
}

/// Values in ascending order.
fn ascending(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.collect();
    sort_by_key(&mut values, |value| *value);
    values
}

fn judge_tasks(store: &Store, tasks: &[(u32, &Task)], report: &mut Report) {
    let waited = ascending(tasks.iter().filter_map(|(_, one)| one.waited()));
    let ran = ascending(tasks.iter().filter_map(|(_, one)| one.ran()));
    let total = |values: &[i64]| values.iter().sum::<i64>();
    if let (Some(half), Some(most)) = (percentile(&waited, 0.5), percentile(&waited, 0.99)) {
        report.verdict = format!(
            "{} waited {} for a thread in all (half within {}, 99 % within {}) and ran {}.",
            counted(tasks.len() as u64, "task"),
            duration(total(&waited)),
            duration(half),
            duration(most),
            duration(total(&ran))
        );
        let sites = by_site(tasks);
        let longest = sites.iter().max_by_key(|(_, of)| of.iter().filter_map(|one| one.waited()).sum::<i64>());
        if let Some((Some(site), of)) = longest.filter(|_| sites.len() > 1) {
            let waited: i64 = of.iter().filter_map(|one| one.waited()).sum();
            let name = site_name(store, Some(*site));
            report.explanation = format!(
                "{} scheduled in {name} waited longest, {}.",
                counted(of.len() as u64, "task"),
                duration(waited)
            );
        }
    } else if !tasks.is_empty() {
        report.verdict = format!("{} ran {}.", counted(tasks.len() as u64, "task"), duration(total(&ran)));
    }
    report.figure("tasks", "Tasks", tasks.len() as f64, Unit::Count, "");
    if tasks.is_empty() {
        return;
    }
    let at = |values: &[i64], share: f64| percentile(values, share).map_or(f64::NAN, |nanos| nanos as f64);
    report.figure("waitedNs", "Waited for a thread", total(&waited) as f64, Unit::Duration, "all tasks together");
    report.figure("waitedP95Ns", "Waited: 95 % within", at(&waited, 0.95), Unit::Duration, "");
    report.figure("waitedMaxNs", "Waited: longest", at(&waited, 1.0), Unit::Duration, "");
    report.figure("ranNs", "Ran", total(&ran) as f64, Unit::Duration, "all tasks together");
    report.figure("ranMaxNs", "Ran: longest", at(&ran, 1.0), Unit::Duration, "");
    let number = |is_one: &dyn Fn(&Task) -> bool| tasks.iter().filter(|(_, one)| is_one(one)).count() as f64;
    report.figure("failed", "Ended with an exception", number(&|one| one.is_exceptional), Unit::Count, "");
    report.figure(
        "neverStarted",
        "Not started",
        number(&|one| one.started.is_none()),
        Unit::Count,
        "by the end of the trace",
    );
    let is_open = |one: &Task| one.started.is_some() && one.ended.is_none();
    report.figure("neverCompleted", "Started, not ended", number(&is_open), Unit::Count, "by the end of the trace");
}

impl TaskFacts {
    fn judge_operations(&self, operations: &[(u32, &Operation)], blocking: &[&Blocking], report: &mut Report) {
        report.figure("asyncMethods", "Async methods called", operations.len() as f64, Unit::Count, "");
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
                let words = format!(
                    "{} ran {} and awaited {} times; the longest, {}, took {}.",
                    counted(operations.len() as u64, "async method"),
                    duration(ran),
                    count(awaits),
                    self.gathered.texts.get(one.name),
                    duration(length)
                );
                if report.verdict.is_empty() { report.verdict = words } else { sentences.push(words) }
            }
            let at = |share: f64| percentile(&lasting, share).map_or(f64::NAN, |nanos| nanos as f64);
            report.figure("asyncP95Ns", "Async methods: 95 % within", at(0.95), Unit::Duration, "");
            report.figure("asyncMaxNs", "Async methods: longest", at(1.0), Unit::Duration, "");
            report.figure("asyncRanNs", "Async methods ran", ran as f64, Unit::Duration, "");
            report.figure("awaits", "Awaits", awaits as f64, Unit::Count, "");
            report.figure("asyncOpen", "Async methods not ended", open as f64, Unit::Count, "by the end of the trace");
        }
        let blocked = blocking.iter().filter_map(|one| one.duration()).fold(0, i64::saturating_add);
        let unknown = blocking.iter().filter(|one| one.end.is_none()).count() as u64;
        let note = match unknown {
            0 => String::new(),
            _ => format!("of {} the end is not known", counted(unknown, "wait")),
        };
        report.figure("blockingWaits", "Threads that blocked on a task", blocking.len() as f64, Unit::Count, "");
        report.figure("blockedNs", "Blocked on tasks", blocked as f64, Unit::Duration, &note);
        if !blocking.is_empty() {
            let times = times(blocking.len() as u64);
            sentences.push(match blocked {
                0 => format!("Threads blocked on tasks {times}; how long is not known."),
                _ => format!("Threads blocked on tasks {times}, {} in all.", duration(blocked)),
            });
        }
        sentences.retain(|sentence| !sentence.is_empty());
        report.explanation = sentences.join(" ");
    }
}
