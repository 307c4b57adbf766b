//! Details of one event.

use super::header_values::header_values;
use crate::analysis::file::header_detail::named;
use crate::analysis::stacks::tree_tables::function_text;
use crate::analysis::values::message::filled;
use crate::analysis::values::payload_fit::{fit_words, unread_row};
use crate::analysis::values::payload_text::{Owner, field_rows};
use crate::analysis::values::value_text::value_text;
use crate::clr::known::payload::AsyncBuffer;
use crate::clr::{Provider, dynamic_fields};
use crate::model::Store;
use crate::model::Thread;
use nettrace::{ByteSource, Field, SourceError, Value, decode};
use protocol::base::ids::{EventId, FrameId, StackId};
use protocol::reply::{EventDetail, FieldValue, FrameLine};

/// ID of the runtime's event with other events inside.
const DYNAMIC_EVENT: u32 = 39;

/// Maximum bytes of a payload in an answer.
const MAX_BYTES: usize = 4096;

/// Returns the details of an event; `None` if it doesn't exist.
///
/// # Errors
/// If its payload can't be read from the file.
pub fn event_detail(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
) -> Result<Option<EventDetail>, SourceError> {
    let Some(row) = store.events.get(event) else { return Ok(None) };
    let Some(event_type) = store.types.get(row.event_type) else { return Ok(None) };
    let payload = store.payload(event, source)?;
    let fields = &event_type.schema.fields;
    let values = decode(fields, &payload, store.header.pointer_size);
    let fit = event_type.fit_of(&payload, store.header.pointer_size);
    let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
    let mut rows = field_rows(owner, fields, &values, &fit);
    rows.extend(inner_rows(owner, fields, &values));
    rows.extend(unread_row(&fit, fields, &payload));
    let mut header = header_values(store, source, event, event_type)?;
    if !fit.is_exact() {
        header.push(named("Payload", fit_words(&fit, fields), String::new()));
    }
    let thread = store.threads.get(row.thread);
    let template = event_type.record.message_template.as_deref();
    Ok(Some(EventDetail {
        event,
        time: store.clock.nanos(row.ticks).0,
        thread: row.thread,
        thread_label: thread.map_or_else(String::new, |thread| thread.label().to_owned()),
        thread_number: thread.map_or_else(String::new, Thread::number),
        os_thread: thread.map_or(0, |thread| thread.os_thread),
        event_type: event_type.base,
        provider: event_type.provider.clone(),
        name: event_type.display_name.clone(),
        event_id: event_type.record.event_id,
        version: event_type.record.version,
        header,
        fields: rows,
        schema_source: event_type.schema.source.words().to_owned(),
        message: template.map_or_else(String::new, |template| filled(template, owner, fields, &values)),
        description: event_type.record.description.clone().unwrap_or_default(),
        payload_bytes: row.payload_length,
        payload_offset: row.payload_offset,
        bytes: payload.iter().copied().take(MAX_BYTES).collect(),
        stack: row.stack,
        frames: frames(store, row.stack),
    }))
}

/// Returns the known fields inside a byte array: of a `GCDynamicEvent`, or of a buffer of the async profiler.
fn inner_rows(owner: Owner<'_>, fields: &[Field], values: &[Value]) -> Vec<FieldValue> {
    let of = |name: &str| fields.iter().position(|field| field.name == name).and_then(|at| values.get(at));
    let row = |name: &str, value: &Value| FieldValue {
        depth: 1,
        name: name.to_owned(),
        value: value_text(value),
        ..FieldValue::default()
    };
    match (Provider::from_name(owner.provider), owner.event_id) {
        (Some(Provider::Runtime), DYNAMIC_EVENT) => {
            let (Some(Value::String(name)), Some(Value::Bytes(data))) = (of("Name"), of("Data")) else {
                return Vec::new();
            };
            let Some((fields, rest)) = dynamic_fields(name, data) else { return Vec::new() };
            let more = (!rest.is_empty()).then(|| row("More data", &Value::Bytes(rest.to_vec())));
            fields.iter().map(|field| row(field.name, &field.value)).chain(more).collect()
        }
        (Some(Provider::AsyncProfiler), _) => {
            let Some(Value::Bytes(buffer)) = of("Buffer") else { return Vec::new() };
            let number = |(name, number): (&str, u64)| row(name, &Value::UInt(number, 64));
            AsyncBuffer::of(buffer).map_or_else(Vec::new, |buffer| buffer.fields().map(number).to_vec())
        }
        _ => Vec::new(),
    }
}

/// Returns the frames of a stack, leaf first.
pub fn frames(store: &Store, stack: StackId) -> Vec<FrameLine> {
    store.stacks.leaf_to_root(stack).map(|frame| frame_line(store, frame)).collect()
}

fn frame_line(store: &Store, frame: FrameId) -> FrameLine {
    let Some(found) = store.frames.get(frame) else { return FrameLine::default() };
    let text = function_text(store, Some(found.function));
    let raw_name = store.functions.get(found.function).map_or("", |function| store.strings.get(function.raw_name));
    let method = found.method.and_then(|method| store.methods.get(method));
    FrameLine {
        function: found.function.0,
        name: text.name.to_owned(),
        raw_name: raw_name.to_owned(),
        module: text.module.to_owned(),
        tier: method.map_or("", |method| method.tier.words()).to_owned(),
        address: found.address,
        flags: text.flags,
        il_offset: store.il_offset(frame),
        ..FrameLine::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::events::page::find_event;
    use crate::analysis::testing::{ORDERS, What, store_of};

    #[test]
    fn event_detail_has_header_fields_and_frames() {
        let (store, bytes) = store_of(&[(0, 5, What::Order("TR-0049", 12)), (7, 5, What::Sample(true, vec![1, 2]))]);
        let order = find_event(&store, 0, 5, ORDERS, 7).unwrap();
        let detail = event_detail(&store, &bytes, order).unwrap().unwrap();
        assert_eq!((detail.name.as_str(), detail.schema_source.as_str()), ("OrderPlaced", "the file"));
        assert_eq!(detail.fields[1].value, "12");
        let level = detail.header.iter().find(|row| row.name == "Level").unwrap();
        assert_eq!((level.value.as_str(), level.raw.as_str()), ("Informational", "4"));
        let fact = |name: &str| detail.header.iter().find(|row| row.name == name).map(|row| row.value.as_str());
        // The nine methods of the store were written before it, all by thread 1.
        assert_eq!((fact("Capture thread"), fact("Sequence number")), (Some("1"), Some("10")));
        let sample = find_event(&store, 7, 5, "", 0).unwrap();
        let detail = event_detail(&store, &bytes, sample).unwrap().unwrap();
        let names: Vec<_> = detail.frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(names, ["Shop.M2()", "Shop.M1()"], "leaf first");
        assert_eq!(find_event(&store, 1, 5, "", 0), None, "only exactly this time");
        assert_eq!(event_detail(&store, &bytes, EventId(u32::MAX)), Ok(None));
    }
}
