//! Bounds-checked reader that tracks its offset in the file.

use crate::error::{Error, ErrorKind, Result};
use crate::listener::terms;
use crate::listener::terms::Term;
use crate::listener::{Off, PartValue, Trace};
use crate::wire::guid::Guid;
use crate::wire::varint;

/// Reads little-endian values from a slice of the file, and reports each of them to a [`Trace`].
///
/// The reader moves a position over a fixed slice instead of shrinking the slice, so the loop over event headers stores
/// only one number per event.
#[derive(Clone, Debug)]
pub(crate) struct ByteReader<'d, T: Trace = Off> {
    data: &'d [u8],
    position: usize,
    /// Absolute offset of the slice.
    base: u64,
    trace: T,
}

impl<'d> ByteReader<'d> {
    /// Reads `data`, whose first byte is at the absolute offset `offset`.
    #[cfg(test)]
    pub fn new(data: &'d [u8], offset: u64) -> Self {
        Self::traced(data, offset, Off)
    }
}

impl<'d, T: Trace> ByteReader<'d, T> {
    /// Reads `data`, whose first byte is at the absolute offset `offset`, and reports the terms.
    pub fn traced(data: &'d [u8], offset: u64, trace: T) -> Self {
        Self { data, position: 0, base: offset, trace }
    }

    /// Returns the listener.
    #[inline]
    pub fn trace(&self) -> T {
        self.trace
    }

    /// Returns a reader of the unread bytes without a listener.
    pub fn untraced(&self) -> ByteReader<'d> {
        self.fork().with_trace(Off)
    }

    /// Returns the same reader with another listener.
    pub fn with_trace<U: Trace>(self, trace: U) -> ByteReader<'d, U> {
        ByteReader { data: self.data, position: self.position, base: self.base, trace }
    }

    /// Returns the absolute offset of the next byte.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Returns the absolute offset of the end.
    pub fn end(&self) -> u64 {
        self.base + self.data.len() as u64
    }

    /// Returns the unread bytes.
    #[inline]
    pub fn rest(&self) -> &'d [u8] {
        self.data.get(self.position..).unwrap_or_default()
    }

    /// Returns the number of unread bytes.
    pub fn remaining(&self) -> usize {
        self.rest().len()
    }

    /// Returns whether all bytes were read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.position >= self.data.len()
    }

    /// Skips all unread bytes.
    pub fn skip_rest(&mut self) {
        self.position = self.data.len();
    }

    /// Skips all unread bytes because of an error.
    #[cold]
    pub fn give_up(&mut self, error: &Error) {
        self.trace.unreadable(self.end(), error);
        self.skip_rest();
    }

    /// Returns a reader of the unread bytes. Unlike a clone, it doesn't copy the recently stored position, which would
    /// stall the loop over event headers.
    #[inline]
    pub fn fork(&self) -> Self {
        Self::traced(self.rest(), self.offset(), self.trace)
    }

    /// Moves to the position of `ahead`, a fork of this reader.
    #[inline]
    pub fn catch_up(&mut self, ahead: &Self) {
        self.position += ahead.position;
    }

    /// Begins a part that extends to [`ByteReader::close`].
    #[inline]
    pub fn open(&self, term: &'static Term) -> usize {
        self.trace.open(term, self.offset())
    }

    /// Ends a part.
    #[inline]
    pub fn close(&self, opened: usize) {
        self.trace.close(opened, self.offset());
    }

    /// Reads the next `count` bytes. The caller must report them.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'d [u8]> {
        match self.rest().get(..count) {
            Some(head) => {
                self.position += count;
                Ok(head)
            }
            None => Err(self.too_short(count)),
        }
    }

    /// Reads the next `count` bytes, reported as raw bytes.
    #[inline]
    pub fn raw(&mut self, term: &'static Term, count: usize) -> Result<&'d [u8]> {
        let start = self.offset();
        let bytes = self.take(count)?;
        if count > 0 {
            self.trace.leaf(term, start, count, || PartValue::Raw);
        }
        Ok(bytes)
    }

    /// Returns a reader of the next `count` bytes, which this reader skips.
    #[inline]
    pub fn section(&mut self, count: usize) -> Result<Self> {
        let offset = self.offset();
        Ok(Self::traced(self.take(count)?, offset, self.trace))
    }

    #[cold]
    fn too_short(&self, count: usize) -> Error {
        Error::eof((count - self.remaining()) as u64, self.end())
    }

    #[inline]
    fn array<const N: usize>(
        &mut self,
        term: &'static Term,
        reading: impl FnOnce([u8; N]) -> PartValue,
    ) -> Result<[u8; N]> {
        match self.rest().first_chunk::<N>() {
            Some(head) => {
                self.trace.leaf(term, self.offset(), N, || reading(*head));
                self.position += N;
                Ok(*head)
            }
            None => Err(self.too_short(N)),
        }
    }

    /// Reads one byte.
    #[inline]
    pub fn u8(&mut self, term: &'static Term) -> Result<u8> {
        self.array::<1>(term, |[byte]| PartValue::Unsigned(byte.into())).map(|[byte]| byte)
    }

    /// Reads two bytes, unsigned.
    #[inline]
    pub fn u16(&mut self, term: &'static Term) -> Result<u16> {
        self.array(term, |bytes| PartValue::Unsigned(u16::from_le_bytes(bytes).into())).map(u16::from_le_bytes)
    }

    /// Reads three bytes, unsigned.
    pub fn u24(&mut self, term: &'static Term) -> Result<u32> {
        let number = |[low, middle, high]: [u8; 3]| u32::from_le_bytes([low, middle, high, 0]);
        self.array(term, |bytes| PartValue::Unsigned(number(bytes).into())).map(number)
    }

    /// Reads four bytes, unsigned.
    #[inline]
    pub fn u32(&mut self, term: &'static Term) -> Result<u32> {
        self.array(term, |bytes| PartValue::Unsigned(u32::from_le_bytes(bytes).into())).map(u32::from_le_bytes)
    }

    /// Reads eight bytes, unsigned.
    #[inline]
    pub fn u64(&mut self, term: &'static Term) -> Result<u64> {
        self.array(term, |bytes| PartValue::Unsigned(u64::from_le_bytes(bytes))).map(u64::from_le_bytes)
    }

    /// Reads eight bytes, signed.
    #[inline]
    pub fn i64(&mut self, term: &'static Term) -> Result<i64> {
        self.array(term, |bytes| PartValue::Signed(i64::from_le_bytes(bytes))).map(i64::from_le_bytes)
    }

    /// Reads sixteen bytes.
    #[inline]
    pub fn guid(&mut self, term: &'static Term) -> Result<Guid> {
        self.array(term, |bytes| PartValue::Guid(Guid(bytes))).map(Guid)
    }

    /// Reads a varint of at most 32 bits.
    #[inline]
    pub fn var_u32(&mut self, term: &'static Term) -> Result<u32> {
        match varint::read_u32(self.rest()) {
            Some((value, length)) => {
                self.trace.leaf(term, self.offset(), length, || PartValue::Varint(value.into()));
                self.position += length;
                Ok(value)
            }
            None => Err(self.bad_varint(5)),
        }
    }

    /// Reads a varint of at most 64 bits.
    #[inline]
    pub fn var_u64(&mut self, term: &'static Term) -> Result<u64> {
        match varint::read_u64(self.rest()) {
            Some((value, length)) => {
                self.trace.leaf(term, self.offset(), length, || PartValue::Varint(value));
                self.position += length;
                Ok(value)
            }
            None => Err(self.bad_varint(10)),
        }
    }

    #[cold]
    fn bad_varint(&self, longest: usize) -> Error {
        if varint::is_cut(self.rest(), longest) {
            Error::eof(1, self.end())
        } else {
            Error::new(ErrorKind::VarintOverflow, self.offset())
        }
    }

    /// Reads UTF-16 up to a NUL. Lone surrogates become U+FFFD.
    pub fn utf16_name(&mut self, term: &'static Term) -> Result<String> {
        let units = self.rest().chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let Some(length) = units.clone().position(|unit| unit == 0) else {
            return Err(Error::eof(2 - (self.remaining() % 2) as u64, self.end()));
        };
        let name: String =
            char::decode_utf16(units.take(length)).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        let start = self.offset();
        self.take(2 * length + 2)?;
        self.trace.leaf(term, start, 2 * length + 2, || PartValue::Utf16(name.clone()));
        Ok(name)
    }

    /// Reads UTF-8 after its length as a varint (version 6). Ill-formed bytes become U+FFFD.
    pub fn utf8_name(&mut self, term: &'static Term) -> Result<String> {
        let length = self.var_u32(terms::STRING_LENGTH)?;
        self.utf8(term, length as usize)
    }

    /// Reads ASCII text of `length` bytes.
    pub fn ascii(&mut self, term: &'static Term, length: usize) -> Result<&'d [u8]> {
        let start = self.offset();
        let bytes = self.take(length)?;
        self.trace.leaf(term, start, length, || PartValue::Utf8(String::from_utf8_lossy(bytes).into_owned()));
        Ok(bytes)
    }

    /// Reads UTF-8 text of `length` bytes. Ill-formed bytes become U+FFFD.
    pub fn utf8(&mut self, term: &'static Term, length: usize) -> Result<String> {
        let start = self.offset();
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        if length > 0 {
            self.trace.leaf(term, start, length, || PartValue::Utf8(text.clone()));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listener::terms::PADDING;

    #[test]
    fn read_error_has_end_of_data() {
        let mut reader = ByteReader::new(&[1, 2, 3], 100);
        assert_eq!(reader.u16(PADDING).unwrap(), 0x0201);
        assert_eq!(reader.offset(), 102);
        let error = reader.u32(PADDING).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (&ErrorKind::UnexpectedEof { needed: 3 }, 103));
        assert_eq!(reader.u8(PADDING).unwrap(), 3, "a failed read consumes nothing");
    }

    #[test]
    fn name_with_lone_surrogate_is_read() {
        let mut reader = ByteReader::new(&[0x41, 0, 0x00, 0xD8, 0, 0, 0x42, 0], 0);
        assert_eq!(reader.utf16_name(PADDING).unwrap(), "A\u{FFFD}");
        assert!(reader.utf16_name(PADDING).is_err(), "no NUL");
    }
}
