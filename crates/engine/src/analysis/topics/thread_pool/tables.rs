//! Tables of the thread pool report.

use super::View;
use super::starvation::Starvation;
use crate::analysis::timeline::thread_pool::reason_words;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::topics::report::Unit;

impl View<'_> {
    pub(crate) fn starvation_table(&self) -> Table {
        // Without adjustments, the target is unknown.
        let target = |starvation: &Starvation, workers: u32| (starvation.added > 0).then_some(workers);
        Table::of("starvations", "Starvation episodes", &self.starved)
            .numbers("timeNs", "Start", Unit::Moment, |one| one.starvation.span.start.0)
            .bars("durationNs", "Duration", Unit::Duration, |one| one.starvation.span.duration())
            .numbers("targetFrom", "Target before", Unit::Count, |one| target(&one.starvation, one.starvation.from))
            .numbers("targetTo", "Target after", Unit::Count, |one| target(&one.starvation, one.starvation.to))
            .numbers("added", "Times raised", Unit::Count, |one| one.starvation.added)
            .numbers("activeFrom", "Active before", Unit::Count, |one| one.active.map(|(first, _)| first))
            .numbers("activeTo", "Peak active", Unit::Count, |one| one.active.map(|(_, most)| most))
            .words("reason", "Reason", |one| match one.starvation.added {
                0 => "Queued work".to_owned(),
                _ => reason_words(one.starvation.reason),
            })
            .numbers("blockedShare", "Workers blocked", Unit::Share, |one| one.workers.blocked_share)
            .words("site", "Top call site", |one| {
                one.workers.sites.first().map_or_else(String::new, |site| self.names.name(site.site))
            })
            .words("on", "Blocked on", |one| one.workers.sites.first().map_or("", |site| site.on.words()))
            .words("awaited", "Task from", |one| {
                one.workers.sites.first().map_or("", |site| self.names.method(site.awaited))
            })
            .target(|one| RowTarget::of(one.starvation.event).over(one.starvation.span))
    }

    pub(crate) fn blocking_table(&self) -> Table {
        Table::of("blocking", "Blocking call sites", &self.workers.sites)
            .words("site", "Method", |one| self.names.name(one.site))
            .words("on", "Blocked on", |one| one.on.words())
            .words("awaited", "Task from", |one| self.names.method(one.awaited))
            .bars("totalNs", "Total", Unit::Duration, |one| one.nanos)
            .numbers("workers", "Workers", Unit::Count, |one| one.threads)
            .numbers("count", "Waits or samples", Unit::Count, |one| one.count)
            .target(|one| RowTarget::of(one.event).filtered(self.names.condition(one.site)))
    }

    pub(crate) fn reasons_table(&self) -> Table {
        let mut reasons: FastMap<u32, (u64, i64, i64, EventId)> = FastMap::default();
        for one in self.adjustments() {
            let known = reasons.entry(one.reason).or_insert((0, one.time, one.time, one.event));
            (known.0, known.2) = (known.0 + 1, one.time);
        }
        Table::of("reasons", "Adjustment reasons", &ranked(reasons, |(times, ..)| *times))
            .words("reason", "Reason", |(reason, _)| reason_words(*reason))
            .bars("count", "Adjustments", Unit::Count, |(_, (times, ..))| *times)
            .numbers("firstNs", "First", Unit::Moment, |(_, (_, first, ..))| *first)
            .numbers("lastNs", "Last", Unit::Moment, |(_, (_, _, last, _))| *last)
            .target(|(reason, (_, first, last, event))| {
                RowTarget::of(*event).over(Span::new(*first, last + 1)).filtered(format!("payload.Reason={reason}"))
            })
    }

    pub(crate) fn adjustments_table(&self) -> Table {
        let mut before = None;
        let change = |workers: u32| Some(f64::from(workers) - f64::from(before.replace(workers)?));
        let changes: Vec<Option<f64>> = self.adjustments().map(|one| one.workers).map(change).collect();
        let adjustments: Vec<_> = self.adjustments().zip(changes).collect();
        Table::of("adjustments", "Adjustments", &adjustments)
            .numbers("timeNs", "Time", Unit::Moment, |(one, _)| one.time)
            .bars("workers", "Target workers", Unit::Count, |(one, _)| one.workers)
            .numbers("change", "Change", Unit::Plain, |(_, change)| *change)
            .words("reason", "Reason", |(one, _)| reason_words(one.reason))
            .numbers("throughput", "Throughput", Unit::PerSecond, |(one, _)| {
                Some(one.throughput).filter(|throughput| *throughput > 0.0)
            })
            .target(|(one, _)| RowTarget::of(one.event).over(Span::new(one.time, one.time + 1)))
    }
}
