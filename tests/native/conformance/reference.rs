//! Rules of the reference reader's own tests beyond the format: runtime events, symbols, merge order (R1.66 and later,
//! R3 to R5).

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter};
use nettrace::{FieldError, MetadataRecord, ThreadRow};

/// Returns the details of a runtime event with this payload.
fn runtime_event(event_id: u32, version: u32, payload: Vec<u8>) -> protocol::reply::EventDetail {
    let described = MetadataRecord {
        provider: "Microsoft-Windows-DotNETRuntime".into(),
        event_id,
        version,
        name: String::new(),
        ..record(2, "")
    };
    let mut opened = open(&trace(Format::Nettrace4, |builder| {
        builder.metadata(&[described]).events(&[Event { payload, ..event(2, 1, 1_000_000) }]);
    }));
    opened.detail(0)
}

/// R1.43: values of variable size in objects, decoded separately and together.
#[test]
fn nested_values_of_variable_size_decode() {
    use nettrace::{Field, FieldType, Value, decode, decode_field};
    let listed = |element| FieldType::Array(Box::new(element));
    let inner = vec![
        Field::new("utf8", listed(FieldType::Utf8CodeUnit)),
        Field::new("number", FieldType::VarInt),
        Field::new("utf16", FieldType::Utf16String),
        Field::new("unsigned", FieldType::VarUInt),
    ];
    let fields = [Field::new("first", FieldType::VarInt), Field::new("object", FieldType::Object(inner))];
    let payload = PayloadWriter::new().var_i64(-5).u16(3).bytes(b"abc").var_i64(i64::MIN).utf16("x").var_u64(u64::MAX);
    let payload = payload.finish();
    let together = decode(&fields, &payload, 8);
    for index in [1, 0] {
        assert_eq!(decode_field(&fields, &payload, 8, index), together[index], "in any order");
    }
    let Value::Object(members) = &together[1] else { panic!("{together:?}") };
    assert_eq!((&members[1].1, &members[3].1), (&Value::Int(i64::MIN, 64), &Value::UInt(u64::MAX, 64)));
}

/// R1.66, R1.67: names that end with Start and Stop are unchanged; the opcode is separate.
#[test]
fn names_are_unchanged_and_opcodes_separate() {
    for format in BLOCKED {
        let start =
            MetadataRecord { opcode: Some(1), has_v5_tags: format == Format::Nettrace4, ..record(2, "ActivityStart") };
        let mut opened = open(&trace(format, |builder| {
            builder.metadata(&[start]).events(&[event(2, 1, 1_000_000)]);
        }));
        let detail = opened.detail(0);
        assert_eq!((detail.name.as_str(), fact(&detail, "Opcode").as_str()), ("ActivityStart", "Start"), "{format:?}");
    }
}

/// R1.69: a sampled allocation has its seven fields in order.
#[test]
fn sampled_allocation_is_decoded() {
    let payload = PayloadWriter::new().u32(0).u16(9).u64(0x7000).utf16("System.String").u64(0x8000).u64(104).u64(8192);
    let detail = runtime_event(303, 0, payload.finish());
    let names: Vec<_> = detail.fields.iter().map(|field| field.name.as_str()).collect();
    let expected =
        ["AllocationKind", "ClrInstanceID", "TypeID", "TypeName", "Address", "ObjectSize", "SampledByteOffset"];
    assert_eq!(names, expected);
    assert_eq!(detail.fields[3].value, "System.String");
    assert!(detail.fields[5].value.contains("104") && detail.fields[5].error.is_empty(), "{:?}", detail.fields[5]);
}

/// R1.70: a code map with an invalid count is an error of its fields; the event is kept.
#[test]
fn invalid_code_map_is_field_error() {
    let none = PayloadWriter::new().u64(1).u64(2).u8(0).finish();
    assert!(runtime_event(190, 0, none).fields[2].error.is_empty(), "what is there is read");
    let absurd = PayloadWriter::new().u64(1).u64(2).u8(0).u16(32_767).bytes(&[1, 2]).finish();
    let detail = runtime_event(190, 0, absurd);
    assert_eq!(
        detail.fields.iter().find(|field| field.name == "ILOffsets").map(|field| field.error.clone()),
        Some(FieldError::TooShort.to_string())
    );
}

/// R3.1, R3.2: symbols with the largest range and with one byte apply to their addresses, without overflows.
#[test]
fn symbols_of_any_range_are_used() {
    for (start, last) in [(0, u64::MAX), (0x1000, 0x1000)] {
        let system = |metadata_id, event_id| MetadataRecord {
            provider: "Universal.System".into(),
            event_id,
            ..record(metadata_id, "")
        };
        let mapping =
            PayloadWriter::new().var_u64(1).var_u64(0x1000).var_u64(0x2000).var_u64(0).u16(4).bytes(b"a.so").var_u64(0);
        let symbol = PayloadWriter::new().var_u64(1).var_u64(1).var_u64(start).var_u64(last).u16(4).bytes(b"read");
        let mut opened = open(&trace(Format::Nettrace6, |builder| {
            builder.threads(&[thread(7)]).metadata(&[system(2, 3), system(3, 4)]).stacks(1, &[&[0x1000]]);
            builder.events(&[
                Event { payload: mapping.finish(), ..event(2, 1, 1_000_000) },
                Event { payload: symbol.finish(), ..event(3, 2, 1_000_001) },
                Event { stack_id: 1, ..event(1, 3, 1_000_002) },
            ]);
        }));
        assert!(opened.detail(2).frames[0].name.contains("read"), "{:?}", opened.detail(2).frames);
    }
}

/// R4.1, R4.2, R4.3, R4.4, R4.5, R4.6, R4.7, R4.8, R4.9, R4.10, R4.11, R4.12, R4.13: rows of many threads are merged
/// like in a stable sort: sorted, reversed, equal, few or many.
#[test]
fn merged_rows_match_stable_sort() {
    let shapes: [fn(u32, u32) -> i64; 5] = [
        |_, index| i64::from(index),
        |thread, index| i64::from(index * 10 + 9 - thread),
        |_, _| 5,
        |thread, index| i64::from((thread * 7 + index * 13) % 50 + index * 50),
        |thread, index| i64::from(index / 3 * 3 + thread % 2),
    ];
    for shape in shapes {
        for (threads, count) in [(0, 0), (1, 1), (3, 2), (10, 40)] {
            let mut expected = Vec::new();
            let mut opened = open(&trace(Format::Nettrace4, |builder| {
                for thread in (0..threads).rev() {
                    let events: Vec<_> = (0..count)
                        .map(|index| {
                            expected.push((shape(thread, index), u64::from(thread), index));
                            let id = u64::from(thread);
                            Event {
                                thread: id,
                                capture_thread: id,
                                ..event(1, index + 1, 1_000_000 + shape(thread, index))
                            }
                        })
                        .collect();
                    builder.events(&events);
                }
            }));
            expected.sort();
            let found: Vec<_> =
                opened.details().iter().map(|detail| (detail.time / 1_000_000, detail.os_thread)).collect();
            assert_eq!(found, expected.iter().map(|&(time, thread, _)| (time, thread)).collect::<Vec<_>>());
        }
    }
}

/// R5.1, R5.2, R5.3, R5.6, R5.7: a dynamic GC event is decoded from its own bytes; invalid sizes are errors of their
/// fields.
#[test]
fn dynamic_gc_events_decode_independently() {
    let made = |size: u32, data: &[u8]| PayloadWriter::new().utf16("Custom").u32(size).bytes(data).u16(9).finish();
    let whole = runtime_event(39, 0, made(3, &[1, 2, 3]));
    assert!(whole.fields.iter().all(|field| field.error.is_empty()), "{:?}", whole.fields);
    assert_eq!((whole.fields[0].value.as_str(), whole.fields[1].value.as_str()), ("Custom", "3"));
    for size in [u32::MAX, 100] {
        let damaged = runtime_event(39, 0, made(size, &[1, 2, 3]));
        assert_eq!(damaged.fields[2].error, FieldError::TooShort.to_string());
        assert_eq!(damaged.fields[0].value, "Custom");
    }
    let endless = runtime_event(39, 0, vec![0x41, 0, 0x42, 0]);
    assert_eq!(endless.fields[0].error, FieldError::TooShort.to_string());
}

/// S134: addresses without a symbol are displayed as addresses, with the name of a mapped file.
#[test]
fn addresses_without_symbol_are_shown() {
    let system = MetadataRecord { provider: "Universal.System".into(), event_id: 3, ..record(2, "") };
    let mapping =
        PayloadWriter::new().var_u64(1).var_u64(0x1000).var_u64(0x2000).var_u64(0).u16(7).bytes(b"libc.so").var_u64(0);
    let mut opened = open(&trace(Format::Nettrace6, |builder| {
        builder.threads(&[ThreadRow { name: None, ..thread(7) }]).metadata(&[system]).stacks(1, &[&[0x1004, 0x9000]]);
        builder.events(&[
            Event { payload: mapping.finish(), ..event(2, 1, 1_000_000) },
            Event { stack_id: 1, ..event(1, 2, 1_000_001) },
        ]);
    }));
    let frames = opened.detail(1).frames;
    assert!(frames[0].name.contains("libc") || frames[0].module.contains("libc"), "{frames:?}");
    assert!(frames[1].name.to_lowercase().contains("9000"), "{frames:?}");
}

/// S185: a date has the 8 bytes that EventSource writes, although the documents require 16.
#[test]
fn dates_decode_as_filetimes() {
    use nettrace::{Field, FieldType, Value, decode};
    let fields = [Field::new("when", FieldType::DateTime), Field::new("after", FieldType::UInt8)];
    let payload = PayloadWriter::new().i64(133_497_360_000_000_000).u8(7).finish();
    assert_eq!(decode(&fields, &payload, 8), [Value::DateTime(133_497_360_000_000_000), Value::UInt(7, 8)]);
}

/// S96: missing values aren't invented: netperf has no sequence numbers, CPUs and losses.
#[test]
fn unrecorded_values_are_not_shown() {
    for format in Format::ALL {
        let mut opened = open(&trace(format, |builder| {
            if format == Format::Nettrace6 {
                builder.threads(&[thread(7)]);
            }
            builder.events(&[Event { processor: 3, ..event(1, 1, 1_000_000) }]);
        }));
        let records = BLOCKED.contains(&format);
        let detail = opened.detail(0);
        for name in ["Sequence number", "CPU"] {
            assert_eq!(fact(&detail, name) != "not recorded in this version", records, "{format:?} {name}");
        }
        assert_eq!(opened.summary().lost.is_some(), records, "{format:?}");
        let said = opened.header().fact("Format").expect("a format").meaning.clone();
        assert_eq!(said.contains("Records lost events"), records, "{format:?}: {said}");
    }
}

/// R1.15: the manifest has the fields of DiagnosticSource events that have none in the file.
#[test]
fn diagnostic_source_events_have_fields() {
    let described =
        MetadataRecord { provider: "Microsoft-Diagnostics-DiagnosticSource".into(), event_id: 2, ..record(2, "Event") };
    let payload =
        PayloadWriter::new().utf16("HttpHandler").utf16("Request").u16(1).utf16("Url").utf16("http://a/").finish();
    let mut opened = open(&trace(Format::Netperf3, |builder| {
        builder.metadata(&[described]).events(&[Event { payload, ..event(2, 1, 1_000_000) }]);
    }));
    let fields = opened.detail(0).fields;
    let named: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.value.as_str())).collect();
    assert_eq!(named[..2], [("SourceName", "HttpHandler"), ("EventName", "Request")]);
    assert!(named.contains(&("Key", "Url")) && named.contains(&("Value", "http://a/")), "{named:?}");
}

/// S240: memory use per event is small, and displayed.
#[test]
fn memory_per_event_is_small_and_shown() {
    let count = 50_000;
    let opened = open(&trace(Format::Nettrace4, |builder| {
        for block in 0..count / 500 {
            let events: Vec<_> =
                (0..500).map(|index| event(1, 1 + 500 * block + index, 1_000_000 + i64::from(index))).collect();
            builder.events(&events);
        }
    }));
    let stated = opened.summary().memory_bytes;
    assert!(stated > u64::from(count) && stated < 100 * u64::from(count), "{stated} bytes for {count} events");
}

/// R5.5: the event inside a dynamic GC event is shown with its fields, if it is known and complete.
#[test]
fn committed_usage_has_fields() {
    let dynamic = MetadataRecord { provider: "Microsoft-Windows-DotNETRuntime".into(), event_id: 39, ..record(2, "") };
    let dynamic = MetadataRecord { version: 0, ..dynamic };
    let shown = |name: &str, sizes: i64| {
        let data = (1..=sizes).fold(PayloadWriter::new().u16(1), |data, size| data.i64(size * 4096)).finish();
        let payload = PayloadWriter::new().utf16(name).u32(data.len() as u32).bytes(&data).u16(0).finish();
        let mut opened = open(&trace(Format::Nettrace4, |builder| {
            builder.metadata(std::slice::from_ref(&dynamic));
            builder.events(&[Event { payload, ..event(2, 1, 1_000_000) }]);
        }));
        let inner = opened.detail(0).fields.into_iter().filter(|field| field.depth == 1);
        inner.map(|field| (field.name, field.value.replace(',', ""))).collect::<Vec<_>>()
    };
    let whole = shown("CommittedUsage", 5);
    assert_eq!(whole.len(), 6, "{whole:?}");
    assert_eq!((whole[0].0.as_str(), whole[0].1.as_str()), ("Version", "1"));
    assert_eq!((whole[5].0.as_str(), whole[5].1.as_str()), ("TotalBookkeepingCommitted", "20480"));
    assert_eq!((shown("CommittedUsage", 4), shown("Another", 5)), (vec![], vec![]));
}
