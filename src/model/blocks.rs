//! The block directory: where each block of the file lies and what time it covers.

use super::sort::sort_by_key;
use crate::nettrace::{BlockInfo, BlockKind};

/// A block of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// What it holds.
    pub kind: BlockKind,
    /// Absolute position of the first byte of its framing.
    pub offset: u64,
    /// Its bytes with framing.
    pub bytes: u64,
    /// Events, metadata records, stacks or rows in it.
    pub items: u32,
    /// Smallest ticks of its events; 0 if it has none.
    pub min_ticks: i64,
    /// Largest ticks of its events; 0 if it has none.
    pub max_ticks: i64,
}

impl Block {
    /// A block without times.
    pub(crate) fn new(info: BlockInfo, items: u32) -> Self {
        Self { kind: info.kind, offset: info.offset, bytes: info.bytes, items, min_ticks: 0, max_ticks: 0 }
    }
}

/// Blocks of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockTotals {
    /// Kind.
    pub kind: BlockKind,
    /// Blocks.
    pub count: u64,
    /// Their bytes with framing.
    pub bytes: u64,
    /// What they hold.
    pub items: u64,
}

/// All blocks in file order.
#[derive(Clone, Debug, Default)]
pub struct BlockDirectory {
    blocks: Vec<Block>,
}

impl BlockDirectory {
    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that a position of the file lies in.
    pub fn at(&self, offset: u64) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.offset <= offset);
        self.blocks.get(after.checked_sub(1)?).filter(|block| offset - block.offset < block.bytes)
    }

    /// Sums by kind.
    pub fn totals(&self) -> Vec<BlockTotals> {
        let mut totals: Vec<BlockTotals> = Vec::new();
        for block in &self.blocks {
            let of_kind = totals.iter().position(|total| total.kind == block.kind).unwrap_or_else(|| {
                totals.push(BlockTotals { kind: block.kind, count: 0, bytes: 0, items: 0 });
                totals.len() - 1
            });
            if let Some(total) = totals.get_mut(of_kind) {
                total.count += 1;
                total.bytes += block.bytes;
                total.items += u64::from(block.items);
            }
        }
        sort_by_key(&mut totals, |total| total.kind);
        totals
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.blocks.capacity() * size_of::<Block>()) as u64
    }

    pub(crate) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }
}
