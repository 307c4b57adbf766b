//! The thread pool: workers, adjustments of their number, queue, and starvation.

pub mod blocked_workers;
pub mod starvation;
pub(crate) mod tables;

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::SiteNames;
use super::shared::over_time::OverTime;
use super::shared::report::Report;
use super::waits::findings::{starvation, sync_over_async};
use super::waits::task_waits::TaskWaits;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::samples::stack_states::BlockedOn;
use crate::analysis::timeline::thread_pool::{QueueEvents, queue_lengths};
use crate::analysis::topics::thread_pool::blocked_workers::{BlockedSite, Workers, WorkersTime, workers_time};
use crate::analysis::topics::thread_pool::starvation::{
    Adjustment, LONGEST_BREAK, Starvation, by_adjustments, by_queue,
};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{TaskOperation, TaskWaitBegin, ThreadPoolAdjustment, ThreadPoolWorkers};
use crate::clr::source_names::{FRAMEWORK, RUNTIME, SAMPLE_PROFILER};
use crate::model::{EventChunk, EventType, Store};
use protocol::base::ids::EventId;
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::base::time::{Nanos, Span};
use protocol::format::{count, counted, duration, percent, seconds};
use protocol::topics::finding::Finding;
use protocol::topics::report::{Chart, Hue, Unit};
use std::cmp::Reverse;

/// Minimum share of busy time in which workers are blocked during starvation.
const MOSTLY_BLOCKED: f64 = 0.5;

/// Facts that the pool reported.
#[derive(Debug, Default)]
pub struct PoolFacts {
    queue: QueueEvents,
    /// Number of active workers: event, nanoseconds, workers.
    workers: Vec<(EventId, i64, u32)>,
    adjustments: Vec<Adjustment>,
    /// Work items per second, as measured by the pool.
    throughput: Vec<(EventId, i64, f64)>,
    /// Changes of the queue length.
    changes: Vec<(EventId, i64, i32)>,
    /// Tasks on which threads blocked.
    tasks: TaskWaits,
}

/// A starvation episode, with the state of the workers.
#[derive(Clone, Debug)]
pub struct Starved {
    /// The time of the episode, and the pool's growth.
    pub starvation: Starvation,
    /// Call sites at which the workers blocked.
    pub workers: WorkersTime,
    /// Number of active workers at the start, and maximum; `None` if not recorded.
    pub active: Option<(u32, u32)>,
}

impl Starved {
    /// Returns the growth for a short sentence: "workers grew from 6 to 25".
    pub fn short_growth(&self) -> String {
        let (what, from, to) = match self.active.filter(|(from, to)| to > from) {
            Some((from, to)) => ("workers", from, to),
            None => ("the pool's target", self.starvation.from, self.starvation.to),
        };
        format!("{what} grew from {} to {}", count(from.into()), count(to.into()))
    }

    /// Returns the growth in words: "raised its target from 2 to 25 workers because existing workers were blocked;
    /// active workers went from 2 to 24".
    pub fn growth_words(&self) -> String {
        let one = &self.starvation;
        let mut words = format!(
            "raised its target from {} to {} workers because existing workers were blocked",
            count(one.from.into()),
            count(one.to.into())
        );
        if let Some((first, most)) = self.active {
            words += &format!("; active workers went from {} to {}", count(first.into()), count(most.into()));
        }
        words
    }
}

impl PoolFacts {
    /// Returns the starvation episodes, the longest first, without those in which workers were busy.
    pub fn starved(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Starved> {
        let adjustments: Vec<Adjustment> =
            self.adjustments.iter().filter(|one| scope.has(one.event)).copied().collect();
        let mut found = by_adjustments(&adjustments);
        let of_queue = by_queue(&self.lengths(scope), |time| self.workers_at(time));
        found.extend(of_queue.into_iter().filter(|one| {
            !adjustments.iter().any(|other| other.is_for_stuck_workers && one.span.contains(Nanos(other.time)))
        }));
        let explained = found.into_iter().map(|starvation| Starved {
            workers: self.workers(known, scope, starvation.span),
            active: self.active_in(starvation.span, &adjustments),
            starvation,
        });
        // The pool's own reasons count unless samples show its workers running.
        let is_starved = |one: &Starved| match one.workers.blocked_share {
            Some(share) => share >= MOSTLY_BLOCKED,
            None => one.starvation.added > 0,
        };
        let mut starved: Vec<Starved> = explained.filter(is_starved).collect();
        sort_by_key(&mut starved, |one| (Reverse(one.starvation.span.duration()), one.starvation.span.start));
        starved
    }

    /// Returns where workers blocked in a span.
    fn workers(&self, known: &Known<'_>, scope: &Scope<'_>, span: Span) -> WorkersTime {
        let waits = known.tracks.known(Family::HandleWait);
        let Some(time) = &scope.time else { return WorkersTime::default() };
        let of = Workers { store: known.store, time, waits, tasks: &self.tasks, spans: known.spans };
        workers_time(&of, span, &|event| scope.has(event))
    }

    /// Returns the number of active or target workers at a time.
    fn workers_at(&self, time: i64) -> u32 {
        let active = self.workers.partition_point(|(_, at, _)| *at <= time);
        let wanted = self.adjustments.partition_point(|one| one.time <= time);
        let active = active.checked_sub(1).and_then(|at| self.workers.get(at)).map(|(_, _, workers)| *workers);
        let wanted = wanted.checked_sub(1).and_then(|at| self.adjustments.get(at)).map(|one| one.workers);
        active.or(wanted).unwrap_or(0)
    }

    /// Returns the number of active workers at the start of an episode, and their maximum; `None` if not recorded. The
    /// workers that its last adjustment adds start after it.
    fn active_in(&self, span: Span, adjustments: &[Adjustment]) -> Option<(u32, u32)> {
        let next = adjustments.get(adjustments.partition_point(|one| one.time <= span.end.0)).map(|one| one.time);
        let until = next.unwrap_or(i64::MAX).min(span.end.0.saturating_add(LONGEST_BREAK));
        let from = self.workers.partition_point(|(_, at, _)| *at <= span.start.0).saturating_sub(1);
        let inside = self.workers.get(from..)?.iter().take_while(|(_, at, _)| *at <= until);
        let (_, _, first) = *self.workers.get(from)?;
        Some((first, inside.map(|one| one.2).max().unwrap_or(first)))
    }

    /// Returns the queue lengths.
    fn lengths(&self, scope: &Scope<'_>) -> Vec<(EventId, i64, i32)> {
        let counted: Vec<&(EventId, i64, i32)> = self.changes.iter().filter(|one| scope.has(one.0)).collect();
        let lengths = queue_lengths(counted.iter().map(|(_, time, by)| (*time, *by)));
        counted.iter().zip(lengths).map(|((event, ..), (time, length))| (*event, time, length)).collect()
    }
}

impl Analysis for PoolFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { handle_waits: true, requests: true, ..Needs::NONE };

    fn new(store: &Store) -> Self {
        Self { queue: QueueEvents::new(store), ..Self::default() }
    }

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        use KnownEvent as E;
        let is_of_framework = event_type.provider == FRAMEWORK && event_type.display_name.starts_with("ThreadPool");
        let is_of_runtime = matches!(
            event_type.known,
            E::ThreadPoolAdjustment
                | E::ThreadPoolWorkerStart
                | E::ThreadPoolWorkerStop
                | E::ThreadPoolWorkerWait
                | E::ThreadPoolEnqueue
                | E::ThreadPoolDequeue
        );
        (is_of_framework || is_of_runtime).then_some(Role::Related)
    }
}

impl Facts for PoolFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        use KnownEvent as E;
        let is_wanted = matches!(
            event_type.known,
            E::ThreadPoolWorkerStart
                | E::ThreadPoolWorkerStop
                | E::ThreadPoolWorkerWait
                | E::ThreadPoolAdjustment
                | E::ThreadPoolAdjustmentSample
                | E::TaskWaitBegin
                | E::TaskOperationBegin
        );
        is_wanted || self.queue.change(event_type).is_some()
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let (event, time) = (chunk.event_id(row), store.clock.nanos(chunk.ticks(row)).0);
        if let Some(by) = self.queue.change(event_type) {
            self.changes.push((event, time, by));
            return;
        }
        match event_type.known {
            KnownEvent::ThreadPoolAdjustment => {
                self.adjustments.extend(ThreadPoolAdjustment::read(payload).map(|one| Adjustment {
                    event,
                    time,
                    workers: one.worker_count,
                    reason: one.reason,
                    is_for_stuck_workers: one.is_for_stuck_workers(),
                    throughput: one.average_throughput,
                }));
            }
            KnownEvent::ThreadPoolAdjustmentSample => {
                let rate = payload.first_chunk().map(|bytes| f64::from_le_bytes(*bytes));
                self.throughput.extend(rate.filter(|rate| rate.is_finite()).map(|rate| (event, time, rate)));
            }
            KnownEvent::TaskWaitBegin => {
                if let Some(wait) = TaskWaitBegin::read(payload).filter(|wait| wait.is_blocking) {
                    self.tasks.waits(chunk.thread(row), time, wait.task);
                }
            }
            KnownEvent::TaskOperationBegin => {
                if let Some(operation) = TaskOperation::read(payload) {
                    self.tasks.calls(operation.task, chunk.stack(row));
                }
            }
            _ => self.workers.extend(ThreadPoolWorkers::read(payload).map(|one| (event, time, one.active))),
        }
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let view = View {
            facts: self,
            names: known.site_names(),
            scope,
            starved: self.starved(known, scope),
            workers: self.workers(known, scope, scope.span),
            lengths: self.lengths(scope),
        };
        let mut report = Report::default();
        view.judge(&mut report);
        view.figures(&mut report);
        view.charts(&mut report);
        report.tables.push(view.starvation_table());
        report.tables.push(view.blocking_table());
        report.tables.push(view.reasons_table());
        report.tables.push(view.adjustments_table());
        if view.workers.sites.iter().any(|one| one.count > 0) {
            let (provider, event) =
                match known.tracks.known(Family::HandleWait).is_some_and(|set| !set.intervals().is_empty()) {
                    true => (RUNTIME, "WaitHandleWait/Start"),
                    false => (SAMPLE_PROFILER, "Thread/Sample"),
                };
            report.view_stacks("View wait stacks", provider, event);
        }
        report
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let workers = self.workers(known, scope, scope.span);
        let starved = self.starved(known, scope);
        let on_tasks = sync_over_async(known.site_names(), &workers.sites, &starved, scope.span);
        starvation(known.site_names(), &starved).into_iter().chain(on_tasks).collect()
    }

    fn bytes(&self) -> usize {
        let row = size_of::<(EventId, i64, f64)>();
        (self.workers.len() + self.throughput.len() + self.changes.len()) * row
            + self.adjustments.len() * size_of::<Adjustment>()
            + self.tasks.bytes()
    }
}

/// A line of a chart: name, color, values by time.
type Line<'l> = (&'l str, Hue, &'l [(i64, f64)]);

/// The facts in scope, with the data to describe them.
pub(super) struct View<'v> {
    facts: &'v PoolFacts,
    pub(super) names: SiteNames<'v>,
    scope: &'v Scope<'v>,
    pub(super) starved: Vec<Starved>,
    pub(super) workers: WorkersTime,
    lengths: Vec<(EventId, i64, i32)>,
}

impl View<'_> {
    pub(super) fn adjustments(&self) -> impl Iterator<Item = &Adjustment> {
        self.facts.adjustments.iter().filter(|one| self.scope.has(one.event))
    }

    fn active(&self) -> impl Iterator<Item = &(EventId, i64, u32)> {
        self.facts.workers.iter().filter(|one| self.scope.has(one.0))
    }

    fn most_active(&self) -> Option<u32> {
        self.active().map(|one| one.2).max()
    }

    fn highest_target(&self) -> Option<u32> {
        self.adjustments().map(|one| one.workers).max()
    }

    fn judge(&self, report: &mut Report) {
        let Some(worst) = self.starved.first() else {
            report.verdict = match (self.most_active(), self.highest_target()) {
                (Some(most), Some(target)) => format!(
                    "No starvation. The pool peaked at {}, with a target of up to {}.",
                    counted(most.into(), "active worker"),
                    count(target.into())
                ),
                (Some(most), None) => {
                    format!("No starvation. The pool peaked at {}.", counted(most.into(), "active worker"))
                }
                (None, Some(target)) => {
                    format!("No starvation. The pool's target peaked at {}.", counted(target.into(), "worker"))
                }
                (None, None) => "No starvation.".to_owned(),
            };
            let longest = self.lengths.iter().map(|one| one.2).max();
            if let Some(longest) = longest.filter(|longest| *longest > 0) {
                report.explanation = format!("The queue peaked at {}.", counted(longest as u64, "work item"));
            }
            return;
        };
        let one = &worst.starvation;
        let again = match self.starved.len() {
            1 => String::new(),
            more => format!(" It was the longest of {} episodes.", count(more as u64)),
        };
        let (from, long) = (seconds(one.span.start.0, 3), duration(one.span.duration()));
        report.verdict = match one.added {
            0 => format!(
                "Thread pool starvation lasted {long}, starting at {from}: up to {} queued.{again}",
                counted(one.longest_queue.unwrap_or(0).max(0) as u64, "work item")
            ),
            _ => format!(
                "Thread pool starvation lasted {long}, starting at {from}: the pool {}.{again}",
                worst.growth_words()
            ),
        };
        report.explanation = self.why(worst);
    }

    /// Returns a sentence or two about where workers blocked.
    fn why(&self, starved: &Starved) -> String {
        let time = &starved.workers;
        let mut sentences = Vec::new();
        if let Some(share) = time.blocked_share {
            sentences.push(format!("Busy workers were blocked for {} of that time.", percent(share, 1.0)));
        }
        if let Some(site) = time.sites.iter().find(|one| one.site.is_some()) {
            let total: i64 = time.sites.iter().map(|one| one.nanos).sum();
            let share = percent(site.nanos as f64, total as f64);
            let place = self.names.phrase(site.site);
            let workers = counted(site.threads, "worker");
            sentences.push(format!(
                "{place} accounts for {share} of the blocked time: {workers} blocked by {}.",
                self.words_of(site)
            ));
            sentences.extend(Some(self.names.explanation(site.site)).filter(|words| !words.is_empty()));
        }
        if sentences.is_empty() {
            sentences.push("Record samples or WaitHandle events to see where workers were blocked.".to_owned());
        }
        sentences.join(" ")
    }

    /// Returns what blocks a call site: "sync-over-async on Shop.Gateway.CallAsync (async)".
    fn words_of(&self, site: &BlockedSite) -> String {
        match site.awaited {
            Some(_) => format!("sync-over-async on {}", self.names.method(site.awaited)),
            None => site.on.words().to_owned(),
        }
    }

    fn figures(&self, report: &mut Report) {
        let starved: i64 = self.starved.iter().map(|one| one.starvation.span.duration()).sum();
        let changes =
            |wanted: i32| self.facts.changes.iter().filter(|one| one.2 == wanted && self.scope.has(one.0)).count();
        let mut rates: Vec<f64> =
            self.facts.throughput.iter().filter(|one| self.scope.has(one.0)).map(|one| one.2).collect();
        sort_by(&mut rates, |one, other| one.total_cmp(other));
        let median = rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN);
        let on_tasks: i64 =
            self.workers.sites.iter().filter(|one| one.on == BlockedOn::Task).map(|one| one.nanos).sum();
        let blocked: i64 = self.workers.sites.iter().map(|one| one.nanos).sum();
        report.figure("starvations", "Starvation episodes", self.starved.len() as f64, Unit::Count, "");
        report.figure("starvedNs", "Starvation time", starved as f64, Unit::Duration, "");
        if let Some(most) = self.most_active() {
            report.figure("workers", "Peak active workers", most.into(), Unit::Count, "");
        }
        if let Some(target) = self.highest_target() {
            report.figure("targetWorkers", "Peak target workers", target.into(), Unit::Count, "set by the pool");
        }
        report.figure(
            "adjustments",
            "Adjustments",
            self.adjustments().count() as f64,
            Unit::Count,
            "worker count changes",
        );
        report.figure("throughput", "Median throughput", median, Unit::PerSecond, "measured by hill climbing");
        report.figure("blockedNs", "Blocked worker time", blocked as f64, Unit::Duration, "summed over workers");
        report.figure("syncOverAsyncNs", "Blocked on tasks", on_tasks as f64, Unit::Duration, "sync-over-async");
        if !self.lengths.is_empty() {
            let longest = self.lengths.iter().map(|one| one.2).max().unwrap_or(0);
            report.figure("enqueued", "Work items enqueued", changes(1) as f64, Unit::Count, "");
            report.figure("dequeued", "Work items dequeued", changes(-1) as f64, Unit::Count, "");
            report.figure("longestQueue", "Peak queue length", f64::from(longest), Unit::Count, "");
        }
    }

    fn charts(&self, report: &mut Report) {
        let times = OverTime::new(self.scope.span);
        let active: Vec<(i64, f64)> = self.active().map(|one| (one.1, one.2.into())).collect();
        let wanted: Vec<(i64, f64)> = self.adjustments().map(|one| (one.time, one.workers.into())).collect();
        let rates = self.facts.throughput.iter().filter(|one| self.scope.has(one.0));
        let rates: Vec<(i64, f64)> = rates.map(|one| (one.1, one.2)).collect();
        let lengths: Vec<(i64, f64)> = self.lengths.iter().map(|one| (one.1, one.2.into())).collect();
        let mut chart = |title: &str, unit: Unit, series: Vec<Line<'_>>| {
            let series: Vec<_> = series
                .into_iter()
                .filter(|(_, _, values)| !values.is_empty())
                .map(|(name, hue, values)| (name, hue, times.highest(values)))
                .collect();
            if !series.is_empty() {
                let chart = times.chart(title, unit, series);
                report.charts.push(Chart { is_stacked: false, ..chart });
            }
        };
        let workers = vec![("active", Hue::Managed, &active[..]), ("target", Hue::Neutral, &wanted[..])];
        chart("Workers", Unit::Count, workers);
        chart("Queue length", Unit::Count, vec![("work items", Hue::Io, &lengths[..])]);
        chart("Throughput", Unit::PerSecond, vec![("work items/s", Hue::Managed, &rates[..])]);
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::testing::{What, store_of_program};
    use crate::analysis::topics::tests::reports::{column, figure, report, rows, table};
    use protocol::topics::topic::Topic;

    const METHODS: [(&str, &str); 4] = [
        ("System.Threading.ThreadPoolWorkQueue", "Dispatch"),
        ("Shop.Gateway", "Call"),
        ("System.Threading.Tasks.Task", "InternalWait"),
        ("Shop.Prices", "Parse"),
    ];

    /// Returns the report of a pool that grows from 2 to 6 workers because others are blocked, with samples of a worker
    /// at that time.
    fn stuck_or_busy(is_managed: bool, stack: &[u64]) -> crate::analysis::topics::shared::report::Report {
        let mut happenings = vec![(0, 5, What::WorkerStart(2)), (1_000_000, 9, What::AdjustPool(2, 3))];
        for at in 1..=4 {
            let time = i64::from(at) * 500_000_000;
            happenings.push((time, 5, What::Sample(is_managed, stack.to_vec())));
            happenings.push((time + 1, 9, What::AdjustPool(2 + at, 6)));
        }
        let (store, bytes) = store_of_program(&METHODS, &happenings);
        report(Topic::ThreadPool, &store, &bytes, "")
    }

    #[test]
    fn pool_with_workers_blocked_on_tasks_is_starved() {
        let report = stuck_or_busy(false, &[1, 2, 3]);
        let starved = table(&report, "starvations");
        let columns = ["targetFrom", "targetTo", "activeFrom", "activeTo"];
        assert_eq!(rows(starved, &columns), [["2", "6", "2", "2"]], "the target is not what there is");
        assert_eq!((figure(&report, "workers"), figure(&report, "targetWorkers")), (2.0, 6.0));
        assert!(report.verdict.contains("target from 2 to 6 workers"), "{}", report.verdict);
        assert!(report.verdict.contains("active workers went from 2 to 2"), "{}", report.verdict);
        assert_eq!(column(starved, "site"), ["Shop.Gateway.Call()"]);
        assert_eq!(column(starved, "on"), ["a task (sync-over-async)"]);
        assert_eq!(figure(&report, "adjustments"), 5.0);
        assert!(
            report.verdict.starts_with("Thread pool starvation lasted 1.50 s, starting at 0.500 s"),
            "{}",
            report.verdict
        );
    }

    #[test]
    fn workers_of_the_last_adjustment_count() {
        let mut happenings = vec![(0, 5, What::WorkerStart(2)), (1_000_000, 9, What::AdjustPool(2, 3))];
        for at in 1..=4 {
            let time = i64::from(at) * 500_000_000;
            happenings.push((time, 5, What::Sample(false, vec![1, 2, 3])));
            happenings.push((time + 1, 9, What::AdjustPool(2 + at, 6)));
            // The worker starts later than the pool wants it.
            happenings.push((time + 16_000_000, 5, What::WorkerStart(2 + at)));
        }
        let (store, bytes) = store_of_program(&METHODS, &happenings);
        let report = report(Topic::ThreadPool, &store, &bytes, "");
        let starved = rows(table(&report, "starvations"), &["targetTo", "activeFrom", "activeTo"]);
        assert_eq!(starved, [["6", "2", "6"]]);
        assert!(report.verdict.contains("active workers went from 2 to 6"), "{}", report.verdict);
    }

    #[test]
    fn pool_with_running_workers_is_not_starved() {
        let report = stuck_or_busy(true, &[1, 4]);
        assert_eq!((figure(&report, "starvations"), table(&report, "starvations").len()), (0.0, 0));
    }

    #[test]
    fn queue_length_and_throughput_are_reported() {
        let (store, bytes) = store_of_program(
            &METHODS,
            &[
                (0, 5, What::WorkerStart(2)),
                (10, 5, What::Enqueue),
                (20, 5, What::Enqueue),
                (30, 6, What::Dequeue),
                (40, 6, What::PoolThroughput(70.0)),
                (50, 6, What::Dequeue),
            ],
        );
        let report = report(Topic::ThreadPool, &store, &bytes, "");
        let figures = ["enqueued", "dequeued", "longestQueue", "throughput", "workers"];
        assert_eq!(figures.map(|key| figure(&report, key)), [2.0, 2.0, 2.0, 70.0, 2.0]);
        assert_eq!(report.charts.len(), 3);
        assert_eq!(report.verdict, "No starvation. The pool peaked at 2 active workers.");
    }
}
