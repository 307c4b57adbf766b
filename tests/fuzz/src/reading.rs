//! Reads a trace completely and keeps enough of it to compare two readings.

use nettrace::testing;
use nettrace::{EventHeader, Item, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// One item of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// Its bytes in the file.
    pub bytes: u64,
    /// What it holds, besides events.
    pub digest: u64,
    /// Its events.
    pub events: Vec<EventPart>,
}

/// The kinds of parts that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The header.
    Header,
    /// A block of events.
    Events,
    /// A block of metadata.
    Metadata,
    /// Any other block.
    Other,
    /// Bytes that could not be read.
    Damage,
    /// The end mark.
    End,
}

/// An event: where it is, and a digest of its header, payload and stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPart {
    /// Absolute offset of its header.
    pub start: u64,
    /// Absolute offset behind its payload and stack.
    pub end: u64,
    /// Everything in it.
    pub digest: u64,
}

/// Reads a trace that is completely there.
///
/// # Errors
/// If the parser refuses it.
pub fn read(trace: &[u8]) -> Result<Vec<Part>> {
    read_in_chunks(trace, || usize::MAX)
}

/// Reads a trace that arrives in chunks of these sizes.
///
/// # Errors
/// If the parser refuses it.
///
/// # Panics
/// If the parser does not keep its promises: ask for what there is, take what it was given, get on.
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
        // A sequence point, removed threads or an unknown block.
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
