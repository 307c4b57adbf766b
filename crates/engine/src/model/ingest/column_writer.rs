//! Appends rows to the event columns in total order. Repairs the order if a region of the file begins before the end of
//! the previous one.

use super::ThreadTable;
use super::parallel::chunks::{ChunkParts, Part, Runs};
use super::region::Row;
use crate::model::columns::events::{CHUNK_ROWS, EventChunk, EventRow, Events};
use crate::model::columns::open_chunk::OpenChunk;
use crate::model::out_of_memory::{OutOfMemory, reserve};
use protocol::base::ids::{ActivityId, StackId, ThreadId, TypeId};
use protocol::base::sort::sort_by_key;
use std::collections::VecDeque;
use std::sync::Arc;

/// Growing event columns.
#[derive(Clone, Debug)]
pub(super) struct ColumnWriter {
    events: Events,
    open: OpenChunk,
    /// Rows after those of the open chunk.
    pending: VecDeque<Part>,
    pending_rows: usize,
    /// Number of rows in chunks that are being written.
    taken_rows: usize,
    /// Sort key of the last row: ticks and capture thread.
    last: Option<(i64, u64)>,
    captures: CaptureRuns,
    /// IDs of capture threads in the file, by slot.
    capture_ids: Vec<u64>,
    /// Rows that must be inserted before existing ones.
    late: Vec<(u32, EventRow)>,
}

impl ColumnWriter {
    pub fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            events: Events::default(),
            open: OpenChunk::new()?,
            pending: VecDeque::new(),
            pending_rows: 0,
            taken_rows: 0,
            last: None,
            captures: CaptureRuns::default(),
            capture_ids: Vec::new(),
            late: Vec::new(),
        })
    }

    /// Appends ascending rows of a capture thread with the ID `capture` in the file. Rows of the same time and capture
    /// thread keep their order, because sequence numbers may restart at a sequence point. `incarnations` distinguishes
    /// threads whose ID was reused; `None` if there are none.
    pub fn push(&mut self, rows: &[Row], capture: u64, incarnations: Option<&ThreadTable>) -> Result<(), OutOfMemory> {
        let Some(first) = rows.first() else { return Ok(()) };
        self.settle(usize::MAX)?;
        let slot = first.capture;
        self.name(slot, capture);
        let is_late = |row: &Row| self.last.is_some_and(|last| (row.ticks, capture) < last);
        // Rows are ascending: if the first one isn't late, none is.
        let late = if is_late(first) { rows.partition_point(is_late) } else { 0 };
        let (late, mut rows) = rows.split_at(late);
        if !late.is_empty() {
            reserve(&mut self.late, late.len())?;
            self.late.extend(late.iter().map(|row| (slot, event_of(row, incarnations))));
        }
        let Some(last) = rows.last() else { return Ok(()) };
        self.last = Some((last.ticks, capture));
        self.captures.push(slot, rows.len())?;
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(CHUNK_ROWS - self.open.len()));
            now.iter().for_each(|row| self.open.push(&event_of(row, incarnations)));
            self.seal_if_full()?;
            rows = later;
        }
        Ok(())
    }

    /// Returns whether a row at these ticks of a capture thread follows the last one.
    pub fn is_next(&self, ticks: i64, capture: u64) -> bool {
        self.last.is_none_or(|last| last <= (ticks, capture))
    }

    /// Appends the rows of a region, which follow the last one. `runs` are their capture threads, and `captures` the
    /// slots of these, with their IDs in the file.
    pub fn add_region(&mut self, part: Part, runs: Runs, captures: &[(u32, u64)]) -> Result<(), OutOfMemory> {
        captures.iter().for_each(|&(slot, id)| self.name(slot, id));
        let capture = runs.0.last().and_then(|&(_, capture)| captures.get(capture as usize));
        let Some(((_, last), &(_, capture))) = part.columns.ticks().zip(capture) else { return Ok(()) };
        self.last = Some((last, capture));
        let slots = captures.iter().map(|(slot, _)| *slot).collect();
        self.captures.push_region(runs, slots)?;
        self.pending_rows += part.rows.len();
        reserve_back(&mut self.pending)?;
        self.pending.push_back(part);
        Ok(())
    }

    /// Removes and returns the pending rows that fill chunks.
    pub fn take_full_chunks(&mut self) -> Result<Vec<ChunkParts>, OutOfMemory> {
        if self.open.len() > 0 {
            self.settle(CHUNK_ROWS - self.open.len())?;
        }
        let mut chunks = Vec::new();
        while self.open.len() == 0 && self.pending_rows >= CHUNK_ROWS {
            let (mut parts, mut missing) = (Vec::new(), CHUNK_ROWS);
            while let Some(part) = self.take_pending(missing) {
                missing -= part.rows.len();
                parts.push(part);
            }
            self.taken_rows += CHUNK_ROWS;
            chunks.push(ChunkParts(parts));
        }
        Ok(chunks)
    }

    /// Appends a chunk of the rows that [`Self::take_full_chunks`] returned.
    pub fn add_chunk(&mut self, chunk: EventChunk) -> Result<(), OutOfMemory> {
        self.taken_rows -= chunk.len();
        self.events.push(chunk)
    }

    /// Removes and returns at most this many of the pending rows.
    fn take_pending(&mut self, most: usize) -> Option<Part> {
        let part = self.pending.front_mut().filter(|_| most > 0)?.split_first(most);
        self.pending_rows -= part.rows.len();
        if self.pending.front().is_some_and(|rest| rest.rows.is_empty()) {
            self.pending.pop_front();
        }
        Some(part)
    }

    /// Moves at most this many of the pending rows to the open chunk.
    fn settle(&mut self, most: usize) -> Result<(), OutOfMemory> {
        let mut left = most.min(self.pending_rows);
        while let Some(part) = self.take_pending(left.min(CHUNK_ROWS - self.open.len())) {
            left -= part.rows.len();
            part.write(&mut self.open);
            self.seal_if_full()?;
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.events.len() + self.open.len() + self.pending_rows + self.taken_rows + self.late.len()
    }

    /// Returns the complete chunks.
    pub fn complete(&self) -> &Events {
        &self.events
    }

    /// Returns whether complete chunks will be rebuilt, because of late rows.
    pub fn has_late_rows(&self) -> bool {
        !self.late.is_empty()
    }

    /// Sets the ID of a slot's capture thread in the file.
    fn name(&mut self, slot: u32, capture: u64) {
        let slot = slot as usize;
        if self.capture_ids.len() <= slot {
            self.capture_ids.resize(slot + 1, 0);
        }
        if let Some(id) = self.capture_ids.get_mut(slot) {
            *id = capture;
        }
    }

    fn append(&mut self, event: &EventRow, slot: u32) -> Result<(), OutOfMemory> {
        self.captures.push(slot, 1)?;
        self.open.push(event);
        self.seal_if_full()
    }

    fn seal_if_full(&mut self) -> Result<(), OutOfMemory> {
        if self.open.len() == CHUNK_ROWS { self.events.push(self.open.seal()?) } else { Ok(()) }
    }

    /// Returns the columns, including late rows.
    pub fn finish(mut self) -> Result<Events, OutOfMemory> {
        self.settle(usize::MAX)?;
        self.events.push(self.open.seal()?)?;
        if !self.late.is_empty() {
            self.merge_late()?;
        }
        Ok(self.events)
    }

    /// Rebuilds the chunks from the first one with a late row.
    fn merge_late(&mut self) -> Result<(), OutOfMemory> {
        let mut late = std::mem::take(&mut self.late);
        let capture_ids = std::mem::take(&mut self.capture_ids);
        let id = |slot: u32| capture_ids.get(slot as usize).copied().unwrap_or(0);
        sort_by_key(&mut late, |(slot, event)| (event.ticks, id(*slot)));
        let first = late.first().map_or(0, |(_, event)| self.events.lower_bound(event.ticks));
        let chunks = self.events.split_off(first);
        let captures = std::mem::take(&mut self.captures);
        let mut slots = captures.iter_from(self.events.len());
        let mut late = late.into_iter().peekable();
        for chunk in chunks {
            for (event, slot) in rows_of(&chunk).zip(&mut slots) {
                let order = (event.ticks, id(slot));
                while let Some((slot, event)) = late.next_if(|late| (late.1.ticks, id(late.0)) < order) {
                    self.append(&event, slot)?;
                }
                self.append(&event, slot)?;
            }
        }
        for (slot, event) in late {
            self.append(&event, slot)?;
        }
        self.events.push(self.open.seal()?)
    }
}

#[inline]
fn event_of(row: &Row, incarnations: Option<&ThreadTable>) -> EventRow {
    let thread = ThreadId(row.thread);
    EventRow {
        ticks: row.ticks,
        event_type: TypeId(row.event_type),
        thread: incarnations.map_or(thread, |threads| threads.at(thread, row.ticks)),
        stack: StackId(row.stack),
        activity: ActivityId(row.activity),
        writer: row.writer,
        payload_offset: row.payload_offset,
        payload_length: row.payload_length,
    }
}

fn rows_of(chunk: &EventChunk) -> impl Iterator<Item = EventRow> + '_ {
    (0..chunk.len()).map(|row| chunk.row(row))
}

fn reserve_back<T>(queue: &mut VecDeque<T>) -> Result<(), OutOfMemory> {
    queue.try_reserve(1).map_err(|_| OutOfMemory { wanted: size_of::<T>() as u64 })
}

/// Capture-thread slots of all rows, as runs. Only needed to repair the order.
#[derive(Clone, Debug, Default)]
struct CaptureRuns {
    parts: Vec<RunsPart>,
}

/// Consecutive runs: number of rows, and slot.
#[derive(Clone, Debug)]
enum RunsPart {
    Own(Vec<(u32, u32)>),
    /// Runs of a region, with the slots of its capture threads.
    Region(Arc<Runs>, Vec<u32>),
}

impl CaptureRuns {
    fn push(&mut self, slot: u32, rows: usize) -> Result<(), OutOfMemory> {
        if !matches!(self.parts.last(), Some(RunsPart::Own(_))) {
            reserve(&mut self.parts, 1)?;
            self.parts.push(RunsPart::Own(Vec::new()));
        }
        let Some(RunsPart::Own(runs)) = self.parts.last_mut() else { return Ok(()) };
        match runs.last_mut() {
            Some((count, last)) if *last == slot => *count += rows as u32,
            _ => {
                reserve(runs, 1)?;
                runs.push((rows as u32, slot));
            }
        }
        Ok(())
    }

    fn push_region(&mut self, runs: Runs, slots: Vec<u32>) -> Result<(), OutOfMemory> {
        reserve(&mut self.parts, 1)?;
        self.parts.push(RunsPart::Region(Arc::new(runs), slots));
        Ok(())
    }

    /// Returns the slots of the rows starting at `row`.
    fn iter_from(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        let runs = self.parts.iter().flat_map(|part| {
            let (runs, slots) = match part {
                RunsPart::Own(runs) => (runs, None),
                RunsPart::Region(runs, slots) => (&runs.0, Some(slots)),
            };
            let slot = move |run: u32| slots.map_or(run, |slots| slots.get(run as usize).copied().unwrap_or(0));
            runs.iter().map(move |&(rows, run)| (rows as usize, slot(run)))
        });
        let mut skipped = row;
        runs.flat_map(move |(rows, slot)| {
            let skips = rows.min(skipped);
            skipped -= skips;
            std::iter::repeat_n(slot, rows - skips)
        })
    }
}
