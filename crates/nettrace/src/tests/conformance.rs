//! Tests rules of the reference reader, and differences between the format documents and real files.

use super::reading::{Seen, damages, events, read, records};
use crate::testing::{Event, Format, PayloadWriter, TraceBuilder};
use crate::{BlockKind, ErrorKind, Field, FieldType};

fn error_of(trace: &[u8]) -> ErrorKind {
    read(trace).unwrap_err().kind().clone()
}

#[test]
fn other_data_is_not_a_trace() {
    for data in [&b""[..], b"N", b"Nettrac", b"PK\x03\x04 and so on", b"\x14\0\0\0!FastSerialization.2"] {
        let kind = error_of(data);
        let cut = matches!(kind, ErrorKind::UnexpectedEof { .. });
        assert!(kind == ErrorKind::NotATrace || (cut && data == b"Nettrac"), "{data:?}: {kind:?}");
    }
}

#[test]
fn newer_major_version_is_rejected_but_minor_is_read() {
    let with_versions = |major, minor| {
        let mut header = Format::Nettrace6.header();
        (header.version, header.minor_version) = (major, minor);
        TraceBuilder::with_header(Format::Nettrace6, &header).finish()
    };
    assert_eq!(error_of(&with_versions(7, 0)), ErrorKind::UnsupportedVersion { found: 7, newest: 6 });
    assert!(matches!(error_of(&with_versions(5, 0)), ErrorKind::DamagedHeader(_)));
    let Ok([Seen::Header(header), _]) =
        read(&with_versions(6, 25)).as_deref().map(|seen| [seen[0].clone(), seen[1].clone()])
    else {
        panic!("refused")
    };
    assert_eq!((header.version, header.minor_version), (6, 25));
}

#[test]
fn header_pairs_keep_order_and_known_ones_are_read() {
    let mut header = Format::Nettrace6.header();
    header.pairs = vec![("CpuSpeedMHz".into(), "3000".into()), ("Ponies".into(), "LotsAndLots!".into())];
    let seen = read(&TraceBuilder::with_header(Format::Nettrace6, &header).finish()).unwrap();
    let Seen::Header(found) = &seen[0] else { panic!("no header") };
    assert_eq!(found.pairs[3..], header.pairs);
    assert_eq!((found.process_id, found.processor_count, found.expected_sampling_rate_nanos), (1, 4, 1_000_000));
}

#[test]
fn unknown_blocks_are_skipped() {
    for format in [Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        let mut builder = TraceBuilder::new(format);
        builder.block("Novelty", 99, &[1, 2, 3, 4, 5]).events(&[Event { metadata_id: 1, ..Event::default() }]);
        let seen = read(&builder.finish()).unwrap();
        let Seen::Unknown(block) = &seen[1] else { panic!("{format:?}: {seen:?}") };
        assert_eq!(block.info.kind, BlockKind::Unknown);
        assert_eq!((events(&seen).len(), damages(&seen).len()), (1, 0), "{format:?}");
    }
}

#[test]
fn longer_block_headers_are_skipped() {
    let event = [0x01, 0x07, 0x00];
    let mut content = PayloadWriter::new().u16(28).u16(1).bytes(&[0xEE; 24]).finish();
    content.extend_from_slice(&event);
    for format in [Format::Nettrace4, Format::Nettrace6] {
        let mut builder = TraceBuilder::new(format);
        builder.block("EventBlock", 2, &content);
        let found = events(&read(&builder.finish()).unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1.metadata_id, 7);
    }
}

#[test]
fn block_without_events_is_valid() {
    for format in [Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        let mut builder = TraceBuilder::new(format);
        builder.events(&[]);
        let seen = read(&builder.finish()).unwrap();
        assert!(matches!(&seen[1], Seen::Events(_, events, None) if events.is_empty()), "{format:?}");
    }
}

#[test]
fn sequence_number_grows_if_written_or_for_events() {
    // A real metadata event: flags C6, delta −1, so that the number stays 0; then an event that writes nothing.
    let mut content = PayloadWriter::new().u16(20).u16(1).i64(0).i64(0);
    content = content
        .u8(0xC6)
        .var_u64(0xFFFF_FFFF)
        .var_u64(0)
        .var_u64(0xFFFF_FFFF)
        .var_u64(9)
        .var_u64(50)
        .var_u64(1)
        .u8(0xAA);
    content = content.u8(0).var_u64(1).u8(0xBB);
    content = content.u8(1).var_u64(3).var_u64(1).u8(0xCC);
    content = content.u8(0).var_u64(u64::MAX).u8(0xDD);
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.block("EventBlock", 2, &content.finish());
    let found = events(&read(&builder.finish()).unwrap());
    let facts: Vec<_> = found.iter().map(|(_, event)| (event.metadata_id, event.sequence, event.timestamp)).collect();
    assert_eq!(facts, [(0, 0, 50), (0, 0, 51), (3, 1, 52), (3, 2, 51)]);
    assert_eq!(found[0].1.processor, u32::MAX);
    assert_eq!(found[3].1.payload, [0xDD]);
}

#[test]
fn uncompressed_event_may_have_padding() {
    let mut content = PayloadWriter::new().u16(20).u16(0).bytes(&[0; 16]);
    for id in [0x8000_0001, 2] {
        content = content.u32(76 + 1 + 3).u32(id).bytes(&[0; 68]).u32(1).u8(0xAB).bytes(&[0; 3]);
    }
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.block("EventBlock", 2, &content.finish());
    let found = events(&read(&builder.finish()).unwrap());
    let facts: Vec<_> =
        found.iter().map(|(_, event)| (event.metadata_id, event.is_sorted, event.payload.clone())).collect();
    assert_eq!(facts, [(1, false, vec![0xAB]), (2, true, vec![0xAB])], "the high bit means not sorted");
}

/// Returns a metadata block with this payload after the fixed part.
fn metadata_v4(rest: &[u8]) -> Vec<u8> {
    let fixed = PayloadWriter::new().u32(1).utf16("P").u32(2).utf16("E").u64(3).u32(1).u32(5);
    let payload = fixed.bytes(rest).finish();
    let block = PayloadWriter::new().u16(20).u16(1).bytes(&[0; 16]).u8(0x80).u8(0).var_u64(payload.len() as u64);
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.block("MetadataBlock", 3, &block.bytes(&payload).finish());
    builder.finish()
}

#[test]
fn slack_in_tags_and_fields_is_skipped() {
    let field = |name: &str, code: u32, slack: usize| {
        let content = PayloadWriter::new().utf16(name).u32(code).bytes(&vec![0xEE; slack]).finish();
        PayloadWriter::new().u32(content.len() as u32 + 4).bytes(&content).finish()
    };
    let fields =
        PayloadWriter::new().u32(2).bytes(&field("a", 9, 8)).bytes(&field("b", 7, 1)).bytes(&[0xEE; 4]).finish();
    let rest = PayloadWriter::new()
        .u32(0)
        .u32(8)
        .u8(1)
        .u8(24)
        .bytes(&[0xEE; 7])
        .u32(8)
        .u8(3)
        .bytes(&[0xEE; 8])
        .u32(fields.len() as u32)
        .u8(2)
        .bytes(&fields);
    let found = records(&read(&metadata_v4(&rest.finish())).unwrap());
    assert_eq!(found[0].fields, [Field::new("a", FieldType::Int32), Field::new("b", FieldType::Int16)]);
    assert_eq!((found[0].opcode, found[0].partial.clone()), (Some(24), None));
}

#[test]
fn metadata_without_fields_is_read() {
    let found = records(&read(&metadata_v4(&[])).unwrap());
    assert_eq!((found[0].name.as_str(), found[0].fields.len(), found[0].partial.clone()), ("E", 0, None));
}

#[test]
fn unreadable_fields_keep_rest_of_record() {
    let unknown_type = PayloadWriter::new().u32(2).u32(9).utf16("a").u32(77).utf16("b").finish();
    let absurd_count = PayloadWriter::new().u32(u32::MAX).finish();
    let bottomless = PayloadWriter::new().bytes(&[1, 0, 0, 0].repeat(20_000)).finish();
    for (rest, fields, kind) in [
        (unknown_type, 1, ErrorKind::UnknownFieldType(77)),
        (absurd_count, 0, ErrorKind::OutOfBounds("field list")),
        (bottomless, 0, ErrorKind::LimitExceeded("levels of nested fields")),
    ] {
        let found = records(&read(&metadata_v4(&rest)).unwrap());
        assert_eq!((found[0].name.as_str(), found[0].fields.len()), ("E", fields));
        assert_eq!(found[0].partial.as_ref().map(|error| error.kind().clone()), Some(kind));
    }
}

#[test]
fn slack_in_version_6_metadata_is_skipped() {
    let field = PayloadWriter::new().short_utf8("a").u8(9).bytes(&[0xEE; 4]).finish();
    let optional = PayloadWriter::new().u8(5).short_utf8("Food!").finish();
    let row = PayloadWriter::new()
        .var_u64(1)
        .short_utf8("P")
        .var_u64(0)
        .short_utf8("E")
        .u16(1)
        .u16(field.len() as u16)
        .bytes(&field)
        .u16(optional.len() as u16)
        .bytes(&optional)
        .bytes(&[0xEE; 4])
        .finish();
    let rows = PayloadWriter::new().u16(17).bytes(&[0xEE; 17]);
    let rows = rows.u16(row.len() as u16).bytes(&row).u16(row.len() as u16).bytes(&row).finish();
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    builder.block("", 3, &rows);
    let found = records(&read(&builder.finish()).unwrap());
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].fields, [Field::new("a", FieldType::Int32)]);
    assert_eq!(found[1].description.as_deref(), Some("Food!"));
}

#[test]
fn version_6_referenced_elements_have_fixed_size() {
    let field = PayloadWriter::new().short_utf8("a").u8(24).u8(19).u8(23).finish();
    let row = PayloadWriter::new().var_u64(1).short_utf8("P").var_u64(0).short_utf8("E").u16(1).u16(field.len() as u16);
    let row = row.bytes(&field).u16(0).finish();
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    builder.block("", 3, &PayloadWriter::new().u16(0).u16(row.len() as u16).bytes(&row).finish());
    let found = records(&read(&builder.finish()).unwrap());
    assert!(found[0].partial.is_some() && found[0].fields.is_empty());
}

#[test]
fn bytes_after_end_of_stream_are_ignored() {
    for format in Format::ALL {
        let mut trace = TraceBuilder::new(format).finish();
        let length = trace.len() as u64;
        trace.extend_from_slice(&[0; 3]);
        let seen = read(&trace).unwrap();
        let Some(Seen::EndOfStream(info)) = seen.last() else { panic!("{format:?}: {seen:?}") };
        assert_eq!(info.offset + info.bytes, length);
    }
}
