//! Checksums over all events, to compare two parsers.

use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::{EventId, StackId};

/// Returns the 64-bit FNV-1a hash.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| step(hash, byte))
}

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
}

fn fnv_numbers(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().flat_map(u64::to_le_bytes).fold(OFFSET_BASIS, step)
}

/// Hashes of stacks as in the file: addresses of the pointer size, leaf first. Each is computed once.
pub struct StackHashes<'s> {
    store: &'s Store,
    known: Vec<Option<u64>>,
}

impl<'s> StackHashes<'s> {
    /// Creates an empty cache.
    pub fn new(store: &'s Store) -> Self {
        Self { store, known: vec![None; store.stacks.len()] }
    }

    /// Returns the hash of a stack; 0 for no stack.
    pub fn of(&mut self, stack: StackId) -> u64 {
        if stack.0 == 0 {
            return 0;
        }
        if let Some(Some(hash)) = self.known.get(stack.index()) {
            return *hash;
        }
        let pointer_bytes = usize::from(self.store.header.pointer_size).min(8);
        let frames = self.store.stacks.leaf_to_root(stack);
        let addresses = frames.filter_map(|frame| Some(self.store.frames.get(frame)?.address.to_le_bytes()));
        let hash =
            addresses.fold(OFFSET_BASIS, |hash, address| address.into_iter().take(pointer_bytes).fold(hash, step));
        if let Some(slot) = self.known.get_mut(stack.index()) {
            *slot = Some(hash);
        }
        hash
    }
}

/// Checksums over all events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest {
    /// Hash that depends on the order of events.
    pub ordered: u64,
    /// Hash that doesn't depend on the order of events.
    pub unordered: u64,
}

/// Hashes time, thread, type, payload and stack of every event.
///
/// # Errors
/// Fails if the payloads can't be read.
pub fn digest(store: &Store, source: &dyn ByteSource) -> Result<Digest, SourceError> {
    let mut stacks = StackHashes::new(store);
    let sync_ticks = store.header.sync_ticks;
    let mut digest = Digest { ordered: OFFSET_BASIS, unordered: 0 };
    for number in 0..store.events.len() as u32 {
        let row = store.events.row(EventId(number));
        let payload = store.payload(EventId(number), source)?;
        let hash = fnv_numbers([
            row.ticks.wrapping_add(sync_ticks) as u64,
            store.threads.get(row.thread).map_or(0, |thread| thread.os_thread),
            store.types.get(row.event_type).map_or(0, |event_type| u64::from(event_type.record.metadata_id)),
            fnv(&payload),
            stacks.of(row.stack),
        ]);
        digest.ordered = hash.to_le_bytes().into_iter().fold(digest.ordered, step);
        digest.unordered = digest.unordered.wrapping_add(hash);
    }
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fnv_1a() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv_numbers([0x7261_626f_6f66]), fnv(b"foobar\0\0"));
    }
}
