//! Loads a store from bytes as they arrive.

mod regions;

pub use regions::Shared;

use super::failures;
use super::text_transfer::{EXAMINED_BYTES, TextDamage};
use crate::analysis::timeline::overview::live_overview;
use crate::model::{Ingest, SharedWork, Store};
use crate::session::container::Checksum;
use nettrace::{Item, Parser, Step};
use protocol::Failure;
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::tables::Overview;
use regions::SharedRegion;
use std::collections::VecDeque;
use std::time::Instant;

/// Loader of a trace that arrives in pieces of any size.
///
/// ```
/// use traceglass_engine::session::{Loader, Progress};
///
/// # fn main() {
/// let mut loader = Loader::new();
/// for piece in [&b"no tra"[..], &b"ce at all, whatever the name says"[..]] {
///     loader.append(piece.len(), |space| space.copy_from_slice(piece));
///     while let Ok(Progress::Paused) = loader.advance(1 << 20) {}
/// }
/// assert!(loader.finish().is_err());
/// # }
/// ```
pub struct Loader {
    parser: Parser,
    ingest: Ingest,
    /// Unparsed bytes are `buffer[parsed..filled]`; the rest is reused without being cleared.
    buffer: Vec<u8>,
    parsed: usize,
    filled: usize,
    /// Minimum number of unparsed bytes with which the parser can proceed.
    wanted: usize,
    prefix: Vec<u8>,
    received: u64,
    ended: bool,
    expected: Option<(Checksum, crc32fast::Hasher)>,
    notes: Vec<(u64, String)>,
    cause: Option<&'static str>,
    /// The last bytes of the file and their position, until the header is known.
    tail: Option<(Vec<u8>, u64)>,
    threads: usize,
    /// Work to fill the buffer, which threads share.
    filling: SharedWork,
    /// True if the last item was a sequence point.
    is_between_regions: bool,
    shares_regions: bool,
    /// Regions that other workers read, in file order.
    shared: VecDeque<SharedRegion>,
}

/// Result of [`Loader::advance`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// More of the appended bytes remain to be parsed.
    Paused,
    /// More bytes are needed.
    Starved,
    /// The trace ended; bytes after the end-of-stream marker are ignored.
    Ended,
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}

impl Loader {
    /// Returns an empty loader.
    pub fn new() -> Self {
        Self::of(Window::default(), MAX_ROWS)
    }

    /// Returns an empty loader that indexes the events of a window, at most about `most_rows`.
    pub fn of(window: Window, most_rows: u64) -> Self {
        Self {
            parser: Parser::new(),
            ingest: Ingest::of(window, most_rows),
            buffer: Vec::new(),
            parsed: 0,
            filled: 0,
            wanted: 1,
            prefix: Vec::new(),
            received: 0,
            ended: false,
            expected: None,
            notes: Vec::new(),
            cause: None,
            tail: None,
            threads: 1,
            filling: SharedWork::default(),
            is_between_regions: false,
            shares_regions: false,
            shared: VecDeque::new(),
        }
    }

    /// Uses up to this number of threads. [`Loader::advance`] then parses all appended bytes up to the last sequence
    /// point, and leaves the others until more arrive.
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// WebAssembly has no threads; so the page doesn't contain what they need.
    fn uses_threads(&self) -> bool {
        !cfg!(target_arch = "wasm32") && self.threads > 1
    }

    /// Returns the time of the work that threads share, so far.
    pub fn shared_work(&self) -> SharedWork {
        let mut work = self.filling;
        work += self.ingest.shared_work();
        work
    }

    /// Returns the maximum number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Appends `length` bytes, which `fill` writes into the given slice.
    ///
    /// The buffer is reused. An incomplete block moves to its front, unless it is still growing.
    pub fn append(&mut self, length: usize, fill: impl FnOnce(&mut [u8])) {
        if self.parsed > 0 {
            self.buffer.copy_within(self.parsed..self.filled, 0);
            self.filled -= self.parsed;
            self.parsed = 0;
        }
        let start = self.filled;
        self.filled += length;
        if self.buffer.len() < self.filled {
            self.buffer.resize(self.filled, 0);
        }
        let started = self.uses_threads().then(Instant::now);
        fill(&mut self.buffer[start..self.filled]);
        if let Some(started) = started {
            let aside = started.elapsed();
            self.filling += SharedWork { done: aside * self.threads as u32, aside };
        }
        let missing = EXAMINED_BYTES.saturating_sub(self.prefix.len()).min(length);
        self.prefix.extend_from_slice(&self.buffer[start..start + missing]);
        self.received += length as u64;
        if let Some((_, crc)) = &mut self.expected {
            crc.update(&self.buffer[start..self.filled]);
        }
    }

    /// Verifies all further bytes against a checksum from an archive.
    pub fn expect(&mut self, checksum: Checksum) {
        self.expected = Some((checksum, crc32fast::Hasher::new()));
    }

    /// Adds a problem with the source at the current end of the data.
    pub fn note(&mut self, message: &str) {
        self.notes.push((self.received, message.to_owned()));
    }

    /// Adds the cause of all other parse issues, before them.
    pub fn note_cause(&mut self, cause: &'static str) {
        self.cause = Some(cause);
    }

    /// Searches the last bytes of the file, starting at `offset`, for the end time of the trace, so that the overview
    /// covers it.
    pub fn look_ahead(&mut self, tail: Vec<u8>, offset: u64) {
        self.tail = Some((tail, offset));
    }

    /// Parses about `at_most` of the appended bytes (always whole blocks).
    ///
    /// # Errors
    /// Fails if the header can't be read. Later damage isn't an error.
    pub fn advance(&mut self, at_most: usize) -> Result<Progress, Failure> {
        self.parse(at_most, false)
    }

    /// Returns the number of appended bytes.
    pub fn received_bytes(&self) -> u64 {
        self.received
    }

    /// Returns the number of parsed bytes.
    pub fn parsed_bytes(&self) -> u64 {
        self.parser.offset()
    }

    /// Returns whether all that is left is the end-of-stream marker, after which a recording writes nothing. The parser
    /// doesn't read it until there are no more bytes, because in a damaged file a block can follow.
    pub fn is_at_end_marker(&self) -> bool {
        const LONGEST_MARKER_BYTES: usize = 8;
        let rest = self.buffer.get(self.parsed..self.filled).unwrap_or_default();
        rest.len() <= LONGEST_MARKER_BYTES
            && matches!(self.parser.clone().parse(rest, true), Ok(Step::Parsed { item: Item::EndOfStream(_), .. }))
    }

    /// Returns the number of events so far.
    pub fn event_count(&self) -> u64 {
        self.ingest.event_count()
    }

    /// Returns the event density of the parsed part.
    pub fn overview(&self) -> Overview {
        live_overview(&self.ingest)
    }

    /// Returns a store of the parsed part; `None` before the header. Loading continues unaffected.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn preview(&self) -> Result<Option<Store>, Failure> {
        self.ingest.preview().map_err(|error| failures::out_of_memory(&error))
    }

    /// Parses the rest, after all bytes have arrived, and builds the store.
    ///
    /// # Errors
    /// Fails if the header can't be read. Later truncation or damage becomes parse issues of the store.
    pub fn finish(mut self) -> Result<Store, Failure> {
        if self.received == 0 {
            return Err(failures::empty_file());
        }
        while !self.shared.is_empty() {
            self.add_region(None)?;
        }
        while self.parse(usize::MAX, true)? == Progress::Paused {}
        self.buffer = Vec::new();
        self.compare();
        for (offset, message) in &self.notes {
            self.ingest.note(*offset, message);
        }
        let damage = || TextDamage::of(&self.prefix).map(TextDamage::message);
        let cause = self.cause.or_else(|| if self.ingest.has_problems() { damage() } else { None });
        if let Some(cause) = cause {
            self.ingest.note_cause(cause);
        }
        self.ingest.finish().map_err(|error| failures::out_of_memory(&error))
    }

    fn compare(&mut self) {
        let Some((expected, crc)) = self.expected.take() else { return };
        // If the size differs, the file was truncated, which is already reported.
        if expected.bytes == self.received && expected.crc32 != crc.finalize() {
            self.note("Checksum mismatch: this trace may be corrupted.");
        }
    }

    fn parse(&mut self, at_most: usize, eof: bool) -> Result<Progress, Failure> {
        let stop = self.parsed.saturating_add(at_most);
        loop {
            if self.ended {
                self.parsed = self.filled;
                return Ok(Progress::Ended);
            }
            let data = self.buffer.get(self.parsed..self.filled).unwrap_or_default();
            if data.len() < self.wanted && !eof {
                return Ok(Progress::Starved);
            }
            if self.parsed >= stop {
                return Ok(Progress::Paused);
            }
            if self.shares_regions && self.is_between_regions && !eof {
                return Ok(Progress::Paused);
            }
            if self.uses_threads() && self.is_between_regions {
                let is_rest_unknown = self.parse_regions(eof)?;
                self.is_between_regions = false;
                if is_rest_unknown && !eof && self.filled - self.parsed < regions::LONGEST_BYTES {
                    self.is_between_regions = true;
                    return Ok(Progress::Starved);
                }
                continue;
            }
            let step =
                self.parser.parse(data, eof).map_err(|error| failures::unreadable_trace(&error, &self.prefix))?;
            match step {
                Step::Parsed { consumed, item } => {
                    self.is_between_regions = matches!(item, Item::SequencePoint(_)) && self.ingest.reads_regions();
                    self.ingest.item(item).map_err(|error| failures::out_of_memory(&error))?;
                    self.parsed += consumed;
                    self.wanted = 1;
                    if self.ingest.header().is_some()
                        && let Some((tail, offset)) = self.tail.take()
                    {
                        self.ingest.look_ahead(&tail, offset);
                    }
                }
                Step::NeedMoreData { wanted } => self.wanted = wanted.max(data.len() + 1),
                Step::End => self.ended = true,
            }
        }
    }
}
