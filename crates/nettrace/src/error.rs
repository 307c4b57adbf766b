//! What can be wrong with a trace, told with the place in the file.

use std::fmt;

/// The result of reading something from a trace.
pub type Result<T> = std::result::Result<T, Error>;

/// Something in the file that cannot be read as the format says.
///
/// `Display` is a sentence for the user and ends with the offset in the file.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    offset: u64,
}

/// The kinds of [`Error`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The data ends although at least `needed` more bytes belong to what is being read.
    UnexpectedEof {
        /// How many bytes are missing at least.
        needed: u64,
    },
    /// The file neither starts as nettrace nor as netperf.
    NotATrace,
    /// The format is newer than this program.
    UnsupportedVersion {
        /// The version the file says it has.
        found: u32,
        /// The newest version this program reads.
        newest: u32,
    },
    /// The file says that only newer readers may read it.
    NeedsNewerReader {
        /// The version of a reader that the file needs.
        needed: u32,
        /// The version that this program is a reader of.
        known: u32,
    },
    /// The header at the start of the file contradicts itself; the text says what is wrong.
    DamagedHeader(&'static str),
    /// The file stops between two blocks, without the mark that ends a complete trace.
    MissingEndOfStream,
    /// Where a block has to begin there is something else.
    NoBlockHere,
    /// The byte that closes a block is not where the size of the block says.
    MissingBlockEnd,
    /// A block claims a size that no writer produces.
    BlockTooLarge {
        /// The size the block claims, in bytes.
        bytes: u64,
    },
    /// The beginning of a block contradicts the format; the text says what is wrong.
    DamagedBlock(&'static str),
    /// A size, count or offset reaches past the end of what contains it; the text names what is being read.
    OutOfBounds(&'static str),
    /// A variable-length integer does not end, or does not fit its type.
    VarintOverflow,
    /// Metadata names a field type that does not exist, or not in this place.
    UnknownFieldType(u32),
    /// Metadata nests deeper, or holds more, than any writer produces; the text names what.
    LimitExceeded(&'static str),
    /// Two parts of the file contradict each other; the text says which, and which one counts.
    Contradiction(&'static str),
    /// An optional part of a version 6 row has an unknown kind, so the rest of the row cannot be read.
    UnknownOptionalKind(u8),
}

impl Error {
    /// An error of this kind at this absolute offset.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Self(Box::new(Inner { kind, offset }))
    }

    /// The data ends at `offset`, `needed` bytes too early.
    #[cold]
    pub(crate) fn eof(needed: u64, offset: u64) -> Self {
        Self::new(ErrorKind::UnexpectedEof { needed }, offset)
    }

    /// The same about a part of the file, which is not cut even if the part ends too early.
    pub(crate) fn inside(self, part: &'static str, offset: u64) -> Self {
        if self.is_truncation() { Self::new(ErrorKind::OutOfBounds(part), offset) } else { self }
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where: bytes from the start of the (decompressed) file.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Whether the file is merely cut short: what is there is readable.
    pub fn is_truncation(&self) -> bool {
        matches!(self.0.kind, ErrorKind::UnexpectedEof { .. } | ErrorKind::MissingEndOfStream)
    }
}

/// A whole number with its digits in groups of three.
pub(crate) struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            small @ 0..1000 => write!(f, "{small}"),
            large => write!(f, "{},{:03}", Self(large / 1000), large % 1000),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ErrorKind::UnexpectedEof { needed: 1 } => write!(f, "The data ends at least 1 byte too early")?,
            ErrorKind::UnexpectedEof { needed } => {
                write!(f, "The data ends at least {} bytes too early", Grouped(*needed))?
            }
            ErrorKind::NotATrace => {
                write!(f, "This is not a .NET trace: it starts neither like a .nettrace nor like a .netperf file")?
            }
            ErrorKind::UnsupportedVersion { found, newest } => {
                write!(f, "The trace has format version {found}; the newest that can be read is {newest}")?
            }
            ErrorKind::NeedsNewerReader { needed, known } => {
                write!(f, "The trace needs a reader of version {needed}; this one is of version {known}")?
            }
            ErrorKind::DamagedHeader(what) => write!(f, "The header of the trace is damaged: {what}")?,
            ErrorKind::MissingEndOfStream => {
                write!(f, "The trace has no end mark: it was not completed when it was written")?
            }
            ErrorKind::NoBlockHere => write!(f, "A block should begin here, but the bytes are something else")?,
            ErrorKind::MissingBlockEnd => write!(f, "The block does not end where its size says")?,
            ErrorKind::BlockTooLarge { bytes } => {
                write!(f, "A block claims to be {} bytes long, which cannot be", Grouped(*bytes))?
            }
            ErrorKind::DamagedBlock(what) => write!(f, "A block is damaged: {what}")?,
            ErrorKind::OutOfBounds(what) => write!(f, "The {what} reaches past the end of what contains it")?,
            ErrorKind::VarintOverflow => write!(f, "A variable-length number is longer than it can be")?,
            ErrorKind::UnknownFieldType(code) => {
                write!(f, "The metadata uses the field type {code}, which does not exist here")?
            }
            ErrorKind::LimitExceeded(what) => write!(f, "There are too many {what}")?,
            ErrorKind::Contradiction(what) => write!(f, "The file contradicts itself: {what}")?,
            ErrorKind::UnknownOptionalKind(kind) => write!(f, "An optional part has the unknown kind {kind}")?,
        }
        write!(f, " (at byte {}).", Grouped(self.0.offset))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?} at {})", self.0.kind, self.0.offset)
    }
}

impl std::error::Error for Error {}
