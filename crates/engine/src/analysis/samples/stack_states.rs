//! Thread states from stacks: running, waiting, or idle.
//!
//! The runtime's sampler records only whether a thread was in managed code. Outside it, a thread may compute, wait or
//! sleep; the innermost managed frames show which (docs/format/thread-states.md). Frames vary with the version of .NET
//! and with inlining, so any frame of a group is sufficient. Stacks of machine-wide traces end in native frames, whose
//! names show the same.

use crate::clr::KnownEvent;
use crate::model::{Function, Store, ThreadRole};
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};
use protocol::named;
use protocol::timeline::thread_state::ThreadState;

/// Number of managed frames below the leaf that are searched for a wait.
const SEARCHED: usize = 8;

/// Meaning of a frame for the thread's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frame {
    /// Any other code: its callees show the state, not its callers.
    Code,
    /// Part of how .NET waits, makes system calls or polls for a GC: the caller is more specific.
    Inside,
    /// Waits for a handle, a monitor, another thread or process.
    Wait,
    /// Waits for a task.
    Task,
    /// Waits for the parts of a parallel loop or call.
    Parallel,
    /// Waits for a lock.
    Lock,
    /// Acquires a monitor: waits for it, or is stopped there by the sampler.
    Monitor,
    Sleep,
    /// Spins; the caller shows for what.
    Spin,
    Io,
    /// Waits for work items, for connections or for a key press.
    Idle,
    /// Takes from a queue.
    Queue,
    /// The loop of a service thread, which is idle while it waits.
    Loop,
    /// Keeps an application alive on its main thread.
    Host,
    /// Waits until the runtime resumes threads.
    Gc,
    /// The kernel takes the CPU from the thread, which could continue.
    Preempted,
    /// Yields the CPU.
    Yield,
}

/// Managed frames: prefixes of `Namespace.Type.Method` without type arguments.
const MANAGED: &[(&str, Frame)] = &[
    // Polls and stubs in which a sampler stops threads: their callers run.
    ("System.Threading.Thread.<PollGC>", Frame::Inside),
    ("System.Threading.Thread.PollGC", Frame::Inside),
    // Writes events in native code.
    ("System.Diagnostics.Tracing.EventPipeEventProvider.", Frame::Inside),
    // The thread pool.
    ("System.Threading.LowLevelLifoSemaphore.", Frame::Idle),
    ("System.Threading.LowLevelSpinWaiter.", Frame::Spin),
    ("System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart", Frame::Loop),
    ("System.Threading.PortableThreadPool+GateThread.", Frame::Loop),
    ("System.Threading.PortableThreadPool+WaitThread.", Frame::Loop),
    ("System.Threading.PortableThreadPool+IOCompletionPoller.", Frame::Idle),
    ("System.Threading.TimerQueue.TimerThread", Frame::Loop),
    ("System.GC.RunFinalizers", Frame::Loop),
    ("System.Runtime.__Finalizer.", Frame::Loop),
    // Service threads of .NET.
    ("System.Net.Sockets.SocketAsyncEngine.EventLoop", Frame::Loop),
    ("Interop+Sys.WaitForSocketEvents", Frame::Idle),
    ("System.IO.FileSystemWatcher+RunningInstance", Frame::Loop),
    ("Interop+RunLoop.CFRunLoopRun", Frame::Idle),
    ("Microsoft.AspNetCore.Server.Kestrel.Transport.Libuv.Internal.LibuvThread.ThreadStart", Frame::Loop),
    ("Microsoft.AspNetCore.Server.Kestrel.Transport.Libuv.Internal.Networking.LibuvFunctions.run", Frame::Idle),
    ("Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Infrastructure.Heartbeat.", Frame::Loop),
    ("System.Diagnostics.Tracing.CounterGroup.PollForValues", Frame::Loop),
    ("System.Diagnostics.Metrics.AggregationManager.", Frame::Loop),
    ("System.Diagnostics.Tracing.EventPipeEventDispatcher.", Frame::Loop),
    ("Microsoft.Extensions.Logging.Console.ConsoleLoggerProcessor.ProcessLogQueue", Frame::Loop),
    ("Microsoft.Extensions.Logging.Console.Internal.ConsoleLoggerProcessor.ProcessLogQueue", Frame::Loop),
    ("System.Collections.Concurrent.BlockingCollection.TryTake", Frame::Queue),
    ("System.Collections.Concurrent.BlockingCollection.Take", Frame::Queue),
    ("System.Collections.Concurrent.BlockingCollection.GetConsumingEnumerable", Frame::Queue),
    ("System.Collections.Concurrent.BlockingCollection+<GetConsumingEnumerable>", Frame::Queue),
    ("System.Console.Read", Frame::Idle),
    ("System.ConsolePal.Read", Frame::Idle),
    ("System.ConsolePal+WindowsConsoleStream.Read", Frame::Idle),
    ("System.IO.StdInReader.", Frame::Idle),
    ("System.IO.SyncTextReader.ReadLine", Frame::Idle),
    ("System.IO.Pipes.NamedPipeServerStream.WaitForConnection", Frame::Idle),
    ("System.Windows.Forms.Application.Run", Frame::Idle),
    ("System.Windows.Threading.Dispatcher.PushFrameImpl", Frame::Idle),
    ("Tizen.Applications.CoreBackend.UICoreBackend.Run", Frame::Idle),
    ("UIKit.UIApplication.UIApplicationMain", Frame::Idle),
    ("Microsoft.Extensions.Hosting.HostingAbstractionsHostExtensions.Run", Frame::Host),
    ("Microsoft.AspNetCore.Builder.WebApplication.Run", Frame::Host),
    ("Microsoft.AspNetCore.Hosting.WebHostExtensions.", Frame::Host),
    // Tasks.
    ("System.Threading.Tasks.Parallel.", Frame::Parallel),
    ("System.Threading.Tasks.TaskReplicator.", Frame::Parallel),
    ("System.Threading.Tasks.Task.SpinThenBlockingWait", Frame::Task),
    ("System.Threading.Tasks.Task.SpinWait", Frame::Spin),
    ("System.Threading.Tasks.Task.InternalWait", Frame::Task),
    ("System.Threading.Tasks.Task.Wait", Frame::Task),
    ("System.Threading.Tasks.Task.get_Result", Frame::Task),
    ("System.Threading.Tasks.Task.GetResultCore", Frame::Task),
    ("System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccessAndDebuggerNotification", Frame::Task),
    ("System.Runtime.CompilerServices.TaskAwaiter.GetResult", Frame::Task),
    ("System.Runtime.CompilerServices.ValueTaskAwaiter.GetResult", Frame::Task),
    // Locks.
    ("System.Threading.Monitor.Enter", Frame::Monitor),
    ("System.Threading.Monitor.ReliableEnter", Frame::Monitor),
    ("System.Threading.Monitor.TryEnter", Frame::Monitor),
    ("System.Threading.Monitor.Wait", Frame::Wait),
    ("System.Threading.Monitor.ObjWait", Frame::Wait),
    ("System.Threading.Lock.", Frame::Monitor),
    ("System.Threading.SpinLock.", Frame::Lock),
    ("System.Threading.ReaderWriterLock", Frame::Lock),
    // Handles, other threads, time.
    ("System.Threading.Condition.Wait", Frame::Wait),
    ("System.Threading.ManualResetEventSlim.Wait", Frame::Wait),
    ("System.Threading.SemaphoreSlim.Wait", Frame::Wait),
    ("System.Threading.CountdownEvent.Wait", Frame::Wait),
    ("System.Threading.Barrier.", Frame::Wait),
    ("System.Threading.WaitHandle.", Frame::Wait),
    ("System.Threading.WaitSubsystem", Frame::Wait),
    ("System.Threading.LowLevelMonitor.", Frame::Wait),
    ("System.Threading.EventWaitHandle.", Frame::Inside),
    ("System.Threading.LowLevelLock.", Frame::Monitor),
    ("System.Threading.Thread.Join", Frame::Wait),
    ("System.Threading.Thread.SpinWait", Frame::Spin),
    ("System.Threading.Thread.LongSpinWait", Frame::Spin),
    ("System.Threading.Thread.Sleep", Frame::Sleep),
    ("System.Threading.Thread.UninterruptibleSleep0", Frame::Sleep),
    ("System.Threading.SpinWait.", Frame::Spin),
    ("System.Diagnostics.Process.WaitForExit", Frame::Wait),
    ("System.Diagnostics.ProcessWaitState.", Frame::Wait),
    ("System.Runtime.CompilerServices.InitHelpers.InitClassSlow", Frame::Wait),
    ("System.Runtime.CompilerServices.StaticsHelpers.", Frame::Inside),
    // I/O that blocks the thread. Attempts that don't block are code.
    ("System.Net.Sockets.SocketPal.TryComplete", Frame::Code),
    ("System.Net.Sockets.SocketPal.", Frame::Io),
    ("Interop+Sys.Accept", Frame::Idle),
    ("Interop+Sys.Read", Frame::Io),
    ("Interop+Sys.Receive", Frame::Io),
    ("Interop+Sys.Recv", Frame::Io),
    ("Interop+Sys.Send", Frame::Io),
    ("Interop+Sys.Write", Frame::Io),
    ("Interop+Sys.Poll", Frame::Io),
    ("Interop+Sys.FLock", Frame::Io),
    ("Interop+Sys.PRead", Frame::Io),
    ("Interop+Sys.PWrite", Frame::Io),
    ("Interop+Sys.", Frame::Inside),
    ("Interop+Winsock.", Frame::Io),
    ("Interop+Kernel32.ReadFile", Frame::Io),
    ("Interop+Kernel32.WriteFile", Frame::Io),
    ("Interop+Kernel32.GetQueuedCompletionStatus", Frame::Idle),
    ("Interop+", Frame::Inside),
    ("System.IO.RandomAccess.", Frame::Io),
    ("System.Data.SqlClient.TdsParserStateObject.ReadSni", Frame::Io),
    ("Microsoft.Data.SqlClient.TdsParserStateObject.ReadSni", Frame::Io),
    ("System.Runtime.InteropServices.", Frame::Inside),
    ("Microsoft.Win32.SafeHandles.", Frame::Inside),
];

/// Part of the name of the native function in which threads wait for the end of a GC.
pub const WAIT_FOR_GC: &str = "RareDisablePreemptiveGC";

/// Native frames: parts of names.
const NATIVE: &[(&str, Frame)] = &[
    // The kernel switches threads before it returns to one, or within the kernel.
    ("exit_to_user_mode", Frame::Preempted),
    ("preempt_schedule", Frame::Preempted),
    ("cond_resched", Frame::Preempted),
    ("sys_sched_yield", Frame::Yield),
    ("epoll_wait", Frame::Idle),
    ("kqueue", Frame::Idle),
    ("accept4", Frame::Idle),
    ("nanosleep", Frame::Sleep),
    ("SleepEx", Frame::Sleep),
    // The thread pool before .NET 6.
    ("CLRLifoSemaphore::Wait", Frame::Idle),
    ("ThreadpoolMgr::WorkerThreadStart", Frame::Loop),
    ("ThreadpoolMgr::GateThreadStart", Frame::Loop),
    ("ThreadpoolMgr::TimerThread", Frame::Loop),
    ("ThreadpoolMgr::WaitThreadStart", Frame::Loop),
    ("ThreadpoolMgr::CompletionPortThreadStart", Frame::Loop),
    ("futex", Frame::Wait),
    ("pthread_cond", Frame::Wait),
    ("lll_lock_wait", Frame::Wait),
    (WAIT_FOR_GC, Frame::Gc),
    ("AwareLock::Enter", Frame::Lock),
    ("ThreadNative::SpinWait", Frame::Spin),
    ("WaitForFinalizerEvent", Frame::Idle),
    ("ds_server_thread", Frame::Idle),
    ("ds_ipc_poll", Frame::Idle),
    ("sample_profiler_thread", Frame::Idle),
    ("TieredCompilation::BackgroundWorker", Frame::Loop),
    ("gc_thread_function", Frame::Loop),
    ("bgc_thread_function", Frame::Loop),
    ("recvmsg", Frame::Io),
    ("recvfrom", Frame::Io),
    ("sendmsg", Frame::Io),
    ("__poll", Frame::Io),
    ("__read", Frame::Io),
    ("pread64", Frame::Io),
    ("pwrite64", Frame::Io),
];

/// End of the name of the code that spins before it waits for a monitor.
const SLOW_PATH: &str = "_Slowpath";
/// Native frames of polls for the GC: parts of names.
const NATIVE_POLLS: [&str; 3] = ["RareDisablePreemptiveGC", "JIT_PollGC", "JIT_RareDisable"];

/// Returns whether a function polls for the GC, is where the GC or the sampler stops a thread, or spins: its caller is
/// more specific.
pub(crate) fn is_poll(store: &Store, function: &Function) -> bool {
    match frame_of(store, function) {
        Frame::Spin => true,
        Frame::Monitor => method_path(store, function).ends_with(SLOW_PATH),
        Frame::Inside if function.is_managed => method_path(store, function).contains("PollGC"),
        Frame::Inside => {
            let raw = store.strings.get(function.raw_name);
            NATIVE_POLLS.iter().any(|part| raw.contains(part))
        }
        _ => false,
    }
}

/// Returns the function whose own time a stack shows: the leaf, or the caller of the .NET code that polls or spins there
/// ([`is_poll`]), as in the Stacks tab without polls.
pub(crate) fn working_leaf(store: &Store, stack: StackId) -> Option<FunctionId> {
    let functions = || store.stacks.leaf_to_root(stack).map(|frame| store.frames.function(frame));
    let leaf = functions().next()?;
    let mut working = None;
    for id in functions() {
        let function = store.functions.get(id);
        if function.is_some_and(|function| is_poll(store, function)) {
            working = None;
            continue;
        }
        working = working.or(Some(id));
        if function.is_none_or(|function| !function.is_framework) {
            break;
        }
    }
    working.or(Some(leaf))
}

/// Returns the meaning of a function's frame.
fn frame_of(store: &Store, function: &Function) -> Frame {
    if !function.is_managed {
        let raw = store.strings.get(function.raw_name);
        let name = raw.split_once('!').map_or(raw, |(_, name)| name);
        // Also an unresolved address directly below a named frame: the stub of a system call.
        return NATIVE.iter().find(|(part, _)| name.contains(part)).map_or(Frame::Inside, |(_, frame)| *frame);
    }
    let name = method_path(store, function);
    if name.ends_with(".<Main>") {
        return Frame::Host;
    }
    MANAGED.iter().find(|(start, _)| name.starts_with(start)).map_or(Frame::Code, |(_, frame)| *frame)
}

/// Returns the namespace, types and name of a managed function, without type arguments and parameters.
pub(crate) fn method_path(store: &Store, function: &Function) -> String {
    let raw = store.strings.get(function.raw_name);
    let name = raw.split_once('!').map_or(raw, |(_, name)| name);
    // Perf maps put two colons between type and method.
    without_type_arguments(name.split('(').next().unwrap_or(name)).replace("::", ".")
}

/// Returns `A.B.C` for ``A.B`1[System.__Canon].C``.
fn without_type_arguments(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let (mut depth, mut is_arity) = (0, false);
    for letter in name.chars() {
        match letter {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            '`' if depth == 0 => is_arity = true,
            '0'..='9' if is_arity => {}
            _ if depth == 0 => {
                is_arity = false;
                short.push(letter);
            }
            _ => {}
        }
    }
    short
}

named! {
    /// Objects on which a thread blocks.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum BlockedOn {
        /// The parts of a parallel loop or call.
        Parallel: "a parallel loop", "loop wait";
        /// The result of a task: sync-over-async.
        Task: "a task (sync-over-async)", "task wait";
        Lock: "a lock", "lock wait";
        /// Time.
        Sleep: "Thread.Sleep", "sleep";
        /// A handle, a semaphore or a monitor.
        Handle: "a wait handle", "handle wait";
        Io: "I/O", "I/O wait";
    }
    /// Returns the name for users.
    fn words;
    /// Returns the noun for a wait.
    fn noun;
}

/// Returns the .NET and native code at the end of a stack that the app's innermost method calls, from the leaf.
pub(crate) fn below_app(store: &Store, stack: StackId) -> impl Iterator<Item = &Function> {
    let functions = store.stacks.leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
    functions.take_while(|function| !function.is_managed || function.is_framework)
}

/// Ways to block on a task: prefixes of the method that waits, and the code to replace.
const BLOCKING_CALLS: &[(&str, &str)] = &[
    ("System.Threading.Tasks.Task.get_Result", ".Result"),
    ("System.Threading.Tasks.Task.GetResultCore", ".Result"),
    ("System.Threading.Tasks.Task.Wait", ".Wait()"),
    ("System.Runtime.CompilerServices.TaskAwaiter", ".GetAwaiter().GetResult()"),
    ("System.Runtime.CompilerServices.ValueTaskAwaiter", ".GetAwaiter().GetResult()"),
    ("System.Runtime.CompilerServices.ConfiguredTaskAwaitable", ".GetAwaiter().GetResult()"),
    ("System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable", ".GetAwaiter().GetResult()"),
];

/// Returns the call with which a stack blocks on a task: ".Result", ".Wait()" or ".GetAwaiter().GetResult()"; `None` if
/// it doesn't show one, because the call is inlined.
pub(crate) fn blocking_call(store: &Store, stack: StackId) -> Option<&'static str> {
    let below = below_app(store, stack).filter(|function| function.is_managed);
    let mut calls = below.filter_map(|function| {
        let path = method_path(store, function);
        BLOCKING_CALLS.iter().find(|(start, _)| path.starts_with(start)).map(|(_, call)| *call)
    });
    calls.next()
}

/// A wait, as shown by a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wait {
    state: ThreadState,
    /// The object on which it blocks, if it does.
    on: BlockedOn,
}

/// States by stack; each stack is examined once.
pub struct StackStates<'s> {
    store: &'s Store,
    frames: Vec<Option<Frame>>,
    of_stack: FastMap<(StackId, Source), Option<Wait>>,
    /// By stack: true if it ends in managed code that calls no native code.
    ends_managed: FastMap<StackId, bool>,
    /// True if events record waits for monitors.
    records_locks: bool,
}

/// Source of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Source {
    /// A sample of a thread in managed code.
    Managed,
    /// A sample outside managed code.
    External,
    /// The start of a recorded wait, or a context switch.
    Wait,
}

impl<'s> StackStates<'s> {
    /// Returns an empty cache.
    pub fn new(store: &'s Store) -> Self {
        let records_locks = store.types.iter().any(|one| one.known == KnownEvent::ContentionStart && one.count > 0);
        Self {
            store,
            frames: vec![None; store.functions.len()],
            of_stack: FastMap::default(),
            ends_managed: FastMap::default(),
            records_locks,
        }
    }

    /// Returns the state of a sampled thread, which was in managed code or not.
    pub fn of_sample(&mut self, stack: StackId, is_managed: bool, role: ThreadRole) -> ThreadState {
        let from = if is_managed { Source::Managed } else { Source::External };
        match self.waits(stack, from).map(|wait| wait.state) {
            Some(ThreadState::Blocked) if serves(role) => ThreadState::Idle,
            Some(state) => state,
            None if is_managed || self.ends_in_managed_code(stack) => ThreadState::Managed,
            // Before .NET 6, idle pool workers have no managed frames; finalizers never have.
            None if self.store.stacks.depth(stack) == 0 && (serves(role) || role == ThreadRole::PoolWorker) => {
                ThreadState::Idle
            }
            None => ThreadState::Native,
        }
    }

    /// Returns the state of a thread that is off all CPUs, or whose WaitHandle wait is recorded by an event.
    pub fn of_wait(&mut self, stack: StackId, role: ThreadRole) -> ThreadState {
        match self.waits(stack, Source::Wait).map(|wait| wait.state) {
            Some(ThreadState::Blocked) | None if serves(role) => ThreadState::Idle,
            // Spinning code yields its CPU from time to time.
            Some(ThreadState::Managed) | None => ThreadState::Blocked,
            Some(state) => state,
        }
    }

    /// Returns on what a thread in this state blocks, by its stack; `None` if it isn't blocked.
    pub fn blocked_on(&mut self, stack: StackId, state: ThreadState) -> Option<BlockedOn> {
        match state {
            ThreadState::Lock => Some(BlockedOn::Lock),
            ThreadState::Sleep => Some(BlockedOn::Sleep),
            ThreadState::Io => Some(BlockedOn::Io),
            ThreadState::Blocked => {
                let wait = self.waits(stack, Source::Wait).filter(|wait| wait.state == ThreadState::Blocked);
                Some(wait.map_or(BlockedOn::Handle, |wait| wait.on))
            }
            _ => None,
        }
    }

    /// Returns the wait that a stack shows; `None` if it shows none.
    fn waits(&mut self, stack: StackId, from: Source) -> Option<Wait> {
        if let Some(known) = self.of_stack.get(&(stack, from)) {
            return *known;
        }
        let found = self.search(stack, from);
        self.of_stack.insert((stack, from), found);
        found
    }

    /// Returns whether a stack ends in managed code that calls no native code. The sampler reports most threads as
    /// outside managed code, because it has stopped them.
    fn ends_in_managed_code(&mut self, stack: StackId) -> bool {
        let store = self.store;
        *self.ends_managed.entry(stack).or_insert_with(|| {
            let mut leaves = store.stacks.leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
            let leaf = leaves.find(|function| !is_poll(store, function));
            leaf.is_some_and(|leaf| leaf.is_managed && frame_of(store, leaf) != Frame::Inside)
        })
    }

    fn search(&mut self, stack: StackId, from: Source) -> Option<Wait> {
        let (store, is_managed) = (self.store, from == Source::Managed);
        // A thread that waits for a monitor is outside managed code. The sampler also stops threads that acquire one.
        let waits_for_monitor = match from {
            Source::Managed => false,
            Source::External => !self.records_locks,
            Source::Wait => true,
        };
        let functions = store.stacks.leaf_to_root(stack).map(|frame| store.frames.function(frame));
        let (mut found, mut is_first, mut searched) = (None, true, 0);
        let certain = |state| Some(Wait { state, on: BlockedOn::Handle });
        for function in functions {
            let frame = self.frame(function);
            searched += usize::from(store.functions.get(function).is_some_and(|function| function.is_managed));
            let is_outermost = searched > SEARCHED;
            match (frame, found) {
                (Frame::Inside, _) => continue,
                (Frame::Lock, _) if !is_outermost => return certain(ThreadState::Lock),
                (Frame::Monitor, _) if !is_outermost && waits_for_monitor => return certain(ThreadState::Lock),
                (Frame::Monitor, None) if !is_outermost => found = Some(Frame::Spin),
                (Frame::Preempted, None) => return certain(ThreadState::Ready),
                (Frame::Yield, None) => found = Some(Frame::Yield),
                (Frame::Gc, _) => found = Some(Frame::Gc),
                (Frame::Code, Some(Frame::Gc)) => break,
                // The activity before the pause doesn't matter, except that a lock is awaited all the time.
                (_, Some(Frame::Gc)) => {}
                (Frame::Idle, _) => return certain(ThreadState::Idle),
                // The loop of a service thread may read: it waits for something to do.
                (Frame::Io, _) if !is_managed => found = Some(Frame::Io),
                // An attempt that doesn't wait.
                (Frame::Io, None) => return None,
                (Frame::Loop, Some(_)) => return certain(ThreadState::Idle),
                (Frame::Loop, None) if is_first => return certain(ThreadState::Idle),
                (Frame::Queue, Some(_)) => return certain(ThreadState::Idle),
                (Frame::Host, Some(Frame::Task | Frame::Wait)) => return certain(ThreadState::Idle),
                (Frame::Spin, Some(Frame::Sleep) | None) if !is_outermost => found = Some(Frame::Spin),
                (Frame::Sleep, None | Some(Frame::Wait)) if !is_outermost => found = Some(Frame::Sleep),
                (Frame::Wait, None | Some(Frame::Spin)) if !is_outermost => found = Some(Frame::Wait),
                (Frame::Task, Some(Frame::Io)) => break,
                (Frame::Task, _) if (found.is_some() || !is_managed) && !is_outermost => found = Some(Frame::Task),
                (Frame::Parallel, Some(Frame::Task | Frame::Wait)) => {
                    found = Some(Frame::Parallel);
                    break;
                }
                (Frame::Code | Frame::Parallel, Some(_)) => break,
                _ if found.is_none() => return None,
                _ => {}
            }
            is_first = false;
        }
        let (state, on) = match found? {
            Frame::Sleep => (ThreadState::Sleep, BlockedOn::Sleep),
            Frame::Gc => (ThreadState::Gc, BlockedOn::Handle),
            Frame::Yield => (ThreadState::Ready, BlockedOn::Handle),
            Frame::Io => (ThreadState::Io, BlockedOn::Io),
            // It uses a CPU; the object that it waits for is unknown.
            Frame::Spin => (ThreadState::Managed, BlockedOn::Handle),
            Frame::Task => (ThreadState::Blocked, BlockedOn::Task),
            Frame::Parallel => (ThreadState::Blocked, BlockedOn::Parallel),
            _ => (ThreadState::Blocked, BlockedOn::Handle),
        };
        Some(Wait { state, on })
    }

    fn frame(&mut self, function: FunctionId) -> Frame {
        let store = self.store;
        let Some(known) = self.frames.get_mut(function.index()) else { return Frame::Code };
        *known.get_or_insert_with(|| {
            store.functions.get(function).map_or(Frame::Code, |function| frame_of(store, function))
        })
    }
}

/// Returns whether threads of a role wait most of the time by design.
pub(crate) fn serves(role: ThreadRole) -> bool {
    use ThreadRole as R;
    matches!(
        role,
        R::Finalizer
            | R::Timer
            | R::PoolGate
            | R::PoolWait
            | R::PoolIo
            | R::Sockets
            | R::Sampler
            | R::Session
            | R::GarbageCollector
            | R::BackgroundCollector
            | R::TieredCompilation
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::testing::{What, store_of_methods, store_of_program};
    use ThreadState::{Blocked, Idle, Io, Lock, Managed, Native, Sleep};

    /// Returns the state of a thread whose stack has these methods, the outermost first.
    fn state(methods: &[(&str, &str)], is_managed: bool) -> ThreadState {
        let numbers: Vec<u64> = (1..=methods.len() as u64).collect();
        let (store, _) = store_of_methods(methods, &[&numbers]);
        let samples = SampleIndex::build(&store).expect("memory");
        let (_, thread) = samples.iter().next().expect("a thread");
        StackStates::new(&store).of_sample(thread.stack(0), is_managed, ThreadRole::Other)
    }

    #[test]
    fn type_arguments_are_removed() {
        assert_eq!(
            without_type_arguments("System.Threading.Tasks.Task`1[System.__Canon].get_Result"),
            "System.Threading.Tasks.Task.get_Result"
        );
        assert_eq!(without_type_arguments("A.B`2[C`1[D],E].F"), "A.B.F");
    }

    #[test]
    fn waits_are_recognized_by_the_innermost_frames() {
        let main = ("Shop.Program", "Run");
        let of = |methods: &[(&'static str, &'static str)]| {
            let all: Vec<_> = std::iter::once(main).chain(methods.iter().copied()).collect();
            state(&all, false)
        };
        let (monitor, thread) = ("System.Threading.Monitor", "System.Threading.Thread");
        assert_eq!(of(&[(monitor, "Enter")]), Lock);
        assert_eq!(of(&[(monitor, "Wait")]), Blocked);
        assert_eq!(of(&[(thread, "Sleep"), (thread, "SleepInternal")]), Sleep);
        assert_eq!(
            of(&[
                ("System.Threading.Tasks.Task", "InternalWait"),
                ("System.Threading.ManualResetEventSlim", "Wait"),
                (monitor, "Wait")
            ]),
            Blocked
        );
        assert_eq!(of(&[("System.Threading.Tasks.Task`1", "GetResultCore")]), Blocked);
        assert_eq!(of(&[("System.Net.Sockets.SocketPal", "Receive"), ("Interop+Sys", "Receive")]), Io);
        assert_eq!(
            of(&[
                ("System.Collections.Concurrent.BlockingCollection`1", "TryTakeWithNoTimeValidation"),
                ("System.Threading.SemaphoreSlim", "Wait")
            ]),
            Idle
        );
        assert_eq!(of(&[]), Managed, "the sampler has stopped it");
        assert_eq!(of(&[("Interop+Sys", "SysLog")]), Native);
    }

    #[test]
    fn service_threads_are_idle_while_waiting() {
        let worker = ("System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart");
        let semaphore = ("System.Threading.LowLevelLifoSemaphore", "WaitForSignal");
        assert_eq!(state(&[worker, semaphore], false), Idle);
        assert_eq!(state(&[worker], false), Idle);
        assert_eq!(state(&[worker, ("Shop.Orders", "Total")], false), Managed);
        let spins = [worker, semaphore, ("System.Threading.LowLevelSpinWaiter", "Wait")];
        assert_eq!(state(&spins, true), Idle);
        let watcher = "System.IO.FileSystemWatcher+RunningInstance";
        let read = ("Interop+Sys", "Read");
        assert_eq!(state(&[(watcher, "ProcessEvents"), (watcher, "TryReadEvent"), read], false), Idle);
        assert_eq!(state(&[("Shop.Disk", "Load"), read], false), Io);
        let counters = ("System.Diagnostics.Tracing.CounterGroup", "PollForValues");
        assert_eq!(state(&[counters, ("System.Threading.WaitHandle", "WaitOneNoCheck")], false), Idle);
        let main =
            [("Shop.Program", "<Main>"), ("System.Threading.Tasks.Task", "Wait"), ("System.Threading.Monitor", "Wait")];
        assert_eq!(state(&main, false), Idle, "the program's end is all that main waits for");
    }

    #[test]
    fn spinning_or_code_inside_wait_uses_cpu() {
        let wait = ("System.Threading.Tasks.Task", "InternalWait");
        let run = ("System.Threading.Tasks.Task", "ExecuteEntryUnsafe");
        assert_eq!(state(&[("Shop.A", "B"), wait, run, ("Shop.A", "C")], true), Managed);
        assert_eq!(state(&[("Shop.A", "B"), ("System.Threading.SpinWait", "SpinOnceCore")], true), Managed);
        let poll = ("System.Threading.Thread", "<PollGC>g__PollGCWorker|67_0");
        for is_managed in [false, true] {
            assert_eq!(state(&[("Shop.A", "B"), poll], is_managed), Managed);
        }
    }

    #[test]
    fn time_of_polls_and_spinning_is_that_of_callers() {
        let leaf = |methods: &[(&str, &str)]| {
            let numbers: Vec<u64> = (1..=methods.len() as u64).collect();
            let (store, _) = store_of_methods(methods, &[&numbers]);
            let samples = SampleIndex::build(&store).expect("memory");
            let stack = samples.iter().next().expect("a thread").1.stack(0);
            working_leaf(&store, stack).map(|leaf| store.function_name(leaf).to_owned())
        };
        let (own, thread, monitor) = (("Shop.A", "B"), "System.Threading.Thread", "System.Threading.Monitor");
        let of = |name: &str| Some(name.to_owned());
        assert_eq!(leaf(&[own, (thread, "<PollGC>g__PollGCWorker|67_0")]), of("Shop.A.B()"));
        assert_eq!(leaf(&[own, ("System.Threading.SpinWait", "SpinOnceCore"), (thread, "SpinWait")]), of("Shop.A.B()"));
        assert_eq!(
            leaf(&[own, (monitor, "Enter"), (monitor, "Enter_Slowpath")]),
            of("System.Threading.Monitor.Enter()")
        );
        assert_eq!(leaf(&[own, ("System.Array", "Sort")]), of("System.Array.Sort()"));
        assert_eq!(leaf(&[(thread, "SpinWait")]), of("System.Threading.Thread.SpinWait()"), "there is no caller");
    }

    #[test]
    fn sampler_stops_threads_that_acquire_monitors() {
        let stack = [("Shop.A", "B"), ("System.Threading.Monitor", "Enter_Slowpath")];
        assert_eq!((state(&stack, true), state(&stack, false)), (Managed, Lock));
        let sample = What::Sample(false, vec![1, 2]);
        let waited = |lock| What::WaitForLock { lock, owner: 6, stack: vec![1, 2] };
        let (store, _) = store_of_program(&stack, &[(0, 5, sample), (10, 5, waited(7)), (20, 5, What::HaveLock)]);
        let samples = SampleIndex::build(&store).expect("memory");
        let stack = samples.iter().next().expect("a thread").1.stack(0);
        let mut states = StackStates::new(&store);
        assert_eq!(states.of_sample(stack, false, ThreadRole::Other), Managed, "recorded waits are all waits");
        assert_eq!(states.of_wait(stack, ThreadRole::Other), Lock);
    }

    #[test]
    fn blocked_thread_has_reason_from_stack() {
        let wait = ("System.Threading.Monitor", "Wait");
        let on = |methods: &[(&str, &str)]| {
            let numbers: Vec<u64> = (1..=methods.len() as u64).collect();
            let (store, _) = store_of_methods(methods, &[&numbers]);
            let samples = SampleIndex::build(&store).expect("memory");
            let stack = samples.iter().next().expect("a thread").1.stack(0);
            let mut states = StackStates::new(&store);
            let state = states.of_sample(stack, false, ThreadRole::PoolWorker);
            states.blocked_on(stack, state)
        };
        let task = ("System.Threading.Tasks.Task", "InternalWait");
        assert_eq!(on(&[("Shop.A", "B"), task, wait]), Some(BlockedOn::Task));
        assert_eq!(
            on(&[("Shop.A", "B"), ("System.Threading.Tasks.Task`1", "GetResultCore"), wait]),
            Some(BlockedOn::Task)
        );
        assert_eq!(on(&[("System.Threading.Tasks.Parallel", "For"), task, wait]), Some(BlockedOn::Parallel));
        assert_eq!(on(&[("Shop.A", "B"), wait]), Some(BlockedOn::Handle));
        assert_eq!(on(&[("Shop.A", "B"), ("System.Threading.Monitor", "Enter")]), Some(BlockedOn::Lock));
        assert_eq!(on(&[("Shop.A", "B"), ("System.Threading.Thread", "Sleep")]), Some(BlockedOn::Sleep));
        assert_eq!(on(&[("Shop.A", "B")]), None);
    }
}
