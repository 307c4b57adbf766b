//! Blocks of nettrace 6: kind and size in four bytes, then the content (nettrace-v6.md "Blocks").

use crate::block::events::EventBlock;
use crate::block::labels::LabelBlock;
use crate::block::metadata::MetadataBlock;
use crate::block::sequence_point::SequencePoint;
use crate::block::stacks::StackBlock;
use crate::block::threads::{RemovedThreads, ThreadBlock};
use crate::block::{BlockInfo, BlockKind, Item, UnknownBlock};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::SEARCH_WINDOW_BYTES;
use crate::parser::{Framing, Input, State, Step, Turn, wait};
use crate::recovery::partial::{damage, whole_part};
use crate::recovery::{NotFound, Search};
use crate::trace::Trace;
use crate::trace::terms;
use crate::wire::byte_reader::Reader;

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

/// How far behind a block [`Block::is_outweighed`] looks.
const WEIGHED_BYTES: usize = 16 << 10;

/// Reads the header of the block at a position: its kind, and where its content begins and ends.
pub(crate) fn read_header(data: &[u8], position: usize) -> Option<(u8, usize, usize)> {
    let [size0, size1, size2, kind] = *data.get(position..)?.first_chunk::<HEADER_BYTES>()?;
    let content = position + HEADER_BYTES;
    Some((kind, content, content + u32::from_le_bytes([size0, size1, size2, 0]) as usize))
}

/// Tells of the header of a block.
pub(crate) fn tell_header<T: Trace>(header: &Reader<'_, T>) -> Result<()> {
    let mut header = header.clone();
    header.u24(terms::BLOCK_SIZE_6)?;
    header.u8(terms::BLOCK_KIND)?;
    Ok(())
}

/// A block whose header was read. Positions count from the parser's offset.
struct Block<'i, 'd, T: Trace> {
    input: &'i Input<'d, T>,
    kind: u8,
    content: usize,
    /// Where the block ends, if its size is right.
    end: usize,
}

/// Reads the next block.
pub(crate) fn read<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d, T> {
    let available = input.data.len();
    let Some((kind, content, end)) = read_header(input.data, 0) else {
        return wait_or_end(input);
    };
    // Where the header turns out not to be one, what was told of it is taken back.
    let told = tell_header(&input.reader(0, content));
    debug_assert!(told.is_ok(), "the header is there");
    if kind == END_OF_STREAM && end == content {
        return read_end(input);
    }
    // An end mark with content is believed only where the data ends with it.
    if kind == END_OF_STREAM && available <= end && !input.eof {
        return wait(end + 1);
    }
    if kind == END_OF_STREAM && available == end {
        return end_of_stream(input, end);
    }
    let block = Block { input, kind, content, end };
    if available < end && !input.eof {
        return wait(end);
    }
    if kind == END_OF_STREAM || (kind <= LABELS && !block.may_be(kind)) {
        // What is inside may be damaged while the size is right: then blocks chain behind it.
        let chain = if input.eof { Chain::Complete } else { Chain::Long };
        return match chains(input.data, end, input.eof, chain) {
            Ok(true) if kind != END_OF_STREAM => block.emit(),
            Err(wanted) if kind != END_OF_STREAM && !input.eof => wait(wanted),
            _ => Search::for_block(Error::new(ErrorKind::NoBlockHere, input.offset)).begin(input),
        };
    }
    if available < end {
        return block.read_cut();
    }
    match leads_to_a_block(input, end) {
        Ok(true) => block.emit(),
        Ok(false) => block.read_suspicious(),
        Err(wanted) => wait(wanted),
    }
}

/// Four zeros may be the end, or a hole that damage left: then blocks follow.
fn read_end<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d, T> {
    match find_block(input.data, HEADER_BYTES, SEARCH_WINDOW_BYTES, input.eof, Chain::Complete) {
        Ok(_) => Search::for_block(Error::new(ErrorKind::NoBlockHere, input.offset)).begin(input),
        Err(NotFound { looked_at, wanted }) if looked_at < SEARCH_WINDOW_BYTES && !input.eof => {
            wait(wanted.max(input.data.len() + 1))
        }
        Err(_) => end_of_stream(input, HEADER_BYTES),
    }
}

fn end_of_stream<'d, T: Trace>(input: &Input<'d, T>, bytes: usize) -> Turn<'d, T> {
    let info = BlockInfo { kind: BlockKind::EndOfStream, offset: input.offset, bytes: bytes as u64, padding_bytes: 0 };
    (Step::Parsed { consumed: bytes, item: Item::EndOfStream(info) }, Some(State::End))
}

/// Waits for the header of a block; if nothing follows, the trace was not completed.
fn wait_or_end<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d, T> {
    let available = input.data.len();
    if !input.eof {
        return wait(HEADER_BYTES);
    }
    let error = match available {
        0 => Error::new(ErrorKind::MissingEndOfStream, input.offset),
        _ => Error::eof((HEADER_BYTES - available) as u64, input.at(available)),
    };
    damage(input, available, error, State::End)
}

/// Whether a block of a known kind, or nothing, begins here; `Err`: how much data it takes to know.
fn leads_to_a_block<T: Trace>(input: &Input<'_, T>, position: usize) -> std::result::Result<bool, usize> {
    let available = input.data.len();
    let Some((kind, content, end)) = read_header(input.data, position) else {
        return if input.eof { Ok(true) } else { Err(position + HEADER_BYTES) };
    };
    let looked_at = end.min(content + PLAUSIBILITY_BYTES);
    match kind {
        // Four zeros are common inside blocks too; at the end of the data they are the end.
        END_OF_STREAM if available == content && !input.eof => Err(content + 1),
        END_OF_STREAM => Ok(end == content && available == content),
        1..=LABELS if available < looked_at => {
            if input.eof {
                Ok(true)
            } else {
                Err(looked_at)
            }
        }
        _ => Ok(is_plausible(kind, end - content, input.data.get(content..).unwrap_or_default())),
    }
}

impl<'d, T: Trace> Block<'_, 'd, T> {
    fn may_be(&self, kind: u8) -> bool {
        let content = self.input.data.get(self.content..).unwrap_or_default();
        let known = content.len() >= PLAUSIBILITY_BYTES.min(self.end - self.content);
        !known || is_plausible(kind, self.end - self.content, content)
    }

    fn info(&self, end: usize) -> BlockInfo {
        BlockInfo { kind: block_kind(self.kind), offset: self.input.offset, bytes: end as u64, padding_bytes: 0 }
    }

    /// Gives out the block as its size says.
    fn emit(&self) -> Turn<'d, T> {
        let next = State::Framed(Framing::Blocks);
        match item(self.kind, self.info(self.end), self.input.reader(self.content, self.end), false) {
            Ok(item) => (Step::Parsed { consumed: self.end, item }, Some(next)),
            Err(error) => damage(self.input, self.end, error.inside("content of a block", self.input.offset), next),
        }
    }

    /// Behind the block is none of a known kind: either one of a later version, or the size is damaged. Then others
    /// are inside. A block of an unknown kind that leads to none of a known kind is damage.
    fn read_suspicious(&self) -> Turn<'d, T> {
        match find_block(self.input.data, self.content, self.end, self.input.eof, Chain::Complete) {
            Ok(next) if !self.is_outweighed(next) => {
                self.read_part(next, Error::new(ErrorKind::MissingBlockEnd, self.input.at(self.end)), true)
            }
            Err(NotFound { looked_at, wanted }) if looked_at < self.end => wait(wanted.max(self.input.data.len() + 1)),
            _ if self.kind <= LABELS => self.emit(),
            _ => Search::for_block(Error::new(ErrorKind::NoBlockHere, self.input.offset)).begin(self.input),
        }
    }

    /// Whether there is better evidence for the block's size than for the short chain that begins inside: a long
    /// chain behind it, so that only what follows the block is damaged.
    fn is_outweighed(&self, inside: usize) -> bool {
        let (data, eof) = (self.input.data, self.input.eof);
        chains(data, inside, eof, Chain::Long) == Ok(false)
            && find_chain(data, self.end, self.end + WEIGHED_BYTES, eof, Chain::Long).is_ok()
    }

    /// The data ends before the block does: either the file is cut, or the size is damaged.
    fn read_cut(&self) -> Turn<'d, T> {
        let available = self.input.data.len();
        if let Ok(next) = find_block(self.input.data, self.content, available, true, Chain::Complete) {
            return self.read_part(next, Error::new(ErrorKind::MissingBlockEnd, self.input.at(available)), true);
        }
        let error = Error::eof((self.end - available) as u64, self.input.at(available));
        self.read_part(available, error, false)
    }

    /// Gives out what is whole of the block up to `end`, where it goes on, if at all. The remainder is damage.
    fn read_part(&self, end: usize, error: Error, goes_on: bool) -> Turn<'d, T> {
        let item = item(self.kind, self.info(end), self.input.reader(self.content, end), true).ok();
        whole_part(self.input, item, end, error, goes_on.then_some(Framing::Blocks))
    }
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

fn item<'d, T: Trace>(kind: u8, info: BlockInfo, content: Reader<'d, T>, cut: bool) -> Result<Item<'d, T>> {
    Ok(match kind {
        EVENTS => Item::Events(EventBlock::read_v6(info, content, cut)?),
        METADATA => Item::Metadata(MetadataBlock::read_v6(info, content, cut)?),
        SEQUENCE_POINT => Item::SequencePoint(SequencePoint::read_v6(info, content)?),
        STACKS => Item::Stacks(StackBlock::read(info, content, cut)?),
        THREADS => Item::Threads(ThreadBlock::new(info, content)),
        REMOVED_THREADS => Item::RemovedThreads(RemovedThreads::read(info, content)?),
        LABELS => Item::Labels(LabelBlock::read(info, content)?),
        _ => {
            let (name, content_bytes) = (kind.to_string(), info.bytes.saturating_sub(HEADER_BYTES as u64));
            Item::Unknown(UnknownBlock { info, name, version: None, content_bytes })
        }
    })
}

/// Whether the content may be that of a block of this kind and size. Looks at its first bytes only.
fn is_plausible(kind: u8, size: usize, content: &[u8]) -> bool {
    let number = |at: usize, bytes: usize| -> usize {
        let field = content.get(at..at + bytes).unwrap_or_default();
        field.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    match kind {
        // Only the first block of a file is of this kind.
        TRACE => false,
        EVENTS => (20..=size.min(512)).contains(&number(0, 2)) && number(2, 2) < 16,
        METADATA => {
            let (header, rows) = (number(0, 2), 2 + number(0, 2));
            header < 512 && size >= 2 && (size == rows || size >= rows + 2)
        }
        SEQUENCE_POINT => {
            let (flags, count) = (number(8, 4), number(12, 4));
            size >= 16 && flags < 256 && (size - 16) / 15 <= count && count <= (size - 16) / 2
        }
        STACKS => {
            let count = number(4, 4);
            size >= 8 && count <= (size - 8) / 4 && (count == 0 || number(8, 4) <= size - 12)
        }
        THREADS => size == 0 || (size >= 3 && (1..=size - 2).contains(&number(0, 2))),
        REMOVED_THREADS => size != 1,
        LABELS => size >= 8 && number(4, 4) <= size - 8,
        _ => false,
    }
}

/// What counts as a chain of blocks, from the best evidence to the weakest: headers are easily made up by what is
/// inside of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chain {
    /// Three blocks.
    Long,
    /// Also fewer, and then the end mark at the end of the data.
    Complete,
    /// Also fewer blocks up to the end of the data: enough where something has to be found.
    UpToTheEnd,
}

/// Finds the next block between `from` and `limit`: a position from which blocks of known kinds chain. Better chains
/// go before earlier ones; `weakest` is what is enough in the end. Before the end of the data is known, only long
/// ones are found.
pub(crate) fn find_block(
    data: &[u8],
    from: usize,
    limit: usize,
    eof: bool,
    weakest: Chain,
) -> std::result::Result<usize, NotFound> {
    let mut found = find_chain(data, from, limit, eof, Chain::Long);
    for chain in [Chain::Complete, Chain::UpToTheEnd] {
        if found.is_err() && eof && chain <= weakest {
            found = find_chain(data, from, limit, eof, chain);
        }
    }
    found
}

fn find_chain(data: &[u8], from: usize, limit: usize, eof: bool, chain: Chain) -> std::result::Result<usize, NotFound> {
    for position in from..limit.min(data.len()) {
        match chains(data, position, eof, chain) {
            Ok(true) => return Ok(position),
            Ok(false) => {}
            Err(wanted) => return Err(NotFound { looked_at: position, wanted }),
        }
    }
    let looked_at = limit.min(data.len()).max(from);
    Err(NotFound { looked_at, wanted: looked_at + 1 })
}

/// Whether blocks chain from here on; `Err`: how much data it takes to know.
fn chains(data: &[u8], start: usize, eof: bool, chain: Chain) -> std::result::Result<bool, usize> {
    const BLOCKS: usize = 3;
    let available = data.len();
    let mut position = start;
    for block in 0..BLOCKS {
        let up_to_the_end = chain == Chain::UpToTheEnd && block > 0;
        let Some((kind, content, end)) = read_header(data, position) else {
            let ends = position == available || (block > 1 && position > available);
            return if eof { Ok(up_to_the_end && ends) } else { Err(position + HEADER_BYTES) };
        };
        if kind == END_OF_STREAM {
            let may_end = block > 0 && end == content && content == available;
            return if may_end && !eof { Err(available + 1) } else { Ok(may_end && chain >= Chain::Complete) };
        }
        if kind == TRACE || kind > LABELS {
            return Ok(false);
        }
        let looked_at = end.min(content + PLAUSIBILITY_BYTES);
        if available < looked_at {
            return if eof { Ok(up_to_the_end) } else { Err(looked_at) };
        }
        if !is_plausible(kind, end - content, data.get(content..).unwrap_or_default()) {
            return Ok(false);
        }
        position = end;
    }
    Ok(true)
}
