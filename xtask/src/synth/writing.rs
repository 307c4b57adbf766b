//! Writes metadata and events with compressed headers for generated traces in nettrace 4 (nettrace-v5.md).

/// Capture thread of all events.
pub(super) const WRITER: u64 = 99;

/// Writer of the events of a block, whose headers contain only changes from the previous event.
#[derive(Default)]
pub(super) struct EventWriter {
    /// Content of the block so far.
    pub(super) content: Vec<u8>,
    sequence: u64,
    is_first: bool,
    ticks: u64,
}

impl EventWriter {
    /// Begins a block, whose first event contains the common values.
    pub(super) fn begin(&mut self) {
        self.content = block_header();
        (self.is_first, self.ticks) = (true, 0);
    }

    /// Adds an event; all events of a block have the same type.
    pub(super) fn event(&mut self, kind: u64, thread: u64, stack: u64, ticks: u64, payload: &[u8]) {
        // Flags of thread, stack and payload length; for the first event, also of the common values.
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

/// Returns the header of an event block: size, compressed headers, no times.
pub(super) fn block_header() -> Vec<u8> {
    let mut head = vec![20, 0, 1, 0];
    head.extend([0; 16]);
    head
}

/// Adds a metadata record without a name and fields, as for the runtime's events.
pub(super) fn push_metadata(content: &mut Vec<u8>, id: u64, provider: &str, event_id: u32, version: u32) {
    let mut record = (id as u32).to_le_bytes().to_vec();
    push_utf16(&mut record, provider);
    record.extend(event_id.to_le_bytes());
    // Empty name, no keywords; version, level, number of fields.
    record.extend([0; 2 + 8]);
    record.extend([version, 4, 0].map(u32::to_le_bytes).concat());
    // Only the payload length differs from the previous event; the time is the same.
    content.extend([0b1000_0000, 0]);
    super::events::push_varint(content, record.len() as u64);
    content.extend(record);
}

/// Adds a NUL-terminated text in UTF-16.
pub(super) fn push_utf16(content: &mut Vec<u8>, text: &str) {
    content.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
}
