//! Lock contention by call site, lock and blocking thread, with the convoys.

pub mod convoys;
mod findings;
pub mod lock_waits;

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::{Site, SiteNames};
use super::shared::groups::ranked;
use super::shared::report::Report;
use super::shared::table::{RowTarget, Table};
use super::shared::thread_names::thread_condition;
use super::waits::summary::{Waited, length_figures, wait_charts};
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::topics::contention::convoys::{Convoy, convoys};
use crate::analysis::topics::contention::lock_waits::{LockWait, lock_waits};
use crate::clr::KnownEvent;
use crate::clr::source_names::RUNTIME;
use crate::model::{EventType, Store};
use findings::{Place, lock_contention, place_words};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::compare::Subject;
use protocol::filter::word;
use protocol::format::{count, counted, duration, seconds, times};
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::report::{Hue, Unit};
use std::cmp::Reverse;

/// Minimum nanoseconds lost in a convoy for a sentence in the summary.
const CONVOY_WORTH_MENTIONING: i64 = 1_000_000;

/// Waits for locks in a trace.
#[derive(Debug, Default)]
pub struct ContentionFacts {
    waits: Vec<LockWait>,
}

/// Waits at one call site, for one lock or between two threads.
#[derive(Default)]
struct Group {
    waited: Waited,
    locks: FastSet<u32>,
    threads: FastSet<ThreadId>,
    owners: FastSet<ThreadId>,
    /// Nanoseconds by call site of the wait, and by the owner's code.
    sites: FastMap<Site, i64>,
    owner_sites: FastMap<Site, i64>,
}

impl Group {
    fn add(&mut self, wait: &LockWait) {
        self.waited.add(wait.event, wait.start, wait.end);
        self.locks.insert(wait.lock);
        self.threads.insert(wait.thread);
        self.owners.extend(wait.owner);
        for (site, sites) in [(wait.site, &mut self.sites), (wait.owner_site, &mut self.owner_sites)] {
            if let Some(site) = site.known() {
                *sites.entry(site).or_default() += wait.duration();
            }
        }
    }
}

/// Returns the call site with the most nanoseconds.
fn leading(sites: &FastMap<Site, i64>) -> Site {
    sites.iter().max_by_key(|(site, nanos)| (**nanos, Reverse(**site))).map(|(site, _)| *site).unwrap_or_default()
}

/// Groups waits by a key, in descending order of time.
fn grouped<K: std::hash::Hash + Ord + Copy>(
    waits: &[LockWait],
    key: impl Fn(&LockWait) -> Option<K>,
) -> Vec<(K, Group)> {
    let mut groups: FastMap<K, Group> = FastMap::default();
    for wait in waits {
        if let Some(key) = key(wait) {
            groups.entry(key).or_default().add(wait);
        }
    }
    ranked(groups, |group| group.waited.total)
}

/// Returns the intervals of the contention track, which have the names of the locks.
fn intervals<'k>(known: &Known<'k>) -> Option<&'k IntervalSet> {
    known.tracks.known(Family::Track(TrackKind::Contention))
}

impl Analysis for ContentionFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { tracks: &[TrackKind::Contention], requests: true, ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        (event_type.known == KnownEvent::ContentionStart).then_some(Role::Counted)
    }
}

impl Facts for ContentionFacts {
    fn finish(&mut self, known: &Known<'_>) {
        self.waits =
            intervals(known).map_or_else(Vec::new, |set| lock_waits(known.store, set, known.samples, known.sites()));
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let mut report = Report::default();
        let Some(set) = intervals(known) else { return report };
        let (whole, unfinished): (Vec<LockWait>, Vec<LockWait>) = self.counted(scope).partition(|wait| wait.is_whole);
        let cut = self.waits.iter().filter(|wait| scope.covers(wait.event, wait.start, wait.end));
        let cut = cut.filter(|wait| scope.cuts(wait.start, wait.end)).count();
        let names = known.site_names();
        let view = View { store: known.store, names, set, waits: &whole };
        let by_site = grouped(&whole, |wait| wait.site.known());
        let by_lock = grouped(&whole, |wait| (!set.text(wait.lock).is_empty()).then_some(wait.lock));
        let convoys = convoys(&whole, |lock| set.text(lock).is_empty());
        let places = grouped(&whole, |wait| Some(Place::of(wait, names, set)));
        view.judge(&mut report, &places, &convoys, unfinished.len());
        view.figures(&mut report, scope, &by_lock, &convoys, (unfinished.len(), cut));
        let spans: Vec<(i64, i64)> = whole.iter().map(|wait| (wait.start, wait.end)).collect();
        wait_charts(&mut report, scope.span, ("Threads blocked on a lock", Hue::Lock), &spans);
        report.tables.push(view.sites_table(&by_site));
        report.tables.push(view.blocking_table());
        report.tables.push(view.locks_table(&by_lock));
        report.tables.push(view.convoys_table(&convoys));
        report.tables.push(view.waits_table(&unfinished));
        report.view_stacks("View contention stacks", RUNTIME, "Contention/Start");
        report
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let Some(set) = intervals(known) else { return Vec::new() };
        let waits: Vec<LockWait> = self.counted(scope).filter(|wait| wait.is_whole).collect();
        let convoys = convoys(&waits, |lock| set.text(lock).is_empty());
        lock_contention((known.site_names(), set), &waits, &convoys).into_iter().collect()
    }

    /// Adds the time that threads waited for locks, in total and by method.
    fn measures(&self, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let names = known.site_names();
        into.record(Subject::LockWaits);
        for wait in self.counted(scope).filter(|wait| wait.is_whole) {
            into.cover(Subject::LockWaits, "", wait.start, wait.end);
            if let Some(site) = wait.site.known() {
                into.cover(Subject::LockSite, &comparable_name(&names.short(site)), wait.start, wait.end);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.waits.len() * size_of::<LockWait>()
    }
}

impl ContentionFacts {
    /// Returns the waits in `scope`, clipped to its range: a wait that continues after the range has a known duration
    /// within it.
    fn counted(&self, scope: &Scope<'_>) -> impl Iterator<Item = LockWait> {
        let counted = self.waits.iter().filter(|wait| scope.covers(wait.event, wait.start, wait.end));
        counted.map(|wait| {
            let (start, end) = scope.part_of(wait.start, wait.end);
            LockWait { start, end, is_whole: wait.is_whole || end < wait.end, ..*wait }
        })
    }
}

/// The waits in scope, with the data to describe them.
struct View<'v> {
    store: &'v Store,
    names: SiteNames<'v>,
    set: &'v IntervalSet,
    waits: &'v [LockWait],
}

impl View<'_> {
    fn total(&self) -> i64 {
        self.waits.iter().map(LockWait::duration).fold(0, i64::saturating_add)
    }

    fn judge(&self, report: &mut Report, places: &[(Place, Group)], convoys: &[Convoy], unfinished: usize) {
        let Some(longest) = self.waits.iter().map(LockWait::duration).max() else {
            report.verdict = match unfinished {
                0 => "No lock contention.".to_owned(),
                _ => format!("{} still in progress at the end of the trace.", counted(unfinished as u64, "lock wait")),
            };
            return;
        };
        let total = self.total();
        report.verdict = format!(
            "{}, {} in total. The longest took {}.",
            counted(self.waits.len().saturating_add(unfinished) as u64, "lock wait"),
            duration(total),
            duration(longest)
        );
        let mut sentences = Vec::new();
        if let Some(first) = places.first() {
            sentences.push(place_words(self.names, self.set, first, total) + ".");
        }
        if let Some(convoy) = convoys.first().filter(|convoy| convoy.waited >= CONVOY_WORTH_MENTIONING) {
            sentences.push(self.convoy_words(convoy, convoys.len()));
        }
        report.explanation = sentences.join(" ");
    }

    fn convoy_words(&self, convoy: &Convoy, of: usize) -> String {
        let place = convoy.site.known().map_or_else(String::new, |site| format!(" in {}", self.names.phrase(site)));
        let queue = match convoy.most_at_once {
            1 => format!("{} took turns {}", counted(convoy.threads, "thread"), times(convoy.hand_overs)),
            most => format!("up to {} queued at once", counted(most, "thread")),
        };
        let which = match of {
            1 => "A lock convoy".to_owned(),
            of => format!("The worst of {} lock convoys", count(of as u64)),
        };
        let from = seconds(convoy.span.start.0, 3);
        format!(
            "{which}: at {from}, {queue}{place} for {}, costing {} of thread time.",
            duration(convoy.span.duration()),
            duration(convoy.waited)
        )
    }

    fn figures(
        &self,
        report: &mut Report,
        scope: &Scope<'_>,
        by_lock: &[(u32, Group)],
        convoys: &[Convoy],
        (unfinished, cut): (usize, usize),
    ) {
        let threads: FastSet<ThreadId> = self.waits.iter().map(|wait| wait.thread).collect();
        let seconds = scope.span.duration().max(1) as f64 / 1e9;
        length_figures(report, self.waits.iter().map(LockWait::duration).collect(), unfinished, cut);
        let number = self.waits.len().saturating_add(unfinished);
        report.figure("perSecond", "Rate", number as f64 / seconds, Unit::PerSecond, "");
        report.figure("threads", "Waiting threads", threads.len() as f64, Unit::Count, "");
        report.figure("locks", "Locks", by_lock.len() as f64, Unit::Count, "where the runtime reports lock IDs");
        report.figure("convoys", "Lock convoys", convoys.len() as f64, Unit::Count, "");
        report.figure("unfinished", "Unfinished", unfinished as f64, Unit::Count, "");
    }

    fn sites_table(&self, by_site: &[(Site, Group)]) -> Table {
        Table::of("sites", "Call sites", by_site)
            .words("site", "Method", |(site, _)| self.names.name(*site))
            .waited("Total wait", "Waits", |(_, group)| &group.waited)
            .numbers("threads", "Threads", Unit::Count, |(_, group)| group.threads.len())
            .numbers("locks", "Locks", Unit::Count, |(_, group)| group.locks.len())
            .words("ownerSite", "Owner was mostly in", |(_, group)| self.names.name(leading(&group.owner_sites)))
            .target(|(site, group)| group.waited.target().filtered(self.names.condition(*site)))
    }

    fn blocking_table(&self) -> Table {
        let blocking = grouped(self.waits, |wait| Some((wait.thread, wait.owner?)));
        Table::of("blocking", "Blocking threads", &blocking)
            .threads("waiter", "Waiting thread", self.store, |((waiter, _), _)| *waiter)
            .threads("owner", "Owner thread", self.store, |((_, owner), _)| *owner)
            .waited("Total wait", "Waits", |(_, group)| &group.waited)
            .words("site", "Top call site", |(_, group)| self.names.name(leading(&group.sites)))
            .words("ownerSite", "Owner was mostly in", |(_, group)| self.names.name(leading(&group.owner_sites)))
            .target(|((waiter, _), group)| group.waited.target().filtered(thread_condition(self.store, *waiter)))
    }

    fn locks_table(&self, by_lock: &[(u32, Group)]) -> Table {
        Table::of("locks", "By lock", by_lock)
            .words("lock", "Lock", |(lock, _)| self.set.text(*lock))
            .waited("Total wait", "Waits", |(_, group)| &group.waited)
            .numbers("threads", "Waiting threads", Unit::Count, |(_, group)| group.threads.len())
            .numbers("owners", "Owners", Unit::Count, |(_, group)| group.owners.len())
            .words("site", "Top call site", |(_, group)| self.names.name(leading(&group.sites)))
            .target(|(lock, group)| {
                group.waited.target().filtered(format!("payload.LockID={}", word(self.set.text(*lock))))
            })
    }

    fn convoys_table(&self, convoys: &[Convoy]) -> Table {
        Table::of("convoys", "Lock convoys", convoys)
            .numbers("timeNs", "Start", Unit::Moment, |convoy| convoy.span.start.0)
            .numbers("durationNs", "Duration", Unit::Duration, |convoy| convoy.span.duration())
            .bars("waitedNs", "Total wait", Unit::Duration, |convoy| convoy.waited)
            .numbers("mostAtOnce", "Peak queue", Unit::Count, |convoy| convoy.most_at_once)
            .numbers("threads", "Threads", Unit::Count, |convoy| convoy.threads)
            .numbers("waits", "Waits", Unit::Count, |convoy| convoy.waits)
            .words("lock", "Lock", |convoy| self.set.text(convoy.lock))
            .words("site", "Top call site", |convoy| self.names.name(convoy.site))
            .target(|convoy| RowTarget::of(convoy.longest).over(convoy.span))
    }

    fn waits_table(&self, unfinished: &[LockWait]) -> Table {
        let mut waits: Vec<&LockWait> = self.waits.iter().collect();
        sort_by_key(&mut waits, |wait| (Reverse(wait.duration()), wait.event));
        waits.extend(unfinished);
        Table::of("waits", "All waits", &waits)
            .numbers("timeNs", "Time", Unit::Moment, |wait| wait.start)
            .bars("durationNs", "Duration", Unit::Duration, |wait| wait.is_whole.then(|| wait.duration()))
            .threads("thread", "Thread", self.store, |wait| wait.thread)
            .threads("owner", "Owner", self.store, |wait| wait.owner)
            .words("lock", "Lock", |wait| self.set.text(wait.lock))
            .words("site", "Method", |wait| self.names.name(wait.site))
            .words("ownerSite", "Owner was in", |wait| self.names.name(wait.owner_site))
            .target(|wait| RowTarget::of(wait.event).over(Span::new(wait.start, wait.end)))
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::testing::{What, store_of_program};
    use crate::analysis::topics::tests::reports::{column, figure, report, table};
    use protocol::topics::topic::Topic;

    #[test]
    fn lock_waits_are_grouped_by_site_lock_and_owner() {
        let wait = |lock, owner| What::WaitForLock { lock, owner, stack: vec![1, 2] };
        let methods = [("Shop.Program", "Main"), ("System.Threading.Monitor", "Enter"), ("Shop.Stock", "Count")];
        let (store, bytes) = store_of_program(
            &methods,
            &[
                (0, 5, What::Sample(true, vec![1, 3])),
                (1_000_000, 6, wait(0x70, 5)),
                (1_000_001, 7, wait(0x70, 5)),
                (1_000_002, 8, wait(0x70, 5)),
                (1_500_000, 5, What::Sample(true, vec![1, 3])),
                (3_000_000, 6, What::HaveLock),
                (4_000_000, 7, What::HaveLock),
                (5_000_000, 8, What::HaveLock),
                (8_000_000, 6, wait(0x71, 8)),
                (8_000_100, 6, What::HaveLock),
                (9_000_000, 7, wait(0x71, 8)),
            ],
        );
        let all = report(Topic::Contention, &store, &bytes, "");
        let figures = ["count", "totalNs", "longestNs", "threads", "locks", "convoys", "unfinished"];
        assert_eq!(figures.map(|key| figure(&all, key)), [5.0, 9_000_097.0, 3_999_998.0, 3.0, 2.0, 1.0, 1.0]);
        assert!(
            all.explanation.contains("A lock convoy: at 0.001 s, up to 3 threads queued at once"),
            "{}",
            all.explanation
        );
        assert_eq!(column(table(&all, "sites"), "site"), ["Shop.Program.Main()"]);
        assert_eq!(column(table(&all, "sites"), "ownerSite"), ["Shop.Stock.Count()"]);
        assert_eq!(column(table(&all, "locks"), "lock"), ["0x70", "0x71"]);
        assert_eq!(
            column(table(&all, "blocking"), "owner"),
            ["Program.Main · 5", "Program.Main · 5", "Program.Main · 5", "Program.Main · 8"]
        );
        assert_eq!(column(table(&all, "waits"), "durationNs")[3], "100");
        let one = report(Topic::Contention, &store, &bytes, "thread=6");
        assert_eq!((figure(&one, "count"), figure(&one, "convoys")), (2.0, 0.0));
        let none = report(Topic::Contention, &store, &bytes, "thread=5");
        assert_eq!(none.verdict, "No lock contention.");
    }
}
