//! A bounded cache of pages of the file, for payloads that are read again.

use crate::nettrace::{ByteSource, SourceError};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Bytes of a page.
const PAGE_BYTES: u64 = 64 * 1024;

/// Reads of this size and more go past the cache: they would push out everything else.
const LARGE_READ_BYTES: usize = 4 * 1024 * 1024;

/// A [`ByteSource`] that keeps the pages that were read last, up to a bound.
#[derive(Debug)]
pub struct CachedSource<S> {
    source: S,
    pages: RefCell<Pages>,
}

#[derive(Debug)]
struct Pages {
    by_number: FxHashMap<u64, Page>,
    most: usize,
    clock: u64,
}

#[derive(Debug)]
struct Page {
    bytes: Vec<u8>,
    last_use: u64,
}

impl<S: ByteSource> CachedSource<S> {
    /// Caches up to 256 MiB of `source`.
    pub fn new(source: S) -> Self {
        Self::with_bound(source, 256 * 1024 * 1024)
    }

    /// Caches up to `bytes` of `source`, at least one page.
    pub fn with_bound(source: S, bytes: u64) -> Self {
        let most = (bytes / PAGE_BYTES).max(1) as usize;
        Self { source, pages: RefCell::new(Pages { by_number: FxHashMap::default(), most, clock: 0 }) }
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        self.pages.borrow().by_number.values().map(|page| page.bytes.capacity() as u64).sum()
    }

    /// What is cached.
    pub fn source(&self) -> &S {
        &self.source
    }

    fn load(&self, number: u64) -> Result<Vec<u8>, SourceError> {
        let start = number * PAGE_BYTES;
        let length = PAGE_BYTES.min(self.source.len().saturating_sub(start));
        let mut bytes = vec![0; length as usize];
        self.source.read_at(start, &mut bytes)?;
        Ok(bytes)
    }
}

impl<S: ByteSource> ByteSource for CachedSource<S> {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.checked_add(buffer.len() as u64).filter(|&end| end <= self.len());
        let out_of_range = || SourceError::out_of_range(offset, buffer.len() as u64, self.len());
        let Some(_) = end else { return Err(out_of_range()) };
        if buffer.len() >= LARGE_READ_BYTES {
            return self.source.read_at(offset, buffer);
        }
        let mut at = offset;
        let mut rest = buffer;
        while !rest.is_empty() {
            let number = at / PAGE_BYTES;
            let inside = (at % PAGE_BYTES) as usize;
            let part = rest.len().min(PAGE_BYTES as usize - inside);
            let (target, after) = rest.split_at_mut(part);
            if !self.pages.borrow_mut().copy(number, inside, target) {
                let page = self.load(number)?;
                let mut pages = self.pages.borrow_mut();
                pages.insert(number, page);
                pages.copy(number, inside, target);
            }
            at += part as u64;
            rest = after;
        }
        Ok(())
    }
}

impl Pages {
    /// Copies a part of a page, if it is here.
    fn copy(&mut self, number: u64, start: usize, target: &mut [u8]) -> bool {
        self.clock += 1;
        let Some(page) = self.by_number.get_mut(&number) else { return false };
        page.last_use = self.clock;
        match page.bytes.get(start..start + target.len()) {
            Some(bytes) => {
                target.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }

    fn insert(&mut self, number: u64, bytes: Vec<u8>) {
        if self.by_number.len() >= self.most {
            self.drop_old();
        }
        self.by_number.insert(number, Page { bytes, last_use: self.clock });
    }

    /// Drops the half that was not used for longest: once for many insertions, instead of a list for each use.
    fn drop_old(&mut self) {
        let mut uses: Vec<u64> = self.by_number.values().map(|page| page.last_use).collect();
        let middle = uses.len() / 2;
        let (_, &mut median, _) = uses.select_nth_unstable(middle);
        self.by_number.retain(|_, page| page.last_use > median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Counts how often it is asked.
    struct Counting {
        bytes: Vec<u8>,
        reads: Cell<u32>,
    }

    impl ByteSource for Counting {
        fn len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
            self.reads.set(self.reads.get() + 1);
            self.bytes.as_slice().read_at(offset, buffer)
        }
    }

    #[test]
    fn a_page_is_read_once_while_it_stays() -> Result<(), SourceError> {
        let bytes: Vec<u8> = (0..5 * PAGE_BYTES + 10).map(|at| (at % 251) as u8).collect();
        let cached = CachedSource::with_bound(Counting { bytes: bytes.clone(), reads: Cell::new(0) }, 2 * PAGE_BYTES);
        let mut buffer = [0; 100];
        let across = PAGE_BYTES as usize - 50;
        for _ in 0..10 {
            cached.read_at(across as u64, &mut buffer)?;
            assert_eq!(buffer, bytes[across..across + 100]);
        }
        assert_eq!(cached.source().reads.get(), 2);
        for page in 0..5 {
            cached.read_at(page * PAGE_BYTES + 7, &mut buffer[..4])?;
            assert_eq!(buffer[..4], bytes[(page * PAGE_BYTES) as usize + 7..][..4]);
            assert!(cached.heap_bytes() <= 2 * PAGE_BYTES);
        }
        cached.read_at(5 * PAGE_BYTES, &mut buffer[..10])?;
        assert!(cached.read_at(5 * PAGE_BYTES, &mut buffer[..11]).is_err());
        assert!(cached.read_at(u64::MAX, &mut buffer).is_err());
        Ok(())
    }
}
