//! Types of allocated objects, recorded while the file is read. Even traces with many allocations have few types.

use crate::clr::known::payload::{AllocatedObject, AllocationKind};
use crate::model::out_of_memory::{OutOfMemory, reserve};
use protocol::base::hash::FastMap;

/// Maximum number of combinations of type and heap. If a trace has more, analyses read all types from the file.
const MAX_TYPES: usize = 16 * 1024;
/// Maximum length of a name in bytes. If one is longer, analyses read all types from the file.
const MAX_NAME_BYTES: usize = 2 * 1024;

/// Type of objects that were allocated on a heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllocatedType {
    /// Heap; `None` for an unknown value.
    pub heap: Option<AllocationKind>,
    /// The runtime's ID of the type.
    pub type_id: u64,
    /// Name in the first event of the type.
    pub name: String,
}

/// Types in the order of their first allocations; empty if analyses must read them from the file.
#[derive(Clone, Debug, Default)]
pub struct AllocatedTypes {
    types: Vec<AllocatedType>,
    by_object: FastMap<AllocatedObject, u16>,
    is_given_up: bool,
}

impl AllocatedTypes {
    /// Returns whether all types are in memory.
    pub fn are_complete(&self) -> bool {
        !self.is_given_up
    }

    /// Returns the type at an index.
    pub fn get(&self, position: u16) -> Option<&AllocatedType> {
        self.types.get(usize::from(position))
    }

    pub fn iter(&self) -> impl Iterator<Item = &AllocatedType> {
        self.types.iter()
    }

    pub fn heap_bytes(&self) -> u64 {
        let names: usize = self.types.iter().map(|one| one.name.capacity()).sum();
        let entries = self.by_object.capacity() * size_of::<(AllocatedObject, u16)>();
        (self.types.capacity() * size_of::<AllocatedType>() + names + entries) as u64
    }

    /// Returns the index of an object's type. `name` is called for new types. All types stay in the file if an event
    /// doesn't contain its type's ID, or there are too many.
    pub(crate) fn position(
        &mut self,
        object: Option<AllocatedObject>,
        name: impl FnOnce() -> Option<String>,
    ) -> Result<u16, OutOfMemory> {
        if self.is_given_up {
            return Ok(0);
        }
        let Some(object) = object.filter(|object| object.type_id != 0) else {
            self.give_up();
            return Ok(0);
        };
        if let Some(&known) = self.by_object.get(&object) {
            return Ok(known);
        }
        let name = name().filter(|name| name.len() <= MAX_NAME_BYTES && self.types.len() < MAX_TYPES);
        let Some(name) = name else {
            self.give_up();
            return Ok(0);
        };
        let position = self.types.len() as u16;
        reserve(&mut self.types, 1)?;
        self.types.push(AllocatedType { heap: object.heap, type_id: object.type_id, name });
        self.by_object.insert(object, position);
        Ok(position)
    }

    fn give_up(&mut self) {
        *self = Self { is_given_up: true, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(type_id: u64) -> Option<AllocatedObject> {
        Some(AllocatedObject { heap: Some(AllocationKind::Small), type_id })
    }

    fn name(text: &str) -> impl FnOnce() -> Option<String> {
        let text = text.to_owned();
        || Some(text)
    }

    #[test]
    fn type_is_stored_once_per_heap() -> Result<(), OutOfMemory> {
        let mut types = AllocatedTypes::default();
        let large = Some(AllocatedObject { heap: Some(AllocationKind::Large), type_id: 7 });
        let positions = [
            types.position(object(7), name("A"))?,
            types.position(object(8), name("B"))?,
            types.position(object(7), || unreachable!("it is known"))?,
            types.position(large, name("A"))?,
        ];
        assert_eq!(positions, [0, 1, 0, 2]);
        assert_eq!(types.get(1).map(|one| (one.type_id, one.name.as_str())), Some((8, "B")));
        assert_eq!((types.iter().count(), types.get(3)), (3, None));
        Ok(())
    }

    #[test]
    fn types_beyond_limit_are_all_dropped() -> Result<(), OutOfMemory> {
        let long = "N".repeat(MAX_NAME_BYTES + 1);
        for (of, text) in [(None, "A"), (object(0), "A"), (object(9), long.as_str())] {
            let mut types = AllocatedTypes::default();
            types.position(object(7), name("A"))?;
            types.position(of, name(text))?;
            assert_eq!((types.are_complete(), types.get(0)), (false, None));
            assert_eq!((types.position(object(7), name("A"))?, types.get(0)), (0, None), "it stays so");
        }
        let mut types = AllocatedTypes::default();
        for type_id in 1..=MAX_TYPES as u64 {
            types.position(object(type_id), name("A"))?;
        }
        assert!(types.are_complete());
        types.position(object(1 << 40), name("A"))?;
        assert!(!types.are_complete());
        Ok(())
    }
}
