//! Tables of database commands.

use super::{Executed, SqlFacts};
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use crate::analysis::topics::shared::thread_names::ThreadNames;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Returns the time from the first to the last command.
fn extent(commands: &[&Executed]) -> Option<Span> {
    durations::extent(commands.iter().map(|one| (one.start, one.end.unwrap_or(one.start))))
}

impl SqlFacts {
    pub(super) fn shapes_table(&self, commands: &[&Executed]) -> Table {
        let mut table = Table::new("shapes", "By query")
            .words("shape", "Query")
            .bars("count", "Count", Unit::Count)
            .numbers("p50Ns", "p50", Unit::Duration)
            .numbers("p95Ns", "p95", Unit::Duration)
            .numbers("maxNs", "Max", Unit::Duration)
            .bars("totalNs", "Total", Unit::Duration)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("works", "Activities", Unit::Count)
            .numbers("most", "Max per activity", Unit::Count)
            .words("database", "Database");
        let mut shapes: FastMap<u32, Vec<&Executed>> = FastMap::default();
        for one in commands {
            shapes.entry(one.shape).or_default().push(one);
        }
        let total = |of: &[&Executed]| of.iter().filter_map(|one| one.duration()).sum::<i64>();
        let mut shapes: Vec<(u32, Vec<&Executed>)> = shapes.into_iter().collect();
        sort_by_key(&mut shapes, |(shape, of)| (Reverse(total(of)), Reverse(of.len()), *shape));
        for (shape, of) in shapes {
            let durations = durations::ascending(of.iter().filter_map(|one| one.duration()));
            let at = |share: f64| percentile(&durations, share).into();
            let mut works = FastMap::default();
            of.iter().filter_map(|one| one.work).for_each(|work| *works.entry(work).or_insert(0u64) += 1);
            let cells = [
                Cell::Text(self.texts.get(shape)),
                (of.len() as u64).into(),
                at(0.5),
                at(0.95),
                at(1.0),
                total(&of).into(),
                (of.iter().filter(|one| !self.texts.get(one.failure).is_empty()).count() as u64).into(),
                (works.len() as u64).into(),
                works.values().max().copied().into(),
                Cell::Text(self.texts.get(of[0].database)),
            ];
            let slowest = of.iter().max_by_key(|one| one.duration().unwrap_or(-1));
            table.push(&cells, RowTarget { event: slowest.map(|one| one.event), span: extent(&of), condition: "" });
        }
        table
    }

    pub(super) fn repeated_table(&self, commands: &[&Executed]) -> Table {
        let mut table = Table::new("repeated", "Repeated (N+1)")
            .words("work", "Activity")
            .words("shape", "Query")
            .bars("count", "Count", Unit::Count)
            .bars("totalNs", "Total", Unit::Duration)
            .numbers("timeNs", "First", Unit::Moment);
        for one in self.repeated(commands) {
            let cells = [
                Cell::Text(self.texts.get(one.commands[0].work_name)),
                Cell::Text(self.texts.get(one.shape)),
                (one.commands.len() as u64).into(),
                one.commands.iter().filter_map(|one| one.duration()).sum::<i64>().into(),
                one.commands[0].start.into(),
            ];
            table.push(&cells, RowTarget { event: Some(one.work), span: extent(&one.commands), condition: "" });
        }
        table
    }

    pub(super) fn commands_table(&self, store: &Store, commands: &[&Executed]) -> Table {
        let mut table = Table::new("commands", "All queries")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("text", "Query")
            .bars("durationNs", "Duration", Unit::Duration)
            .words("database", "Database")
            .words("failure", "Error")
            .words("work", "Activity")
            .words("thread", "Thread");
        let mut names = ThreadNames::default();
        for one in commands {
            let cells = [
                one.start.into(),
                Cell::Text(self.texts.get(one.text)),
                one.duration().into(),
                Cell::Text(self.texts.get(one.database)),
                Cell::Text(self.texts.get(one.failure)),
                Cell::Text(self.texts.get(one.work_name)),
                Cell::Text(names.name(store, one.thread)),
            ];
            let span = Some(Span::new(one.start, one.end.unwrap_or(one.start) + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }
}
