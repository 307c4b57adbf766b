//! Amount and type of each allocation, recorded while the file is read. Allocations can outnumber all other events, and
//! analyses need only these two values.

use super::allocated_types::AllocatedTypes;
use crate::clr::known::payload::Allocation;
use crate::model::out_of_memory::{OutOfMemory, reserve, reserve_exact};
use std::rc::Rc;

/// Number of allocations per block. Memory grows by whole blocks, so data is never moved.
const BLOCK_ROWS: usize = 16 * 1024;

/// Maximum number of blocks (40 MB). If a trace has more allocations, analyses read all amounts from the file.
const MAX_BLOCKS: usize = 256;

/// Amounts by payload offset; empty if analyses must read them from the file.
#[derive(Clone, Debug, Default)]
pub struct AllocationAmounts {
    /// Full blocks, shared by copies.
    blocks: Vec<Rc<Block>>,
    pub types: AllocatedTypes,
    is_given_up: bool,
}

#[derive(Clone, Debug)]
struct Block {
    /// Offset of the first payload in the file.
    base: u64,
    /// Offsets of payloads relative to `base`, ascending.
    offsets: Vec<u32>,
    amounts: Vec<u32>,
    /// Indices among the types.
    types: Vec<u16>,
}

impl AllocationAmounts {
    /// Returns whether all amounts are in memory.
    pub fn are_complete(&self) -> bool {
        !self.is_given_up
    }

    /// Returns the amount of the allocation with a payload offset, and the index of its type.
    pub fn get(&self, payload_offset: u64) -> Option<(u64, u16)> {
        let after = self.blocks.partition_point(|block| block.base <= payload_offset);
        let block = self.blocks.get(after.checked_sub(1)?)?;
        let offset = u32::try_from(payload_offset - block.base).ok()?;
        let at = block.offsets.binary_search(&offset).ok()?;
        Some((u64::from(*block.amounts.get(at)?), *block.types.get(at)?))
    }

    pub fn heap_bytes(&self) -> u64 {
        let blocks: usize = self.blocks.iter().map(|block| block.heap_bytes()).sum();
        (blocks + self.blocks.capacity() * size_of::<Rc<Block>>()) as u64 + self.types.heap_bytes()
    }

    /// Adds an allocation; `name` returns the name of its type. Offsets must ascend: if they don't, if an amount
    /// exceeds 32 bits, or if there are too many, all amounts stay in the file.
    pub(crate) fn note(
        &mut self,
        payload_offset: u64,
        allocation: &Allocation,
        name: impl FnOnce() -> Option<String>,
    ) -> Result<(), OutOfMemory> {
        self.note_of(payload_offset, allocation.bytes, |types| types.position(allocation.object, name))
    }

    /// Adds an allocation; `type_at` returns the index of its type.
    pub(crate) fn note_of(
        &mut self,
        payload_offset: u64,
        bytes: u64,
        type_at: impl FnOnce(&mut AllocatedTypes) -> Result<u16, OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        if self.is_given_up {
            return Ok(());
        }
        let Ok(amount) = u32::try_from(bytes) else {
            self.give_up();
            return Ok(());
        };
        let type_at = type_at(&mut self.types)?;
        let is_full = self.blocks.len() == MAX_BLOCKS;
        let last = self.blocks.last_mut();
        if last.as_ref().is_some_and(|block| block.last() >= payload_offset) {
            self.give_up();
            return Ok(());
        }
        let last = last.and_then(Rc::get_mut).filter(|block| block.has_room_for(payload_offset));
        match last {
            Some(block) => block.push(payload_offset, amount, type_at),
            None if is_full => self.give_up(),
            None => {
                let mut block = Block::at(payload_offset)?;
                block.push(payload_offset, amount, type_at);
                reserve(&mut self.blocks, 1)?;
                self.blocks.push(Rc::new(block));
            }
        }
        Ok(())
    }

    /// Shrinks the last block to its content.
    pub(crate) fn shrink(&mut self) {
        if let Some(block) = self.blocks.last_mut().and_then(Rc::get_mut) {
            block.offsets.shrink_to_fit();
            block.amounts.shrink_to_fit();
            block.types.shrink_to_fit();
        }
    }

    fn give_up(&mut self) {
        *self = Self { is_given_up: true, ..Self::default() };
    }
}

impl Block {
    fn at(base: u64) -> Result<Self, OutOfMemory> {
        let mut block = Self { base, offsets: Vec::new(), amounts: Vec::new(), types: Vec::new() };
        reserve_exact(&mut block.offsets, BLOCK_ROWS)?;
        reserve_exact(&mut block.amounts, BLOCK_ROWS)?;
        reserve_exact(&mut block.types, BLOCK_ROWS)?;
        Ok(block)
    }

    fn push(&mut self, payload_offset: u64, amount: u32, type_at: u16) {
        self.offsets.push((payload_offset - self.base) as u32);
        self.amounts.push(amount);
        self.types.push(type_at);
    }

    fn heap_bytes(&self) -> usize {
        (self.offsets.capacity() + self.amounts.capacity()) * size_of::<u32>()
            + self.types.capacity() * size_of::<u16>()
    }

    /// Returns the offset of the last payload.
    fn last(&self) -> u64 {
        self.base + u64::from(self.offsets.last().copied().unwrap_or(0))
    }

    fn has_room_for(&self, payload_offset: u64) -> bool {
        self.offsets.len() < self.offsets.capacity() && payload_offset - self.base <= u64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clr::known::payload::AllocatedObject;

    fn noted(places: impl IntoIterator<Item = (u64, u64)>) -> AllocationAmounts {
        let mut amounts = AllocationAmounts::default();
        places.into_iter().for_each(|(offset, bytes)| note(&mut amounts, offset, bytes));
        amounts.shrink();
        amounts
    }

    /// Adds an allocation of one of three types.
    fn note(amounts: &mut AllocationAmounts, offset: u64, bytes: u64) {
        let object = AllocatedObject { heap: None, type_id: 1 + offset % 3 };
        let allocation = Allocation { bytes, object: Some(object) };
        amounts.note(offset, &allocation, || Some(object.type_id.to_string())).expect("memory");
    }

    #[test]
    fn amounts_at_distant_offsets_are_found() {
        let place = |at: u64| (100 + at * at, 7 * at);
        let mut amounts = noted((0..100_000).map(place));
        // Copies are unaffected by later additions.
        let copy = amounts.clone();
        note(&mut amounts, 1 << 60, 5);
        assert!(amounts.are_complete() && amounts.types.are_complete());
        let type_of = |position: u16| amounts.types.get(position).map_or(0, |one| one.type_id);
        let found = |offset| amounts.get(offset).map(|(amount, position)| (amount, type_of(position)));
        assert!((0..100_000).map(place).all(|(offset, amount)| found(offset) == Some((amount, 1 + offset % 3))));
        assert_eq!((found(99), found(102), found(1 << 60)), (None, None, Some((5, 1 + (1 << 60) % 3))));
        assert_eq!(copy.get(1 << 60), None);
    }

    #[test]
    fn amounts_beyond_limit_are_all_dropped() {
        for places in [[(10, 1), (10, 2)], [(10, 1), (9, 2)], [(10, 1), (20, 1 << 32)]] {
            let mut amounts = noted(places);
            note(&mut amounts, 1_000, 1);
            assert_eq!((amounts.are_complete(), amounts.get(10), amounts.heap_bytes()), (false, None, 0));
        }
        let most = (MAX_BLOCKS * BLOCK_ROWS) as u64;
        assert!(noted((0..most).map(|at| (at, 1))).are_complete());
        assert!(!noted((0..=most).map(|at| (at, 1))).are_complete());
    }
}
