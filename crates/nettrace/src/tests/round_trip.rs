//! Tests that reading returns what was written.

use super::reading::{self, Seen, read};
use super::sample;
use crate::testing::{Event, Format, TraceBuilder};
use crate::{Field, FieldType, Guid, MetadataRecord};

/// Returns the metadata IDs of the sample's records: in netperf 1 and 2, the offsets of the records in the file.
fn file_offsets(format: Format, records: &[MetadataRecord]) -> Vec<(u32, u32)> {
    match format {
        Format::Netperf1 | Format::Netperf2 => (1..).zip(records.iter().map(|record| record.metadata_id)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn events_round_trip() {
    for (format, compressed) in sample::variants() {
        let seen = read(&sample::trace(format, compressed)).unwrap();
        let offsets = file_offsets(format, &reading::records(&seen));
        let expected: Vec<_> = sample::events().iter().map(|event| sample::as_in(format, event, &offsets)).collect();
        let found: Vec<_> = reading::events(&seen).into_iter().map(|(_, event)| event).collect();
        assert_eq!(found, expected, "{format:?}, compressed: {compressed}");
    }
}

#[test]
fn complete_trace_has_no_unassigned_bytes() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let seen = read(&trace).unwrap();
        let Some(Seen::Header(header)) = seen.first() else { panic!("no header in {format:?}") };
        let mut expected = format.header();
        expected.pairs.clone_from(&header.pairs);
        assert_eq!(*header, expected);
        let Some(Seen::EndOfStream(end)) = seen.last() else { panic!("no end in {format:?}") };
        assert_eq!(end.offset + end.bytes, trace.len() as u64);
        assert_eq!(reading::damages(&seen), [], "{format:?}");
    }
}

#[test]
fn metadata_round_trips() {
    for format in Format::ALL {
        let found = reading::records(&read(&sample::trace(format, true)).unwrap());
        let expected = sample::records().into_iter().zip(&found).map(|(record, found)| {
            let v1 = format == Format::Netperf1;
            let unframed = v1 || format == Format::Netperf2;
            MetadataRecord {
                metadata_id: if unframed { found.metadata_id } else { record.metadata_id },
                provider: if v1 { String::new() } else { record.provider.clone() },
                provider_guid: v1.then_some(Guid::ZERO),
                offset: found.offset,
                ..record
            }
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{format:?}");
        assert_ne!(found[0].offset, found[1].offset);
    }
}

#[test]
fn arrays_nested_objects_and_opcodes_need_version_5_tags() {
    let nested = FieldType::Object(vec![
        Field::new("on", FieldType::Boolean8),
        Field::new("inner", FieldType::Object(vec![Field::new("ids", FieldType::Array(Box::new(FieldType::Guid)))])),
    ]);
    let record = MetadataRecord {
        metadata_id: 5,
        opcode: Some(24),
        fields: vec![
            Field::new("texts", FieldType::Array(Box::new(FieldType::Array(Box::new(FieldType::Char16))))),
            Field::new("", nested),
            Field::new("on", FieldType::Boolean32),
            Field::new("amount", FieldType::Decimal),
        ],
        has_v5_tags: true,
        has_second_list: true,
        ..MetadataRecord::default()
    };
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.metadata(std::slice::from_ref(&record));
    let found = reading::records(&read(&builder.finish()).unwrap());
    assert_eq!(found, [MetadataRecord { offset: found[0].offset, ..record }]);
}

#[test]
fn version_6_metadata_round_trips_all_types_and_optional_parts() {
    let boxed = |field_type: FieldType| Box::new(field_type);
    let types = [
        FieldType::VarInt,
        FieldType::VarUInt,
        FieldType::FixedLengthArray(boxed(FieldType::Array(boxed(FieldType::Char16))), 2),
        FieldType::RelLoc(boxed(FieldType::Utf8CodeUnit)),
        FieldType::DataLoc(boxed(FieldType::Object(vec![Field::new("x", FieldType::Int16)]))),
        FieldType::Array(boxed(FieldType::Boolean8)),
        FieldType::Object(vec![Field::new("still four bytes", FieldType::Boolean32)]),
    ];
    let record = MetadataRecord {
        metadata_id: 300,
        provider: "Universal.Events".into(),
        provider_guid: Some(Guid([7; 16])),
        event_id: 70_000,
        version: 22,
        name: "cpu".into(),
        level: 4,
        keywords: 0x00FF_00FF_00FF_00FF,
        opcode: Some(20),
        fields: types.into_iter().map(|field_type| Field::new("field", field_type)).collect(),
        message_template: Some("{field}".into()),
        description: Some("A sample".into()),
        attributes: vec![("Animal".into(), "Pony".into()), ("Colour".into(), "Red".into())],
        ..MetadataRecord::default()
    };
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    builder.metadata(&[record.clone(), sample::records().remove(0)]);
    let found = reading::records(&read(&builder.finish()).unwrap());
    assert_eq!(found[0], MetadataRecord { offset: found[0].offset, ..record });
    assert_eq!(found[1].name, "OrderStart");
}

#[test]
fn stacks_sequence_points_threads_and_labels_round_trip() {
    let seen = read(&sample::trace(Format::Nettrace6, true)).unwrap();
    let address = |address: u64| address.to_le_bytes();
    let expected_stacks = vec![Ok((1, [address(0x1000), address(0x2000)].concat())), Ok((2, Vec::new()))];
    for item in &seen {
        match item {
            Seen::Stacks(_, stacks) => assert_eq!(*stacks, expected_stacks),
            Seen::SequencePoint(point) => {
                assert_eq!((point.timestamp, point.flags), (3_000_000, 0));
                assert_eq!(point.threads, [(17, 4), (0x1_0000_0002, 104)]);
            }
            Seen::Threads(_, rows) => assert_eq!(*rows, sample::threads().into_iter().map(Ok).collect::<Vec<_>>()),
            Seen::RemovedThreads(removed) => assert_eq!(removed.threads, [(17, 4)]),
            Seen::Labels(_, lists) => assert_eq!(*lists, (1..).zip(sample::labels()).map(Ok).collect::<Vec<_>>()),
            _ => {}
        }
    }
    assert_eq!(seen.len(), 10);
}

#[test]
fn sequence_numbers_and_times_wrap() {
    let event = |sequence, timestamp| Event { metadata_id: 1, sequence, timestamp, ..Event::default() };
    let events = [event(u32::MAX, i64::MIN), event(0, i64::MAX), event(1, -5), event(1, -6)];
    for format in [Format::Nettrace4, Format::Nettrace6] {
        let mut builder = TraceBuilder::new(format);
        builder.events(&events);
        let found: Vec<_> =
            reading::events(&read(&builder.finish()).unwrap()).into_iter().map(|(_, event)| event).collect();
        assert_eq!(found, events, "{format:?}");
    }
}

#[test]
fn netperf_1_provider_is_a_guid() {
    let guid = Guid([3; 16]);
    let record = MetadataRecord { event_id: 80, version: 1, provider_guid: Some(guid), ..MetadataRecord::default() };
    let mut builder = TraceBuilder::new(Format::Netperf1);
    builder.metadata(&[record]);
    let found = reading::records(&read(&builder.finish()).unwrap());
    assert_eq!((found[0].provider_guid, found[0].event_id, found[0].version), (Some(guid), 80, 1));
    assert_eq!(found[0].name, "");
}
