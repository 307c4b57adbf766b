//! Copies of the payloads that analyses read for every event of a type, made while the file is read.

use crate::model::out_of_memory::{OutOfMemory, reserve, reserve_exact};
use std::rc::Rc;

/// Size of a block of the arena. Memory grows by whole blocks, so data is never moved.
const BLOCK_BYTES: usize = 256 * 1024;

/// Maximum number of copied bytes. Further payloads are read from the file, through the page cache.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Limits of [`Keep::IfSmall`]: size of one payload, and total size including offsets.
const SMALL_BYTES: usize = 1024;
const MAX_SMALL_BYTES: u64 = 32 * 1024 * 1024;

/// Payloads of a type that are copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// All payloads. The type is rare, and requests that can't wait for the file read them.
    Always,
    /// Small payloads, up to a total limit. Requests wait for the rest.
    IfSmall,
}

/// Copies of payloads, by their offset in the file.
#[derive(Clone, Debug, Default)]
pub struct CopiedPayloads {
    /// Full blocks, shared by copies.
    blocks: Vec<Rc<Vec<u8>>>,
    places: Vec<Place>,
    bytes: u64,
    /// Bytes that were copied with [`Keep::IfSmall`].
    small_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    payload_offset: u64,
    block: u32,
    start: u32,
}

impl CopiedPayloads {
    /// Returns the copy of the payload at an offset of the file, if there is one.
    pub fn get(&self, payload_offset: u64, payload_length: u32) -> Option<&[u8]> {
        let at = self.places.binary_search_by_key(&payload_offset, |place| place.payload_offset).ok()?;
        let place = self.places.get(at)?;
        let start = place.start as usize;
        self.blocks.get(place.block as usize)?.get(start..start + payload_length as usize)
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn heap_bytes(&self) -> u64 {
        let blocks: usize = self.blocks.iter().map(|block| block.capacity()).sum();
        (blocks + self.places.capacity() * size_of::<Place>()) as u64
    }

    /// Copies a payload. Offsets must ascend; other payloads, and those beyond the limit, stay in the file.
    pub(crate) fn keep(&mut self, keep: Keep, payload_offset: u64, payload: &[u8]) -> Result<(), OutOfMemory> {
        if keep == Keep::IfSmall {
            let bytes = (payload.len() + size_of::<Place>()) as u64;
            if payload.len() > SMALL_BYTES || self.small_bytes + bytes > MAX_SMALL_BYTES {
                return Ok(());
            }
            self.small_bytes += bytes;
        }
        let ascends = self.places.last().is_none_or(|last| last.payload_offset < payload_offset);
        self.bytes += payload.len() as u64;
        if !ascends || self.bytes > MAX_BYTES {
            return Ok(());
        }
        let fits = |block: &&mut Vec<u8>| block.capacity() - block.len() >= payload.len();
        if self.blocks.last_mut().and_then(Rc::get_mut).filter(fits).is_none() {
            let mut block = Vec::new();
            reserve_exact(&mut block, payload.len().max(BLOCK_BYTES))?;
            reserve(&mut self.blocks, 1)?;
            self.blocks.push(Rc::new(block));
        }
        let block_number = self.blocks.len() as u32 - 1;
        let Some(block) = self.blocks.last_mut().and_then(Rc::get_mut) else { return Ok(()) };
        reserve(&mut self.places, 1)?;
        self.places.push(Place { payload_offset, block: block_number, start: block.len() as u32 });
        block.extend_from_slice(payload);
        Ok(())
    }

    /// Frees unused memory of the last block and the list.
    pub(crate) fn shrink(&mut self) {
        self.blocks.last_mut().and_then(Rc::get_mut).map(Vec::shrink_to_fit);
        self.places.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_of_any_size_are_found_by_offset() -> Result<(), OutOfMemory> {
        let mut kept = CopiedPayloads::default();
        let large = vec![7; 3 * BLOCK_BYTES];
        kept.keep(Keep::Always, 100, b"first")?;
        kept.keep(Keep::Always, 2_000, &large)?;
        // Copies are unaffected by later additions.
        let copy = kept.clone();
        kept.keep(Keep::Always, 9_000_000, b"last")?;
        assert_eq!((copy.get(100, 5), copy.get(9_000_000, 4)), (Some(b"first".as_slice()), None));
        kept.shrink();
        assert_eq!(kept.get(100, 5), Some(b"first".as_slice()));
        assert_eq!(kept.get(2_000, large.len() as u32), Some(large.as_slice()));
        assert_eq!(kept.get(9_000_000, 4), Some(b"last".as_slice()));
        assert_eq!((kept.get(101, 5), kept.get(9_000_000, 5)), (None, None));
        Ok(())
    }

    #[test]
    fn small_payloads_are_copied_up_to_limit() -> Result<(), OutOfMemory> {
        let mut kept = CopiedPayloads::default();
        kept.keep(Keep::IfSmall, 10, &[1; SMALL_BYTES + 1])?;
        assert!(kept.is_empty(), "it is not small");
        for at in 0..200_000 {
            kept.keep(Keep::IfSmall, 1_000 * (at + 1), &[2; SMALL_BYTES])?;
        }
        let most = MAX_SMALL_BYTES as usize / (SMALL_BYTES + size_of::<Place>());
        assert_eq!(kept.len(), most);
        kept.keep(Keep::Always, 1_000_000_000, b"needed")?;
        assert_eq!(kept.get(1_000_000_000, 6), Some(b"needed".as_slice()), "others are kept all the same");
        Ok(())
    }
}
