//! Payloads of many rows, read from the file in few large ranges, which a slow source can fetch ahead of time.

use nettrace::{ByteSource, SourceError};
use protocol::base::sort::sort_by_key;
use std::ops::Range;

/// Maximum gap between two payloads that is read instead of skipped. Requesting a range of a file from a browser costs
/// as much as copying about 300 KB.
const SKIPPED_BYTES: u64 = 256 << 10;
/// Maximum size of a range, unless a single payload is larger.
const PIECE_BYTES: u64 = 4 << 20;
/// Bits of a row's number. Above them is the offset of its payload, within the first terabyte of a file.
const ROW_BITS: u32 = 24;

/// Bytes to announce ahead of the current read, enough to keep a disk busy.
pub const AHEAD_BYTES: u64 = 8 << 20;

/// Result of a step of long work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Done,
    /// More work is left.
    More,
    /// Work can continue once the announced bytes are available.
    Waiting,
}

/// Collects payloads of rows that are close to each other, then reads them.
#[derive(Debug, Default)]
pub struct PayloadBatches {
    /// Offset of the payload and number of the row, combined into one number for sorting.
    keys: Vec<u64>,
    lengths: Vec<u32>,
    /// Ranges to read at once, with the number of payloads in each.
    pieces: Vec<(Range<u64>, usize)>,
    /// Number of ranges done.
    pieces_done: usize,
    /// Number of payloads of the current range done; if 0, the range isn't read yet.
    piece_payloads_done: usize,
    payloads_done: usize,
}

impl PayloadBatches {
    /// Adds the payload of a row, each row at most once. The caller numbers rows below 16 million.
    pub fn add(&mut self, offset: u64, length: u32, row: usize) {
        self.keys.push(offset << ROW_BITS | row as u64);
        if self.lengths.len() <= row {
            self.lengths.resize(row + 1, 0);
        }
        self.lengths[row] = length;
    }

    /// Returns whether no payload was added.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Plans the ranges, once all payloads are added.
    pub fn plan(&mut self) {
        sort_by_key(&mut self.keys, |key| *key);
        let mut rest = self.keys.as_slice();
        while let Some(&first) = rest.first() {
            let start = self.range_of(first).start;
            let mut end = start;
            let count = rest.iter().take_while(|&&key| {
                let payload = self.range_of(key);
                let longer = end.max(payload.end);
                let belongs = end == start || (payload.start <= end + SKIPPED_BYTES && longer - start <= PIECE_BYTES);
                end = if belongs { longer } else { end };
                belongs
            });
            let count = count.count();
            self.pieces.push((start..end, count));
            rest = rest.get(count..).unwrap_or_default();
        }
    }

    /// Announces the plan to the source if `may_wait`. Returns the bytes that the announcement and the plan use, at
    /// least one.
    pub fn announce(&self, source: &dyn ByteSource, may_wait: bool) -> u64 {
        let held = 1 + 8 * self.keys.len() as u64 + 4 * self.lengths.len() as u64;
        if !may_wait {
            return held;
        }
        self.pieces.iter().for_each(|(range, _)| source.announce(range.clone()));
        held + self.pieces.iter().map(|(range, _)| range.end - range.start).sum::<u64>()
    }

    /// Returns whether the next range was announced and isn't available yet.
    pub fn is_coming(&self, source: &dyn ByteSource) -> bool {
        let next = self.pieces.get(self.pieces_done).filter(|_| self.piece_payloads_done == 0);
        next.is_some_and(|(range, _)| source.is_coming(range.clone()))
    }

    /// Calls `visit(payload, row)` with the next payloads of the plan in file order, at most `most` of one range.
    /// Returns whether those were the last. `buffer` contains the range, and must be the same until the end.
    ///
    /// # Errors
    /// If a payload can't be read.
    pub fn visit(
        &mut self,
        source: &dyn ByteSource,
        buffer: &mut Vec<u8>,
        most: usize,
        mut visit: impl FnMut(&[u8], usize),
    ) -> Result<bool, SourceError> {
        let Some((range, count)) = self.pieces.get(self.pieces_done).cloned() else { return Ok(true) };
        if self.piece_payloads_done == 0 {
            read(source, &range, buffer)?;
        }
        let now = (count - self.piece_payloads_done).min(most);
        for &key in self.keys.get(self.payloads_done..self.payloads_done + now).unwrap_or_default() {
            let payload = self.range_of(key);
            let inside = (payload.start - range.start) as usize..(payload.end - range.start) as usize;
            visit(buffer.get(inside).unwrap_or_default(), row_of(key));
        }
        self.payloads_done += now;
        self.piece_payloads_done += now;
        if self.piece_payloads_done == count {
            self.pieces_done += 1;
            self.piece_payloads_done = 0;
        }
        Ok(self.pieces_done == self.pieces.len())
    }

    /// Returns the payload's range in the file.
    fn range_of(&self, key: u64) -> Range<u64> {
        let start = key >> ROW_BITS;
        start..start + u64::from(self.lengths.get(row_of(key)).copied().unwrap_or(0))
    }
}

/// Fills `buffer` with the bytes of a range.
fn read(source: &dyn ByteSource, range: &Range<u64>, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
    let bytes = range.end - range.start;
    let length = usize::try_from(bytes).unwrap_or(usize::MAX);
    if range.end > source.len() || buffer.try_reserve(length.saturating_sub(buffer.len())).is_err() {
        return Err(SourceError::out_of_range(range.start, bytes, source.len()));
    }
    buffer.resize(length, 0);
    source.read_at(range.start, buffer)
}

fn row_of(key: u64) -> usize {
    (key & ((1 << ROW_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Records the ranges that are read.
    struct Watched {
        bytes: Vec<u8>,
        reads: RefCell<Vec<(u64, usize)>>,
    }

    impl ByteSource for Watched {
        fn len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
            self.reads.borrow_mut().push((offset, buffer.len()));
            self.bytes.as_slice().read_at(offset, buffer)
        }
    }

    #[test]
    fn close_payloads_are_read_together_and_distant_ones_separately() {
        let bytes: Vec<u8> = (0..5_000_000_u32).map(|at| (at % 251) as u8).collect();
        let source = Watched { bytes: bytes.clone(), reads: RefCell::default() };
        let mut pieces = PayloadBatches::default();
        let payloads = [(300, 8, 0), (100, 8, 1), (4_200_000, 10, 2), (0, 0, 3), (600_000, 3_000_000, 4)];
        for (offset, length, row) in payloads {
            pieces.add(offset, length, row);
        }
        let mut seen = Vec::new();
        pieces.plan();
        let mut buffer = Vec::new();
        let mut visit = || {
            pieces.visit(&source, &mut buffer, 3, |payload, row| {
                let (offset, length, _) = payloads[row];
                assert_eq!(*payload, bytes[offset as usize..][..length as usize]);
                seen.push(row);
            })
        };
        assert_eq!([visit(), visit(), visit(), visit()], [Ok(false), Ok(false), Ok(true), Ok(true)]);
        assert_eq!(seen, [3, 1, 0, 4, 2]);
        assert_eq!(*source.reads.borrow(), [(0, 308), (600_000, 3_000_000), (4_200_000, 10)]);
    }

    #[test]
    fn payload_beyond_end_is_an_error() {
        let source = vec![0_u8; 100];
        let mut pieces = PayloadBatches::default();
        pieces.add(99, 2, 0);
        pieces.plan();
        assert!(pieces.visit(&source, &mut Vec::new(), 9, |_, _| panic!("there is nothing")).is_err());
    }
}
