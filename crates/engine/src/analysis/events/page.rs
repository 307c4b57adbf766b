//! Pages of the event table, positions in it, and events that links refer to.

use crate::analysis::filter::query::EventDurations;
use crate::analysis::scan::selection::Selection;
use crate::analysis::values::labels::belongs_to;
use crate::analysis::values::message::filled;
use crate::analysis::values::payload_fit::fit_words;
use crate::analysis::values::payload_text::{Owner, cut, one_line};
use crate::analysis::values::property::property_value;
use crate::analysis::values::sort_value::FieldPath;
use crate::analysis::values::value_text::value_text;
use crate::model::{Store, Thread};
use nettrace::{ByteSource, Fit, SourceError, Value, decode};
use protocol::base::ids::EventId;
use protocol::base::time::Nanos;
use protocol::events::columns::Property;
use protocol::events::payload::FIELD_END;
use protocol::format::counted;
use protocol::tables::{EventFields, EventRows};

/// Maximum characters of a payload in the table.
const PAYLOAD_CHARS: usize = 240;
/// Maximum characters of an activity and labels in the table.
const BELONGS_CHARS: usize = 80;
/// Maximum rows of a page.
pub const MAX_ROWS: u32 = 10_000;

/// Returns at most `most` selected rows from position `first`, in ascending or descending time order.
pub fn rows_by_time(selection: &Selection, descending: bool, first: u64, most: usize) -> Vec<u32> {
    let row = |row: usize| row as u32;
    if !descending {
        return selection.iter_from(first).take(most).map(row).collect();
    }
    let last = selection.count().saturating_sub(first);
    (0..last).rev().take(most).filter_map(|rank| selection.nth(rank).map(row)).collect()
}

/// Returns the position of an event among the selected rows, in ascending or descending time order; `None` if it isn't
/// selected.
pub fn position_by_time(selection: &Selection, descending: bool, event: EventId) -> Option<u64> {
    let row = event.index();
    selection.contains(row).then(|| match descending {
        false => selection.rank(row),
        true => selection.count() - 1 - selection.rank(row),
    })
}

/// Returns the position of the first selected event at or after a time in ascending order, or at or before it in
/// descending order; the number of selected events if there is none.
pub fn time_position(store: &Store, selection: &Selection, at: i64, descending: bool) -> u64 {
    let rank = |at: i64| selection.rank(store.events.lower_bound(store.clock.ticks_at_or_after(Nanos(at))));
    match descending {
        false => rank(at),
        true => selection.count() - rank(at.saturating_add(1)),
    }
}

/// Returns a page with these rows, of `total`.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn events_page(
    store: &Store,
    source: &dyn ByteSource,
    lasting: &EventDurations,
    rows: &[u32],
    total: u64,
) -> Result<EventRows, SourceError> {
    let mut table = EventRows { total: vec![total], ..EventRows::default() };
    for &row in rows {
        table.duration.push(lasting.of_row(row).unwrap_or(-1));
        push_row(&mut table, store, source, EventId(row))?;
    }
    Ok(table)
}

fn push_row(table: &mut EventRows, store: &Store, source: &dyn ByteSource, event: EventId) -> Result<(), SourceError> {
    let row = store.events.row(event);
    let event_type = store.types.get(row.event_type);
    table.event.push(event.0);
    table.time.push(store.clock.nanos(row.ticks).0);
    table.thread.push(row.thread.0);
    table.event_type.push(event_type.map_or(row.event_type, |event_type| event_type.base).0);
    table.level.push(event_type.map_or(0, |event_type| event_type.record.level));
    table.provider.push(event_type.map_or("", |event_type| &event_type.provider));
    table.name.push(event_type.map_or("", |event_type| &event_type.display_name));
    table.payload.push(&payload_line(store, source, event)?);
    table.thread_label.push(&store.threads.get(row.thread).map_or_else(String::new, Thread::numbered_label));
    table.belongs_to.push(&cut(&belongs_to(store, event), BELONGS_CHARS));
    for property in Property::ALL {
        let value = property_value(store, property, store.writers.get(row.writer));
        table.properties.push(value.as_ref().map_or("", |value| &value.text));
    }
    Ok(())
}

/// Returns the payload fields of these rows, of `total`.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn event_fields(
    store: &Store,
    source: &dyn ByteSource,
    rows: &[u32],
    fields: &[String],
    total: u64,
) -> Result<EventFields, SourceError> {
    let mut table = EventFields { total: vec![total], ..EventFields::default() };
    for &row in rows {
        let event = EventId(row);
        let Some(event_type) = store.types.get(store.events.row(event).event_type) else { continue };
        let declared = &event_type.schema.fields;
        let paths: Vec<_> = fields.iter().map(|name| FieldPath::find(declared, name)).collect();
        let has_any = paths.iter().any(Option::is_some);
        let (values, fit) = match has_any {
            true => {
                let (payload, pointer_size) = (store.payload(event, source)?, store.header.pointer_size);
                (decode(declared, &payload, pointer_size), event_type.fit_of(&payload, pointer_size))
            }
            false => (Vec::new(), Fit::default()),
        };
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        for path in &paths {
            let value = path.as_ref().and_then(|path| path.follow(values.get(path.index)?).map(|value| (path, value)));
            let text =
                value.map(|(path, value)| owner.words(path.name(declared), value).unwrap_or_else(|| shown(value)));
            let mut text = cut(&text.unwrap_or_default(), PAYLOAD_CHARS);
            if let Some(path) = path.as_ref().filter(|_| !text.is_empty()) {
                text += doubt(&fit, path.index);
            }
            table.value.push(&text);
        }
    }
    Ok(table)
}

/// Returns the mark of an inferred value; empty for others.
fn doubt(fit: &Fit, field: usize) -> &'static str {
    if fit.inferred.contains(&field) {
        " (inferred)"
    } else if fit.difference <= 0 && !fit.unread.is_empty() {
        " (payload differs from its schema)"
    } else {
        ""
    }
}

fn shown(value: &Value) -> String {
    if matches!(value, Value::Null) { String::new() } else { value_text(value) }
}

/// Returns the payload of an event in one line: its message if its provider declares one, or else its names and values.
///
/// # Errors
/// If it can't be read from the file.
pub fn payload_line(store: &Store, source: &dyn ByteSource, event: EventId) -> Result<String, SourceError> {
    let row = store.events.row(event);
    let Some(event_type) = store.types.get(row.event_type).filter(|_| row.payload_length > 0) else {
        return Ok(String::new());
    };
    let payload = store.payload(event, source)?;
    let fields = &event_type.schema.fields;
    if fields.is_empty() {
        return Ok(counted(payload.len() as u64, "byte"));
    }
    let values = decode(fields, &payload, store.header.pointer_size);
    let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
    let fit = event_type.fit_of(&payload, store.header.pointer_size);
    if !fit.is_exact() {
        // At the start, because a long line is truncated.
        let doubt = cut(&format!("({})", fit_words(&fit, fields)), PAYLOAD_CHARS);
        let rest = PAYLOAD_CHARS.saturating_sub(doubt.chars().count() + 1);
        return Ok(format!("{doubt}{FIELD_END}{}", one_line(owner, fields, &values, rest)));
    }
    if let Some(template) = &event_type.record.message_template {
        return Ok(cut(&filled(template, owner, fields, &values), PAYLOAD_CHARS));
    }
    Ok(one_line(owner, fields, &values, PAYLOAD_CHARS))
}

/// Returns the first event at exactly this time with this OS thread ID (0 for any), provider (empty for any) and event
/// ID.
pub fn find_event(store: &Store, at: i64, os_thread: u64, provider: &str, event_id: u32) -> Option<EventId> {
    let (events, clock) = (&store.events, store.clock);
    let first = events.lower_bound(clock.ticks_at_or_after(Nanos(at)));
    let end = events.lower_bound(clock.ticks_at_or_after(Nanos(at.saturating_add(1))));
    (first..end).map(|row| EventId(row as u32)).find(|&event| {
        let row = events.row(event);
        let is_thread =
            os_thread == 0 || store.threads.get(row.thread).is_some_and(|thread| thread.os_thread == os_thread);
        let is_type = provider.is_empty()
            || store
                .types
                .get(row.event_type)
                .is_some_and(|kind| kind.provider == provider && kind.record.event_id == event_id);
        is_thread && is_type
    })
}
