//! Blocks of nettrace 6: size and kind in four bytes, then the content (NetTraceFormat "Blocks").

use super::block_chain::{
    Chain, END_OF_STREAM, EVENTS, HEADER_BYTES, LABELS, METADATA, PLAUSIBILITY_BYTES, REMOVED_THREADS, SEQUENCE_POINT,
    STACKS, THREADS, chains, find_block, find_chain, is_plausible, read_header,
};
use crate::block::{
    BlockInfo, BlockKind, EventBlock, Item, LabelBlock, MetadataBlock, RemovedThreads, SequencePoint, StackBlock,
    ThreadBlock, UnknownBlock,
};
use crate::error::{Error, ErrorKind, Result};
use crate::framing::{Framing, Input, NotFound, Search, State, Step, Turn, wait};
use crate::limits::SEARCH_WINDOW_BYTES;
use crate::listener::{Trace, terms};
use crate::recovery::partial::{complete_rows, damage};
use crate::wire::byte_reader::ByteReader;

/// Bytes after a block that [`Block::is_outweighed`] examines.
const WEIGHED_BYTES: usize = 16 << 10;

/// Reports the header of a block.
pub(crate) fn report_header<T: Trace>(header: &ByteReader<'_, T>) -> Result<()> {
    let mut header = header.clone();
    header.u24(terms::BLOCK_SIZE_6)?;
    header.u8(terms::BLOCK_KIND)?;
    Ok(())
}

/// Block whose header has been read. Positions are relative to the parser's offset.
struct Block<'i, 'd, T: Trace> {
    input: &'i Input<'d, T>,
    kind: u8,
    content: usize,
    /// End of the block, if its size is correct.
    end: usize,
}

/// Reads the next block.
pub(crate) fn read<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d> {
    let available = input.data.len();
    let Some((kind, content, end)) = read_header(input.data, 0) else {
        return wait_or_end(input);
    };
    // The report is withdrawn if this isn't a header after all.
    let reported = report_header(&input.reader(0, content));
    debug_assert!(reported.is_ok(), "the header is there");
    if kind == END_OF_STREAM && end == content {
        return read_end(input);
    }
    // A marker with content counts only at the end of the data.
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
        // The content may be damaged although the size is correct. Then a chain of blocks follows.
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

/// Reads four zeros: the end-of-stream marker, or damage if blocks follow.
fn read_end<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d> {
    match find_block(input.data, HEADER_BYTES, SEARCH_WINDOW_BYTES, input.eof, Chain::Complete) {
        Ok(_) => Search::for_block(Error::new(ErrorKind::NoBlockHere, input.offset)).begin(input),
        Err(NotFound { searched, wanted }) if searched < SEARCH_WINDOW_BYTES && !input.eof => {
            wait(wanted.max(input.data.len() + 1))
        }
        Err(_) => end_of_stream(input, HEADER_BYTES),
    }
}

fn end_of_stream<'d, T: Trace>(input: &Input<'d, T>, bytes: usize) -> Turn<'d> {
    let info = BlockInfo { kind: BlockKind::EndOfStream, offset: input.offset, bytes: bytes as u64, padding_bytes: 0 };
    (Step::Parsed { consumed: bytes, item: Item::EndOfStream(info) }, Some(State::End))
}

/// Waits for a block header; at the end of the data, the trace is incomplete.
fn wait_or_end<'d, T: Trace>(input: &Input<'d, T>) -> Turn<'d> {
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

/// Returns whether a block of a known kind begins here, or the data ends; `Err` contains the length of data needed to
/// decide.
fn leads_to_a_block<T: Trace>(input: &Input<'_, T>, position: usize) -> std::result::Result<bool, usize> {
    let available = input.data.len();
    let Some((kind, content, end)) = read_header(input.data, position) else {
        return if input.eof { Ok(true) } else { Err(position + HEADER_BYTES) };
    };
    let searched = end.min(content + PLAUSIBILITY_BYTES);
    match kind {
        // Four zeros are also common inside blocks. They are the end-of-stream marker only at the end of the data.
        END_OF_STREAM if available == content && !input.eof => Err(content + 1),
        END_OF_STREAM => Ok(end == content && available == content),
        1..=LABELS if available < searched => {
            if input.eof {
                Ok(true)
            } else {
                Err(searched)
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

    /// Emits the block with its declared size.
    fn emit(&self) -> Turn<'d> {
        let next = State::Framed(Framing::Blocks);
        match item(self.kind, self.info(self.end), self.input.reader(self.content, self.end), false) {
            Ok(item) => (Step::Parsed { consumed: self.end, item }, Some(next)),
            Err(error) => damage(self.input, self.end, error.inside("block content", self.input.offset), next),
        }
    }

    /// Handles a block without a known block after it: either it has a new kind, or its size is damaged and it contains
    /// other blocks. An unknown block without a known block after it counts as damage.
    fn read_suspicious(&self) -> Turn<'d> {
        match find_block(self.input.data, self.content, self.end, self.input.eof, Chain::Complete) {
            Ok(next) if !self.is_outweighed(next) => {
                self.read_part(next, Error::new(ErrorKind::MissingBlockEnd, self.input.at(self.end)), true)
            }
            Err(NotFound { searched, wanted }) if searched < self.end => wait(wanted.max(self.input.data.len() + 1)),
            _ if self.kind <= LABELS => self.emit(),
            _ => Search::for_block(Error::new(ErrorKind::NoBlockHere, self.input.offset)).begin(self.input),
        }
    }

    /// Returns whether a long chain after the block is stronger evidence than a short chain inside it, so that only the
    /// bytes between block and chain are damaged.
    fn is_outweighed(&self, inside: usize) -> bool {
        let (data, eof) = (self.input.data, self.input.eof);
        chains(data, inside, eof, Chain::Long) == Ok(false)
            && find_chain(data, self.end, self.end + WEIGHED_BYTES, eof, Chain::Long).is_ok()
    }

    /// Reads a block whose end is missing, because the file is truncated or the size is damaged.
    fn read_cut(&self) -> Turn<'d> {
        let available = self.input.data.len();
        if let Ok(next) = find_block(self.input.data, self.content, available, true, Chain::Complete) {
            return self.read_part(next, Error::new(ErrorKind::MissingBlockEnd, self.input.at(available)), true);
        }
        let error = Error::eof((self.end - available) as u64, self.input.at(available));
        self.read_part(available, error, false)
    }

    /// Emits the complete rows of the block up to `end`; the rest is damage. `continues` is whether blocks follow.
    fn read_part(&self, end: usize, error: Error, continues: bool) -> Turn<'d> {
        let item = item(self.kind, self.info(end), self.input.reader(self.content, end), true).ok();
        complete_rows(self.input, item, end, error, continues.then_some(Framing::Blocks))
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

fn item<'d, T: Trace>(kind: u8, info: BlockInfo, content: ByteReader<'d, T>, cut: bool) -> Result<Item<'d>> {
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
