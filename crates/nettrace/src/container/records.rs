//! netperf 1 and 2: event records without blocks.
//!
//! No document describes these versions; the layout comes from recorded files. Events are emitted in groups, as if
//! these were blocks, so that files can be read incrementally.

use crate::block::{BlockInfo, BlockKind, EventBlock, Item, MetadataBlock};
use crate::container::object::END_OBJECT;
use crate::error::{Error, ErrorKind, Result};
use crate::framing::{Framing, Input, RecordFraming, Search, State, Step, Turn, wait};
use crate::limits::MAX_BLOCK_BYTES;
use crate::listener::{Trace, terms};
use crate::recovery::partial::damage;
use crate::wire::byte_reader::ByteReader;

/// Size at which a group of events ends.
const GROUP_BYTES: usize = 64 << 10;

/// Size of the fixed part of an event.
const EVENT_HEADER_BYTES: usize = 56;

/// Size of the trailer: an end tag, a table with one forward reference (to the end tag), and the positions of both.
const TRAILER_BYTES: usize = 17;

/// Result of looking for an event.
enum Found {
    /// Event that ends here.
    Event(usize),
    /// Trailer of the file.
    Trailer,
    /// Incomplete event or trailer, with the length of data needed.
    Incomplete(usize),
    /// Something else.
    Other,
}

/// Reads the next group of events.
pub(crate) fn read<'d, T: Trace>(input: &Input<'d, T>, framing: RecordFraming) -> Turn<'d> {
    let mut end = 0;
    while end < GROUP_BYTES {
        match find(input, end) {
            Found::Event(next) => end = next,
            Found::Incomplete(wanted) if !input.eof => return wait(wanted),
            _ if end > 0 => break,
            Found::Trailer => return read_trailer(input),
            Found::Incomplete(wanted) => return read_cut(input, wanted),
            Found::Other => return Search::for_nothing(Error::new(ErrorKind::NoBlockHere, input.offset)).begin(input),
        }
    }
    let info = BlockInfo { kind: BlockKind::Events, offset: input.offset, bytes: end as u64, padding_bytes: 0 };
    let block = EventBlock::of_netperf(info, input.reader(0, end), false);
    match MetadataBlock::of_netperf(&block, framing.metadata) {
        Some(metadata) if !framing.metadata_emitted => {
            let next = RecordFraming { metadata_emitted: true, ..framing };
            let step = Step::Parsed { consumed: 0, item: Item::Metadata(metadata) };
            (step, Some(State::Framed(Framing::Records(next))))
        }
        _ => {
            let next = RecordFraming::new(framing.metadata);
            let step = Step::Parsed { consumed: end, item: Item::Events(block) };
            (step, Some(State::Framed(Framing::Records(next))))
        }
    }
}

fn find<T: Trace>(input: &Input<'_, T>, position: usize) -> Found {
    let rest = input.data.get(position..).unwrap_or_default();
    let number = |at: usize| -> Option<u32> { rest.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) };
    let incomplete = |bytes: usize| Found::Incomplete(position + bytes);
    let Some(size) = number(0) else { return incomplete(4) };
    if rest.first() == Some(&END_OBJECT) {
        // As the size of an event this would be 262, and no event has its own offset as metadata ID.
        let Some(label) = number(5) else { return incomplete(9) };
        if number(1) == Some(1) && label == input.at(position) as u32 {
            return Found::Trailer;
        }
    }
    if u64::from(size) > MAX_BLOCK_BYTES {
        return Found::Other;
    }
    let whole = 4 + size as usize;
    let Some(payload_bytes) = number(EVENT_HEADER_BYTES - 4) else { return incomplete(EVENT_HEADER_BYTES) };
    let stack_at = EVENT_HEADER_BYTES + payload_bytes as usize;
    if whole < stack_at + 4 {
        return Found::Other;
    }
    match number(stack_at) {
        None => incomplete(whole),
        Some(stack_bytes) if stack_at + 4 + stack_bytes as usize != whole => Found::Other,
        Some(_) if rest.len() < whole => incomplete(whole),
        Some(_) => Found::Event(position + whole),
    }
}

fn read_trailer<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d> {
    if input.data.len() < TRAILER_BYTES && !input.eof {
        return wait(TRAILER_BYTES);
    }
    let bytes = input.data.len().min(TRAILER_BYTES);
    let mut reader = input.reader(0, bytes);
    // A truncated trailer loses nothing.
    let _ = read_table(&mut reader);
    let info = BlockInfo { kind: BlockKind::EndOfStream, offset: input.offset, bytes: bytes as u64, padding_bytes: 0 };
    (Step::Parsed { consumed: bytes, item: Item::EndOfStream(info) }, Some(State::End))
}

/// Reads the table after the events.
fn read_table<T: Trace>(reader: &mut ByteReader<'_, T>) -> Result<()> {
    reader.u8(terms::END_OBJECT)?;
    for number in [terms::TABLE_COUNT, terms::TABLE_LABEL, terms::TABLE_POSITION, terms::TABLE_END] {
        reader.u32(number)?;
    }
    Ok(())
}

/// Handles data that ends inside or between events.
fn read_cut<'d, T: Trace>(input: &Input<'d, T>, wanted: usize) -> Turn<'d> {
    let bytes = input.data.len();
    let error = match bytes {
        0 => Error::new(ErrorKind::MissingEndOfStream, input.offset),
        _ => Error::eof((wanted - bytes) as u64, input.at(bytes)),
    };
    damage(input, bytes, error, State::End)
}
