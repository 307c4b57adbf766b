//! Blocks of nettrace 6: kind and size in four bytes, then the content (nettrace-v6.md "Blocks").

use super::block::{BlockInfo, BlockKind, Damage, Item};
use super::error::{Error, ErrorKind, Result};
use super::event_block::EventBlock;
use super::labels::LabelBlock;
use super::metadata::MetadataBlock;
use super::parser::{Framing, Input, State, Step, Turn, wait};
use super::reader::Reader;
use super::recovery::{NotFound, Search};
use super::sequence_point::SequencePoint;
use super::stack_block::StackBlock;
use super::threads::{RemovedThreads, ThreadBlock};

/// Bytes of a block's header.
pub(crate) const HEADER_BYTES: usize = 4;

const END_OF_STREAM: u8 = 0;
/// The kind of the first block.
pub(crate) const TRACE: u8 = 1;
const EVENTS: u8 = 2;
const METADATA: u8 = 3;
const SEQUENCE_POINT: u8 = 4;
const STACKS: u8 = 5;
const THREADS: u8 = 6;
const REMOVED_THREADS: u8 = 7;
const LABELS: u8 = 8;

/// How much of a block's content [`is_plausible`] looks at.
const PLAUSIBILITY_BYTES: usize = 20;

/// Reads the header of the block at a position: its kind, and where its content begins and ends.
pub(crate) fn read_header(data: &[u8], position: usize) -> Option<(u8, usize, usize)> {
    let [size0, size1, size2, kind] = *data.get(position..)?.first_chunk::<HEADER_BYTES>()?;
    let content = position + HEADER_BYTES;
    Some((kind, content, content + u32::from_le_bytes([size0, size1, size2, 0]) as usize))
}

/// Reads the next block.
pub(crate) fn read<'d>(input: &Input<'d>) -> Turn<'d> {
    let available = input.data.len();
    let Some((kind, content, end)) = read_header(input.data, 0) else {
        return wait_or_end(input, HEADER_BYTES);
    };
    if kind == END_OF_STREAM && end == content {
        let info = BlockInfo { kind: BlockKind::EndOfStream, offset: input.offset, bytes: HEADER_BYTES as u64 };
        return (Step::Parsed { consumed: HEADER_BYTES, item: Item::EndOfStream(info) }, Some(State::End));
    }
    // A block of an unknown kind is believed if it leads to one of a known kind.
    let wanted = if kind > LABELS { end + HEADER_BYTES } else { end };
    if available < wanted && !input.eof {
        return wait(wanted);
    }
    if available < end {
        return read_cut(input, kind, end);
    }
    let believed = match kind {
        END_OF_STREAM => false,
        1..=LABELS => is_plausible(kind, end - content, input.data.get(content..).unwrap_or_default()),
        _ => end == available || read_header(input.data, end).is_some_and(|(next, ..)| next <= LABELS),
    };
    if !believed {
        return Search::for_block(Error::new(ErrorKind::NoBlockHere, input.offset)).begin(input);
    }
    let info = BlockInfo { kind: block_kind(kind), offset: input.offset, bytes: end as u64 };
    let next = State::Framed(Framing::Blocks);
    match item(kind, info, input.reader(content, end), false) {
        Ok(item) => (Step::Parsed { consumed: end, item }, Some(next)),
        Err(error) => (damage(input, end, error), Some(next)),
    }
}

fn wait_or_end<'d>(input: &Input<'d>, wanted: usize) -> Turn<'d> {
    let available = input.data.len();
    if !input.eof {
        return wait(wanted);
    }
    let error = match available {
        0 => Error::new(ErrorKind::MissingEndOfStream, input.offset),
        _ => Error::eof((wanted - available) as u64, input.at(available)),
    };
    (damage(input, available, error), Some(State::End))
}

fn damage<'d>(input: &Input<'d>, bytes: usize, error: Error) -> Step<'d> {
    let damage = Damage { offset: input.offset, bytes: bytes as u64, error, continued: false };
    Step::Parsed { consumed: bytes, item: Item::Damage(damage) }
}

/// The data ends before the block does: either the file is cut, or the header of the block is damaged.
fn read_cut<'d>(input: &Input<'d>, kind: u8, end: usize) -> Turn<'d> {
    let available = input.data.len();
    let content = input.data.get(HEADER_BYTES..).unwrap_or_default();
    let search = Search::for_block(Error::new(ErrorKind::NoBlockHere, input.offset));
    if !is_plausible(kind, end - HEADER_BYTES, content) && content.len() >= PLAUSIBILITY_BYTES {
        return search.begin(input);
    }
    let error = Error::eof((end - available) as u64, input.at(available));
    let info = BlockInfo { kind: block_kind(kind), offset: input.offset, bytes: available as u64 };
    let everything = (damage(input, available, error.clone()), Some(State::End));
    let Ok(mut item) = item(kind, info, input.reader(HEADER_BYTES, available), true) else { return everything };
    let whole_end = match &item {
        Item::Events(block) => block.end_of_whole_events(),
        Item::Metadata(block) => block.end_of_whole_records(),
        Item::Stacks(block) => block.end_of_whole_stacks(),
        _ => return everything,
    };
    let consumed = (whole_end - input.offset) as usize;
    item.set_bytes(consumed as u64);
    let rest = Damage { offset: whole_end, bytes: (available - consumed) as u64, error, continued: false };
    (Step::Parsed { consumed, item }, Some(State::BlockEnd(rest, None)))
}

fn block_kind(kind: u8) -> BlockKind {
    match kind {
        END_OF_STREAM => BlockKind::EndOfStream,
        EVENTS => BlockKind::Events,
        METADATA => BlockKind::Metadata,
        SEQUENCE_POINT => BlockKind::SequencePoint,
        STACKS => BlockKind::Stacks,
        THREADS => BlockKind::Threads,
        REMOVED_THREADS => BlockKind::RemovedThreads,
        LABELS => BlockKind::Labels,
        _ => BlockKind::Unknown,
    }
}

fn item(kind: u8, info: BlockInfo, content: Reader<'_>, cut: bool) -> Result<Item<'_>> {
    Ok(match kind {
        EVENTS => Item::Events(EventBlock::read_v6(info, content, cut)?),
        METADATA => Item::Metadata(MetadataBlock::read_v6(info, content, cut)?),
        SEQUENCE_POINT => Item::SequencePoint(SequencePoint::read_v6(info, content)?),
        STACKS => Item::Stacks(StackBlock::read(info, content, cut)?),
        THREADS => Item::Threads(ThreadBlock::new(info, content)),
        REMOVED_THREADS => Item::RemovedThreads(RemovedThreads::read(info, content)?),
        LABELS => Item::Labels(LabelBlock::read(info, content)?),
        _ => Item::Unknown(info),
    })
}

/// Whether the content may be that of a block of this kind and size. Looks at its first bytes only.
fn is_plausible(kind: u8, size: usize, content: &[u8]) -> bool {
    let number = |at: usize, bytes: usize| -> usize {
        let field = content.get(at..at + bytes).unwrap_or_default();
        field.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    match kind {
        TRACE => size >= 40,
        EVENTS => size >= 20 && (20..=size).contains(&number(0, 2)),
        METADATA => {
            let rows = 2 + number(0, 2);
            size >= 2 && (size == rows || size >= rows + 2)
        }
        SEQUENCE_POINT => size >= 16 && (size - 16) / 15 <= number(12, 4) && number(12, 4) <= (size - 16) / 2,
        STACKS => {
            let count = size.checked_sub(8).map(|stacks| stacks / 4);
            count.is_some_and(|most| number(4, 4) <= most && (number(4, 4) == 0 || number(8, 4) <= size - 12))
        }
        THREADS => size == 0 || (size >= 3 && number(0, 2) <= size - 2),
        REMOVED_THREADS => size != 1,
        LABELS => size >= 8 && number(0, 4) >= 1 && number(4, 4) <= size - 8,
        _ => false,
    }
}

/// Finds the next block between `from` and `limit`: a position from which three blocks of known kinds chain, or the
/// chain reaches the end of the data.
pub(crate) fn find_block(data: &[u8], from: usize, limit: usize, eof: bool) -> std::result::Result<usize, NotFound> {
    for position in from..limit.min(data.len()) {
        match chains(data, position, eof) {
            Ok(true) => return Ok(position),
            Ok(false) => {}
            Err(wanted) => return Err(NotFound { looked_at: position, wanted }),
        }
    }
    let looked_at = limit.min(data.len()).max(from);
    Err(NotFound { looked_at, wanted: looked_at + 1 })
}

/// Whether blocks chain from here on; `Err`: how much data it takes to know.
fn chains(data: &[u8], start: usize, eof: bool) -> std::result::Result<bool, usize> {
    const CHAIN: usize = 3;
    let mut position = start;
    for link in 0..CHAIN {
        let Some((kind, content, end)) = read_header(data, position) else {
            return if eof { Ok(link > 0 && position == data.len()) } else { Err(position + HEADER_BYTES) };
        };
        if kind == END_OF_STREAM {
            return match (link > 0 && content == end, eof) {
                (true, true) => Ok(content == data.len()),
                (true, false) => Err(data.len() + 1),
                (false, _) => Ok(false),
            };
        }
        if kind == TRACE || kind > LABELS {
            return Ok(false);
        }
        let looked_at = end.min(content + PLAUSIBILITY_BYTES);
        if data.len() < looked_at {
            // The last block of a cut file, if others lead to it.
            return if eof { Ok(link > 0) } else { Err(looked_at) };
        }
        if !is_plausible(kind, end - content, data.get(content..).unwrap_or_default()) {
            return Ok(false);
        }
        position = end;
    }
    Ok(true)
}
