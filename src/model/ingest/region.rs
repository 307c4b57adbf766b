//! A region of the file between two sequence points: its rows are collected and put in order of time.
//!
//! Every capture thread writes its events in order, so a region is a handful of ascending chains, one a capture
//! thread, that interleave in the file. They are merged; only a damaged file needs sorting.

use crate::model::out_of_memory::{OutOfMemory, reserve};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// An event on its way into the columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub ticks: i64,
    pub payload_offset: u64,
    pub payload_length: u32,
    pub event_type: u32,
    pub thread: u32,
    pub stack: u32,
    pub activity: u32,
    pub sequence: u32,
    /// Slot of the capture thread.
    pub capture: u32,
    /// The next row of the same capture thread.
    next: u32,
}

impl Row {
    /// A row of this capture thread, to be filled in.
    #[inline]
    pub fn new(ticks: i64, capture: u32, sequence: u32) -> Self {
        Self {
            ticks,
            payload_offset: 0,
            payload_length: 0,
            event_type: 0,
            thread: 0,
            stack: 0,
            activity: 0,
            sequence,
            capture,
            next: NONE,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Chain {
    /// The region that the rest of the fields is about.
    region: u32,
    head: u32,
    tail: u32,
    last: (i64, u32),
}

/// The rows since the last sequence point.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    rows: Vec<Row>,
    chains: Vec<Chain>,
    /// Slots of the capture threads with rows.
    active: Vec<u32>,
    number: u32,
    is_unordered: bool,
}

impl Region {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Makes room for about as many rows.
    pub fn reserve(&mut self, rows: usize) -> Result<(), OutOfMemory> {
        reserve(&mut self.rows, rows)
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: Row) {
        let index = self.rows.len() as u32;
        match self.chains.get_mut(row.capture as usize) {
            Some(chain) if chain.region == self.number => {
                self.is_unordered |= (row.ticks, row.sequence) < chain.last;
                if let Some(before) = self.rows.get_mut(chain.tail as usize) {
                    before.next = index;
                }
                chain.tail = index;
                chain.last = (row.ticks, row.sequence);
            }
            _ => self.start_chain(&row, index),
        }
        self.rows.push(row);
    }

    #[cold]
    fn start_chain(&mut self, row: &Row, index: u32) {
        let slot = row.capture as usize;
        let region = self.number;
        if self.chains.len() <= slot {
            let unused = Chain { region: region.wrapping_sub(1), head: NONE, tail: NONE, last: (0, 0) };
            self.chains.resize(slot + 1, unused);
        }
        if let Some(chain) = self.chains.get_mut(slot) {
            *chain = Chain { region, head: index, tail: index, last: (row.ticks, row.sequence) };
        }
        self.active.push(row.capture);
    }

    /// Hands the rows to `sink` in order of (ticks, capture thread, sequence, file position) and empties the region.
    /// With `before`, rows from these ticks on stay. `capture_id` gives the file's name of a capture thread.
    pub fn flush(
        &mut self,
        before: Option<i64>,
        capture_id: impl Fn(u32) -> u64,
        mut sink: impl FnMut(&Row, u64) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let mut rows = std::mem::take(&mut self.rows);
        let active = std::mem::take(&mut self.active);
        if self.is_unordered {
            rows.sort_by_key(|row| (row.ticks, capture_id(row.capture), row.sequence, row.payload_offset));
            let stay = before.map_or(rows.len(), |before| rows.partition_point(|row| row.ticks < before));
            let (go, rest) = rows.split_at(stay);
            go.iter().try_for_each(|row| sink(row, capture_id(row.capture)))?;
            self.restart(rest.to_vec());
        } else {
            let heads =
                active.iter().filter_map(|&slot| self.chains.get(slot as usize).map(|chain| (slot, chain.head)));
            let rest = merge(&rows, heads, before, capture_id, sink)?;
            let rest: Vec<Row> = rest.into_iter().flat_map(|head| chain_rows(&rows, head)).copied().collect();
            rows.clear();
            if rest.is_empty() {
                self.rows = rows;
                self.active = active;
                self.active.clear();
                self.number = self.number.wrapping_add(1);
            } else {
                self.restart(rest);
            }
        }
        Ok(())
    }

    fn restart(&mut self, rest: Vec<Row>) {
        self.number = self.number.wrapping_add(1);
        self.is_unordered = false;
        rest.into_iter().for_each(|row| self.push(Row { next: NONE, ..row }));
    }
}

fn chain_rows(rows: &[Row], head: u32) -> impl Iterator<Item = &Row> {
    std::iter::successors(rows.get(head as usize), |row| rows.get(row.next as usize))
}

/// Merges ascending chains and returns where those go on that have rows from `before` on.
fn merge(
    rows: &[Row],
    heads: impl Iterator<Item = (u32, u32)>,
    before: Option<i64>,
    capture_id: impl Fn(u32) -> u64,
    mut sink: impl FnMut(&Row, u64) -> Result<(), OutOfMemory>,
) -> Result<Vec<u32>, OutOfMemory> {
    let mut rest = Vec::new();
    let mut heap: BinaryHeap<Reverse<(i64, u64, u32)>> = heads
        .filter_map(|(slot, head)| rows.get(head as usize).map(|row| Reverse((row.ticks, capture_id(slot), head))))
        .collect();
    while let Some(Reverse((_, id, head))) = heap.pop() {
        // As long as this chain is ahead of all others, no comparison with them is needed.
        let bound = heap.peek().map_or((i64::MAX, u64::MAX), |Reverse((ticks, id, _))| (*ticks, *id));
        let mut at = head;
        while let Some(row) = rows.get(at as usize) {
            if (row.ticks, id) > bound {
                break;
            }
            if before.is_some_and(|before| row.ticks >= before) {
                rest.push(at);
                at = NONE;
                break;
            }
            sink(row, id)?;
            at = row.next;
        }
        if let Some(row) = rows.get(at as usize) {
            heap.push(Reverse((row.ticks, id, at)));
        }
    }
    Ok(rest)
}
