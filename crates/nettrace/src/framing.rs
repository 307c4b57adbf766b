//! States, input and results of the parser and its container readers.

use crate::block::{Damage, Item};
use crate::error::Error;
use crate::listener::{Off, Trace};
use crate::metadata::MetadataEncoding;
use crate::wire::byte_reader::ByteReader;

/// Result of one call of [`Parser::parse`](crate::Parser::parse).
#[derive(Clone, Debug)]
pub enum Step<'d> {
    /// The next item isn't complete. Call again with at least `wanted` bytes starting at
    /// [`Parser::offset`](crate::Parser::offset), or with all remaining bytes and `eof`.
    NeedMoreData {
        /// Length of data, starting at the same offset, that the parser needs. Always more than it was given.
        wanted: usize,
    },
    /// The next item.
    Parsed {
        /// Bytes to remove from the front of the data before the next call; may be 0.
        consumed: usize,
        /// The item.
        item: Item<'d>,
    },
    /// The trace has ended. Further data is ignored.
    End,
}

/// State of the parser.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The header of the file.
    Start,
    /// A block.
    Framed(Framing),
    /// A block somewhere after damage.
    Searching(Search),
    /// The unreadable end of a block, to be reported as damage; `None` if the data ends there.
    BlockEnd(Damage, Option<Framing>),
    /// Nothing.
    End,
}

/// Framing of blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// Objects: netperf 3, nettrace 4 and 5.
    Objects(ObjectFraming),
    /// Event records without blocks: netperf 1 and 2.
    Records(RecordFraming),
    /// Blocks with size and kind: nettrace 6.
    Blocks,
}

/// Framing by objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectFraming {
    /// First byte of every object.
    pub tag: u8,
    /// True if the metadata inside the next event block is already emitted (netperf).
    pub metadata_emitted: bool,
}

impl ObjectFraming {
    /// Creates the framing of objects that begin with this tag.
    pub fn new(tag: u8) -> Self {
        Self { tag, metadata_emitted: false }
    }

    /// Returns the state before the next object.
    pub fn next_object(self) -> State {
        State::Framed(Framing::Objects(Self::new(self.tag)))
    }
}

/// Framing by event records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordFraming {
    /// Encoding of the metadata records among the events.
    pub metadata: MetadataEncoding,
    /// True if the metadata inside the next group of events is already emitted.
    pub metadata_emitted: bool,
}

impl RecordFraming {
    /// Creates the framing of events whose metadata has this encoding.
    pub fn new(metadata: MetadataEncoding) -> Self {
        Self { metadata, metadata_emitted: false }
    }
}

/// Search for the next block after damage. The search itself is in [`crate::recovery`].
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// Cause of the damage.
    pub error: Error,
    /// Number of bytes after the parser's offset that have been searched, to keep the work linear.
    pub searched: usize,
    /// True if an earlier part of the same damage is already reported.
    pub continued: bool,
    /// True if no valid chain of blocks exists up to the end of the data.
    pub has_no_chain: bool,
    /// Item to find.
    pub target: Target,
}

/// Target of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// An object that begins with this tag.
    Object(u8),
    /// A block of version 6.
    Block,
    /// Nothing, because the format has no recognizable blocks.
    Nothing,
}

/// Result of an unsuccessful search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotFound {
    /// End of the searched data; a block can only begin there or later.
    pub searched: usize,
    /// Length of data needed to search further.
    pub wanted: usize,
}

impl Search {
    /// Creates a search for the next object that begins with `tag`.
    pub fn for_object(tag: u8, error: Error) -> Self {
        Self::new(Target::Object(tag), error)
    }

    /// Creates a search for the next block of version 6.
    pub fn for_block(error: Error) -> Self {
        Self::new(Target::Block, error)
    }

    /// Creates a search without a target: everything up to the end of the data is damage.
    pub fn for_nothing(error: Error) -> Self {
        Self::new(Target::Nothing, error)
    }

    fn new(target: Target, error: Error) -> Self {
        Self { error, searched: 0, continued: false, has_no_chain: false, target }
    }
}

/// Input of one call of the parser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'d, T: Trace = Off> {
    /// The data.
    pub data: &'d [u8],
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// True if no data follows.
    pub eof: bool,
    /// Listener.
    pub trace: T,
}

impl<'d, T: Trace> Input<'d, T> {
    /// Returns the absolute offset of a position in the data.
    pub fn at(&self, position: usize) -> u64 {
        self.offset + position as u64
    }

    /// Returns a reader of a part of the data.
    pub fn reader(&self, start: usize, end: usize) -> ByteReader<'d, T> {
        ByteReader::traced(self.data.get(start..end).unwrap_or_default(), self.at(start), self.trace)
    }
}

/// Result of one state, and the next state; `None` to stay in the same state.
pub(crate) type Turn<'d> = (Step<'d>, Option<State>);

/// Returns a turn that asks for `wanted` bytes.
pub(crate) fn wait<'d>(wanted: usize) -> Turn<'d> {
    (Step::NeedMoreData { wanted }, None)
}
