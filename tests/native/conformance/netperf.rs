//! Versions 1 to 3: S98 to S123, and the reference reader's tests of their records (R2).

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, Guid, MetadataRecord};

const NETPERF: [Format; 3] = [Format::Netperf1, Format::Netperf2, Format::Netperf3];

/// Returns a record of version 3 with these sizes, which may be wrong.
fn raw_record(event_size: i32, payload_size: i32, payload: &[u8], stack_size: i32, stack: &[u8]) -> Vec<u8> {
    let head = PayloadWriter::new().i32(event_size).u32(1).u32(7).i64(1_000_010).bytes(&[1; 16]).bytes(&[2; 16]);
    head.i32(payload_size).bytes(payload).i32(stack_size).bytes(stack).finish()
}

/// Returns a trace of version 3 with a block with this record, and another block with an event.
fn with_record(record: &[u8]) -> Vec<u8> {
    trace(Format::Netperf3, |builder| {
        builder.block("EventBlock", 0, record).events(&[event(1, 0, 1_000_020)]);
    })
}

/// S98, S101, S102, S103, R2.1: sizes of a record, its parts in order, its payload and stack without padding before it.
#[test]
fn record_has_header_payload_and_stack() {
    let stack = [0x11, 0, 0, 0, 0, 0, 0, 0];
    let record = raw_record(56 - 4 + 3 + 4 + 8 + 1, 3, &[7, 8, 9], 8, &stack);
    let found = events(&with_record(&[&record[..], &[0]].concat()));
    let first = &found[0];
    assert_eq!((first.metadata_id, first.thread, first.timestamp), (1, 7, 1_000_010));
    assert_eq!((first.activity_id, first.related_activity_id), (Guid([1; 16]), Guid([2; 16])));
    assert_eq!((&first.payload[..], &first.stack[..]), (&[7, 8, 9][..], &[0x11][..]));
    assert_eq!(found.len(), 2);
}

/// R2.2, R2.3, R2.4, R2.7: invalid sizes are damage of their block only.
#[test]
fn invalid_record_sizes_are_damage() {
    let stack = [0; 8];
    for (name, record) in [
        ("the stack lies behind the record", raw_record(56 - 4 + 4 + 4, 4, &[0; 4], 8, &stack)),
        ("a negative payload", raw_record(56 - 4 + 4 + 4, -1, &[0; 4], 0, &[])),
        ("a negative stack", raw_record(56 - 4 + 4 + 4, 4, &[0; 4], -1, &[])),
        ("a record that overflows", raw_record(i32::MAX, 4, &[0; 4], 0, &[])),
    ] {
        let bytes = with_record(&record);
        let times: Vec<_> = events(&bytes).iter().map(|event| event.timestamp).collect();
        assert_eq!(times, [1_000_020], "{name}");
        assert!(open(&bytes).says("at the end of an event block"), "{name}: {:?}", open(&bytes).messages());
    }
}

/// R2.5, R2.6: stacks may be larger than the reference reader's own limit.
#[test]
fn large_stacks_are_read() {
    for bytes in [65_527usize, 65_528, 80_000] {
        let stack = vec![1; bytes];
        let record = raw_record((56 - 4 + 4 + bytes) as i32, 0, &[], bytes as i32, &stack);
        assert_eq!(events(&with_record(&record)).len(), 2, "{bytes}");
    }
}

/// S99, S100, S117, S118, S123: metadata is between events and isn't one; there are no sequence numbers, so losses are
/// unknown.
#[test]
fn metadata_between_events_is_read() {
    for format in NETPERF {
        let mut opened = open(&trace(format, |builder| {
            builder.events(&[event(1, 0, 1_000_001)]).metadata(&[record(2, "Refund")]);
            builder.events(&[event(2, 0, 1_000_002), event(1, 0, 1_000_003)]);
        }));
        assert!(opened.is_clean(), "{format:?}: {:?}", opened.messages());
        let details = opened.details();
        assert_eq!(details.iter().map(|detail| detail.time).collect::<Vec<_>>(), [1_000_000, 2_000_000, 3_000_000]);
        assert_eq!(opened.summary().lost, None, "{format:?}: cannot be known");
        for name in ["Sequence number", "CPU", "Capture thread"] {
            assert_eq!(fact(&details[0], name), "not recorded in this version", "{format:?}");
        }
    }
}

/// S105, S117: records of version 3 are padded to four bytes after the stack, earlier ones aren't.
#[test]
fn version_3_records_are_padded_after_stack() {
    for format in NETPERF {
        for size in 0..9u8 {
            let all = [Event { payload: vec![1; usize::from(size)], ..event(1, 0, 1) }, event(1, 0, 2)];
            let found = events(&trace(format, |builder| {
                builder.events(&all);
            }));
            assert_eq!(
                found.iter().map(|event| event.payload.len()).collect::<Vec<_>>(),
                [usize::from(size), 0],
                "{format:?}"
            );
        }
    }
}

/// S106, S107: metadata of all three versions; version 1 has GUIDs of providers.
#[test]
fn metadata_of_every_version_is_read() {
    let inner = FieldType::Object(vec![Field::new("on", FieldType::Boolean8)]);
    let fields = vec![Field::new("id", FieldType::Int32), Field::new("", inner)];
    let written = MetadataRecord {
        fields,
        keywords: 0xF0,
        event_id: 7,
        provider_guid: Some(Guid([3; 16])),
        ..record(1, "Order")
    };
    for format in NETPERF {
        let mut builder = TraceBuilder::new(format);
        builder.metadata(std::slice::from_ref(&written));
        let found = records(&builder.finish()).remove(0);
        assert_eq!((found.event_id, found.version, found.level, found.keywords), (7, 1, 4, 0xF0), "{format:?}");
        assert_eq!((found.name.as_str(), &found.fields), ("Order", &written.fields));
        match format {
            Format::Netperf1 => assert_eq!((found.provider.as_str(), found.provider_guid), ("", Some(Guid([3; 16])))),
            _ => assert_eq!((found.provider.as_str(), found.provider_guid), ("Shop", None)),
        }
    }
}

/// R1.4, R1.5: versions 1 and 2 are read, although the reference reader rejects them.
#[test]
fn versions_1_and_2_are_read() {
    for (format, version) in [(Format::Netperf1, 1), (Format::Netperf2, 2)] {
        let mut opened = open(&trace(format, |builder| {
            builder.events(&[Event { stack: vec![0x1000, 0x2000], ..event(1, 0, 1_000_001) }]);
        }));
        assert_eq!(opened.summary().format, format!("netperf {version}"));
        assert_eq!(opened.detail(0).frames.len(), 2);
        assert!(!opened.detail(0).provider.is_empty());
    }
}

/// S110, S111, S116: the header of each version; versions 1 and 2 contain neither process nor pointer size.
#[test]
fn headers_of_every_version_are_read() {
    for format in NETPERF {
        let written = format.header();
        let found = header(&trace(format, |_| {})).unwrap();
        assert_eq!(found, written, "{format:?}");
        assert_eq!(found.process_id, u32::from(format == Format::Netperf3));
    }
}

/// S95, S119, S122: data after the last event (a label and a table) isn't needed.
#[test]
fn trailing_table_is_not_needed() {
    for format in NETPERF {
        let bytes = trace(format, |builder| {
            builder.events(&[event(1, 0, 1_000_001), event(1, 0, 1_000_002)]);
        });
        let cut = &bytes[..bytes.len() - if format == Format::Netperf3 { 1 } else { 17 }];
        assert_eq!(events(cut), events(&bytes), "{format:?}");
        assert!(open(cut).says("No end-of-stream marker"), "{format:?}");
        assert!(open(&bytes).is_clean());
    }
}

/// S114, S115: objects of netperf begin with another tag than those of nettrace.
#[test]
fn netperf_objects_have_own_tag() {
    let mut start = 0;
    let mut bytes = trace(Format::Netperf3, |builder| {
        start = builder.bytes().len();
        builder.events(&[event(1, 0, 1)]).events(&[event(1, 0, 2)]);
    });
    assert_eq!(bytes[start..start + 3], [4, 4, 1]);
    bytes[start..start + 2].copy_from_slice(&[5, 5]);
    assert_eq!(events(&bytes).len(), 1);
    assert_eq!(damages(&bytes).len(), 1);
}
