//! Events that wait to be sorted.

use super::issue::{IssueKind, Issues};
use super::tables::Resolved;
use crate::block::EventHeader;
use std::ops::Range;

/// Size of waiting events at which those with a final order are returned.
const FLUSH_BYTES: usize = 4 << 20;

/// Size of waiting events at which all are returned, even if their order isn't final.
const MAX_BYTES: usize = 64 << 20;

/// Waiting event.
#[derive(Debug)]
pub(super) struct Stored {
    pub header: EventHeader<'static>,
    pub resolved: Resolved,
    /// Payload, and the end of the stack after it.
    payload: Range<usize>,
    stack_end: usize,
}

/// Events since the last sequence point that are waiting to be sorted, or being returned.
///
/// Simultaneous events are ordered by capture thread and number. netperf has neither, and leaves them in file order.
#[derive(Debug)]
pub(super) struct Region {
    /// True if the format has sequence numbers.
    has_numbers: bool,
    events: Vec<Stored>,
    bytes: Vec<u8>,
    /// Number of events that are sorted and can be returned.
    sorted: usize,
    /// Number of events that were returned.
    returned: usize,
    /// Time before which no further event can appear.
    watermark: Option<i64>,
    /// Minimum size of waiting events that is worth sorting.
    threshold: usize,
    /// Timestamp of the last event that was returned early.
    latest: Option<i64>,
}

impl Region {
    /// Creates a region without events. `has_numbers` is whether the format has sequence numbers.
    pub fn new(has_numbers: bool) -> Self {
        Self {
            has_numbers,
            events: Vec::new(),
            bytes: Vec::new(),
            sorted: 0,
            returned: 0,
            watermark: None,
            threshold: FLUSH_BYTES,
            latest: None,
        }
    }

    /// Adds an event.
    pub fn push(&mut self, header: &EventHeader<'static>, payload: &[u8], stack: &[u8], resolved: Resolved) {
        if header.is_sorted {
            self.watermark = self.watermark.max(Some(header.timestamp));
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(payload);
        let payload = start..self.bytes.len();
        self.bytes.extend_from_slice(stack);
        self.events.push(Stored { header: header.clone(), resolved, payload, stack_end: self.bytes.len() });
    }

    fn waiting_bytes(&self) -> usize {
        self.bytes.len() + self.events.len() * size_of::<Stored>()
    }

    /// Sorts the waiting events if some of them can be returned; all of them at the end of a region. Returns whether there
    /// are any.
    pub fn sort(&mut self, is_over: bool, issues: &mut Issues) -> bool {
        let is_full = self.waiting_bytes() >= MAX_BYTES;
        if !is_over && self.waiting_bytes() < self.threshold {
            return false;
        }
        let certain = |event: &Stored| self.watermark.is_some_and(|watermark| event.header.timestamp <= watermark);
        if !is_over && !is_full && !self.events.iter().any(certain) {
            self.raise_threshold();
            return false;
        }
        // Stable, so simultaneous events of a thread stay in file order. Runs of sorted events are merged, not compared.
        let has_numbers = self.has_numbers;
        self.events.sort_by_key(|Stored { header, .. }| match has_numbers {
            true => (header.timestamp, header.capture_thread, header.sequence),
            false => (header.timestamp, 0, 0),
        });
        let watermark = self.watermark;
        let certain = self.events.partition_point(|event| watermark.is_some_and(|it| event.header.timestamp <= it));
        self.sorted = if is_over || certain == 0 { self.events.len() } else { certain };
        let first = self.events.first();
        if let Some(first) = first.filter(|first| self.latest.is_some_and(|latest| first.header.timestamp < latest)) {
            issues.add(first.header.header_offset, IssueKind::Unsorted);
        }
        self.latest = match is_over {
            // The next region may begin with an earlier event only if the file is damaged, so waiting wouldn't help.
            true => None,
            false => self.events.get(self.sorted.wrapping_sub(1)).map(|event| event.header.timestamp),
        };
        if is_over {
            self.watermark = None;
        }
        self.sorted > 0
    }

    /// Advances to the next sorted event. Returns whether there is one.
    pub fn advance(&mut self) -> bool {
        if self.returned < self.sorted {
            self.returned += 1;
            return true;
        }
        if self.returned > 0 {
            self.remove_returned();
        }
        false
    }

    /// Returns the current event: its header, payload and stack.
    pub fn current(&self) -> Option<(&Stored, &[u8], &[u8])> {
        let stored = self.events.get(self.returned.checked_sub(1)?)?;
        let payload = self.bytes.get(stored.payload.clone()).unwrap_or_default();
        let stack = self.bytes.get(stored.payload.end..stored.stack_end).unwrap_or_default();
        Some((stored, payload, stack))
    }

    /// Removes the returned events, and moves waiting ones to the front.
    fn remove_returned(&mut self) {
        self.events.drain(..self.returned.min(self.events.len()));
        let mut bytes = Vec::with_capacity(if self.events.is_empty() { 0 } else { self.bytes.len() });
        for event in &mut self.events {
            let start = bytes.len();
            bytes.extend_from_slice(self.bytes.get(event.payload.start..event.stack_end).unwrap_or_default());
            event.payload = start..start + event.payload.len();
            event.stack_end = bytes.len();
        }
        match bytes.is_empty() {
            true => self.bytes.clear(),
            false => self.bytes = bytes,
        }
        (self.sorted, self.returned) = (0, 0);
        self.raise_threshold();
    }

    /// Doubles the threshold, so that the work stays linear.
    fn raise_threshold(&mut self) {
        self.threshold = (2 * self.waiting_bytes()).clamp(FLUSH_BYTES, MAX_BYTES);
    }
}
