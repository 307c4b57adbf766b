//! IL-to-native maps of methods.

use super::methods::Method;
use crate::clr::known::payload::IlMap;
use protocol::base::hash::FastMap;
use protocol::base::ids::ProcessId;
use protocol::base::sort::sort_by_key;

/// Maximum number of mappings in memory, 8 bytes each. Further methods have no IL offsets.
const MAX_MAPPINGS: usize = 4 << 20;
/// IL offset of code that the compiler added.
const NO_IL: u32 = u32::MAX;

/// IL offsets of the sections of each method's code, by first byte.
#[derive(Clone, Debug, Default)]
pub struct IlMaps {
    mappings: Vec<(u32, u32)>,
    /// End of each map in the columns.
    ends: Vec<u32>,
    /// Index of each map by process, method and code version. Used only while reading the file.
    known: FastMap<(ProcessId, u64, u64), u32>,
}

impl IlMaps {
    /// Returns the IL offset of the code at an offset; `None` if the map doesn't contain it, or the compiler added the
    /// code.
    pub fn il_offset(&self, map: u32, code_offset: u64) -> Option<u32> {
        let mappings = self.mappings_of(map);
        let after = mappings.partition_point(|(start, _)| u64::from(*start) <= code_offset);
        let (_, il) = *mappings.get(after.checked_sub(1)?)?;
        (il != NO_IL).then_some(il)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn heap_bytes(&self) -> u64 {
        (8 * self.mappings.capacity() + 4 * self.ends.capacity() + 32 * self.known.capacity()) as u64
    }

    /// Adds the map of an event. The rundown at the end of a recording repeats maps.
    pub(crate) fn add(&mut self, process: ProcessId, map: IlMap<'_>) {
        let key = (process, map.method_id, map.code_version);
        let has_room = self.mappings.len() + map.len() <= MAX_MAPPINGS && self.mappings.try_reserve(map.len()).is_ok();
        if !has_room || self.known.contains_key(&key) {
            return;
        }
        self.known.insert(key, self.ends.len() as u32);
        let mut mappings: Vec<(u32, u32)> = map.pieces().map(|(start, il)| (start, il.unwrap_or(NO_IL))).collect();
        sort_by_key(&mut mappings, |(start, _)| *start);
        self.push(mappings.into_iter());
    }

    /// Returns the map of a method's code.
    pub(crate) fn find(&self, process: ProcessId, method_id: u64, code_version: u64) -> Option<u32> {
        self.known.get(&(process, method_id, code_version)).copied()
    }

    /// Removes the maps of methods that aren't on any stack, and updates `Method::il_map`.
    pub(crate) fn retain_used(self, methods: &mut [Method]) -> Self {
        let mut shown = Self::default();
        for method in methods {
            let map = method.il_map.filter(|_| method.function.is_some());
            method.il_map = map.map(|map| shown.push(self.mappings_of(map).iter().copied()));
        }
        shown.mappings.shrink_to_fit();
        shown
    }

    fn push(&mut self, mappings: impl Iterator<Item = (u32, u32)>) -> u32 {
        self.mappings.extend(mappings);
        self.ends.push(self.mappings.len() as u32);
        self.ends.len() as u32 - 1
    }

    fn mappings_of(&self, map: u32) -> &[(u32, u32)] {
        let end_of = |map: u32| self.ends.get(map as usize).map(|&end| end as usize);
        let start = map.checked_sub(1).and_then(end_of).unwrap_or(0);
        end_of(map).and_then(|end| self.mappings.get(start..end)).unwrap_or_default()
    }
}
