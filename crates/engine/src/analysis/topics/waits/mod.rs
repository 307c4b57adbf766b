//! Waits on handles and monitors, by kind of object, call site and thread.

pub(crate) mod findings;
pub(crate) mod summary;
pub mod task_waits;

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::{Site, SiteNames};
use super::shared::groups::ranked;
use super::shared::report::Report;
use super::shared::table::{RowTarget, Table};
use super::shared::thread_names::thread_condition;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::topics::waits::summary::{Waited, length_figures, wait_charts};
use crate::clr::KnownEvent;
use crate::clr::source_names::RUNTIME;
use crate::model::{EventType, Store};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::compare::Subject;
use protocol::format::{counted, duration, percent};
use protocol::tables::interval_flag;
use protocol::topics::report::{Hue, Unit};
use std::cmp::Reverse;
use std::hash::Hash;

/// The waits of a trace whose start is in it.
#[derive(Debug, Default)]
pub struct WaitFacts {
    waits: Vec<HandleWait>,
}

/// A wait, and its call site. The name of the interval is the kind of the object.
#[derive(Clone, Copy, Debug)]
struct HandleWait {
    wait: Interval,
    site: Site,
}

impl Analysis for WaitFacts {
    const HAS_FINDINGS: bool = false;
    const NEEDS: Needs = Needs { handle_waits: true, requests: true, ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        (event_type.known == KnownEvent::WaitHandleWaitStart).then_some(Role::Counted)
    }
}

impl Facts for WaitFacts {
    fn finish(&mut self, known: &Known<'_>) {
        let Some(set) = known.tracks.known(Family::HandleWait) else { return };
        let mut sites = known.sites();
        let begun = set.intervals().iter().filter(|interval| interval.flags & interval_flag::OPEN_START == 0);
        let waits = begun.map(|wait| HandleWait { wait: *wait, site: sites.of_event(wait.event) });
        self.waits = waits.collect();
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let mut report = Report::default();
        let Some(set) = known.tracks.known(Family::HandleWait) else { return report };
        let counted = || self.waits.iter().filter(|one| one.wait.counts(scope));
        let cut = counted().filter(|one| scope.cuts(one.wait.start, one.wait.end)).count();
        let inside = counted().map(|one| HandleWait { wait: one.wait.within(scope), ..*one });
        let (whole, unfinished): (Vec<HandleWait>, Vec<HandleWait>) = inside.partition(|one| one.wait.is_whole());
        let view =
            View { store: known.store, names: known.site_names(), waits: &whole, name_of: &|source| set.text(source) };
        view.judge(&mut report, unfinished.len());
        view.figures(&mut report, unfinished.len(), cut);
        let spans: Vec<(i64, i64)> = whole.iter().map(|one| (one.wait.start, one.wait.end)).collect();
        wait_charts(&mut report, scope.span, ("Waiting threads", Hue::Blocked), &spans);
        report.tables.push(view.sites_table());
        report.tables.push(view.threads_table());
        report.tables.push(view.sources_table());
        report.tables.push(view.waits_table(&unfinished));
        report.view_stacks("View wait stacks", RUNTIME, "WaitHandleWait/Start");
        report
    }

    /// Adds the time that threads waited, by method.
    fn measures(&self, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let names = known.site_names();
        for one in self.waits.iter().filter(|one| one.wait.is_whole() && one.wait.counts(scope)) {
            if let Some(site) = one.site.known() {
                into.cover(Subject::HandleWaits, &comparable_name(&names.short(site)), one.wait.start, one.wait.end);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.waits.len() * size_of::<HandleWait>()
    }
}

/// The waits in scope, with the data to describe them.
struct View<'v> {
    store: &'v Store,
    names: SiteNames<'v>,
    waits: &'v [HandleWait],
    name_of: &'v dyn Fn(u32) -> &'v str,
}

impl View<'_> {
    fn total(&self) -> i64 {
        self.waits.iter().map(|one| one.wait.duration()).fold(0, i64::saturating_add)
    }

    /// Groups waits by a key with their threads, by time in descending order.
    fn grouped<K: Hash + Ord + Copy>(&self, key: impl Fn(&HandleWait) -> K) -> Vec<(K, (Waited, FastSet<ThreadId>))> {
        let mut groups: FastMap<K, (Waited, FastSet<ThreadId>)> = FastMap::default();
        for one in self.waits {
            let (waited, threads) = groups.entry(key(one)).or_default();
            waited.add(one.wait.event, one.wait.start, one.wait.end);
            threads.insert(one.wait.thread);
        }
        ranked(groups, |(waited, _)| waited.total)
    }

    fn judge(&self, report: &mut Report, unfinished: usize) {
        let Some(longest) = self.waits.iter().map(|one| one.wait.duration()).max() else {
            report.verdict = match unfinished {
                0 => "No waits on handles or monitors.".to_owned(),
                _ => format!("{} still in progress at the end of the trace.", counted(unfinished as u64, "wait")),
            };
            return;
        };
        let total = self.total();
        report.verdict = format!(
            "{} on handles and monitors, {} in total. The longest took {}.",
            counted(self.waits.len().saturating_add(unfinished) as u64, "wait"),
            duration(total),
            duration(longest)
        );
        if let Some((site, (waited, threads))) = self.grouped(|one| one.site).into_iter().find(|one| one.0.is_some()) {
            report.explanation = format!(
                "{} accounts for {} of it, on {}. Idle threads are included.",
                self.names.phrase(site),
                percent(waited.total as f64, total as f64),
                counted(threads.len() as u64, "thread")
            );
        }
    }

    fn figures(&self, report: &mut Report, unfinished: usize, cut: usize) {
        let threads: FastSet<ThreadId> = self.waits.iter().map(|one| one.wait.thread).collect();
        length_figures(report, self.waits.iter().map(|one| one.wait.duration()).collect(), unfinished, cut);
        report.figure("threads", "Waiting threads", threads.len() as f64, Unit::Count, "");
        report.figure("unfinished", "Unfinished", unfinished as f64, Unit::Count, "");
    }

    fn sites_table(&self) -> Table {
        Table::of("sites", "Call sites", &self.grouped(|one| (one.site, one.wait.name)))
            .words("site", "Method", |((site, _), _)| self.names.name(*site))
            .words("source", "Waiting on", |((_, source), _)| (self.name_of)(*source))
            .waited("Total wait", "Waits", |(_, (waited, _))| waited)
            .numbers("threads", "Threads", Unit::Count, |(_, (_, threads))| threads.len())
            .target(|((site, _), (waited, _))| waited.target().filtered(self.names.condition(*site)))
    }

    fn threads_table(&self) -> Table {
        Table::of("threads", "By thread", &self.grouped(|one| one.wait.thread))
            .threads("thread", "Thread", self.store, |(thread, _)| *thread)
            .waited("Total wait", "Waits", |(_, (waited, _))| waited)
            .target(|(thread, (waited, _))| waited.target().filtered(thread_condition(self.store, *thread)))
    }

    fn sources_table(&self) -> Table {
        Table::of("sources", "By wait type", &self.grouped(|one| one.wait.name))
            .words("source", "Waiting on", |(source, _)| (self.name_of)(*source))
            .waited("Total wait", "Waits", |(_, (waited, _))| waited)
            .numbers("threads", "Threads", Unit::Count, |(_, (_, threads))| threads.len())
            .target(|(_, (waited, _))| waited.target())
    }

    fn waits_table(&self, unfinished: &[HandleWait]) -> Table {
        let mut waits: Vec<&HandleWait> = self.waits.iter().collect();
        sort_by_key(&mut waits, |one| (Reverse(one.wait.duration()), one.wait.event));
        waits.extend(unfinished);
        Table::of("waits", "All waits", &waits)
            .numbers("timeNs", "Time", Unit::Moment, |one| one.wait.start)
            .bars("durationNs", "Duration", Unit::Duration, |one| one.wait.is_whole().then(|| one.wait.duration()))
            .threads("thread", "Thread", self.store, |one| one.wait.thread)
            .words("source", "Waiting on", |one| (self.name_of)(one.wait.name))
            .words("site", "Method", |one| self.names.name(one.site))
            .target(|one| RowTarget::of(one.wait.event).over(Span::new(one.wait.start, one.wait.end)))
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::testing::{What, store_of_program};
    use crate::analysis::topics::tests::reports::{column, figure, report, report_within, table};
    use protocol::base::time::Span;
    use protocol::request::Filter;
    use protocol::topics::topic::Topic;

    #[test]
    fn waits_are_grouped_by_site_thread_and_object() {
        let methods = [("Shop.Program", "Main"), ("System.Threading.Monitor", "Wait")];
        let wait = |is_monitor| What::WaitForHandle { is_monitor, stack: vec![1, 2] };
        let (store, bytes) = store_of_program(
            &methods,
            &[
                (0, 5, wait(true)),
                (100, 6, wait(false)),
                (150, 6, What::HandleSet),
                (900, 5, What::HandleSet),
                (1000, 6, wait(true)),
            ],
        );
        let all = report(Topic::Waits, &store, &bytes, "");
        let figures = ["count", "totalNs", "longestNs", "threads", "unfinished"];
        assert_eq!(figures.map(|key| figure(&all, key)), [3.0, 950.0, 900.0, 2.0, 1.0]);
        assert_eq!(column(table(&all, "sources"), "source"), ["Monitor.Wait", "Wait handle"]);
        assert_eq!(column(table(&all, "sites"), "site"), ["Shop.Program.Main()", "Shop.Program.Main()"]);
        assert_eq!(column(table(&all, "threads"), "totalNs"), ["900", "50"]);
        assert_eq!(column(table(&all, "waits"), "durationNs"), ["900", "50", ""], "one has no end");
        assert_eq!(figure(&report(Topic::Waits, &store, &bytes, "thread=6"), "count"), 2.0);
        let span = Some(Span::new(120, 300));
        let part = report_within(Topic::Waits, &store, &bytes, &Filter { span, ..Filter::default() });
        assert_eq!(
            figures.map(|key| figure(&part, key)),
            [2.0, 210.0, 180.0, 2.0, 0.0],
            "as far as it is in the range"
        );
        let count = part.figures.iter().find(|one| one.key == "count").expect("a figure");
        assert_eq!(count.note, "2 cut by the range");
    }
}
