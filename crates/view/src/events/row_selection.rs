//! Selected rows of a long table, stored as ranges.

/// Selected rows of a table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowSelection {
    /// First row and the row after the last: sorted, with unselected rows in between.
    ranges: Vec<(u64, u64)>,
    /// Fixed end of the range that is extended.
    anchor: Option<u64>,
    /// Range between the anchor and the row it was extended to; replaced by the next extension.
    extended: Option<(u64, u64)>,
}

impl RowSelection {
    /// Returns the selection of one row.
    pub fn only(row: u64) -> Self {
        Self { ranges: vec![(row, row + 1)], anchor: Some(row), extended: None }
    }

    /// Returns the selection of all rows.
    pub fn all(rows: u64) -> Self {
        Self { ranges: if rows > 0 { vec![(0, rows)] } else { Vec::new() }, anchor: Some(0), extended: None }
    }

    /// Returns the ranges of selected rows in order: the first row and the one after the last.
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// Returns the number of selected rows.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|(first, end)| end - first).sum()
    }

    /// Returns whether a row is selected.
    pub fn contains(&self, row: u64) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= row);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, end)| row < *end)
    }

    /// Toggles the selection of a row, and keeps the others.
    pub fn toggle(&mut self, row: u64) {
        if self.contains(row) {
            self.remove(row, row + 1);
        } else {
            self.add(row, row + 1);
        }
        (self.anchor, self.extended) = (Some(row), None);
    }

    /// Selects from the anchor to a row, or from `from` without an anchor.
    pub fn extend(&mut self, from: u64, row: u64) {
        let anchor = *self.anchor.get_or_insert(from);
        if let Some((first, end)) = self.extended.take() {
            self.remove(first, end);
        }
        let (first, end) = (anchor.min(row), anchor.max(row) + 1);
        self.add(first, end);
        self.extended = Some((first, end));
    }

    fn add(&mut self, first: u64, end: u64) {
        let touches = |range: &(u64, u64)| range.0 <= end && range.1 >= first;
        let (touching, mut others): (Vec<_>, Vec<_>) = self.ranges.iter().copied().partition(touches);
        let whole = touching.iter().fold((first, end), |whole, range| (whole.0.min(range.0), whole.1.max(range.1)));
        let at = others.partition_point(|range| range.0 < whole.0);
        others.insert(at, whole);
        self.ranges = others;
    }

    fn remove(&mut self, first: u64, end: u64) {
        let rest = self.ranges.iter().flat_map(|range| [(range.0, range.1.min(first)), (range.0.max(end), range.1)]);
        self.ranges = rest.filter(|range| range.0 < range.1).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn extended_range_follows_row() {
        let mut rows = RowSelection::only(10);
        rows.extend(0, 14);
        assert_eq!((rows.ranges(), rows.count()), (&[(10, 15)][..], 5));
        rows.extend(0, 8);
        assert_eq!(rows.ranges(), [(8, 11)], "to the other side of where it began");
        rows.toggle(20);
        rows.extend(0, 22);
        assert_eq!(rows.ranges(), [(8, 11), (20, 23)]);
        rows.toggle(9);
        assert_eq!(rows.ranges(), [(8, 9), (10, 11), (20, 23)]);
        assert!(
            [8, 10, 22].iter().all(|row| rows.contains(*row)) && ![7, 9, 11, 23].iter().any(|row| rows.contains(*row))
        );
        let mut none = RowSelection::default();
        none.extend(3, 4);
        assert_eq!(none.ranges(), [(3, 5)]);
        assert_eq!((RowSelection::all(7).count(), RowSelection::all(0).count()), (7, 0));
    }

    proptest! {
        #[test]
        fn toggling_matches_set(toggled in prop::collection::vec(0_u64..12, 0..40)) {
            let (mut rows, mut set) = (RowSelection::default(), BTreeSet::new());
            for row in toggled {
                rows.toggle(row);
                if !set.remove(&row) {
                    set.insert(row);
                }
                prop_assert_eq!((0..12).filter(|row| rows.contains(*row)).collect::<BTreeSet<_>>(), set.clone());
                prop_assert_eq!(rows.count(), set.len() as u64);
                prop_assert!(rows.ranges().windows(2).all(|two| two[0].1 < two[1].0));
            }
        }
    }
}
