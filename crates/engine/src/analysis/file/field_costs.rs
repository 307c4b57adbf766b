//! Bytes of the fields of an event's payloads, counted step by step while decoding.

use crate::model::{EventType, Store};
use nettrace::structure::{FieldPart, field_sizes};
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::{EventId, TypeId};
use protocol::tables::FieldCosts;

/// Maximum rows read, and maximum payload bytes decoded, per step.
const STEP_ROWS: usize = 1 << 18;
const STEP_BYTES: u64 = 2 << 20;

/// Name for bytes outside fields: text and arrays that fields refer to, and bytes outside the schema.
const POINTED_TO: &str = "Data referenced by fields";
const UNDESCRIBED: &str = "Bytes outside the schema";

/// Returns the bytes of the fields of an event type, starting at a row, for one step. The answer contains the row at
/// which to continue.
///
/// # Errors
/// If the file can't be read.
pub fn field_costs(
    store: &Store,
    source: &dyn ByteSource,
    event_type: TypeId,
    first: u64,
) -> Result<FieldCosts, SourceError> {
    let events = &store.events;
    let rows = events.len();
    let start = usize::try_from(first).unwrap_or(usize::MAX).min(rows);
    let is_of_type = |one: &&EventType| one.base == event_type;
    let mut sums: Vec<(String, u64)> = Vec::new();
    let mut add = |part: FieldPart<'_>, bytes: u64| {
        let name = match part {
            FieldPart::Field(name) => name,
            FieldPart::Referenced => POINTED_TO,
            _ => UNDESCRIBED,
        };
        match sums.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += bytes,
            None => sums.push((name.to_owned(), bytes)),
        }
    };
    let (mut payload_bytes, mut counted, mut row) = (0, 0, start);
    while row < rows.min(start.saturating_add(STEP_ROWS)) && payload_bytes < STEP_BYTES {
        let event = events.row(EventId(row as u32));
        row += 1;
        let Some(found) = store.types.get(event.event_type).filter(is_of_type) else { continue };
        let payload = store.payload_of(&event, source)?;
        let (fields, pointer_size) = (&found.schema.fields, store.header.pointer_size);
        field_sizes(fields, &payload, pointer_size, &mut add);
        counted += 1;
        payload_bytes += payload.len() as u64;
    }
    let mut table = FieldCosts { events: vec![counted], payload_bytes: vec![payload_bytes], ..FieldCosts::default() };
    table.next.extend((row < rows).then_some(row as u64));
    for (name, bytes) in &sums {
        table.name.push(name);
        table.bytes.push(*bytes);
    }
    Ok(table)
}
