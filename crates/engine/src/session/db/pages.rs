//! Size-limited cache of file pages, for payloads that are read repeatedly.

use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;

/// Size of a page in bytes. Small, because rows sorted by other columns are spread over the file.
const PAGE_BYTES: usize = 64 << 10;
/// Minimum size of a read that bypasses the cache if the source doesn't fit into it. Such reads scan everything, and
/// would evict pages that are needed again.
const LARGE_BYTES: u64 = 128 << 10;

/// Source with a cache of recently used pages.
pub struct PagedSource {
    source: Box<dyn ByteSource>,
    bytes: u64,
    pages: RefCell<Pages>,
}

struct Pages {
    by_number: FastMap<u64, Page>,
    /// Pages in order of insertion, for second-chance eviction.
    rounds: VecDeque<u64>,
    capacity: usize,
}

struct Page {
    bytes: Box<[u8]>,
    is_used: bool,
}

impl PagedSource {
    /// Creates a cache of about `limit_bytes` for `source`.
    pub fn new(source: Box<dyn ByteSource>, limit_bytes: usize) -> Self {
        let capacity = (limit_bytes / PAGE_BYTES).max(2);
        let bytes = source.len();
        let pages = Pages { by_number: FastMap::default(), rounds: VecDeque::new(), capacity };
        Self { source, bytes, pages: RefCell::new(pages) }
    }

    /// Returns a view of the source for reading everything once. It adds no pages, so it evicts none.
    pub fn bypass_cache(&self) -> UncachedSource<'_> {
        UncachedSource(self)
    }

    /// Returns the size of the cached pages in bytes.
    pub fn cached_bytes(&self) -> u64 {
        self.pages.borrow().by_number.values().map(|page| page.bytes.len() as u64).sum()
    }

    /// Returns the part of `range` to read from the source.
    fn missing(&self, range: Range<u64>) -> Option<Range<u64>> {
        let pages = self.pages.borrow();
        let end = range.end.min(self.bytes);
        if pages.are_passed_by(end.saturating_sub(range.start), self.bytes) {
            return Some(range.start..end);
        }
        let page_bytes = PAGE_BYTES as u64;
        let mut missing = (range.start / page_bytes..end.div_ceil(page_bytes))
            .filter(|number| !pages.by_number.contains_key(number))
            .map(|number| number * page_bytes..((number + 1) * page_bytes).min(self.bytes));
        let first = missing.next()?;
        let end = missing.last().map_or(first.end, |last| last.end);
        Some(first.start..end)
    }

    /// Reads `count` pages, starting at `first`, with one read.
    fn load(&self, first: u64, count: u64) -> Result<Vec<u8>, SourceError> {
        let start = first * PAGE_BYTES as u64;
        let length = (self.bytes - start).min(count * PAGE_BYTES as u64) as usize;
        let mut bytes = vec![0; length];
        self.source.read_at(start, &mut bytes)?;
        Ok(bytes)
    }
}

impl Pages {
    /// Returns whether a read of this size bypasses the cache.
    fn are_passed_by(&self, read_bytes: u64, source_bytes: u64) -> bool {
        read_bytes >= LARGE_BYTES && source_bytes > (self.capacity * PAGE_BYTES) as u64
    }

    fn insert(&mut self, number: u64, bytes: &[u8]) {
        while self.by_number.len() >= self.capacity
            && let Some(oldest) = self.rounds.pop_front()
        {
            let is_used = self.by_number.get_mut(&oldest).is_some_and(|page| std::mem::take(&mut page.is_used));
            if is_used {
                self.rounds.push_back(oldest);
            } else {
                self.by_number.remove(&oldest);
            }
        }
        self.by_number.insert(number, Page { bytes: bytes.into(), is_used: false });
        self.rounds.push_back(number);
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
        if pages.are_passed_by(buffer.len() as u64, self.bytes) {
            return self.source.read_at(offset, buffer);
        }
        let room = pages.capacity as u64;
        let (mut at, mut rest) = (offset, buffer);
        while !rest.is_empty() {
            let (number, inside) = (at / PAGE_BYTES as u64, (at % PAGE_BYTES as u64) as usize);
            if !pages.by_number.contains_key(&number) {
                let needed = ((inside + rest.len()).div_ceil(PAGE_BYTES) as u64).min(room);
                let missing = (number..number + needed).take_while(|page| !pages.by_number.contains_key(page)).count();
                let loaded = self.load(number, missing as u64)?;
                for (page, bytes) in (number..).zip(loaded.chunks(PAGE_BYTES)) {
                    pages.insert(page, bytes);
                }
            }
            let Some(page) = pages.by_number.get_mut(&number) else { break };
            page.is_used = true;
            let available = page.bytes.get(inside..).unwrap_or_default();
            let count = available.len().min(rest.len());
            let (filled, unfilled) = rest.split_at_mut(count);
            filled.copy_from_slice(&available[..count]);
            (at, rest) = (at + count as u64, unfilled);
        }
        Ok(())
    }

    fn announce(&self, range: Range<u64>) {
        if let Some(missing) = self.missing(range) {
            self.source.announce(missing);
        }
    }

    fn is_coming(&self, range: Range<u64>) -> bool {
        self.missing(range).is_some_and(|missing| self.source.is_coming(missing))
    }
}

/// Source that uses cached pages, but adds none.
pub struct UncachedSource<'s>(&'s PagedSource);

impl ByteSource for UncachedSource<'_> {
    fn len(&self) -> u64 {
        self.0.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.saturating_add(buffer.len() as u64);
        match self.0.missing(offset..end) {
            Some(_) => self.0.source.read_at(offset, buffer),
            None => self.0.read_at(offset, buffer),
        }
    }

    fn announce(&self, range: Range<u64>) {
        if self.0.missing(range.clone()).is_some() {
            self.0.source.announce(range);
        }
    }

    fn is_coming(&self, range: Range<u64>) -> bool {
        self.0.missing(range.clone()).is_some() && self.0.source.is_coming(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn uncached_reads_use_pages_and_add_none() {
        let reads = Rc::new(Cell::new(0));
        let source = Counted { bytes: vec![7; 4 * PAGE_BYTES], reads: reads.clone() };
        let paged = PagedSource::new(Box::new(source), 4 * PAGE_BYTES);
        let mut buffer = vec![0; 10];
        paged.bypass_cache().read_at(10, &mut buffer).unwrap();
        assert_eq!((reads.get(), paged.cached_bytes(), &buffer), (1, 0, &vec![7; 10]));
        paged.read_at(10, &mut buffer).unwrap();
        paged.bypass_cache().read_at(20, &mut buffer).unwrap();
        assert_eq!((reads.get(), paged.cached_bytes()), (2, PAGE_BYTES as u64));
        assert!(paged.bypass_cache().read_at(u64::MAX, &mut buffer).is_err());
    }

    #[test]
    fn missing_pages_are_read_in_one_piece() {
        let reads = Rc::new(Cell::new(0));
        let source = Counted { bytes: vec![7; 4 * PAGE_BYTES], reads: reads.clone() };
        let paged = PagedSource::new(Box::new(source), 4 * PAGE_BYTES);
        let mut buffer = vec![0; 3 * PAGE_BYTES];
        paged.read_at(10, &mut buffer).unwrap();
        assert_eq!((reads.get(), paged.cached_bytes()), (1, 4 * PAGE_BYTES as u64));
        paged.read_at(10, &mut buffer).unwrap();
        assert_eq!((reads.get(), buffer), (1, vec![7; 3 * PAGE_BYTES]));
    }

    #[test]
    fn only_missing_pages_are_announced() {
        let announced = Rc::new(RefCell::new(Vec::new()));
        let source = Slow { bytes: 100 * PAGE_BYTES as u64, announced: announced.clone() };
        let paged = PagedSource::new(Box::new(source), 20 * PAGE_BYTES);
        let page = PAGE_BYTES as u64;
        let mut byte = [0];
        paged.read_at(3 * page, &mut byte).unwrap();
        paged.announce(3 * page + 5..3 * page + 10);
        assert!(announced.borrow().is_empty() && !paged.is_coming(3 * page..3 * page + 1));
        paged.announce(4 * page + 5..6 * page - 5);
        let large = 7 * page + 1..7 * page + 1 + LARGE_BYTES;
        paged.announce(large.clone());
        assert_eq!(*announced.borrow(), [4 * page..6 * page, large.clone()]);
        assert!(paged.is_coming(5 * page..5 * page + 1) && paged.is_coming(large));
    }

    /// Source of zeros whose announcements never arrive.
    struct Slow {
        bytes: u64,
        announced: Rc<RefCell<Vec<Range<u64>>>>,
    }

    impl ByteSource for Slow {
        fn len(&self) -> u64 {
            self.bytes
        }

        fn read_at(&self, _: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
            buffer.fill(0);
            Ok(())
        }

        fn announce(&self, range: Range<u64>) {
            self.announced.borrow_mut().push(range);
        }

        fn is_coming(&self, range: Range<u64>) -> bool {
            self.announced.borrow().iter().any(|coming| coming.start <= range.start && range.end <= coming.end)
        }
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
    fn reads_across_pages_stay_within_limit() {
        let bytes: Vec<u8> = (0..5 * PAGE_BYTES + PAGE_BYTES / 2).map(|at| (at % 251) as u8).collect();
        let reads = Rc::new(Cell::new(0));
        let source = Counted { bytes: bytes.clone(), reads: reads.clone() };
        let paged = PagedSource::new(Box::new(source), 2 * PAGE_BYTES);
        let mut buffer = vec![0; LARGE_BYTES as usize];
        paged.read_at(PAGE_BYTES as u64 / 4, &mut buffer).unwrap();
        assert_eq!(buffer, bytes[PAGE_BYTES / 4..][..LARGE_BYTES as usize]);
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

    #[test]
    fn reused_page_is_evicted_last() {
        let reads = Rc::new(Cell::new(0));
        let source = Counted { bytes: vec![7; 9 * PAGE_BYTES], reads: reads.clone() };
        let paged = PagedSource::new(Box::new(source), 3 * PAGE_BYTES);
        let mut byte = [0];
        for page in [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0] {
            paged.read_at(page * PAGE_BYTES as u64, &mut byte).unwrap();
        }
        assert!(reads.get() <= 7, "{} reads: six pages, and the first once more", reads.get());
        assert!(paged.cached_bytes() <= 3 * PAGE_BYTES as u64);
    }
}
