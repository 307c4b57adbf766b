//! Rows of the structure of a block: the outline, with the parts of one expanded item below it.

/// Expanded item of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenItem {
    pub row: u64,
    pub item: u32,
    /// Number of its parts, without the item itself.
    pub parts: u64,
}

/// Content of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Outline(u64),
    /// Part of the expanded item, from 1; part 0 is the item itself, which is in the outline.
    Part(u64),
}

/// Number and content of the visible rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StructureRows {
    /// Number of rows of the outline.
    pub outline: u64,
    /// Expanded item.
    pub open: Option<OpenItem>,
}

impl StructureRows {
    /// Returns the number of rows.
    pub fn total(&self) -> u64 {
        self.outline + self.open.map_or(0, |open| open.parts)
    }

    /// Returns the content of a row.
    pub fn at(&self, row: u64) -> Place {
        match self.open {
            Some(open) if row > open.row && row - open.row <= open.parts => Place::Part(row - open.row),
            Some(open) if row > open.row => Place::Outline(row - open.parts),
            _ => Place::Outline(row),
        }
    }

    /// Returns the row of a content.
    pub fn row_of(&self, place: Place) -> u64 {
        match (place, self.open) {
            (Place::Part(part), Some(open)) => open.row + part,
            (Place::Outline(row), Some(open)) if row > open.row => row + open.parts,
            (Place::Outline(row) | Place::Part(row), _) => row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_expanded_item_are_below_it() {
        let rows = StructureRows { outline: 5, open: Some(OpenItem { row: 2, item: 0, parts: 3 }) };
        assert_eq!(rows.total(), 8);
        let places: Vec<Place> = (0..8).map(|row| rows.at(row)).collect();
        use Place::{Outline, Part};
        assert_eq!(places, [Outline(0), Outline(1), Outline(2), Part(1), Part(2), Part(3), Outline(3), Outline(4)]);
        assert!((0..8).all(|row| rows.row_of(rows.at(row)) == row));
        let closed = StructureRows { outline: 5, open: None };
        assert_eq!((closed.total(), closed.at(3), closed.row_of(Outline(4))), (5, Outline(3), 4));
    }
}
