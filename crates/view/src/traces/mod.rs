//! Several traces on one timeline.

mod across;
mod arrows;
mod clocks;
mod crossings;
mod groups;
mod merged;
mod named;
mod overview;
mod path;

pub use across::{ACROSS_COLUMNS, Across};
pub use arrows::{CrossingArrow, paint_crossings};
pub use clocks::{Offset, OffsetSource, Recorded, are_apart, by_clock};
pub use crossings::{Crossing, Side, by_requests, crossings};
pub use groups::{GroupsOf, MergedGroups};
pub use merged::{Next, RowSearch, Start, interleaved, merged};
pub use named::{Named, named};
pub use overview::joined;
pub use path::{Part, path};

/// Returns the letter of a trace: A for the first one.
pub fn letter(position: usize) -> char {
    u8::try_from(position)
        .ok()
        .and_then(|position| b'A'.checked_add(position))
        .filter(u8::is_ascii_uppercase)
        .map_or('?', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_end_with_the_alphabet() {
        assert_eq!([0, 1, 25, 26, 300].map(letter), ['A', 'B', 'Z', '?', '?']);
    }
}
