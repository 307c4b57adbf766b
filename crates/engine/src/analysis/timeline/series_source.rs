//! Data of series, read once for all filters: bytes of each allocation, and counter payloads that aren't in memory.

use super::allocation_rate::{allocation_event_source, bytes_for};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::Allocation;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;

/// Maximum bytes of counter payloads stored; later ones are read again when needed.
const MAX_BYTES: usize = 32 << 20;

/// Payloads of series read so far.
#[derive(Debug)]
pub struct SeriesPayloads {
    walk: PayloadScan,
    allocation_event: Option<KnownEvent>,
    /// Rows of allocations in order, and the bytes that each represents.
    allocations: Vec<(u32, f64)>,
    /// Offsets of payloads in the file and in `bytes`.
    places: Vec<(u64, u32)>,
    bytes: Vec<u8>,
    pub is_complete: bool,
}

impl SeriesPayloads {
    /// Returns empty data.
    pub fn new(store: &Store) -> Self {
        let allocation_event = allocation_event_source(store).map(|(known, _)| known);
        let types = TypeSet::new(store, |kind| Some(kind.known) == allocation_event || kind.is_counter());
        let is_read = !store.allocation_amounts.are_complete();
        Self {
            walk: PayloadScan::new(store, types, |kind| is_read || Some(kind.known) != allocation_event),
            allocation_event,
            allocations: Vec::new(),
            places: Vec::new(),
            bytes: Vec::new(),
            is_complete: false,
        }
    }

    /// Reads for a few milliseconds. Never returns [`Step::Done`]. Waits for bytes that a source has to fetch if
    /// `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file, or there isn't enough memory.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { walk, allocation_event, allocations, places, bytes, .. } = self;
        let mut is_full = false;
        let step = walk.step(store, source, may_wait, |chunk, row, payload| {
            let kind = store.types.get(chunk.event_type(row));
            if let Some(known) = kind.map(|kind| kind.known).filter(|known| Some(*known) == *allocation_event) {
                is_full |= allocations.try_reserve(1).is_err();
                let amount = match payload {
                    [] => store.allocation_amounts.get(chunk.payload_offset(row)).map(|(bytes, _)| bytes),
                    _ => Allocation::read(known, payload, store.header.pointer_size).map(|one| one.bytes),
                };
                let amount = amount.filter(|_| !is_full);
                allocations.extend(amount.map(|amount| (chunk.event_id(row).0, bytes_for(known, amount))));
            } else if store.kept_payload(&chunk.row(row)).is_none() && bytes.len() + payload.len() <= MAX_BYTES {
                places.push((chunk.payload_offset(row), bytes.len() as u32));
                bytes.extend_from_slice(payload);
            }
        })?;
        if is_full {
            return Err(SourceError::new("Not enough memory to compute the allocation rate of this many events."));
        }
        if step == Step::Done {
            sort_by_key(&mut self.places, |place| *place);
            self.is_complete = true;
            return Ok(Step::More);
        }
        Ok(step)
    }

    /// Reads the rest, and returns the data.
    ///
    /// # Errors
    /// If a payload can't be read from the file, or there isn't enough memory.
    pub fn complete(&mut self, store: &Store, source: &dyn ByteSource) -> Result<&Self, SourceError> {
        while !self.is_complete {
            self.step(store, source, false)?;
        }
        Ok(self)
    }

    /// Returns every allocation event in time order, with the bytes it represents.
    pub fn allocations(&self) -> impl Iterator<Item = (EventId, f64)> + '_ {
        self.allocations.iter().map(|&(row, bytes)| (EventId(row), bytes))
    }

    /// Returns the payload of a counter at this file offset, if it is in memory.
    pub fn payload(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let at = self.places.binary_search_by_key(&offset, |place| place.0).ok()?;
        let start = self.places.get(at)?.1 as usize;
        self.bytes.get(start..start + length)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.allocations.capacity() * size_of::<(u32, f64)>()
            + self.places.capacity() * size_of::<(u64, u32)>()
            + self.bytes.capacity()
    }
}

/// Byte source with counter payloads in memory.
pub struct SeriesSource<'s> {
    pub payloads: &'s SeriesPayloads,
    /// The source of all other bytes.
    pub source: &'s dyn ByteSource,
}

impl ByteSource for SeriesSource<'_> {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        match self.payloads.payload(offset, buffer.len()) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            None => self.source.read_at(offset, buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    /// A file that is no longer available.
    struct Gone(u64);

    impl ByteSource for Gone {
        fn len(&self) -> u64 {
            self.0
        }

        fn read_at(&self, _offset: u64, _buffer: &mut [u8]) -> Result<(), SourceError> {
            Err(SourceError::new("gone"))
        }
    }

    fn allocations(amounts: impl Iterator<Item = u64>) -> (Store, Vec<u8>) {
        store_of(&amounts.enumerate().map(|(at, bytes)| (at as i64, 5, What::Allocate(bytes))).collect::<Vec<_>>())
    }

    fn bytes_of(payloads: &SeriesPayloads) -> f64 {
        payloads.allocations().map(|(_, bytes)| bytes).sum()
    }

    #[test]
    fn allocated_bytes_are_known_without_file() {
        let (store, bytes) = allocations(1..=40_000);
        let mut payloads = SeriesPayloads::new(&store);
        payloads.complete(&store, &Gone(bytes.len() as u64)).expect("nothing is read");
        assert_eq!((payloads.allocations().count(), bytes_of(&payloads)), (40_000, 800_020_000.0));
    }

    #[test]
    fn amounts_not_in_memory_are_read() {
        let (store, bytes) = allocations([1, 5 << 32, 3].into_iter());
        assert!(SeriesPayloads::new(&store).complete(&store, &Gone(bytes.len() as u64)).is_err());
        let mut payloads = SeriesPayloads::new(&store);
        payloads.complete(&store, &bytes).expect("a file");
        assert_eq!((payloads.allocations().count(), bytes_of(&payloads)), (3, (4 + (5_u64 << 32)) as f64));
    }
}
