//! Roles of threads, with the reasons for them.

use super::table::{Thread, ThreadRole, Threads};
use super::thread_labels;
use crate::clr::{KnownEvent, Provider};
use crate::model::code::resolve::ResolvedCode;
use crate::model::columns::events::Events;
use crate::model::columns::strings::Strings;
use crate::model::file::types::{EventType, Types};
use crate::model::ingest::{RoleEvidence, RoleHint, ThreadTable};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FrameId, ProcessId, StackId, StringId, ThreadId};

/// Evidence for roles.
pub(crate) struct Context<'s> {
    pub evidence: &'s RoleEvidence,
    pub code: &'s ResolvedCode,
    pub strings: &'s Strings,
    /// Stack of a sample of each thread, by [`ThreadId`].
    pub sample_stacks: &'s [StackId],
    /// OS process IDs, by [`ProcessId`].
    pub os_processes: &'s [u64],
    pub events: &'s Events,
    pub types: &'s Types,
    /// Number of threads that share the work.
    pub workers: usize,
}

/// Number of frames to check, from the root of a stack.
const ROOT_FRAMES: usize = 8;

/// Methods that run only on threads of one role.
const ROOT_METHODS: [(&str, ThreadRole); 10] = [
    ("System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart", ThreadRole::PoolWorker),
    ("System.Threading.ThreadPoolWorkQueue.Dispatch", ThreadRole::PoolWorker),
    ("System.Threading._ThreadPoolWaitCallback.PerformWaitCallback", ThreadRole::PoolWorker),
    ("System.GC.RunFinalizers", ThreadRole::Finalizer),
    ("System.Threading.TimerQueue.TimerThread", ThreadRole::Timer),
    ("System.Threading.PortableThreadPool+GateThread.GateThreadStart", ThreadRole::PoolGate),
    ("System.Threading.PortableThreadPool+WaitThread.WaitThreadStart", ThreadRole::PoolWait),
    ("System.Net.Sockets.SocketAsyncEngine.EventLoop", ThreadRole::Sockets),
    ("System.Threading.PortableThreadPool+IOCompletionPoller.Poll", ThreadRole::PoolIo),
    ("System.Threading._IOCompletionCallback.PerformIOCompletionCallback", ThreadRole::PoolIo),
];

/// Names that the runtime gives to its threads, truncated to the 15 bytes of Linux.
const RUNTIME_NAMES: [(&str, ThreadRole); 10] = [
    (".NET Finalizer", ThreadRole::Finalizer),
    (".NET TP Worker", ThreadRole::PoolWorker),
    (".NET TP Gate", ThreadRole::PoolGate),
    (".NET TP Wait", ThreadRole::PoolWait),
    (".NET Timer", ThreadRole::Timer),
    (".NET Sockets", ThreadRole::Sockets),
    (".NET EventPipe", ThreadRole::Session),
    (".NET Tiered Com", ThreadRole::TieredCompilation),
    (".NET BGC", ThreadRole::BackgroundCollector),
    (".NET Server GC", ThreadRole::GarbageCollector),
];

/// `Thread.ManagedThreadId` of the thread on which an app starts.
const FIRST_MANAGED_THREAD: u32 = 1;

/// Assigns roles to all threads.
pub(crate) fn assign(table: ThreadTable, context: &Context<'_>) -> Threads {
    let by_runtime = roles_by_runtime(&table, context.evidence);
    let mut threads = table.finish();
    let busy = with_own_work(context);
    for thread in threads.iter_mut() {
        (thread.role, thread.reason) = role_of(thread, &by_runtime, &busy, context);
    }
    find_main_threads(&mut threads, context);
    thread_labels::label(&mut threads, context);
    threads
}

/// Returns the threads with rundown or marking events that also do other work.
fn with_own_work(context: &Context<'_>) -> FastSet<ThreadId> {
    let hinted = |(_, hint): &&(ThreadId, RoleHint)| matches!(hint, RoleHint::WritesRundown | RoleHint::Marks);
    let mut open: FastSet<ThreadId> = context.evidence.hints.iter().filter(hinted).map(|(thread, _)| *thread).collect();
    let is_work: Vec<bool> = context.types.iter().map(|event_type| !is_service(event_type)).collect();
    let mut is_open = vec![false; open.iter().map(|thread| thread.index() + 1).max().unwrap_or(0)];
    let (mut busy, mut rows) = (FastSet::default(), Vec::new());
    for chunk in context.events.chunks() {
        if !open.iter().any(|thread| chunk.has_thread(*thread)) {
            continue;
        }
        is_open.iter_mut().zip(0..).for_each(|(is_open, thread)| *is_open = open.contains(&ThreadId(thread)));
        rows.clear();
        // These threads write few events, but most events are work.
        chunk.threads.rows_where(0..chunk.len(), &is_open, &mut rows);
        for &row in &rows {
            if is_work.get(chunk.event_type(row as usize).index()) == Some(&true) {
                let thread = chunk.thread(row as usize);
                if open.remove(&thread) {
                    busy.insert(thread);
                }
            }
        }
    }
    busy
}

/// Returns whether threads of the session or the GC write this event about their own work.
fn is_service(event_type: &EventType) -> bool {
    use KnownEvent as E;
    let is_gc_work = matches!(
        event_type.known,
        E::GcStart
            | E::GcEnd
            | E::GcHeapStats
            | E::GcCreateSegment
            | E::GcFreeSegment
            | E::GcSuspendBegin
            | E::GcSuspendEnd
            | E::GcRestartBegin
            | E::GcRestartEnd
            | E::GcMarkWithType
            | E::GcPerHeapHistory
            | E::GcGlobalHeapHistory
            | E::GcLohCompact
            | E::BulkType
    );
    let is_other_gc_event = Provider::from_name(&event_type.provider) == Some(Provider::Runtime)
        && matches!(event_type.record.event_id, 16..=31 | 33 | 34 | 36..=39 | 200..=210);
    event_type.is_rundown || is_gc_work || is_other_gc_event
}

/// Finds main threads by the entry point at the root of their stacks, if no thread has the ID of its process: on
/// Windows and macOS, thread IDs are unrelated to process IDs.
fn find_main_threads(threads: &mut Threads, context: &Context<'_>) {
    let has_main = |thread: &Thread| (thread.role == ThreadRole::Main).then_some(thread.process);
    let mut known: FastSet<ProcessId> = threads.iter().filter_map(has_main).collect();
    for thread in threads.iter_mut().filter(|thread| thread.role == ThreadRole::Other) {
        if known.contains(&thread.process) {
            continue;
        }
        if let Some(method) = entry_point(thread, context) {
            known.insert(thread.process);
            (thread.role, thread.reason) = (ThreadRole::Main, format!("Root frame: {method}."));
        }
    }
}

/// Returns the outermost managed method of a thread, if apps start in such a method.
fn entry_point(thread: &Thread, context: &Context<'_>) -> Option<String> {
    let stack = *context.sample_stacks.get(thread.id.index())?;
    let frames: Vec<FrameId> = context.code.stacks.leaf_to_root(stack).collect();
    let of = |frame: &FrameId| context.code.functions.get(context.code.frames.function(*frame));
    let function = frames.iter().rev().filter_map(of).find(|function| function.is_managed)?;
    let name = context.strings.get(function.raw_name).split_once('!')?.1.split('(').next()?;
    let is_entry = [".Main", ".<Main>$", ".<Main>"].iter().any(|end| name.ends_with(end));
    is_entry.then(|| context.strings.get(function.name).to_owned())
}

type Found = (ThreadRole, String);

fn role_of(
    thread: &Thread,
    by_runtime: &FastMap<ThreadId, Found>,
    busy: &FastSet<ThreadId>,
    context: &Context<'_>,
) -> Found {
    let does = |add_hint| context.evidence.hints.contains(&(thread.id, add_hint));
    let is_main =
        thread.incarnation == 0 && context.os_processes.get(thread.process.index()) == Some(&thread.os_thread);
    if thread.os_thread == 0 || thread.os_thread == u64::MAX {
        return (ThreadRole::None, "Events without a thread.".to_owned());
    }
    if is_main {
        return (ThreadRole::Main, "Thread ID equals process ID (main thread on Linux).".to_owned());
    }
    let hints = |add_hint, role, reason: &str| does(add_hint).then(|| (role, reason.to_owned()));
    by_runtime
        .get(&thread.id)
        .cloned()
        .or_else(|| by_name(thread))
        .or_else(|| hints(RoleHint::CollectsInBackground, ThreadRole::BackgroundCollector, "Completes background GCs."))
        .or_else(|| hints(RoleHint::RunsFinalizers, ThreadRole::Finalizer, "Runs finalizers."))
        .or_else(|| hints(RoleHint::WorksForPool, ThreadRole::PoolWorker, "Emits thread pool worker events."))
        .or_else(|| hints(RoleHint::Samples, ThreadRole::Sampler, "Samples the stacks of other threads."))
        .or_else(|| by_root_frames(thread, context))
        .or_else(|| {
            // Any thread may write the rundown, even the one that ends the app.
            let found = hints(RoleHint::WritesRundown, ThreadRole::Session, "Writes the rundown and nothing else.");
            found.filter(|_| !busy.contains(&thread.id) && !is_sampled(thread, context))
        })
        .or_else(|| hints(RoleHint::Recompiles, ThreadRole::TieredCompilation, "Recompiles methods in the background."))
        .or_else(|| {
            // Workstation GC marks on the thread that triggers the GC.
            let found =
                hints(RoleHint::Marks, ThreadRole::GarbageCollector, "Marks objects for the GC and does nothing else.");
            found.filter(|_| !busy.contains(&thread.id) && !is_sampled(thread, context))
        })
        .unwrap_or_else(|| (ThreadRole::Other, unknown_reason(thread, context)))
}

fn by_name(thread: &Thread) -> Option<Found> {
    let name = thread.name.as_deref()?;
    let (known, role) = RUNTIME_NAMES.iter().find(|(known, _)| name.starts_with(known))?;
    Some((*role, ["Named “", known, "” by the runtime."].concat()))
}

/// Returns the reason text of a thread without a role.
fn unknown_reason(thread: &Thread, context: &Context<'_>) -> String {
    match first_method(thread, context) {
        Some(method) => ["Role unknown. Root frame: ", context.strings.get(method), "."].concat(),
        None => "Role unknown.".to_owned(),
    }
}

/// Returns the outermost method of a thread's stacks outside framework code.
fn first_method(thread: &Thread, context: &Context<'_>) -> Option<StringId> {
    let stack = *context.sample_stacks.get(thread.id.index())?;
    let frames: Vec<FrameId> = context.code.stacks.leaf_to_root(stack).collect();
    frames.iter().rev().find_map(|&frame| {
        let function = context.code.functions.get(context.code.frames.function(frame))?;
        let name = context.strings.get(function.name);
        let is_framework = function.is_framework
            || name.starts_with("System.")
            || name.starts_with("Microsoft.")
            || name.starts_with("Interop");
        (function.is_managed && !is_framework && !function.is_unresolved).then_some(function.short_name)
    })
}

fn is_sampled(thread: &Thread, context: &Context<'_>) -> bool {
    context.sample_stacks.get(thread.id.index()).is_some_and(|stack| stack.0 != 0)
}

/// Returns the roles of threads according to events of the runtime.
fn roles_by_runtime(table: &ThreadTable, evidence: &RoleEvidence) -> FastMap<ThreadId, Found> {
    let mut roles = FastMap::default();
    for event in &evidence.threads {
        let Some(first) = table.known(event.process, event.os_thread) else { continue };
        let thread = table.at(first, event.ticks);
        let found = match event.created {
            created if created.is_finalizer() => (ThreadRole::Finalizer, "as the finalizer thread"),
            created if created.is_thread_pool_worker() => (ThreadRole::PoolWorker, "as a thread pool worker"),
            created if created.managed_thread_index == FIRST_MANAGED_THREAD => {
                (ThreadRole::Main, "as the first managed thread")
            }
            created if created.is_gc_special() => (ThreadRole::GarbageCollector, "as a GC thread"),
            _ => continue,
        };
        roles.entry(thread).or_insert((found.0, format!("Created by the runtime {}.", found.1)));
    }
    roles
}

fn by_root_frames(thread: &Thread, context: &Context<'_>) -> Option<Found> {
    let stack = *context.sample_stacks.get(thread.id.index())?;
    let frames: Vec<FrameId> = context.code.stacks.leaf_to_root(stack).collect();
    frames.iter().rev().take(ROOT_FRAMES).find_map(|&frame| {
        let function = context.code.functions.get(context.code.frames.function(frame))?;
        let name = context.strings.get(function.raw_name).split_once('!')?.1;
        let (_, role) = ROOT_METHODS.iter().find(|(method, _)| {
            name.strip_prefix(method).is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
        })?;
        Some((*role, format!("Root frame: {}.", context.strings.get(function.name))))
    })
}
