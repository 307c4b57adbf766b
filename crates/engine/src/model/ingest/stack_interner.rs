//! Interns the stacks of the file in the tree of stacks.
//!
//! Known stacks are found by one hash of their bytes and a comparison.

use super::chain_steps::ChainSteps;
use crate::model::code::stacks::StackBuilder;
use hashbrown::HashTable;
use protocol::base::hash::{FastBuildHasher, FastHasher, FastMap};
use protocol::base::ids::{FrameId, ProcessId, StackId};
use std::hash::{BuildHasher, Hasher};

/// Interner of stacks by addresses, which are resolved to methods after the whole file has been read.
#[derive(Clone, Debug)]
pub(super) struct StackInterner {
    pointer_size: usize,
    builder: StackBuilder,
    /// Code addresses, by [`FrameId`].
    addresses: Vec<(ProcessId, u64)>,
    frames: HashTable<u32>,
    by_content: HashTable<(u64, StackId)>,
}

/// Frames and stacks with unresolved addresses.
pub(crate) struct RawStacks {
    pub builder: StackBuilder,
    /// Code addresses, by [`FrameId`].
    pub addresses: Vec<(ProcessId, u64)>,
    /// Chains of async methods among the stacks, by the threads that ran them.
    pub chains: ChainSteps,
}

impl StackInterner {
    pub fn new(pointer_size: u8) -> Self {
        Self {
            pointer_size: if pointer_size == 4 { 4 } else { 8 },
            builder: StackBuilder::default(),
            addresses: Vec::new(),
            frames: HashTable::new(),
            by_content: HashTable::new(),
        }
    }

    /// Returns the stack of these addresses, which are leaf first as in the file.
    pub fn intern(&mut self, process: ProcessId, bytes: &[u8]) -> StackId {
        if bytes.len() < self.pointer_size {
            return StackId(0);
        }
        let hash = hash_bytes(process, bytes);
        let known = self.by_content.find(hash, |&(other, stack)| other == hash && self.is_stack(stack, process, bytes));
        if let Some(&(_, stack)) = known {
            return stack;
        }
        let mut stack = StackId(0);
        for address in bytes.rchunks_exact(self.pointer_size) {
            let frame = self.frame(process, address_of(address));
            stack = self.builder.child(stack, frame);
        }
        self.by_content.insert_unique(hash, (hash, stack), |&(hash, _)| hash);
        stack
    }

    /// Returns the stack of these addresses, leaf first.
    pub fn intern_addresses(&mut self, process: ProcessId, leaf_first: impl Iterator<Item = u64>) -> StackId {
        let addresses: Vec<u64> = leaf_first.collect();
        addresses.into_iter().rev().fold(StackId(0), |stack, address| {
            let frame = self.frame(process, address);
            self.builder.child(stack, frame)
        })
    }

    /// Returns the number of nodes in the tree of stacks.
    pub fn nodes(&self) -> usize {
        self.builder.stacks.len()
    }

    pub fn finish(self, chains: ChainSteps) -> RawStacks {
        RawStacks { builder: self.builder, addresses: self.addresses, chains }
    }

    fn frame(&mut self, process: ProcessId, address: u64) -> FrameId {
        let Self { frames, addresses, .. } = self;
        let hash = FastBuildHasher::default().hash_one((process, address));
        let same = |&id: &u32| addresses.get(id as usize) == Some(&(process, address));
        if let Some(&id) = frames.find(hash, same) {
            return FrameId(id);
        }
        let id = addresses.len() as u32;
        addresses.push((process, address));
        frames.insert_unique(hash, id, |&id| FastBuildHasher::default().hash_one(addresses.get(id as usize)));
        FrameId(id)
    }

    fn is_stack(&self, stack: StackId, process: ProcessId, bytes: &[u8]) -> bool {
        let stacks = &self.builder.stacks;
        let mut node = stack;
        for address in bytes.chunks_exact(self.pointer_size) {
            let known = stacks.frame(node).and_then(|frame| self.addresses.get(frame.index()));
            if known != Some(&(process, address_of(address))) {
                return false;
            }
            node = stacks.parent(node);
        }
        node == StackId(0)
    }
}

fn address_of(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

fn hash_bytes(process: ProcessId, bytes: &[u8]) -> u64 {
    let mut hasher = FastHasher::default();
    hasher.write_u32(process.0);
    hasher.write(bytes);
    hasher.finish()
}

/// Stacks since the last sequence point, by their IDs in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionStacks {
    /// ID of the first entry of `dense`; IDs that don't continue it are in `sparse`.
    first_id: u32,
    dense: Vec<RegionStack>,
    sparse: FastMap<u32, RegionStack>,
    /// Addresses of stacks that are interned once an event determines their process.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum RegionStack {
    /// Interned.
    Known(StackId),
    /// Byte range in the buffer, with the last process and its interned stack.
    Raw { start: u32, end: u32, last: Option<(ProcessId, StackId)> },
}

impl RegionStacks {
    /// Adds a stack of a trace with one process.
    pub fn add(&mut self, id: u32, stack: StackId) {
        self.insert(id, RegionStack::Known(stack));
    }

    /// Adds a stack whose process is unknown until an event refers to it.
    pub fn add_raw(&mut self, id: u32, bytes: &[u8]) {
        let start = self.bytes.len();
        let Ok(end) = u32::try_from(start + bytes.len()) else { return };
        self.bytes.extend_from_slice(bytes);
        self.insert(id, RegionStack::Raw { start: start as u32, end, last: None });
    }

    fn insert(&mut self, id: u32, stack: RegionStack) {
        if self.dense.is_empty() {
            self.first_id = id;
        }
        let at = id.wrapping_sub(self.first_id) as usize;
        if at == self.dense.len() {
            self.dense.push(stack);
        } else if let Some(place) = self.dense.get_mut(at) {
            *place = stack;
        } else {
            self.sparse.insert(id, stack);
        }
    }

    /// Returns the stack to which an event of `process` refers.
    #[inline]
    pub fn get(
        &mut self,
        id: u32,
        process: impl FnOnce() -> ProcessId,
        interner: &mut StackInterner,
    ) -> Option<StackId> {
        let at = id.wrapping_sub(self.first_id) as usize;
        let stack = match self.dense.get_mut(at) {
            Some(stack) => stack,
            None => self.sparse.get_mut(&id)?,
        };
        match stack {
            RegionStack::Known(stack) => Some(*stack),
            RegionStack::Raw { start, end, last } => {
                let process = process();
                match *last {
                    Some((for_process, stack)) if for_process == process => Some(stack),
                    _ => {
                        let bytes = self.bytes.get(*start as usize..*end as usize)?;
                        let stack = interner.intern(process, bytes);
                        *last = Some((process, stack));
                        Some(stack)
                    }
                }
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.dense.is_empty() && self.sparse.is_empty()
    }

    /// Removes all stacks at a sequence point, which invalidates their IDs.
    pub fn clear(&mut self) {
        self.dense.clear();
        self.sparse.clear();
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(addresses: &[u64]) -> Vec<u8> {
        addresses.iter().flat_map(|address| address.to_le_bytes()).collect()
    }

    #[test]
    fn equal_stacks_are_interned_and_share_callers() {
        let mut interner = StackInterner::new(8);
        let leaf_first = bytes(&[0x30, 0x20, 0x10]);
        let stack = interner.intern(ProcessId(0), &leaf_first);
        assert_eq!(interner.intern(ProcessId(0), &leaf_first), stack);
        let caller = interner.intern(ProcessId(0), &bytes(&[0x20, 0x10]));
        assert_eq!(interner.intern(ProcessId(0), &[]), StackId(0));
        let raw = interner.finish(ChainSteps::default());
        assert_eq!(raw.builder.stacks.parent(stack), caller);
        let addresses: Vec<_> =
            raw.builder.stacks.leaf_to_root(stack).map(|frame| raw.addresses[frame.index()].1).collect();
        assert_eq!(addresses, [0x30, 0x20, 0x10]);
    }

    #[test]
    fn same_address_in_other_process_is_another_frame() {
        let mut interner = StackInterner::new(4);
        let address = 0x1000_u32.to_le_bytes();
        let mut region = RegionStacks::default();
        region.add_raw(5, &address);
        let first = region.get(5, || ProcessId(0), &mut interner);
        let other = region.get(5, || ProcessId(1), &mut interner);
        assert!(first.is_some() && first != other);
        assert_eq!(region.get(5, || ProcessId(0), &mut interner), first);
        assert_eq!(interner.finish(ChainSteps::default()).addresses, [(ProcessId(0), 0x1000), (ProcessId(1), 0x1000)]);
    }

    #[test]
    fn stack_ids_with_gaps_are_valid_until_sequence_point() {
        let mut interner = StackInterner::new(8);
        let mut region = RegionStacks::default();
        for id in [10, 11, u32::MAX, 3, 12] {
            region.add(id, StackId(id));
        }
        for id in [10, 11, u32::MAX, 3, 12] {
            assert_eq!(region.get(id, || ProcessId(0), &mut interner), Some(StackId(id)));
        }
        assert_eq!(region.get(13, || ProcessId(0), &mut interner), None);
        region.clear();
        assert_eq!(region.get(10, || ProcessId(0), &mut interner), None);
    }
}
