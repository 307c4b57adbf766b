//! Writes merged regions to the event columns.

use super::super::region::Row;
use crate::model::columns::events::EventChunk;
use crate::model::columns::open_chunk::{Mapped, MappedRows, OpenChunk};
use crate::model::file::totals::{RowTotals, Totals};
use crate::model::out_of_memory::{OutOfMemory, reserve_exact};
use protocol::packed_table;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

packed_table!(
    /// Rows of a region in total order. Threads, stacks, activities and writers have the region's own numbers.
    RegionColumns {
        ticks: Vec<i64>,
        types: Vec<u32>,
        threads: Vec<u32>,
        stacks: Vec<u32>,
        activities: Vec<u32>,
        writers: Vec<u32>,
        payload_offsets: Vec<i64>,
        payload_lengths: Vec<u32>,
    }
);

impl RegionColumns {
    /// Reserves memory for this many rows.
    pub fn reserve(&mut self, rows: usize) -> Result<(), OutOfMemory> {
        reserve_exact(&mut self.ticks, rows)?;
        reserve_exact(&mut self.payload_offsets, rows)?;
        let Self { types, threads, stacks, activities, writers, payload_lengths, .. } = self;
        let columns = [types, threads, stacks, activities, writers, payload_lengths];
        columns.into_iter().try_for_each(|column| reserve_exact(column, rows))
    }

    /// Appends rows.
    pub fn extend(&mut self, rows: &[Row]) {
        self.ticks.extend(rows.iter().map(|row| row.ticks));
        self.types.extend(rows.iter().map(|row| row.event_type));
        self.threads.extend(rows.iter().map(|row| row.thread));
        self.stacks.extend(rows.iter().map(|row| row.stack));
        self.activities.extend(rows.iter().map(|row| row.activity));
        self.writers.extend(rows.iter().map(|row| row.writer));
        self.payload_offsets.extend(rows.iter().map(|row| row.payload_offset as i64));
        self.payload_lengths.extend(rows.iter().map(|row| row.payload_length));
    }
}

/// Consecutive rows by capture thread: their number, and that of the capture thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::model::ingest) struct Runs(pub Vec<(u32, u32)>);

impl Runs {
    /// Adds rows of one capture thread.
    pub fn extend(&mut self, rows: &[Row]) {
        let Some(first) = rows.first() else { return };
        match self.0.last_mut() {
            Some((count, last)) if *last == first.capture => *count += rows.len() as u32,
            _ => self.0.push((rows.len() as u32, first.capture)),
        }
    }
}

/// Numbers of the trace, by those of a region.
#[derive(Debug)]
pub(in crate::model::ingest) struct Numbers {
    pub threads: Vec<u32>,
    pub stacks: Vec<u32>,
    pub activities: Vec<u32>,
    pub writers: Vec<u32>,
}

/// Rows of a region that aren't in the columns yet.
#[derive(Clone, Debug)]
pub(in crate::model::ingest) struct Part {
    pub columns: Arc<RegionColumns>,
    pub numbers: Arc<Numbers>,
    pub rows: Range<usize>,
}

impl Part {
    /// Removes and returns at most this many of the first rows.
    pub fn split_first(&mut self, most: usize) -> Self {
        let middle = self.rows.end.min(self.rows.start + most);
        let first = Self { rows: self.rows.start..middle, ..self.clone() };
        self.rows.start = middle;
        first
    }

    /// Appends the rows to a chunk, as many as there is room for. Returns their number.
    pub fn write(&self, open: &mut OpenChunk) -> usize {
        fn rows<'c, T>(column: &'c [T], rows: &Range<usize>) -> &'c [T] {
            column.get(rows.clone()).unwrap_or_default()
        }
        let Self { columns, numbers, rows: range } = self;
        let mapped = |column, numbers| Mapped { column: rows(column, range), numbers };
        open.extend(&MappedRows {
            ticks: rows(&columns.ticks, range),
            types: rows(&columns.types, range),
            threads: mapped(&columns.threads, &numbers.threads),
            stacks: mapped(&columns.stacks, &numbers.stacks),
            activities: mapped(&columns.activities, &numbers.activities),
            writers: mapped(&columns.writers, &numbers.writers),
            payload_offsets: rows(&columns.payload_offsets, range),
            payload_lengths: rows(&columns.payload_lengths, range),
        })
    }
}

/// Rows of one full chunk.
pub(in crate::model::ingest) struct ChunkParts(pub Vec<Part>);

impl ChunkParts {
    /// Writes the chunk, and counts its rows.
    pub fn write(&self, open: &mut OpenChunk, is_sample: &[bool]) -> Result<(EventChunk, Totals), OutOfMemory> {
        self.0.iter().for_each(|part| {
            part.write(open);
        });
        let chunk = open.seal()?;
        let totals = RowTotals::of_chunk(&chunk, is_sample);
        Ok((chunk, totals))
    }
}
