//! Writer of events with their headers.

use super::PayloadWriter;
use crate::block::EventEncoder;
use crate::{EventHeader, Guid};

/// Event to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// ID of the metadata record.
    pub metadata_id: u32,
    /// Sequence number. Not in netperf.
    pub sequence: u32,
    /// Thread that wrote the event. Not in netperf.
    pub capture_thread: u64,
    /// CPU. Not in netperf.
    pub processor: u32,
    /// Thread that the event is about.
    pub thread: u64,
    /// ID of the stack. Not in netperf.
    pub stack_id: u32,
    /// Raw timestamp in ticks.
    pub timestamp: i64,
    /// Activity. Not in version 6.
    pub activity_id: Guid,
    /// Related activity. Not in version 6.
    pub related_activity_id: Guid,
    /// Index of the label list. Only in version 6.
    pub label_list: u32,
    /// True if no later event has an earlier timestamp. Not in netperf.
    pub is_sorted: bool,
    /// Payload.
    pub payload: Vec<u8>,
    /// Addresses of the stack, leaf first. Only in netperf.
    pub stack: Vec<u64>,
}

impl Event {
    /// Returns the header of the event, without offsets.
    fn header(&self) -> EventHeader<'_> {
        EventHeader {
            metadata_id: self.metadata_id,
            sequence: self.sequence,
            capture_thread: self.capture_thread,
            processor: self.processor,
            thread: self.thread,
            stack_id: self.stack_id,
            timestamp: self.timestamp,
            activity_id: self.activity_id,
            related_activity_id: self.related_activity_id,
            label_list: self.label_list,
            is_sorted: self.is_sorted,
            payload: &self.payload,
            ..EventHeader::blank()
        }
    }
}

impl From<&EventHeader<'_>> for Event {
    /// Converts an event that was read, to compare it with the one that was written. The inline stack must have 8-byte
    /// addresses.
    fn from(header: &EventHeader<'_>) -> Self {
        let address = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        Self {
            metadata_id: header.metadata_id,
            sequence: header.sequence,
            capture_thread: header.capture_thread,
            processor: header.processor,
            thread: header.thread,
            stack_id: header.stack_id,
            timestamp: header.timestamp,
            activity_id: header.activity_id,
            related_activity_id: header.related_activity_id,
            label_list: header.label_list,
            is_sorted: header.is_sorted,
            payload: header.payload.to_vec(),
            stack: header.inline_stack.chunks(8).map(address).collect(),
        }
    }
}

/// Writes an event of netperf; padded to four bytes in version 3.
pub(super) fn netperf(out: &mut Vec<u8>, event: &Event, pointer_size: u8, padded: bool) {
    let stack_bytes = event.stack.len() * usize::from(pointer_size);
    let exact = 56 + event.payload.len() + 4 + stack_bytes;
    let total = if padded { exact.next_multiple_of(4) } else { exact };
    let head = PayloadWriter::new()
        .u32(total as u32 - 4)
        .u32(event.metadata_id)
        .u32(event.thread as u32)
        .i64(event.timestamp)
        .bytes(&event.activity_id.0)
        .bytes(&event.related_activity_id.0)
        .u32(event.payload.len() as u32)
        .bytes(&event.payload)
        .u32(stack_bytes as u32);
    let whole = event.stack.iter().fold(head, |writer, &address| writer.pointer(address, pointer_size));
    out.extend_from_slice(&whole.bytes(&[0; 3][..total - exact]).finish());
}

/// Returns the content of an event or metadata block of version 4.
pub(super) fn v4_block(events: &[Event], compressed: bool) -> Vec<u8> {
    if compressed { compressed_block(events, false) } else { fixed_block(events, uncompressed_v4) }
}

/// Returns the content of an event block of version 6.
pub(super) fn v6_block(events: &[Event], compressed: bool) -> Vec<u8> {
    if compressed { compressed_block(events, true) } else { fixed_block(events, uncompressed_v6) }
}

/// Writes a block with compressed headers. Like some versions of the runtime, it declares no timestamps.
fn compressed_block(events: &[Event], is_v6: bool) -> Vec<u8> {
    let mut encoder = EventEncoder::new(is_v6);
    events.iter().for_each(|event| encoder.push(&event.header(), event.sequence));
    encoder.finish([0, 0])
}

fn fixed_block(events: &[Event], write: fn(PayloadWriter, &Event) -> PayloadWriter) -> Vec<u8> {
    events.iter().fold(PayloadWriter::new().u16(20).u16(0).i64(0).i64(0), write).finish()
}

/// Returns the metadata ID with the high bit that marks an unsorted event.
fn flagged_id(event: &Event) -> u32 {
    event.metadata_id | u32::from(!event.is_sorted) << 31
}

fn uncompressed_v4(writer: PayloadWriter, event: &Event) -> PayloadWriter {
    writer
        .u32(76 + event.payload.len() as u32)
        .u32(flagged_id(event))
        .u32(event.sequence)
        .u64(event.thread)
        .u64(event.capture_thread)
        .u32(event.processor)
        .u32(event.stack_id)
        .i64(event.timestamp)
        .bytes(&event.activity_id.0)
        .bytes(&event.related_activity_id.0)
        .u32(event.payload.len() as u32)
        .bytes(&event.payload)
}

fn uncompressed_v6(writer: PayloadWriter, event: &Event) -> PayloadWriter {
    writer
        .u32(48 + event.payload.len() as u32)
        .u32(flagged_id(event))
        .u32(event.sequence)
        .u64(event.thread)
        .u64(event.capture_thread)
        .u32(event.processor)
        .u32(event.stack_id)
        .i64(event.timestamp)
        .u32(event.label_list)
        .u32(event.payload.len() as u32)
        .bytes(&event.payload)
}
