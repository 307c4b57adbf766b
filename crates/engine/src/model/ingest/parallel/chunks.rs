//! Writes merged regions to the event columns.

use super::super::region::Row;
use crate::model::columns::events::{EventChunk, EventRow};
use crate::model::columns::narrow::{IdColumn, IdPart, IdSet, IdWriter, OffsetColumn, OffsetWriter};
use crate::model::columns::open_chunk::OpenChunk;
use crate::model::file::totals::{CountedColumns, RowTotals, Totals};
use crate::model::out_of_memory::OutOfMemory;
use protocol::base::ids::{ActivityId, StackId, ThreadId, TypeId};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Rows of a region in total order. Threads, stacks, activities and writers have the region's own numbers.
#[derive(Debug)]
pub(in crate::model::ingest) struct RegionColumns {
    pub ticks: OffsetColumn,
    pub types: IdColumn,
    pub threads: IdColumn,
    pub stacks: IdColumn,
    pub activities: IdColumn,
    pub writers: IdColumn,
    pub payload_offsets: OffsetColumn,
    pub payload_lengths: IdColumn,
}

impl Default for RegionColumns {
    fn default() -> Self {
        let (ids, offsets) = (IdColumn::Same(0), OffsetColumn::default());
        Self {
            ticks: offsets.clone(),
            types: ids.clone(),
            threads: ids.clone(),
            stacks: ids.clone(),
            activities: ids.clone(),
            writers: ids.clone(),
            payload_offsets: offsets,
            payload_lengths: ids,
        }
    }
}

impl RegionColumns {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Returns the ticks of the first and of the last row.
    pub fn ticks(&self) -> Option<(i64, i64)> {
        let last = self.len().checked_sub(1)?;
        Some((self.ticks.get(0), self.ticks.get(last)))
    }
}

/// Ends of a range of values.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub lowest: i64,
    pub highest: i64,
}

impl Ends {
    /// No value.
    pub const NONE: Self = Self { lowest: i64::MAX, highest: i64::MIN };

    #[inline]
    pub fn add(&mut self, value: i64) {
        (self.lowest, self.highest) = (self.lowest.min(value), self.highest.max(value));
    }

    pub fn extend(&mut self, other: Self) {
        (self.lowest, self.highest) = (self.lowest.min(other.lowest), self.highest.max(other.highest));
    }
}

/// What the values of [`RegionColumns`] need: the ends of large numbers, and at least the highest of others.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub rows: usize,
    pub ticks: Ends,
    pub types: u32,
    pub threads: u32,
    pub stacks: u32,
    pub activities: u32,
    pub writers: u32,
    pub payload_offsets: Ends,
    pub payload_lengths: u32,
}

/// Columns that are being filled.
pub(super) struct ColumnsWriter {
    ticks: OffsetWriter,
    types: IdWriter,
    threads: IdWriter,
    stacks: IdWriter,
    activities: IdWriter,
    writers: IdWriter,
    payload_offsets: OffsetWriter,
    payload_lengths: IdWriter,
}

impl ColumnsWriter {
    pub fn new(shape: Shape) -> Result<Self, OutOfMemory> {
        let rows = shape.rows;
        let offsets = |ends: Ends| OffsetWriter::new(ends.lowest, ends.highest, rows);
        Ok(Self {
            ticks: offsets(shape.ticks)?,
            types: IdWriter::new(shape.types, rows)?,
            threads: IdWriter::new(shape.threads, rows)?,
            stacks: IdWriter::new(shape.stacks, rows)?,
            activities: IdWriter::new(shape.activities, rows)?,
            writers: IdWriter::new(shape.writers, rows)?,
            payload_offsets: offsets(shape.payload_offsets)?,
            payload_lengths: IdWriter::new(shape.payload_lengths, rows)?,
        })
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

    pub fn finish(self) -> RegionColumns {
        RegionColumns {
            ticks: self.ticks.finish(),
            types: self.types.finish(),
            threads: self.threads.finish(),
            stacks: self.stacks.finish(),
            activities: self.activities.finish(),
            writers: self.writers.finish(),
            payload_offsets: self.payload_offsets.finish(),
            payload_lengths: self.payload_lengths.finish(),
        }
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

    /// Appends the rows to a chunk, which has room for them.
    pub fn write(&self, open: &mut OpenChunk) {
        let Self { columns, numbers, rows } = self;
        let number = |numbers: &[u32], id: u32| numbers.get(id as usize).copied().unwrap_or(0);
        rows.clone().for_each(|row| {
            open.push(&EventRow {
                ticks: columns.ticks.get(row),
                event_type: TypeId(columns.types.get(row)),
                thread: ThreadId(number(&numbers.threads, columns.threads.get(row))),
                stack: StackId(number(&numbers.stacks, columns.stacks.get(row))),
                activity: ActivityId(number(&numbers.activities, columns.activities.get(row))),
                writer: number(&numbers.writers, columns.writers.get(row)),
                payload_offset: columns.payload_offsets.get(row) as u64,
                payload_length: columns.payload_lengths.get(row),
            });
        });
    }
}

/// Rows of one full chunk.
pub(in crate::model::ingest) struct ChunkParts(pub Vec<Part>);

impl ChunkParts {
    /// Writes the chunk, and counts its rows.
    pub fn write(&self, is_sample: &[bool], counted: &mut CountedColumns) -> Result<(EventChunk, Totals), OutOfMemory> {
        let types = self.ids(|part| (&part.columns.types, None))?;
        let threads = self.ids(|part| (&part.columns.threads, Some(&part.numbers.threads)))?;
        let chunk = EventChunk {
            first_row: 0,
            ticks: self.offsets(|columns| &columns.ticks)?,
            types_present: IdSet::of_column(&types),
            threads_present: IdSet::of_column(&threads),
            types,
            threads,
            stacks: self.ids(|part| (&part.columns.stacks, Some(&part.numbers.stacks)))?,
            activities: self.ids(|part| (&part.columns.activities, Some(&part.numbers.activities)))?,
            writers: self.ids(|part| (&part.columns.writers, Some(&part.numbers.writers)))?,
            payload_offsets: self.offsets(|columns| &columns.payload_offsets)?,
            payload_lengths: self.ids(|part| (&part.columns.payload_lengths, None))?,
        };
        let totals = RowTotals::of_chunk(&chunk, is_sample, counted);
        Ok((chunk, totals))
    }

    /// Returns a column of all parts.
    fn ids(&self, column: impl Fn(&Part) -> (&IdColumn, Option<&Vec<u32>>)) -> Result<IdColumn, OutOfMemory> {
        let part = |part| {
            let (column, numbers) = column(part);
            IdPart { column, rows: part.rows.clone(), numbers: numbers.map(Vec::as_slice) }
        };
        IdColumn::joined(&self.0.iter().map(part).collect::<Vec<_>>())
    }

    fn offsets(&self, column: impl Fn(&RegionColumns) -> &OffsetColumn) -> Result<OffsetColumn, OutOfMemory> {
        OffsetColumn::joined(&self.0.iter().map(|part| (column(&part.columns), part.rows.clone())).collect::<Vec<_>>())
    }
}
