//! Readers for the payload fields that the store and the analyses need.
//!
//! They read from the payload bytes without allocating; text stays UTF-16 until it is needed. Readers return `None` if
//! a payload is too short for their required fields, and ignore bytes after those fields, because newer runtimes append
//! fields. Most readers are generated from marked fields of the manifest. Those for arrays and packed buffers are
//! written by hand.

mod async_profiler;
mod async_records;
mod cursor;
mod gc;
mod gc_history;
mod heap;
mod il_map;
mod machine_wide;
mod method;
mod process;
mod readers;
mod thread;

pub use async_profiler::AsyncBuffer;
pub use async_records::{AsyncManifest, AsyncStack, AsyncStep, AsyncStepKind};
pub use cursor::Utf16Text;
pub use gc::{AllocatedObject, Allocation, AllocationKind, GcType, GenerationSize, is_induced};
pub use gc_history::{GC_STEPS, GcDynamicEvent, GcGlobalHistory, GcHeapHistory, HeapGeneration, committed_bytes};
pub use heap::{HeapNode, HeapRoot, MonoRootRange, StaticRoot, TypeName};
pub use heap::{dependent_objects, heap_edges, heap_nodes, heap_roots, mono_root_range, mono_root_range_end};
pub use heap::{mono_class, mono_object, mono_roots, mono_vtable, mono_vtable_class, static_roots, type_names};
pub use il_map::IlMap;
pub use machine_wide::MachineSample;
pub use method::{MethodCode, OptimizationTier};
pub use readers::*;
pub use thread::SampleKind;

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn damaged_payloads_never_panic(payload: Vec<u8>, version in 0..4_u32, pointer_size in 4..=8_u8) {
            MethodPayload::read(&payload).map(|method| method.tier());
            JittingStarted::read(&payload);
            ReadyToRunEntryPoint::read(&payload);
            ModulePayload::read(&payload);
            DomainModulePayload::read(&payload);
            RuntimeInformation::read(&payload);
            ProcessInfo::read(&payload).map(|info| info.process_name());
            GcEnd::read(&payload);
            GcHeapStats::read(&payload).map(|stats| stats.generations());
            SuspendBegin::read(&payload, version);
            GcGlobalHistory::read(&payload);
            GcHeapHistory::read(&payload, pointer_size);
            committed_bytes(&payload);
            GcDynamicEvent::read(&payload).map(|event| crate::clr::dynamic_fields("SizeAdaptationSample", event.data));
            heap_nodes(&payload, pointer_size).map(|(_, nodes)| nodes.count());
            heap_edges(&payload, pointer_size).map(|(_, edges)| edges.count());
            heap_roots(&payload, pointer_size).map(Iterator::count);
            dependent_objects(&payload, pointer_size).map(Iterator::count);
            static_roots(&payload).map(Iterator::count);
            type_names(&payload).map(Iterator::count);
            mono_object(&payload, pointer_size).map(|(_, targets)| targets.count());
            mono_roots(&payload, pointer_size).map(Iterator::count);
            mono_root_range(&payload, pointer_size);
            mono_root_range_end(&payload, pointer_size);
            AsyncBuffer::read(&payload).and_then(|buffer| buffer.steps(&mut AsyncManifest::default()));
            AsyncBuffer::of(&payload).and_then(|buffer| buffer.steps(&mut AsyncManifest::default()));
            mono_vtable_class(&payload).map(|class| class.name.to_string());
            mono_class(&payload).map(|class| class.name.to_string());
            AllocationTick::read(&payload, pointer_size);
            AllocationSampled::read(&payload, pointer_size);
            ExceptionThrown::read(&payload, pointer_size).map(|thrown| thrown.message.to_string());
            ContentionStart::read(&payload);
            TaskWaitBegin::read(&payload);
            TaskOperation::read(&payload).map(|operation| operation.name.to_string());
            IlMap::read(&payload).map(|map| map.pieces().count());
            MachineMapping::read(&payload);
            MachineSymbol::read(&payload);
        }
    }
}
