//! Bounds-checked reader of little-endian fields.

/// UTF-16 text as in a payload, without its terminating NUL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Utf16Text<'d>(&'d [u8]);

impl<'d> Utf16Text<'d> {
    /// Returns the little-endian bytes. Equal bytes are equal text, so lookups needn't decode them.
    pub fn bytes(self) -> &'d [u8] {
        self.0
    }

    /// Returns whether the text is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the UTF-16 code units.
    pub fn code_units(self) -> impl Iterator<Item = u16> + 'd {
        self.0.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
    }

    /// Returns the characters; lone surrogates become U+FFFD.
    pub fn chars(self) -> impl Iterator<Item = char> + 'd {
        char::decode_utf16(self.code_units()).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Appends the text to `target`.
    pub fn append_to(self, target: &mut String) {
        target.extend(self.chars());
    }
}

impl std::fmt::Display for Utf16Text<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.chars().try_for_each(|character| std::fmt::Write::write_char(formatter, character))
    }
}

impl std::fmt::Debug for Utf16Text<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.to_string())
    }
}

/// Reader of fields from the start of a payload.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'d> {
    rest: &'d [u8],
    pointer_size: u8,
}

impl<'d> Cursor<'d> {
    /// Creates a reader at the start of `payload`. `pointer_size` is 4 or 8 bytes, according to the trace's header.
    pub fn new(payload: &'d [u8], pointer_size: u8) -> Self {
        Self { rest: payload, pointer_size }
    }

    /// Returns the number of remaining bytes.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Reads `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// Reads an address of the traced process.
    pub fn pointer(&mut self) -> Option<u64> {
        if self.pointer_size == 4 { self.u32().map(u64::from) } else { self.u64() }
    }

    pub fn guid(&mut self) -> Option<nettrace::Guid> {
        self.array().map(nettrace::Guid)
    }

    /// Reads a LEB128 number of at most 64 bits.
    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a number of bytes.
    pub fn bytes(&mut self, length: usize) -> Option<&'d [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    /// Reads UTF-8 text after its 16-bit length in bytes. Invalid UTF-8 results in an empty text.
    pub fn counted_text(&mut self) -> Option<&'d str> {
        let length = usize::from(self.u16()?);
        Some(std::str::from_utf8(self.bytes(length)?).unwrap_or_default())
    }

    /// Reads text up to its NUL, which is consumed; `None` if the NUL is missing, because the text is truncated.
    pub fn text(&mut self) -> Option<Utf16Text<'d>> {
        let units = self.rest.chunks_exact(2).position(|unit| unit == [0, 0])?;
        let (text, rest) = self.rest.split_at_checked(units * 2)?;
        self.rest = rest.get(2..)?;
        Some(Utf16Text(text))
    }
}

#[cfg(test)]
pub(super) mod testing {
    /// Returns `text` as UTF-16 with a NUL.
    pub fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_nul_and_lone_surrogates_are_replaced() {
        let mut bytes = testing::utf16("Größe");
        bytes.extend([0x00, 0xd8, 0, 0, 7]);
        let mut cursor = Cursor::new(&bytes, 8);
        assert_eq!(cursor.text().map(|text| text.to_string()), Some("Größe".to_owned()));
        assert_eq!(cursor.text().map(|text| text.to_string()), Some("\u{fffd}".to_owned()));
        assert_eq!(cursor.text(), None);
        assert_eq!(cursor.u8(), Some(7));
    }

    #[test]
    fn pointers_have_process_width() {
        let bytes = [1, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(Cursor::new(&bytes, 4).pointer(), Some(1));
        assert_eq!(Cursor::new(&bytes, 8).pointer(), Some(0x2_0000_0001));
        assert_eq!(Cursor::new(&bytes[..3], 4).pointer(), None);
    }
}
