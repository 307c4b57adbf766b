//! Container of version 6: S131 to S155, S211.

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{ErrorKind, Field, FieldType, Header};
use protocol::topics::topic::Topic;

fn v6(write: impl FnOnce(&mut TraceBuilder)) -> Vec<u8> {
    trace(Format::Nettrace6, |builder| {
        builder.threads(&[thread(7)]);
        write(builder);
    })
}

/// S131, S132: a trace without .NET events is read, and an event refers to all five tables.
#[test]
fn trace_without_dotnet_events_is_read() {
    let mut opened = open(&v6(|builder| {
        let labels = nettrace::LabelList { span_id: Some(9), ..Default::default() };
        builder.stacks(1, &[&[0x1000]]).labels(1, &[labels]);
        builder.events(&[Event { stack_id: 1, label_list: 1, ..event(1, 1, 10) }]);
    }));
    assert!(opened.is_clean(), "{:?}", opened.messages());
    let detail = opened.detail(0);
    assert_eq!((detail.provider.as_str(), detail.os_thread, detail.frames.len()), ("Shop", 7, 1));
    assert_eq!(fact(&detail, "Span ID"), "0000000000000009");
    assert!(!opened.has_topic(Topic::Gc), "which the page says where it would show GCs");
}

/// S133, S219, R1.44, R1.46: an event of a thread that isn't defined (not yet or no longer) is kept and reported.
#[test]
fn events_of_undefined_threads_are_kept() {
    let opened = open(&v6(|builder| {
        let on = |thread, sequence| Event { thread, capture_thread: 7, ..event(1, sequence, i64::from(sequence)) };
        builder.events(&[on(12, 1), on(7, 2)]).removed_threads(&[(7, 2)]);
        builder.events(&[Event { thread: 7, capture_thread: 8, ..event(1, 1, 3) }]);
    }));
    assert_eq!(opened.store().events.len(), 3);
    assert!(opened.says("undefined thread index 12"), "{:?}", opened.messages());
    assert!(opened.says("undefined thread index 7"), "{:?}", opened.messages());
}

/// S136: signed numbers are zig-zag encoded, from minimum to maximum.
#[test]
fn signed_numbers_have_full_range() {
    use nettrace::{Value, decode};
    let fields: Vec<_> = (0..4).map(|index| Field::new(index.to_string(), FieldType::VarInt)).collect();
    let payload = PayloadWriter::new().u8(1).var_i64(i64::MIN).var_i64(i64::MAX).u8(0).finish();
    let values = decode(&fields, &payload, 8);
    assert_eq!(values, [Value::Int(-1, 64), Value::Int(i64::MIN, 64), Value::Int(i64::MAX, 64), Value::Int(0, 64)]);
}

/// S138, S139: text is UTF-8 with a length, and invalid bytes become replacement characters; GUIDs have mixed byte
/// order.
#[test]
fn text_decodes_as_utf8() {
    let row = PayloadWriter::new().var_u64(1).var_u64(5).bytes(b"K\xC3\xA4s\xFF").var_u64(0).short_utf8("Ö").u16(0);
    let row = row
        .u16(17)
        .u8(7)
        .bytes(&[0x23, 0x0D, 0x3C, 0xE1, 0xBC, 0xCC, 0x12, 0x4E, 0x93, 0x1B, 0xD9, 0xCC, 0x2E, 0xEE, 0x27, 0xE4])
        .finish();
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    builder.block("", 3, &PayloadWriter::new().u16(0).u16(row.len() as u16).bytes(&row).finish());
    let found = records(&builder.finish()).remove(0);
    assert_eq!((found.provider.as_str(), found.name.as_str()), ("Käs\u{FFFD}", "Ö"));
    assert_eq!(found.provider_guid.unwrap().to_string(), "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
}

/// S140, S142, S143, R1.20, R1.21, R1.22: any minor version is read; a newer major version is rejected, and named.
#[test]
fn newer_major_version_is_rejected_but_minor_is_read() {
    let with = |version, minor_version| {
        TraceBuilder::with_header(Format::Nettrace6, &Header { version, minor_version, ..Format::Nettrace6.header() })
            .finish()
    };
    let opened = open(&with(6, 25));
    assert!(opened.is_clean() && opened.summary().format.starts_with("nettrace 6.25"), "{}", opened.summary().format);
    let mut newer =
        TraceBuilder::with_header(Format::Nettrace6, &Header { minor_version: 25, ..Format::Nettrace6.header() });
    newer.threads(&[thread(7)]).block("", 99, &[1; 5]).events(&[event(1, 1, 10)]);
    newer.block("", 98, &[1; 9]).events(&[event(1, 2, 11)]);
    let said = open(&newer.finish()).header().fact("Format").expect("a format").meaning.clone();
    assert!(said.contains("newer than this version of Traceglass: skipped 2 unknown blocks"), "{said}");
    let error = header(&with(7, 0)).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::UnsupportedVersion { found: 7, newest: 6 });
    assert!(error.to_string().starts_with("Unsupported format version 7; the newest supported version is 6"));
}

/// S144, S145: sizes have 24 bits, and blocks aren't aligned.
#[test]
fn blocks_may_have_16_megabytes() {
    let payload = vec![0xAB; (1 << 24) - 200];
    let bytes = v6(|builder| {
        builder.block("", 99, &[1]).events(&[Event { payload: payload.clone(), ..event(1, 1, 10) }]);
        builder.block("", 99, &[1, 2]).events(&[event(1, 2, 11)]).events(&[event(1, 3, 12)]);
    });
    let found = events(&bytes);
    assert_eq!((found.len(), found[0].payload.len()), (3, payload.len()));
}

/// S147: damage inside a block ends with the block.
#[test]
fn damage_ends_with_its_block() {
    for content in [event_block(1, PayloadWriter::new().bytes(&[0xFF; 40])), vec![0xFF; 30], vec![0; 30]] {
        let bytes = v6(|builder| {
            builder.events(&[event(1, 1, 10)]).block("", 2, &content);
            builder.events(&[event(1, 2, 11)]).events(&[event(1, 3, 12)]).events(&[event(1, 4, 13)]);
        });
        let sequences: Vec<_> = events(&bytes).iter().map(|event| event.sequence).collect();
        assert_eq!((sequences.first(), &sequences[sequences.len() - 3..]), (Some(&1), &[2, 3, 4][..]), "{content:x?}");
        assert!(!open(&bytes).is_clean());
    }
}

/// S148: if the first block isn't that of the trace, reading continues, and it is reported.
#[test]
fn missing_trace_block_is_reported_and_reading_continues() {
    let whole = v6(|builder| {
        builder.events(&[event(1, 1, 10)]);
    });
    let trace_block = 4 + (u32::from_le_bytes(whole[20..24].try_into().unwrap()) & 0x00FF_FFFF) as usize;
    let without = [&whole[..20], &whole[20 + trace_block..]].concat();
    let mut opened = open(&without);
    assert_eq!(opened.store().events.len(), 1);
    assert!(opened.says("doesn't begin with a trace block"), "{:?}", opened.messages());
    assert_eq!(opened.detail(0).time, 10, "ticks count as nanoseconds");
}

/// S149, S152, S153, S154, R1.23, R1.24: content of the trace block, and of its known keys.
#[test]
fn trace_block_values_are_shown() {
    let content = PayloadWriter::new();
    let content =
        [2025u16, 2, 1, 3, 4, 5, 6, 7].into_iter().fold(content, PayloadWriter::u16).i64(500).i64(1_000).u32(8);
    let pairs = [
        ("ProcessId", "1234"),
        ("CpuSpeedMHz", "3000"),
        ("HardwareThreadCount", "16"),
        ("ExpectedCPUSamplingRate", "1790"),
        ("Ponies", "LotsAndLots!"),
    ];
    let content =
        pairs.iter().fold(content.u32(5), |content, (key, value)| content.short_utf8(key).short_utf8(value)).finish();
    let mut bytes = b"Nettrace\0\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    bytes.extend_from_slice(&(1 << 24 | content.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&content);
    bytes.extend_from_slice(&[0; 4]);
    let found = header(&bytes).unwrap();
    assert_eq!((found.sync_ticks, found.tick_frequency, found.pointer_size), (500, 1_000, 8));
    assert_eq!((found.process_id, found.processor_count, found.expected_sampling_rate_nanos), (1234, 16, 1790));
    assert_eq!(found.pairs, pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let mut opened = open(&bytes);
    assert_eq!(opened.header_field("Ponies"), "LotsAndLots!");
    assert!(is_time(&opened.header_field("Sync time (UTC)"), "2025-02-03", "04:05:06.007"));
}

/// S152, S153, S154: missing values of the header are "not recorded", not 0.
#[test]
fn missing_header_values_are_not_recorded() {
    let header =
        Header { process_id: 0, processor_count: 0, expected_sampling_rate_nanos: 0, ..Format::Netperf3.header() };
    let mut opened = open(&TraceBuilder::with_header(Format::Netperf3, &header).finish());
    for name in ["Process ID", "CPUs", "Expected sampling interval"] {
        assert_eq!(opened.header_field(name), "not recorded", "{name}");
    }
}

/// S151: keys of the header are kept in file order, including unknown ones.
#[test]
fn header_keys_keep_order() {
    let mut header = Format::Nettrace6.header();
    header.pairs = vec![("Zebra".into(), "1".into()), ("Ape".into(), "2".into())];
    let mut opened = open(&TraceBuilder::with_header(Format::Nettrace6, &header).finish());
    let names: Vec<_> =
        opened.header().groups.into_iter().flat_map(|group| group.facts).map(|fact| fact.name).collect();
    let at = |name: &str| names.iter().position(|found| found == name).unwrap();
    assert!(at("ProcessId") < at("Zebra") && at("Zebra") < at("Ape"), "{names:?}");
}

/// S211: the end block ends reading, and may have content.
#[test]
fn end_block_may_have_content() {
    for content in [&[][..], &[1, 2, 3]] {
        let mut builder = TraceBuilder::new(Format::Nettrace6);
        builder.metadata(&[record(1, "Order")]).threads(&[thread(7)]).events(&[event(1, 1, 10)]).block("", 0, content);
        let opened = open(&builder.abort());
        assert!(opened.is_clean(), "{content:?}: {:?}", opened.messages());
        assert_eq!(opened.store().events.len(), 1);
    }
}
