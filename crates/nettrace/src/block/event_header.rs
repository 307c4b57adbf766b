//! Everything an event carries besides its payload, in all versions.

use crate::wire::guid::Guid;

/// One event: its header, and where its payload is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHeader<'d> {
    /// Which metadata record describes this kind of event.
    pub metadata_id: u32,
    /// Counts the events of the capture thread, lost ones included; wraps. 0 in netperf files, which do not count.
    pub sequence: u32,
    /// The thread that wrote the event: an operating system id, in version 6 an index into the thread table.
    pub capture_thread: u64,
    /// The processor it was written on, `u32::MAX` if unknown.
    pub processor: u32,
    /// The thread the event is about: an operating system id, in version 6 an index into the thread table.
    pub thread: u64,
    /// The call stack, 0 for none. Valid within the region between two sequence points.
    pub stack_id: u32,
    /// Raw clock ticks, see [`crate::Header::sync_ticks`].
    pub timestamp: i64,
    /// The activity the event belongs to (up to version 5; version 6 has it in the label list).
    pub activity_id: Guid,
    /// The activity it refers to (up to version 5).
    pub related_activity_id: Guid,
    /// The list of labels, 0 for none (version 6).
    pub label_list: u32,
    /// Whether no later event of the file has an earlier time.
    pub is_sorted: bool,
    /// Absolute offset of the header.
    pub header_offset: u64,
    /// Absolute offset of the payload.
    pub payload_offset: u64,
    /// The payload.
    pub payload: &'d [u8],
    /// Addresses of the call stack, leaf first, each pointer size wide (netperf; otherwise empty).
    pub inline_stack: &'d [u8],
    /// Bytes of the event behind its payload: the stack of netperf with its size, and padding.
    pub bytes_behind_payload: u32,
    /// Those of them that its size counts beyond the event.
    pub padding_bytes: u32,
}

impl EventHeader<'_> {
    /// The state before the first event of a block: everything zero.
    pub(crate) fn blank() -> Self {
        Self {
            metadata_id: 0,
            sequence: 0,
            capture_thread: 0,
            processor: 0,
            thread: 0,
            stack_id: 0,
            timestamp: 0,
            activity_id: Guid::ZERO,
            related_activity_id: Guid::ZERO,
            label_list: 0,
            is_sorted: false,
            header_offset: 0,
            payload_offset: 0,
            payload: &[],
            inline_stack: &[],
            bytes_behind_payload: 0,
            padding_bytes: 0,
        }
    }

    /// Bytes of the event in the file: header, payload, and what follows it.
    #[inline]
    pub fn file_bytes(&self) -> u32 {
        let header = self.payload_offset.wrapping_sub(self.header_offset) as u32;
        header.wrapping_add(self.payload.len() as u32).wrapping_add(self.bytes_behind_payload)
    }
}
