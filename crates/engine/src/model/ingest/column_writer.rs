//! Appends rows to the event columns in total order. Repairs the order if a region of the file begins before the end of
//! the previous one.

use super::ThreadTable;
use super::region::Row;
use crate::model::columns::events::{CHUNK_ROWS, EventChunk, EventRow, Events};
use crate::model::columns::open_chunk::OpenChunk;
use crate::model::out_of_memory::{OutOfMemory, reserve};
use protocol::base::ids::{ActivityId, StackId, ThreadId, TypeId};
use protocol::base::sort::sort_by_key;

/// Growing event columns.
#[derive(Clone, Debug)]
pub(super) struct ColumnWriter {
    events: Events,
    open: OpenChunk,
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

    pub fn len(&self) -> usize {
        self.events.len() + self.open.len() + self.late.len()
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

/// Capture-thread slots of all rows, as runs. Only needed to repair the order.
#[derive(Clone, Debug, Default)]
struct CaptureRuns {
    /// Row after the run, and slot.
    runs: Vec<(u32, u32)>,
}

impl CaptureRuns {
    fn push(&mut self, slot: u32, rows: usize) -> Result<(), OutOfMemory> {
        match self.runs.last_mut() {
            Some((end, last)) if *last == slot => *end += rows as u32,
            last => {
                let end = last.map_or(0, |(end, _)| *end) + rows as u32;
                reserve(&mut self.runs, 1)?;
                self.runs.push((end, slot));
            }
        }
        Ok(())
    }

    /// Returns the slots of the rows starting at `row`.
    fn iter_from(self, row: usize) -> impl Iterator<Item = u32> {
        let mut row = row as u32;
        let mut runs = self.runs.into_iter().peekable();
        std::iter::from_fn(move || {
            while runs.next_if(|&(end, _)| end <= row).is_some() {}
            row += 1;
            runs.peek().map(|&(_, slot)| slot)
        })
    }
}
