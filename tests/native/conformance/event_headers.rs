//! Event headers of versions 4 and 5: S30 to S53; and of version 6 if the rule is the same: S156 to S168.

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{ErrorKind, Guid, Item};

/// Returns the events of a block with this content.
fn read_rows(format: Format, flags: u16, rows: PayloadWriter) -> Vec<Event> {
    events(&trace(format, |builder| {
        builder.block("EventBlock", 2, &event_block(flags, rows));
    }))
}

/// Returns an uncompressed event header up to the sizes: version 4 has activities, version 6 labels.
fn uncompressed(format: Format, id: u32, payload: &[u8], padding: usize) -> PayloadWriter {
    let (fixed, ids) = if format == Format::Nettrace4 { (76, 32) } else { (48, 4) };
    let row = PayloadWriter::new().u32((fixed + payload.len() + padding) as u32).u32(id).u32(9);
    let row = row.u64(0x1_0000_0001).u64(0x1_0000_0002).u32(3).u32(4).i64(-5).bytes(&vec![6; ids]);
    row.u32(payload.len() as u32).bytes(payload).bytes(&vec![0; padding])
}

/// S30, S31, S32, S33, S34, S157: uncompressed headers in order, with their sizes; padding inside is tolerated; the
/// high bit of the ID means "not sorted".
#[test]
fn uncompressed_headers_are_read_in_order() {
    for format in BLOCKED {
        let first = uncompressed(format, 0x8000_0001, &[1, 2, 3], 1).finish();
        let second = uncompressed(format, 2, &[4], 0);
        let found = read_rows(format, 0, PayloadWriter::new().bytes(&first).bytes(&second.finish()));
        let ids: Vec<_> = found.iter().map(|event| (event.metadata_id, event.is_sorted)).collect();
        assert_eq!(ids, [(1, false), (2, true)], "{format:?}");
        let event = &found[0];
        assert_eq!((event.sequence, event.thread, event.capture_thread), (9, 0x1_0000_0001, 0x1_0000_0002));
        assert_eq!((event.processor, event.stack_id, event.timestamp), (3, 4, -5));
        assert_eq!(event.payload, [1, 2, 3]);
        match format {
            Format::Nettrace4 => assert_eq!(event.related_activity_id, Guid([6; 16])),
            _ => assert_eq!(event.label_list, 0x0606_0606),
        }
    }
}

/// S34, S35, S36, S38, S39, R1.9: displayed values of event headers.
#[test]
fn event_header_values_are_shown() {
    let event = Event {
        thread: 0x1_0000_0007,
        processor: 3,
        activity_id: Guid([5; 16]),
        related_activity_id: Guid([6; 16]),
        ..event(1, 1, 1_000_250)
    };
    let unknown = Event { processor: u32::MAX, ..super::support::event(1, 2, 1_000_251) };
    let mut opened = open(&trace(Format::Nettrace4, |builder| {
        builder.events(&[event, unknown]);
    }));
    let detail = opened.detail(0);
    assert_eq!((detail.os_thread, detail.time), (0x1_0000_0007, 250_000_000));
    assert_eq!(fact(&detail, "Capture thread"), "7");
    assert_eq!(fact(&detail, "CPU"), "3");
    assert_eq!(fact(&detail, "Activity"), "05050505-0505-0505-0505-050505050505");
    assert_eq!(fact(&detail, "Related activity"), "06060606-0606-0606-0606-060606060606");
    assert_eq!(fact(&detail, "Sequence number"), "1");
    let time = detail.header.iter().find(|fact| fact.name == "Time (UTC)").unwrap();
    assert_eq!(time.raw, "1000250 ticks");
    let detail = opened.detail(1);
    assert!(!detail.header.iter().any(|fact| fact.name == "CPU" && fact.value.contains("4294967295")));
}

/// S40: payloads may be larger than 65,535 bytes.
#[test]
fn large_payloads_are_read() {
    for format in Format::ALL {
        let payload: Vec<u8> = (0..100_000u32).map(|index| index as u8).collect();
        let mut opened = open(&trace(format, |builder| {
            builder.events(&[Event { payload: payload.clone(), ..event(1, 1, 1_000_000) }]);
        }));
        let detail = opened.detail(0);
        assert_eq!((detail.payload_bytes, detail.bytes.len()), (100_000, 4096), "{format:?}");
        assert_eq!(detail.bytes, payload[..4096]);
    }
}

/// S41, S135, S137: numbers have at most 5 or 10 bytes; longer ones are damage.
#[test]
fn overlong_numbers_are_damage() {
    for format in BLOCKED {
        let rows = |id: &[u8], time: &[u8]| PayloadWriter::new().u8(1).bytes(id).bytes(time);
        let most = read_rows(
            format,
            1,
            rows(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        );
        assert_eq!((most[0].metadata_id, most[0].timestamp), (u32::MAX, i64::MIN), "{format:?}");
        for row in [
            rows(&[0xFF, 0xFF, 0xFF, 0xFF, 0x1F], &[0]),
            rows(&[1], &[0xFF; 10]),
            rows(&[0x80, 0x80, 0x80, 0x80, 0x80, 0], &[0]),
        ] {
            let mut errors = Vec::new();
            let bytes = trace(format, |builder| {
                builder.block("EventBlock", 2, &event_block(1, row));
            });
            each_item(&bytes, |item| {
                if let Item::Events(block) = item {
                    let mut headers = block.events();
                    while let Some(event) = headers.next() {
                        errors.extend(event.err());
                    }
                }
            })
            .unwrap();
            assert_eq!(errors[0].kind(), &ErrorKind::VarintOverflow, "{format:?}");
        }
    }
}

/// S42: the header of the first event in a block is relative to zeros.
#[test]
fn blocks_decode_independently() {
    for format in BLOCKED {
        let found = events(&trace(format, |builder| {
            let row = || PayloadWriter::new().u8(0).var_u64(3);
            builder.events(&[Event { thread: 99, stack_id: 8, payload: vec![1], ..event(1, 50, 1_000) }]);
            builder.block("EventBlock", 2, &event_block(1, row()));
        }));
        let second = &found[1];
        assert_eq!((second.metadata_id, second.sequence, second.thread), (0, 0, 0), "{format:?}");
        assert_eq!((second.stack_id, second.timestamp, second.payload.len()), (0, 3, 0));
    }
}

/// S43, S44, S45, S46, S47, S48, S51, S52, S53, S159, S160, S161, S162, S163, S164, S167, S168: each flag adds its
/// values in order; values without a flag are those of the previous event; the time is always present, and wraps
/// around.
#[test]
fn header_flags_add_changed_values() {
    for format in BLOCKED {
        let everything =
            PayloadWriter::new().u8(0xCF).var_u64(1).var_u64(4).var_u64(1 << 40).var_u64(3).var_u64(1 << 33);
        let rows = everything.var_u64(6).var_u64(1_000).var_u64(2).bytes(&[0xAA, 0xBB]);
        // Only the time changes, by minus one; the payload length is the same.
        let rows = rows.u8(0).var_u64(u64::MAX).bytes(&[0xCC, 0xDD]);
        let rows = rows.u8(4).var_u64(9).var_u64(0).bytes(&[0xEE, 0xFF]);
        let found = read_rows(format, 1, rows);
        let first = &found[0];
        assert_eq!((first.metadata_id, first.sequence, first.capture_thread), (1, 5, 1 << 40), "{format:?}");
        assert_eq!((first.processor, first.thread, first.stack_id), (3, 1 << 33, 6));
        assert_eq!((first.timestamp, first.is_sorted, &first.payload[..]), (1_000, true, &[0xAA, 0xBB][..]));
        let second =
            Event { sequence: 6, timestamp: 999, is_sorted: false, payload: vec![0xCC, 0xDD], ..first.clone() };
        assert_eq!(found[1], second);
        assert_eq!(found[2], Event { sequence: 7, thread: 9, payload: vec![0xEE, 0xFF], ..second });
    }
}

/// S49, S50: the two activities of version 4 have flags, and persist.
#[test]
fn activities_are_read_by_flags_and_persist() {
    let rows = PayloadWriter::new().u8(0x31).var_u64(1).var_u64(0).bytes(&[1; 16]).bytes(&[2; 16]);
    let rows = rows.u8(0x10).var_u64(0).bytes(&[3; 16]);
    let found = read_rows(Format::Nettrace4, 1, rows);
    assert_eq!((found[0].activity_id, found[0].related_activity_id), (Guid([1; 16]), Guid([2; 16])));
    assert_eq!((found[1].activity_id, found[1].related_activity_id), (Guid([3; 16]), Guid([2; 16])));
}

/// S165, S166: in version 6, flag 16 adds the label list, and flag 32 adds nothing.
#[test]
fn labels_are_read_by_flag_16_only() {
    let rows = PayloadWriter::new().u8(0x31).var_u64(1).var_u64(0).var_u64(7).u8(0x20).var_u64(5);
    let found = read_rows(Format::Nettrace6, 1, rows);
    assert_eq!(found.iter().map(|event| (event.label_list, event.timestamp)).collect::<Vec<_>>(), [(7, 0), (7, 5)]);
}

/// S45, S80: sequence numbers wrap from the maximum to 0 without a loss.
#[test]
fn sequence_numbers_wrap_without_loss() {
    let all = [u32::MAX - 1, u32::MAX, 0, 1, 2];
    let bytes = trace(Format::Nettrace4, |builder| {
        let events: Vec<_> = (0..).zip(all).map(|(time, sequence)| event(1, sequence, 1_000_000 + time)).collect();
        builder.events(&events);
    });
    assert_eq!(events(&bytes).iter().map(|event| event.sequence).collect::<Vec<_>>(), all);
}

/// S53, S145: a payload directly follows its header, and the next header directly follows the payload.
#[test]
fn compressed_events_are_not_aligned() {
    for format in BLOCKED {
        let all: Vec<_> = (0..5)
            .map(|size| Event { payload: vec![size; usize::from(size)], ..event(1, 1 + u32::from(size), 0) })
            .collect();
        let found = events(&trace(format, |builder| {
            builder.events(&all);
        }));
        assert_eq!(found, all, "{format:?}");
    }
}

/// S31, S51, S167, S36: unsorted events and unknown CPUs are shown.
#[test]
fn unsorted_events_and_unknown_cpus_are_shown() {
    for format in BLOCKED {
        for compressed in [true, false] {
            let mut builder = TraceBuilder::new(format);
            if !compressed {
                builder = builder.uncompressed();
            }
            builder.metadata(&[record(1, "Order")]);
            if format == Format::Nettrace6 {
                builder.threads(&[thread(7)]);
            }
            let made = |sequence, is_sorted, processor| Event {
                is_sorted,
                processor,
                ..event(1, sequence, 1_000_000 + i64::from(sequence)) //
            };
            builder.events(&[made(1, true, 3), made(2, false, u32::MAX)]);
            let mut opened = open(&builder.finish());
            let mut said = |row| {
                let detail = opened.detail(row);
                ["Sorted", "CPU", "Stack ID"].map(|name| fact(&detail, name))
            };
            assert_eq!(said(0), ["yes", "3", "none"], "{format:?}, compressed: {compressed}");
            assert_eq!(said(1), ["no", "unknown", "none"], "{format:?}, compressed: {compressed}");
        }
    }
}
