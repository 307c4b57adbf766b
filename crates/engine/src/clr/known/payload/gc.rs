//! Events about GCs and allocations.

use super::cursor::{Cursor, Utf16Text};
use super::{AllocationSampled, AllocationTick, GcHeapStats, SampledObjectAllocation, SuspendBegin};
use crate::clr::KnownEvent;
use serde::{Deserialize, Serialize};

/// Kind of a GC, by its effect on the app's threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GcType {
    /// All managed threads are paused from start to end.
    Blocking,
    /// Most of the work is done while the app runs.
    Background,
    /// Short GC of the young generations during a background GC.
    Foreground,
}

impl GcType {
    /// Returns the kind with a number in `GCStart`.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Blocking, Self::Background, Self::Foreground].get(usize::try_from(number).ok()?).copied()
    }
}

/// Returns whether the app induced a GC with this reason of `GCStart` (`GC.Collect` and similar methods).
pub fn is_induced(reason: u32) -> bool {
    // Induced, InducedNotForced, InducedLowMemory, InducedCompacting, InducedAggressive.
    matches!(reason, 1 | 7 | 9 | 10 | 17)
}

impl SuspendBegin {
    /// Returns whether threads are suspended for a GC, and not for the sample profiler, a debugger or shutdown.
    pub fn is_for_gc(&self) -> bool {
        matches!(self.reason, 1 | 6)
    }
}

/// Generation after a GC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GenerationSize {
    /// Size in bytes.
    pub size: u64,
    /// Bytes that survived the GC.
    pub promoted: u64,
}

impl GcHeapStats {
    /// Returns generations 0, 1, 2, the large object heap and (0 before version 2) the pinned object heap.
    pub fn generations(&self) -> [GenerationSize; 5] {
        [
            GenerationSize { size: self.size_0, promoted: self.promoted_0 },
            GenerationSize { size: self.size_1, promoted: self.promoted_1 },
            GenerationSize { size: self.size_2, promoted: self.promoted_2 },
            GenerationSize { size: self.size_3, promoted: self.promoted_3 },
            GenerationSize { size: self.size_4, promoted: self.promoted_4 },
        ]
    }
}

/// Heap of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum AllocationKind {
    /// Small object heap.
    Small,
    /// Large object heap.
    Large,
    /// Pinned object heap.
    Pinned,
}

impl AllocationKind {
    /// Returns the heap with this number in allocation events.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Small, Self::Large, Self::Pinned].get(usize::try_from(number).ok()?).copied()
    }
}

/// Fields of an allocation event, except the type name, which requires reading the whole payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Bytes allocated on the same heap since the last event ([`KnownEvent::GcAllocationTick`]), the size of the
    /// sampled object ([`KnownEvent::AllocationSampled`]), or the bytes of a type's objects since its last event
    /// ([`KnownEvent::SampledObjectAllocation`]).
    pub bytes: u64,
    /// Allocated object; `None` if the event is about several objects, or its version doesn't contain one.
    pub object: Option<AllocatedObject>,
}

/// Heap and type of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct AllocatedObject {
    /// Heap; `None` for an unknown value.
    pub heap: Option<AllocationKind>,
    pub type_id: u64,
}

impl Allocation {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(known: KnownEvent, payload: &[u8], pointer_size: u8) -> Option<Self> {
        match known {
            KnownEvent::GcAllocationTick => {
                let mut cursor = Cursor::new(payload, pointer_size);
                let (_narrow_amount, heap, _clr_instance) = (cursor.u32()?, cursor.u32()?, cursor.u16()?);
                let bytes = cursor.u64()?;
                let object = |type_id| AllocatedObject { heap: AllocationKind::from_number(heap), type_id };
                Some(Self { bytes, object: cursor.pointer().map(object) })
            }
            KnownEvent::AllocationSampled => {
                let sampled = AllocationSampled::read(payload, pointer_size)?;
                let object = AllocatedObject { heap: sampled.kind, type_id: sampled.type_id };
                Some(Self { bytes: sampled.object_size, object: Some(object) })
            }
            KnownEvent::SampledObjectAllocation => {
                let sampled = SampledObjectAllocation::read(payload, pointer_size)?;
                Some(Self { bytes: sampled.bytes, object: None })
            }
            _ => None,
        }
    }

    /// Returns the name of the object's type, if the event contains it.
    pub fn type_name(known: KnownEvent, payload: &[u8], pointer_size: u8) -> Option<Utf16Text<'_>> {
        match known {
            KnownEvent::GcAllocationTick => AllocationTick::read(payload, pointer_size).map(|tick| tick.type_name),
            KnownEvent::AllocationSampled => AllocationSampled::read(payload, pointer_size).map(|one| one.type_name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::super::{GcEnd, GcStart};
    use super::*;

    fn words(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn gc_start_has_number_generation_reason_and_type() {
        let start = GcStart::read(&words(&[7, 2, 1, 1])).expect("complete payload");
        assert_eq!(start, GcStart { number: 7, generation: 2, reason: 1, gc_type: Some(GcType::Background) });
        assert_eq!(GcStart::read(&words(&[7, 2, 1])), None);
        assert_eq!(GcEnd::read(&[7, 0, 0, 0, 2, 0]), Some(GcEnd { number: 7 }));
    }

    #[test]
    fn suspension_for_sampling_is_not_for_gc() {
        let sampler = SuspendBegin::read(&words(&[0, u32::MAX]), 1).expect("complete payload");
        assert!(!sampler.is_for_gc());
        let collector = SuspendBegin::read(&[1, 0], 0).expect("complete payload");
        assert!(collector.is_for_gc());
    }

    #[test]
    fn heap_stats_version_2_has_pinned_heap() {
        let mut bytes: Vec<u8> = (1..=10_u64).flat_map(u64::to_le_bytes).collect();
        bytes.extend(words(&[11, 12, 13]));
        bytes.extend([0, 0]);
        let first = GcHeapStats::read(&bytes).expect("complete payload");
        assert_eq!((first.generations()[3].size, first.generations()[4].size, first.handles), (7, 0, 13));
        bytes.extend([100_u64, 50].into_iter().flat_map(u64::to_le_bytes));
        let second = GcHeapStats::read(&bytes).expect("complete payload");
        assert_eq!(second.generations()[4], GenerationSize { size: 100, promoted: 50 });
        assert_eq!(second.generations().map(|generation| generation.size), [1, 3, 5, 7, 100]);
    }

    #[test]
    fn allocation_tick_layout_depends_on_version_and_pointer_size() {
        let early = Allocation::read(KnownEvent::GcAllocationTick, &words(&[1, 0, 0x0007_0000, 0, 0]), 8);
        assert_eq!(early, Some(Allocation { bytes: 7, object: None }));
        let mut bytes = words(&[106_000, 1]);
        bytes.extend([0, 0]);
        bytes.extend(106_000_u64.to_le_bytes());
        bytes.extend(0xabcd_u32.to_le_bytes());
        bytes.extend(utf16("System.Byte[]"));
        bytes.extend(words(&[0]));
        let tick = AllocationTick::read(&bytes, 4).expect("complete payload");
        assert_eq!((tick.amount, tick.kind, tick.object_size), (106_000, Some(AllocationKind::Large), None));
        assert_eq!(tick.type_name.to_string(), "System.Byte[]");
        bytes.extend(words(&[0x1234]));
        bytes.extend(90_000_u64.to_le_bytes());
        assert_eq!(AllocationTick::read(&bytes, 4).and_then(|tick| tick.object_size), Some(90_000));
    }
}
