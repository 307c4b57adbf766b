//! Tests runtime events as a machine-wide recorder (version 6) writes them, with its own names and fields.

use crate::analysis::file::event_types::type_table;
use crate::analysis::filter::select::select;
use crate::analysis::stacks::sources::stack_sources;
use crate::clr::KnownEvent;
use crate::model::testing::read;
use crate::model::{SchemaSource, Store};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, LabelList, MetadataRecord, ThreadRow, Unrecorded, Value, decode};
use protocol::base::ids::EventId;
use protocol::request::Filter;

fn fixture() -> (Store, Vec<u8>) {
    let bytes = include_bytes!("../../../../../tests/fixtures/cases/v6-dotnet-version.nettrace").to_vec();
    (read(&bytes), bytes)
}

fn found(store: &Store, bytes: &[u8], query: &str) -> Vec<EventId> {
    let filter = Filter { query: query.to_owned(), ..Filter::default() };
    select(store, &bytes, &filter).expect("a query").iter().map(|row| EventId(row as u32)).collect()
}

fn values(store: &Store, bytes: &[u8], event: EventId) -> Vec<(String, Value)> {
    let event_type = store.types.get(store.events.row(event).event_type).expect("a type");
    assert_eq!(event_type.schema.source, SchemaSource::Manifest, "{}", event_type.display_name);
    let payload = store.payload(event, &bytes).expect("a payload");
    let values = decode(&event_type.schema.fields, &payload, store.header.pointer_size);
    event_type.schema.fields.iter().map(|field| field.name.clone()).zip(values).collect()
}

fn value(store: &Store, bytes: &[u8], query: &str, field: &str) -> Value {
    let first = *found(store, bytes, query).first().expect(query);
    values(store, bytes, first).into_iter().find(|(name, _)| name == field).expect(field).1
}

#[test]
fn runtime_events_have_usual_names() {
    let (store, bytes) = fixture();
    let counts = ["event:GC/Start", "event:GC/SuspendEEStart", "event:GC/AllocationTick", "event:Exception/Start"]
        .map(|query| found(&store, &bytes, query).len());
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    // The file's own names find the same events.
    assert_eq!(found(&store, &bytes, "event=GCSuspendEE"), found(&store, &bytes, "event=GC/SuspendEEStart"));
    let sources = stack_sources(&store);
    assert!(sources.name.iter().any(|name| name == "GC/AllocationTick"), "{sources:?}");
}

#[test]
fn machine_wide_payloads_have_runtime_layout() {
    let (store, bytes) = fixture();
    assert_eq!(value(&store, &bytes, "event=GC/SuspendEEStart", "Count"), Value::UInt(7, 32));
    assert_eq!(value(&store, &bytes, "event=GC/Start", "Depth"), Value::UInt(2, 32));
    let rows = (0..store.events.len() as u32).map(EventId);
    for event in rows {
        let event_type = store.types.get(store.events.row(event).event_type).expect("a type");
        if event_type.provider != "Microsoft-Windows-DotNETRuntime" || event_type.schema.fields.is_empty() {
            continue;
        }
        let bad = values(&store, &bytes, event).into_iter().find(|(_, value)| matches!(value, Value::Error(_)));
        assert_eq!(bad, None, "{}", event_type.display_name);
    }
}

#[test]
fn schema_lists_each_event_type_once() {
    let (store, _) = fixture();
    let table = type_table(&store);
    let mut kinds: Vec<(String, u32)> = (0..table.count.len())
        .filter(|row| table.provider.get(*row) == "Microsoft-Windows-DotNETRuntime")
        .map(|row| (table.name.get(row).to_owned(), table.event_id[row]))
        .collect();
    assert!(kinds.contains(&("GC/Start".to_owned(), 1)), "{kinds:?}");
    let all = kinds.len();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), all);
}

/// Without a version label, the payload has the newest layout; a name takes precedence over the ID.
#[test]
fn events_without_version_have_newest_layout() {
    let mut trace = TraceBuilder::new(Format::Nettrace6);
    let record = |metadata_id, event_id, name: &str, fields: Vec<Field>| MetadataRecord {
        metadata_id,
        provider: "Microsoft-Windows-DotNETRuntime".to_owned(),
        event_id,
        name: name.to_owned(),
        fields,
        unrecorded: Unrecorded { level: true, keywords: true, version: true },
        ..MetadataRecord::default()
    };
    let wrong = || vec![Field::new("Reason", FieldType::UInt16), Field::new("Count", FieldType::UInt32)];
    trace.metadata(&[record(1, 9, "GCSuspendEE", wrong()), record(2, 0, "GCStart", Vec::new())]);
    trace.threads(&[ThreadRow { index: 1, process_id: Some(1), thread_id: Some(7), ..ThreadRow::default() }]);
    trace.labels(1, &[LabelList { version: Some(0), ..LabelList::default() }]);
    let event = |sequence: u32, metadata_id, label_list, payload: PayloadWriter| Event {
        metadata_id,
        sequence,
        label_list,
        capture_thread: 1,
        thread: 1,
        timestamp: 1_000_000 + i64::from(sequence),
        is_sorted: true,
        payload: payload.finish(),
        ..Event::default()
    };
    trace.events(&[
        event(1, 1, 0, PayloadWriter::new().u32(1).u32(7).u16(0)),
        event(2, 2, 0, PayloadWriter::new().u32(7).u32(2).u32(1).u32(0).u16(0).u64(0)),
        event(3, 2, 1, PayloadWriter::new().u32(8).u32(4)),
    ]);
    let bytes = trace.finish();
    let store = read(&bytes);
    assert_eq!(value(&store, &bytes, "event=GC/SuspendEEStart", "Count"), Value::UInt(7, 32));
    let starts = found(&store, &bytes, "event=GC/Start");
    assert_eq!(starts.len(), 2);
    let fields = |event| values(&store, &bytes, event).len();
    assert_eq!([fields(starts[0]), fields(starts[1])], [6, 2], "a label that says the version counts");
    assert_eq!(store.types.of_known(KnownEvent::GcStart).map(|one| one.count).sum::<u64>(), 2);
}

/// Some writers set version 0 for every event: the length of the payload determines the version.
#[test]
fn longer_payload_has_newer_version() {
    let mut trace = TraceBuilder::new(Format::Nettrace4);
    let provider = "Microsoft-Windows-DotNETRuntime".to_owned();
    trace.metadata(&[MetadataRecord { metadata_id: 1, provider, event_id: 1, ..MetadataRecord::default() }]);
    let event = |sequence: u32, payload: PayloadWriter| Event {
        metadata_id: 1,
        sequence,
        capture_thread: 1,
        thread: 1,
        timestamp: 1_000_000 + i64::from(sequence),
        is_sorted: true,
        payload: payload.finish(),
        ..Event::default()
    };
    let start = |number: u32| PayloadWriter::new().u32(number).u32(2);
    trace.events(&[
        event(1, start(6)),
        event(2, start(7).u32(1).u32(0).u16(0).u64(0)),
        event(3, start(8).u32(1).u32(0).u16(0)),
        event(4, start(9).u32(1)),
    ]);
    let bytes = trace.finish();
    let store = read(&bytes);
    let rows = (0..4).map(EventId);
    let found: Vec<_> = rows
        .map(|event| {
            let event_type = store.types.get(store.events.row(event).event_type).expect("a type");
            (event_type.record.version, values(&store, &bytes, event).len())
        })
        .collect();
    assert_eq!(found, [(0, 2), (2, 6), (1, 5), (0, 2)], "a length of no version changes nothing");
}
