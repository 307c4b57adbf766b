//! A bounds-checked cursor that knows where in the file it is.

use super::error::{Error, ErrorKind, Result};
use super::guid::Guid;
use super::varint;

/// Reads little-endian values from a slice of the file.
///
/// A position moves over a slice that stays, rather than the slice shrinking: so the loop over event headers stores one
/// number per event.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'d> {
    data: &'d [u8],
    position: usize,
    /// Absolute offset of the slice.
    base: u64,
}

impl<'d> Reader<'d> {
    /// Reads `data`, whose first byte is at the absolute offset `offset`.
    pub fn new(data: &'d [u8], offset: u64) -> Self {
        Self { data, position: 0, base: offset }
    }

    /// Absolute offset of the next byte.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Absolute offset of the end.
    fn end(&self) -> u64 {
        self.base + self.data.len() as u64
    }

    #[inline]
    fn rest(&self) -> &'d [u8] {
        self.data.get(self.position..).unwrap_or_default()
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest().len()
    }

    /// Whether everything was read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.position >= self.data.len()
    }

    /// Leaves nothing to read.
    pub fn skip_rest(&mut self) {
        self.position = self.data.len();
    }

    /// A reader of what is left. Unlike a clone it does not copy the position that was stored a moment ago, which
    /// stalls the loop over event headers.
    #[inline]
    pub fn fork(&self) -> Self {
        Self::new(self.rest(), self.offset())
    }

    /// Moves to where `ahead`, a fork of this reader, is.
    #[inline]
    pub fn catch_up(&mut self, ahead: &Self) {
        self.position += ahead.position;
    }

    /// The next `count` bytes.
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

    /// A reader of the next `count` bytes, which this one skips.
    #[inline]
    pub fn section(&mut self, count: usize) -> Result<Reader<'d>> {
        let offset = self.offset();
        Ok(Reader::new(self.take(count)?, offset))
    }

    #[cold]
    fn too_short(&self, count: usize) -> Error {
        Error::eof((count - self.remaining()) as u64, self.end())
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest().first_chunk::<N>() {
            Some(head) => {
                self.position += N;
                Ok(*head)
            }
            None => Err(self.too_short(N)),
        }
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Two bytes, unsigned.
    #[inline]
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes, unsigned.
    #[inline]
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes, unsigned.
    #[inline]
    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Eight bytes, signed.
    #[inline]
    pub fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_le_bytes)
    }

    /// Sixteen bytes.
    #[inline]
    pub fn guid(&mut self) -> Result<Guid> {
        self.array().map(Guid)
    }

    /// A variable-length number of at most 32 bits.
    #[inline]
    pub fn var_u32(&mut self) -> Result<u32> {
        match varint::read_u32(self.rest()) {
            Some((value, length)) => {
                self.position += length;
                Ok(value)
            }
            None => Err(self.bad_varint(5)),
        }
    }

    /// A variable-length number of at most 64 bits.
    #[inline]
    pub fn var_u64(&mut self) -> Result<u64> {
        match varint::read_u64(self.rest()) {
            Some((value, length)) => {
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

    /// UTF-16 up to a NUL. Lone surrogates become U+FFFD: names are text, unlike payloads.
    pub fn utf16_name(&mut self) -> Result<String> {
        let units = self.rest().chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let Some(length) = units.clone().position(|unit| unit == 0) else {
            return Err(Error::eof(2 - (self.remaining() % 2) as u64, self.end()));
        };
        let name =
            char::decode_utf16(units.take(length)).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.take(2 * length + 2)?;
        Ok(name)
    }

    /// UTF-8 after its length as a variable-length number (version 6). Ill-formed bytes become U+FFFD.
    pub fn utf8_name(&mut self) -> Result<String> {
        let length = self.var_u32()?;
        let bytes = self.take(length as usize)?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_where_the_data_ends() {
        let mut reader = Reader::new(&[1, 2, 3], 100);
        assert_eq!(reader.u16().unwrap(), 0x0201);
        assert_eq!(reader.offset(), 102);
        let error = reader.u32().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (&ErrorKind::UnexpectedEof { needed: 3 }, 103));
        assert_eq!(reader.u8().unwrap(), 3, "a failed read consumes nothing");
    }

    #[test]
    fn names_survive_lone_surrogates() {
        let mut reader = Reader::new(&[0x41, 0, 0x00, 0xD8, 0, 0, 0x42, 0], 0);
        assert_eq!(reader.utf16_name().unwrap(), "A\u{FFFD}");
        assert!(reader.utf16_name().is_err(), "no NUL");
    }
}
