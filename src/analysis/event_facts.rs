//! What the header of an event says.

use super::activity_path::activity_path;
use super::header_detail::{keywords_value, level_value, named, opcode_of, opcode_value, utc_text};
use crate::model::ids::EventId;
use crate::model::{EventType, Origin, Store};
use crate::nettrace::{ByteSource, Guid, LabelList, LabelValue, SourceError};
use crate::protocol::reply::NamedValue;

/// Time, level, keywords, opcode, activities, labels and position of an event. What its own labels say goes before what
/// its type says.
///
/// # Errors
/// If the event's block cannot be read from the file.
pub fn event_facts(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    event_type: &EventType,
) -> Result<Vec<NamedValue>, SourceError> {
    let row = store.events().row(event);
    let none = LabelList::default();
    let labels = store.labels(event).unwrap_or(&none);
    let record = &event_type.record;
    let ticks = store.header().sync_ticks.saturating_add(row.ticks);
    let mut facts = vec![
        named("Time (UTC)", utc_text(store, row.ticks), format!("{ticks} ticks")),
        level_value(labels.level.unwrap_or(record.level)),
        keywords_value(&event_type.provider, labels.keywords.unwrap_or(record.keywords)),
        opcode_value(labels.opcode.unwrap_or_else(|| opcode_of(event_type))),
    ];
    let activity = |name: &str, guid: Guid| {
        let path = activity_path(&guid.0, store.header().process_id);
        named(name, path.unwrap_or_else(|| guid.to_string()), guid.to_string())
    };
    if row.activity.0 != 0 {
        facts.push(activity("Activity", store.activities().guid(row.activity)));
    }
    if let Some(related) = store.related_activity(event) {
        facts.push(activity("Related activity", store.activities().guid(related)));
    }
    facts.extend(label_facts(labels));
    if let Some(origin) = store.origin(event, source)? {
        facts.extend(origin_facts(store, origin));
    }
    facts.push(named("Metadata id", record.metadata_id.to_string(), String::new()));
    facts.push(named("Payload position", row.payload_offset.to_string(), format!("{:#x}", row.payload_offset)));
    Ok(facts)
}

fn origin_facts(store: &Store, origin: Origin) -> Vec<NamedValue> {
    let is_index = store.header().version >= 6;
    let name = if is_index { "Written by thread with index" } else { "Written by thread" };
    let mut facts = vec![
        named(name, origin.capture_thread.to_string(), String::new()),
        NamedValue {
            meaning: "Counts the events of that thread, lost ones included.".to_owned(),
            ..named("Sequence number", origin.sequence.to_string(), String::new())
        },
    ];
    facts.extend(origin.processor.map(|processor| named("Processor", processor.to_string(), String::new())));
    facts
}

fn label_facts(labels: &LabelList) -> Vec<NamedValue> {
    let plain = |name: &str, value: String| named(name, value, String::new());
    let mut facts = Vec::new();
    if let Some(trace) = labels.trace_id {
        facts.push(plain("Trace id", trace.iter().map(|byte| format!("{byte:02x}")).collect()));
    }
    facts.extend(labels.span_id.map(|span| plain("Span id", format!("{span:016x}"))));
    facts.extend(labels.version.map(|version| plain("Version of this event", version.to_string())));
    let text = |value: &LabelValue| match value {
        LabelValue::Text(text) => text.clone(),
        LabelValue::Number { plain, .. } => plain.to_string(),
    };
    facts.extend(labels.pairs.iter().map(|(name, value)| plain(name, text(value))));
    facts
}
