//! A bounded cache of file pages, for payloads that are read again.

use crate::nettrace::{ByteSource, SourceError};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Bytes of a page.
const PAGE_BYTES: usize = 256 << 10;
/// A read of so much goes past the pages if the whole source would not fit them: whoever reads so much reads everything,
/// and would only push out what is needed again.
const LARGE_BYTES: usize = 2 * PAGE_BYTES;

/// A source whose last used pages stay in memory.
pub struct PagedSource {
    source: Box<dyn ByteSource>,
    bytes: u64,
    pages: RefCell<Pages>,
}

struct Pages {
    by_number: FxHashMap<u64, Page>,
    capacity: usize,
    clock: u64,
}

struct Page {
    bytes: Box<[u8]>,
    last_use: u64,
}

impl PagedSource {
    /// A cache of at most about `limit_bytes` of `source`.
    pub fn new(source: Box<dyn ByteSource>, limit_bytes: usize) -> Self {
        let capacity = (limit_bytes / PAGE_BYTES).max(2);
        let bytes = source.len();
        Self { source, bytes, pages: RefCell::new(Pages { by_number: FxHashMap::default(), capacity, clock: 0 }) }
    }

    /// Bytes held now.
    pub fn cached_bytes(&self) -> u64 {
        self.pages.borrow().by_number.values().map(|page| page.bytes.len() as u64).sum()
    }

    /// Reads `count` pages from `first` on, as one piece.
    fn load(&self, first: u64, count: u64) -> Result<Vec<u8>, SourceError> {
        let start = first * PAGE_BYTES as u64;
        let length = (self.bytes - start).min(count * PAGE_BYTES as u64) as usize;
        let mut bytes = vec![0; length];
        self.source.read_at(start, &mut bytes)?;
        Ok(bytes)
    }
}

impl Pages {
    /// Drops the page that was not used for longest, if there is no room for another.
    fn make_room(&mut self) {
        if self.by_number.len() >= self.capacity
            && let Some((&oldest, _)) = self.by_number.iter().min_by_key(|(_, page)| page.last_use)
        {
            self.by_number.remove(&oldest);
        }
    }
}

impl ByteSource for PagedSource {
    fn len(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let in_range = offset.checked_add(buffer.len() as u64).is_some_and(|end| end <= self.bytes);
        if !in_range {
            return Err(SourceError::out_of_range(offset, buffer.len() as u64, self.bytes));
        }
        let mut pages = self.pages.borrow_mut();
        let room = pages.capacity as u64;
        if buffer.len() >= LARGE_BYTES && self.bytes > room * PAGE_BYTES as u64 {
            return self.source.read_at(offset, buffer);
        }
        let (mut at, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let (number, inside) = (at / PAGE_BYTES as u64, (at % PAGE_BYTES as u64) as usize);
            if !pages.by_number.contains_key(&number) {
                let needed = ((inside + rest.len()).div_ceil(PAGE_BYTES) as u64).min(room);
                let missing = (number..number + needed).take_while(|page| !pages.by_number.contains_key(page)).count();
                let loaded = self.load(number, missing as u64)?;
                let clock = pages.clock;
                for (page, bytes) in (number..).zip(loaded.chunks(PAGE_BYTES)) {
                    pages.make_room();
                    pages.by_number.insert(page, Page { bytes: bytes.into(), last_use: clock });
                }
            }
            pages.clock += 1;
            let clock = pages.clock;
            let Some(page) = pages.by_number.get_mut(&number) else { break };
            page.last_use = clock;
            let available = page.bytes.get(inside..).unwrap_or_default();
            let count = available.len().min(rest.len());
            let (filled, unfilled) = rest.split_at_mut(count);
            filled.copy_from_slice(&available[..count]);
            (at, rest) = (at + count as u64, unfilled);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn what_is_missing_is_read_at_once() {
        let reads = Rc::new(Cell::new(0));
        let source = Counted { bytes: vec![7; 4 * PAGE_BYTES], reads: reads.clone() };
        let paged = PagedSource::new(Box::new(source), 4 * PAGE_BYTES);
        let mut buffer = vec![0; 3 * PAGE_BYTES];
        paged.read_at(10, &mut buffer).unwrap();
        assert_eq!((reads.get(), paged.cached_bytes()), (1, 4 * PAGE_BYTES as u64));
        paged.read_at(10, &mut buffer).unwrap();
        assert_eq!((reads.get(), buffer), (1, vec![7; 3 * PAGE_BYTES]));
    }

    struct Counted {
        bytes: Vec<u8>,
        reads: Rc<Cell<u32>>,
    }

    impl ByteSource for Counted {
        fn len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
            self.reads.set(self.reads.get() + 1);
            self.bytes.as_slice().read_at(offset, buffer)
        }
    }

    #[test]
    fn reads_cross_pages_and_the_memory_stays_bounded() {
        let bytes: Vec<u8> = (0..5 * PAGE_BYTES / 2).map(|at| (at % 251) as u8).collect();
        let reads = Rc::new(Cell::new(0));
        let source = Counted { bytes: bytes.clone(), reads: reads.clone() };
        let paged = PagedSource::new(Box::new(source), 2 * PAGE_BYTES);
        let mut buffer = vec![0; 2 * PAGE_BYTES];
        paged.read_at(PAGE_BYTES as u64 / 4, &mut buffer).unwrap();
        assert_eq!(buffer, bytes[PAGE_BYTES / 4..][..2 * PAGE_BYTES]);
        assert_eq!((reads.replace(0), paged.cached_bytes()), (1, 0), "a large read leaves nothing behind");
        let mut buffer = vec![0; PAGE_BYTES];
        for start in [0, PAGE_BYTES / 2, bytes.len() - PAGE_BYTES] {
            paged.read_at(start as u64, &mut buffer).unwrap();
            assert_eq!(buffer, bytes[start..start + PAGE_BYTES]);
        }
        assert_eq!(reads.get(), 3);
        assert!(paged.cached_bytes() <= 2 * PAGE_BYTES as u64);
        paged.read_at(bytes.len() as u64 - 1, &mut buffer[..1]).unwrap();
        assert_eq!(reads.get(), 3, "the last page is still there");
        assert!(paged.read_at(bytes.len() as u64, &mut buffer[..1]).is_err());
        assert!(paged.read_at(bytes.len() as u64 - 10, &mut buffer[..11]).is_err());
        assert!(paged.read_at(u64::MAX, &mut buffer).is_err());
    }
}
