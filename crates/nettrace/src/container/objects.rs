//! Blocks of netperf 3 and nettrace 4 and 5: an object, a size, padding, the content, an end tag
//! (NetTraceFormat_v5 "Remaining Stream objects").

use super::object::{self, BEGIN_OBJECT, END_OBJECT, Found, Head, LONGEST_KNOWN_HEAD, NULL_REFERENCE};
use crate::block::{BlockInfo, BlockKind, EventBlock, Item, MetadataBlock, SequencePoint, StackBlock, UnknownBlock};
use crate::error::{Error, ErrorKind, Result};
use crate::framing::{Framing, Input, NotFound, ObjectFraming, Search, State, Step, Turn, wait};
use crate::limits::{MAX_BLOCK_BYTES, SEARCH_WINDOW_BYTES};
use crate::listener::{PartValue, Trace, terms};
use crate::metadata::MetadataEncoding;
use crate::recovery::partial::{complete_rows, damage};
use crate::wire::byte_reader::ByteReader;

/// Object whose head and size have been read. Positions are relative to the parser's offset.
#[derive(Clone, Copy)]
struct Block<'i, 'd, T: Trace> {
    input: &'i Input<'d, T>,
    framing: ObjectFraming,
    head: Head<'d>,
    padding_bytes: u8,
    /// Start of the content.
    content: usize,
    /// End of the content, if the size is correct.
    end: usize,
}

/// Reads the next object.
pub(crate) fn read<'d, T: Trace>(input: &Input<'d, T>, framing: ObjectFraming) -> Turn<'d> {
    match object::read_head(input.reader(0, input.data.len()), framing.tag) {
        Found::Object(head) => read_block(input, framing, head),
        Found::EndOfStream => read_end(input, framing),
        Found::Incomplete(wanted) => wait_or_end(input, wanted),
        Found::Other => {
            let error = Error::new(ErrorKind::NoBlockHere, input.offset);
            Search::for_object(framing.tag, error).begin(input)
        }
    }
}

/// Reads the end-of-stream marker. A single flipped bit turns a begin tag into the marker; then objects follow, or one
/// begins here.
fn read_end<'d, T: Trace>(input: &Input<'d, T>, framing: ObjectFraming) -> Turn<'d> {
    let damaged_tag = input.data.get(1..3) == Some(&[framing.tag, NULL_REFERENCE]);
    match object::find_head(input.data, 1, SEARCH_WINDOW_BYTES, framing.tag, input.eof) {
        Err(NotFound { searched, wanted }) if searched < SEARCH_WINDOW_BYTES && !input.eof => {
            wait(wanted.max(input.data.len() + 1))
        }
        Err(_) if !damaged_tag => {
            input.trace.leaf(terms::END_OF_STREAM, input.offset, 1, || PartValue::Unsigned(NULL_REFERENCE.into()));
            let info = BlockInfo { kind: BlockKind::EndOfStream, offset: input.offset, bytes: 1, padding_bytes: 0 };
            (Step::Parsed { consumed: 1, item: Item::EndOfStream(info) }, Some(State::End))
        }
        Ok(_) | Err(_) => {
            let error = Error::new(ErrorKind::NoBlockHere, input.offset);
            Search::for_object(framing.tag, error).begin(input)
        }
    }
}

/// Waits for the head of an object; at the end of the data, the trace is incomplete.
fn wait_or_end<'d, T: Trace>(input: &Input<'d, T>, wanted: usize) -> Turn<'d> {
    if !input.eof {
        return wait(wanted);
    }
    let bytes = input.data.len();
    let error = match bytes {
        0 => Error::new(ErrorKind::MissingEndOfStream, input.offset),
        _ => Error::eof((wanted - bytes) as u64, input.at(bytes)),
    };
    damage(input, bytes, error, State::End)
}

fn read_block<'d, T: Trace>(input: &Input<'d, T>, framing: ObjectFraming, head: Head<'d>) -> Turn<'d> {
    let size_end = head.bytes + 4;
    let mut framing_reader = input.reader(head.bytes, input.data.len());
    let Ok(size) = framing_reader.u32(terms::BLOCK_SIZE) else { return wait_or_end(input, size_end) };
    // Padding aligns the content to four bytes in the file, not in the object.
    let padding_bytes = (input.at(size_end).wrapping_neg() & 3) as u8;
    // If the data ends inside the padding, the block is truncated, which is handled below.
    let _ = framing_reader.raw(terms::PADDING, padding_bytes.into());
    let content = size_end + usize::from(padding_bytes);
    let block = Block { input, framing, head, padding_bytes, content, end: content.saturating_add(size as usize) };
    if u64::from(size) > MAX_BLOCK_BYTES {
        return block.read_oversized(size);
    }
    match input.data.get(block.end) {
        Some(&END_OBJECT) => block.read_complete(),
        Some(_) => block.read_mismatched(),
        None if !input.eof => wait(block.end + 1),
        None => block.read_cut(),
    }
}

impl<'d, T: Trace> Block<'_, 'd, T> {
    fn info(&self, bytes: usize) -> BlockInfo {
        let (kind, offset) = (self.head.kind(), self.input.offset);
        BlockInfo { kind, offset, bytes: bytes as u64, padding_bytes: self.padding_bytes }
    }

    /// Reads a block with the right size.
    fn read_complete(&self) -> Turn<'d> {
        let consumed = self.end + 1;
        self.emit(consumed, self.framing.next_object())
    }

    /// Emits the block with its declared size.
    fn emit(&self, consumed: usize, next: State) -> Turn<'d> {
        if consumed > self.end {
            let tag = || PartValue::Unsigned(END_OBJECT.into());
            self.input.trace.tail(terms::END_OBJECT, self.input.at(self.end), 1, tag);
        }
        let content = self.input.reader(self.content, self.end);
        match self.item(self.info(consumed), content, false) {
            Ok(Item::Metadata(metadata)) if self.framing.tag == BEGIN_OBJECT => self.emit_metadata_first(metadata),
            Ok(item) => (Step::Parsed { consumed, item }, Some(next)),
            Err(error) => damage(self.input, consumed, error.inside("block content", self.input.offset), next),
        }
    }

    /// Emits the metadata among the events of a netperf block. The events follow with the next call.
    fn emit_metadata_first(&self, metadata: MetadataBlock<'d>) -> Turn<'d> {
        let framing = ObjectFraming { metadata_emitted: true, ..self.framing };
        (Step::Parsed { consumed: 0, item: Item::Metadata(metadata) }, Some(State::Framed(Framing::Objects(framing))))
    }

    /// Reads a block without an end tag at its declared end, because the size or the tag is damaged.
    fn read_mismatched(&self) -> Turn<'d> {
        let error = Error::new(ErrorKind::MissingBlockEnd, self.input.at(self.end));
        let wanted = self.end + LONGEST_KNOWN_HEAD;
        if self.input.data.len() < wanted && !self.input.eof {
            return wait(wanted);
        }
        match self.find_next_object(self.end) {
            Some(next) => self.read_part(next, error, true),
            None => self.emit(self.end, Search::for_object(self.framing.tag, error).into_state()),
        }
    }

    /// Reads a block with an impossible size.
    fn read_oversized(&self, size: u32) -> Turn<'d> {
        let error = Error::new(ErrorKind::BlockTooLarge { bytes: u64::from(size) }, self.input.offset);
        let available = self.input.data.len();
        let limit = self.content + SEARCH_WINDOW_BYTES;
        let wanted = limit + LONGEST_KNOWN_HEAD;
        match self.find_next_object(limit) {
            Some(next) => self.read_part(next, error, true),
            None if available < wanted && !self.input.eof => wait(wanted),
            None if available < limit => self.read_part(available, error, false),
            None => self.read_part(limit, error, true),
        }
    }

    /// Reads a block whose end is missing, because the file is truncated or the size is damaged.
    fn read_cut(&self) -> Turn<'d> {
        let available = self.input.data.len();
        if let Some(next) = self.find_next_object(available) {
            let error =
                Error::new(ErrorKind::BlockTooLarge { bytes: (self.end - self.content) as u64 }, self.input.offset);
            return self.read_part(next, error, true);
        }
        let error = Error::eof((self.end + 1 - available) as u64, self.input.at(available));
        self.read_part(available, error, false)
    }

    /// Finds the next object that begins inside the block, at or before `limit`.
    fn find_next_object(&self, limit: usize) -> Option<usize> {
        let known = limit.saturating_add(LONGEST_KNOWN_HEAD).min(self.input.data.len());
        let data = self.input.data.get(..known).unwrap_or_default();
        object::find_head(data, self.content, limit.saturating_add(1), self.framing.tag, true).ok()
    }

    /// Emits the complete rows of the block up to `end`; the rest is damage. `continues` is whether objects follow.
    fn read_part(&self, end: usize, error: Error, continues: bool) -> Turn<'d> {
        let next = continues.then_some(Framing::Objects(ObjectFraming::new(self.framing.tag)));
        let last = end.checked_sub(1).and_then(|last| self.input.data.get(last));
        let content_end = if continues && last == Some(&END_OBJECT) { end - 1 } else { end };
        let has_content = self.content < content_end;
        let content = self.input.reader(self.content, content_end);
        match has_content.then(|| self.item(self.info(end), content, true)).and_then(Result::ok) {
            Some(Item::Metadata(metadata)) if self.framing.tag == BEGIN_OBJECT => self.emit_metadata_first(metadata),
            item => complete_rows(self.input, item, end, error, next),
        }
    }

    /// Returns the block as an item; the metadata of a netperf block first, if it has any.
    fn item(&self, info: BlockInfo, content: ByteReader<'d, T>, cut: bool) -> Result<Item<'d>> {
        let netperf = self.framing.tag == BEGIN_OBJECT;
        Ok(match self.head.kind() {
            BlockKind::Events if netperf => {
                let block = EventBlock::of_netperf(info, content, cut);
                match MetadataBlock::of_netperf(&block, MetadataEncoding::V3To5) {
                    Some(metadata) if !self.framing.metadata_emitted => Item::Metadata(metadata),
                    _ => Item::Events(block),
                }
            }
            _ if netperf => self.unknown(info),
            BlockKind::Events => Item::Events(EventBlock::read_v4(info, content, cut)?),
            BlockKind::Metadata => {
                let events = EventBlock::read_v4(info, content, cut)?;
                Item::Metadata(MetadataBlock::of_events(events, MetadataEncoding::V3To5))
            }
            BlockKind::Stacks => Item::Stacks(StackBlock::read(info, content, cut)?),
            BlockKind::SequencePoint => Item::SequencePoint(SequencePoint::read_v4(info, content)?),
            _ => self.unknown(info),
        })
    }

    fn unknown(&self, info: BlockInfo) -> Item<'d> {
        Item::Unknown(UnknownBlock {
            info: BlockInfo { kind: BlockKind::Unknown, ..info },
            name: String::from_utf8_lossy(self.head.name).into_owned(),
            version: Some(self.head.version),
            content_bytes: (self.end - self.content) as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listener::Off;
    use crate::testing::{Event, Format, TraceBuilder};

    /// S20, R1.11: padding counts in 64 bits.
    #[test]
    fn padding_counts_from_file_start_beyond_4_gib() {
        let mut builder = TraceBuilder::new(Format::Nettrace4);
        let start = builder.bytes().len();
        builder.events(&[Event { metadata_id: 1, payload: vec![1, 2, 3], ..Event::default() }]);
        let trace = builder.finish();
        let block = &trace[start..];
        for moved in [0, 1 << 32, 1 << 40] {
            let input = Input { data: block, offset: moved + start as u64, eof: true, trace: Off };
            let (Step::Parsed { consumed, item: Item::Events(found) }, _) = read(&input, ObjectFraming::new(5)) else {
                panic!("not found with the file moved by {moved}")
            };
            assert_eq!((consumed, found.info.offset), (block.len() - 1, moved + start as u64));
            let mut events = found.events();
            assert!(matches!(events.next(), Some(Ok(event)) if event.payload == [1, 2, 3]));
        }
    }
}
