//! Tests the manifest against recordings: every payload must be exactly as long as its fields.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::lookup;
use nettrace::{Field, FieldType, Item, Parser, Step};

/// Recordings of several runtimes, small enough for every test run.
const RECORDINGS: [&str; 16] = [
    "orders-net21.netperf",
    "orders-net31.nettrace",
    "orders-v6.nettrace",
    "aot-net9.nettrace",
    "cpu-net10.nettrace",
    "cpu-v6-net10.nettrace",
    "drops-net10.nettrace",
    "gc-net10.nettrace",
    "heapdump-net10.nettrace",
    "norundown-net10.nettrace",
    "shapes-net10.nettrace",
    "short-net10.nettrace",
    "web-net8.nettrace",
    "web-net9.nettrace",
    "dropped-net31.nettrace",
    "truncated-net31.nettrace",
];

/// Event type: provider, event ID, version.
type Kind = (String, u32, u32);

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recorded_payloads_match_table_lengths() {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let directory = std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces");
    let mut checked = 0;
    let mut mismatches = BTreeMap::new();
    for name in RECORDINGS {
        let trace = std::fs::read(directory.join(name)).expect(name);
        checked += check(&trace, &mut mismatches);
    }
    println!("{checked} payloads checked");
    assert!(mismatches.is_empty(), "{mismatches:#?}");
    assert!(checked > 500_000, "{checked}");
}

/// Returns the number of compared payloads, and adds those with another length to `mismatches`.
fn check(trace: &[u8], mismatches: &mut BTreeMap<Kind, String>) -> usize {
    let mut parser = Parser::new();
    let mut position = 0;
    let mut pointer_size = 8;
    let mut kinds: BTreeMap<u32, (Kind, Vec<Field>)> = BTreeMap::new();
    let mut checked = 0;
    while let Ok(Step::Parsed { consumed, item }) = parser.parse(&trace[position..], true) {
        match item {
            Item::Header(header) => pointer_size = header.pointer_size,
            Item::Metadata(block) => {
                for record in block.records().flatten() {
                    let kind = (record.provider, record.event_id, record.version);
                    if let Some(event) = lookup(&kind.0, kind.1, "", kind.2) {
                        if is_checked(&kind.0) {
                            kinds.insert(record.metadata_id, (kind, event.fields));
                        }
                    } else if kind.0.starts_with("Microsoft-Windows-DotNETRuntime") {
                        mismatches.insert(kind, "not in the table".to_owned());
                    }
                }
            }
            Item::Events(block) => {
                let mut events = block.events();
                while let Some(Ok(event)) = events.next() {
                    let Some((kind, fields)) = kinds.get(&event.metadata_id) else { continue };
                    checked += 1;
                    let shorter = &fields[..fields.len() - optional_fields(kind)];
                    let read = length(fields, event.payload, pointer_size)
                        .or_else(|| length(shorter, event.payload, pointer_size));
                    if read != Some(event.payload.len()) {
                        mismatches.insert(kind.clone(), format!("{} bytes, fields {read:?}", event.payload.len()));
                    }
                }
            }
            _ => {}
        }
        position += consumed;
    }
    checked
}

/// Returns whether the manifest is the only schema of a provider's events. Task events have one in the file.
fn is_checked(provider: &str) -> bool {
    !["System.Threading.Tasks.TplEventSource", "System.Diagnostics.Eventing.FrameworkEventSource"].contains(&provider)
}

/// Returns the number of fields at the end that some writers omit.
fn optional_fields(kind: &Kind) -> usize {
    if (kind.0.as_str(), kind.1) == ("Universal.System", 3) { 2 } else { 0 }
}

/// Returns the total size of the fields in bytes.
fn length(fields: &[Field], payload: &[u8], pointer_size: u8) -> Option<usize> {
    let mut position = 0;
    let mut starts = Vec::new();
    for field in fields {
        starts.push(position);
        let rest = payload.get(position..)?;
        position += match &field.field_type {
            FieldType::CountedArray { count_field, element } => {
                let counter = usize::from(*count_field);
                let start = *starts.get(counter)?;
                let width = fields.get(counter)?.field_type.fixed_bytes(pointer_size)?;
                let mut bytes = [0; 8];
                bytes[..width].copy_from_slice(payload.get(start..start + width)?);
                let mut inside = 0;
                for _ in 0..u64::from_le_bytes(bytes) {
                    inside += one(element, rest.get(inside..)?, pointer_size)?;
                }
                inside
            }
            single => one(single, rest, pointer_size)?,
        };
    }
    Some(position)
}

fn one(field_type: &FieldType, rest: &[u8], pointer_size: u8) -> Option<usize> {
    let length = match field_type {
        FieldType::Object(fields) => length(fields, rest, pointer_size)?,
        FieldType::Utf16String => rest.chunks_exact(2).position(|unit| unit == [0, 0])? * 2 + 2,
        FieldType::Utf8String => rest.iter().position(|&byte| byte == 0)? + 1,
        FieldType::VarUInt => rest.iter().position(|byte| byte & 0x80 == 0)? + 1,
        FieldType::CountedUtf8String => 2 + usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?])),
        fixed => fixed.fixed_bytes(pointer_size)?,
    };
    (length <= rest.len()).then_some(length)
}
