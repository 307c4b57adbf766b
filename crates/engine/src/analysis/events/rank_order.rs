//! Events ordered by a rank of their type or thread.
//!
//! Nothing is moved: each chunk's events are counted by rank, and the rows of a page are then located in the few chunks
//! that have them. This needs one pass over the events, and memory for a few numbers per chunk.

use crate::analysis::scan::selection::Selection;
use crate::model::{CHUNK_ROWS, EventChunk, IdColumn, Store};
use protocol::base::sort::sort_by_key;
use std::ops::Range;

/// Selected events ordered by rank; those of the same rank in time order.
#[derive(Debug)]
pub struct RankOrder {
    by: RankedBy,
    /// By type, thread or writer.
    ranks: Vec<u32>,
    /// By counted chunk: end of its counts.
    ends: Vec<u32>,
    /// The ranks in each chunk with their counts, ascending.
    counts: Vec<RankCount>,
    /// Number of events before those of each rank, and the number of all events.
    starts: Vec<u64>,
    is_counted: bool,
    /// Counts of the current chunk, by type, thread or writer.
    tally: Vec<u32>,
}

/// Property of events that has ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankedBy {
    Type,
    Thread,
    Writer,
}

#[derive(Clone, Copy, Debug)]
struct RankCount {
    rank: u32,
    rows: u32,
}

impl RankOrder {
    /// Returns an order by the ranks of types, threads or writers: the lowest first, or last. Those without a rank come
    /// last in both cases.
    pub fn new(by: RankedBy, ranks: Vec<Option<u32>>, descending: bool) -> Self {
        let highest = ranks.iter().copied().flatten().max().unwrap_or(0);
        let turned = |rank: u32| if descending { highest - rank } else { rank };
        let ranks: Vec<u32> = ranks.into_iter().map(|rank| rank.map_or(highest + 1, turned)).collect();
        let tally = vec![0; ranks.len()];
        let starts = vec![0; highest as usize + 3];
        Self { by, ranks, ends: Vec::new(), counts: Vec::new(), starts, is_counted: false, tally }
    }

    /// Counts the events of a chunk. Returns whether all are counted.
    pub fn step(&mut self, store: &Store, selection: &Selection) -> bool {
        if self.is_counted {
            return true;
        }
        let chunks = store.events.chunks();
        if let Some(chunk) = chunks.get(self.ends.len()) {
            self.count(chunk, selection);
            self.ends.push(self.counts.len() as u32);
        }
        if self.ends.len() < chunks.len() {
            return false;
        }
        let mut before = 0;
        for start in &mut self.starts {
            before += std::mem::replace(start, before);
        }
        self.is_counted = true;
        true
    }

    fn count(&mut self, chunk: &EventChunk, selection: &Selection) {
        let Self { by, ranks, tally, .. } = self;
        let mut add = |id: u32| {
            if let Some(rows) = tally.get_mut(id as usize) {
                *rows += 1;
            }
        };
        let column = by.column(chunk);
        let rows = chunk.first_row..chunk.first_row + chunk.len();
        let selected = selection.rank(rows.end) - selection.rank(rows.start);
        if selected == rows.len() as u64 {
            column.for_each(0..rows.len(), |_, id| add(id));
        } else {
            selected_in(selection, &rows).for_each(|row| add(column.get(row - rows.start)));
        }
        let present: Vec<u32> = match by {
            RankedBy::Type => chunk.types_present.iter().collect(),
            RankedBy::Thread => chunk.threads_present.iter().collect(),
            RankedBy::Writer => (0..tally.len() as u32).collect(),
        };
        let mut counts: Vec<RankCount> = Vec::new();
        for id in present {
            let rows = tally.get_mut(id as usize).map_or(0, std::mem::take);
            if rows > 0 {
                counts.push(RankCount { rank: ranks.get(id as usize).copied().unwrap_or(0), rows });
            }
        }
        sort_by_key(&mut counts, |count| count.rank);
        counts.dedup_by(|next, kept| {
            let is_same = next.rank == kept.rank;
            kept.rows += if is_same { next.rows } else { 0 };
            is_same
        });
        for count in &counts {
            if let Some(rows) = self.starts.get_mut(count.rank as usize) {
                *rows += u64::from(count.rows);
            }
        }
        self.counts.extend(counts);
    }

    /// Returns at most `most` rows from position `first`, after the last [`Self::step`].
    pub fn rows(&self, store: &Store, selection: &Selection, first: u64, most: usize) -> Vec<u32> {
        let mut found = Vec::new();
        let rank = self.starts.partition_point(|&start| start <= first).saturating_sub(1);
        let mut skipped = first - self.starts.get(rank).copied().unwrap_or(first);
        let mut of_rank = Vec::new();
        for rank in rank as u32..self.starts.len() as u32 {
            let is_of_rank: Vec<bool> = self.ranks.iter().map(|other| *other == rank).collect();
            for (at, chunk) in store.events.chunks().iter().enumerate() {
                let rows = self.rows_of(at, rank);
                if skipped >= rows || rows == 0 {
                    skipped -= skipped.min(rows);
                    continue;
                }
                of_rank.clear();
                self.by.column(chunk).rows_where(0..chunk.len(), &is_of_rank, &mut of_rank);
                let rows = of_rank.iter().map(|row| chunk.first_row as u32 + row);
                let selected = rows.filter(|&row| selection.contains(row as usize));
                found.extend(selected.skip(skipped as usize).take(most - found.len()));
                skipped = 0;
                if found.len() == most {
                    return found;
                }
            }
        }
        found
    }

    /// Returns the number of rows before a selected one, after the last [`Self::step`].
    pub fn position(&self, store: &Store, selection: &Selection, row: usize) -> Option<u64> {
        let at = row / CHUNK_ROWS;
        let chunk = store.events.chunks().get(at)?;
        let rank = self.rank_of(chunk, row);
        let of_lower: u64 = self.starts.get(rank as usize).copied()?;
        let of_chunks: u64 = (0..at).map(|chunk| self.rows_of(chunk, rank)).sum();
        let before = selected_in(selection, &(chunk.first_row..row));
        Some(of_lower + of_chunks + before.filter(|&row| self.rank_of(chunk, row) == rank).count() as u64)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = self.ranks.capacity() + self.ends.capacity() + self.tally.capacity() + 2 * self.starts.capacity();
        4 * numbers + self.counts.capacity() * size_of::<RankCount>()
    }

    /// Returns the number of rows with this rank in a chunk.
    fn rows_of(&self, chunk: usize, rank: u32) -> u64 {
        let start = chunk.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(chunk).map_or(start, |end| *end as usize);
        let counts = self.counts.get(start..end).unwrap_or_default();
        let at = counts.binary_search_by_key(&rank, |count| count.rank);
        at.ok().and_then(|at| counts.get(at)).map_or(0, |count| u64::from(count.rows))
    }

    fn rank_of(&self, chunk: &EventChunk, row: usize) -> u32 {
        let id = self.by.column(chunk).get(row - chunk.first_row);
        self.ranks.get(id as usize).copied().unwrap_or(0)
    }
}

impl RankedBy {
    fn column(self, chunk: &EventChunk) -> &IdColumn {
        match self {
            Self::Type => &chunk.types,
            Self::Thread => &chunk.threads,
            Self::Writer => &chunk.writers,
        }
    }
}

/// Returns the selected rows among `rows`.
pub fn selected_in<'s>(selection: &'s Selection, rows: &Range<usize>) -> impl Iterator<Item = usize> + use<'s> {
    let end = rows.end;
    selection.iter_from(selection.rank(rows.start)).take_while(move |&row| row < end)
}
