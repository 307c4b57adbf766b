//! Tables of database commands.

use super::{Executed, SqlFacts};
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::groups::grouped;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::time::Span;
use protocol::topics::report::Unit;

/// Returns the time from the first to the last command.
fn extent(commands: &[&Executed]) -> Option<Span> {
    durations::extent(commands.iter().map(|one| (one.start, one.end.unwrap_or(one.start))))
}

/// Returns the total duration of commands.
fn total(commands: &[&Executed]) -> i64 {
    commands.iter().filter_map(|one| one.duration()).sum()
}

/// Commands with the same query.
struct Shape<'s> {
    commands: Vec<&'s Executed>,
    /// In ascending order.
    durations: Vec<i64>,
    /// The number of its commands in each activity.
    works: Vec<u64>,
}

impl<'s> Shape<'s> {
    fn new(commands: Vec<&'s Executed>) -> Self {
        let durations = durations::ascending(commands.iter().filter_map(|one| one.duration()));
        let mut works = FastMap::default();
        commands.iter().filter_map(|one| one.work).for_each(|work| *works.entry(work).or_insert(0u64) += 1);
        Self { commands, durations, works: works.into_values().collect() }
    }
}

impl SqlFacts {
    pub(super) fn shapes_table(&self, commands: &[&Executed]) -> Table {
        let shapes = grouped(commands.iter().copied(), |one| one.shape, |of| (total(of), of.len()));
        let shapes: Vec<(u32, Shape<'_>)> = shapes.into_iter().map(|(shape, of)| (shape, Shape::new(of))).collect();
        let is_failed = |one: &&&Executed| !self.texts.get(one.failure).is_empty();
        Table::of("shapes", "By query", &shapes)
            .words("shape", "Query", |(shape, _)| self.texts.get(*shape))
            .bars("count", "Count", Unit::Count, |(_, of)| of.commands.len())
            .numbers("p50Ns", "p50", Unit::Duration, |(_, of)| percentile(&of.durations, 0.5))
            .numbers("p95Ns", "p95", Unit::Duration, |(_, of)| percentile(&of.durations, 0.95))
            .numbers("maxNs", "Max", Unit::Duration, |(_, of)| of.durations.last().copied())
            .bars("totalNs", "Total", Unit::Duration, |(_, of)| total(&of.commands))
            .numbers("failed", "Failed", Unit::Count, |(_, of)| of.commands.iter().filter(is_failed).count())
            .numbers("works", "Activities", Unit::Count, |(_, of)| of.works.len())
            .numbers("most", "Max per activity", Unit::Count, |(_, of)| of.works.iter().max().copied())
            .words("database", "Database", |(_, of)| self.texts.get(of.commands[0].database))
            .target(|(_, of)| {
                let slowest = of.commands.iter().max_by_key(|one| one.duration().unwrap_or(-1));
                RowTarget::of(slowest.map(|one| one.event)).over(extent(&of.commands))
            })
    }

    pub(super) fn repeated_table(&self, commands: &[&Executed]) -> Table {
        Table::of("repeated", "Repeated (N+1)", &self.repeated(commands))
            .words("work", "Activity", |one| self.texts.get(one.commands[0].work_name))
            .words("shape", "Query", |one| self.texts.get(one.shape))
            .bars("count", "Count", Unit::Count, |one| one.commands.len())
            .bars("totalNs", "Total", Unit::Duration, |one| total(&one.commands))
            .numbers("timeNs", "First", Unit::Moment, |one| one.commands[0].start)
            .target(|one| RowTarget::of(one.work).over(extent(&one.commands)))
    }

    pub(super) fn commands_table(&self, store: &Store, commands: &[&Executed]) -> Table {
        Table::of("commands", "All queries", commands)
            .numbers("timeNs", "Time", Unit::Moment, |one| one.start)
            .words("text", "Query", |one| self.texts.get(one.text))
            .bars("durationNs", "Duration", Unit::Duration, |one| one.duration())
            .words("database", "Database", |one| self.texts.get(one.database))
            .words("failure", "Error", |one| self.texts.get(one.failure))
            .words("work", "Activity", |one| self.texts.get(one.work_name))
            .threads("thread", "Thread", store, |one| one.thread)
            .target(|one| RowTarget::of(one.event).over(Span::new(one.start, one.end.unwrap_or(one.start) + 1)))
    }
}
