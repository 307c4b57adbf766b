//! Event headers of all versions.

use crate::wire::guid::Guid;

/// Header of an event, with its payload.
///
/// IDs refer to rows of earlier blocks. [`TraceReader`](crate::TraceReader) resolves them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHeader<'d> {
    /// ID of the metadata record that describes the event.
    pub metadata_id: u32,
    /// Sequence number, which counts the events of the capture thread, including lost ones, and wraps around. 0 in
    /// netperf files.
    pub sequence: u32,
    /// Thread that wrote the event: an OS thread ID, in version 6 an index of the thread table.
    pub capture_thread: u64,
    /// CPU on which the event was written; `u32::MAX` if unknown.
    pub processor: u32,
    /// Thread that the event is about: an OS thread ID, in version 6 an index of the thread table.
    pub thread: u64,
    /// ID of the call stack; 0 for none. Valid until the next sequence point.
    pub stack_id: u32,
    /// Raw timestamp in ticks; see [`Header::sync_ticks`](crate::Header::sync_ticks).
    pub timestamp: i64,
    /// Activity of the event (up to version 5; version 6 has it in the label list).
    pub activity_id: Guid,
    /// Related activity (up to version 5).
    pub related_activity_id: Guid,
    /// Index of the label list; 0 for none (version 6).
    pub label_list: u32,
    /// True if no later event of the file has an earlier timestamp.
    pub is_sorted: bool,
    /// Absolute offset of the header.
    pub header_offset: u64,
    /// Absolute offset of the payload.
    pub payload_offset: u64,
    /// Payload.
    pub payload: &'d [u8],
    /// Addresses of the call stack, leaf first, each of the header's pointer size (netperf; otherwise empty).
    pub inline_stack: &'d [u8],
    /// Bytes of the event after its payload: the stack of netperf with its size, and padding.
    pub trailing_bytes: u32,
    /// Padding bytes among them.
    pub padding_bytes: u32,
}

impl EventHeader<'_> {
    /// Returns the header before the first event of a block, with all values 0.
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
            trailing_bytes: 0,
            padding_bytes: 0,
        }
    }

    /// Returns the bytes of the event in the file: header, payload, and the stack or padding after the payload.
    #[inline]
    pub fn file_bytes(&self) -> u32 {
        let header = self.payload_offset.wrapping_sub(self.header_offset) as u32;
        header.wrapping_add(self.payload.len() as u32).wrapping_add(self.trailing_bytes)
    }
}
