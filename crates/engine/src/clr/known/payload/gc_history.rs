//! Decisions of a GC, overall and per heap, and committed memory.

use super::cursor::{Cursor, Utf16Text};
use nettrace::Value;

/// Maximum number of GC steps with durations. Background GCs record the first five, sweeping GCs seven.
pub const GC_STEPS: usize = 8;

/// Payload of `GCGlobalHeapHistory` starting with version 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcGlobalHistory {
    /// Number of heaps: one, or several with server GC.
    pub heaps: u32,
    /// Oldest collected generation.
    pub generation: u32,
    /// Bits: 1 concurrent, 2 compacting, 4 promoting, 8 demoting, 0x10 card bundles.
    pub mechanisms: u32,
    /// Conditions for condemning the generation in all heaps, as bits.
    pub conditions: u32,
    /// Microseconds of each step (five for marking, then planning, relocating or sweeping, compacting), and the number
    /// of steps. Since version 4.
    pub steps: Option<([u32; GC_STEPS], usize)>,
}

impl GcGlobalHistory {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let _youngest_budget = cursor.u64()?;
        let (heaps, generation) = (cursor.u32()?, cursor.u32()?);
        let (_gen0_reductions, _reason) = (cursor.u32()?, cursor.u32()?);
        let mechanisms = cursor.u32()?;
        let (_clr_instance, _pause_mode, _memory_load) = (cursor.u16(), cursor.u32(), cursor.u32());
        let (_generations, conditions) = (cursor.u32(), cursor.u32().unwrap_or(0));
        let count = cursor.u32().map_or(0, |count| count as usize);
        let mut steps = [0; GC_STEPS];
        let mut known = 0;
        for step in steps.iter_mut().take(count) {
            let Some(micros) = cursor.u32() else { break };
            (*step, known) = (micros, known + 1);
        }
        Some(Self { heaps, generation, mechanisms, conditions, steps: (known > 0).then_some((steps, known)) })
    }

    /// Returns whether it is a background GC.
    pub fn is_concurrent(&self) -> bool {
        self.mechanisms & 1 != 0
    }

    /// Returns whether objects were compacted.
    pub fn is_compacting(&self) -> bool {
        self.mechanisms & 2 != 0
    }
}

/// Generation of one heap before and after a GC, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeapGeneration {
    /// Size before, including free space.
    pub before: u64,
    /// Size after, including free space.
    pub after: u64,
    /// Free space after.
    pub free_after: u64,
}

/// Payload of `GCPerHeapHistory`, version 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcHeapHistory {
    /// Index of the heap.
    pub heap: u32,
    /// Condemned generations, two bits each: initial, final, by allocation budget, by time.
    pub reasons: u32,
    /// Conditions for condemning the generation, as bits.
    pub conditions: u32,
    /// Generations 0, 1, 2, the large object heap and (0 if there is none) the pinned object heap.
    pub generations: [HeapGeneration; 5],
}

impl GcHeapHistory {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(payload: &[u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        let _clr_instance = cursor.u16()?;
        for _allocated_in_generation_2 in 0..6 {
            cursor.pointer()?;
        }
        let _efficiency = cursor.u32()?;
        let (reasons, conditions) = (cursor.u32()?, cursor.u32()?);
        let (_compacting, _expanding) = (cursor.u32()?, cursor.u32()?);
        let heap = cursor.u32()?;
        let _committed_in_generation_0 = cursor.pointer()?;
        let count = cursor.u32()? as usize;
        let mut generations = [HeapGeneration::default(); 5];
        for generation in generations.iter_mut().take(count) {
            let before = cursor.pointer()?;
            let (_free_list_before, _free_objects_before) = (cursor.pointer()?, cursor.pointer()?);
            let (after, free_list, free_objects) = (cursor.pointer()?, cursor.pointer()?, cursor.pointer()?);
            *generation = HeapGeneration { before, after, free_after: free_list.saturating_add(free_objects) };
            for _in_survivors_and_budget in 0..4 {
                cursor.pointer()?;
            }
        }
        Some(Self { heap, reasons, conditions, generations })
    }
}

/// Event inside a `GCDynamicEvent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcDynamicEvent<'d> {
    pub name: Utf16Text<'d>,
    /// Data, decoded by `clr::dynamic_fields`.
    pub data: &'d [u8],
}

impl<'d> GcDynamicEvent<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let name = cursor.text()?;
        let length = cursor.u32()? as usize;
        Some(Self { name, data: cursor.bytes(length)? })
    }
}

/// Returns the bytes that the GC has committed, if a `GCDynamicEvent` reports them.
pub fn committed_bytes(payload: &[u8]) -> Option<u64> {
    let GcDynamicEvent { name, data } = GcDynamicEvent::read(payload)?;
    if !name.chars().eq("CommittedUsage".chars()) {
        return None;
    }
    let (fields, _) = crate::clr::dynamic_fields("CommittedUsage", data)?;
    let bytes =
        fields.iter().filter_map(|field| if let Value::UInt(bytes, _) = field.value { Some(bytes) } else { None });
    // After the version come bytes in use, to be freed, free (twice), and for the GC's own data.
    Some(bytes.skip(1).fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    fn words(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn global_history_version_4_has_step_durations() {
        let mut bytes = words(&[0, 0, 2, 1, 0, 4, 0x16]);
        bytes.extend([0, 0]);
        bytes.extend(words(&[1, 2]));
        let old = GcGlobalHistory::read(&bytes).expect("complete payload");
        assert_eq!((old.heaps, old.generation, old.is_concurrent(), old.is_compacting()), (2, 1, false, true));
        assert_eq!((old.conditions, old.steps), (0, None));
        bytes.extend(words(&[0, 0x2000, 5, 1, 2, 3, 4, 5]));
        let new = GcGlobalHistory::read(&bytes).expect("complete payload");
        assert_eq!((new.conditions, new.steps), (0x2000, Some(([1, 2, 3, 4, 5, 0, 0, 0], 5))));
        bytes.truncate(bytes.len() - 2);
        assert_eq!(GcGlobalHistory::read(&bytes).and_then(|cut| cut.steps).map(|(_, known)| known), Some(4));
    }

    #[test]
    fn per_heap_history_has_generations() {
        for (pointer_size, pad) in [(4, &[][..]), (8, &[0; 4][..])] {
            let pointers = |values: &[u32]| -> Vec<u8> {
                values.iter().flat_map(|value| [&value.to_le_bytes(), pad].concat()).collect()
            };
            let mut bytes = vec![0, 0];
            bytes.extend(pointers(&[0; 6]));
            bytes.extend(words(&[0, 0x28, 1, 0, 0, 3]));
            bytes.extend(pointers(&[0]));
            bytes.extend(words(&[1]));
            bytes.extend(pointers(&[100, 1, 2, 60, 5, 6, 0, 0, 0, 0]));
            let history = GcHeapHistory::read(&bytes, pointer_size).expect("complete payload");
            assert_eq!((history.heap, history.reasons, history.conditions), (3, 0x28, 1));
            assert_eq!(history.generations[0], HeapGeneration { before: 100, after: 60, free_after: 11 });
            assert_eq!(GcHeapHistory::read(&bytes[..bytes.len() - 1], pointer_size), None);
        }
    }

    #[test]
    fn committed_bytes_are_read_from_dynamic_event() {
        let data: Vec<u8> =
            [vec![1, 0], [10_u64, 1, 2, 3, 4].iter().flat_map(|size| size.to_le_bytes()).collect()].concat();
        let event = |name: &str| [utf16(name), words(&[data.len() as u32]), data.clone(), vec![0, 0]].concat();
        assert_eq!(committed_bytes(&event("CommittedUsage")), Some(20));
        assert_eq!(committed_bytes(&event("SizeAdaptationSample")), None);
        assert_eq!(committed_bytes(&event("CommittedUsage")[..40]), None);
    }
}
