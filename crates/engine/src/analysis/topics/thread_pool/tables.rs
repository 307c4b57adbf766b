//! Tables of the thread pool report.

use super::View;
use crate::analysis::timeline::thread_pool::reason_words;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

impl View<'_> {
    pub(crate) fn starvation_table(&self) -> Table {
        let mut table = Table::new("starvations", "Starvation episodes")
            .numbers("timeNs", "Start", Unit::Moment)
            .bars("durationNs", "Duration", Unit::Duration)
            .numbers("targetFrom", "Target before", Unit::Count)
            .numbers("targetTo", "Target after", Unit::Count)
            .numbers("added", "Times raised", Unit::Count)
            .numbers("activeFrom", "Active before", Unit::Count)
            .numbers("activeTo", "Peak active", Unit::Count)
            .words("reason", "Reason")
            .numbers("blockedShare", "Workers blocked", Unit::Share)
            .words("site", "Top call site")
            .words("on", "Blocked on")
            .words("awaited", "Task from");
        for one in &self.starved {
            let starvation = &one.starvation;
            let site = one.workers.sites.first();
            let reason = if starvation.added > 0 { reason_words(starvation.reason) } else { "Queued work".to_owned() };
            // Without adjustments, the target is unknown.
            let target = |workers: u32| (starvation.added > 0).then_some(u64::from(workers));
            let cells = [
                starvation.span.start.0.into(),
                starvation.span.duration().into(),
                target(starvation.from).into(),
                target(starvation.to).into(),
                starvation.added.into(),
                one.active.map(|(first, _)| u64::from(first)).into(),
                one.active.map(|(_, most)| u64::from(most)).into(),
                Cell::Text(&reason),
                one.workers.blocked_share.into(),
                Cell::Text(&site.map_or_else(String::new, |site| self.names.name(site.site))),
                Cell::Text(site.map_or("", |site| site.on.words())),
                Cell::Text(site.map_or("", |site| self.names.method(site.awaited))),
            ];
            let target = RowTarget { event: Some(starvation.event), span: Some(starvation.span), condition: "" };
            table.push(&cells, target);
        }
        table
    }

    pub(crate) fn blocking_table(&self) -> Table {
        let mut table = Table::new("blocking", "Blocking call sites")
            .words("site", "Method")
            .words("on", "Blocked on")
            .words("awaited", "Task from")
            .bars("totalNs", "Total", Unit::Duration)
            .numbers("workers", "Workers", Unit::Count)
            .numbers("count", "Waits or samples", Unit::Count);
        for one in &self.workers.sites {
            let cells = [
                Cell::Text(&self.names.name(one.site)),
                Cell::Text(one.on.words()),
                Cell::Text(self.names.method(one.awaited)),
                one.nanos.into(),
                one.threads.into(),
                one.count.into(),
            ];
            let condition = self.names.condition(one.site);
            table.push(&cells, RowTarget { event: Some(one.event), span: None, condition: &condition });
        }
        table
    }

    pub(crate) fn reasons_table(&self) -> Table {
        let mut table = Table::new("reasons", "Adjustment reasons")
            .words("reason", "Reason")
            .bars("count", "Adjustments", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment);
        let mut reasons: FastMap<u32, (u64, i64, i64, EventId)> = FastMap::default();
        for one in self.adjustments() {
            let known = reasons.entry(one.reason).or_insert((0, one.time, one.time, one.event));
            (known.0, known.2) = (known.0 + 1, one.time);
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        sort_by_key(&mut reasons, |(reason, of)| (Reverse(of.0), *reason));
        for (reason, (times, first, last, event)) in reasons {
            let words = reason_words(reason);
            let cells = [Cell::Text(&words), times.into(), first.into(), last.into()];
            let condition = format!("payload.Reason={reason}");
            let span = Some(Span::new(first, last + 1));
            table.push(&cells, RowTarget { event: Some(event), span, condition: &condition });
        }
        table
    }

    pub(crate) fn adjustments_table(&self) -> Table {
        let mut table = Table::new("adjustments", "Adjustments")
            .numbers("timeNs", "Time", Unit::Moment)
            .bars("workers", "Target workers", Unit::Count)
            .numbers("change", "Change", Unit::Plain)
            .words("reason", "Reason")
            .numbers("throughput", "Throughput", Unit::PerSecond);
        let mut before = None;
        for one in self.adjustments() {
            let words = reason_words(one.reason);
            let change = before.replace(one.workers).map(|before| f64::from(one.workers) - f64::from(before));
            let throughput = if one.throughput > 0.0 { Cell::Number(one.throughput) } else { Cell::Nothing };
            let change = change.into();
            let cells = [one.time.into(), u64::from(one.workers).into(), change, Cell::Text(&words), throughput];
            let span = Some(Span::new(one.time, one.time + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }
}
