//! Chunk of events that is being filled.

use super::events::{CHUNK_ROWS, EventChunk, EventRow};
use super::narrow::{IdColumn, IdSet, OffsetColumn};
use crate::model::out_of_memory::{OutOfMemory, reserve_exact};

/// Chunk that is being filled, with full-width columns that are narrowed when it is complete.
#[derive(Clone, Debug)]
pub(crate) struct OpenChunk {
    rows: usize,
    ticks: Box<[i64; CHUNK_ROWS]>,
    types: Box<[u32; CHUNK_ROWS]>,
    threads: Box<[u32; CHUNK_ROWS]>,
    stacks: Box<[u32; CHUNK_ROWS]>,
    activities: Box<[u32; CHUNK_ROWS]>,
    writers: Box<[u32; CHUNK_ROWS]>,
    payload_offsets: Box<[i64; CHUNK_ROWS]>,
    payload_lengths: Box<[u32; CHUNK_ROWS]>,
}

/// Columns of rows, some with numbers that are mapped.
pub(crate) struct MappedRows<'a> {
    pub ticks: &'a [i64],
    pub types: &'a [u32],
    pub threads: Mapped<'a>,
    pub stacks: Mapped<'a>,
    pub activities: Mapped<'a>,
    pub writers: Mapped<'a>,
    pub payload_offsets: &'a [i64],
    pub payload_lengths: &'a [u32],
}

/// A column and what its numbers stand for; unknown ones for 0.
pub(crate) struct Mapped<'a> {
    pub column: &'a [u32],
    pub numbers: &'a [u32],
}

impl Mapped<'_> {
    fn copy_into(&self, into: &mut [u32]) {
        for (into, number) in into.iter_mut().zip(self.column) {
            *into = self.numbers.get(*number as usize).copied().unwrap_or(0);
        }
    }
}

fn copy<T: Copy>(into: &mut [T], from: &[T]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into = *from);
}

impl OpenChunk {
    /// Returns an empty chunk with room for all its rows.
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            rows: 0,
            ticks: column()?,
            types: column()?,
            threads: column()?,
            stacks: column()?,
            activities: column()?,
            writers: column()?,
            payload_offsets: column()?,
            payload_lengths: column()?,
        })
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    /// Appends a row. A chunk with [`CHUNK_ROWS`] rows must be sealed first.
    #[inline]
    pub fn push(&mut self, row: &EventRow) {
        let at = self.rows;
        // One bounds check for eight columns.
        if at < CHUNK_ROWS {
            self.ticks[at] = row.ticks;
            self.types[at] = row.event_type.0;
            self.threads[at] = row.thread.0;
            self.stacks[at] = row.stack.0;
            self.activities[at] = row.activity.0;
            self.writers[at] = row.writer;
            self.payload_offsets[at] = row.payload_offset as i64;
            self.payload_lengths[at] = row.payload_length;
            self.rows = at + 1;
        }
    }

    /// Appends rows, as many as there is room for. Returns their number.
    pub fn extend(&mut self, rows: &MappedRows<'_>) -> usize {
        let start = self.rows;
        let end = CHUNK_ROWS.min(start + rows.ticks.len());
        copy(&mut self.ticks[start..end], rows.ticks);
        copy(&mut self.types[start..end], rows.types);
        copy(&mut self.payload_offsets[start..end], rows.payload_offsets);
        copy(&mut self.payload_lengths[start..end], rows.payload_lengths);
        rows.threads.copy_into(&mut self.threads[start..end]);
        rows.stacks.copy_into(&mut self.stacks[start..end]);
        rows.activities.copy_into(&mut self.activities[start..end]);
        rows.writers.copy_into(&mut self.writers[start..end]);
        self.rows = end;
        end - start
    }

    /// Narrows the rows into a chunk and empties this one.
    pub fn seal(&mut self) -> Result<EventChunk, OutOfMemory> {
        let rows = ..self.rows;
        let types = IdColumn::from_values(&self.types[rows])?;
        let threads = IdColumn::from_values(&self.threads[rows])?;
        let chunk = EventChunk {
            first_row: 0,
            ticks: OffsetColumn::from_values(&self.ticks[rows])?,
            types_present: IdSet::of_column(&types, &self.types[rows]),
            threads_present: IdSet::of_column(&threads, &self.threads[rows]),
            types,
            threads,
            stacks: IdColumn::from_values(&self.stacks[rows])?,
            activities: IdColumn::from_values(&self.activities[rows])?,
            writers: IdColumn::from_values(&self.writers[rows])?,
            payload_offsets: OffsetColumn::from_values(&self.payload_offsets[rows])?,
            payload_lengths: IdColumn::from_values(&self.payload_lengths[rows])?,
        };
        self.rows = 0;
        Ok(chunk)
    }
}

/// Returns a column of full width.
fn column<T: Copy + Default>() -> Result<Box<[T; CHUNK_ROWS]>, OutOfMemory> {
    let mut values = Vec::new();
    reserve_exact(&mut values, CHUNK_ROWS)?;
    values.resize(CHUNK_ROWS, T::default());
    let wanted = (CHUNK_ROWS * size_of::<T>()) as u64;
    values.into_boxed_slice().try_into().map_err(|_| OutOfMemory { wanted })
}
