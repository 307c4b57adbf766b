//! A hook through which the parser tells what it reads and where: how the structure of bytes is shown by the code that
//! reads them, and by no other.
//!
//! Every read names the [`Term`] that it is of. Whoever only wants the values passes [`Off`], with which all of this is
//! compiled away.

pub(crate) mod terms;

use crate::block::event_header::EventHeader;
use crate::error::Error;
use crate::payload::field::FieldType;
use crate::wire::guid::Guid;

use crate::payload::value::Value;
use std::fmt::Debug;
use terms::Term;

/// What the bytes of a part are as a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Nothing by itself: the value is in the parts.
    Parts,
    /// Little endian, unsigned, as wide as the part.
    Unsigned(u64),
    /// Little endian, signed, as wide as the part.
    Signed(i64),
    /// LEB128, before anything is made of it.
    Varint(u64),
    /// 16 bytes.
    Guid(Guid),
    /// Text in UTF-8.
    Utf8(String),
    /// Text in UTF-16 with the NUL that ends it.
    Utf16(String),
    /// Bytes that are not read any further.
    Raw,
    /// A value of a payload by the type of its field.
    Field(FieldType, Value),
    /// Bytes that cannot be read, and why.
    Unreadable(Error),
    /// As many elements of this type as the bytes hold.
    Elements(FieldType, Value),
    /// No bytes: the part is left out of the file because it has the same value as the one before.
    Inherited(i128),
}

/// Listens to the parser. Everything does nothing unless it is overridden.
pub trait Trace: Copy + Debug {
    /// Whether it listens at all.
    const LISTENS: bool = false;

    /// These bytes were read as one value.
    #[inline(always)]
    fn leaf(self, _term: &'static Term, _offset: u64, _bytes: usize, _reading: impl FnOnce() -> Reading) {}

    /// What the value that was read last makes of the one before.
    #[inline(always)]
    fn result(self, _value: impl FnOnce() -> i128) {}

    /// A part that is left out here has this value.
    #[inline(always)]
    fn inherited(self, _term: &'static Term, _offset: u64, _value: impl FnOnce() -> i128) {}

    /// The value that stands behind everything that is read later, such as the tag that ends an object.
    #[inline(always)]
    fn tail(self, _term: &'static Term, _offset: u64, _bytes: usize, _reading: impl FnOnce() -> Reading) {}

    /// What follows is part of this. Returns what [`Trace::close`] needs.
    #[inline(always)]
    fn open(self, _term: &'static Term, _offset: u64) -> usize {
        0
    }

    /// What was opened, and everything that was opened in it and not closed, ends here.
    #[inline(always)]
    fn close(self, _opened: usize, _end: u64) {}

    /// What follows is one of the things that the block consists of.
    #[inline(always)]
    fn open_item(self, _term: &'static Term, _offset: u64) -> usize {
        0
    }

    /// It ends here.
    #[inline(always)]
    fn close_item(self, _opened: usize, _end: u64) {}

    /// These bytes are a field of a payload with this name.
    #[inline(always)]
    fn field(self, _name: &str, _offset: u64, _bytes: usize, _term: &'static Term, _reading: impl FnOnce() -> Reading) {
    }

    /// What follows are the parts of a field with this name.
    #[inline(always)]
    fn open_field(self, _name: &str, _offset: u64, _term: &'static Term) -> usize {
        0
    }

    /// Bytes from the last value on cannot be read, up to here.
    #[inline(always)]
    fn unreadable(self, _end: u64, _error: &Error) {}

    /// The payload of an event lies where the event says.
    #[inline(always)]
    fn payload(self, _event: &EventHeader<'_>) {}

    /// Nothing of what was told so far counts.
    #[inline(always)]
    fn restart(self, _offset: u64) {}

    /// The first byte that nothing was told of.
    #[inline(always)]
    fn position(self) -> u64 {
        0
    }

    /// Tells nothing of what `read` reads.
    #[inline(always)]
    fn silently<R>(self, read: impl FnOnce() -> R) -> R {
        read()
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug)]
pub struct Off;

impl Trace for Off {}
