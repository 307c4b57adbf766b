//! The structure of a piece of a file down to the byte: what each byte is part of, told by the parser while it reads.

mod field_sizes;
mod record;
mod section;

pub use crate::trace::Reading;
pub use crate::trace::terms::{Role, Term, texts};
pub use field_sizes::{FieldPart, field_sizes};
pub use record::Window;
pub use section::{Layouts, Piece, PieceKind, StructureQuery, structure};

/// A part of a file. Parts without parts of their own are leaves; every byte belongs to exactly one leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub term: &'static Term,
    /// The name of a field of a payload; empty for everything else, which the term names.
    pub field: String,
    /// Which of the things that its block consists of it is, if it is one.
    pub item: Option<u32>,
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// Its bytes. 0 for what is as in the event before.
    pub bytes: u64,
    /// How many parts it is inside of.
    pub depth: u16,
    /// What its bytes are as a value.
    pub reading: Reading,
    /// What the value makes of the one before, where it is a difference.
    pub result: Option<i128>,
    /// What an event is, for the part that is one.
    pub event: Option<EventFacts>,
}

/// What the header of an event comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFacts {
    /// The description it belongs to.
    pub metadata_id: u32,
    /// Raw ticks.
    pub timestamp: i64,
    /// The thread it is about, by the operating system's id or the index in the file.
    pub thread: u64,
    /// Absolute offset of its payload.
    pub payload_offset: u64,
    /// Bytes of its payload.
    pub payload_bytes: u32,
}

impl Part {
    /// Whether its bytes belong to it, and not to its parts.
    pub fn is_leaf(&self) -> bool {
        self.reading != Reading::Parts
    }
}

/// Parts of a piece of a file, in the order of the file, each before its own parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Those that were asked for.
    pub parts: Vec<Part>,
    /// How many there are.
    pub total: u64,
    /// How many things the piece consists of: events, descriptions, stacks, threads or lists of labels.
    pub items: u32,
    /// The one that the asked offset lies in.
    pub item_there: Option<u32>,
    /// The number of the innermost part that has that byte, among those that were asked for.
    pub row_there: Option<u64>,
}
