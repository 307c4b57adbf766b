//! The parser: turns bytes, as they come, into items.

use crate::block::metadata::MetadataEncoding;
use crate::block::{Damage, Item};
use crate::container::blocks;
use crate::container::header::{Container, Header};
use crate::container::object::{BEGIN_OBJECT, BEGIN_PRIVATE_OBJECT};
use crate::container::objects::{self, ObjectFraming};
use crate::container::records::{self, RecordFraming};
use crate::container::start;
use crate::error::Result;
use crate::recovery::Search;
use crate::trace::{Off, Trace};
use crate::wire::byte_reader::Reader;

/// What a call of [`Parser::parse`] achieved.
#[derive(Clone, Debug)]
pub enum Step<'d, T: Trace = Off> {
    /// Nothing yet. Call again with at least `wanted` bytes from [`Parser::offset`] on, or with all there are and `eof`.
    NeedMoreData {
        /// Total length of the data that makes progress possible; always more than was given.
        wanted: usize,
    },
    /// One part of the file.
    Parsed {
        /// How many bytes of the data are done with; may be 0.
        consumed: usize,
        /// What they are.
        item: Item<'d, T>,
    },
    /// There is nothing more to read, whatever data follows.
    End,
}

/// Reads a trace piece by piece. The same bytes give the same items, however they are divided over the calls.
///
/// The parser keeps no data. See the [module](super) for an example.
#[derive(Clone, Debug)]
pub struct Parser {
    offset: u64,
    state: State,
}

/// What the parser expects.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The header.
    Start,
    /// The next block.
    Framed(Framing),
    /// The next block, somewhere behind damage.
    Searching(Search),
    /// Nothing but to report that the end of a block cannot be read; `None`: the data ends there.
    BlockEnd(Damage, Option<Framing>),
    /// Nothing.
    End,
}

/// How blocks are told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// Objects: netperf 3, nettrace 4 and 5.
    Objects(ObjectFraming),
    /// Only the events' own sizes: netperf 1 and 2.
    Records(RecordFraming),
    /// Kind and size: nettrace 6.
    Blocks,
}

/// The data of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'d, T: Trace = Off> {
    /// The data.
    pub data: &'d [u8],
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// Whether nothing follows.
    pub eof: bool,
    /// Who is told what is read.
    pub trace: T,
}

impl<'d, T: Trace> Input<'d, T> {
    /// The absolute offset of a position in the data.
    pub fn at(&self, position: usize) -> u64 {
        self.offset + position as u64
    }

    /// A reader of a part of the data.
    pub fn reader(&self, start: usize, end: usize) -> Reader<'d, T> {
        Reader::traced(self.data.get(start..end).unwrap_or_default(), self.at(start), self.trace)
    }
}

/// What a state makes of the data, and the state that follows; `None`: the same.
pub(crate) type Turn<'d, T> = (Step<'d, T>, Option<State>);

/// Nothing can be done with less than `wanted` bytes.
pub(crate) fn wait<'d, T: Trace>(wanted: usize) -> Turn<'d, T> {
    (Step::NeedMoreData { wanted }, None)
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// A parser at the start of a file.
    pub fn new() -> Self {
        Self { offset: 0, state: State::Start }
    }

    /// A parser at the first byte of a block, to read that block once more.
    pub fn at_block(header: &Header, offset: u64) -> Self {
        let framing = match (header.container, header.version) {
            (Container::Netperf, 1) => Framing::Records(RecordFraming::new(MetadataEncoding::Netperf1)),
            (Container::Netperf, 2) => Framing::Records(RecordFraming::new(MetadataEncoding::Netperf2)),
            (Container::Netperf, _) => Framing::Objects(ObjectFraming::new(BEGIN_OBJECT)),
            (Container::Nettrace, ..6) => Framing::Objects(ObjectFraming::new(BEGIN_PRIVATE_OBJECT)),
            (Container::Nettrace, _) => Framing::Blocks,
        };
        Self { offset, state: State::Framed(framing) }
    }

    /// Absolute offset of the first byte that the next call needs.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next item. `data` starts at [`Parser::offset`]; `eof` says that nothing follows it.
    ///
    /// # Errors
    /// Only before the first item, if nothing can be read: not a trace, a version that is not known, or a damaged
    /// header. Later damage is an [`Item::Damage`].
    pub fn parse<'d>(&mut self, data: &'d [u8], eof: bool) -> Result<Step<'d>> {
        self.traced(data, eof, Off)
    }

    /// The same, and tells what is read.
    pub(crate) fn traced<'d, T: Trace>(&mut self, data: &'d [u8], eof: bool, trace: T) -> Result<Step<'d, T>> {
        let input = Input { data, offset: self.offset, eof, trace };
        trace.restart(self.offset);
        let (step, next) = match &mut self.state {
            State::Start => start::read(&input)?,
            State::Framed(Framing::Objects(framing)) => objects::read(&input, *framing),
            State::Framed(Framing::Records(framing)) => records::read(&input, *framing),
            State::Framed(Framing::Blocks) => blocks::read(&input),
            State::Searching(search) => search.step(&input),
            State::BlockEnd(damage, framing) => skip_block_end(&input, damage, *framing),
            State::End => (Step::End, None),
        };
        if let Some(next) = next {
            self.state = next;
        }
        if let Step::Parsed { consumed, .. } = &step {
            self.offset += *consumed as u64;
        }
        Ok(step)
    }
}

fn skip_block_end<'d, T: Trace>(input: &Input<'d, T>, damage: &Damage, framing: Option<Framing>) -> Turn<'d, T> {
    let consumed = damage.bytes as usize;
    if input.data.len() < consumed && !input.eof {
        return wait(consumed);
    }
    let next = framing.map_or(State::End, State::Framed);
    let consumed = consumed.min(input.data.len());
    input.trace.unreadable(input.at(consumed), &damage.error);
    (Step::Parsed { consumed, item: Item::Damage(damage.clone()) }, Some(next))
}
