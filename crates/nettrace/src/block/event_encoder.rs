//! Encoder of event blocks with compressed headers (NetTraceFormat_v5 "Event blobs", NetTraceFormat "EventBlock").

use super::event_header::EventHeader;
use crate::wire::varint;

/// Size of the block header: its own size, flags, and the smallest and largest timestamp.
const BLOCK_HEADER_BYTES: u16 = 20;
/// Flag of a block with compressed event headers.
const COMPRESSED: u16 = 1;

/// Content of an event block while events are added.
#[derive(Clone, Debug)]
pub(crate) struct EventEncoder {
    is_v6: bool,
    /// Header of the last event, without its payload.
    previous: EventHeader<'static>,
    payload_bytes: usize,
    ticks: Option<[i64; 2]>,
    events: Vec<u8>,
}

impl EventEncoder {
    /// Creates an empty block of version 6 or an earlier version.
    pub fn new(is_v6: bool) -> Self {
        Self { is_v6, previous: EventHeader::blank(), payload_bytes: 0, ticks: None, events: Vec::new() }
    }

    /// Returns the bytes of events so far.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns the smallest and largest timestamp of the events; 0 without events.
    pub fn ticks(&self) -> [i64; 2] {
        self.ticks.unwrap_or_default()
    }

    /// Appends an event with a new sequence number.
    pub fn push(&mut self, event: &EventHeader<'_>, sequence: u32) {
        let flags = self.flags(event, sequence);
        let out = &mut self.events;
        out.push(flags);
        if flags & 1 != 0 {
            varint::write(out, event.metadata_id.into());
        }
        if flags & 2 != 0 {
            varint::write(out, sequence.wrapping_sub(self.previous.sequence).wrapping_sub(1).into());
            varint::write(out, event.capture_thread);
            varint::write(out, event.processor.into());
        }
        if flags & 4 != 0 {
            varint::write(out, event.thread);
        }
        if flags & 8 != 0 {
            varint::write(out, event.stack_id.into());
        }
        varint::write(out, event.timestamp.wrapping_sub(self.previous.timestamp) as u64);
        if self.is_v6 {
            if flags & 16 != 0 {
                varint::write(out, event.label_list.into());
            }
        } else {
            if flags & 16 != 0 {
                out.extend_from_slice(&event.activity_id.0);
            }
            if flags & 32 != 0 {
                out.extend_from_slice(&event.related_activity_id.0);
            }
        }
        if flags & 128 != 0 {
            varint::write(out, event.payload.len() as u64);
        }
        out.extend_from_slice(event.payload);
        self.remember(event, sequence);
    }

    /// Returns the content of the block, with the timestamps to declare in the block header.
    pub fn finish(self, ticks: [i64; 2]) -> Vec<u8> {
        let mut block = Vec::with_capacity(usize::from(BLOCK_HEADER_BYTES) + self.events.len());
        block.extend_from_slice(&BLOCK_HEADER_BYTES.to_le_bytes());
        block.extend_from_slice(&COMPRESSED.to_le_bytes());
        ticks.iter().for_each(|tick| block.extend_from_slice(&tick.to_le_bytes()));
        block.extend_from_slice(&self.events);
        block
    }

    /// Returns the flags of the fields that differ from the previous event.
    fn flags(&self, event: &EventHeader<'_>, sequence: u32) -> u8 {
        let previous = &self.previous;
        let expected = previous.sequence.wrapping_add(u32::from(event.metadata_id != 0));
        let is_counted = sequence == expected
            && event.capture_thread == previous.capture_thread
            && event.processor == previous.processor;
        let (first, second) = if self.is_v6 {
            (event.label_list != previous.label_list, false)
        } else {
            (event.activity_id != previous.activity_id, event.related_activity_id != previous.related_activity_id)
        };
        u8::from(event.metadata_id != previous.metadata_id)
            | u8::from(!is_counted) << 1
            | u8::from(event.thread != previous.thread) << 2
            | u8::from(event.stack_id != previous.stack_id) << 3
            | u8::from(first) << 4
            | u8::from(second) << 5
            | u8::from(event.is_sorted) << 6
            | u8::from(event.payload.len() != self.payload_bytes) << 7
    }

    fn remember(&mut self, event: &EventHeader<'_>, sequence: u32) {
        let ticks = self.ticks.get_or_insert([event.timestamp; 2]);
        *ticks = [ticks[0].min(event.timestamp), ticks[1].max(event.timestamp)];
        self.payload_bytes = event.payload.len();
        self.previous = EventHeader { sequence, payload: &[], inline_stack: &[], ..event.clone() };
    }
}
