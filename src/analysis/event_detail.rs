//! Everything about one event.

use super::activity_path::activity_path;
use super::header_detail::{keywords_value, level_value, opcode_value, utc_text};
use super::payload_text::{Owner, field_rows};
use super::tree_tables::function_text;
use crate::model::EventRow;
use crate::model::Store;
use crate::model::ids::{ActivityId, EventId, FrameId, StackId};
use crate::model::{EventType, SchemaSource};
use crate::nettrace::{ByteSource, SourceError, decode};
use crate::protocol::reply::{EventDetail, FrameLine, NamedValue};

/// Bytes of a payload that travel.
const MOST_BYTES: usize = 4096;

/// Everything about an event; none if there is no such event.
///
/// # Errors
/// If its payload cannot be read from the file.
pub fn event_detail(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
) -> Result<Option<EventDetail>, SourceError> {
    let Some(row) = store.events().get(event) else { return Ok(None) };
    let Some(event_type) = store.types().get(row.event_type) else { return Ok(None) };
    let payload = store.payload(event, source)?;
    let fields = &event_type.schema.fields;
    let values = decode(fields, &payload, store.header().pointer_size);
    let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
    let thread = store.threads().get(row.thread);
    Ok(Some(EventDetail {
        event,
        time: store.clock().nanos(row.ticks).0,
        thread: row.thread,
        thread_label: thread.map_or_else(String::new, |thread| thread.label().to_owned()),
        os_thread: thread.map_or(0, |thread| thread.os_thread),
        event_type: event_type.base,
        provider: event_type.provider.clone(),
        name: event_type.display_name.clone(),
        event_id: event_type.record.event_id,
        version: event_type.record.version,
        header: header(store, event, &row, event_type),
        fields: field_rows(owner, fields, &values),
        schema_source: schema_words(event_type.schema.source).to_owned(),
        payload_bytes: row.payload_length,
        payload_offset: row.payload_offset,
        bytes: payload.iter().copied().take(MOST_BYTES).collect(),
        stack: row.stack,
        frames: frames(store, row.stack),
    }))
}

/// Where a schema comes from, in words.
pub fn schema_words(source: SchemaSource) -> &'static str {
    match source {
        SchemaSource::None => "none",
        SchemaSource::File => "the file",
        SchemaSource::Manifest => "the built-in manifest",
    }
}

fn header(store: &Store, event: EventId, row: &EventRow, event_type: &EventType) -> Vec<NamedValue> {
    let value = |name: &str, value: String, raw: String| NamedValue {
        name: name.to_owned(),
        value,
        raw,
        meaning: String::new(),
    };
    let mut rows = vec![
        value(
            "Time (UTC)",
            utc_text(store, row.ticks),
            format!("{} ticks", store.header().sync_ticks.saturating_add(row.ticks)),
        ),
        level_value(event_type),
        keywords_value(event_type),
        opcode_value(event_type),
    ];
    let activity = |name: &str, id: ActivityId| {
        let guid = store.activities().guid(id);
        let raw = guid.to_string();
        match activity_path(&guid.0, store.header().process_id) {
            Some(path) => value(name, path, raw),
            None => value(name, raw, String::new()),
        }
    };
    if row.activity.0 != 0 {
        rows.push(activity("Activity", row.activity));
    }
    if let Some(related) = store.related_activity(event) {
        rows.push(activity("Related activity", related));
    }
    rows.push(value("Metadata id", event_type.record.metadata_id.to_string(), String::new()));
    rows.push(value("Payload position", row.payload_offset.to_string(), format!("{:#x}", row.payload_offset)));
    rows
}

/// The frames of a stack, leaf first.
pub fn frames(store: &Store, stack: StackId) -> Vec<FrameLine> {
    store.stacks().leaf_to_root(stack).map(|frame| frame_line(store, frame)).collect()
}

fn frame_line(store: &Store, frame: FrameId) -> FrameLine {
    let Some(found) = store.frames().get(frame) else { return FrameLine::default() };
    let text = function_text(store, Some(found.function));
    let raw_name = store.functions().get(found.function).map_or("", |function| store.strings().get(function.raw_name));
    let method = found.method.and_then(|method| store.methods().get(method));
    FrameLine {
        function: found.function.0,
        name: text.name.to_owned(),
        raw_name: raw_name.to_owned(),
        module: text.module.to_owned(),
        tier: method.map_or("", |method| method.tier.words()).to_owned(),
        address: found.address,
        flags: text.flags,
    }
}

#[cfg(test)]
mod tests {
    use super::super::events_page::find_event;
    use super::super::testing::{ORDERS, What, store_of};
    use super::*;

    #[test]
    fn an_event_tells_its_header_fields_and_frames() {
        let (store, bytes) = store_of(&[(0, 5, What::Order("TR-0049", 12)), (7, 5, What::Sample(true, vec![1, 2]))]);
        let order = find_event(&store, 0, 5, ORDERS, 7).unwrap();
        let detail = event_detail(&store, &bytes, order).unwrap().unwrap();
        assert_eq!((detail.name.as_str(), detail.schema_source.as_str()), ("OrderPlaced", "the file"));
        assert_eq!(detail.fields[1].value, "12");
        let level = detail.header.iter().find(|row| row.name == "Level").unwrap();
        assert_eq!((level.value.as_str(), level.raw.as_str()), ("Informational", "4"));
        let sample = find_event(&store, 7, 5, "", 0).unwrap();
        let detail = event_detail(&store, &bytes, sample).unwrap().unwrap();
        let names: Vec<_> = detail.frames.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(names, ["Shop.M2()", "Shop.M1()"], "leaf first");
        assert_eq!(find_event(&store, 1, 5, "", 0), None, "only exactly this time");
        assert_eq!(event_detail(&store, &bytes, EventId(u32::MAX)), Ok(None));
    }
}
