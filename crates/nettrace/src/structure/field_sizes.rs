//! Size of each field of a payload.

use super::{PartValue, Role, Term};
use crate::error::Error;
use crate::listener::Trace;
use crate::payload::{Field, report};
use std::cell::RefCell;

/// Part of a payload whose bytes [`field_sizes`] counts.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPart<'n> {
    /// Field with this name, including nested fields.
    Field(&'n str),
    /// Texts and arrays that fields refer to by offset.
    Referenced,
    /// Bytes that the field list doesn't cover.
    Undeclared,
}

/// Counts the bytes of a payload: of each top-level field, of the data that fields refer to, and of bytes that the
/// field list doesn't cover. Calls `add` for each part. The sizes add up to that of the payload, unless it is damaged.
pub fn field_sizes(fields: &[Field], payload: &[u8], pointer_size: u8, add: &mut dyn FnMut(FieldPart<'_>, u64)) {
    let state = RefCell::new(State { add, depth: 0, outermost: (String::new(), 0), position: 0 });
    report(fields, payload, pointer_size, 0, Sizes(&state));
}

struct State<'a> {
    add: &'a mut dyn FnMut(FieldPart<'_>, u64),
    /// Fields that are open.
    depth: usize,
    /// Name and first byte of the outermost open field.
    outermost: (String, u64),
    /// The first byte that has not been read.
    position: u64,
}

#[derive(Clone, Copy)]
struct Sizes<'s, 'a>(&'s RefCell<State<'a>>);

impl std::fmt::Debug for Sizes<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sizes")
    }
}

impl Trace for Sizes<'_, '_> {
    const LISTENS: bool = true;

    fn leaf(self, term: &'static Term, offset: u64, bytes: usize, _: impl FnOnce() -> PartValue) {
        let state = &mut *self.0.borrow_mut();
        state.position = offset + bytes as u64;
        if state.depth == 0 {
            let part = if term.role == Role::Unknown { FieldPart::Undeclared } else { FieldPart::Referenced };
            (state.add)(part, bytes as u64);
        }
    }

    fn open(self, term: &'static Term, offset: u64) -> usize {
        self.open_field(term.name, offset, term)
    }

    fn open_field(self, name: &str, offset: u64, _: &'static Term) -> usize {
        let state = &mut *self.0.borrow_mut();
        if state.depth == 0 {
            state.outermost = (name.to_owned(), offset);
        }
        state.depth += 1;
        state.depth - 1
    }

    fn close(self, opened: usize, end: u64) {
        let state = &mut *self.0.borrow_mut();
        if state.depth > opened {
            state.depth = opened;
            state.position = state.position.max(end);
            if opened == 0 {
                let (name, start) = std::mem::take(&mut state.outermost);
                (state.add)(FieldPart::Field(&name), end.saturating_sub(start));
            }
        }
    }

    fn field(self, name: &str, offset: u64, bytes: usize, _: &'static Term, _: impl FnOnce() -> PartValue) {
        let state = &mut *self.0.borrow_mut();
        state.position = offset + bytes as u64;
        if state.depth == 0 {
            (state.add)(FieldPart::Field(name), bytes as u64);
        }
    }

    fn unreadable(self, end: u64, _: &Error) {
        self.0.borrow_mut().position = end;
    }

    fn position(self) -> u64 {
        self.0.borrow().position
    }
}
