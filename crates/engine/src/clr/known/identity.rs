//! Identifies events by provider and ID.

use super::KnownEvent;
use crate::clr::provider::Provider;

impl KnownEvent {
    /// Returns the meaning of event `event_id` of `provider`. `name` is the one in the file, which is empty for runtime
    /// events; it identifies events of machine-wide traces, and reports of an `EventSource` about itself.
    pub fn identify(provider: &str, event_id: u32, name: &str) -> Self {
        if name == "EventSourceMessage" {
            return Self::EventSourceMessage;
        }
        match Provider::from_name(provider) {
            Some(Provider::Runtime) => runtime(event_id),
            Some(Provider::Rundown) => rundown(event_id),
            Some(Provider::SampleProfiler) if event_id == 0 => Self::ThreadSample,
            Some(Provider::EventPipe) if event_id == 1 => Self::ProcessInfo,
            Some(Provider::Tasks) => tasks(event_id),
            Some(Provider::AsyncProfiler) if event_id == 1 => Self::AsyncEvents,
            Some(Provider::UniversalEvents) => universal_events(name),
            Some(Provider::UniversalSystem) => universal_system(event_id),
            _ => Self::Other,
        }
    }
}

fn runtime(event_id: u32) -> KnownEvent {
    use KnownEvent::*;
    match event_id {
        1 => GcStart,
        2 => GcEnd,
        3 => GcRestartEnd,
        4 => GcHeapStats,
        5 => GcCreateSegment,
        6 => GcFreeSegment,
        7 => GcRestartBegin,
        8 => GcSuspendEnd,
        9 => GcSuspendBegin,
        10 => GcAllocationTick,
        11 => GcCreateConcurrentThread,
        13 => GcFinalizersEnd,
        14 => GcFinalizersBegin,
        15 => BulkType,
        20 | 32 => SampledObjectAllocation,
        35 => GcTriggered,
        50 => ThreadPoolWorkerStart,
        51 => ThreadPoolWorkerStop,
        54 => ThreadPoolAdjustmentSample,
        55 => ThreadPoolAdjustment,
        57 => ThreadPoolWorkerWait,
        61 => ThreadPoolEnqueue,
        62 => ThreadPoolDequeue,
        70 => ThreadCreating,
        71 => ThreadRunning,
        80 => ExceptionThrown,
        81 => ContentionStart,
        85 => ThreadCreated,
        86 => ThreadTerminated,
        90 => ContentionLockCreated,
        91 => ContentionStop,
        137 => MethodDcStart,
        138 => MethodDcEnd,
        139 => MethodDcStartVerbose,
        140 => MethodDcEndVerbose,
        141 => MethodLoad,
        142 => MethodUnload,
        143 => MethodLoadVerbose,
        144 => MethodUnloadVerbose,
        145 => MethodJittingStarted,
        149 | 150 => ModuleDc,
        151 => DomainModuleLoad,
        152 => ModuleLoad,
        153 => ModuleUnload,
        154 => AssemblyLoad,
        159 => ReadyToRunEntryPoint,
        187 => RuntimeInformation,
        190 => MethodIlToNativeMap,
        202 => GcMarkWithType,
        204 => GcPerHeapHistory,
        205 => GcGlobalHeapHistory,
        208 => GcLohCompact,
        250 => ExceptionCatchBegin,
        251 => ExceptionCatchEnd,
        252 => ExceptionFinallyBegin,
        253 => ExceptionFinallyEnd,
        254 => ExceptionFilterBegin,
        255 => ExceptionFilterEnd,
        256 => ExceptionThrownEnd,
        283 => BackgroundJitStart,
        284 => BackgroundJitStop,
        301 => WaitHandleWaitStart,
        302 => WaitHandleWaitStop,
        303 => AllocationSampled,
        _ => Other,
    }
}

fn rundown(event_id: u32) -> KnownEvent {
    use KnownEvent::*;
    match event_id {
        141 => MethodDcStart,
        142 => MethodDcEnd,
        143 => MethodDcStartVerbose,
        144 => MethodDcEndVerbose,
        145 | 146 => RundownComplete,
        147 | 148 => RundownBegin,
        149 | 150 => MethodIlToNativeMap,
        151 | 152 => DomainModuleDc,
        153 | 154 => ModuleDc,
        155 | 156 => AssemblyDc,
        159 => ThreadDc,
        187 => RuntimeInformation,
        _ => Other,
    }
}

fn tasks(event_id: u32) -> KnownEvent {
    use KnownEvent::*;
    match event_id {
        7 => TaskScheduled,
        8 => TaskExecuteStart,
        9 => TaskExecuteStop,
        10 => TaskWaitBegin,
        11 => TaskWaitEnd,
        12 => AwaitContinuationScheduled,
        14 => TaskOperationBegin,
        15 => TaskOperationEnd,
        17 => TaskWorkBegin,
        18 => TaskWorkEnd,
        _ => Other,
    }
}

fn universal_events(name: &str) -> KnownEvent {
    match name {
        "cpu" => KnownEvent::CpuSample,
        "cswitch" => KnownEvent::ContextSwitch,
        _ => KnownEvent::Other,
    }
}

fn universal_system(event_id: u32) -> KnownEvent {
    use KnownEvent::*;
    match event_id {
        0 | 1 => MachineProcess,
        3 => MachineMapping,
        4 => MachineSymbol,
        5 => MachineMappingMetadata,
        _ => Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::is_rundown;
    use super::*;

    #[test]
    fn same_event_id_differs_between_runtime_and_rundown() {
        let runtime = "Microsoft-Windows-DotNETRuntime";
        let rundown = "Microsoft-Windows-DotNETRuntimeRundown";
        assert_eq!(KnownEvent::identify(runtime, 144, ""), KnownEvent::MethodUnloadVerbose);
        assert_eq!(KnownEvent::identify(rundown, 144, ""), KnownEvent::MethodDcEndVerbose);
        assert_eq!(KnownEvent::identify(runtime, 151, ""), KnownEvent::DomainModuleLoad);
        assert_eq!(KnownEvent::identify("Example.Orders", 1, ""), KnownEvent::Other);
        assert!(is_rundown(rundown) && !is_rundown(runtime));
    }

    #[test]
    fn machine_wide_samples_are_identified_by_name() {
        assert_eq!(KnownEvent::identify("Universal.Events", 1, "cpu"), KnownEvent::CpuSample);
        assert_eq!(KnownEvent::identify("Universal.Events", 3, "cpu"), KnownEvent::CpuSample);
        assert_eq!(KnownEvent::identify("Universal.Events", 2, "cswitch"), KnownEvent::ContextSwitch);
    }
}
