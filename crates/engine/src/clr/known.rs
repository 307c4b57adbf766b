//! The events that the store and the analyses look for.
//!
//! An event is identified by its provider and its id: the runtime and its rundown provider use the
//! same ids for different events.

mod identity;
pub mod payload;

use super::provider::Provider;

/// An event whose meaning is known, or [`KnownEvent::Other`].
///
/// Field layouts of these events are in the manifest; readers for the fields that the store and the
/// analyses need are in [`payload`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum KnownEvent {
    /// Any event without a meaning here.
    #[default]
    Other,

    /// A stack of one managed thread, taken by the sampler. The first four payload bytes are a
    /// [`payload::SampleKind`].
    ThreadSample,
    /// One CPU sample of a machine-wide trace (by name: its id differs from file to file).
    CpuSample,
    /// A context switch of a machine-wide trace (by name: its id differs from file to file).
    ContextSwitch,
    /// A process that ran when a machine-wide trace began, or started later.
    MachineProcess,
    /// A file mapped into a process of a machine-wide trace.
    MachineMapping,
    /// A symbol of a mapping of a machine-wide trace.
    MachineSymbol,
    /// What is known about a mapped file of a machine-wide trace.
    MachineMappingMetadata,

    /// A method got code, without its name (141).
    MethodLoad,
    /// A method lost its code, without its name (142).
    MethodUnload,
    /// A method got code (143; legacy 139 at the start of a session).
    MethodLoadVerbose,
    /// A method lost its code (144).
    MethodUnloadVerbose,
    /// A method that had code when the session started, without its name.
    MethodDcStart,
    /// A method that had code when the session ended, without its name.
    MethodDcEnd,
    /// A method that had code when the session started.
    MethodDcStartVerbose,
    /// A method that had code when the session ended.
    MethodDcEndVerbose,
    /// Compilation of a method begins (145); it ends with [`KnownEvent::MethodLoadVerbose`].
    MethodJittingStarted,
    /// Where the IL instructions of a method ended up in its code.
    MethodIlToNativeMap,
    /// A precompiled method was used for the first time (159).
    ReadyToRunEntryPoint,

    /// A module was loaded (152).
    ModuleLoad,
    /// A module was unloaded (153).
    ModuleUnload,
    /// A module that was loaded when the session started or ended.
    ModuleDc,
    /// A module was loaded into an application domain (151).
    DomainModuleLoad,
    /// A module that was in an application domain when the session started or ended.
    DomainModuleDc,
    /// An assembly was loaded (154).
    AssemblyLoad,
    /// An assembly that was loaded when the session started or ended.
    AssemblyDc,

    /// The rundown begins: what follows was true before.
    RundownBegin,
    /// The rundown is complete.
    RundownComplete,
    /// A managed thread that existed when the session started or ended.
    ThreadDc,

    /// A garbage collection begins (1).
    GcStart,
    /// A garbage collection ends (2).
    GcEnd,
    /// The runtime begins to stop all managed threads (9).
    GcSuspendBegin,
    /// All managed threads are stopped (8).
    GcSuspendEnd,
    /// The runtime begins to let managed threads run again (7).
    GcRestartBegin,
    /// Managed threads run again (3).
    GcRestartEnd,
    /// Heap sizes after a collection (4).
    GcHeapStats,
    /// What made a collection necessary (35).
    GcTriggered,
    /// About 100 KB were allocated since the last such event of this kind of heap (10).
    GcAllocationTick,
    /// A randomly sampled allocation (303).
    AllocationSampled,
    /// Every nth allocation of a type (20, 32).
    SampledObjectAllocation,
    /// Decisions of a collection for the whole heap (205).
    GcGlobalHeapHistory,
    /// A GC compacted the large object heap (208).
    GcLohCompact,
    /// The GC reserved a part of a heap (5).
    GcCreateSegment,
    /// The GC gave a part of a heap back (6).
    GcFreeSegment,
    /// Decisions of a collection for one heap (204).
    GcPerHeapHistory,
    /// How much was marked from one kind of root (202).
    GcMarkWithType,
    /// Finalizers begin to run (14).
    GcFinalizersBegin,
    /// Finalizers have run (13).
    GcFinalizersEnd,
    /// The runtime's collector thread for background collections was created (11).
    GcCreateConcurrentThread,
    /// A table of types by id (15).
    BulkType,

    /// An exception was thrown (80).
    ExceptionThrown,
    /// A catch block begins (250).
    ExceptionCatchBegin,
    /// A catch block ends (251).
    ExceptionCatchEnd,
    /// A finally block begins (252).
    ExceptionFinallyBegin,
    /// A finally block ends (253).
    ExceptionFinallyEnd,
    /// An exception filter begins (254).
    ExceptionFilterBegin,
    /// An exception filter ends (255).
    ExceptionFilterEnd,
    /// The handling of an exception is over (256).
    ExceptionThrownEnd,

    /// A thread begins to wait for a contended lock (81).
    ContentionStart,
    /// It has the lock (91).
    ContentionStop,
    /// A lock was created because of contention (90).
    ContentionLockCreated,
    /// A thread begins to wait on a wait handle (301).
    WaitHandleWaitStart,
    /// The wait is over (302).
    WaitHandleWaitStop,

    /// A managed thread was created (85).
    ThreadCreated,
    /// A managed thread has ended (86).
    ThreadTerminated,
    /// A thread is about to be started (70).
    ThreadCreating,
    /// A started thread runs (71).
    ThreadRunning,
    /// A thread pool worker starts (50).
    ThreadPoolWorkerStart,
    /// A thread pool worker stops (51).
    ThreadPoolWorkerStop,
    /// A thread pool worker waits for work (57).
    ThreadPoolWorkerWait,
    /// A measurement of the thread pool's throughput (54).
    ThreadPoolAdjustmentSample,
    /// The thread pool changes its number of workers (55).
    ThreadPoolAdjustment,
    /// Work is handed to the thread pool (61).
    ThreadPoolEnqueue,
    /// The thread pool takes work (62).
    ThreadPoolDequeue,

    /// Background compilation of methods at a higher tier begins (283).
    BackgroundJitStart,
    /// Background compilation of methods at a higher tier ends (284).
    BackgroundJitStop,
    /// What the runtime is and how it was started (187).
    RuntimeInformation,
    /// Command line and platform of the process, reported by the session.
    ProcessInfo,

    /// What an `EventSource` reports about itself, mostly a failure (any provider, by name).
    EventSourceMessage,

    /// A task was given to a scheduler (TPL 7).
    TaskScheduled,
    /// A task begins to run (TPL 8).
    TaskExecuteStart,
    /// A task has run (TPL 9).
    TaskExecuteStop,
    /// A thread or continuation begins to wait for a task (TPL 10).
    TaskWaitBegin,
    /// The wait for a task is over (TPL 11).
    TaskWaitEnd,
    /// A continuation of an await was scheduled (TPL 12).
    AwaitContinuationScheduled,
    /// An async method was called (TPL 14).
    TaskOperationBegin,
    /// A piece of an async method begins to run (TPL 17).
    TaskWorkBegin,
    /// A piece of an async method has run (TPL 18).
    TaskWorkEnd,
    /// Packed events about async methods, of one thread (the async profiler of .NET 11).
    AsyncEvents,
}

impl KnownEvent {
    /// Whether analyses read the payload of every event of this kind, so that the store keeps a copy
    /// (they are small and not frequent) instead of going back to the file.
    pub fn keep_payload(self) -> bool {
        use KnownEvent::*;
        matches!(
            self,
            GcStart
                | GcEnd
                | GcSuspendBegin
                | GcHeapStats
                | GcTriggered
                | GcGlobalHeapHistory
                | GcPerHeapHistory
                | GcMarkWithType
                | GcFinalizersEnd
                | ExceptionThrown
                | ExceptionCatchBegin
                | ContentionStart
                | ContentionStop
                | WaitHandleWaitStart
                | ThreadCreated
                | ThreadTerminated
                | ThreadDc
                | ThreadPoolWorkerStart
                | ThreadPoolWorkerStop
                | ThreadPoolWorkerWait
                | ThreadPoolAdjustment
                | MethodJittingStarted
                | MethodLoadVerbose
                | BackgroundJitStart
                | BackgroundJitStop
                | RuntimeInformation
                | ProcessInfo
                | EventSourceMessage
        )
    }

    /// Whether this event is about the life of a task: analyses read the payload of every one, and there may be many.
    pub fn is_task_lifecycle(self) -> bool {
        use KnownEvent::*;
        matches!(
            self,
            TaskScheduled
                | TaskExecuteStart
                | TaskExecuteStop
                | TaskWaitBegin
                | TaskWaitEnd
                | AwaitContinuationScheduled
                | TaskOperationBegin
                | TaskWorkBegin
                | TaskWorkEnd
        )
    }

    /// Whether other events, of whatever time, can only be understood with this one: it names code, modules, threads,
    /// types or the process.
    pub fn explains_others(self) -> bool {
        use KnownEvent::*;
        matches!(
            self,
            MachineProcess
                | MachineMapping
                | MachineSymbol
                | MachineMappingMetadata
                | MethodLoad
                | MethodUnload
                | MethodDcStart
                | MethodDcEnd
                | MethodIlToNativeMap
                | ReadyToRunEntryPoint
                | AssemblyLoad
                | AssemblyDc
                | ThreadCreated
                | ThreadDc
                | BulkType
                | RuntimeInformation
                | ProcessInfo
        ) || self.is_verbose_method()
            || self.is_module()
    }

    /// Whether this event gives or takes code of a method with its name.
    pub fn is_verbose_method(self) -> bool {
        use KnownEvent::*;
        matches!(self, MethodLoadVerbose | MethodUnloadVerbose | MethodDcStartVerbose | MethodDcEndVerbose)
    }

    /// Whether this event is about a loaded module, with the layout of [`payload::ModulePayload`].
    pub fn is_module(self) -> bool {
        use KnownEvent::*;
        matches!(self, ModuleLoad | ModuleUnload | ModuleDc | DomainModuleLoad | DomainModuleDc)
    }

    /// Whether the layout of [`payload::ModulePayload`] has an application domain.
    pub fn is_domain_module(self) -> bool {
        matches!(self, Self::DomainModuleLoad | Self::DomainModuleDc)
    }

    /// Whether an event of this kind records how much was allocated.
    pub fn is_allocation(self) -> bool {
        matches!(self, Self::GcAllocationTick | Self::AllocationSampled | Self::SampledObjectAllocation)
    }

    /// Whether an event of this kind can only come from running managed code, and so proves that the
    /// thread was on a CPU at that time (field list as in TraceEvent's thread time).
    pub fn proves_running(self) -> bool {
        use KnownEvent::*;
        matches!(
            self,
            GcAllocationTick
                | SampledObjectAllocation
                | AllocationSampled
                | TaskScheduled
                | TaskExecuteStart
                | TaskWaitBegin
                | TaskWaitEnd
                | AwaitContinuationScheduled
        )
    }
}

/// Whether all events of this provider describe the state at the start or end of the session and not
/// something that happened at the time they carry.
pub fn is_rundown(provider: &str) -> bool {
    Provider::from_name(provider) == Some(Provider::Rundown)
}
