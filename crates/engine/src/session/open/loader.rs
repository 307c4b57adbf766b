//! From bytes as they arrive to a store.

use super::failures;
use super::text_transfer::{EXAMINED_BYTES, TextDamage};
use crate::analysis::timeline::overview::live_overview;
use crate::model::{Ingest, Store};
use crate::session::container::Checksum;
use nettrace::{Parser, Step};
use protocol::Failure;
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::tables::Overview;

/// Reads a trace that arrives in pieces of any size.
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
    /// What was not parsed yet is `buffer[parsed..filled]`; what is behind is reused without being cleared.
    buffer: Vec<u8>,
    parsed: usize,
    filled: usize,
    /// The parser can do nothing with fewer unparsed bytes than this.
    wanted: usize,
    prefix: Vec<u8>,
    received: u64,
    ended: bool,
    expected: Option<(Checksum, crc32fast::Hasher)>,
    notes: Vec<(u64, String)>,
    cause: Option<&'static str>,
    /// The last bytes of the file and their position, until the header is known.
    tail: Option<(Vec<u8>, u64)>,
}

/// What [`Loader::advance`] came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// There is more to parse in what was appended.
    Paused,
    /// More bytes are needed.
    Starved,
    /// The trace ended; bytes after its end mark are ignored.
    Ended,
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}

impl Loader {
    /// A loader that has seen nothing.
    pub fn new() -> Self {
        Self::of(Window::default(), MAX_ROWS)
    }

    /// A loader that has seen nothing, and will index the events of a window, at most about `most_rows`.
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
        }
    }

    /// Appends `length` bytes, which `fill` writes into the space it is given.
    ///
    /// The one buffer is reused: what is left of a block that was cut moves to its front first, and a block that is
    /// larger than all pieces stays where it is while it grows.
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
        fill(&mut self.buffer[start..self.filled]);
        let missing = EXAMINED_BYTES.saturating_sub(self.prefix.len()).min(length);
        self.prefix.extend_from_slice(&self.buffer[start..start + missing]);
        self.received += length as u64;
        if let Some((_, crc)) = &mut self.expected {
            crc.update(&self.buffer[start..self.filled]);
        }
    }

    /// Compares everything that is appended from now on with what an archive says of it.
    pub fn expect(&mut self, checksum: Checksum) {
        self.expected = Some((checksum, crc32fast::Hasher::new()));
    }

    /// Adds a problem that was found on the way to the bytes, behind those that have arrived.
    pub fn note(&mut self, message: &str) {
        self.notes.push((self.received, message.to_owned()));
    }

    /// Adds what caused the problems of this file, before all of them.
    pub fn note_cause(&mut self, cause: &'static str) {
        self.cause = Some(cause);
    }

    /// Looks at the last bytes of the file, from `offset` on, for the time at which the trace may end: the overview then
    /// leaves room for what is to come.
    pub fn look_ahead(&mut self, tail: Vec<u8>, offset: u64) {
        self.tail = Some((tail, offset));
    }

    /// Parses what was appended, about `at_most` bytes of it (always whole blocks).
    ///
    /// # Errors
    /// If nothing of the file can be read. Damage behind the header is no error.
    pub fn advance(&mut self, at_most: usize) -> Result<Progress, Failure> {
        self.parse(at_most, false)
    }

    /// Bytes appended so far.
    pub fn received_bytes(&self) -> u64 {
        self.received
    }

    /// Bytes parsed so far.
    pub fn parsed_bytes(&self) -> u64 {
        self.parser.offset()
    }

    /// Events read so far.
    pub fn event_count(&self) -> u64 {
        self.ingest.event_count()
    }

    /// Event density of what was read so far.
    pub fn overview(&self) -> Overview {
        live_overview(&self.ingest)
    }

    /// A store of what was parsed so far; none before the header. Reading goes on as if it had not been asked.
    ///
    /// # Errors
    /// If memory for it cannot be had.
    pub fn preview(&self) -> Result<Option<Store>, Failure> {
        self.ingest.preview().map_err(|error| failures::out_of_memory(&error))
    }

    /// Parses the rest, now that no more bytes come, and builds the store.
    ///
    /// # Errors
    /// If nothing of the file can be read. A trace that is cut or damaged behind its header gives a store
    /// with diagnostics.
    pub fn finish(mut self) -> Result<Store, Failure> {
        if self.received == 0 {
            return Err(failures::empty_file());
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
        // One of another size was cut, which has been said already.
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
            let step =
                self.parser.parse(data, eof).map_err(|error| failures::unreadable_trace(&error, &self.prefix))?;
            match step {
                Step::Parsed { consumed, item } => {
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
