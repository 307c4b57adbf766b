//! What the header of an event says.

use super::activity_path::activity_path;
use super::header_detail::{keywords_value, level_value, named, opcode_of, opcode_value, utc_text};
use super::labels::{span_text, trace_text, value_of_label};
use crate::model::ids::EventId;
use crate::model::{EventType, Origin, Store};
use crate::nettrace::{ByteSource, Guid, LabelList, SourceError};
use crate::protocol::reply::NamedValue;
use crate::protocol::request::Label;

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
        let label = Some(Label::Activity(guid.to_string()));
        NamedValue { label, ..named(name, path.unwrap_or_else(|| guid.to_string()), guid.to_string()) }
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
    let narrowing = |label: Label| {
        let (name, value) = (label.name().to_owned(), label.value().to_owned());
        NamedValue { name, value, label: Some(label), ..NamedValue::default() }
    };
    let mut facts = Vec::new();
    facts.extend(labels.trace_id.map(|trace| narrowing(Label::Trace(trace_text(&trace)))));
    facts.extend(labels.span_id.map(|span| narrowing(Label::Span(span_text(span)))));
    facts.extend(labels.version.map(|version| named("Version of this event", version.to_string(), String::new())));
    let pairs = labels.pairs.iter();
    facts.extend(pairs.map(|(name, value)| narrowing(Label::Named(name.clone(), value_of_label(value)))));
    facts
}
