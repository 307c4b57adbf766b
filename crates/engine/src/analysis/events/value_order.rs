//! Events ordered by a payload field, or by the duration of the interval they start or stop.
//!
//! Every payload is read once. Then only the requested part is sorted: entries are partitioned at a value near the
//! requested rows, that part is partitioned again, and a short enough part is sorted. The first page costs little more
//! than one pass over the entries; others continue from earlier results.

use super::rank_order::selected_in;
use crate::analysis::filter::query::EventDurations;
use crate::analysis::scan::payload_batches::{PayloadBatches, Step};
use crate::analysis::scan::read_ahead::ReadAhead;
use crate::analysis::scan::selection::{Selection, SelectionBuilder};
use crate::analysis::values::sort_value::{Entry, FieldPath, Values};
use crate::model::{CHUNK_ROWS, Store};
use nettrace::{ByteSource, SourceError, Value, decode_field};
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by;
use std::ops::Range;
use std::rc::Rc;

/// Payloads decoded per step.
const DECODED_PAYLOADS: usize = CHUNK_ROWS / 8;
/// Entries compared with the pivot per step.
const CUT_ENTRIES: usize = CHUNK_ROWS;
/// Maximum number of entries sorted at once.
const SORTED_ENTRIES: usize = 4096;
/// Number of entries from which the pivot is chosen.
const SAMPLE: usize = 255;

/// Value that events are sorted by.
pub enum ValueOf {
    /// A payload field: its path by type, if the type has it.
    Field(Vec<Option<FieldPath>>),
    /// Duration of the interval that the event starts or stops.
    Duration(Rc<EventDurations>),
}

/// Selected events ordered by a value; equal ones in time order.
pub struct ValueOrder {
    of: ValueOf,
    descending: bool,
    /// The next row to read.
    next: usize,
    ahead: ReadAhead,
    values: Values,
    /// Events that have the value, section by section; unsorted sections are in any order.
    entries: Vec<Entry>,
    sections: Vec<Section>,
    cut: Option<Cut>,
    /// The other events, which follow in time order.
    rest: RestOf,
    /// State of the random number generator for samples.
    random: u64,
}

/// Events without the value.
enum RestOf {
    Growing(SelectionBuilder),
    All(Selection),
}

/// A section of the entries. All entries of earlier sections precede it.
#[derive(Clone, Copy)]
struct Section {
    end: usize,
    is_sorted: bool,
    /// Lower bound of its entries; `None` for the first section.
    from: Option<Entry>,
}

/// A section being partitioned.
struct Cut {
    section: usize,
    /// Entries before this one are less than `at`.
    low: usize,
    /// Entries from here on aren't examined yet.
    next: usize,
    at: Entry,
}

impl ValueOrder {
    /// Returns an order by a value.
    pub fn new(store: &Store, of: ValueOf, descending: bool) -> Self {
        Self {
            of,
            descending,
            next: 0,
            ahead: ReadAhead::default(),
            values: Values::default(),
            entries: Vec::new(),
            sections: Vec::new(),
            cut: None,
            rest: RestOf::Growing(SelectionBuilder::new(store.events.len())),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Reads further payloads. Announces those that a source has to fetch, and waits for them, if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file, or there isn't enough memory.
    pub fn read(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        selection: &Selection,
        may_wait: bool,
    ) -> Result<Step, SourceError> {
        if matches!(self.rest, RestOf::All(_)) {
            return Ok(Step::Done);
        }
        if self.next < store.events.len() && !self.ahead.is_full(may_wait) {
            if self.next == 0 {
                self.reserve(store, selection)?;
            }
            self.plan(store, source, selection, may_wait);
            return Ok(Step::More);
        }
        let step = self.take(store, source, may_wait)?;
        if let (Step::Done, RestOf::Growing(rest)) = (step, &mut self.rest) {
            self.rest = RestOf::All(std::mem::replace(rest, SelectionBuilder::new(0)).finish());
            let end = self.entries.len();
            self.sections = vec![Section { end, is_sorted: end == 0, from: None }];
        }
        Ok(if step == Step::Waiting { step } else { Step::More })
    }

    /// Reserves room for the maximum number of entries, because a growing list needs twice the memory.
    fn reserve(&mut self, store: &Store, selection: &Selection) -> Result<(), SourceError> {
        let most = match &self.of {
            ValueOf::Field(paths) => {
                let with_field = store.types.iter().zip(paths).filter(|(_, path)| path.is_some());
                with_field.map(|(event_type, _)| event_type.count).sum::<u64>()
            }
            ValueOf::Duration(lasting) => lasting.events() as u64,
        };
        let most = most.min(selection.count());
        // A step's worth more, so that the last entries don't make the list grow.
        self.entries.try_reserve_exact(most as usize + DECODED_PAYLOADS).map_err(|_| no_memory())
    }

    /// Plans to read the payloads of the next rows.
    fn plan(&mut self, store: &Store, source: &dyn ByteSource, selection: &Selection, may_wait: bool) {
        let end = (self.next + CHUNK_ROWS).min(store.events.len());
        let at = self.next / CHUNK_ROWS;
        let rows = self.next..end;
        self.next = end;
        let (Some(chunk), RestOf::Growing(rest)) = (store.events.chunks().get(at), &mut self.rest) else { return };
        let mut batches = PayloadBatches::default();
        for row in selected_in(selection, &rows) {
            let inside = row - chunk.first_row;
            let paths = match &self.of {
                ValueOf::Field(paths) => paths,
                ValueOf::Duration(lasting) => {
                    match lasting.of_row(row as u32).and_then(|nanos| self.values.entry(&in_nanos(nanos), row as u32)) {
                        Some(entry) => self.entries.push(entry),
                        None => rest.insert(row),
                    }
                    continue;
                }
            };
            match paths.get(chunk.event_type(inside).index()) {
                Some(Some(_)) => batches.add(chunk.payload_offset(inside), chunk.payload_length(inside), inside),
                _ => rest.insert(row),
            }
        }
        self.ahead.add(at, batches, source, may_wait);
    }

    /// Reads some of the payloads.
    fn take(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { ahead, of, values, entries, rest, .. } = self;
        let (RestOf::Growing(rest), ValueOf::Field(paths)) = (rest, of) else { return Ok(Step::Done) };
        entries.try_reserve(DECODED_PAYLOADS).map_err(|_| no_memory())?;
        ahead.step(source, may_wait, DECODED_PAYLOADS, |at, inside, payload| {
            let Some(chunk) = store.events.chunks().get(at) else { return };
            let row = chunk.first_row + inside;
            let type_id = chunk.event_type(inside);
            let path = paths.get(type_id.index()).and_then(Option::as_ref);
            let entry = path.zip(store.types.get(type_id)).and_then(|(path, event_type)| {
                let (fields, size) = (&event_type.schema.fields, store.header.pointer_size);
                values.entry(path.follow(&decode_field(fields, payload, size, path.index))?, row as u32)
            });
            match entry {
                Some(entry) => entries.push(entry),
                None => rest.insert(row),
            }
        })
    }

    /// Sorts the entries around the requested positions for a few milliseconds. Returns whether they are sorted. All
    /// payloads must be read.
    pub fn sort(&mut self, wanted: &Range<u64>) -> bool {
        let start = usize::try_from(wanted.start).unwrap_or(usize::MAX);
        let end = usize::try_from(wanted.end).unwrap_or(usize::MAX).min(self.entries.len());
        let first = self.sections.partition_point(|section| section.end <= start);
        let mut unsorted = (first..self.sections.len()).take_while(|&at| self.start_of(at) < end);
        let Some(at) = unsorted.find(|&at| self.sections.get(at).is_some_and(|section| !section.is_sorted)) else {
            return true;
        };
        self.refine(at, start..end);
        false
    }

    /// Returns the position of a selected row, within a few milliseconds; `None` if it takes longer. All payloads must
    /// be read.
    ///
    /// # Errors
    /// If its payload can't be read.
    pub fn position(&mut self, store: &Store, source: &dyn ByteSource, row: usize) -> Result<Option<u64>, SourceError> {
        if let RestOf::All(rest) = &self.rest
            && rest.contains(row)
        {
            return Ok(Some(self.entries.len() as u64 + rest.rank(row)));
        }
        let Some(entry) = self.entry_of(store, source, row)? else { return Ok(Some(0)) };
        let is_before = |one: &Entry| self.values.compare(one, &entry, self.descending).is_lt();
        let after = self.sections.partition_point(|section| {
            section.from.is_none_or(|from| self.values.compare(&from, &entry, self.descending).is_le())
        });
        let at = after.saturating_sub(1);
        let range = self.start_of(at)..self.sections.get(at).map_or(0, |section| section.end);
        let entries = self.entries.get(range.clone()).unwrap_or_default();
        if self.sections.get(at).is_none_or(|section| section.is_sorted) {
            return Ok(Some((range.start + entries.partition_point(is_before)) as u64));
        }
        // Any position inside, because the section has to become shorter.
        let middle = (range.start + range.end) / 2;
        self.refine(at, middle..middle);
        Ok(None)
    }

    fn entry_of(&mut self, store: &Store, source: &dyn ByteSource, row: usize) -> Result<Option<Entry>, SourceError> {
        let event = EventId(row as u32);
        let paths = match &self.of {
            ValueOf::Field(paths) => paths,
            ValueOf::Duration(lasting) => {
                let nanos = lasting.of_row(event.0);
                return Ok(nanos.and_then(|nanos| self.values.entry(&in_nanos(nanos), event.0)));
            }
        };
        let type_id = store.events.row(event).event_type;
        let path = paths.get(type_id.index()).and_then(Option::as_ref).zip(store.types.get(type_id));
        let Some((path, event_type)) = path else { return Ok(None) };
        let payload = store.payload(event, source)?;
        let value = decode_field(&event_type.schema.fields, &payload, store.header.pointer_size, path.index);
        Ok(path.follow(&value).and_then(|value| self.values.entry(value, event.0)))
    }

    /// Returns at most `most` rows from position `first`, which [`Self::sort`] has sorted.
    pub fn rows(&self, first: u64, most: usize) -> Vec<u32> {
        let sorted = self.entries.get(usize::try_from(first).unwrap_or(usize::MAX)..).unwrap_or_default();
        let mut rows: Vec<u32> = sorted.iter().take(most).map(|entry| entry.row).collect();
        if let RestOf::All(rest) = &self.rest {
            let rest = rest.iter_from(first.saturating_sub(self.entries.len() as u64));
            rows.extend(rest.take(most - rows.len()).map(|row| row as u32));
        }
        rows
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let rest = if let RestOf::All(rest) = &self.rest { rest.bytes() } else { 0 };
        let lists = self.entries.capacity() * size_of::<Entry>() + self.sections.capacity() * size_of::<Section>();
        lists + self.values.bytes() + self.ahead.bytes() + rest
    }

    fn start_of(&self, section: usize) -> usize {
        section.checked_sub(1).and_then(|before| self.sections.get(before)).map_or(0, |before| before.end)
    }

    /// Sorts a section, or continues to partition it near the requested positions.
    fn refine(&mut self, at: usize, wanted: Range<usize>) {
        // Finish the current partition first; otherwise two alternating requests would restart it again and again.
        let at = self.cut.as_ref().map_or(at, |cut| cut.section);
        let start = self.start_of(at);
        let Some(section) = self.sections.get_mut(at) else { return };
        let (end, descending) = (section.end, self.descending);
        if end - start <= SORTED_ENTRIES {
            section.is_sorted = true;
            let values = &self.values;
            let entries = self.entries.get_mut(start..end).unwrap_or_default();
            return sort_by(entries, |one, other| values.compare(one, other, descending));
        }
        let mut cut = match self.cut.take() {
            Some(cut) => cut,
            None => Cut { section: at, low: start, next: start, at: self.sample(start..end, wanted) },
        };
        let stop = cut.next.saturating_add(CUT_ENTRIES).min(end);
        for next in cut.next..stop {
            let is_before =
                self.entries.get(next).is_some_and(|entry| self.values.compare(entry, &cut.at, descending).is_lt());
            if is_before {
                self.entries.swap(cut.low, next);
                cut.low += 1;
            }
        }
        cut.next = stop;
        if stop < end {
            self.cut = Some(cut);
        } else if let Some(section) = self.sections.get_mut(at) {
            let from = section.from;
            section.from = Some(cut.at);
            self.sections.insert(at, Section { end: cut.low, is_sorted: false, from });
        }
    }

    /// Returns a pivot, so that the requested positions are in a short part. Neither part is empty: some of the sample
    /// precede it, and it doesn't precede itself.
    fn sample(&mut self, range: Range<usize>, wanted: Range<usize>) -> Entry {
        let (length, apart) = (range.len(), range.len() / SAMPLE);
        let mut sample = Vec::with_capacity(SAMPLE);
        for place in (range.start..).step_by(apart.max(1)).take(SAMPLE) {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            sample.extend(self.entries.get(place + (self.random % apart.max(1) as u64) as usize).copied());
        }
        sort_by(&mut sample, |one, other| self.values.compare(one, other, self.descending));
        // Expected place of the requested positions in the sample, and its usual error.
        let place =
            |position: usize| sample.len() * position.clamp(range.start, range.end).abs_diff(range.start) / length;
        let (first, last, margin) = (place(wanted.start), place(wanted.end), sample.len() / 32);
        let at = if first > sample.len() / 2 { first.saturating_sub(margin) } else { last + margin };
        sample[at.clamp(1, sample.len() - 1)]
    }
}

fn in_nanos(nanos: i64) -> Value {
    Value::Int(nanos, 8)
}

fn no_memory() -> SourceError {
    SourceError::new("Not enough memory to sort this many events. Use a filter or a shorter time range.")
}
