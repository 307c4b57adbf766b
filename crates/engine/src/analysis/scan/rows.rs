//! Iteration over the rows of a few event types.

use crate::clr::KnownEvent;
use crate::model::{CHUNK_ROWS, EventChunk, EventType, Store};
use nettrace::SourceError;
use std::ops::Range;

/// Clears the bits of rows in a chunk for which `is_wanted` is false.
pub fn retain_rows(words: &mut [u64], mut is_wanted: impl FnMut(usize) -> bool) {
    for (index, word) in words.iter_mut().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if !is_wanted(index * 64 + bit) {
                *word &= !(1 << bit);
            }
        }
    }
}

/// A set of event types.
#[derive(Debug, Default)]
pub struct TypeSet {
    wanted: Vec<bool>,
    any: bool,
}

impl TypeSet {
    /// Returns the types for which `is_wanted` is true.
    pub fn new(store: &Store, is_wanted: impl Fn(&EventType) -> bool) -> Self {
        let wanted: Vec<bool> = store.types.iter().map(is_wanted).collect();
        let any = wanted.contains(&true);
        Self { wanted, any }
    }

    /// Returns the types of these known events.
    pub fn of_known(store: &Store, known: &[KnownEvent]) -> Self {
        Self::new(store, |event_type| known.contains(&event_type.known))
    }

    /// Returns whether no type is in the set.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Returns whether a type is in the set.
    #[inline]
    pub fn contains(&self, event_type: u32) -> bool {
        self.wanted.get(event_type as usize).copied().unwrap_or(false)
    }

    /// Does the same as [`Self::for_each_row`], until `visit` fails.
    ///
    /// # Errors
    /// The error of `visit`.
    pub fn try_for_each_row<'s>(
        &self,
        store: &'s Store,
        mut visit: impl FnMut(&'s EventChunk, usize) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let mut outcome = Ok(());
        self.for_each_row(store, 0..store.events.len(), |chunk, row| {
            if outcome.is_ok() {
                outcome = visit(chunk, row);
            }
        });
        outcome
    }

    /// Calls `visit` with the chunk and the position of each row in `rows` whose type is in the set, in order.
    pub fn for_each_row<'s>(&self, store: &'s Store, rows: Range<usize>, mut visit: impl FnMut(&'s EventChunk, usize)) {
        if !self.any {
            return;
        }
        let listed = &store.rare_rows;
        let with_rows = store.types.iter().filter(|kind| kind.count > 0 && self.contains(kind.id.0));
        if with_rows.into_iter().all(|kind| listed.covers(kind.id)) {
            let from = listed.rows.partition_point(|&row| (row as usize) < rows.start);
            for &row in listed.rows.get(from..).unwrap_or_default() {
                let row = row as usize;
                let Some(chunk) = store.events.chunks().get(row / CHUNK_ROWS).filter(|_| row < rows.end) else {
                    return;
                };
                if self.contains(chunk.event_type(row % CHUNK_ROWS).0) {
                    visit(chunk, row % CHUNK_ROWS);
                }
            }
            return;
        }
        let mut found = Vec::new();
        for (chunk, inside) in store.events.chunks_in(rows) {
            if chunk.types_present.iter().any(|event_type| self.contains(event_type)) {
                found.clear();
                chunk.types.rows_where(inside, &self.wanted, &mut found);
                found.iter().for_each(|&row| visit(chunk, row as usize));
            }
        }
    }
}
