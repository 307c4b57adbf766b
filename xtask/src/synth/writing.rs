//! Writes events for traces that no program at hand wrote, nettrace 4 (nettrace-v5.md): descriptions, and blocks of events of
//! a kind with compressed headers.

/// The thread that writes the events.
pub(super) const WRITER: u64 = 99;

/// Writes the events of a block, whose headers say only what differs from the event before.
#[derive(Default)]
pub(super) struct EventWriter {
    /// The block's content so far.
    pub(super) content: Vec<u8>,
    sequence: u64,
    is_first: bool,
    ticks: u64,
}

impl EventWriter {
    /// Begins a block; its first event says what all of them have in common.
    pub(super) fn begin(&mut self) {
        self.content = block_header();
        (self.is_first, self.ticks) = (true, 0);
    }

    /// Adds an event; all of a block are of the same kind.
    pub(super) fn event(&mut self, kind: u64, thread: u64, stack: u64, ticks: u64, payload: &[u8]) {
        // Thread, stack and payload's length; at first also what all have in common.
        self.content.push(if self.is_first { 0b1000_1111 } else { 0b1000_1100 });
        if self.is_first {
            self.push(kind);
            self.push(self.sequence);
            self.push(WRITER);
            self.push(0);
        }
        self.push(thread);
        self.push(stack);
        self.push(ticks - self.ticks);
        self.push(payload.len() as u64);
        self.content.extend(payload);
        (self.ticks, self.is_first) = (ticks, false);
        self.sequence += 1;
    }

    fn push(&mut self, value: u64) {
        super::events::push_varint(&mut self.content, value);
    }
}

/// The header of a block of events: its size, compressed headers, no times.
pub(super) fn block_header() -> Vec<u8> {
    let mut head = vec![20, 0, 1, 0];
    head.extend([0; 16]);
    head
}

/// Adds the description of an event without a name and without fields, as the runtime has them.
pub(super) fn push_metadata(content: &mut Vec<u8>, id: u64, provider: &str, event_id: u32, version: u32) {
    let mut record = (id as u32).to_le_bytes().to_vec();
    push_utf16(&mut record, provider);
    record.extend(event_id.to_le_bytes());
    // An empty name, no keywords; version, level, number of fields.
    record.extend([0; 2 + 8]);
    record.extend([version, 4, 0].map(u32::to_le_bytes).concat());
    // Only the payload's length differs from the event before; no time has passed.
    content.extend([0b1000_0000, 0]);
    super::events::push_varint(content, record.len() as u64);
    content.extend(record);
}

/// Adds a NUL-terminated text in UTF-16.
pub(super) fn push_utf16(content: &mut Vec<u8>, text: &str) {
    content.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
}
