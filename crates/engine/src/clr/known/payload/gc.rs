//! Events about GCs and allocations.

use super::cursor::{Cursor, Utf16Text};
use crate::clr::KnownEvent;

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

/// Payload of `GCStart` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcStart {
    /// Number of the GC, counted from the start of the process.
    pub number: u32,
    /// Oldest collected generation.
    pub generation: u32,
    /// Reason, named by the manifest.
    pub reason: u32,
    /// Kind; `None` for an unknown value.
    pub gc_type: Option<GcType>,
}

impl GcStart {
    /// Reads the payload. The layout before version 1 has no generation and isn't read.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let (number, generation, reason) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
        let gc_type = match cursor.u32()? {
            0 => Some(GcType::Blocking),
            1 => Some(GcType::Background),
            2 => Some(GcType::Foreground),
            _ => None,
        };
        Some(Self { number, generation, reason, gc_type })
    }
}

/// Returns whether the app induced a GC with this reason of `GCStart` (`GC.Collect` and similar methods).
pub fn is_induced(reason: u32) -> bool {
    // Induced, InducedNotForced, InducedLowMemory, InducedCompacting, InducedAggressive.
    matches!(reason, 1 | 7 | 9 | 10 | 17)
}

/// Payload of `GCEnd`, all versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcEnd {
    /// Number of the GC.
    pub number: u32,
    /// Oldest collected generation.
    pub generation: u32,
}

impl GcEnd {
    /// Reads the payload. `version` is that of the event: version 0 has a narrower generation.
    pub fn read(payload: &[u8], version: u32) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let number = cursor.u32()?;
        let generation = if version == 0 { u32::from(cursor.u16()?) } else { cursor.u32()? };
        Some(Self { number, generation })
    }
}

/// Payload of `GCSuspendEEBegin`, all versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuspendBegin {
    /// Reason of the suspension; 1 and 6 are GCs, 0 includes the sample profiler.
    pub reason: u32,
    /// Number of the GC, if the event has one.
    pub gc_number: Option<u32>,
}

impl SuspendBegin {
    /// Reads the payload. `version` is that of the event: version 0 has a narrower reason and no other fields.
    pub fn read(payload: &[u8], version: u32) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        if version == 0 {
            return Some(Self { reason: u32::from(cursor.u16()?), gc_number: None });
        }
        Some(Self { reason: cursor.u32()?, gc_number: cursor.u32() })
    }

    /// Returns whether the threads are suspended for a GC, not for the sample profiler, a debugger or the end of the
    /// process.
    pub fn is_for_gc(&self) -> bool {
        matches!(self.reason, 1 | 6)
    }
}

/// Payload of `GCTriggered`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcTriggered {
    /// Reason of the GC, named by the manifest.
    pub reason: u32,
}

impl GcTriggered {
    pub fn read(payload: &[u8]) -> Option<Self> {
        Some(Self { reason: Cursor::new(payload, 8).u32()? })
    }
}

/// Payload of `GCFinalizersEnd`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcFinalizersEnd {
    /// Number of finalizers that ran.
    pub count: u32,
}

impl GcFinalizersEnd {
    pub fn read(payload: &[u8]) -> Option<Self> {
        Some(Self { count: Cursor::new(payload, 8).u32()? })
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

/// Payload of `GCHeapStats`, all versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcHeapStats {
    /// Generations 0, 1, 2, the large object heap and (0 before version 2) the pinned object heap.
    pub generations: [GenerationSize; 5],
    /// Bytes of finalization survivors.
    pub finalization_promoted_size: u64,
    /// Number of finalization survivors.
    pub finalization_promoted_count: u64,
    /// Number of pinned objects that the GC encountered.
    pub pinned_objects: u32,
    /// Number of synchronization blocks in use.
    pub sync_blocks: u32,
    /// Number of GC handles in use.
    pub handles: u32,
}

impl GcHeapStats {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let mut generations = [GenerationSize::default(); 5];
        for generation in generations.iter_mut().take(4) {
            *generation = GenerationSize { size: cursor.u64()?, promoted: cursor.u64()? };
        }
        let mut stats = Self {
            generations,
            finalization_promoted_size: cursor.u64()?,
            finalization_promoted_count: cursor.u64()?,
            pinned_objects: cursor.u32()?,
            sync_blocks: cursor.u32()?,
            handles: cursor.u32()?,
        };
        let _clr_instance = cursor.u16();
        if let (Some(size), Some(promoted)) = (cursor.u64(), cursor.u64()) {
            stats.generations[4] = GenerationSize { size, promoted };
        }
        Some(stats)
    }

    /// Returns the total size of all generations in bytes.
    pub fn total_size(&self) -> u64 {
        self.generations.iter().fold(0, |sum, generation| sum.saturating_add(generation.size))
    }
}

/// Heap of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocationKind {
    /// Small object heap.
    Small,
    /// Large object heap.
    Large,
    /// Pinned object heap.
    Pinned,
}

impl AllocationKind {
    fn from_number(number: u32) -> Option<Self> {
        [Self::Small, Self::Large, Self::Pinned].get(usize::try_from(number).ok()?).copied()
    }
}

/// Payload of `GCAllocationTick` from version 2 on; earlier versions have no type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocationTick<'d> {
    /// Bytes allocated on this heap since its last event, about 100 KB.
    pub amount: u64,
    /// Heap; `None` for an unknown value.
    pub kind: Option<AllocationKind>,
    /// ID of the type of the last allocated object.
    pub type_id: u64,
    /// Type of the last allocated object.
    pub type_name: Utf16Text<'d>,
    /// Size of that object in bytes, from version 4 on.
    pub object_size: Option<u64>,
}

impl<'d> AllocationTick<'d> {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(payload: &'d [u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        let _narrow_amount = cursor.u32()?;
        let kind = AllocationKind::from_number(cursor.u32()?);
        let _clr_instance = cursor.u16()?;
        let amount = cursor.u64()?;
        let type_id = cursor.pointer()?;
        let type_name = cursor.text()?;
        let _heap_index = cursor.u32();
        let object_size = cursor.pointer().and_then(|_address| cursor.u64());
        Some(Self { amount, kind, type_id, type_name, object_size })
    }
}

/// Payload of `AllocationSampled`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocationSampled<'d> {
    /// Heap; `None` for an unknown value.
    pub kind: Option<AllocationKind>,
    /// ID of the type of the sampled object.
    pub type_id: u64,
    /// Type of the sampled object.
    pub type_name: Utf16Text<'d>,
    /// Size of the sampled object in bytes.
    pub object_size: u64,
    /// Offset of the sampled byte in the object.
    pub sampled_byte_offset: u64,
}

impl<'d> AllocationSampled<'d> {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(payload: &'d [u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        let kind = AllocationKind::from_number(cursor.u32()?);
        let _clr_instance = cursor.u16()?;
        let type_id = cursor.pointer()?;
        let type_name = cursor.text()?;
        let _address = cursor.pointer()?;
        Some(Self { kind, type_id, type_name, object_size: cursor.u64()?, sampled_byte_offset: cursor.u64()? })
    }
}

/// Payload of `GCSampledObjectAllocation`: objects of a type since its last event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampledObjectAllocation {
    pub type_id: u64,
    /// Number of objects.
    pub objects: u32,
    /// Bytes of the objects.
    pub bytes: u64,
}

impl SampledObjectAllocation {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(payload: &[u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        let _address = cursor.pointer()?;
        Some(Self { type_id: cursor.pointer()?, objects: cursor.u32()?, bytes: cursor.u64()? })
    }
}

/// Fields of an allocation event, without the type name, which requires reading the whole payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Bytes since the last event of the same heap ([`KnownEvent::GcAllocationTick`]), the size of the sampled object
    /// ([`KnownEvent::AllocationSampled`]), or the bytes of a type's objects since its last event
    /// ([`KnownEvent::SampledObjectAllocation`]).
    pub bytes: u64,
    /// Object; `None` if the event is about several, or an early version doesn't contain it.
    pub object: Option<AllocatedObject>,
}

/// Heap and type of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    use super::*;

    fn words(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn gc_start_has_number_generation_reason_and_type() {
        let start = GcStart::read(&words(&[7, 2, 1, 1])).expect("complete payload");
        assert_eq!(start, GcStart { number: 7, generation: 2, reason: 1, gc_type: Some(GcType::Background) });
        assert_eq!(GcStart::read(&words(&[7, 2, 1])), None);
        assert_eq!(GcEnd::read(&[7, 0, 0, 0, 2, 0], 0), Some(GcEnd { number: 7, generation: 2 }));
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
        assert_eq!((first.generations[3].size, first.generations[4].size, first.handles), (7, 0, 13));
        bytes.extend([100_u64, 50].into_iter().flat_map(u64::to_le_bytes));
        let second = GcHeapStats::read(&bytes).expect("complete payload");
        assert_eq!(second.generations[4], GenerationSize { size: 100, promoted: 50 });
        assert_eq!(second.total_size(), 1 + 3 + 5 + 7 + 100);
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
