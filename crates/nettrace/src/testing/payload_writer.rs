//! Writer of little-endian values for payloads.

use crate::wire::varint;

/// Writer of little-endian values.
#[derive(Clone, Debug, Default)]
pub struct PayloadWriter {
    bytes: Vec<u8>,
}

impl PayloadWriter {
    /// Creates an empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the written bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends raw bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Appends a number of one byte.
    pub fn u8(self, value: u8) -> Self {
        self.bytes(&[value])
    }

    /// Appends a number of two bytes.
    pub fn u16(self, value: u16) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a number of four bytes.
    pub fn u32(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a signed number of four bytes.
    pub fn i32(self, value: i32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a number of eight bytes.
    pub fn u64(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a signed number of eight bytes.
    pub fn i64(self, value: i64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a double-precision number.
    pub fn f64(self, value: f64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends an address of 4 or 8 bytes.
    pub fn pointer(self, value: u64, pointer_size: u8) -> Self {
        if pointer_size == 4 { self.u32(value as u32) } else { self.u64(value) }
    }

    /// Appends a variable-length number.
    pub fn var_u64(mut self, value: u64) -> Self {
        varint::write(&mut self.bytes, value);
        self
    }

    /// Appends a signed variable-length number in zig-zag encoding.
    pub fn var_i64(self, value: i64) -> Self {
        self.var_u64((value << 1 ^ value >> 63) as u64)
    }

    /// Appends UTF-16 text and a NUL.
    pub fn utf16(self, text: &str) -> Self {
        text.encode_utf16().fold(self, Self::u16).u16(0)
    }

    /// Appends UTF-8 text and a NUL.
    pub fn utf8(self, text: &str) -> Self {
        self.bytes(text.as_bytes()).u8(0)
    }

    /// Appends UTF-8 text after its length as a variable-length number, like the strings of version 6.
    pub fn short_utf8(self, text: &str) -> Self {
        self.var_u64(text.len() as u64).bytes(text.as_bytes())
    }
}
