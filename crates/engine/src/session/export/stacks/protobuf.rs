//! Writer for the wire format of protocol buffers, limited to the types that profiles need.

/// Message that is being written.
#[derive(Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

/// Wire types.
const VARINT: u64 = 0;
const LENGTH: u64 = 2;

impl Message {
    /// Returns the encoded message.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Clears the message, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Writes a number; 0 is omitted.
    pub(super) fn number(&mut self, field: u64, value: u64) {
        if value != 0 {
            self.varint(field << 3 | VARINT);
            self.varint(value);
        }
    }

    /// Writes several numbers as one field.
    pub(super) fn numbers(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let mut packed = Self::default();
        values.into_iter().for_each(|value| packed.varint(value));
        self.raw(field, &packed.bytes);
    }

    /// Writes a text.
    pub(super) fn text(&mut self, field: u64, text: &str) {
        self.raw(field, text.as_bytes());
    }

    /// Writes a nested message.
    pub(super) fn message(&mut self, field: u64, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.raw(field, &inner.bytes);
    }

    fn raw(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | LENGTH);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}
