//! Region of the file between two sequence points, whose rows are collected and sorted by time.
//!
//! Every capture thread writes its events in order, and the file contains them in runs of one capture thread. So a
//! region is a handful of ascending chains, one per capture thread, each made of runs. They are merged, stretch by
//! stretch; only damaged files need sorting.

use crate::model::out_of_memory::{OutOfMemory, reserve};
use protocol::base::sort::sort_by_key;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;

/// Event that isn't in the columns yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    pub ticks: i64,
    pub payload_offset: u64,
    pub payload_length: u32,
    pub event_type: u32,
    pub thread: u32,
    pub stack: u32,
    pub activity: u32,
    pub writer: u32,
    pub sequence: u32,
    /// Slot of the capture thread.
    pub capture: u32,
}

impl Row {
    fn order(&self) -> (i64, u32) {
        (self.ticks, self.sequence)
    }
}

/// Consecutive rows of one capture thread, up to the next run.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: u32,
    /// Next run of the same capture thread.
    next: u32,
}

/// Runs of a capture thread.
#[derive(Clone, Copy, Debug)]
struct Chain {
    /// Region that the other fields are about.
    region: u32,
    head: u32,
    tail: u32,
    /// Sort key of the last row, after its run has ended.
    last: (i64, u32),
}

/// Rows since the last sequence point.
#[derive(Clone, Debug)]
pub(super) struct Region {
    rows: Vec<Row>,
    runs: Vec<Run>,
    chains: Vec<Chain>,
    /// Slots of the capture threads with rows.
    active: Vec<u32>,
    /// Capture thread of the current run.
    capture: u32,
    /// Sort key of the last row.
    last: (i64, u32),
    number: u32,
    is_unordered: bool,
}

impl Default for Region {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            runs: Vec::new(),
            chains: Vec::new(),
            active: Vec::new(),
            capture: NONE,
            last: (0, 0),
            number: 0,
            is_unordered: false,
        }
    }
}

impl Region {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Reserves memory for about this many rows.
    pub fn reserve(&mut self, rows: usize) -> Result<(), OutOfMemory> {
        reserve(&mut self.rows, rows)
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: Row) {
        let order = row.order();
        if row.capture == self.capture {
            self.is_unordered |= order < self.last;
        } else {
            // Passes values instead of a reference, which would force every row through memory.
            self.start_run(row.capture, order);
        }
        self.last = order;
        self.rows.push(row);
    }

    #[inline(never)]
    fn start_run(&mut self, capture: u32, order: (i64, u32)) {
        if let Some(chain) = self.chains.get_mut(self.capture as usize) {
            chain.last = self.last;
        }
        let (slot, region, run) = (capture as usize, self.number, self.runs.len() as u32);
        if self.chains.len() <= slot {
            let unused = Chain { region: region.wrapping_sub(1), head: NONE, tail: NONE, last: (0, 0) };
            self.chains.resize(slot + 1, unused);
        }
        if let Some(chain) = self.chains.get_mut(slot) {
            if chain.region == region {
                self.is_unordered |= order < chain.last;
                if let Some(before) = self.runs.get_mut(chain.tail as usize) {
                    before.next = run;
                }
                chain.tail = run;
            } else {
                *chain = Chain { region, head: run, tail: run, last: order };
                self.active.push(capture);
            }
        }
        self.runs.push(Run { start: self.rows.len() as u32, next: NONE });
        self.capture = capture;
    }

    /// Returns the payload offset of the first event that is earlier than its capture thread's previous event.
    pub fn step_back(&self) -> Option<u64> {
        if !self.is_unordered {
            return None;
        }
        let mut latest = vec![i64::MIN; self.chains.len()];
        let steps_back = |row: &&Row| {
            let Some(latest) = latest.get_mut(row.capture as usize) else { return false };
            std::mem::replace(latest, row.ticks) > row.ticks
        };
        self.rows.iter().find(steps_back).map(|row| row.payload_offset)
    }

    /// Passes the rows to `sink` in order of (ticks, capture thread, sequence, file position), in ascending stretches
    /// of one capture thread, and empties the region. With `before`, rows starting at these ticks stay. `capture_id`
    /// returns the ID of a capture thread in the file.
    pub fn flush(
        &mut self,
        before: Option<i64>,
        capture_id: impl Fn(u32) -> u64,
        mut sink: impl FnMut(&[Row], u64) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let last = before.map_or(i64::MAX, |before| before.saturating_sub(1));
        let rest = if self.is_unordered {
            let key = |row: &Row| (row.ticks, capture_id(row.capture), row.sequence, row.payload_offset);
            sort_by_key(&mut self.rows, key);
            let stay = self.rows.partition_point(|row| row.ticks <= last);
            let (go, rest) = self.rows.split_at(stay);
            go.iter().try_for_each(|row| sink(std::slice::from_ref(row), capture_id(row.capture)))?;
            rest.to_vec()
        } else {
            self.merge(last, capture_id, sink)?
        };
        self.restart(rest);
        Ok(())
    }

    /// Merges the rows of all chains up to these ticks and returns the remaining ones.
    fn merge(
        &self,
        last: i64,
        capture_id: impl Fn(u32) -> u64,
        mut sink: impl FnMut(&[Row], u64) -> Result<(), OutOfMemory>,
    ) -> Result<Vec<Row>, OutOfMemory> {
        let mut rest = Vec::new();
        let mut heads: BinaryHeap<Reverse<Head>> =
            self.active.iter().filter_map(|slot| self.head(*slot, &capture_id)).collect();
        while let Some(Reverse(mut head)) = heads.pop() {
            // Rows needn't be compared while this chain is ahead of all others.
            let bound = heads.peek().map_or((i64::MAX, u64::MAX), |Reverse(next)| (next.ticks, next.capture));
            // Last ticks at which a row of this chain is ahead.
            let ahead = if head.capture <= bound.1 { bound.0 } else { bound.0.saturating_sub(1) };
            let until = ahead.min(last);
            loop {
                let run = self.run(head.run, head.at);
                let stop = run.iter().position(|row| row.ticks > until).unwrap_or(run.len());
                let (go, stay) = run.split_at(stop);
                sink(go, head.capture)?;
                head.at += stop as u32;
                match stay.first() {
                    Some(row) if row.ticks > last => {
                        self.rows_from(head).for_each(|rows| rest.extend_from_slice(rows));
                        break;
                    }
                    Some(row) => {
                        heads.push(Reverse(Head { ticks: row.ticks, ..head }));
                        break;
                    }
                    None => match self.next_run(head) {
                        Some(next) => head = next,
                        None => break,
                    },
                }
            }
        }
        Ok(rest)
    }

    fn head(&self, slot: u32, capture_id: impl Fn(u32) -> u64) -> Option<Reverse<Head>> {
        let run = self.chains.get(slot as usize)?.head;
        let at = self.runs.get(run as usize)?.start;
        Some(Reverse(Head { ticks: self.rows.get(at as usize)?.ticks, capture: capture_id(slot), run, at }))
    }

    /// Returns the rows of a run, starting at an index.
    fn run(&self, run: u32, from: u32) -> &[Row] {
        let end = self.runs.get(run as usize + 1).map_or(self.rows.len(), |next| next.start as usize);
        self.rows.get(from as usize..end).unwrap_or_default()
    }

    /// Returns the start of the next run of a chain.
    fn next_run(&self, head: Head) -> Option<Head> {
        let run = self.runs.get(head.run as usize)?.next;
        Some(Head { run, at: self.runs.get(run as usize)?.start, ..head })
    }

    /// Returns the rest of a chain, run by run.
    fn rows_from(&self, head: Head) -> impl Iterator<Item = &[Row]> {
        std::iter::successors(Some(head), |head| self.next_run(*head)).map(|head| self.run(head.run, head.at))
    }

    fn restart(&mut self, rest: Vec<Row>) {
        self.rows.clear();
        self.runs.clear();
        self.active.clear();
        self.capture = NONE;
        self.number = self.number.wrapping_add(1);
        self.is_unordered = false;
        rest.into_iter().for_each(|row| self.push(row));
    }
}

/// Next row of a chain. Heads are ordered like rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    ticks: i64,
    /// ID of the capture thread in the file.
    capture: u64,
    run: u32,
    at: u32,
}
