//! Reads a trace completely, and keeps digests to compare two readings.

use nettrace::testing;
use nettrace::{EventHeader, Item, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Item of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    /// Absolute offset of the first byte.
    pub offset: u64,
    /// Number of bytes in the file.
    pub bytes: u64,
    /// Digest of its content without events.
    pub digest: u64,
    pub events: Vec<EventPart>,
}

/// Kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Header,
    /// Event block.
    Events,
    /// Metadata block.
    Metadata,
    /// Other block.
    Other,
    Damage,
    /// End-of-stream marker.
    End,
}

/// Event with its range, and a digest of its header, payload and stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPart {
    /// Absolute offset of its header.
    pub start: u64,
    /// Absolute offset after its payload and stack.
    pub end: u64,
    pub digest: u64,
}

/// Reads a complete trace.
///
/// # Errors
/// Fails if the parser does.
pub fn read(trace: &[u8]) -> Result<Vec<Part>> {
    read_in_chunks(trace, || usize::MAX)
}

/// Reads a trace in chunks of these sizes.
///
/// # Errors
/// Fails if the parser does.
///
/// # Panics
/// Panics if the parser violates its contract: request available bytes, consume what it gets, make progress.
pub fn read_in_chunks(trace: &[u8], next_chunk: impl FnMut() -> usize) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    testing::read_in_chunks(trace, next_chunk, |item, offset, bytes| parts.push(part(item, offset, bytes)))?;
    Ok(parts)
}

fn part(item: &Item<'_>, offset: u64, consumed: usize) -> Part {
    let mut hasher = DefaultHasher::new();
    let mut events = Vec::new();
    let kind = match item {
        Item::Header(header) => {
            format!("{header:?}").hash(&mut hasher);
            PartKind::Header
        }
        Item::Events(block) => {
            let mut headers = block.events();
            loop {
                let next = headers.next().map(|event| event.map(event_part));
                match next {
                    Some(Ok(event)) => events.push(EventPart { end: event.end.max(headers.offset()), ..event }),
                    Some(Err(error)) => format!("{error:?}").hash(&mut hasher),
                    None => break,
                }
            }
            PartKind::Events
        }
        Item::Metadata(block) => {
            block.records().for_each(|record| format!("{record:?}").hash(&mut hasher));
            PartKind::Metadata
        }
        Item::Stacks(block) => {
            block.stacks().for_each(|stack| format!("{stack:?}").hash(&mut hasher));
            PartKind::Other
        }
        Item::Threads(block) => {
            block.rows().for_each(|row| format!("{row:?}").hash(&mut hasher));
            PartKind::Other
        }
        Item::Labels(block) => {
            block.lists().for_each(|list| format!("{list:?}").hash(&mut hasher));
            PartKind::Other
        }
        Item::Damage(_) => {
            format!("{item:?}").hash(&mut hasher);
            PartKind::Damage
        }
        Item::EndOfStream(_) => PartKind::End,
        // Sequence point, removed threads or unknown block.
        _ => {
            format!("{item:?}").hash(&mut hasher);
            PartKind::Other
        }
    };
    Part { kind, offset, bytes: consumed as u64, digest: hasher.finish(), events }
}

fn event_part(event: &EventHeader<'_>) -> EventPart {
    let mut hasher = DefaultHasher::new();
    let numbers = (event.metadata_id, event.sequence, event.capture_thread, event.processor, event.thread);
    let more = (event.stack_id, event.timestamp, event.label_list, event.is_sorted);
    let ids = (event.activity_id, event.related_activity_id);
    (numbers, more, ids, event.payload, event.inline_stack).hash(&mut hasher);
    let end = event.payload_offset + event.payload.len() as u64;
    EventPart { start: event.header_offset, end, digest: hasher.finish() }
}
