//! Listener of the parser. The code that reads bytes also reports their meaning.
//!
//! Every read names a [`Term`]. Normal reading uses [`Off`], which compiles reports away; the [structure
//! functions](crate::structure) use a recorder. No public signature mentions the listener.

mod part_value;
pub(crate) mod terms;

pub use part_value::PartValue;

use crate::block::EventHeader;
use crate::error::Error;
use std::fmt::Debug;
use terms::Term;

/// Listener of the parser. By default, its methods do nothing.
pub(crate) trait Trace: Copy + Debug {
    /// Whether the listener receives reports.
    const LISTENS: bool = false;

    /// Reports bytes that were read as one value.
    #[inline(always)]
    fn leaf(self, _term: &'static Term, _offset: u64, _bytes: usize, _reading: impl FnOnce() -> PartValue) {}

    /// Reports the result of the last value, which is a difference from the previous one.
    #[inline(always)]
    fn result(self, _value: impl FnOnce() -> i128) {}

    /// Reports an inherited value: the file omits it because it equals the previous one.
    #[inline(always)]
    fn inherited(self, _term: &'static Term, _offset: u64, _value: impl FnOnce() -> i128) {}

    /// Reports a value that comes after all later reports, such as the tag that ends an object.
    #[inline(always)]
    fn tail(self, _term: &'static Term, _offset: u64, _bytes: usize, _reading: impl FnOnce() -> PartValue) {}

    /// Begins a part that contains the next reports. Returns the argument of [`Trace::close`].
    #[inline(always)]
    fn open(self, _term: &'static Term, _offset: u64) -> usize {
        0
    }

    /// Ends a part and all open parts inside it.
    #[inline(always)]
    fn close(self, _opened: usize, _end: u64) {}

    /// Begins an item of the block, such as an event. Returns the argument of [`Trace::close_item`].
    #[inline(always)]
    fn open_item(self, _term: &'static Term, _offset: u64) -> usize {
        0
    }

    /// Ends an item.
    #[inline(always)]
    fn close_item(self, _opened: usize, _end: u64) {}

    /// Reports bytes that are a field of a payload.
    #[inline(always)]
    fn field(
        self,
        _name: &str,
        _offset: u64,
        _bytes: usize,
        _term: &'static Term,
        _reading: impl FnOnce() -> PartValue,
    ) {
    }

    /// Begins a field of a payload that has parts.
    #[inline(always)]
    fn open_field(self, _name: &str, _offset: u64, _term: &'static Term) -> usize {
        0
    }

    /// Reports that the bytes from the last value up to `end` are unreadable.
    #[inline(always)]
    fn unreadable(self, _end: u64, _error: &Error) {}

    /// Reports the payload of an event.
    #[inline(always)]
    fn payload(self, _event: &EventHeader<'_>) {}

    /// Withdraws all reports about the current item of the parser.
    #[inline(always)]
    fn restart(self, _offset: u64) {}

    /// Returns the offset of the first byte without a report.
    #[inline(always)]
    fn position(self) -> u64 {
        0
    }

    /// Ignores reports during `read`.
    #[inline(always)]
    fn silently<R>(self, read: impl FnOnce() -> R) -> R {
        read()
    }
}

/// Listener that ignores everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Off;

impl Trace for Off {}
