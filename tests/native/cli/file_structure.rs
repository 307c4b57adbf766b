//! `traceglass schema`, `blocks` and `dump`, compared with an independent scanner for the recordings beside the clone,
//! and for recordings of the repository.

use crate::common::cli::traceglass;
use crate::common::recordings::{recording, traces};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Returns the recordings with a summary of the scanner, unless they are too large for this run.
fn recordings() -> Vec<(String, PathBuf, Value)> {
    let Some(traces) = traces() else { return Vec::new() };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(traces.join("oracle")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let file_name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let Some(name) = file_name.strip_suffix(".summary.json") else { continue };
        let name = name.strip_suffix(".te2").unwrap_or(name);
        let Some(trace) = recording(&traces, name) else { continue };
        let summary: Value = serde_json::from_slice(&std::fs::read(&path).expect("a summary")).expect("JSON");
        if summary["metadata"].is_array() {
            found.push((name.to_owned(), trace, summary));
        }
    }
    found
}

fn json_of(arguments: &[&str], file: &Path) -> Value {
    serde_json::from_str(&traceglass(arguments, file)).expect("JSON")
}

/// Key of a record, and its compared values.
type Records = BTreeMap<String, Value>;

fn key_of(record: &Value, name: &str) -> String {
    let part = |key: &str| record[key].to_string();
    [part("metadataId"), part("provider"), part("eventId"), part("version"), part(name)].join(" ")
}

/// Normalizes a type: inside objects and arrays, EventSource declares other types than it writes.
fn as_written(field: &Value) -> Value {
    let declared = field["type"].as_str().expect("a type");
    let is_nested = declared.starts_with("Object") || declared.starts_with("Array");
    let written = declared.replace("Boolean32", "Boolean8").replace("Decimal", "Double");
    json!({"name": field["name"], "type": if is_nested { written } else { declared.to_owned() }})
}

/// Names, numbers, levels, keywords, opcodes, fields, events, bytes and stacks of all records.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn schemas_match_scanner() {
    let mut compared = 0;
    for (name, trace, summary) in recordings() {
        let expected: Records = summary["metadata"]
            .as_array()
            .expect("records")
            .iter()
            .map(|record| {
                let fields: Vec<Value> = record["fields"].as_array().expect("fields").iter().map(as_written).collect();
                let facts = json!([
                    record["level"],
                    record["keywords"],
                    record["opcode"],
                    fields,
                    record["eventsInFile"],
                    record["payloadBytesInFile"],
                    record["withStackInFile"],
                ]);
                (key_of(record, "name"), facts)
            })
            .collect();
        let ours = json_of(&["schema", "--json"], &trace);
        let ours: Records = ours["schemas"]
            .as_array()
            .expect("schemas")
            .iter()
            .map(|record| {
                let declared =
                    if record["declaredFields"].is_null() { &record["fields"] } else { &record["declaredFields"] };
                let declared = declared.as_array().expect("fields").iter();
                let declared = declared.map(|field| json!({"name": field["name"], "type": field["type"]}));
                let facts = json!([
                    record["level"],
                    record["keywords"],
                    record["opcode"],
                    declared.collect::<Vec<_>>(),
                    record["count"],
                    record["payloadBytes"],
                    record["withStackInFile"],
                ]);
                (key_of(record, "metadataName"), facts)
            })
            .collect();
        for (key, facts) in &expected {
            assert_eq!(ours.get(key), Some(facts), "{name}: {key}");
        }
        assert_eq!(ours.len(), expected.len(), "{name}");
        compared += 1;
    }
    println!("compared {compared} recordings");
}

/// Blocks are contiguous and as many as the scanner counts, and each grouping of the bytes adds up to the file.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn blocks_and_costs_add_up_to_file() {
    let mut compared = 0;
    for (name, trace, summary) in recordings() {
        let blocks = json_of(&["blocks", "--json"], &trace);
        let file_bytes = blocks["fileBytes"].as_u64().expect("bytes");
        assert_eq!(json!(file_bytes), summary["fileBytes"], "{name}");
        let mut at = 0;
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for section in blocks["pieces"].as_array().expect("pieces") {
            assert_eq!(section["offset"], json!(at), "{name}");
            at += section["bytes"].as_u64().expect("bytes");
            *kinds.entry(section["kind"].as_str().expect("a kind")).or_default() += 1;
        }
        assert_eq!(at, file_bytes, "{name}");
        for (theirs, ours) in [
            ("EventBlock", "Events"),
            ("MetadataBlock", "Metadata"),
            ("StackBlock", "Stacks"),
            ("SPBlock", "Sequence point"),
        ] {
            if let Some(count) = summary["scan"]["blocks"][theirs].as_u64() {
                assert_eq!(kinds.get(ours).copied().unwrap_or(0), count, "{name}: {theirs}");
            }
        }
        for of in [&["pieces"][..], &["provider", "rest"], &["event", "rest"]] {
            let rows = blocks["costs"].as_array().expect("costs").iter();
            let rows = rows.filter(|row| of.contains(&row["of"].as_str().expect("a word")));
            assert_eq!(rows.map(|row| row["bytes"].as_u64().expect("bytes")).sum::<u64>(), file_bytes, "{name} {of:?}");
        }
        let headers = &blocks["headerCompression"];
        let bytes = |key: &str| headers[key].as_u64().expect("bytes");
        // netperf has no blocks of other kinds, and a recording that was stopped at once has no events.
        let has_events = kinds.contains_key("Events");
        match name.ends_with(".netperf") || !has_events {
            true => assert!(headers.is_null(), "{name}"),
            false => assert!(bytes("headerBytes") * 2 < bytes("fullHeaderBytes"), "{name}: {headers}"),
        }
        compared += 1;
    }
    println!("compared {compared} recordings");
}

/// Returns a recording of the repository as a file for one test.
fn fixture(name: &str, test: &str) -> PathBuf {
    let places =
        ["tests/fixtures", "www/samples"].map(|folder| crate::common::root().join(folder).join(format!("{name}.gz")));
    let packed = places.iter().find_map(|place| std::fs::read(place).ok()).expect("a fixture");
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("gzip");
    let path = std::env::temp_dir().join(format!("traceglass-{test}-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    path
}

#[test]
fn dump_has_every_byte_of_range_once() {
    for name in ["orders-net31.nettrace", "orders-v6.nettrace", "orders-net21.netperf", "cut-net10.nettrace"] {
        let path = fixture(name, "every-byte");
        let bytes = std::fs::read(&path).expect("a file");
        for (offset, length) in [(0, 200), (bytes.len() / 3, 300), (bytes.len() / 2, 64), (bytes.len() - 40, 100)] {
            let options = ["dump", "--json", "--offset", &offset.to_string(), "--length", &length.to_string()];
            let dump = json_of(&options, &path);
            let end = (offset + length).min(bytes.len());
            let hex: String = bytes[offset..end].iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(dump["bytes"], json!(hex), "{name} {offset}");
            let leaves = dump["parts"].as_array().expect("parts").iter().filter(|part| part["is"] != "group");
            let ranges = leaves.map(|part| {
                let start = part["offset"].as_u64().expect("an offset") as usize;
                start..start + part["bytes"].as_u64().expect("bytes") as usize
            });
            let mut at = None;
            for range in ranges.filter(|range| !range.is_empty()) {
                assert_eq!(*at.get_or_insert(range.start), range.start, "{name} {offset}");
                at = Some(range.end);
            }
            assert!(at.is_some_and(|at| at >= end), "{name} {offset}");
        }
        std::fs::remove_file(path).expect("a file to remove");
    }
}

#[test]
fn dump_is_formatted_as_hex_dump() {
    let path = fixture("orders-net31.nettrace", "like-one");
    let text = traceglass(&["dump", "--offset", "0", "--length", "40"], &path);
    std::fs::remove_file(path).expect("a file to remove");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "00000000  4e 65 74 74 72 61 63 65 14 00 00 00 21 46 61 73  |Nettrace....!Fas|");
    assert!(lines.contains(&"00000000      8  Magic: Nettrace"), "{text}");
    assert!(lines.contains(&"00000020      1  Begin object: 5 (BeginPrivateObject)"), "{text}");
    assert!(lines.contains(&"00000021     20  Type"), "{text}");
}
