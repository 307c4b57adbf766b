//! Structure of a section of a file, down to the byte, for hex viewers and for checking writers.
//!
//! Every byte belongs to exactly one leaf. The parser itself reports the parts while it reads, so they can't differ
//! from what the rest of this crate reads. [`structure()`] returns the parts of a section, and [`field_sizes`] the size
//! of each field of a payload.
//!
//! ```
//! use nettrace::structure::{Section, SectionKind, StructureQuery, Window, structure};
//!
//! /// Prints the parts of the header of a trace in memory.
//! fn print_header(trace: &[u8]) -> nettrace::Result<()> {
//! let nettrace::Step::Parsed { consumed, .. } = nettrace::Parser::new().parse(trace, true)? else { return Ok(()) };
//! let section =
//! Section { kind: SectionKind::Header, offset: 0, bytes: consumed as u64, data: trace, eof: true };
//! let query = StructureQuery { window: Window::Everything, parts: 0..u64::MAX, offset: 0 };
//! for part in structure(&section, &query, &|_| None).parts {
//! println!("{:>8} {:>4} {} {:?}", part.offset, part.bytes, part.term.name, part.reading);
//! }
//! Ok(())
//! }
//! # assert!(print_header(b"not a trace").is_err());
//! ```

mod field_sizes;
mod record;
mod section;

pub use crate::listener::PartValue;
pub use crate::listener::terms::{Role, Term, texts};
pub use field_sizes::{FieldPart, field_sizes};
pub use record::Window;
pub use section::{Layouts, Section, SectionKind, StructureQuery, structure};

/// Part of a section. Parts without inner parts are leaves. Every byte belongs to exactly one leaf.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Meaning of the part.
    pub term: &'static Term,
    /// Name of the payload field; empty for all other parts, which the term names.
    pub field: String,
    /// Index of the item, if the part is an item of its block: an event, metadata record, stack, thread or label list.
    pub item: Option<u32>,
    /// Absolute offset of the first byte.
    pub offset: u64,
    /// Number of bytes. 0 for values inherited from the previous event.
    pub bytes: u64,
    /// Number of parts that contain this one.
    pub depth: u16,
    /// Value.
    pub reading: PartValue,
    /// Result, if the value is a difference from the previous one.
    pub result: Option<i128>,
    /// Summary of the event, if the part is one.
    pub event: Option<EventFacts>,
}

/// Summary of an event header.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFacts {
    /// ID of the metadata record.
    pub metadata_id: u32,
    /// Raw timestamp in ticks.
    pub timestamp: i64,
    /// Thread that the event is about: an OS thread ID, in version 6 an index of the thread table.
    pub thread: u64,
    /// Absolute offset of the payload.
    pub payload_offset: u64,
    /// Bytes of the payload.
    pub payload_bytes: u32,
}

impl Part {
    /// Returns whether the part has a value and no inner parts.
    pub fn is_leaf(&self) -> bool {
        self.reading != PartValue::Parts
    }
}

/// Parts of a section in file order, each before its inner parts.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Requested parts.
    pub parts: Vec<Part>,
    /// Number of parts in the window.
    pub total: u64,
    /// Number of items: events, metadata records, stacks, threads or label lists.
    pub items: u32,
    /// Index of the item at the requested offset.
    pub item_at_offset: Option<u32>,
    /// Position in the window of the innermost part at the requested offset.
    pub row_at_offset: Option<u64>,
}
