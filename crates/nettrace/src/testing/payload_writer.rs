//! Writes payloads, and everything else that is made of numbers and strings.

use crate::wire::varint;

/// Appends little-endian values.
#[derive(Clone, Debug, Default)]
pub struct PayloadWriter {
    bytes: Vec<u8>,
}

impl PayloadWriter {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Bytes as they are.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// One byte.
    pub fn u8(self, value: u8) -> Self {
        self.bytes(&[value])
    }

    /// Two bytes.
    pub fn u16(self, value: u16) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Four bytes.
    pub fn u32(self, value: u32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Four bytes, signed.
    pub fn i32(self, value: i32) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Eight bytes.
    pub fn u64(self, value: u64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Eight bytes, signed.
    pub fn i64(self, value: i64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Eight bytes, floating point.
    pub fn f64(self, value: f64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// An address, 4 or 8 bytes.
    pub fn pointer(self, value: u64, pointer_size: u8) -> Self {
        if pointer_size == 4 { self.u32(value as u32) } else { self.u64(value) }
    }

    /// A variable-length number.
    pub fn var_u64(mut self, value: u64) -> Self {
        varint::write(&mut self.bytes, value);
        self
    }

    /// A signed variable-length number, zig-zag coded.
    pub fn var_i64(self, value: i64) -> Self {
        self.var_u64((value << 1 ^ value >> 63) as u64)
    }

    /// UTF-16 and a NUL.
    pub fn utf16(self, text: &str) -> Self {
        text.encode_utf16().fold(self, Self::u16).u16(0)
    }

    /// UTF-8 and a NUL.
    pub fn utf8(self, text: &str) -> Self {
        self.bytes(text.as_bytes()).u8(0)
    }

    /// UTF-8 after its length as a variable-length number: the strings of version 6.
    pub fn short_utf8(self, text: &str) -> Self {
        self.var_u64(text.len() as u64).bytes(text.as_bytes())
    }
}
