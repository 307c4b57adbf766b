//! What keeps workers of the thread pool from working: the places where they block, and on what.
//!
//! Samples show what a worker was in; events of waits, where a runtime writes them, record it exactly.

use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::topics::shared::call_site::{Code, Site, Sites};
use crate::analysis::topics::shared::evidence::times;
use crate::analysis::topics::waits::task_waits::TaskWaits;
use crate::model::{Store, ThreadRole};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, FunctionId, StackId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::finding::MAX_THREADS;
use std::cmp::Reverse;

/// Times of a place that are collected before those that are near each other become one.
const MAX_TIMES: usize = 4096;

/// What a thread blocks on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockedOn {
    /// The parts of a loop or call that run in parallel.
    Parallel,
    /// The result of a task: sync over async.
    Task,
    /// A lock.
    Lock,
    /// Time.
    Sleep,
    /// A handle, a semaphore or a monitor.
    Handle,
}

impl BlockedOn {
    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Self::Parallel => "a parallel loop",
            Self::Task => "a task (sync-over-async)",
            Self::Lock => "a lock",
            Self::Sleep => "Thread.Sleep",
            Self::Handle => "a wait handle",
        }
    }
}

/// What the stack of a worker that doesn't run managed code shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    /// It waits for work.
    Nothing,
    /// It waits for something else.
    Blocked(BlockedOn),
    /// It works, or is in native code.
    Working,
}

/// A place where workers block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockedSite {
    /// Where in the program.
    pub site: Site,
    /// On what.
    pub on: BlockedOn,
    /// Nanoseconds, all workers together.
    pub nanos: i64,
    /// How many workers.
    pub threads: u64,
    /// How many waits, or samples if there are no events of waits.
    pub count: u64,
    /// A wait or sample there: the one that lasts longest.
    pub event: EventId,
    /// The async method whose result was waited for longest, if events of the task library record it.
    pub awaited: Option<FunctionId>,
    /// Which workers, those that waited longest first; at most [`MAX_THREADS`].
    pub workers: Vec<ThreadId>,
    /// When, as far as can be told apart in a small picture.
    pub times: Vec<Span>,
    /// Whether events of waits recorded it, else samples show it.
    pub is_recorded: bool,
}

/// What workers did in a span.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkersTime {
    /// Where they blocked, those that took most time first.
    pub sites: Vec<BlockedSite>,
    /// The share of the time for which they had work in which they were blocked, by samples; none without samples.
    pub blocked_share: Option<f64>,
}

/// What is known about the workers of a pool.
pub struct Workers<'w> {
    /// What was loaded.
    pub store: &'w Store,
    /// The samples of all threads.
    pub samples: &'w SampleIndex,
    /// Waits on handles and monitors, if the runtime records them.
    pub waits: Option<&'w IntervalSet>,
    /// Which tasks threads waited for.
    pub tasks: &'w TaskWaits,
    /// Requests, if only they distinguish some code of the program.
    pub spans: Option<&'w SpanIndex>,
}

/// Where the workers of the pool blocked in `span`; `counts` says of an event whether it counts.
pub fn workers_time(of: &Workers<'_>, span: Span, counts: &dyn Fn(EventId) -> bool) -> WorkersTime {
    let (store, samples, waits) = (of.store, of.samples, of.waits);
    let (mut by_stack, mut sites) = (StackMeanings::default(), Sites::new(store, of.spans));
    let awaited = |sites: &mut Sites<'_>, on: BlockedOn, thread: ThreadId, time: i64| {
        let stack = of.tasks.called_at(thread, time).filter(|_| on == BlockedOn::Task)?;
        match sites.code(stack) {
            Code::Method(method) => Some(method),
            _ => None,
        }
    };
    let is_worker: Vec<bool> = store.threads().iter().map(|thread| thread.role == ThreadRole::PoolWorker).collect();
    let is_worker = |thread: ThreadId| is_worker.get(thread.index()).copied().unwrap_or(false);
    let (mut recorded, mut sampled) = (BySite::default(), BySite::default());
    let (mut blocked, mut working) = (0i64, 0i64);
    for (thread, taken) in samples.iter().filter(|(thread, _)| is_worker(*thread)) {
        for at in taken.inside(span).filter(|at| counts(taken.event(*at))) {
            let nanos = taken.weight(at);
            let (stack, time) = (taken.stack(at), taken.time(at));
            let doing = by_stack.of(store, stack);
            match doing {
                Doing::Blocked(on) if !taken.is_managed(at) => {
                    blocked = blocked.saturating_add(nanos);
                    let awaited = awaited(&mut sites, on, thread, time);
                    let site = sites.of_thread(thread, time, stack);
                    let when = Span::new(time, time.saturating_add(nanos.max(0)));
                    sampled.add((site, on), when, thread, taken.event(at), awaited);
                }
                Doing::Nothing if !taken.is_managed(at) => {}
                _ => working = working.saturating_add(nanos),
            }
        }
    }
    let whole = waits
        .into_iter()
        .flat_map(|set| set.intervals())
        .filter(|interval| interval.is_whole() && is_worker(interval.thread));
    for wait in whole.filter(|interval| counts(interval.event)) {
        let Some(part) = Span::new(wait.start, wait.end).intersect(span) else { continue };
        if let Doing::Blocked(on) = by_stack.of(store, store.events().row(wait.event).stack) {
            let awaited = awaited(&mut sites, on, wait.thread, wait.start);
            recorded.add((sites.of_event(wait.event), on), part, wait.thread, wait.event, awaited);
        }
    }
    let known = blocked.saturating_add(working);
    let is_recorded = !recorded.0.is_empty();
    let found = if is_recorded { recorded } else { sampled };
    WorkersTime { sites: found.finish(is_recorded), blocked_share: (known > 0).then(|| blocked as f64 / known as f64) }
}

/// Time at a place.
struct AtSite {
    nanos: i64,
    threads: FastMap<ThreadId, i64>,
    times: Vec<Span>,
    count: u64,
    /// Nanoseconds of the longest, and its event.
    longest: (i64, EventId),
    /// Nanoseconds by the async method that was waited for.
    awaited: FastMap<FunctionId, i64>,
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
        awaited: Option<FunctionId>,
    ) {
        let nanos = when.duration();
        let at = self.0.entry(place).or_insert_with(|| AtSite {
            nanos: 0,
            threads: FastMap::default(),
            times: Vec::new(),
            count: 0,
            longest: (nanos, event),
            awaited: FastMap::default(),
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
    }

    fn finish(self, is_recorded: bool) -> Vec<BlockedSite> {
        let of = |((site, on), at): ((Site, BlockedOn), AtSite)| {
            let mut workers: Vec<(ThreadId, i64)> = at.threads.into_iter().collect();
            sort_by_key(&mut workers, |(thread, nanos)| (Reverse(*nanos), *thread));
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

/// What stacks mean, each looked at once.
#[derive(Default)]
struct StackMeanings {
    known: FastMap<StackId, Doing>,
    /// By function: idle or what is blocked on; none of most functions.
    functions: FastMap<FunctionId, Option<Doing>>,
}

impl StackMeanings {
    fn of(&mut self, store: &Store, stack: StackId) -> Doing {
        if let Some(known) = self.known.get(&stack) {
            return *known;
        }
        let mut found = None;
        for frame in store.stacks().leaf_to_root(stack) {
            let id = store.frames().function(frame);
            let Some(function) = store.functions().get(id) else { continue };
            if function.is_managed && !function.is_framework {
                break;
            }
            let meaning = *self.functions.entry(id).or_insert_with(|| meaning(store.function_name(id)));
            found = match (found, meaning) {
                // A wait for a task is a wait for a monitor below.
                (Some(Doing::Blocked(known)), Some(Doing::Blocked(on))) => Some(Doing::Blocked(known.min(on))),
                (known, None) => known,
                // A wait for work is a wait for a semaphore below.
                (_, meaning) => meaning,
            };
        }
        let doing = found.unwrap_or(Doing::Working);
        self.known.insert(stack, doing);
        doing
    }
}

/// What it means that a function of .NET is on a stack below everything of the program.
fn meaning(name: &str) -> Option<Doing> {
    use BlockedOn::{Handle, Lock, Parallel, Sleep, Task};
    let path = name.split('(').next().unwrap_or(name);
    let (owner, method) = path.rsplit_once('.').unwrap_or(("", path));
    let method = method.split('<').next().unwrap_or(method);
    let is_in = |types: &[&str]| types.iter().any(|one| owner == *one || owner.starts_with(&[one, "<"].concat()));
    const TASKS: [&str; 1] = ["System.Threading.Tasks.Task"];
    const AWAITERS: [&str; 4] = [
        "System.Runtime.CompilerServices.TaskAwaiter",
        "System.Runtime.CompilerServices.ValueTaskAwaiter",
        "System.Runtime.CompilerServices.ConfiguredTaskAwaitable",
        "System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable",
    ];
    if ["LowLevelLifoSemaphore", "LowLevelSpinWaiter", "PortableThreadPool.GateThread"]
        .iter()
        .any(|one| owner.contains(one))
    {
        return Some(Doing::Nothing);
    }
    let waits_for_task = is_in(&TASKS)
        && ["Wait", "WaitAll", "WaitAny", "WaitAllCore", "InternalWait", "InternalWaitCore", "SpinThenBlockingWait"]
            .contains(&method)
        || is_in(&TASKS) && ["get_Result", "Result", "GetResultCore"].contains(&method)
        || AWAITERS.iter().any(|one| owner.starts_with(one))
            && ["GetResult", "HandleNonSuccessAndDebuggerNotification"].contains(&method);
    let on = match method {
        _ if is_in(&["System.Threading.Tasks.Parallel", "System.Threading.Tasks.TaskReplicator"]) => Parallel,
        _ if waits_for_task => Task,
        "Enter"
        | "TryEnter"
        | "ReliableEnter"
        | "Enter_Slowpath"
        | "TryEnter_Slowpath"
        | "EnterAndGetCurrentThreadId"
        | "EnterScope"
        | "TryEnterSlow"
            if is_in(&["System.Threading.Monitor", "System.Threading.Lock"]) =>
        {
            Lock
        }
        _ if owner == "System.Threading.Thread" && method.starts_with("Sleep") => Sleep,
        _ if owner == "System.Threading.Thread" && method.starts_with("Join") => Handle,
        "Wait"
        | "WaitOne"
        | "WaitAny"
        | "WaitAll"
        | "ObjWait"
        | "WaitMultiple"
        | "WaitOneCore"
        | "WaitOneNoCheck"
        | "WaitUntilCountOrTimeout"
        | "SignalAndWait"
            if owner.starts_with("System.Threading.") =>
        {
            Handle
        }
        _ => return None,
    };
    Some(Doing::Blocked(on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::contention::handle_waits;
    use crate::analysis::testing::{What, store_of_program};

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
    fn a_worker_that_waits_for_a_task_blocks_where_the_program_asked_for_it() {
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
        let samples = SampleIndex::build(&store).expect("memory");
        let waits = handle_waits(&store, &bytes).unwrap();
        let of = Workers {
            store: &store,
            samples: &samples,
            waits: Some(&waits),
            tasks: &TaskWaits::default(),
            spans: None,
        };
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
        let (waits, samples) = (handle_waits(&store, &bytes).unwrap(), SampleIndex::build(&store).expect("memory"));
        let mut tasks = TaskWaits::default();
        tasks.waits(ThreadId(9), 10, 1);
        let of = Workers { store: &store, samples: &samples, waits: Some(&waits), tasks: &tasks, spans: None };
        let time = workers_time(&of, Span::new(30, 100), &|_| true);
        assert_eq!((time.sites.len(), time.sites[0].nanos, time.blocked_share), (1, 40, None));
    }

    #[test]
    fn what_functions_mean() {
        let on = |name: &str| match meaning(name) {
            Some(Doing::Blocked(on)) => Some(on),
            _ => None,
        };
        assert_eq!(on("System.Threading.Tasks.Task<TResult>.GetResultCore(bool)"), Some(BlockedOn::Task));
        assert_eq!(on("System.Threading.Tasks.Task.Wait(int, CancellationToken)"), Some(BlockedOn::Task));
        assert_eq!(on("System.Threading.Monitor.Enter(object, ref bool)"), Some(BlockedOn::Lock));
        assert_eq!(on("System.Threading.Monitor.Wait(object, int)"), Some(BlockedOn::Handle));
        assert_eq!(on("System.Threading.Thread.Sleep(int)"), Some(BlockedOn::Sleep));
        assert_eq!(on("System.Threading.Tasks.Task.Execute()"), None);
        assert_eq!(on("System.String.Concat(string)"), None);
    }
}
