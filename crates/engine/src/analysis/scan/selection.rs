//! A set of rows of the event columns, such as a filter's result.
//!
//! Blocks in which all or no rows match need no memory, so "all of 2.7 million events" takes a few bytes; others have
//! one bit per row. Counting, paging and ranking touch one block.

use std::ops::Range;

/// Rows per block.
const BLOCK_ROWS: usize = 65_536;
const BLOCK_WORDS: usize = BLOCK_ROWS / 64;

#[derive(Clone, Debug)]
enum Block {
    None,
    All,
    Some(Box<[u64]>),
}

/// A set of rows, in order.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    blocks: Vec<Block>,
    /// Matches before each block, and the total.
    before: Vec<u64>,
    rows: usize,
}

impl Selection {
    /// Returns the rows of `range`, out of `rows`.
    pub fn of_range(range: Range<usize>, rows: usize) -> Self {
        let mut builder = SelectionBuilder::new(rows);
        builder.insert_range(range);
        builder.finish()
    }

    /// Returns the number of rows that match.
    pub fn count(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// Returns whether the row is in the set.
    #[inline]
    pub fn contains(&self, row: usize) -> bool {
        match self.blocks.get(row / BLOCK_ROWS) {
            None | Some(Block::None) => false,
            Some(Block::All) => row < self.rows,
            Some(Block::Some(words)) => words[row % BLOCK_ROWS / 64] >> (row % 64) & 1 == 1,
        }
    }

    /// Returns the number of matches before `row`.
    pub fn rank(&self, row: usize) -> u64 {
        let row = row.min(self.rows);
        let block = row / BLOCK_ROWS;
        let Some(&before) = self.before.get(block) else { return self.count() };
        let inside = row % BLOCK_ROWS;
        before
            + match self.blocks.get(block) {
                None | Some(Block::None) => 0,
                Some(Block::All) => inside as u64,
                Some(Block::Some(words)) => {
                    let whole: u64 = words[..inside / 64].iter().map(|word| u64::from(word.count_ones())).sum();
                    let rest = words.get(inside / 64).map_or(0, |word| word & low_bits(inside % 64));
                    whole + u64::from(rest.count_ones())
                }
            }
    }

    /// Returns the matching row with `rank` matches before it.
    pub fn nth(&self, rank: u64) -> Option<usize> {
        if rank >= self.count() {
            return None;
        }
        let block = self.before.partition_point(|&before| before <= rank) - 1;
        let mut left = (rank - self.before[block]) as usize;
        let first = block * BLOCK_ROWS;
        match &self.blocks[block] {
            Block::None => None,
            Block::All => Some(first + left),
            Block::Some(words) => {
                for (index, &word) in words.iter().enumerate() {
                    let ones = word.count_ones() as usize;
                    if left < ones {
                        return Some(first + index * 64 + nth_bit(word, left));
                    }
                    left -= ones;
                }
                None
            }
        }
    }

    /// Returns the matching rows from the one with `rank` matches before it, in order.
    pub fn iter_from(&self, rank: u64) -> Rows<'_> {
        let next = self.nth(rank).unwrap_or(self.rows);
        Rows { selection: self, next }
    }

    /// Returns all matching rows, in order.
    pub fn iter(&self) -> Rows<'_> {
        Rows { selection: self, next: 0 }
    }

    /// Returns the first matching row at or after `row`.
    pub fn next_at(&self, mut row: usize) -> Option<usize> {
        while row < self.rows {
            match &self.blocks[row / BLOCK_ROWS] {
                Block::All => return Some(row),
                Block::None => {}
                Block::Some(words) => {
                    let inside = row % BLOCK_ROWS;
                    let mut index = inside / 64;
                    let mut word = words[index] & !low_bits(inside % 64);
                    loop {
                        if word != 0 {
                            return Some(row / BLOCK_ROWS * BLOCK_ROWS + index * 64 + word.trailing_zeros() as usize);
                        }
                        index += 1;
                        match words.get(index) {
                            Some(&next) => word = next,
                            None => break,
                        }
                    }
                }
            }
            row = (row / BLOCK_ROWS + 1) * BLOCK_ROWS;
        }
        None
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let bits = self.blocks.iter().filter(|block| matches!(block, Block::Some(_))).count() * BLOCK_ROWS / 8;
        bits + self.blocks.len() * std::mem::size_of::<Block>() + self.before.len() * 8
    }
}

/// Iterator over matching rows.
pub struct Rows<'a> {
    selection: &'a Selection,
    next: usize,
}

impl Iterator for Rows<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let row = self.selection.next_at(self.next)?;
        self.next = row + 1;
        Some(row)
    }
}

/// Collects a [`Selection`].
pub struct SelectionBuilder {
    words: Vec<Option<Box<[u64]>>>,
    whole: Vec<bool>,
    rows: usize,
}

impl SelectionBuilder {
    /// Returns an empty set of `rows` rows.
    pub fn new(rows: usize) -> Self {
        let blocks = rows.div_ceil(BLOCK_ROWS);
        Self { words: vec![None; blocks], whole: vec![false; blocks], rows }
    }

    /// Adds 64 rows from `first_row`, a multiple of 64: bit 0 is the first of them.
    #[inline]
    pub fn insert_word(&mut self, first_row: usize, bits: u64) {
        debug_assert_eq!(first_row % 64, 0);
        if bits != 0 && first_row < self.rows {
            self.block(first_row / BLOCK_ROWS)[first_row % BLOCK_ROWS / 64] |= bits;
        }
    }

    /// Adds one row.
    pub fn insert(&mut self, row: usize) {
        self.insert_word(row / 64 * 64, 1 << (row % 64));
    }

    /// Adds all rows of a range.
    pub fn insert_range(&mut self, range: Range<usize>) {
        let end = range.end.min(self.rows);
        let mut row = range.start;
        while row < end {
            let block = row / BLOCK_ROWS;
            let block_end = ((block + 1) * BLOCK_ROWS).min(self.rows);
            if row.is_multiple_of(BLOCK_ROWS) && end >= block_end {
                self.whole[block] = true;
                row = block_end;
            } else {
                let word_end = ((row / 64 + 1) * 64).min(end);
                let bits = low_bits(word_end - row / 64 * 64) & !low_bits(row % 64);
                self.insert_word(row / 64 * 64, bits);
                row = word_end;
            }
        }
    }

    /// Returns the set.
    pub fn finish(self) -> Selection {
        let mut blocks = Vec::with_capacity(self.words.len());
        let mut before = Vec::with_capacity(self.words.len() + 1);
        let mut total = 0u64;
        for (index, (words, whole)) in self.words.into_iter().zip(self.whole).enumerate() {
            before.push(total);
            let rows = BLOCK_ROWS.min(self.rows - index * BLOCK_ROWS);
            let ones = match &words {
                _ if whole => rows,
                None => 0,
                Some(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
            };
            total += ones as u64;
            blocks.push(match words {
                _ if ones == rows => Block::All,
                Some(words) if ones > 0 => Block::Some(words),
                _ => Block::None,
            });
        }
        before.push(total);
        Selection { blocks, before, rows: self.rows }
    }

    fn block(&mut self, index: usize) -> &mut [u64] {
        self.words[index].get_or_insert_with(|| vec![0; BLOCK_WORDS].into_boxed_slice())
    }
}

/// Returns a mask of the lowest `count` bits, at most 64.
fn low_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Returns the position of the one-bit that has `rank` one-bits below it.
fn nth_bit(mut word: u64, rank: usize) -> usize {
    for _ in 0..rank {
        word &= word.wrapping_sub(1);
    }
    word.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn selection_of_everything_is_small_and_pages_from_any_row() {
        let selection = Selection::of_range(0..2_700_000, 2_700_000);
        assert_eq!(selection.count(), 2_700_000);
        assert!(selection.bytes() < 2_000);
        assert_eq!(selection.iter_from(2_699_998).collect::<Vec<_>>(), [2_699_998, 2_699_999]);
    }

    #[test]
    fn selection_of_range_crosses_blocks() {
        let selection = Selection::of_range(65_530..131_080, 200_000);
        assert_eq!(selection.count(), 65_550);
        assert!(!selection.contains(65_529) && selection.contains(65_530) && !selection.contains(131_080));
        assert_eq!(selection.nth(0), Some(65_530));
        assert_eq!(selection.nth(65_549), Some(131_079));
        assert_eq!(selection.nth(65_550), None);
    }

    proptest! {
        #[test]
        fn rank_and_nth_are_inverse(rows in proptest::collection::btree_set(0usize..140_000, 0..300), spare in 0usize..70_000) {
            let mut builder = SelectionBuilder::new(140_000 + spare);
            rows.iter().for_each(|&row| builder.insert(row));
            let selection = builder.finish();
            prop_assert_eq!(selection.count(), rows.len() as u64);
            prop_assert_eq!(selection.iter().collect::<Vec<_>>(), rows.iter().copied().collect::<Vec<_>>());
            for (rank, &row) in rows.iter().enumerate() {
                prop_assert_eq!(selection.nth(rank as u64), Some(row));
                prop_assert_eq!(selection.rank(row), rank as u64);
                prop_assert_eq!(selection.rank(row + 1), rank as u64 + 1);
            }
        }
    }
}
