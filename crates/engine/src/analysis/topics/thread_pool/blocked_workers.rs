//! Call sites at which thread pool workers block, and what they wait for.
//!
//! Samples show what a worker executed; wait events, if the runtime writes them, record it exactly.

use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::samples::stack_states::{BlockedOn, StackStates};
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::topics::shared::call_site::{Code, Site, Sites};
use crate::analysis::topics::shared::evidence::times;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::waits::task_waits::TaskWaits;
use crate::model::{Store, ThreadRole};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, FunctionId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::timeline::thread_state::{Activity, ThreadState};
use protocol::topics::finding::MAX_THREADS;
use std::cmp::Reverse;

/// Maximum number of times per site before nearby ones are merged.
const MAX_TIMES: usize = 4096;

/// A call site at which workers block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockedSite {
    pub site: Site,
    /// The object that they wait for.
    pub on: BlockedOn,
    /// Nanoseconds, summed over workers.
    pub nanos: i64,
    /// Number of workers.
    pub threads: u64,
    /// Number of waits, or of samples without wait events.
    pub count: u64,
    /// The longest wait there, or a sample.
    pub event: EventId,
    /// The async method whose result was awaited longest, if events of the task library record it.
    pub awaited: Option<FunctionId>,
    /// The route of the requests that waited longest, by its position, if requests are known.
    pub route: Option<u32>,
    /// The workers, by wait time in descending order; at most [`MAX_THREADS`].
    pub workers: Vec<ThreadId>,
    /// Times of the waits, with the resolution of a small chart.
    pub times: Vec<Span>,
    /// True if wait events recorded it, false if samples show it.
    pub is_recorded: bool,
}

/// Workers' blocked time in a span.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkersTime {
    /// Sites where they blocked, by time in descending order.
    pub sites: Vec<BlockedSite>,
    /// Share of their busy time in which workers were blocked, from samples; `None` without samples.
    pub blocked_share: Option<f64>,
}

/// The data about the workers of a pool.
pub struct Workers<'w> {
    /// The loaded trace.
    pub store: &'w Store,
    pub time: &'w ThreadTime,
    /// Waits on handles and monitors, if the runtime records them.
    pub waits: Option<&'w IntervalSet>,
    pub tasks: &'w TaskWaits,
    /// Requests, if only they can identify some of the app's code.
    pub spans: Option<&'w SpanIndex>,
}

/// Returns where the pool's workers blocked in `span`; `counts` is true for events in scope.
pub fn workers_time(of: &Workers<'_>, span: Span, counts: &dyn Fn(EventId) -> bool) -> WorkersTime {
    let (store, waits) = (of.store, of.waits);
    let (mut stacks, mut sites) = (StackStates::new(store), Sites::new(store, of.spans));
    let awaited = |sites: &mut Sites<'_>, on: BlockedOn, thread: ThreadId, time: i64| {
        let stack = of.tasks.called_at(thread, time).filter(|_| on == BlockedOn::Task)?;
        match sites.code(stack) {
            Code::Method(method) => Some(method),
            _ => None,
        }
    };
    let is_worker: Vec<bool> = store.threads.iter().map(|thread| thread.role == ThreadRole::PoolWorker).collect();
    let is_worker = |thread: ThreadId| is_worker.get(thread.index()).copied().unwrap_or(false);
    let (mut recorded, mut sampled) = (BySite::default(), BySite::default());
    let (mut blocked, mut working) = (0i64, 0i64);
    for (thread, taken) in of.time.stacks.iter().filter(|(thread, _)| is_worker(*thread)) {
        for at in taken.inside(span).filter(|at| of.time.selection.contains(taken.event(*at).index())) {
            let stack = taken.stack(at);
            taken.for_each_state(at, |state, nanos| {
                let Some(state) = ThreadState::from_u8(state) else { return };
                let Some(on) = stacks.blocked_on(stack, state) else {
                    // A worker that the GC pauses, or that waits for a CPU, has work.
                    let works = matches!(state, ThreadState::Gc | ThreadState::Ready)
                        || state.activity() == Some(Activity::Running);
                    working = working.saturating_add(if works { nanos } else { 0 });
                    return;
                };
                blocked = blocked.saturating_add(nanos);
                // An event may record a wait that began after the sample, elsewhere.
                let sampled_state = stacks.of_sample(stack, taken.is_managed(at), ThreadRole::PoolWorker);
                if !taken.is_recorded(at) && stacks.blocked_on(stack, sampled_state) != Some(on) {
                    return;
                }
                let awaited = awaited(&mut sites, on, thread, taken.time(at));
                let start = taken.time(at);
                let when = Span::new(start, start.saturating_add(nanos));
                let site = sites.of_thread(thread, start, stack);
                let route = sites.route_of(ActivityId(0), thread, start);
                sampled.add((site, on), when, thread, taken.event(at), (awaited, route));
            });
        }
    }
    let whole = waits
        .into_iter()
        .flat_map(|set| set.intervals())
        .filter(|interval| interval.is_whole() && is_worker(interval.thread));
    for wait in whole.filter(|interval| counts(interval.event)) {
        let Some(part) = Span::new(wait.start, wait.end).intersect(span) else { continue };
        let row = store.events.row(wait.event);
        let stack = row.stack;
        let state = stacks.of_wait(stack, ThreadRole::PoolWorker);
        if let Some(on) = stacks.blocked_on(stack, state) {
            let awaited = awaited(&mut sites, on, wait.thread, wait.start);
            let route = sites.route_of(row.activity, wait.thread, wait.start);
            recorded.add((sites.of_event(wait.event), on), part, wait.thread, wait.event, (awaited, route));
        }
    }
    let known = blocked.saturating_add(working);
    let is_recorded = !recorded.0.is_empty();
    let found = if is_recorded { recorded } else { sampled };
    WorkersTime { sites: found.finish(is_recorded), blocked_share: (known > 0).then(|| blocked as f64 / known as f64) }
}

/// Time at a call site.
struct AtSite {
    nanos: i64,
    threads: FastMap<ThreadId, i64>,
    times: Vec<Span>,
    count: u64,
    /// Nanoseconds of the longest wait, and its event.
    longest: (i64, EventId),
    /// Nanoseconds by awaited async method.
    awaited: FastMap<FunctionId, i64>,
    /// Nanoseconds by route.
    routes: FastMap<u32, i64>,
}

#[derive(Default)]
struct BySite(FastMap<(Site, BlockedOn), AtSite>);

impl BySite {
    fn add(
        &mut self,
        place: (Site, BlockedOn),
        when: Span,
        thread: ThreadId,
        event: EventId,
        (awaited, route): (Option<FunctionId>, Option<u32>),
    ) {
        let nanos = when.duration();
        let at = self.0.entry(place).or_insert_with(|| AtSite {
            nanos: 0,
            threads: FastMap::default(),
            times: Vec::new(),
            count: 0,
            longest: (nanos, event),
            awaited: FastMap::default(),
            routes: FastMap::default(),
        });
        at.nanos = at.nanos.saturating_add(nanos);
        let of_thread = at.threads.entry(thread).or_default();
        *of_thread = of_thread.saturating_add(nanos);
        at.times.push(when);
        if at.times.len() > MAX_TIMES {
            at.times = times(std::mem::take(&mut at.times));
        }
        at.count += 1;
        if nanos > at.longest.0 {
            at.longest = (nanos, event);
        }
        if let Some(awaited) = awaited {
            let sum = at.awaited.entry(awaited).or_default();
            *sum = sum.saturating_add(nanos);
        }
        if let Some(route) = route {
            let sum = at.routes.entry(route).or_default();
            *sum = sum.saturating_add(nanos);
        }
    }

    fn finish(self, is_recorded: bool) -> Vec<BlockedSite> {
        let of = |((site, on), at): ((Site, BlockedOn), AtSite)| {
            let workers = ranked(at.threads, |nanos| *nanos);
            BlockedSite {
                site,
                on,
                nanos: at.nanos,
                threads: workers.len() as u64,
                count: at.count,
                event: at.longest.1,
                awaited: at
                    .awaited
                    .into_iter()
                    .max_by_key(|&(method, nanos)| (nanos, Reverse(method)))
                    .map(|one| one.0),
                route: at.routes.into_iter().max_by_key(|&(route, nanos)| (nanos, Reverse(route))).map(|one| one.0),
                workers: workers.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect(),
                times: times(at.times),
                is_recorded,
            }
        };
        let mut sites: Vec<BlockedSite> = self.0.into_iter().map(of).collect();
        sort_by_key(&mut sites, |one| (Reverse(one.nanos), one.site, one.on));
        sites
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::contention::handle_waits;
    use crate::analysis::testing::{What, store_of_program};
    use crate::analysis::timeline::thread_states::thread_time;

    const METHODS: [(&str, &str); 7] = [
        ("System.Threading.ThreadPoolWorkQueue", "Dispatch"),
        ("Shop.Gateway", "Call"),
        ("System.Runtime.CompilerServices.TaskAwaiter`1", "GetResult"),
        ("System.Threading.Tasks.Task", "InternalWait"),
        ("System.Threading.Monitor", "Wait"),
        ("System.Threading.LowLevelLifoSemaphore", "Wait"),
        ("Shop.Prices", "Parse"),
    ];

    #[test]
    fn worker_waiting_for_task_blocks_at_app_site() {
        let blocked = vec![1, 2, 3, 4, 5];
        let sample = |managed, stack: &[u64]| What::Sample(managed, stack.to_vec());
        let happenings = [
            (0, 5, What::WorkerStart(1)),
            (10, 5, sample(false, &blocked)),
            (20, 5, sample(false, &blocked)),
            (30, 5, sample(true, &[1, 7])),
            (40, 5, sample(false, &[1, 6])),
            (50, 5, sample(false, &[1, 6])),
            (60, 6, sample(false, &blocked[1..])),
            (70, 6, sample(false, &blocked[1..])),
        ];
        let (store, bytes) = store_of_program(&METHODS, &happenings);
        let time = thread_time(&store, &bytes);
        let waits = handle_waits(&store, &bytes).unwrap();
        let of = Workers { store: &store, time: &time, waits: Some(&waits), tasks: &TaskWaits::default(), spans: None };
        let time = workers_time(&of, Span::new(0, 100), &|_| true);
        assert_eq!(time.sites.len(), 1, "the other thread is none of the pool: {time:?}");
        let site = &time.sites[0];
        assert_eq!((site.on, site.nanos, site.threads, site.count), (BlockedOn::Task, 20, 1, 2));
        assert_eq!(site.site.function().map(|site| store.function_name(site)), Some("Shop.Gateway.Call()"));
        assert_eq!(time.blocked_share, Some(20.0 / 30.0), "who waits for work has none");
    }

    #[test]
    fn wait_events_replace_samples() {
        let happenings = [
            (0, 5, What::WorkerStart(1)),
            (10, 5, What::WaitForHandle { is_monitor: true, stack: vec![1, 2, 3, 4, 5] }),
            (70, 5, What::HandleSet),
            (80, 5, What::WaitForHandle { is_monitor: true, stack: vec![1, 6] }),
            (90, 5, What::HandleSet),
        ];
        let (store, bytes) = store_of_program(&METHODS, &happenings);
        let (waits, time) = (handle_waits(&store, &bytes).unwrap(), thread_time(&store, &bytes));
        let mut tasks = TaskWaits::default();
        tasks.waits(ThreadId(9), 10, 1);
        let of = Workers { store: &store, time: &time, waits: Some(&waits), tasks: &tasks, spans: None };
        let time = workers_time(&of, Span::new(30, 100), &|_| true);
        assert_eq!((time.sites.len(), time.sites[0].nanos, time.blocked_share), (1, 40, None));
    }
}
