//! Tables of tasks and async methods.

use super::gather::{Blocking, NONE, Operation, Task};
use super::{Recorded, TaskFacts, ascending};
use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use crate::analysis::topics::shared::thread_names::ThreadNames;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Groups tasks by the call site that scheduled them, by count in descending order.
pub(super) fn by_site<'t>(tasks: &[(u32, &'t Task)]) -> Vec<(Site, Vec<&'t Task>)> {
    let mut sites: FastMap<Site, Vec<&Task>> = FastMap::default();
    for (_, task) in tasks {
        sites.entry(task.site).or_default().push(task);
    }
    let mut sites: Vec<_> = sites.into_iter().collect();
    sort_by_key(&mut sites, |(site, of)| (Reverse(of.len()), *site));
    sites
}

/// Returns the cells p50, p95, max and total; empty without values.
fn times(values: &[i64]) -> [Cell<'static>; 4] {
    let at = |share: f64| percentile(values, share).into();
    let total = (!values.is_empty()).then(|| values.iter().fold(0i64, |sum, one| sum.saturating_add(*one)));
    [at(0.5), at(0.95), at(1.0), total.into()]
}

impl TaskFacts {
    pub(super) fn sites_table(&self, names: SiteNames<'_>, recorded: Recorded, tasks: &[(u32, &Task)]) -> Table {
        let mut table = Table::new("sites", "Tasks by call site")
            .words("site", "Method")
            .bars("count", "Tasks", Unit::Count)
            .numbers("waitedP50Ns", "Wait p50", Unit::Duration)
            .numbers("waitedP95Ns", "Wait p95", Unit::Duration)
            .numbers("waitedMaxNs", "Max wait", Unit::Duration)
            .bars("waitedNs", "Total wait", Unit::Duration)
            .numbers("ranP50Ns", "Run p50", Unit::Duration)
            .numbers("ranP95Ns", "Run p95", Unit::Duration)
            .numbers("ranMaxNs", "Max run", Unit::Duration)
            .bars("ranNs", "Total run", Unit::Duration)
            .numbers("open", "Unfinished", Unit::Count);
        for (site, of) in by_site(tasks) {
            let [waited_half, waited_most, waited_longest, waited] =
                times(&ascending(of.iter().filter_map(|one| one.waited())));
            let [ran_half, ran_most, ran_longest, ran] = times(&ascending(of.iter().filter_map(|one| one.ran())));
            let cells = [
                Cell::Text(&names.name(site)),
                (of.len() as u64).into(),
                waited_half,
                waited_most,
                waited_longest,
                waited,
                ran_half,
                ran_most,
                ran_longest,
                ran,
                recorded.task_ends.then(|| of.iter().filter(|one| one.ended.is_none()).count() as u64).into(),
            ];
            let slowest = of.iter().max_by_key(|one| one.waited().unwrap_or(-1));
            let condition = names.condition(site);
            table.push(&cells, RowTarget { event: slowest.map(|one| one.event), span: None, condition: &condition });
        }
        table
    }

    pub(super) fn tasks_table(
        &self,
        (store, site_names): (&Store, SiteNames<'_>),
        recorded: Recorded,
        tasks: &[(u32, &Task)],
    ) -> Table {
        let mut table = Table::new("tasks", "All tasks")
            .numbers("task", "Task", Unit::Identity)
            .numbers("timeNs", "Scheduled", Unit::Moment)
            .bars("waitedNs", "Wait", Unit::Duration)
            .bars("ranNs", "Run", Unit::Duration)
            .words("state", "State")
            .words("site", "Scheduled in")
            .words("thread", "Thread");
        let mut names = ThreadNames::default();
        for (_, one) in tasks {
            let cells = [
                u64::from(one.number).into(),
                one.scheduled.into(),
                one.waited().into(),
                one.ran().into(),
                Cell::Text(one.state(recorded)),
                Cell::Text(&site_names.name(one.site)),
                Cell::Text(names.name(store, one.thread)),
            ];
            let times = [one.scheduled, one.started, one.ended];
            let first = times.iter().flatten().min().copied();
            let span =
                first.map(|first| Span::new(first, times.iter().flatten().max().map_or(first, |last| *last) + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    pub(super) fn methods_table(&self, recorded: Recorded, operations: &[(u32, &Operation)]) -> Table {
        let mut table = Table::new("methods", "Async methods")
            .words("method", "Method")
            .bars("count", "Calls", Unit::Count)
            .numbers("p50Ns", "p50", Unit::Duration)
            .numbers("p95Ns", "p95", Unit::Duration)
            .numbers("maxNs", "Max", Unit::Duration)
            .bars("totalNs", "Total", Unit::Duration)
            .bars("ranNs", "Executing", Unit::Duration)
            .numbers("awaits", "Awaits", Unit::Count)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("canceled", "Canceled", Unit::Count)
            .numbers("open", "Unfinished", Unit::Count);
        let mut methods: FastMap<u32, Vec<&Operation>> = FastMap::default();
        for (_, one) in operations {
            methods.entry(one.name).or_default().push(one);
        }
        let mut methods: Vec<_> = methods.into_iter().collect();
        sort_by_key(&mut methods, |(name, of)| (Reverse(of.len()), *name));
        for (name, of) in methods {
            let [half, most, longest, total] = times(&ascending(of.iter().filter_map(|one| one.duration())));
            let number =
                |is_one: fn(&Operation) -> bool| Cell::from(of.iter().filter(|one| is_one(one)).count() as u64);
            let cells = [
                Cell::Text(self.gathered.texts.get(name)),
                (of.len() as u64).into(),
                half,
                most,
                longest,
                total,
                recorded.sections.then(|| of.iter().map(|one| one.ran).sum::<i64>()).into(),
                recorded.awaits.then(|| of.iter().map(|one| u64::from(one.awaits)).sum::<u64>()).into(),
                number(|one| one.end.is_some() && one.status == 3),
                number(|one| one.end.is_some() && one.status == 2),
                number(|one| one.end.is_none()),
            ];
            let slowest = of.iter().max_by_key(|one| one.duration().unwrap_or(-1));
            table.push(&cells, RowTarget { event: slowest.map(|one| one.event), span: None, condition: "" });
        }
        table
    }

    pub(super) fn operations_table(
        &self,
        store: &Store,
        recorded: Recorded,
        operations: &[(u32, &Operation)],
    ) -> Table {
        let mut table = Table::new("operations", "All async calls")
            .numbers("number", "No.", Unit::Identity)
            .words("method", "Method")
            .numbers("timeNs", "Called", Unit::Moment)
            .bars("durationNs", "Duration", Unit::Duration)
            .numbers("ranNs", "Executing", Unit::Duration)
            .numbers("awaitedNs", "Awaited", Unit::Duration)
            .numbers("awaits", "Awaits", Unit::Count)
            .words("state", "State")
            .numbers("awaitedBy", "Awaited by", Unit::Identity)
            .words("thread", "Called on");
        let mut names = ThreadNames::default();
        for (at, one) in operations {
            let awaited_by =
                if one.awaited_by == NONE { Cell::Nothing } else { (u64::from(one.awaited_by) + 1).into() };
            let cells = [
                (u64::from(*at) + 1).into(),
                Cell::Text(self.gathered.texts.get(one.name)),
                one.start.into(),
                one.duration().into(),
                recorded.sections.then_some(one.ran).into(),
                one.duration().filter(|_| recorded.sections).map(|length| (length - one.busy).max(0)).into(),
                recorded.awaits.then_some(u64::from(one.awaits)).into(),
                Cell::Text(one.state()),
                awaited_by,
                Cell::Text(names.name(store, one.thread)),
            ];
            let span = Some(Span::new(one.start, one.end.unwrap_or(one.start) + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    pub(super) fn blocking_table(&self, names: SiteNames<'_>, blocking: &[&Blocking]) -> Table {
        let mut table = Table::new("blocking", "Blocking waits")
            .words("site", "Method")
            .bars("count", "Waits", Unit::Count)
            .numbers("p50Ns", "p50", Unit::Duration)
            .numbers("p95Ns", "p95", Unit::Duration)
            .numbers("maxNs", "Max", Unit::Duration)
            .bars("totalNs", "Total", Unit::Duration);
        let mut sites: FastMap<Site, Vec<&Blocking>> = FastMap::default();
        for one in blocking {
            sites.entry(one.site).or_default().push(one);
        }
        let mut sites: Vec<_> = sites.into_iter().collect();
        let total = |of: &[&Blocking]| of.iter().filter_map(|one| one.duration()).fold(0, i64::saturating_add);
        sort_by_key(&mut sites, |(site, of)| (Reverse(total(of)), *site));
        for (site, of) in sites {
            let [half, most, longest, total] = times(&ascending(of.iter().filter_map(|one| one.duration())));
            let cells = [Cell::Text(&names.name(site)), (of.len() as u64).into(), half, most, longest, total];
            let slowest = of.iter().max_by_key(|one| one.duration());
            let condition = names.condition(site);
            let span = slowest.map(|one| Span::new(one.start, one.end.unwrap_or(one.start).saturating_add(1)));
            table.push(&cells, RowTarget { event: slowest.map(|one| one.event), span, condition: &condition });
        }
        table
    }
}
