//! Events that the store and the analyses use.
//!
//! An event is identified by its provider and its ID: the runtime and its rundown provider use the same IDs for
//! different events.

mod identity;
pub mod payload;

use super::provider::Provider;

/// Event with a known meaning, or [`KnownEvent::Other`].
///
/// The manifest contains the fields of these events; [`payload`] reads the fields that the store and the analyses need.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum KnownEvent {
    /// Any other event.
    #[default]
    Other,

    /// Stack of a managed thread from the sample profiler. The first four payload bytes are a [`payload::SampleKind`].
    ThreadSample,
    /// CPU sample of a machine-wide trace (by name: its ID differs from file to file).
    CpuSample,
    /// Context switch of a machine-wide trace (by name: its ID differs from file to file).
    ContextSwitch,
    /// Process that ran at the start of a machine-wide trace, or started later.
    MachineProcess,
    /// File mapped into a process of a machine-wide trace.
    MachineMapping,
    /// Symbol of a mapping of a machine-wide trace.
    MachineSymbol,
    /// Facts about a mapped file of a machine-wide trace.
    MachineMappingMetadata,

    /// Method loaded, without its name (141).
    MethodLoad,
    /// Method unloaded, without its name (142).
    MethodUnload,
    /// Method loaded (143; legacy 139 at the start of a session).
    MethodLoadVerbose,
    /// Method unloaded (144).
    MethodUnloadVerbose,
    /// Method with code at the start of the session, without its name.
    MethodDcStart,
    /// Method with code at the end of the session, without its name.
    MethodDcEnd,
    /// Method with code at the start of the session.
    MethodDcStartVerbose,
    /// Method with code at the end of the session.
    MethodDcEndVerbose,
    /// Start of a method's compilation (145); it ends with [`KnownEvent::MethodLoadVerbose`].
    MethodJittingStarted,
    MethodIlToNativeMap,
    /// First use of a precompiled method (159).
    ReadyToRunEntryPoint,

    /// Module loaded (152).
    ModuleLoad,
    /// Module unloaded (153).
    ModuleUnload,
    /// Module that was loaded at the start or end of the session.
    ModuleDc,
    /// Module loaded into an application domain (151).
    DomainModuleLoad,
    /// Module in an application domain at the start or end of the session.
    DomainModuleDc,
    /// Assembly loaded (154).
    AssemblyLoad,
    /// Assembly that was loaded at the start or end of the session.
    AssemblyDc,

    /// Start of the rundown: the following events describe existing state.
    RundownBegin,
    /// End of the rundown.
    RundownComplete,
    /// Managed thread that existed at the start or end of the session.
    ThreadDc,

    /// Start of a GC (1).
    GcStart,
    /// End of a GC (2).
    GcEnd,
    /// The runtime begins to suspend all managed threads (9).
    GcSuspendBegin,
    /// All managed threads are suspended (8).
    GcSuspendEnd,
    /// The runtime begins to resume managed threads (7).
    GcRestartBegin,
    /// Managed threads have resumed (3).
    GcRestartEnd,
    /// Heap sizes after a GC (4).
    GcHeapStats,
    /// Reason of a GC (35).
    GcTriggered,
    /// About 100 KB were allocated on this heap since its last such event (10).
    GcAllocationTick,
    /// Randomly sampled allocation (303).
    AllocationSampled,
    /// Every nth allocation of a type (20, 32).
    SampledObjectAllocation,
    /// Decisions of a GC for the whole heap (205).
    GcGlobalHeapHistory,
    /// Compaction of the large object heap (208).
    GcLohCompact,
    /// The GC reserved a segment (5).
    GcCreateSegment,
    /// The GC freed a segment (6).
    GcFreeSegment,
    /// Decisions of a GC for one heap (204).
    GcPerHeapHistory,
    /// Bytes marked from one kind of root (202).
    GcMarkWithType,
    /// Start of finalizers (14).
    GcFinalizersBegin,
    /// End of finalizers (13).
    GcFinalizersEnd,
    /// Creation of the runtime's thread for background GCs (11).
    GcCreateConcurrentThread,
    /// Table of types by ID (15).
    BulkType,

    /// Exception thrown (80).
    ExceptionThrown,
    /// Start of a catch block (250).
    ExceptionCatchBegin,
    /// End of a catch block (251).
    ExceptionCatchEnd,
    /// Start of a finally block (252).
    ExceptionFinallyBegin,
    /// End of a finally block (253).
    ExceptionFinallyEnd,
    /// Start of an exception filter (254).
    ExceptionFilterBegin,
    /// End of an exception filter (255).
    ExceptionFilterEnd,
    /// End of the handling of an exception (256).
    ExceptionThrownEnd,

    /// A thread begins to wait for a contended lock (81).
    ContentionStart,
    /// The thread acquired the lock (91).
    ContentionStop,
    /// A lock was created because of contention (90).
    ContentionLockCreated,
    /// A thread begins to wait on a wait handle (301).
    WaitHandleWaitStart,
    /// End of the wait (302).
    WaitHandleWaitStop,

    /// Managed thread created (85).
    ThreadCreated,
    /// Managed thread terminated (86).
    ThreadTerminated,
    /// A thread is about to start (70).
    ThreadCreating,
    /// A started thread runs (71).
    ThreadRunning,
    /// Start of a thread pool worker (50).
    ThreadPoolWorkerStart,
    /// Stop of a thread pool worker (51).
    ThreadPoolWorkerStop,
    /// A thread pool worker waits for work (57).
    ThreadPoolWorkerWait,
    /// Throughput measurement of the thread pool (54).
    ThreadPoolAdjustmentSample,
    /// Change of the number of thread pool workers (55).
    ThreadPoolAdjustment,
    /// Work item enqueued in the thread pool (61).
    ThreadPoolEnqueue,
    /// Work item dequeued from the thread pool (62).
    ThreadPoolDequeue,

    /// Start of background compilation of methods at a higher tier (283).
    BackgroundJitStart,
    /// End of background compilation of methods at a higher tier (284).
    BackgroundJitStop,
    /// Version and startup options of the runtime (187).
    RuntimeInformation,
    /// Command line and platform of the process, written by the session.
    ProcessInfo,

    /// Report of an `EventSource` about itself, mostly a failure (any provider, by name).
    EventSourceMessage,

    /// Task scheduled (TPL 7).
    TaskScheduled,
    /// Start of a task (TPL 8).
    TaskExecuteStart,
    /// End of a task (TPL 9).
    TaskExecuteStop,
    /// A thread or continuation begins to wait for a task (TPL 10).
    TaskWaitBegin,
    /// End of the wait for a task (TPL 11).
    TaskWaitEnd,
    /// Continuation of an await scheduled (TPL 12).
    AwaitContinuationScheduled,
    /// Async method called (TPL 14).
    TaskOperationBegin,
    /// The task of an async method is done (TPL 15).
    TaskOperationEnd,
    /// Start of a synchronous part of an async method (TPL 17).
    TaskWorkBegin,
    /// End of a synchronous part of an async method (TPL 18).
    TaskWorkEnd,
    /// Packed events about async methods on one thread (the async profiler of .NET 11).
    AsyncEvents,
}

impl KnownEvent {
    /// Returns whether analyses read the payload of every event of this kind, so that the store copies it instead of
    /// reading the file again. These payloads are small and rare.
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

    /// Returns whether the event is about the life of a task: analyses read the payload of every one, and there may be
    /// many.
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
                | TaskOperationEnd
                | TaskWorkBegin
                | TaskWorkEnd
        )
    }

    /// Returns whether events at any time can be understood only with this one: it names code, modules, threads, types
    /// or the process.
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
                | AsyncEvents
        ) || self.is_verbose_method()
            || self.is_module()
    }

    /// Returns whether the event loads or unloads code of a method, with its name.
    pub fn is_verbose_method(self) -> bool {
        use KnownEvent::*;
        matches!(self, MethodLoadVerbose | MethodUnloadVerbose | MethodDcStartVerbose | MethodDcEndVerbose)
    }

    /// Returns whether the event is about a loaded module, with the layout of [`payload::ModulePayload`].
    pub fn is_module(self) -> bool {
        use KnownEvent::*;
        matches!(self, ModuleLoad | ModuleUnload | ModuleDc | DomainModuleLoad | DomainModuleDc)
    }

    /// Returns whether the layout of [`payload::ModulePayload`] has an application domain.
    pub fn is_domain_module(self) -> bool {
        matches!(self, Self::DomainModuleLoad | Self::DomainModuleDc)
    }

    /// Returns whether the event records an allocated amount.
    pub fn is_allocation(self) -> bool {
        matches!(self, Self::GcAllocationTick | Self::AllocationSampled | Self::SampledObjectAllocation)
    }

    /// Returns whether only running managed code can cause the event, which proves that the thread was on a CPU at that
    /// time (field list as in TraceEvent's thread time).
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

/// Returns whether the events of a provider describe the state at the start or end of the session, not changes at their
/// times.
pub fn is_rundown(provider: &str) -> bool {
    Provider::from_name(provider) == Some(Provider::Rundown)
}
