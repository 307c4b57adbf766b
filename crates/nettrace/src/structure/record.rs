//! Recorder of the parser's reports.

use super::{EventFacts, Part, PartValue, Structure, Term};
use crate::block::EventHeader;
use crate::error::Error;
use crate::listener::{Trace, terms};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// Requested parts of a section.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All parts.
    Everything,
    /// Parts outside of items, and each item as one part.
    Outline,
    /// The item with this index, with its parts.
    Item(u32),
    /// Leaves with bytes between two absolute offsets.
    Leaves(u64, u64),
}

/// Reports the parts of payloads.
pub(super) trait PayloadReader<'r> {
    /// Reports the parts of an event's payload to `trace`.
    fn report(&self, trace: Recorder<'r>, event: &EventHeader<'_>);
}

/// Listener that records all reports.
#[derive(Clone, Copy)]
pub(crate) struct Recorder<'r> {
    record: &'r RefCell<Record>,
    payloads: &'r (dyn PayloadReader<'r> + 'r),
}

impl fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

impl<'r> Recorder<'r> {
    /// Creates a recorder that writes to `record`; `payloads` reports the parts of payloads.
    pub fn new(record: &'r RefCell<Record>, payloads: &'r (dyn PayloadReader<'r> + 'r)) -> Self {
        Self { record, payloads }
    }
}

impl Trace for Recorder<'_> {
    const LISTENS: bool = true;

    fn leaf(self, term: &'static Term, offset: u64, bytes: usize, reading: impl FnOnce() -> PartValue) {
        self.record.borrow_mut().leaf(term, "", offset, bytes, reading);
    }

    fn result(self, value: impl FnOnce() -> i128) {
        self.record.borrow_mut().result(value());
    }

    fn inherited(self, term: &'static Term, offset: u64, value: impl FnOnce() -> i128) {
        self.record.borrow_mut().leaf(term, "", offset, 0, || PartValue::Inherited(value()));
    }

    fn tail(self, term: &'static Term, offset: u64, bytes: usize, reading: impl FnOnce() -> PartValue) {
        self.record.borrow_mut().tail.push((term, offset, bytes, reading()));
    }

    fn open(self, term: &'static Term, offset: u64) -> usize {
        self.record.borrow_mut().open(term, "", offset)
    }

    fn close(self, opened: usize, end: u64) {
        self.record.borrow_mut().close(opened, end);
    }

    fn open_item(self, term: &'static Term, offset: u64) -> usize {
        self.record.borrow_mut().open_item(term, offset)
    }

    fn close_item(self, opened: usize, end: u64) {
        self.record.borrow_mut().close_item(opened, end);
    }

    fn field(self, name: &str, offset: u64, bytes: usize, term: &'static Term, reading: impl FnOnce() -> PartValue) {
        self.record.borrow_mut().leaf(term, name, offset, bytes, reading);
    }

    fn open_field(self, name: &str, offset: u64, term: &'static Term) -> usize {
        self.record.borrow_mut().open(term, name, offset)
    }

    fn unreadable(self, end: u64, error: &Error) {
        let mut record = self.record.borrow_mut();
        let start = record.position;
        if end > start {
            record.leaf(terms::UNREADABLE, "", start, (end - start) as usize, || PartValue::Unreadable(error.clone()));
        }
    }

    fn payload(self, event: &EventHeader<'_>) {
        let is_listening = self.record.borrow_mut().event(event);
        if is_listening {
            self.payloads.report(self, event);
        }
    }

    fn restart(self, offset: u64) {
        self.record.borrow_mut().restart(offset);
    }

    fn silently<R>(self, read: impl FnOnce() -> R) -> R {
        self.record.borrow_mut().silent += 1;
        let result = read();
        self.record.borrow_mut().silent -= 1;
        result
    }

    fn position(self) -> u64 {
        self.record.borrow().position
    }
}

/// Recorded parts.
#[derive(Debug)]
pub(crate) struct Record {
    window: Window,
    /// Positions of the parts to store.
    kept: Range<u64>,
    /// Position of the next part.
    next: u64,
    parts: Vec<Part>,
    /// Indices of the open parts; `None` for parts that aren't recorded.
    open: Vec<Option<usize>>,
    /// Values that come after all parts that are yet to be reported.
    tail: Vec<(&'static Term, u64, usize, PartValue)>,
    /// First byte without a report.
    position: u64,
    /// Index of the last leaf, if it is recorded.
    last: Option<usize>,
    /// Items so far, start of the last one, and the requested offset with the item there.
    items: u32,
    item_start: u64,
    wanted: (u64, Option<u32>),
    /// Position of the innermost part at the requested offset; position of the open item's part.
    row_at_offset: Option<u64>,
    item_row: u64,
    /// Index of the item whose part comes next.
    item: Option<u32>,
    /// Index of the open item's part, if it is recorded.
    item_part: Option<usize>,
    /// Number of nested requests to ignore reports.
    silent: u32,
    /// True if reports are inside the window.
    is_wanted: bool,
    /// End of the complete items; later items are reported as damage.
    limit: u64,
    is_behind_limit: bool,
    /// Parts and items of earlier steps of the parser, which can't be withdrawn.
    settled: (usize, u64, u32),
}

impl Record {
    /// Creates the record of a section that begins at `start`. It stores the parts at the positions `kept`, and finds
    /// the item with the byte `wanted`.
    pub fn new(window: Window, kept: Range<u64>, wanted: u64, start: u64) -> Self {
        Self {
            window,
            kept,
            next: 0,
            parts: Vec::new(),
            open: Vec::new(),
            tail: Vec::new(),
            position: start,
            last: None,
            items: 0,
            item_start: 0,
            wanted: (wanted, None),
            row_at_offset: None,
            item_row: 0,
            item: None,
            item_part: None,
            silent: 0,
            is_wanted: !matches!(window, Window::Item(_)),
            limit: u64::MAX,
            is_behind_limit: false,
            settled: (0, 0, 0),
        }
    }

    /// Records the whole section as one part.
    pub fn whole(&mut self, term: &'static Term, end: u64, reading: PartValue) {
        let start = self.position;
        self.leaf(term, "", start, (end - start) as usize, || reading);
    }

    /// Accepts all reports up to `end`.
    pub fn settle(&mut self, end: u64) {
        self.is_behind_limit = false;
        for (term, offset, bytes, reading) in std::mem::take(&mut self.tail) {
            self.leaf(term, "", offset, bytes, || reading);
        }
        self.close(0, end);
        self.fill(end);
        self.settled = (self.parts.len(), self.next, self.items);
    }

    /// Ignores items starting at `limit`.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Returns the accepted parts.
    pub fn finish(self) -> Structure {
        let row_at_offset = self.row_at_offset.filter(|row| *row < self.next);
        Structure {
            parts: self.parts,
            total: self.next,
            items: self.items,
            item_at_offset: self.wanted.1,
            row_at_offset,
        }
    }

    fn is_listening(&self) -> bool {
        self.silent == 0 && self.is_wanted && !self.is_behind_limit
    }

    /// Records unreported bytes up to `offset` as unknown data.
    fn fill(&mut self, offset: u64) {
        if offset > self.position && self.is_listening() {
            self.add(terms::UNEXPLAINED, "", self.position, offset - self.position, PartValue::Raw);
        }
        if self.silent == 0 {
            self.position = self.position.max(offset);
        }
    }

    fn leaf(
        &mut self,
        term: &'static Term,
        field: &str,
        offset: u64,
        bytes: usize,
        reading: impl FnOnce() -> PartValue,
    ) {
        if self.is_listening() {
            self.fill(offset);
            self.last = self.add(term, field, offset, bytes as u64, reading());
            self.position = offset + bytes as u64;
        }
    }

    fn result(&mut self, value: i128) {
        if self.is_listening()
            && let Some(part) = self.last.and_then(|last| self.parts.get_mut(last))
        {
            part.result = Some(value);
        }
    }

    fn add(&mut self, term: &'static Term, field: &str, offset: u64, bytes: u64, reading: PartValue) -> Option<usize> {
        let end = offset + bytes;
        if let Window::Leaves(first, behind) = self.window
            && (offset >= behind || end <= first || bytes == 0)
        {
            return None;
        }
        let number = self.next;
        self.next += 1;
        if (offset..end).contains(&self.wanted.0) {
            self.row_at_offset = Some(number);
        }
        if !self.kept.contains(&number) {
            return None;
        }
        let (depth, item) = (self.open.len() as u16, self.item);
        let field = field.to_owned();
        self.parts.push(Part { term, field, item, offset, bytes, depth, reading, result: None, event: None });
        Some(self.parts.len() - 1)
    }

    fn open(&mut self, term: &'static Term, field: &str, offset: u64) -> usize {
        let opened = self.open.len();
        if self.is_listening() {
            self.fill(offset);
            let place = self.add(term, field, offset, 0, PartValue::Parts);
            self.open.push(place);
        }
        opened
    }

    fn close(&mut self, opened: usize, end: u64) {
        if !self.is_listening() {
            return;
        }
        while self.open.len() > opened {
            let end = if self.open.len() == opened + 1 { end.max(self.position) } else { self.position };
            self.fill(end);
            if let Some(part) = self.open.pop().flatten().and_then(|place| self.parts.get_mut(place)) {
                part.bytes = end.saturating_sub(part.offset);
            }
        }
    }

    fn open_item(&mut self, term: &'static Term, offset: u64) -> usize {
        self.is_behind_limit |= offset >= self.limit;
        if self.silent > 0 || self.is_behind_limit {
            return 0;
        }
        let index = self.items;
        (self.items, self.item_start) = (index + 1, offset);
        if let Window::Item(wanted) = self.window {
            self.is_wanted = wanted == index;
            self.position = offset;
        }
        self.fill(offset);
        (self.item, self.item_row) = (Some(index), self.next);
        let opened = self.open(term, "", offset);
        self.item = None;
        self.item_part = self.open.get(opened).copied().flatten();
        self.is_wanted &= self.window != Window::Outline;
        opened
    }

    /// Records a summary of the open item. Returns whether its payload is inside the window.
    fn event(&mut self, event: &EventHeader<'_>) -> bool {
        if self.silent == 0
            && !self.is_behind_limit
            && let Some(part) = self.item_part.and_then(|place| self.parts.get_mut(place))
        {
            part.event = Some(EventFacts {
                metadata_id: event.metadata_id,
                timestamp: event.timestamp,
                thread: event.thread,
                payload_offset: event.payload_offset,
                payload_bytes: event.payload.len() as u32,
            });
        }
        let is_near = match self.window {
            Window::Leaves(first, behind) => {
                let end = event.payload_offset + event.payload.len() as u64;
                event.payload_offset < behind && end > first
            }
            _ => true,
        };
        is_near && self.is_listening()
    }

    fn close_item(&mut self, opened: usize, end: u64) {
        if self.silent > 0 || self.is_behind_limit {
            return;
        }
        if (self.item_start..end).contains(&self.wanted.0) {
            self.wanted.1 = self.items.checked_sub(1);
            if self.window == Window::Outline {
                self.row_at_offset = Some(self.item_row);
            }
        }
        if self.window == Window::Outline {
            (self.is_wanted, self.position) = (true, end);
        }
        self.close(opened, end);
        self.item_part = None;
        self.is_wanted &= !matches!(self.window, Window::Item(_));
    }

    fn restart(&mut self, offset: u64) {
        let (parts, next, items) = self.settled;
        self.parts.truncate(parts);
        (self.next, self.items, self.position) = (next, items, offset);
        self.open.clear();
        self.tail.clear();
        self.last = None;
        (self.limit, self.is_behind_limit) = (u64::MAX, false);
        self.is_wanted = !matches!(self.window, Window::Item(_));
    }
}
