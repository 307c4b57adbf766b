//! Event columns: all events of a trace in total order (time, capture thread, sequence, file position).

use super::narrow::{IdColumn, IdSet, OffsetColumn};
use crate::model::out_of_memory::OutOfMemory;
use protocol::base::ids::{ActivityId, EventId, StackId, ThreadId, TypeId};
use protocol::base::time::{Clock, Span};
use std::ops::Range;

/// Number of rows of a full chunk. All chunks except the last one are full.
pub const CHUNK_ROWS: usize = 65_536;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventRow {
    /// Ticks since the header's sync point; negative before it.
    pub ticks: i64,
    /// Type; for thread samples, the variant of the sampled state.
    pub event_type: TypeId,
    /// Thread: for a sample the sampled thread, otherwise the capture thread.
    pub thread: ThreadId,
    /// Stack; 0 if there is none.
    pub stack: StackId,
    /// Activity; 0 if there is none.
    pub activity: ActivityId,
    /// Number of the writer in [`super::writers::Writers`].
    pub writer: u32,
    /// Absolute offset of the payload in the file.
    pub payload_offset: u64,
    /// Length of the payload in bytes.
    pub payload_length: u32,
}

/// All events, in chunks of [`CHUNK_ROWS`].
#[derive(Clone, Debug, Default)]
pub struct Events {
    chunks: Vec<EventChunk>,
    len: usize,
}

impl Events {
    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn chunks(&self) -> &[EventChunk] {
        &self.chunks
    }

    pub fn get(&self, event: EventId) -> Option<EventRow> {
        let chunk = self.chunks.get(event.index() / CHUNK_ROWS)?;
        let row = event.index() % CHUNK_ROWS;
        (row < chunk.len()).then(|| chunk.row(row))
    }

    /// Returns an event. Unknown IDs give an empty row.
    pub fn row(&self, event: EventId) -> EventRow {
        self.get(event).unwrap_or_default()
    }

    /// Returns the first row at or after `ticks`.
    pub fn lower_bound(&self, ticks: i64) -> usize {
        let chunk = self.chunks.partition_point(|chunk| chunk.max_ticks() < ticks);
        self.chunks.get(chunk).map_or(self.len, |chunk| chunk.first_row + chunk.lower_bound(ticks))
    }

    /// Returns the rows in a time range.
    pub fn range(&self, clock: Clock, span: Span) -> Range<usize> {
        let start = self.lower_bound(clock.ticks_at_or_after(span.start));
        let end = self.lower_bound(clock.ticks_at_or_after(span.end));
        start..end.max(start)
    }

    /// Returns the chunks that contain `rows`, each with its rows relative to the chunk.
    pub fn chunks_in(&self, rows: Range<usize>) -> impl Iterator<Item = (&EventChunk, Range<usize>)> {
        let first = rows.start / CHUNK_ROWS;
        let end = rows.end.div_ceil(CHUNK_ROWS).min(self.chunks.len());
        self.chunks.get(first..end).unwrap_or_default().iter().map(move |chunk| {
            let start = rows.start.saturating_sub(chunk.first_row);
            let end = rows.end.saturating_sub(chunk.first_row).min(chunk.len());
            (chunk, start..end.max(start))
        })
    }

    pub fn heap_bytes(&self) -> u64 {
        let chunks: u64 = self.chunks.iter().map(EventChunk::heap_bytes).sum();
        chunks + (self.chunks.capacity() * size_of::<EventChunk>()) as u64
    }

    /// Appends a chunk; all earlier chunks must be full.
    pub(crate) fn push(&mut self, mut chunk: EventChunk) -> Result<(), OutOfMemory> {
        if !chunk.is_empty() {
            crate::model::out_of_memory::reserve(&mut self.chunks, 1)?;
            chunk.first_row = self.len;
            self.len += chunk.len();
            self.chunks.push(chunk);
        }
        Ok(())
    }

    /// Removes and returns the chunk that contains `row`, and all after it.
    pub(crate) fn split_off(&mut self, row: usize) -> Vec<EventChunk> {
        let rest = self.chunks.split_off((row / CHUNK_ROWS).min(self.chunks.len()));
        self.len -= rest.iter().map(EventChunk::len).sum::<usize>();
        rest
    }

    /// Returns the chunks for replacing a column.
    pub(crate) fn chunks_mut(&mut self) -> &mut [EventChunk] {
        &mut self.chunks
    }
}

/// Up to [`CHUNK_ROWS`] events. Rows are relative to the chunk.
///
/// Methods that take a row return the value of an empty row if it is past the end of the chunk.
#[derive(Clone, Debug)]
pub struct EventChunk {
    /// The [`EventId`] of the first row.
    pub(crate) first_row: usize,
    /// Ticks, which ascend.
    pub(crate) ticks: OffsetColumn,
    /// [`TypeId`]s.
    pub(crate) types: IdColumn,
    /// [`ThreadId`]s.
    pub(crate) threads: IdColumn,
    /// [`StackId`]s.
    pub(crate) stacks: IdColumn,
    pub(crate) activities: IdColumn,
    pub(crate) writers: IdColumn,
    pub(crate) payload_offsets: OffsetColumn,
    pub(crate) payload_lengths: IdColumn,
    /// The types in the chunk.
    pub(crate) types_present: IdSet,
    /// The threads in the chunk.
    pub(crate) threads_present: IdSet,
}

impl EventChunk {
    pub fn len(&self) -> usize {
        self.ticks.len()
    }

    /// Returns whether the chunk is empty. Chunks in [`Events`] never are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the [`EventId`] of a row.
    pub fn event_id(&self, row: usize) -> EventId {
        EventId((self.first_row + row) as u32)
    }

    /// Returns the ticks of the first row, the smallest ones.
    pub fn min_ticks(&self) -> i64 {
        self.ticks.get(0)
    }

    /// Returns the ticks of the last row, the largest ones.
    pub fn max_ticks(&self) -> i64 {
        self.ticks.get(self.len().saturating_sub(1))
    }

    /// Returns the first row at or after `ticks`.
    pub fn lower_bound(&self, ticks: i64) -> usize {
        self.ticks.lower_bound(ticks)
    }

    pub fn row(&self, row: usize) -> EventRow {
        EventRow {
            ticks: self.ticks(row),
            event_type: self.event_type(row),
            thread: self.thread(row),
            stack: self.stack(row),
            activity: self.activity(row),
            writer: self.writer(row),
            payload_offset: self.payload_offset(row),
            payload_length: self.payload_length(row),
        }
    }

    /// Returns the ticks of a row since the sync point.
    #[inline]
    pub fn ticks(&self, row: usize) -> i64 {
        self.ticks.get(row)
    }

    #[inline]
    pub fn event_type(&self, row: usize) -> TypeId {
        TypeId(self.types.get(row))
    }

    #[inline]
    pub fn thread(&self, row: usize) -> ThreadId {
        ThreadId(self.threads.get(row))
    }

    #[inline]
    pub fn stack(&self, row: usize) -> StackId {
        StackId(self.stacks.get(row))
    }

    #[inline]
    pub fn activity(&self, row: usize) -> ActivityId {
        ActivityId(self.activities.get(row))
    }

    /// Returns the number of the writer of a row.
    #[inline]
    pub fn writer(&self, row: usize) -> u32 {
        self.writers.get(row)
    }

    /// Returns the absolute payload offset of a row.
    #[inline]
    pub fn payload_offset(&self, row: usize) -> u64 {
        self.payload_offsets.get(row) as u64
    }

    /// Returns the payload length of a row in bytes.
    #[inline]
    pub fn payload_length(&self, row: usize) -> u32 {
        self.payload_lengths.get(row)
    }

    /// Returns whether the chunk contains an event of this type.
    pub fn has_type(&self, event_type: TypeId) -> bool {
        self.types_present.contains(event_type.0)
    }

    /// Returns whether the chunk contains an event of this thread.
    pub fn has_thread(&self, thread: ThreadId) -> bool {
        self.threads_present.contains(thread.0)
    }

    pub fn heap_bytes(&self) -> u64 {
        self.ticks.heap_bytes()
            + self.types.heap_bytes()
            + self.threads.heap_bytes()
            + self.stacks.heap_bytes()
            + self.activities.heap_bytes()
            + self.writers.heap_bytes()
            + self.payload_offsets.heap_bytes()
            + self.payload_lengths.heap_bytes()
            + self.types_present.heap_bytes()
            + self.threads_present.heap_bytes()
    }

    /// Replaces the stacks of all rows.
    pub(crate) fn set_stacks(&mut self, stacks: &[u32]) -> Result<(), OutOfMemory> {
        self.stacks = IdColumn::from_values(stacks)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::columns::open_chunk::OpenChunk;

    fn events(ticks: impl Iterator<Item = i64>) -> Result<Events, OutOfMemory> {
        let mut events = Events::default();
        let mut open = OpenChunk::new()?;
        for (at, ticks) in ticks.enumerate() {
            open.push(&EventRow {
                ticks,
                event_type: TypeId(at as u32 % 3),
                thread: ThreadId(at as u32 / 1000),
                payload_offset: 100 + at as u64,
                payload_length: 4,
                ..EventRow::default()
            });
            if open.len() == CHUNK_ROWS {
                events.push(open.seal()?)?;
            }
        }
        events.push(open.seal()?)?;
        Ok(events)
    }

    #[test]
    fn rows_round_trip_across_chunks() -> Result<(), OutOfMemory> {
        let events = events((0..70_000).map(|at| at * 10 - 5))?;
        assert_eq!((events.len(), events.chunks().len()), (70_000, 2));
        let row = events.row(EventId(65_536));
        assert_eq!((row.ticks, row.event_type, row.thread), (655_355, TypeId(1), ThreadId(65)));
        assert_eq!((row.payload_offset, row.payload_length), (65_636, 4));
        assert_eq!(events.get(EventId(70_000)), None);
        assert_eq!(events.lower_bound(655_355), 65_536);
        assert_eq!(events.lower_bound(i64::MAX), 70_000);
        assert!(events.chunks()[1].has_thread(ThreadId(66)) && !events.chunks()[1].has_thread(ThreadId(3)));
        Ok(())
    }

    #[test]
    fn span_selects_rows_and_chunks() -> Result<(), OutOfMemory> {
        let events = events(0..70_000)?;
        let rows = events.range(Clock::new(1_000_000_000), Span::new(65_000, 66_000));
        assert_eq!(rows, 65_000..66_000);
        let parts: Vec<_> = events.chunks_in(rows).map(|(chunk, part)| (chunk.first_row, part)).collect();
        assert_eq!(parts, [(0, 65_000..65_536), (65_536, 0..464)]);
        assert_eq!(events.chunks_in(70_000..70_000).map(|(_, part)| part.len()).sum::<usize>(), 0);
        Ok(())
    }

    #[test]
    fn row_with_small_values_takes_few_bytes() -> Result<(), OutOfMemory> {
        let events = events(0..65_536)?;
        assert_eq!(events.chunks()[0].heap_bytes() / 65_536, 4 + 1 + 1 + 4);
        Ok(())
    }
}
