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

    /// Narrows the rows into a chunk and empties this one.
    pub fn seal(&mut self) -> Result<EventChunk, OutOfMemory> {
        let rows = ..self.rows;
        let types = IdColumn::from_values(&self.types[rows])?;
        let threads = IdColumn::from_values(&self.threads[rows])?;
        let chunk = EventChunk {
            first_row: 0,
            ticks: OffsetColumn::from_values(&self.ticks[rows])?,
            types_present: IdSet::of_column(&types),
            threads_present: IdSet::of_column(&threads),
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
