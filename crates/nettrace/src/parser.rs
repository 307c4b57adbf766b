//! Incremental parser: bytes in, items out.

use crate::block::Damage;
use crate::container::object::{BEGIN_OBJECT, BEGIN_PRIVATE_OBJECT};
use crate::container::{Container, Header, blocks, objects, records, start};
use crate::error::Result;
use crate::framing::{Framing, Input, ObjectFraming, RecordFraming, State, Step, Turn, wait};
use crate::listener::{Off, Trace};
use crate::metadata::MetadataEncoding;

/// Incremental parser of a trace.
///
/// The caller provides bytes, and the parser returns items. The same bytes give the same items, however they are split
/// across calls. The parser stores no bytes, and its memory doesn't grow with the file.
///
/// To read events with their names, fields, threads and stacks, use [`TraceReader`](crate::TraceReader), which drives
/// this parser.
///
/// ```
/// use nettrace::{Item, Parser, Step};
///
/// /// Counts the events of a trace in memory.
/// fn count(trace: &[u8]) -> nettrace::Result<u64> {
/// let (mut parser, mut rest, mut events) = (Parser::new(), trace, 0);
/// while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
/// if let Item::Events(block) = item {
/// let mut headers = block.events();
/// while let Some(Ok(_header)) = headers.next() {
/// events += 1;
/// }
/// }
/// rest = &rest[consumed..];
/// }
/// Ok(events)
/// }
/// # assert!(count(b"not a trace").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    offset: u64,
    state: State,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// Creates a parser for the start of a file.
    pub fn new() -> Self {
        Self { offset: 0, state: State::Start }
    }

    /// Creates a parser for the middle of a file, to read a block again. `offset` is the start of a block.
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

    /// Returns the absolute offset of the first byte that the next call needs.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next item. `data` starts at [`Parser::offset`]; `eof` means that no data follows.
    ///
    /// # Errors
    /// Fails only before the first item: if the file isn't a trace, its version isn't supported, or its header is
    /// damaged. Later damage is an [`Item::Damage`](crate::Item::Damage).
    pub fn parse<'d>(&mut self, data: &'d [u8], eof: bool) -> Result<Step<'d>> {
        self.traced(data, eof, Off)
    }

    /// Runs [`Parser::parse`] with a listener.
    pub(crate) fn traced<'d, T: Trace>(&mut self, data: &'d [u8], eof: bool, trace: T) -> Result<Step<'d>> {
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

fn skip_block_end<'d, T: Trace>(input: &Input<'d, T>, damage: &Damage, framing: Option<Framing>) -> Turn<'d> {
    let consumed = damage.bytes as usize;
    if input.data.len() < consumed && !input.eof {
        return wait(consumed);
    }
    let next = framing.map_or(State::End, State::Framed);
    let consumed = consumed.min(input.data.len());
    input.trace.unreadable(input.at(consumed), &damage.error);
    (Step::Parsed { consumed, item: crate::block::Item::Damage(damage.clone()) }, Some(next))
}
