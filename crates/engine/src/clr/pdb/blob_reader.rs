//! Reader of numbers in metadata: little-endian, and compressed (ECMA-335 II.23.2).

/// Position in bytes. Reads past the end return `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlobReader<'d> {
    rest: &'d [u8],
}

impl<'d> BlobReader<'d> {
    pub fn new(rest: &'d [u8]) -> Self {
        Self { rest }
    }

    /// Creates a reader at an offset.
    pub fn at(data: &'d [u8], offset: usize) -> Option<Self> {
        data.get(offset..).map(Self::new)
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn take(&mut self, length: usize) -> Option<&'d [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// Reads an index of two or four bytes.
    pub fn index(&mut self, is_wide: bool) -> Option<u32> {
        if is_wide { self.u32() } else { self.u16().map(u32::from) }
    }

    /// Reads a zero-terminated text, which is padded to a multiple of four bytes.
    pub fn padded_text(&mut self) -> Option<&'d [u8]> {
        let length = self.rest.iter().position(|&byte| byte == 0)?;
        let text = self.take(length)?;
        self.take((length + 1).next_multiple_of(4) - length)?;
        Some(text)
    }

    /// Reads a compressed unsigned number.
    pub fn compressed(&mut self) -> Option<u32> {
        self.compressed_with_width().map(|(value, _)| value)
    }

    /// Reads a compressed signed number, whose sign is the lowest bit.
    pub fn compressed_signed(&mut self) -> Option<i32> {
        let (value, bits) = self.compressed_with_width()?;
        let size = (value >> 1) as i32;
        Some(if value & 1 == 0 { size } else { size - (1 << (bits - 1)) })
    }

    fn compressed_with_width(&mut self) -> Option<(u32, u32)> {
        let first = u32::from(self.u8()?);
        match first {
            0..0x80 => Some((first, 7)),
            0x80..0xc0 => Some(((first & 0x3f) << 8 | u32::from(self.u8()?), 14)),
            0xc0..0xe0 => {
                let rest = self.take(3)?.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
                Some(((first & 0x1f) << 24 | rest, 29))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of ECMA-335 II.23.2.
    #[test]
    fn compressed_numbers_match_standard() {
        let plain = |bytes: &[u8]| BlobReader::new(bytes).compressed();
        assert_eq!(plain(&[0x03]), Some(3));
        assert_eq!(plain(&[0x7f]), Some(0x7f));
        assert_eq!(plain(&[0x80, 0x80]), Some(0x80));
        assert_eq!(plain(&[0xae, 0x57]), Some(0x2e57));
        assert_eq!(plain(&[0xdf, 0xff, 0xff, 0xff]), Some(0x1fff_ffff));
        assert_eq!((plain(&[0xe0, 0, 0, 0]), plain(&[0x80]), plain(&[])), (None, None, None));
        let signed = |bytes: &[u8]| BlobReader::new(bytes).compressed_signed();
        assert_eq!([signed(&[0x06]), signed(&[0x7b]), signed(&[0x80, 0x80])], [Some(3), Some(-3), Some(64)]);
        assert_eq!([signed(&[0x01]), signed(&[0x80, 0x01])], [Some(-64), Some(-8192)]);
        assert_eq!(signed(&[0xdf, 0xff, 0xff, 0xfe]), Some(268_435_455));
    }
}
