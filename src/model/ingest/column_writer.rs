//! Appends rows in total order to the event columns, and repairs the order when a region of the file begins before
//! the one before it has ended.

use super::region::Row;
use crate::model::events::{CHUNK_ROWS, EventChunk, EventRow, Events, OpenChunk};
use crate::model::ids::{ActivityId, StackId, ThreadId, TypeId};
use crate::model::out_of_memory::{OutOfMemory, reserve};
use crate::model::sort::sort_by_key;

/// The event columns while they grow.
#[derive(Clone, Debug)]
pub(super) struct ColumnWriter {
    events: Events,
    open: OpenChunk,
    /// Order of the last row: ticks and capture thread.
    last: Option<(i64, u64)>,
    captures: CaptureRuns,
    /// The file's names of capture threads, by slot.
    capture_ids: Vec<u64>,
    /// Rows that belong before one that is already in the columns.
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

    /// Appends a row of the capture thread that the file names `capture`. Rows of the same time and capture thread
    /// keep the order in which they come: sequence numbers may begin again at a sequence point.
    #[inline]
    pub fn push(&mut self, row: &Row, thread: ThreadId, capture: u64) -> Result<(), OutOfMemory> {
        let event = EventRow {
            ticks: row.ticks,
            event_type: TypeId(row.event_type),
            thread,
            stack: StackId(row.stack),
            activity: ActivityId(row.activity),
            payload_offset: row.payload_offset,
            payload_length: row.payload_length,
        };
        let order = (row.ticks, capture);
        if self.last.is_some_and(|last| order < last) {
            reserve(&mut self.late, 1)?;
            self.late.push((row.capture, event));
            self.name(row.capture, capture);
            return Ok(());
        }
        self.last = Some(order);
        if self.captures.is_another(row.capture) {
            self.name(row.capture, capture);
        }
        self.append(&event, row.capture)
    }

    /// Notes what the file calls the capture thread of a slot.
    fn name(&mut self, slot: u32, capture: u64) {
        let slot = slot as usize;
        if self.capture_ids.len() <= slot {
            self.capture_ids.resize(slot + 1, 0);
        }
        if let Some(id) = self.capture_ids.get_mut(slot) {
            *id = capture;
        }
    }

    #[inline]
    fn append(&mut self, event: &EventRow, slot: u32) -> Result<(), OutOfMemory> {
        self.captures.push(slot)?;
        self.open.push(event);
        if self.open.len() == CHUNK_ROWS { self.events.push(self.open.seal()?) } else { Ok(()) }
    }

    /// The columns, with every late row at its place.
    pub fn finish(mut self) -> Result<Events, OutOfMemory> {
        self.events.push(self.open.seal()?)?;
        if !self.late.is_empty() {
            self.merge_late()?;
        }
        Ok(self.events)
    }

    /// Builds the chunks anew from the first one that a late row belongs into.
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

fn rows_of(chunk: &EventChunk) -> impl Iterator<Item = EventRow> + '_ {
    (0..chunk.len()).map(|row| chunk.row(row))
}

/// The slot of the capture thread of every row, as runs: only repairing the order needs it.
#[derive(Clone, Debug, Default)]
struct CaptureRuns {
    /// Row after the run, and its slot.
    runs: Vec<(u32, u32)>,
}

impl CaptureRuns {
    /// Whether a row of this slot would begin a run.
    #[inline]
    fn is_another(&self, slot: u32) -> bool {
        self.runs.last().is_none_or(|&(_, last)| last != slot)
    }

    #[inline]
    fn push(&mut self, slot: u32) -> Result<(), OutOfMemory> {
        match self.runs.last_mut() {
            Some((end, last)) if *last == slot => *end += 1,
            last => {
                let end = last.map_or(0, |(end, _)| *end) + 1;
                reserve(&mut self.runs, 1)?;
                self.runs.push((end, slot));
            }
        }
        Ok(())
    }

    /// The slots of the rows from `row` on.
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
