//! Writes events with their headers.

use super::PayloadWriter;
use crate::nettrace::{EventHeader, Guid};

/// An event to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Which metadata record describes it.
    pub metadata_id: u32,
    /// Its number on the capture thread. Not in netperf.
    pub sequence: u32,
    /// The thread that wrote it. Not in netperf.
    pub capture_thread: u64,
    /// The processor. Not in netperf.
    pub processor: u32,
    /// The thread it is about.
    pub thread: u64,
    /// Its stack. Not in netperf.
    pub stack_id: u32,
    /// Raw ticks.
    pub timestamp: i64,
    /// The activity. Not in version 6.
    pub activity_id: Guid,
    /// The related activity. Not in version 6.
    pub related_activity_id: Guid,
    /// The list of labels. Only in version 6.
    pub label_list: u32,
    /// Whether no later event is earlier. Not in netperf.
    pub is_sorted: bool,
    /// The payload.
    pub payload: Vec<u8>,
    /// The addresses of the stack, leaf first. Only in netperf.
    pub stack: Vec<u64>,
}

impl From<&EventHeader<'_>> for Event {
    /// What was read, to compare it with what was written. The inline stack must have 8-byte addresses.
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

/// Writes the content of an event or metadata block of version 4.
pub(super) fn v4_block(events: &[Event], compressed: bool) -> Vec<u8> {
    block(events, compressed, compressed_v4, uncompressed_v4)
}

/// Writes the content of an event block of version 6.
pub(super) fn v6_block(events: &[Event], compressed: bool) -> Vec<u8> {
    block(events, compressed, compressed_v6, uncompressed_v6)
}

fn block(
    events: &[Event],
    compressed: bool,
    write_compressed: fn(PayloadWriter, &Event, &Event) -> PayloadWriter,
    write_uncompressed: fn(PayloadWriter, &Event) -> PayloadWriter,
) -> Vec<u8> {
    let mut writer = PayloadWriter::new().u16(20).u16(u16::from(compressed)).i64(0).i64(0);
    let blank = Event::default();
    let mut previous = &blank;
    for event in events {
        writer = if compressed { write_compressed(writer, event, previous) } else { write_uncompressed(writer, event) };
        previous = event;
    }
    writer.finish()
}

/// Which of the parts that both versions share differ from the event before, as flags.
fn common_flags(event: &Event, previous: &Event) -> u8 {
    let expected_sequence = previous.sequence.wrapping_add(u32::from(event.metadata_id != 0));
    let counted = event.sequence == expected_sequence
        && event.capture_thread == previous.capture_thread
        && event.processor == previous.processor;
    u8::from(event.metadata_id != previous.metadata_id)
        | u8::from(!counted) << 1
        | u8::from(event.thread != previous.thread) << 2
        | u8::from(event.stack_id != previous.stack_id) << 3
        | u8::from(event.is_sorted) << 6
        | u8::from(event.payload.len() != previous.payload.len()) << 7
}

/// Writes the flags and everything up to the time.
fn compressed_start(writer: PayloadWriter, event: &Event, previous: &Event, flags: u8) -> PayloadWriter {
    let mut writer = writer.u8(flags);
    if flags & 1 != 0 {
        writer = writer.var_u64(u64::from(event.metadata_id));
    }
    if flags & 2 != 0 {
        let delta = event.sequence.wrapping_sub(previous.sequence).wrapping_sub(1);
        writer = writer.var_u64(u64::from(delta)).var_u64(event.capture_thread).var_u64(u64::from(event.processor));
    }
    if flags & 4 != 0 {
        writer = writer.var_u64(event.thread);
    }
    if flags & 8 != 0 {
        writer = writer.var_u64(u64::from(event.stack_id));
    }
    writer.var_u64(event.timestamp.wrapping_sub(previous.timestamp) as u64)
}

/// Writes the size of the payload if it changed, and the payload.
fn compressed_end(writer: PayloadWriter, event: &Event, flags: u8) -> PayloadWriter {
    let writer = if flags & 128 != 0 { writer.var_u64(event.payload.len() as u64) } else { writer };
    writer.bytes(&event.payload)
}

fn compressed_v4(writer: PayloadWriter, event: &Event, previous: &Event) -> PayloadWriter {
    let flags = common_flags(event, previous)
        | u8::from(event.activity_id != previous.activity_id) << 4
        | u8::from(event.related_activity_id != previous.related_activity_id) << 5;
    let mut writer = compressed_start(writer, event, previous, flags);
    if flags & 16 != 0 {
        writer = writer.bytes(&event.activity_id.0);
    }
    if flags & 32 != 0 {
        writer = writer.bytes(&event.related_activity_id.0);
    }
    compressed_end(writer, event, flags)
}

fn compressed_v6(writer: PayloadWriter, event: &Event, previous: &Event) -> PayloadWriter {
    let flags = common_flags(event, previous) | u8::from(event.label_list != previous.label_list) << 4;
    let mut writer = compressed_start(writer, event, previous, flags);
    if flags & 16 != 0 {
        writer = writer.var_u64(u64::from(event.label_list));
    }
    compressed_end(writer, event, flags)
}

/// The high bit of the metadata id says that the event is not sorted.
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
