//! Tables of tasks and async methods.

use super::gather::{Blocking, NONE, Operation, Task};
use super::{Recorded, TaskFacts, ascending};
use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::durations::{self, total_if_any};
use crate::analysis::topics::shared::groups::grouped;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{Columns, RowTarget, Table};
use crate::model::Store;
use protocol::base::time::Span;
use protocol::topics::report::Unit;

/// Groups tasks by the call site that scheduled them, by count in descending order.
pub(super) fn by_site<'t>(tasks: &[(u32, &'t Task)]) -> Vec<(Site, Vec<&'t Task>)> {
    grouped(tasks.iter().map(|(_, task)| *task), |task| task.site, Vec::len)
}

impl<'r, R> Columns<'r, R> {
    /// Adds columns for percentiles, maximum and total of durations in ascending order; empty cells without any.
    fn times(self, [half, most, longest, all]: [(&str, &str); 4], of: impl Fn(&'r R) -> &'r [i64]) -> Self {
        self.numbers(half.0, half.1, Unit::Duration, |row| percentile(of(row), 0.5))
            .numbers(most.0, most.1, Unit::Duration, |row| percentile(of(row), 0.95))
            .numbers(longest.0, longest.1, Unit::Duration, |row| of(row).last().copied())
            .bars(all.0, all.1, Unit::Duration, |row| total_if_any(of(row)))
    }
}

/// Names of the columns of [`Columns::times`].
const TIMES: [(&str, &str); 4] = [("p50Ns", "p50"), ("p95Ns", "p95"), ("maxNs", "Max"), ("totalNs", "Total")];

impl TaskFacts {
    pub(super) fn sites_table(&self, names: SiteNames<'_>, recorded: Recorded, tasks: &[(u32, &Task)]) -> Table {
        const WAITED: [(&str, &str); 4] = [
            ("waitedP50Ns", "Wait p50"),
            ("waitedP95Ns", "Wait p95"),
            ("waitedMaxNs", "Max wait"),
            ("waitedNs", "Total wait"),
        ];
        const RAN: [(&str, &str); 4] =
            [("ranP50Ns", "Run p50"), ("ranP95Ns", "Run p95"), ("ranMaxNs", "Max run"), ("ranNs", "Total run")];
        let sites = by_site(tasks).into_iter().map(|(site, of)| {
            let waited = ascending(of.iter().filter_map(|one| one.waited()));
            let ran = ascending(of.iter().filter_map(|one| one.ran()));
            (site, of, waited, ran)
        });
        let sites: Vec<_> = sites.collect();
        Table::of("sites", "Tasks by call site", &sites)
            .words("site", "Method", |(site, ..)| names.name(*site))
            .bars("count", "Tasks", Unit::Count, |(_, of, ..)| of.len())
            .times(WAITED, |(_, _, waited, _)| waited)
            .times(RAN, |(.., ran)| ran)
            .numbers("open", "Unfinished", Unit::Count, |(_, of, ..)| {
                recorded.task_ends.then(|| of.iter().filter(|one| one.ended.is_none()).count())
            })
            .target(|(site, of, ..)| {
                let slowest = of.iter().max_by_key(|one| one.waited().unwrap_or(-1));
                RowTarget::of(slowest.map(|one| one.event)).filtered(names.condition(*site))
            })
    }

    pub(super) fn tasks_table(
        &self,
        (store, site_names): (&Store, SiteNames<'_>),
        recorded: Recorded,
        tasks: &[(u32, &Task)],
    ) -> Table {
        Table::of("tasks", "All tasks", tasks)
            .numbers("task", "Task", Unit::Identity, |(_, one)| one.number)
            .numbers("timeNs", "Scheduled", Unit::Moment, |(_, one)| one.scheduled)
            .bars("waitedNs", "Wait", Unit::Duration, |(_, one)| one.waited())
            .bars("ranNs", "Run", Unit::Duration, |(_, one)| one.ran())
            .words("state", "State", |(_, one)| one.state(recorded))
            .words("site", "Scheduled in", |(_, one)| site_names.name(one.site))
            .threads("thread", "Thread", store, |(_, one)| one.thread)
            .target(|(_, one)| {
                let times = [one.scheduled, one.started, one.ended];
                RowTarget::of(one.event).over(durations::extent(times.into_iter().flatten().map(|time| (time, time))))
            })
    }

    pub(super) fn methods_table(&self, recorded: Recorded, operations: &[(u32, &Operation)]) -> Table {
        let methods = grouped(operations.iter().map(|(_, one)| *one), |one| one.name, Vec::len);
        let methods = methods.into_iter().map(|(name, of)| {
            let times = ascending(of.iter().filter_map(|one| one.duration()));
            (name, of, times)
        });
        let methods: Vec<_> = methods.collect();
        let number = |of: &[&Operation], is_one: fn(&Operation) -> bool| of.iter().filter(|one| is_one(one)).count();
        Table::of("methods", "Async methods", &methods)
            .words("method", "Method", |(name, ..)| self.gathered.texts.get(*name))
            .bars("count", "Calls", Unit::Count, |(_, of, _)| of.len())
            .times(TIMES, |(.., times)| times)
            .bars("ranNs", "Executing", Unit::Duration, |(_, of, _)| {
                recorded.sections.then(|| of.iter().map(|one| one.ran).sum::<i64>())
            })
            .numbers("awaits", "Awaits", Unit::Count, |(_, of, _)| {
                recorded.awaits.then(|| of.iter().map(|one| u64::from(one.awaits)).sum::<u64>())
            })
            .numbers("failed", "Failed", Unit::Count, |(_, of, _)| {
                number(of, |one| one.end.is_some() && one.status == 3)
            })
            .numbers("canceled", "Canceled", Unit::Count, |(_, of, _)| {
                number(of, |one| one.end.is_some() && one.status == 2)
            })
            .numbers("open", "Unfinished", Unit::Count, |(_, of, _)| number(of, |one| one.end.is_none()))
            .target(|(_, of, _)| {
                let slowest = of.iter().max_by_key(|one| one.duration().unwrap_or(-1));
                RowTarget::of(slowest.map(|one| one.event))
            })
    }

    pub(super) fn operations_table(
        &self,
        store: &Store,
        recorded: Recorded,
        operations: &[(u32, &Operation)],
    ) -> Table {
        Table::of("operations", "All async calls", operations)
            .numbers("number", "No.", Unit::Identity, |(at, _)| u64::from(*at) + 1)
            .words("method", "Method", |(_, one)| self.gathered.texts.get(one.name))
            .numbers("timeNs", "Called", Unit::Moment, |(_, one)| one.start)
            .bars("durationNs", "Duration", Unit::Duration, |(_, one)| one.duration())
            .numbers("ranNs", "Executing", Unit::Duration, |(_, one)| recorded.sections.then_some(one.ran))
            .numbers("awaitedNs", "Awaited", Unit::Duration, |(_, one)| {
                one.duration().filter(|_| recorded.sections).map(|length| (length - one.busy).max(0))
            })
            .numbers("awaits", "Awaits", Unit::Count, |(_, one)| recorded.awaits.then_some(one.awaits))
            .words("state", "State", |(_, one)| one.state())
            .numbers("awaitedBy", "Awaited by", Unit::Identity, |(_, one)| {
                (one.awaited_by != NONE).then_some(u64::from(one.awaited_by) + 1)
            })
            .threads("thread", "Called on", store, |(_, one)| one.thread)
            .target(|(_, one)| RowTarget::of(one.event).over(Span::new(one.start, one.end.unwrap_or(one.start) + 1)))
    }

    pub(super) fn blocking_table(&self, names: SiteNames<'_>, blocking: &[&Blocking]) -> Table {
        let total = |of: &[&Blocking]| of.iter().filter_map(|one| one.duration()).fold(0, i64::saturating_add);
        let sites = grouped(blocking.iter().copied(), |one| one.site, |of| total(of));
        let sites = sites.into_iter().map(|(site, of)| {
            let times = ascending(of.iter().filter_map(|one| one.duration()));
            (site, of, times)
        });
        let sites: Vec<_> = sites.collect();
        Table::of("blocking", "Blocking waits", &sites)
            .words("site", "Method", |(site, ..)| names.name(*site))
            .bars("count", "Waits", Unit::Count, |(_, of, _)| of.len())
            .times(TIMES, |(.., times)| times)
            .target(|(site, of, _)| {
                let slowest = of.iter().max_by_key(|one| one.duration());
                let span = |one: &&Blocking| Span::new(one.start, one.end.unwrap_or(one.start).saturating_add(1));
                RowTarget::of(slowest.map(|one| one.event)).over(slowest.map(span)).filtered(names.condition(*site))
            })
    }
}
