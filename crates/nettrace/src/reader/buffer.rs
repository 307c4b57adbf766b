//! Buffer between a source and the parser.

use std::io::{self, ErrorKind, Read};

/// Initial size of the buffer. Larger than most blocks.
const CHUNK_BYTES: usize = 256 << 10;

/// Source with its bytes that have been read but not consumed.
pub(super) struct Buffer<R> {
    source: R,
    /// Memory, of which `start..end` has been read but not consumed.
    space: Vec<u8>,
    start: usize,
    end: usize,
    /// Absolute offset of the first unconsumed byte.
    offset: u64,
    is_at_end: bool,
}

impl<R> Buffer<R> {
    /// Creates an empty buffer.
    pub fn new(source: R) -> Self {
        Self { source, space: Vec::new(), start: 0, end: 0, offset: 0, is_at_end: false }
    }

    /// Returns the unconsumed bytes.
    pub fn data(&self) -> &[u8] {
        self.space.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the absolute offset of the first unconsumed byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns whether the source has no more bytes.
    pub fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Removes bytes from the front.
    pub fn consume(&mut self, bytes: usize) {
        self.start = self.end.min(self.start + bytes);
        self.offset += bytes as u64;
    }

    /// Makes room after the unconsumed bytes. The memory grows with the actual data, not with the declared size of a
    /// damaged block.
    fn make_room(&mut self) {
        if self.space.is_empty() {
            self.space = vec![0; CHUNK_BYTES];
        }
        if self.end == self.space.len() && self.start > 0 {
            self.space.copy_within(self.start.., 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.space.len() {
            self.space.resize(2 * self.end, 0);
        }
    }
}

impl<R: Read> Buffer<R> {
    /// Reads until there are `wanted` unconsumed bytes, or the source ends.
    pub fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while self.end - self.start < wanted && !self.is_at_end {
            self.make_room();
            match self.source.read(self.space.get_mut(self.end..).unwrap_or_default()) {
                Ok(0) => self.is_at_end = true,
                Ok(read) => self.end = self.space.len().min(self.end + read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source that is interrupted, returns one byte at a time, and fails at its end.
    struct Slow(u8);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                10.. => Err(ErrorKind::ConnectionReset.into()),
                step if step % 3 == 0 => Err(ErrorKind::Interrupted.into()),
                step => {
                    buffer[0] = step;
                    Ok(1)
                }
            }
        }
    }

    #[test]
    fn fill_reads_requested_bytes() {
        let mut buffer = Buffer::new(Slow(0));
        buffer.fill(3).unwrap();
        assert_eq!(buffer.data(), [1, 2, 4]);
        buffer.consume(2);
        buffer.fill(2).unwrap();
        assert_eq!((buffer.data(), buffer.offset()), (&[4, 5][..], 2));
        assert!(buffer.fill(9).is_err());
        assert_eq!(buffer.data(), [4, 5, 7, 8], "bytes before the failure stay");
    }

    #[test]
    fn fill_stops_at_end_of_source() {
        let mut buffer = Buffer::new(&b"abc"[..]);
        buffer.fill(10).unwrap();
        assert_eq!((buffer.data(), buffer.is_at_end()), (&b"abc"[..], true));
    }
}
