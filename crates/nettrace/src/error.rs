//! Parser errors with their offset in the file.

use std::fmt;

/// Result of reading from a trace.
pub type Result<T> = std::result::Result<T, Error>;

/// Violation of the format, with its offset in the file.
///
/// `Display` is a sentence for the user and ends with the offset.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    offset: u64,
}

/// Kind of an [`Error`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The data ends too early.
    UnexpectedEof {
        /// Minimum number of missing bytes.
        needed: u64,
    },
    /// The file is neither a nettrace nor a netperf file.
    NotATrace,
    /// The format version is newer than this crate.
    UnsupportedVersion {
        /// Version of the file.
        found: u32,
        /// Newest supported version.
        newest: u32,
    },
    /// The file declares that it requires a newer reader.
    NeedsNewerReader {
        /// Reader version that the file requires.
        needed: u32,
        /// Reader version of this crate.
        known: u32,
    },
    /// The header is damaged; the text names the problem.
    DamagedHeader(&'static str),
    /// The file ends between two blocks, without the end-of-stream marker.
    MissingEndOfStream,
    /// No block begins where one is expected.
    NoBlockHere,
    /// The block doesn't end at its declared size.
    MissingBlockEnd,
    /// A block declares an impossible size.
    BlockTooLarge {
        /// Declared size in bytes.
        bytes: u64,
    },
    /// A block is damaged; the text names the problem.
    DamagedBlock(&'static str),
    /// A size, count or offset exceeds its container; the text names the part.
    OutOfBounds(&'static str),
    /// A variable-length number is longer than its type.
    VarintOverflow,
    /// A metadata record uses a field type that doesn't exist or isn't valid here.
    UnknownFieldType(u32),
    /// The file exceeds a limit far above anything that writers produce; the text names the limited items.
    LimitExceeded(&'static str),
    /// Two parts of the file contradict each other; the text names them and the one that counts.
    Contradiction(&'static str),
    /// An optional part of a row of version 6 has an unknown kind, so the rest of the row is unreadable.
    UnknownOptionalKind(u8),
}

impl Error {
    /// Creates an error at an absolute offset.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Self(Box::new(Inner { kind, offset }))
    }

    /// Creates the error for data that ends at `offset`, `needed` bytes too early.
    #[cold]
    pub(crate) fn eof(needed: u64, offset: u64) -> Self {
        Self::new(ErrorKind::UnexpectedEof { needed }, offset)
    }

    /// Converts an error inside a part of the file. If the part is too short, the file isn't necessarily truncated.
    pub(crate) fn inside(self, part: &'static str, offset: u64) -> Self {
        if self.is_truncation() { Self::new(ErrorKind::OutOfBounds(part), offset) } else { self }
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the absolute offset in the (decompressed) file.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Returns whether the file is only truncated: everything before the offset is readable.
    pub fn is_truncation(&self) -> bool {
        matches!(self.0.kind, ErrorKind::UnexpectedEof { .. } | ErrorKind::MissingEndOfStream)
    }
}

/// Displays a number with thousands separators.
pub(crate) struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            small @ 0..1000 => write!(f, "{small}"),
            large => write!(f, "{},{:03}", Self(large / 1000), large % 1000),
        }
    }
}

/// Describes the error, without the offset and without a period.
impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedEof { needed: 1 } => write!(f, "Truncated: at least 1 more byte expected"),
            Self::UnexpectedEof { needed } => {
                write!(f, "Truncated: at least {} more bytes expected", Grouped(*needed))
            }
            Self::NotATrace => {
                write!(f, "Not a .NET trace: the first bytes match neither .nettrace nor .netperf")
            }
            Self::UnsupportedVersion { found, newest } => {
                write!(f, "Unsupported format version {found}; the newest supported version is {newest}")
            }
            Self::NeedsNewerReader { needed, known } => {
                write!(f, "The trace requires reader version {needed}; this is version {known}")
            }
            Self::DamagedHeader(what) => write!(f, "Damaged trace header: {what}"),
            Self::MissingEndOfStream => write!(f, "No end-of-stream marker: the trace was not closed properly"),
            Self::NoBlockHere => write!(f, "Expected a block header here"),
            Self::MissingBlockEnd => write!(f, "The block doesn't end at its declared size"),
            Self::BlockTooLarge { bytes } => write!(f, "Invalid block size: {} bytes", Grouped(*bytes)),
            Self::DamagedBlock(what) => write!(f, "Damaged block: {what}"),
            Self::OutOfBounds(what) => write!(f, "The {what} exceeds the bounds of its container"),
            Self::VarintOverflow => write!(f, "Invalid varint: too many bytes"),
            Self::UnknownFieldType(code) => write!(f, "Invalid field type {code} in the metadata"),
            Self::LimitExceeded(what) => write!(f, "Too many {what}"),
            Self::Contradiction(what) => write!(f, "Inconsistent data: {what}"),
            Self::UnknownOptionalKind(kind) => write!(f, "Unknown optional field (kind {kind})"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {}).", self.0.kind, Grouped(self.0.offset))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?} at {})", self.0.kind, self.0.offset)
    }
}

impl std::error::Error for Error {}
