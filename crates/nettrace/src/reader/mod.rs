//! Reader of events with resolved references.

mod buffer;
mod event;
mod event_type;
mod issue;
mod losses;
mod region;
mod tables;
mod thread;

pub use event::{Event, Stack};
pub use event_type::EventType;
pub use issue::{Issue, IssueKind};
pub use thread::Thread;

use crate::block::{Item, SavedEvents, SequencePoint};
use crate::container::{Container, Header};
use crate::error::Error;
use crate::framing::Step;
use crate::parser::Parser;
use buffer::Buffer;
use issue::Issues;
use losses::Losses;
use region::Region;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use tables::{Resolved, Tables};

/// Reads the events of a trace with everything they refer to: name, fields, thread, labels and call stack.
///
/// Events come in file order: the events of one capture thread are in time order, and those of several threads are
/// interleaved in runs. [`TraceReader::sorted`] returns them in time order.
///
/// Damage doesn't stop the reader. It returns everything readable; [`TraceReader::issues`] reports the rest.
///
/// Memory is bounded by the tables of the trace (event types, threads, and the stacks and labels between two sequence points),
/// not by its length.
///
/// The caller must decompress compressed traces, for example by wrapping the source in a decoder.
///
/// ```no_run
/// use nettrace::TraceReader;
///
/// let mut reader = TraceReader::open("app.nettrace")?;
/// while let Some(event) = reader.next_event()? {
/// println!("{:>12} ns  thread {:?}  {}", event.nanos(), event.thread().id(), event.event_type());
/// for (name, value) in event.fields() {
/// println!("    {name}: {value}");
/// }
/// }
/// # Ok::<(), nettrace::ReadError>(())
/// ```
pub struct TraceReader<R> {
    buffer: Buffer<R>,
    parser: Parser,
    header: Header,
    tables: Tables,
    losses: Losses,
    issues: Issues,
    /// Event block at the front of the buffer, whose events are being returned.
    block: Option<Block>,
    /// Events that wait to be sorted; `None` in file order.
    region: Option<Region>,
    /// Sequence point that takes effect after the waiting events were returned.
    point: Option<SequencePoint>,
    is_finished: bool,
    is_complete: bool,
}

/// Event block, and the last event that was decoded.
#[derive(Debug)]
struct Block {
    events: SavedEvents,
    bytes: usize,
    resolved: Resolved,
}

/// Failure to read a trace.
#[non_exhaustive]
#[derive(Debug)]
pub enum ReadError {
    /// Reading from the source failed.
    Io(io::Error),
    /// The source isn't a trace, its version isn't supported, or its header is damaged.
    Trace(Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "Can't read the trace: {error}."),
            Self::Trace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Trace(error) => Some(error),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for ReadError {
    fn from(error: Error) -> Self {
        Self::Trace(error)
    }
}

impl<R> fmt::Debug for TraceReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceReader")
            .field("offset", &self.parser.offset())
            .field("header", &self.header)
            .field("is_finished", &self.is_finished)
            .finish_non_exhaustive()
    }
}

impl TraceReader<File> {
    /// Opens a file and reads the header of the trace in it.
    ///
    /// # Errors
    /// If the file can't be read, isn't a trace, its version isn't supported, or its header is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::new(File::open(path)?)
    }
}

impl<R: Read> TraceReader<R> {
    /// Reads the header of a trace. The source needs no buffering.
    ///
    /// # Errors
    /// If reading from the source fails, the source isn't a trace, its version isn't supported, or its header is damaged.
    pub fn new(source: R) -> Result<Self, ReadError> {
        let (mut buffer, mut parser) = (Buffer::new(source), Parser::new());
        let header = loop {
            let wanted = match parser.parse(buffer.data(), buffer.is_at_end())? {
                Step::NeedMoreData { wanted } => wanted,
                Step::Parsed { consumed, item } => {
                    let Item::Header(header) = item else { continue };
                    buffer.consume(consumed);
                    break header;
                }
                // The first step of every trace is its header.
                Step::End => return Err(Error::new(crate::ErrorKind::NotATrace, 0).into()),
            };
            buffer.fill(wanted)?;
        };
        let mut issues = Issues::default();
        header.warnings.iter().for_each(|warning| issues.add(0, IssueKind::HeaderWarning(warning.clone())));
        Ok(Self {
            buffer,
            parser,
            tables: Tables::new(&header),
            losses: Losses::new(header.container == Container::Nettrace),
            header,
            issues,
            block: None,
            region: None,
            point: None,
            is_finished: false,
            is_complete: false,
        })
    }

    /// Returns events in time order instead of file order.
    ///
    /// Events wait in memory until no later event in the file can be earlier: until the next sequence point, or an
    /// event that the runtime marked as sorted (about 100 ms in practice). If more than 64 MiB of events wait, as in
    /// damaged files, they are returned early, and [`IssueKind::Unsorted`] reports if that breaks the order.
    /// Simultaneous events are ordered by capture thread; in netperf files, they stay in file order.
    pub fn sorted(mut self) -> Self {
        let has_numbers = self.header.container == Container::Nettrace;
        self.region.get_or_insert_with(|| Region::new(has_numbers));
        self
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the next event; `None` at the end of the trace.
    ///
    /// # Errors
    /// If reading from the source fails.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        let has_event = match self.region {
            Some(_) => self.advance_sorted()?,
            None => self.advance()?,
        };
        Ok(if has_event { self.current() } else { None })
    }

    /// Returns the current event.
    fn current(&self) -> Option<Event<'_>> {
        let Self { header, tables, .. } = self;
        if let Some(region) = &self.region {
            let (stored, payload, inline_stack) = region.current()?;
            return Event::new(header, tables, &stored.header, payload, inline_stack, stored.resolved);
        }
        let block = self.block.as_ref()?;
        let (payload, inline_stack) = block.events.last_payload(self.buffer.data(), self.buffer.offset());
        Event::new(header, tables, block.events.last(), payload, inline_stack, block.resolved)
    }

    /// Advances to the next event of the file. Returns whether there is one.
    fn advance(&mut self) -> Result<bool, ReadError> {
        loop {
            if self.advance_in_block() {
                return Ok(true);
            }
            if !self.next_item()? {
                return Ok(false);
            }
            self.apply_point();
        }
    }

    /// Advances to the next event in time order. Returns whether there is one.
    fn advance_sorted(&mut self) -> Result<bool, ReadError> {
        loop {
            if self.region.as_mut().is_some_and(Region::advance) {
                return Ok(true);
            }
            self.apply_point();
            if self.is_finished {
                return Ok(false);
            }
            self.collect()?;
        }
    }

    /// Collects events until some of them can be returned in time order.
    fn collect(&mut self) -> Result<(), ReadError> {
        loop {
            while self.advance_in_block() {
                let Some(block) = &self.block else { break };
                let (payload, inline_stack) = block.events.last_payload(self.buffer.data(), self.buffer.offset());
                if let Some(region) = &mut self.region {
                    region.push(block.events.last(), payload, inline_stack, block.resolved);
                }
            }
            let continues = self.next_item()?;
            let is_over = !continues || self.point.is_some();
            let Some(region) = &mut self.region else { return Ok(()) };
            if region.sort(is_over, &mut self.issues) || is_over {
                return Ok(());
            }
        }
    }

    /// Decodes and resolves the next event of the current block. Returns whether there is one.
    fn advance_in_block(&mut self) -> bool {
        let Some(block) = &mut self.block else { return false };
        let mut events = block.events.resume(self.buffer.data(), self.buffer.offset());
        match events.next() {
            Some(Ok(header)) => {
                self.losses.event(header.capture_thread, header.sequence);
                block.resolved = self.tables.resolve(header, &mut self.issues);
                block.events = events.save();
                return true;
            }
            Some(Err(error)) => {
                self.losses.damage();
                let bytes = events.unread();
                self.issues.add(error.offset(), IssueKind::Damage { bytes, error });
            }
            None => {}
        }
        let bytes = block.bytes;
        self.block = None;
        self.buffer.consume(bytes);
        false
    }

    /// Reads the next item of the parser. Returns whether there is one.
    fn next_item(&mut self) -> Result<bool, ReadError> {
        while !self.is_finished {
            let wanted = match self.parser.parse(self.buffer.data(), self.buffer.is_at_end())? {
                Step::NeedMoreData { wanted } => wanted,
                Step::Parsed { consumed, item } => {
                    let mut is_event_block = false;
                    match item {
                        Item::Events(block) => {
                            let (events, resolved) = (block.saved_events(), Resolved::default());
                            self.block = Some(Block { events, bytes: consumed, resolved });
                            is_event_block = true;
                        }
                        Item::SequencePoint(point) => self.point = Some(point),
                        Item::RemovedThreads(removed) => {
                            for &(thread, sequence) in &removed.threads {
                                self.losses.checkpoint(thread, sequence);
                                self.losses.forget(thread);
                                self.tables.remove_thread(thread);
                            }
                        }
                        Item::Damage(damage) => {
                            if !damage.continued {
                                self.losses.damage();
                            }
                            let kind = IssueKind::Damage { bytes: damage.bytes, error: damage.error };
                            self.issues.add(damage.offset, kind);
                        }
                        Item::EndOfStream(_) => self.is_complete = true,
                        item => self.tables.add(item, &mut self.issues),
                    }
                    if !is_event_block {
                        self.buffer.consume(consumed);
                    }
                    return Ok(true);
                }
                Step::End => {
                    self.is_finished = true;
                    break;
                }
            };
            self.buffer.fill(wanted)?;
        }
        Ok(false)
    }

    /// Ends the region of the file at a sequence point: stacks, labels, and tables according to its flags.
    fn apply_point(&mut self) {
        if let Some(point) = self.point.take() {
            self.losses.sequence_point(&point);
            self.tables.sequence_point(&point);
        }
    }
}

impl<R> TraceReader<R> {
    /// Returns the event types so far, by [`Event::type_index`].
    pub fn event_types(&self) -> &[EventType] {
        self.tables.types()
    }

    /// Returns the threads so far.
    pub fn threads(&self) -> &[Thread] {
        self.tables.threads()
    }

    /// Returns the problems so far, in file order. At most 1,000 are recorded.
    pub fn issues(&self) -> &[Issue] {
        self.issues.kept()
    }

    /// Returns the number of problems so far, including those that weren't recorded.
    pub fn issue_count(&self) -> u64 {
        self.issues.count()
    }

    /// Returns the number of lost events so far, from gaps in the sequence numbers; `None` in netperf files, which have
    /// none. Doesn't count events in damaged parts of the file.
    pub fn lost_events(&self) -> Option<u64> {
        self.losses.count()
    }

    /// Returns whether the end-of-stream marker was read. If not, at the end of a trace, it is truncated or was still
    /// being written.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the absolute offset of the next byte to parse, for progress displays.
    pub fn offset(&self) -> u64 {
        self.parser.offset()
    }
}
