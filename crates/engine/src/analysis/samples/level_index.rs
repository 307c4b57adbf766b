//! Index that finds the nearest row at or below a level: minima of blocks of 16, of blocks of blocks, and so on.

const FAN_OUT: usize = 16;

/// Minima over a column, for [`LevelIndex::last_at_most`] and [`LevelIndex::first_at_most`].
#[derive(Clone, Debug, Default)]
pub struct LevelIndex {
    /// The column, then minima of 16 of its values, then minima of 16 of those …
    levels: Vec<Vec<u32>>,
}

impl LevelIndex {
    /// Builds the index of a column; it needs 16/15 of the column's memory.
    pub fn new(column: Vec<u32>) -> Self {
        let mut levels = vec![column];
        while let Some(last) = levels.last().filter(|last| last.len() > FAN_OUT) {
            let above = last.chunks(FAN_OUT).map(|block| block.iter().copied().min().unwrap_or(u32::MAX)).collect();
            levels.push(above);
        }
        Self { levels }
    }

    #[inline]
    pub fn value(&self, row: usize) -> u32 {
        self.levels[0][row]
    }

    /// Returns the last row up to and including `row` whose value is at most `limit`.
    pub fn last_at_most(&self, row: usize, limit: u32) -> Option<usize> {
        let mut level = 0;
        let mut end = row + 1;
        // Up: until a block before `end` has one.
        let mut found = loop {
            let column = self.levels.get(level)?;
            let start = (end - 1) / FAN_OUT * FAN_OUT;
            if let Some(position) = column[start..end].iter().rposition(|&value| value <= limit) {
                break start + position;
            }
            if start == 0 {
                return None;
            }
            end = start / FAN_OUT;
            level += 1;
        };
        // Down: to the row.
        while level > 0 {
            level -= 1;
            let start = found * FAN_OUT;
            let block = &self.levels[level][start..self.levels[level].len().min(start + FAN_OUT)];
            found = start + block.iter().rposition(|&value| value <= limit)?;
        }
        Some(found)
    }

    /// Returns the first row, starting at `row`, whose value is at most `limit`.
    pub fn first_at_most(&self, row: usize, limit: u32) -> Option<usize> {
        let mut level = 0;
        let mut start = row;
        let mut found = loop {
            let column = self.levels.get(level)?;
            let end = column.len().min((start / FAN_OUT + 1) * FAN_OUT);
            let block = column.get(start..end)?;
            if let Some(position) = block.iter().position(|&value| value <= limit) {
                break start + position;
            }
            start = start / FAN_OUT + 1;
            level += 1;
        };
        while level > 0 {
            level -= 1;
            let start = found * FAN_OUT;
            let block = &self.levels[level][start..self.levels[level].len().min(start + FAN_OUT)];
            found = start + block.iter().position(|&value| value <= limit)?;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn level_index_matches_linear_search(column in proptest::collection::vec(0u32..40, 1..2_000), at in any::<proptest::sample::Index>(), limit in 0u32..20) {
            let row = at.index(column.len());
            let before = column[..=row].iter().rposition(|&value| value <= limit);
            let after = column[row..].iter().position(|&value| value <= limit).map(|position| row + position);
            let index = LevelIndex::new(column);
            prop_assert_eq!(index.last_at_most(row, limit), before);
            prop_assert_eq!(index.first_at_most(row, limit), after);
            prop_assert_eq!(index.first_at_most(index.levels[0].len(), limit), None);
        }
    }
}
