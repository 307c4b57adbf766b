//! Tests that the structure of every section covers each byte exactly once.

use super::sample::{self, XorShift};
use crate::structure::{Part, PartValue, Role, Section, SectionKind, Structure, StructureQuery, Window, structure};
use crate::testing::{Event, Format, TraceBuilder, check_parts};
use crate::{Field, FieldType, Header, Item, MetadataRecord, Parser, Step, Value, decode};

/// Sections of a trace.
enum Kind {
    Header,
    Block,
    Damage(crate::Error),
    AfterEnd,
}

/// Offset, bytes and term.
type TraceSection = (u64, u64, Kind);

/// Reads a trace as usual: its header, and its sections with their bytes.
fn sections(trace: &[u8]) -> Option<(Header, Vec<TraceSection>)> {
    let (mut parser, mut header, mut found) = (Parser::new(), None, Vec::new());
    loop {
        let start = parser.offset();
        let Step::Parsed { consumed, item } = parser.parse(&trace[start as usize..], true).ok()? else { break };
        let kind = match item {
            Item::Header(read) => {
                header = Some(read);
                Kind::Header
            }
            Item::Damage(damage) => Kind::Damage(damage.error),
            _ => Kind::Block,
        };
        if consumed > 0 {
            found.push((start, consumed as u64, kind));
        }
    }
    let end = parser.offset();
    if end < trace.len() as u64 {
        found.push((end, trace.len() as u64 - end, Kind::AfterEnd));
    }
    Some((header?, found))
}

fn structure_of(trace: &[u8], header: &Header, section: &TraceSection, window: Window) -> Structure {
    let &(offset, bytes, ref kind) = section;
    let end = ((offset + bytes) as usize + 16_384).min(trace.len());
    let kind = match kind {
        Kind::Header => SectionKind::Header,
        Kind::Block => SectionKind::Block(header),
        Kind::Damage(error) => SectionKind::Damage(Some(error)),
        Kind::AfterEnd => SectionKind::AfterEnd,
    };
    let section = Section { kind, offset, bytes, data: &trace[offset as usize..end], eof: end == trace.len() };
    let fields = sample::records()[0].fields.clone();
    structure(&section, &StructureQuery { window, parts: 0..u64::MAX, offset }, &|_| Some(fields.as_slice()))
}

/// Checks all sections of a trace, each completely and item by item. Returns all leaves.
fn check_trace(trace: &[u8], what: &str) -> Vec<Part> {
    let Some((header, sections)) = sections(trace) else { return Vec::new() };
    let mut leaves = Vec::new();
    let mut at = 0;
    for section in &sections {
        let (offset, bytes, _) = *section;
        assert_eq!(offset, at, "{what}");
        at += bytes;
        let whole = structure_of(trace, &header, section, Window::Everything);
        check_parts(trace, (offset, bytes), &whole, 8, what);
        let outline = structure_of(trace, &header, section, Window::Outline);
        assert_eq!((outline.items, outline.parts.len() as u64), (whole.items, outline.total), "{what}");
        let mut parts = Vec::new();
        for part in &outline.parts {
            match part.item {
                None => parts.push(part.clone()),
                Some(item) => {
                    let mut of_item = structure_of(trace, &header, section, Window::Item(item)).parts;
                    assert_eq!((of_item[0].offset, of_item[0].bytes), (part.offset, part.bytes), "{what}");
                    of_item.iter_mut().for_each(|inner| inner.depth += part.depth);
                    parts.extend(of_item);
                }
            }
        }
        assert_eq!(parts, whole.parts, "{what}: item by item as at once");
        leaves.extend(whole.parts.into_iter().filter(Part::is_leaf));
    }
    assert_eq!(at, trace.len() as u64, "{what}: all of the trace");
    leaves
}

#[test]
fn every_byte_of_every_format_has_a_part() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let leaves = check_trace(&trace, &format!("{format:?}, compressed: {compressed}"));
        let unexplained: Vec<_> = leaves
            .iter()
            .filter(|part| part.bytes > 0 && matches!(part.term.role, Role::Unknown | Role::Damage))
            .collect();
        assert!(unexplained.is_empty(), "{format:?}: {unexplained:?}");
        let texts = |name: &str| leaves.iter().filter(|part| part.term.name == name).count();
        assert!(texts("MetadataId") + texts("MetaDataId") >= 8, "{format:?}");
        let names: Vec<_> = leaves.iter().filter(|part| part.field == "name").map(|part| &part.reading).collect();
        assert!(
            names.contains(&&PartValue::Field(FieldType::Utf16String, Value::String("käse".to_owned()))),
            "{format:?}: {names:?}"
        );
    }
}

#[test]
fn inherited_header_values_are_reported() {
    let mut trace = TraceBuilder::new(Format::Nettrace4);
    let event = |timestamp, sequence| Event {
        metadata_id: 9,
        thread: 77,
        capture_thread: 77,
        sequence,
        timestamp,
        ..Event::default()
    };
    trace.events(&[event(1000, 1), event(1005, 2)]);
    let leaves = check_trace(&trace.finish(), "two events");
    let of = |name: &str| leaves.iter().rfind(|part| part.term.name == name).expect(name);
    assert_eq!((of("ThreadId").bytes, &of("ThreadId").reading), (0, &PartValue::Inherited(77)));
    assert_eq!((of("TimeStamp").reading.clone(), of("TimeStamp").result), (PartValue::Varint(5), Some(1005)));
    assert_eq!(of("SequenceNumber").reading, PartValue::Inherited(2));
}

#[test]
fn damaged_traces_are_covered_by_parts() {
    let mut random = XorShift(0x5EED_0007);
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        for round in 0..300 {
            let mut damaged = trace.clone();
            match round % 3 {
                0 => {
                    let place = random.below(trace.len());
                    damaged[place] ^= 1 << random.below(8);
                }
                1 => damaged.truncate(random.below(trace.len())),
                _ => {
                    let start = random.below(trace.len());
                    let end = (start + random.below(60)).min(trace.len());
                    damaged[start..end].fill(0xEE);
                }
            }
            check_trace(&damaged, &format!("{format:?}, compressed: {compressed}, round {round}"));
        }
    }
}

#[test]
fn any_payload_is_covered_by_parts() {
    let mut random = XorShift(0x5EED_0009);
    let text = || Box::new(FieldType::Char16);
    let layouts = [
        vec![FieldType::Array(Box::new(FieldType::Int32)), FieldType::Utf16String],
        vec![FieldType::Array(text()), FieldType::Array(Box::new(FieldType::UInt8)), FieldType::UInt16],
        vec![FieldType::DataLoc(text()), FieldType::RelLoc(Box::new(FieldType::UInt8)), FieldType::VarInt],
        vec![FieldType::Array(Box::new(FieldType::Object(vec![
            Field::new("key", FieldType::Utf16String),
            Field::new("value", FieldType::VarUInt),
        ])))],
        vec![
            FieldType::FixedLengthArray(Box::new(FieldType::Guid), 2),
            FieldType::Decimal,
            FieldType::CountedUtf8String,
        ],
        vec![FieldType::UInt8, FieldType::CountedArray { count_field: 0, element: Box::new(FieldType::UInt16) }],
        vec![FieldType::Object(vec![Field::new("inner", FieldType::DataLoc(text()))]), FieldType::Pointer],
    ];
    for field_types in layouts {
        let fields: Vec<Field> =
            field_types.into_iter().enumerate().map(|(at, one)| Field::new(format!("f{at}"), one)).collect();
        for _ in 0..400 {
            let small = random.below(2) == 0;
            let payload: Vec<u8> =
                (0..random.below(60)).map(|_| random.below(if small { 4 } else { 256 }) as u8).collect();
            let mut trace = TraceBuilder::new(Format::Nettrace4);
            trace.events(&[Event { metadata_id: 1, payload: payload.clone(), ..Event::default() }]);
            let trace = trace.finish();
            let (header, sections) = sections(&trace).expect("a trace");
            let (offset, bytes, _) = sections[1];
            let (data, eof) = (&trace[offset as usize..], true);
            let section = Section { kind: SectionKind::Block(&header), offset, bytes, data, eof };
            let query = StructureQuery { window: Window::Everything, parts: 0..u64::MAX, offset };
            let found = structure(&section, &query, &|_| Some(fields.as_slice()));
            check_parts(&trace, (offset, bytes), &found, 8, &format!("{fields:?} {payload:?}"));
            let values = decode(&fields, &payload, 8);
            for (field, value) in fields.iter().zip(values) {
                let reported = found.parts.iter().rfind(|part| part.field == field.name && part.is_leaf());
                if let Some(PartValue::Field(_, reported)) = reported.map(|part| &part.reading) {
                    assert_eq!(format!("{reported:?}"), format!("{value:?}"), "{fields:?} {payload:?}");
                }
            }
        }
    }
}

#[test]
fn structure_page_has_parts_with_its_indices() {
    let trace = sample::trace(Format::Nettrace4, true);
    let (header, sections) = sections(&trace).expect("a trace");
    for (offset, bytes, kind) in &sections {
        let Kind::Block = kind else { continue };
        let section = |window, parts| {
            let data = &trace[*offset as usize..(offset + bytes) as usize];
            let section =
                Section { kind: SectionKind::Block(&header), offset: *offset, bytes: *bytes, data, eof: true };
            structure(&section, &StructureQuery { window, parts, offset: offset + bytes - 3 }, &|_| None)
        };
        let whole = section(Window::Everything, 0..u64::MAX);
        let mut paged = Vec::new();
        for first in (0..whole.total).step_by(3) {
            let page = section(Window::Everything, first..first + 3);
            assert_eq!((page.total, page.items, page.item_at_offset), (whole.total, whole.items, whole.item_at_offset));
            paged.extend(page.parts);
        }
        assert_eq!(paged, whole.parts);
    }
}

#[test]
fn payload_without_schema_has_unknown_bytes() {
    let mut trace = TraceBuilder::new(Format::Nettrace6);
    let record = MetadataRecord { metadata_id: 5, provider: "Shop".into(), event_id: 1, ..Default::default() };
    trace.metadata(&[record]);
    trace.events(&[Event { metadata_id: 5, payload: vec![1, 2, 3], ..Event::default() }]);
    let trace = trace.finish();
    let (header, sections) = sections(&trace).expect("a trace");
    let (offset, bytes, _) = sections[2];
    let kind = SectionKind::Block(&header);
    let section = Section { kind, offset, bytes, data: &trace[offset as usize..], eof: true };
    let query = StructureQuery { window: Window::Everything, parts: 0..u64::MAX, offset };
    let found = structure(&section, &query, &|_| None);
    check_parts(&trace, (offset, bytes), &found, 8, "no fields");
    let unknown: Vec<_> = found.parts.iter().filter(|part| part.term.role == Role::Unknown).collect();
    assert!(matches!(unknown[..], [Part { bytes: 3, .. }]), "{unknown:?}");
}
