//! Values from the header of an event.

use crate::analysis::file::header_detail::{
    keywords_value, level_value, named, opcode_value, unless_missing, utc_text,
};
use crate::analysis::values::labels::{activity_text, span_text, trace_text, value_of_label};
use crate::model::{EventType, Origin, Store};
use nettrace::{ByteSource, Guid, LabelList, SourceError};
use protocol::base::ids::{EventId, ThreadId};
use protocol::reply::NamedValue;
use protocol::request::Label;

/// Returns time, level, keywords, opcode, activities, labels and position of an event. Values in its own labels take
/// precedence over those in its metadata, which are added as a note.
///
/// # Errors
/// If the event's block can't be read from the file.
pub fn header_values(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    event_type: &EventType,
) -> Result<Vec<NamedValue>, SourceError> {
    let row = store.events.row(event);
    let none = LabelList::default();
    let labels = store.labels(event).unwrap_or(&none);
    let record = &event_type.record;
    let ticks = store.header.sync_ticks.saturating_add(row.ticks);
    let declared = declared_by(store, event_type);
    let level = |of: &EventType| unless_missing(level_value(of.record.level), of.record.unrecorded.level);
    let keywords = |of: &EventType| {
        unless_missing(keywords_value(&of.provider, of.record.keywords), of.record.unrecorded.keywords) //
    };
    let mut facts = vec![
        named("Time (UTC)", utc_text(store, row.ticks), format!("{ticks} ticks")),
        with_declared(level(event_type), &level(declared)),
        with_declared(keywords(event_type), &keywords(declared)),
        with_declared(opcode_value(event_type.opcode()), &opcode_value(declared.opcode())),
    ];
    if record.version != declared.record.version {
        let plain = |version: u32| named("Version", version.to_string(), String::new());
        let by_label = labels.version.is_some() || labels.pairs.iter().any(|(name, _)| name == "Version");
        facts.push(match by_label {
            true => with_declared(plain(record.version), &plain(declared.record.version)),
            false => {
                let meaning =
                    format!("Inferred from the payload length. The metadata declares {}.", declared.record.version);
                NamedValue { meaning, ..plain(record.version) }
            }
        });
    }
    let activity = |name: &str, guid: Guid| {
        let label = Some(Label::Activity(guid.to_string()));
        NamedValue { label, ..named(name, activity_text(store, guid), guid.to_string()) }
    };
    if row.activity.0 != 0 {
        facts.push(activity("Activity", store.activities.guid(row.activity)));
    }
    if let Some(related) = store.related_activity(event) {
        facts.push(activity("Related activity", store.activities.guid(related)));
    }
    facts.extend(label_facts(labels));
    facts.extend(origin_facts(store, row.thread, row.stack.0 != 0, store.origin(event, source)?));
    facts.push(named("Metadata ID", record.metadata_id.to_string(), String::new()));
    facts.push(named("Payload offset", row.payload_offset.to_string(), format!("{:#x}", row.payload_offset)));
    Ok(facts)
}

/// Returns the type as its metadata declares it, without the effect of labels.
fn declared_by<'s>(store: &'s Store, event_type: &'s EventType) -> &'s EventType {
    let is_of_record = |other: &&EventType| other.record.offset == event_type.record.offset;
    store.types.iter().find(is_of_record).unwrap_or(event_type)
}

/// Returns a value from the event's labels with the one declared in its metadata.
fn with_declared(value: NamedValue, declared: &NamedValue) -> NamedValue {
    if value.value == declared.value {
        return value;
    }
    let meaning = format!("Set by a label on this event. Its metadata declares {}.", declared.value);
    NamedValue { meaning, ..value }
}

fn origin_facts(store: &Store, thread: ThreadId, has_stack: bool, origin: Option<Origin>) -> Vec<NamedValue> {
    let plain = |name: &str, value: String| named(name, value, String::new());
    let explained =
        |name: &str, value: String, meaning: &str| NamedValue { meaning: meaning.to_owned(), ..plain(name, value) };
    let Some(origin) = origin else {
        let names = ["Capture thread", "Sequence number", "CPU"];
        return names.map(|name| plain(name, "not recorded in this version".to_owned())).to_vec();
    };
    let stack = match origin.stack_id {
        0 => "none".to_owned(),
        number if has_stack => number.to_string(),
        number => format!("{number} (not in the file)"),
    };
    vec![
        writer(store, thread, &origin),
        explained("Sequence number", origin.sequence.to_string(), "Counts the thread's events, including lost ones."),
        plain("CPU", origin.processor.map_or_else(|| "unknown".to_owned(), |processor| processor.to_string())),
        explained(
            "Sorted",
            if origin.is_sorted { "yes" } else { "no" }.to_owned(),
            "Sorted means that no later event in the file has an earlier timestamp.",
        ),
        plain("Stack ID", stack),
    ]
}

/// Returns the thread that wrote an event, by OS ID if the file has it.
fn writer(store: &Store, thread: ThreadId, origin: &Origin) -> NamedValue {
    let name = "Capture thread";
    if store.header.version < 6 {
        return named(name, origin.capture_thread.to_string(), String::new());
    }
    let index = format!("index {}", origin.capture_thread);
    let writer = if origin.is_own { Some(thread) } else { store.thread_with_index(origin.capture_thread) };
    let os_id = writer.and_then(|thread| store.threads.get(thread)?.os_id());
    named(name, os_id.map_or_else(|| index.clone(), |id| id.to_string()), index)
}

fn label_facts(labels: &LabelList) -> Vec<NamedValue> {
    let narrowing = |label: Label| {
        let (name, value) = (label.name().to_owned(), label.value().to_owned());
        NamedValue { name, value, label: Some(label), ..NamedValue::default() }
    };
    let mut facts = Vec::new();
    facts.extend(labels.trace_id.map(|trace| narrowing(Label::Trace(trace_text(&trace)))));
    facts.extend(labels.span_id.map(|span| narrowing(Label::Span(span_text(span)))));
    let pairs = labels.pairs.iter();
    facts.extend(pairs.map(|(name, value)| narrowing(Label::Named(name.clone(), value_of_label(value)))));
    facts
}
