//! Tests that every byte of every recording has a meaning, and that costs add up.

use super::reference::{recording, recordings_with};
use crate::analysis::file::blocks::{costs, sections};
use crate::analysis::file::structure::{Wanted, file_structure, testing};
use crate::analysis::values::field_type_text::wire_type;
use nettrace::structure::{Part, Role, texts};
use nettrace::testing::check_parts;
use protocol::request::SectionFilter;
use protocol::tables::{NO_NUMBER, cost, section_kind};
use std::collections::BTreeMap;

/// Minimum size of recordings that are examined only with `--full`, because they take half a minute.
const LARGE_BYTES: usize = 1_500_000;

/// The structure of each section covers it, reading a leaf again gives its value, and the costs of the events of a type
/// add up to those of the type.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn every_recorded_byte_is_in_one_leaf_that_reads_back() {
    let mut compared = 0;
    for name in recordings_with(".summary.json") {
        let Some(recording) = recording(&name) else { continue };
        let (store, bytes) = (&recording.store, &recording.bytes);
        let is_large = bytes.len() > LARGE_BYTES && !name.ends_with("-v6.nettrace");
        if is_large && std::env::var_os("TRACEGLASS_FULL").is_none() {
            println!("SKIPPED {name}: it is large");
            continue;
        }
        let file_bytes = bytes.len() as u64;
        let (mut at, mut unknown, mut damaged, mut padding) = (0, 0, 0, 0);
        let mut by_type: BTreeMap<u32, u64> = BTreeMap::new();
        for section in store.blocks.sections(file_bytes) {
            assert_eq!(section.offset, at, "{name}: sections follow one another");
            at += section.bytes;
            let found = testing::everything(store, bytes, &section);
            check_parts(bytes, (section.offset, section.bytes), &found, store.header.pointer_size, &name);
            let sum = |role| -> u64 {
                let of_role = |part: &&Part| part.is_leaf() && part.term.role == role;
                found.parts.iter().filter(of_role).map(|part| part.bytes).sum()
            };
            unknown += sum(Role::Unknown);
            damaged += sum(Role::Damage);
            let mut last_type = None;
            for part in &found.parts {
                if let Some(event) = part.event.filter(|_| part.term.role == Role::Event) {
                    let described = (event.metadata_id != 0).then(|| testing::type_of_event(store, &section, &event));
                    last_type = described.map(|event_type| event_type.expect("a type").base.0);
                    if let Some(event_type) = last_type {
                        *by_type.entry(event_type).or_default() += part.bytes;
                    }
                } else if is_padding(part, "Uncompressed events") {
                    padding += part.bytes;
                    if let Some(event_type) = last_type {
                        *by_type.entry(event_type).or_default() -= part.bytes;
                    }
                } else if is_padding(part, "Alignment") {
                    padding += part.bytes;
                }
            }
        }
        assert_eq!(at, file_bytes, "{name}: all of the file");
        println!(
            "{name}: {file_bytes} bytes, {padding} of padding, {unknown} without a description, {damaged} damaged"
        );
        let costs = costs(store, file_bytes);
        assert_eq!(costs.shares()[4], ("Padding", padding), "{name}");
        for of in [&[cost::PIECES][..], &[cost::PROVIDER, cost::REST], &[cost::EVENT_TYPE, cost::REST]] {
            let rows = (0..costs.of.len()).filter(|row| of.contains(&costs.of[*row]));
            assert_eq!(rows.map(|row| costs.bytes[row]).sum::<u64>(), file_bytes, "{name}: {of:?}");
        }
        for row in (0..costs.of.len()).filter(|row| costs.of[*row] == cost::EVENT_TYPE) {
            let counted = by_type.remove(&costs.event_type[row]).unwrap_or(0);
            assert_eq!(costs.header_bytes[row] + costs.payload_bytes[row], counted, "{name}: {}", costs.event.get(row));
        }
        assert!(by_type.is_empty(), "{name}: {by_type:?}");
        compared += 1;
    }
    println!("compared {compared} recordings");
}

/// In words, page by page and item by item.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn structure_texts_match_parts() {
    for name in ["short-net10.nettrace", "cpu-v6-net10.nettrace", "eventpipe-dotnetcore2.0-linux-objver2.netperf"] {
        let Some(recording) = recording(name) else { continue };
        let (store, bytes) = (&recording.store, &recording.bytes);
        let table = sections(store, bytes.len() as u64, SectionFilter::default(), None, (0, u32::MAX));
        for row in 0..table.offset.len().min(40) {
            let offset = table.offset[row] + table.bytes[row] / 2;
            let wanted = Wanted { offset, item: None, first: 0, count: 500 };
            let outline = file_structure(store, bytes, wanted).expect("bytes").expect("a piece");
            assert_eq!(outline.section, [table.offset[row], table.bytes[row]]);
            assert_eq!(outline.kind, [table.kind[row]]);
            assert!(outline.total[0] > 0, "{name} {row}");
            let item = outline.item_there[0];
            if table.kind[row] != section_kind::EVENTS || item == NO_NUMBER {
                continue;
            }
            let wanted = Wanted { item: Some(item), ..wanted };
            let event = file_structure(store, bytes, wanted).expect("bytes").expect("a piece");
            assert!(event.offset[0] <= offset && offset < event.offset[0] + event.bytes[0], "{name} {row}");
            assert_eq!((event.item[0], event.depth[0]), (item, 0));
            assert!(event.value.get(0).contains('/'), "{name}: {}", event.value.get(0));
        }
    }
}

/// Names, IDs and fields of all metadata match an independent scanner.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn declared_types_have_documented_names() {
    let Some(recording) = recording("shapes-net10.nettrace") else { return };
    let types = &recording.store.types;
    let names = types.iter().flat_map(|one| &one.record.fields).map(|field| wire_type(&field.field_type));
    let names: std::collections::BTreeSet<String> = names.collect();
    for expected in ["Int32", "String", "Double", "Guid", "DateTime"] {
        assert!(names.contains(expected), "{expected}: {names:?}");
    }
}

/// Returns whether a part is the padding described in this section of the format documents.
fn is_padding(part: &Part, section: &str) -> bool {
    part.term.name == "Padding" && texts(part.term.number).0 == section
}
