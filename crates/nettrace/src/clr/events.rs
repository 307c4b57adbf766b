//! List of common events.

use super::{EVENT_PIPE, RUNDOWN, RUNTIME, SAMPLE_PROFILER, UNIVERSAL_SYSTEM};

/// Event of the list.
pub(super) struct Known {
    /// Event ID.
    pub id: u32,
    /// First version with this layout. Later versions append fields.
    pub since: u32,
    /// Name.
    pub name: &'static str,
    /// Fields of the newest version, as `type name` separated by commas.
    pub fields: &'static str,
}

const fn event(id: u32, name: &'static str, fields: &'static str) -> Known {
    since(0, id, name, fields)
}

const fn since(since: u32, id: u32, name: &'static str, fields: &'static str) -> Known {
    Known { id, since, name, fields }
}

const CLR_INSTANCE: &str = "u16 ClrInstanceID";
const WORKERS: &str = "u32 ActiveWorkerThreadCount,u32 RetiredWorkerThreadCount,u16 ClrInstanceID";
const METHOD: &str = "u64 MethodID,u64 ModuleID,u64 MethodStartAddress,u32 MethodSize,u32 MethodToken,u32 MethodFlags,\
    u16 ClrInstanceID,u64 ReJITID";
const METHOD_VERBOSE: &str = "u64 MethodID,u64 ModuleID,u64 MethodStartAddress,u32 MethodSize,u32 MethodToken,\
    u32 MethodFlags,text MethodNamespace,text MethodName,text MethodSignature,u16 ClrInstanceID,u64 ReJITID";
const MODULE: &str = "u64 ModuleID,u64 AssemblyID,u32 ModuleFlags,u32 Reserved1,text ModuleILPath,text ModuleNativePath,\
    u16 ClrInstanceID,guid ManagedPdbSignature,u32 ManagedPdbAge,text ManagedPdbBuildPath,guid NativePdbSignature,\
    u32 NativePdbAge,text NativePdbBuildPath";
const DOMAIN_MODULE: &str = "u64 ModuleID,u64 AssemblyID,u64 AppDomainID,u32 ModuleFlags,u32 Reserved1,text ModuleILPath,\
    text ModuleNativePath,u16 ClrInstanceID";
const ASSEMBLY: &str = "u64 AssemblyID,u64 AppDomainID,u64 BindingID,u32 AssemblyFlags,text FullyQualifiedAssemblyName,\
    u16 ClrInstanceID";
const EXCEPTION_BLOCK: &str = "u64 EntryEIP,u64 MethodID,text MethodName,u16 ClrInstanceID";
const RUNTIME_INFORMATION: &str = "u16 ClrInstanceID,u16 Sku,u16 BclMajorVersion,u16 BclMinorVersion,u16 BclBuildNumber,\
    u16 BclQfeNumber,u16 VMMajorVersion,u16 VMMinorVersion,u16 VMBuildNumber,u16 VMQfeNumber,u32 StartupFlags,u8 StartupMode,\
    text CommandLine,guid ComObjectGuid,text RuntimeDllPath";
const PROCESS: &str = "varint NamespaceId,utf8 Name,utf8 NamespaceName";

/// Events of each provider, by ID.
pub(super) const PROVIDERS: &[(&str, &[Known])] = &[
    (
        RUNTIME,
        &[
            since(
                1,
                1,
                "GCStart",
                "u32 Count,u32 Depth,u32 Reason,u32 Type,u16 ClrInstanceID,u64 ClientSequenceNumber",
            ),
            since(1, 2, "GCEnd", "u32 Count,u32 Depth,u16 ClrInstanceID"),
            event(3, "GCRestartEEEnd", CLR_INSTANCE),
            event(
                4,
                "GCHeapStats",
                "u64 GenerationSize0,u64 TotalPromotedSize0,u64 GenerationSize1,u64 TotalPromotedSize1,u64 GenerationSize2,\
                 u64 TotalPromotedSize2,u64 GenerationSize3,u64 TotalPromotedSize3,u64 FinalizationPromotedSize,\
                 u64 FinalizationPromotedCount,u32 PinnedObjectCount,u32 SinkBlockCount,u32 GCHandleCount,u16 ClrInstanceID,\
                 u64 GenerationSize4,u64 TotalPromotedSize4",
            ),
            event(7, "GCRestartEEBegin", CLR_INSTANCE),
            event(8, "GCSuspendEEEnd", CLR_INSTANCE),
            since(1, 9, "GCSuspendEEBegin", "u32 Reason,u32 Count,u16 ClrInstanceID"),
            event(
                10,
                "GCAllocationTick",
                "u32 AllocationAmount,u32 AllocationKind,u16 ClrInstanceID,u64 AllocationAmount64,ptr TypeID,text TypeName,\
                 u32 HeapIndex,ptr Address,u64 ObjectSize",
            ),
            event(13, "GCFinalizersEnd", "u32 Count,u16 ClrInstanceID"),
            event(14, "GCFinalizersBegin", CLR_INSTANCE),
            event(35, "GCTriggered", "u32 Reason,u16 ClrInstanceID"),
            event(50, "ThreadPoolWorkerThreadStart", WORKERS),
            event(51, "ThreadPoolWorkerThreadStop", WORKERS),
            event(54, "ThreadPoolWorkerThreadAdjustmentSample", "f64 Throughput,u16 ClrInstanceID"),
            event(
                55,
                "ThreadPoolWorkerThreadAdjustmentAdjustment",
                "f64 AverageThroughput,u32 NewWorkerThreadCount,u32 Reason,u16 ClrInstanceID",
            ),
            event(57, "ThreadPoolWorkerThreadWait", WORKERS),
            event(
                80,
                "ExceptionThrown",
                "text ExceptionType,text ExceptionMessage,ptr ExceptionEIP,u32 ExceptionHRESULT,u16 ExceptionFlags,\
                 u16 ClrInstanceID",
            ),
            event(
                81,
                "ContentionStart",
                "u8 ContentionFlags,u16 ClrInstanceID,u64 LockID,u64 AssociatedObjectID,u64 LockOwnerThreadID",
            ),
            event(90, "ContentionLockCreated", "u64 LockID,u64 AssociatedObjectID,u16 ClrInstanceID"),
            event(91, "ContentionStop", "u8 ContentionFlags,u16 ClrInstanceID,f64 DurationNs"),
            event(141, "MethodLoad", METHOD),
            event(142, "MethodUnload", METHOD),
            event(143, "MethodLoadVerbose", METHOD_VERBOSE),
            event(144, "MethodUnloadVerbose", METHOD_VERBOSE),
            event(
                145,
                "MethodJittingStarted",
                "u64 MethodID,u64 ModuleID,u32 MethodToken,u32 MethodILSize,text MethodNamespace,text MethodName,\
                 text MethodSignature,u16 ClrInstanceID",
            ),
            event(151, "DomainModuleLoad", DOMAIN_MODULE),
            event(152, "ModuleLoad", MODULE),
            event(153, "ModuleUnload", MODULE),
            since(1, 154, "AssemblyLoad", ASSEMBLY),
            event(187, "RuntimeInformationStart", RUNTIME_INFORMATION),
            event(250, "ExceptionCatchStart", EXCEPTION_BLOCK),
            event(251, "ExceptionCatchStop", ""),
            event(252, "ExceptionFinallyStart", EXCEPTION_BLOCK),
            event(253, "ExceptionFinallyStop", ""),
            event(254, "ExceptionFilterStart", EXCEPTION_BLOCK),
            event(255, "ExceptionFilterStop", ""),
            event(256, "ExceptionThrownStop", ""),
            event(301, "WaitHandleWaitStart", "u8 WaitSource,ptr AssociatedObjectID,u16 ClrInstanceID"),
            event(302, "WaitHandleWaitStop", CLR_INSTANCE),
            event(
                303,
                "AllocationSampled",
                "u32 AllocationKind,u16 ClrInstanceID,ptr TypeID,text TypeName,ptr Address,u64 ObjectSize,\
                 u64 SampledByteOffset",
            ),
        ],
    ),
    (
        RUNDOWN,
        &[
            event(141, "MethodDCStart", METHOD),
            event(142, "MethodDCEnd", METHOD),
            event(143, "MethodDCStartVerbose", METHOD_VERBOSE),
            event(144, "MethodDCEndVerbose", METHOD_VERBOSE),
            event(145, "DCStartComplete", CLR_INSTANCE),
            event(146, "DCEndComplete", CLR_INSTANCE),
            event(147, "DCStartInit", CLR_INSTANCE),
            event(148, "DCEndInit", CLR_INSTANCE),
            event(151, "DomainModuleDCStart", DOMAIN_MODULE),
            event(152, "DomainModuleDCEnd", DOMAIN_MODULE),
            event(153, "ModuleDCStart", MODULE),
            event(154, "ModuleDCEnd", MODULE),
            since(1, 155, "AssemblyDCStart", ASSEMBLY),
            since(1, 156, "AssemblyDCEnd", ASSEMBLY),
            event(187, "RuntimeInformationDCStart", RUNTIME_INFORMATION),
        ],
    ),
    (SAMPLE_PROFILER, &[event(0, "ThreadSample", "u32 Type")]),
    (EVENT_PIPE, &[event(1, "ProcessInfo", "text CommandLine,text OSInformation,text ArchInformation")]),
    (
        UNIVERSAL_SYSTEM,
        &[
            event(0, "ExistingProcess", PROCESS),
            event(1, "ProcessCreate", PROCESS),
            event(2, "ProcessExit", ""),
            event(
                3,
                "ProcessMapping",
                "varint Id,varint StartAddress,varint EndAddress,varint FileOffset,utf8 FileName,varint MetadataId,\
                 utf8 SymbolMetadata,utf8 VersionMetadata",
            ),
            event(4, "ProcessSymbol", "varint Id,varint MappingId,varint StartAddress,varint EndAddress,utf8 Name"),
            event(5, "ProcessMappingMetadata", "varint Id,utf8 SymbolMetadata,utf8 VersionMetadata"),
        ],
    ),
];
