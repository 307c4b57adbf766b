//! Compares the content of real traces with that of the reference reader and an independent scanner.
//!
//! The traces are in `../shared/traces`, or in `traces` in the folder TRACEGLASS_SHARED.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use nettrace::{Field, FieldType, Header, Item, MetadataRecord, Parser, Step};
use serde_json::{Value as Json, json};

/// Content of a trace for the comparison.
#[derive(Default)]
struct Found {
    header: Option<Header>,
    blocks: BTreeMap<&'static str, u64>,
    metadata: BTreeMap<u32, (MetadataRecord, Tally)>,
    records: u64,
    events: u64,
    digest: u64,
    ended: bool,
    /// Stack bytes of the current region by ID, and in version 6 thread IDs by index.
    stacks: HashMap<u32, Vec<u8>>,
    threads: HashMap<u64, u64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Tally {
    events: u64,
    payload_bytes: u64,
    with_stack: u64,
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

impl Found {
    fn read(trace: &[u8]) -> Self {
        let mut found = Self::default();
        let mut parser = Parser::new();
        let mut rest = trace;
        while let Step::Parsed { consumed, item } = parser.parse(rest, true).expect("a readable header") {
            found.add(&item);
            rest = &rest[consumed..];
        }
        assert!(rest.is_empty() || found.ended, "everything is read");
        found
    }

    fn count(&mut self, kind: &'static str) {
        *self.blocks.entry(kind).or_default() += 1;
    }

    fn add(&mut self, item: &Item<'_>) {
        match item {
            Item::Header(header) => self.header = Some(header.clone()),
            Item::Metadata(block) => {
                self.count("metadata");
                for record in block.records() {
                    let record = record.expect("a readable record");
                    assert_eq!(record.partial, None, "{} {}", record.provider, record.name);
                    self.records += 1;
                    self.metadata.insert(record.metadata_id, (record, Tally::default()));
                }
            }
            Item::Stacks(block) => {
                self.count("stacks");
                for stack in block.stacks() {
                    let (id, addresses) = stack.expect("a readable stack");
                    self.stacks.insert(id, addresses.to_vec());
                }
            }
            Item::SequencePoint(_) => {
                self.count("sequence points");
                self.stacks.clear();
            }
            Item::Threads(block) => {
                for row in block.rows() {
                    let row = row.expect("a readable thread");
                    self.threads.insert(row.index, row.thread_id.unwrap_or(u64::MAX));
                }
            }
            Item::Events(block) => {
                self.count("events");
                let mut events = block.events();
                while let Some(event) = events.next() {
                    let event = event.expect("a readable event");
                    let stack = match self.stacks.get(&event.stack_id) {
                        Some(stack) if event.stack_id != 0 => stack,
                        _ => event.inline_stack,
                    };
                    let stack_hash = if stack.is_empty() { 0 } else { fnv(stack) };
                    let thread = self.threads.get(&event.thread).copied().unwrap_or(event.thread);
                    let facts =
                        [event.timestamp as u64, thread, u64::from(event.metadata_id), fnv(event.payload), stack_hash];
                    let bytes: Vec<u8> = facts.iter().flat_map(|fact| fact.to_le_bytes()).collect();
                    self.digest = self.digest.wrapping_add(fnv(&bytes));
                    self.events += 1;
                    let (_, tally) = self.metadata.get_mut(&event.metadata_id).expect("metadata before its events");
                    tally.events += 1;
                    tally.payload_bytes += event.payload.len() as u64;
                    tally.with_stack += u64::from(!stack.is_empty());
                }
            }
            Item::EndOfStream(_) => self.ended = true,
            _ => {}
        }
    }

    fn compare(&self, summary: &Json) {
        let scan = &summary["scan"];
        assert_eq!(json!(self.events), scan["events"]);
        assert_eq!(json!(self.records), scan["metadataRecords"]);
        assert_eq!(json!(self.ended), scan.get("endOfStreamSeen").cloned().unwrap_or(json!(self.ended)));
        if summary.get("refused").is_none() {
            assert_eq!(format!("{:016x}", self.digest), summary["digest"]["unordered"], "digest of all events");
        }
        let facts = match summary.get("refused") {
            Some(_) => summary.get("beforeFailure").unwrap_or(&Json::Null),
            None => summary,
        };
        if !facts.is_null() {
            self.compare_header(facts);
        }
        self.compare_metadata(&summary["metadata"]);
    }

    fn compare_header(&self, facts: &Json) {
        let header = self.header.as_ref().expect("a header");
        assert_eq!(json!(header.version), facts["formatVersion"]);
        assert_eq!(json!(header.pointer_size), facts["pointerSize"]);
        assert_eq!(json!(header.tick_frequency), facts["qpcFrequency"]);
        assert_eq!(json!(header.sync_ticks), facts["syncQpc"]);
        assert_eq!(json!(header.process_id), facts["processId"]);
        assert_eq!(json!(header.processor_count), facts["processorCount"]);
        assert_eq!(json!(header.expected_sampling_rate_nanos), facts["expectedSamplingRate"]);
        let time = header.sync_time_utc;
        let text = format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}0000Z",
            time.year, time.month, time.day, time.hour, time.minute, time.second, time.millisecond
        );
        assert_eq!(json!(text), facts["syncTimeUtc"]);
    }

    fn compare_metadata(&self, expected: &Json) {
        let expected = expected.as_array().expect("a list of metadata");
        assert_eq!(self.metadata.len(), expected.len());
        for (found, expected) in self.metadata.values().zip(expected) {
            let (record, tally) = found;
            let fields: Vec<_> =
                record.fields.iter().map(|field| json!({"name": field.name, "type": type_name(field)})).collect();
            let facts = json!({
                "metadataId": record.metadata_id,
                "provider": record.provider,
                "eventId": record.event_id,
                "name": record.name,
                "version": record.version,
                "level": record.level,
                "keywords": format!("{:#x}", record.keywords),
                "eventsInFile": tally.events,
                "payloadBytesInFile": tally.payload_bytes,
                "withStackInFile": tally.with_stack,
                "fields": fields,
            });
            for (key, value) in facts.as_object().expect("an object") {
                let mut expected = expected[key].clone();
                if key == "fields" {
                    expected.as_array_mut().expect("fields").iter_mut().for_each(as_written);
                }
                assert_eq!(*value, expected, "{key} of {} {}", record.provider, record.name);
            }
        }
    }
}

/// Normalizes a type: inside objects and arrays, EventSource declares other types than it writes.
fn as_written(field: &mut Json) {
    let declared = field["type"].as_str().expect("a type").to_owned();
    if declared.starts_with("Object") || declared.starts_with("Array") {
        field["type"] = json!(declared.replace("Boolean32", "Boolean8").replace("Decimal", "Double"));
    }
}

fn type_name(field: &Field) -> String {
    name(&field.field_type)
}

fn name(field_type: &FieldType) -> String {
    match field_type {
        FieldType::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|field| format!("{}:{}", field.name, type_name(field))).collect();
            format!("Object{{{}}}", fields.join(","))
        }
        FieldType::Array(element) => format!("Array<{}>", name(element)),
        FieldType::Char16 => "UTF16CodeUnit".into(),
        FieldType::Utf8CodeUnit => "UTF8CodeUnit".into(),
        FieldType::Int8 => "SByte".into(),
        FieldType::UInt8 => "Byte".into(),
        FieldType::Float32 => "Single".into(),
        FieldType::Float64 => "Double".into(),
        FieldType::Utf16String => "String".into(),
        other => format!("{other:?}"),
    }
}

fn shared() -> PathBuf {
    match std::env::var_os("TRACEGLASS_SHARED") {
        Some(folder) => folder.into(),
        None => crate::common::root().join("../shared"),
    }
}

/// R1.1: counts and digests of recordings match the reference reader's.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn real_traces_match_reference() {
    let traces = shared().join("traces");
    let Ok(summaries) = std::fs::read_dir(traces.join("oracle")) else {
        println!("SKIPPED: no {}", traces.display());
        return;
    };
    let mut compared = 0;
    for entry in summaries {
        let path = entry.expect("a folder entry").path();
        let file_name = path.file_name().and_then(|name| name.to_str()).expect("a file name");
        let Some(name) = file_name.strip_suffix(".summary.json") else { continue };
        let Ok(trace) = std::fs::read(traces.join(name)) else {
            println!("SKIPPED: {name} is missing or compressed");
            continue;
        };
        let summary = serde_json::from_slice(&std::fs::read(&path).expect("a summary")).expect("JSON");
        println!("comparing {name}");
        Found::read(&trace).compare(&summary);
        compared += 1;
    }
    println!("compared {compared} traces");
}
