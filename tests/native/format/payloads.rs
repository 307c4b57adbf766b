//! Compares decoded payloads with the values that the traced app wrote, for every type that EventSource supports.
//!
//! The trace is in `../shared/traces`, or in `traces` in the folder TRACEGLASS_SHARED.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use nettrace::{Item, MetadataRecord, Parser, Step, Value, decode, decode_field};
use serde_json::{Map, Value as Json, json};

fn shared() -> PathBuf {
    match std::env::var_os("TRACEGLASS_SHARED") {
        Some(folder) => folder.into(),
        None => crate::common::root().join("../shared"),
    }
}

/// Decoded event: provider, name, fields.
type Decoded = (String, String, Vec<(String, Value)>);

/// Returns all events of matching providers, by thread in the order of writing.
fn events_of(trace: &[u8], is_wanted: impl Fn(&str) -> bool) -> HashMap<u64, VecDeque<Decoded>> {
    let mut parser = Parser::new();
    let mut rest = trace;
    let mut metadata: HashMap<u32, MetadataRecord> = HashMap::new();
    let mut events: Vec<(u64, u32, Decoded)> = Vec::new();
    while let Step::Parsed { consumed, item } = parser.parse(rest, true).expect("a readable header") {
        match item {
            Item::Metadata(block) => {
                metadata.extend(
                    block.records().map(|record| record.expect("a record")).map(|record| (record.metadata_id, record)),
                );
            }
            Item::Events(block) => {
                let mut headers = block.events();
                while let Some(header) = headers.next() {
                    let header = header.expect("an event");
                    let record = &metadata[&header.metadata_id];
                    if !is_wanted(&record.provider) {
                        continue;
                    }
                    let values = decode(&record.fields, header.payload, 8);
                    for (index, value) in values.iter().enumerate() {
                        let alone = decode_field(&record.fields, header.payload, 8, index);
                        assert_eq!(format!("{alone:?}"), format!("{value:?}"), "{} alone", record.fields[index].name);
                    }
                    let names = record.fields.iter().map(|field| field.name.clone());
                    let decoded = (record.provider.clone(), record.name.clone(), names.zip(values).collect());
                    events.push((header.thread, header.sequence, decoded));
                }
            }
            _ => {}
        }
        rest = &rest[consumed..];
    }
    events.sort_by_key(|(thread, sequence, _)| (*thread, *sequence));
    let mut per_thread: HashMap<u64, VecDeque<Decoded>> = HashMap::new();
    for (thread, _, decoded) in events {
        per_thread.entry(thread).or_default().push_back(decoded);
    }
    per_thread
}

fn object(fields: &[(String, Value)], expected: &Json) -> Json {
    match fields {
        // The single unnamed object around a self-describing payload.
        [(name, Value::Object(inner))]
            if name.is_empty() && inner.iter().all(|(name, _)| name.is_empty() || expected.get(name).is_some()) =>
        {
            object(inner, expected)
        }
        _ => {
            let entry = |(name, value): &(String, Value)| {
                let name = if name.is_empty() { unnamed(fields, expected) } else { name.clone() };
                (name.clone(), plain(value, &expected[&name]))
            };
            Json::Object(fields.iter().map(entry).collect::<Map<_, _>>())
        }
    }
}

/// Returns the name of a parameter that is an object, which metadata doesn't contain: the name that no other field has.
fn unnamed(fields: &[(String, Value)], expected: &Json) -> String {
    let names = expected.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    names.into_iter().find(|name| fields.iter().all(|(field, _)| field != name)).unwrap_or_default()
}

/// Converts a value to the app's own notation. The expected value determines the notation of numbers.
fn plain(value: &Value, expected: &Json) -> Json {
    let number = |text: String| {
        if expected.is_string() { json!(text) } else { text.parse().map_or(json!(text), |n: i64| json!(n)) }
    };
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Char(unit) => json!(unit),
        Value::Int(value, _) => number(value.to_string()),
        Value::UInt(value, _) | Value::Pointer(value) => number(value.to_string()),
        Value::Float32(value) => float(f64::from(*value), expected, |text| text.parse::<f32>().ok().map(f64::from)),
        Value::Float64(value) => float(*value, expected, |text| text.parse().ok()),
        Value::Guid(guid) => json!(guid.to_string()),
        Value::DateTime(ticks) => date(*ticks, expected),
        Value::String(text) => match expected.as_array() {
            Some(_) => json!(text.encode_utf16().collect::<Vec<_>>()),
            None => string(text, expected),
        },
        Value::Utf16(units) => match expected.as_array() {
            Some(_) => json!(units),
            None => json!({"utf16": units.iter().map(|unit| format!("{unit:04X}")).collect::<Vec<_>>().join(" ")}),
        },
        Value::Bytes(bytes) if expected.is_string() => {
            json!(bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
        }
        Value::Bytes(bytes) => json!(bytes),
        Value::Array(values) => {
            values.iter().enumerate().map(|(index, value)| plain(value, &expected[index])).collect()
        }
        Value::Object(fields) => object(fields, expected),
        other => json!(format!("{other:?}")),
    }
}

/// Returns the expected text if it is this number, for any notation.
fn float(value: f64, expected: &Json, parse: impl Fn(&str) -> Option<f64>) -> Json {
    let same = expected
        .as_str()
        .and_then(|text| parse(&text.replace("Infinity", "inf")))
        .is_some_and(|expected| expected == value || (expected.is_nan() && value.is_nan()));
    if same { expected.clone() } else { json!(value.to_string()) }
}

/// Returns the expected text if it is this time.
fn date(ticks: i64, expected: &Json) -> Json {
    let text = expected.as_str().unwrap_or_default();
    let number =
        |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<i64>().ok()).unwrap_or(-1);
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let months = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap = i64::from(month > 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    let before = year - 1;
    let days = before * 365 + before / 4 - before / 100 + before / 400 - 584_388
        + months[(month - 1).clamp(0, 11) as usize]
        + leap
        + day
        - 1;
    let seconds = days * 86_400 + number(11..13) * 3600 + number(14..16) * 60 + number(17..19);
    if seconds * 10_000_000 + number(20..27) == ticks { expected.clone() } else { json!(ticks) }
}

fn string(text: &str, expected: &Json) -> Json {
    if expected.get("length").is_none() {
        return json!(text);
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let part = |part: &[u16]| String::from_utf16_lossy(part);
    json!({"length": units.len(), "first": part(&units[..8]), "last": part(&units[units.len() - 8..])})
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn payloads_match_written_values() {
    let traces = shared().join("traces");
    let Ok(trace) = std::fs::read(traces.join("shapes-net10.nettrace")) else {
        println!("SKIPPED: no {}", traces.display());
        return;
    };
    let truth: Json =
        serde_json::from_slice(&std::fs::read(traces.join("shapes-net10.truth.json")).expect("the truth"))
            .expect("JSON");
    let truth = truth["events"].as_array().expect("events");
    let mut found = events_of(&trace, |provider| truth.iter().any(|event| event["provider"] == provider));
    let (mut compared, mut unfit) = (0, Vec::new());
    for expected in truth.iter().filter(|event| event.get("lost").is_none()) {
        let thread = expected["osThreadId"].as_u64().expect("a thread");
        let queue = found.get_mut(&thread).expect("events of the thread");
        let event = loop {
            let event = queue.pop_front().expect("an event for each that was written");
            // EventSource also writes errors and manifests.
            if json!(event.0) == expected["provider"] && json!(event.1) == expected["event"] {
                break event;
            }
        };
        if expected.get("described").is_some() {
            continue;
        }
        let payload = object(&event.2, &expected["payload"]);
        if payload == expected["payload"] {
            compared += 1;
        } else if expected.get("fitsMetadata").is_some() {
            unfit.push(event.1);
        } else {
            panic!("{} of {}:\n{payload}\nexpected\n{}", event.1, event.0, expected["payload"]);
        }
    }
    unfit.sort();
    unfit.dedup();
    println!("{compared} payloads are equal; in these the program wrote something else than it declared: {unfit:?}");
    assert!(compared > 1000);
    assert!(!unfit.iter().any(|name| name.contains("Bool")), "one byte inside objects and arrays");
}
