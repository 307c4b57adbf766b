//! Content of blocks, with shifted times and sequence numbers.
//!
//! In a block with compressed headers (nettrace-v5.md, "Event blobs"), only the first event contains its time, and only
//! events at a change of the capture thread contain numbers; the others are relative, and are copied.

use super::framing::{Kind, RawBlock};
use super::sequences::Sequences;
use crate::Outcome;

/// Facts about a block for the scan.
pub enum Block {
    /// Event block.
    Events {
        /// Metadata IDs in the block.
        types: Vec<u32>,
        /// First and last time in ticks.
        times: Option<(i64, i64)>,
    },
    /// Metadata block.
    Metadata {
        /// Metadata IDs of the events that mark the end of a recording.
        ends: Vec<u32>,
    },
    /// Sequence point, with its time in ticks.
    SequencePoint(i64),
    /// Other block.
    Other,
}

/// Size of the header of an event block: size, flags, smallest and largest time.
const HEADER_BYTES: usize = 20;

/// Returns the facts about a block.
pub fn survey(block: &RawBlock<'_>) -> Outcome<Block> {
    let offset = block.offset;
    let seen = match block.kind {
        Kind::Events => {
            let (mut types, mut times) = (Vec::new(), None);
            walk(block.content, |event| {
                if !types.contains(&event.metadata_id) {
                    types.push(event.metadata_id);
                }
                let (first, last) = times.get_or_insert((event.ticks, event.ticks));
                (*first, *last) = ((*first).min(event.ticks), (*last).max(event.ticks));
            })
            .map(|()| Block::Events { types, times })
        }
        Kind::Metadata => {
            let mut ends = Vec::new();
            walk(block.content, |event| ends.extend(end_of_recording(event.payload))).map(|()| Block::Metadata { ends })
        }
        Kind::SequencePoint => {
            number::<8>(block.content, 0).map(|ticks| Block::SequencePoint(i64::from_le_bytes(ticks)))
        }
        Kind::Other => Some(Block::Other),
    };
    seen.ok_or_else(|| damaged(offset))
}

/// Returns the content of the block, shifted by `shift` ticks.
pub fn rewrite<'b>(
    block: &'b RawBlock<'_>,
    shift: i64,
    sequences: &mut Sequences,
) -> Outcome<std::borrow::Cow<'b, [u8]>> {
    let content = match block.kind {
        Kind::Events => later_events(block.content, shift, sequences),
        Kind::SequencePoint => later_point(block.content, shift, sequences),
        Kind::Metadata | Kind::Other => return Ok(block.content.into()),
    };
    content.map(Into::into).ok_or_else(|| damaged(block.offset))
}

fn damaged(offset: u64) -> String {
    format!("The block at byte {offset} is damaged.")
}

/// Event of a block. Offsets are relative to the block's content.
#[derive(Default)]
struct Event<'c> {
    metadata_id: u32,
    sequence: u32,
    capture_thread: u64,
    ticks: i64,
    payload: &'c [u8],
    /// Range of the sequence number, if the event contains one.
    sequence_at: Option<(usize, usize)>,
    /// Range of the time.
    ticks_at: (usize, usize),
}

/// Visits the events of a block; `None` if it is damaged.
fn walk<'c>(content: &'c [u8], mut visit: impl FnMut(&Event<'c>)) -> Option<()> {
    let header_bytes = usize::from(u16::from_le_bytes(number(content, 0)?));
    let is_compressed = u16::from_le_bytes(number(content, 2)?) & 1 != 0;
    let (mut at, mut event) = (header_bytes, Event::default());
    while at < content.len() {
        at = if is_compressed { compressed(content, at, &mut event) } else { fixed(content, at, &mut event) }?;
        visit(&event);
    }
    Some(())
}

/// Parses an event with a compressed header; returns the offset of the next one.
fn compressed<'c>(content: &'c [u8], start: usize, event: &mut Event<'c>) -> Option<usize> {
    let mut at = start + 1;
    let flags = *content.get(start)?;
    if flags & 1 != 0 {
        event.metadata_id = varint(content, &mut at)? as u32;
    }
    event.sequence_at = None;
    if flags & 2 != 0 {
        let before = at;
        event.sequence = event.sequence.wrapping_add(varint(content, &mut at)? as u32).wrapping_add(1);
        event.sequence_at = Some((before, at));
        event.capture_thread = varint(content, &mut at)?;
        varint(content, &mut at)?;
    } else if event.metadata_id != 0 {
        event.sequence = event.sequence.wrapping_add(1);
    }
    for flag in [4, 8] {
        if flags & flag != 0 {
            varint(content, &mut at)?;
        }
    }
    let before = at;
    event.ticks = event.ticks.wrapping_add(varint(content, &mut at)? as i64);
    event.ticks_at = (before, at);
    at += 16 * (flags >> 4 & 3).count_ones() as usize;
    let payload_bytes = if flags & 128 != 0 { varint(content, &mut at)? as usize } else { event.payload.len() };
    let end = at.checked_add(payload_bytes)?;
    event.payload = content.get(at..end)?;
    Some(end)
}

/// Parses an event with a fixed header; returns the offset of the next one.
fn fixed<'c>(content: &'c [u8], start: usize, event: &mut Event<'c>) -> Option<usize> {
    let end = (start + 4).checked_add(u32::from_le_bytes(number(content, start)?) as usize)?;
    event.metadata_id = u32::from_le_bytes(number(content, start + 4)?) & 0x7fff_ffff;
    event.sequence = u32::from_le_bytes(number(content, start + 8)?);
    event.sequence_at = Some((start + 8, start + 12));
    event.capture_thread = u64::from_le_bytes(number(content, start + 20)?);
    event.ticks = i64::from_le_bytes(number(content, start + 36)?);
    event.ticks_at = (start + 36, start + 44);
    let payload = start + 80;
    let payload_bytes = u32::from_le_bytes(number(content, start + 76)?) as usize;
    event.payload = content.get(payload..payload.checked_add(payload_bytes)?)?;
    (end <= content.len()).then_some(end)
}

/// Returns the shifted events of a block.
fn later_events(content: &[u8], shift: i64, sequences: &mut Sequences) -> Option<Vec<u8>> {
    let is_compressed = u16::from_le_bytes(number(content, 2)?) & 1 != 0;
    let mut later = Vec::with_capacity(content.len() + 64);
    let (mut copied, mut is_first) = (0, true);
    // Last sequence number in the result and in the source, and its thread.
    let (mut written, mut in_source, mut thread) = (0_u32, 0_u32, None);
    walk(content, |event| {
        let mut replace = |(start, end): (usize, usize), value: u64, bytes: usize| {
            later.extend_from_slice(content.get(copied..start).unwrap_or_default());
            if is_compressed {
                push_varint(&mut later, value)
            } else {
                later.extend(&value.to_le_bytes()[..bytes])
            }
            copied = end;
        };
        if let Some(place) = event.sequence_at {
            if let Some(thread) = thread.replace(event.capture_thread) {
                sequences.reach(thread, in_source);
            }
            let sequence = sequences.begin(event.capture_thread, event.sequence);
            let distance = sequence.wrapping_sub(written).wrapping_sub(1);
            replace(place, if is_compressed { distance } else { sequence }.into(), 4);
            written = sequence;
        } else {
            // Both continue.
            written = written.wrapping_add(event.sequence.wrapping_sub(in_source));
        }
        in_source = event.sequence;
        if is_first || !is_compressed {
            replace(event.ticks_at, event.ticks.wrapping_add(shift) as u64, 8);
        }
        is_first = false;
    })?;
    if let Some(thread) = thread {
        sequences.reach(thread, in_source);
    }
    later.extend_from_slice(content.get(copied..)?);
    // Some writers leave the times in the header 0.
    for at in [4, 12] {
        let ticks = i64::from_le_bytes(number(&later, at)?);
        if ticks != 0 && at < HEADER_BYTES {
            later.get_mut(at..at + 8)?.copy_from_slice(&ticks.wrapping_add(shift).to_le_bytes());
        }
    }
    Some(later)
}

/// Returns a shifted sequence point.
fn later_point(content: &[u8], shift: i64, sequences: &mut Sequences) -> Option<Vec<u8>> {
    let ticks = i64::from_le_bytes(number(content, 0)?).wrapping_add(shift);
    let count = u32::from_le_bytes(number(content, 8)?) as usize;
    let rows = content.get(12..)?.chunks_exact(12).take(count);
    let mut threads = Vec::with_capacity(rows.len());
    for row in rows {
        threads.push((u64::from_le_bytes(number(row, 0)?), u32::from_le_bytes(number(row, 8)?)));
    }
    sequences.point(&mut threads);
    let mut later = ticks.to_le_bytes().to_vec();
    later.extend(content.get(8..12)?);
    for (thread, sequence) in threads {
        later.extend(thread.to_le_bytes());
        later.extend(sequence.to_le_bytes());
    }
    later.extend(content.get(later.len()..)?);
    Some(later)
}

/// Returns the metadata ID of an event that only the rundown at the end of a recording contains: it has an even ID of
/// the rundown provider. Odd IDs are for a rundown at the start.
fn end_of_recording(payload: &[u8]) -> Option<u32> {
    const PROVIDER: &str = "Microsoft-Windows-DotNETRuntimeRundown";
    let name: Vec<u8> = PROVIDER.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let event_id = u32::from_le_bytes(number(payload.get(4..)?.strip_prefix(name.as_slice())?, 0)?);
    let is_at_end = (142..=158).contains(&event_id) && event_id.is_multiple_of(2);
    is_at_end.then_some(u32::from_le_bytes(number(payload, 0)?))
}

fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> Option<[u8; BYTES]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn varint(content: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *content.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Appends a number with seven bits per byte, lowest first.
pub(super) fn push_varint(content: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        content.push(value as u8 | 0x80);
        value >>= 7;
    }
    content.push(value as u8);
}
