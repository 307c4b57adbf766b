//! What the fields of an event's payloads take, counted step by step while they are decoded.

use crate::model::ids::{EventId, TypeId};
use crate::model::{EventType, Store};
use crate::nettrace::structure::{Reading, Role, Term};
use crate::nettrace::{ByteSource, Error, SourceError, Trace, tell_payload};
use crate::protocol::tables::FieldCosts;
use std::cell::RefCell;

/// Rows that are looked at, and bytes of payloads that are decoded, in one step.
const STEP_ROWS: usize = 1 << 18;
const STEP_BYTES: u64 = 2 << 20;

/// What belongs to no field: text and arrays that fields point to, and what no description covers.
const POINTED_TO: &str = "Data that fields point to";
const UNDESCRIBED: &str = "Bytes without a description";

/// Sums by name of the outermost fields.
#[derive(Debug, Default)]
struct Sums {
    fields: Vec<(String, u64)>,
    /// How many fields are open, and the outermost of them with its first byte.
    depth: usize,
    outermost: (String, u64),
    /// Behind the last byte that was told of.
    position: u64,
}

impl Sums {
    fn add(&mut self, name: &str, bytes: u64) {
        match self.fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += bytes,
            None => self.fields.push((name.to_owned(), bytes)),
        }
    }
}

/// Listens to the decoder, and sums up.
#[derive(Clone, Copy, Debug)]
struct Counting<'s>(&'s RefCell<Sums>);

impl Trace for Counting<'_> {
    const LISTENS: bool = true;

    fn leaf(self, term: &'static Term, offset: u64, bytes: usize, _: impl FnOnce() -> Reading) {
        let mut sums = self.0.borrow_mut();
        sums.position = offset + bytes as u64;
        if sums.depth == 0 {
            sums.add(if term.role == Role::Unknown { UNDESCRIBED } else { POINTED_TO }, bytes as u64);
        }
    }

    fn open(self, term: &'static Term, offset: u64) -> usize {
        self.open_field(term.name, offset, term)
    }

    fn open_field(self, name: &str, offset: u64, _: &'static Term) -> usize {
        let mut sums = self.0.borrow_mut();
        if sums.depth == 0 {
            sums.outermost = (name.to_owned(), offset);
        }
        sums.depth += 1;
        sums.depth - 1
    }

    fn close(self, opened: usize, end: u64) {
        let mut sums = self.0.borrow_mut();
        if sums.depth > opened {
            sums.depth = opened;
            sums.position = sums.position.max(end);
            if opened == 0 {
                let (name, start) = std::mem::take(&mut sums.outermost);
                sums.add(&name, end.saturating_sub(start));
            }
        }
    }

    fn field(self, name: &str, offset: u64, bytes: usize, _: &'static Term, _: impl FnOnce() -> Reading) {
        let mut sums = self.0.borrow_mut();
        sums.position = offset + bytes as u64;
        if sums.depth == 0 {
            sums.add(name, bytes as u64);
        }
    }

    fn unreadable(self, end: u64, _: &Error) {
        self.0.borrow_mut().position = end;
    }

    fn position(self) -> u64 {
        self.0.borrow().position
    }
}

/// What the fields of events of a type take, of the rows from one on: of as many as a step has. Whoever wants all asks on
/// from where the answer ends.
///
/// # Errors
/// If the file cannot be read.
pub fn field_costs(
    store: &Store,
    source: &dyn ByteSource,
    event_type: TypeId,
    first: u64,
) -> Result<FieldCosts, SourceError> {
    let events = store.events();
    let rows = events.len();
    let start = usize::try_from(first).unwrap_or(usize::MAX).min(rows);
    let is_of_type = |one: &&EventType| one.base == event_type;
    let (sums, mut payload_bytes, mut counted, mut row) = (RefCell::new(Sums::default()), 0, 0, start);
    while row < rows.min(start.saturating_add(STEP_ROWS)) && payload_bytes < STEP_BYTES {
        let event = events.row(EventId(row as u32));
        row += 1;
        let Some(found) = store.types().get(event.event_type).filter(is_of_type) else { continue };
        let payload = store.payload_of(&event, source)?;
        sums.borrow_mut().position = event.payload_offset;
        let (fields, pointer_size) = (&found.schema.fields, store.header().pointer_size);
        tell_payload(fields, &payload, pointer_size, event.payload_offset, Counting(&sums));
        sums.borrow_mut().depth = 0;
        counted += 1;
        payload_bytes += payload.len() as u64;
    }
    let sums = sums.into_inner();
    let mut table = FieldCosts { events: vec![counted], payload_bytes: vec![payload_bytes], ..FieldCosts::default() };
    table.next.extend((row < rows).then_some(row as u64));
    for (name, bytes) in &sums.fields {
        table.name.push(name);
        table.bytes.push(*bytes);
    }
    Ok(table)
}
