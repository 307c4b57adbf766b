//! Container of versions 4 and 5: S1 to S33.

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{BlockKind, ErrorKind, Item};

/// Offset of the size of the `Trace` object's content: after the magic, the stream name and three tags.
const TRACE_VERSION_AT: usize = 8 + 24 + 3;

/// S1, S109, S141: the first bytes determine the format, not the file name.
#[test]
fn first_bytes_determine_format() {
    for (format, name, words) in [
        (Format::Netperf1, "netperf 1", ".NET Core 2.0"),
        (Format::Netperf2, "netperf 2", ".NET Core 2.0"),
        (Format::Netperf3, "netperf 3", ".NET Core 2.1"),
        (Format::Nettrace4, "nettrace 4", ".NET Core 3.0"),
        (Format::Nettrace6, "nettrace 6", "machine-wide"),
    ] {
        let mut opened = open(&trace(format, |_| {}));
        assert!(opened.summary().format.starts_with(name), "{}", opened.summary().format);
        let header = opened.header();
        let meaning = &header.fact("Format").unwrap().meaning;
        assert!(meaning.contains(words), "{format:?}: {meaning}");
    }
}

/// S2: the length and the name of the serialization follow the magic; other names are rejected.
#[test]
fn other_serialization_is_rejected_by_name() {
    for (at, byte) in [(8, 21), (12, b'?'), (31, b'2')] {
        let mut damaged = trace(Format::Nettrace4, |_| {});
        damaged[at] = byte;
        let error = header(&damaged).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::DamagedHeader("unknown serialization name"));
    }
}

/// S5, S6, R1.6: the start of an object is checked; an invalid length is damage and isn't allocated.
#[test]
fn object_tags_and_lengths_are_checked() {
    let length_at = 3 + 8;
    for (at, bytes) in
        [(0, &[9u8][..]), (1, &[6]), (2, &[5]), (length_at, &[0xFF; 4]), (length_at, &[0xFF, 0xFF, 0, 0])]
    {
        let mut start = 0;
        let mut damaged = trace(Format::Nettrace4, |builder| {
            builder.events(&[event(1, 1, 0)]);
            start = builder.bytes().len();
            builder.events(&[event(1, 2, 0)]).events(&[event(1, 3, 0)]);
        });
        damaged[start + at..start + at + bytes.len()].copy_from_slice(bytes);
        let found = damages(&damaged);
        assert_eq!((found.len(), found[0].offset as usize), (1, start), "{at} {bytes:x?}");
        assert_eq!(found[0].error.to_string(), format!("Expected a block header here (at byte {start})."));
        let sequences: Vec<_> = events(&damaged).iter().map(|event| event.sequence).collect();
        assert_eq!(sequences, [1, 3], "{at} {bytes:x?}");
    }
}

/// S7: an object without its end tag is reported, and reading continues at the next object.
#[test]
fn missing_end_tag_is_reported() {
    let mut end = 0;
    let mut damaged = trace(Format::Nettrace4, |builder| {
        builder.events(&[event(1, 1, 0)]);
        end = builder.bytes().len();
        builder.events(&[event(1, 2, 0)]);
    });
    damaged[end - 1] = 0;
    assert_eq!(events(&damaged).len(), 2);
    let opened = open(&damaged);
    assert_eq!(opened.messages(), ["The block doesn't end at its declared size."]);
    assert_eq!(opened.store().diagnostics.examples[0].offset as usize, end - 1);
}

/// S8, S9, S94: an object is read according to the reader version that it requires, not its own version.
#[test]
fn required_reader_version_of_object_is_checked() {
    let object = |version: u32, oldest_reader: u32| {
        let mut start = 0;
        let mut bytes = trace(Format::Nettrace4, |builder| {
            start = builder.bytes().len();
            builder.events(&[event(1, 1, 0)]).events(&[event(1, 2, 0)]);
        });
        bytes[start + 3..start + 7].copy_from_slice(&version.to_le_bytes());
        bytes[start + 7..start + 11].copy_from_slice(&oldest_reader.to_le_bytes());
        bytes
    };
    assert_eq!(events(&object(9, 2)).len(), 2, "a newer version that old readers may read");
    let opened = open(&object(9, 3));
    assert_eq!(opened.store().events.len(), 1);
    assert!(opened.says("Skipped a block of unknown type “EventBlock” (version 9"), "{:?}", opened.messages());
}

/// S9, S10, S120: the same applies to the first object; a required version that is too new is reported.
#[test]
fn required_reader_version_of_file_is_checked() {
    let with = |format: Format, at: usize, version: u32, oldest_reader: u32| {
        let mut bytes = trace(format, |_| {});
        bytes[at..at + 4].copy_from_slice(&version.to_le_bytes());
        bytes[at + 4..at + 8].copy_from_slice(&oldest_reader.to_le_bytes());
        bytes
    };
    for (format, at, known) in [(Format::Nettrace4, TRACE_VERSION_AT, 4), (Format::Netperf3, TRACE_VERSION_AT - 8, 3)] {
        let newer = open(&with(format, at, 9, known));
        assert_eq!(newer.store().header.version, known, "{format:?}: read as before, and reported");
        assert!(newer.says("newer than this parser"), "{:?}", newer.messages());
        let error = header(&with(format, at, 9, known + 1)).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::NeedsNewerReader { needed: known + 1, known });
        let said = refusal(&with(format, at, 9, known + 1));
        assert!(
            said.contains(&format!(
                "requires reader version {}; this version of Traceglass supports {known}",
                known + 1
            )),
            "{said}"
        );
    }
}

/// S10: the first object is `Trace`.
#[test]
fn other_first_object_is_rejected() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.events(&[event(1, 1, 0)]);
    let whole = builder.finish();
    let header_end = TRACE_VERSION_AT + 12 + 5 + 1 + 48 + 1;
    let without = [&whole[..32], &whole[header_end..]].concat();
    let expected = ErrorKind::DamagedHeader("the first object is not a trace object");
    assert_eq!(header(&without).unwrap_err().kind(), &expected);
}

/// S18: a trace without blocks has a header and no events, and is valid.
#[test]
fn trace_without_blocks_is_valid() {
    for format in Format::ALL {
        let opened = open(&TraceBuilder::new(format).finish());
        assert!(opened.is_clean() && opened.store().events.is_empty(), "{format:?}: {:?}", opened.messages());
    }
}

/// S3, S18, S155: blocks may be in any order.
#[test]
fn blocks_in_any_order_are_read() {
    for format in BLOCKED {
        let mut builder = TraceBuilder::new(format);
        builder.stacks(1, &[&[0x1000]]).sequence_point(1_000_000, 0, &[]).stacks(1, &[&[0x2000]]);
        builder.metadata(&[record(1, "Order")]);
        if format == Format::Nettrace6 {
            builder.threads(&[thread(7)]);
        }
        builder.events(&[Event { stack_id: 1, ..event(1, 1, 1_000_001) }]);
        let mut opened = open(&builder.finish());
        assert!(opened.is_clean(), "{format:?}: {:?}", opened.messages());
        assert_eq!(opened.detail(0).frames[0].address, 0x2000);
    }
}

/// S19, S26, S70, S73: kinds of blocks with their sizes, including headers.
#[test]
fn blocks_have_kinds_and_sizes() {
    let bytes = trace(Format::Nettrace4, |builder| {
        builder.stacks(1, &[&[0x1000]]).events(&[event(1, 1, 0)]).sequence_point(1_000_000, 0, &[(7, 1)]);
    });
    let opened = open(&bytes);
    let kinds: Vec<_> = opened.store().blocks.blocks.iter().map(|block| block.kind).collect();
    let expected =
        [BlockKind::Metadata, BlockKind::Stacks, BlockKind::Events, BlockKind::SequencePoint, BlockKind::EndOfStream];
    assert_eq!(kinds, expected);
    let first = opened.store().blocks.blocks[0].offset;
    let sum: u64 = opened.store().blocks.blocks.iter().map(|block| block.bytes).sum();
    assert_eq!(first + sum, bytes.len() as u64, "no byte between them");
    assert_eq!(opened.store().events.len(), 1, "metadata records aren't events");
}

/// S4, S20: padding aligns the content of a block to four bytes in the file.
#[test]
fn block_content_is_aligned() {
    for name in ["A", "AB", "ABC", "ABCD"] {
        let bytes = trace(Format::Nettrace4, |builder| {
            builder.block(name, 0, &[1, 2, 3]).events(&[event(1, 1, 0)]);
        });
        assert_eq!((events(&bytes).len(), damages(&bytes).len()), (1, 0), "{name}");
    }
}

/// S21, S156, R1.17: a block header contains its own size: more bytes are skipped, fewer are damage.
#[test]
fn block_header_may_be_longer_but_not_shorter() {
    for format in BLOCKED {
        let with_header = |size: u16| {
            let mut content = PayloadWriter::new().u16(size).u16(1).bytes(&vec![0xEE; usize::from(size) - 4]);
            content = content.bytes(&[1, 1, 0]);
            trace(format, |builder| {
                builder.block("EventBlock", 2, &content.finish());
                builder.events(&[event(1, 2, 0)]).events(&[event(1, 3, 0)]).events(&[event(1, 4, 0)]);
            })
        };
        assert_eq!(events(&with_header(28)).len(), 4, "{format:?}");
        let short = with_header(19);
        assert_eq!(events(&short).len(), 3, "{format:?}");
        assert!(damages(&short)[0].error.to_string().contains("the header is too short"), "{format:?}");
    }
}

/// S22, S29: the flags of each block determine its event headers; unknown flags are ignored.
#[test]
fn block_flags_apply_per_block() {
    let uncompressed_v4 = PayloadWriter::new().u32(76).u32(1).u32(2).bytes(&[0; 68]);
    let uncompressed_v6 = PayloadWriter::new().u32(48).u32(1).u32(2).bytes(&[0; 40]);
    for (format, uncompressed) in [(Format::Nettrace4, uncompressed_v4), (Format::Nettrace6, uncompressed_v6)] {
        let compressed = PayloadWriter::new().u8(1).var_u64(1).u8(0);
        let bytes = trace(format, |builder| {
            builder.block("EventBlock", 2, &event_block(0x8001, compressed));
            builder.block("EventBlock", 2, &event_block(0, uncompressed));
        });
        let sequences: Vec<_> = events(&bytes).iter().map(|event| (event.metadata_id, event.sequence)).collect();
        assert_eq!(sequences, [(1, 1), (1, 2)], "{format:?}: {:?}", damages(&bytes));
    }
}

/// S23: the declared times of a block have no effect.
#[test]
fn declared_block_times_are_ignored() {
    for format in BLOCKED {
        let content =
            PayloadWriter::new().u16(20).u16(1).i64(i64::MAX).i64(i64::MIN).u8(1).var_u64(1).var_u64(1_000_005);
        let bytes = trace(format, |builder| {
            builder.block("EventBlock", 2, &content.finish());
        });
        let opened = open(&bytes);
        assert_eq!(opened.store().events.len(), 1, "{format:?}");
        let block = opened.store().blocks.blocks.iter().find(|block| block.kind == BlockKind::Events).copied();
        assert_eq!(block.map(|block| (block.min_ticks, block.max_ticks)), Some((5, 5)));
    }
}

/// S24, S147: the last event must end with its block; otherwise the rest is counted, and the next block is read.
#[test]
fn unread_rest_of_block_is_reported() {
    for format in BLOCKED {
        let rows = PayloadWriter::new().u8(1).var_u64(1).u8(0).bytes(&[0xFF; 7]);
        let bytes = trace(format, |builder| {
            builder.block("EventBlock", 2, &event_block(1, rows)).events(&[event(1, 2, 0)]);
        });
        let opened = open(&bytes);
        assert_eq!(opened.store().events.len(), 2, "{format:?}");
        assert!(opened.says("Skipped 7 bytes at the end of an event block"), "{:?}", opened.messages());
    }
}

/// S25: a block without events is valid.
#[test]
fn empty_block_is_valid() {
    for format in [Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        let opened = open(&trace(format, |builder| {
            builder.events(&[]);
        }));
        assert!(opened.is_clean(), "{format:?}: {:?}", opened.messages());
    }
}

/// S27, S37, S133: an event without metadata or a stack is kept and reported.
#[test]
fn event_with_dangling_references_is_kept() {
    for format in BLOCKED {
        let payload = vec![1, 2, 3];
        let bytes = trace(format, |builder| {
            if format == Format::Nettrace6 {
                builder.threads(&[thread(7)]);
            }
            let event = Event { stack_id: 5, payload: payload.clone(), ..event(17, 1, 1_000_000) };
            builder.events(&[event]);
        });
        let mut opened = open(&bytes);
        let detail = opened.detail(0);
        assert!(detail.name.contains("17"), "{}", detail.name);
        assert_eq!((&detail.bytes, detail.frames.len()), (&payload, 0));
        assert!(opened.says("undefined metadata ID"));
        assert!(opened.says("undefined stack ID 5"));
        assert_eq!(fact(&detail, "Stack ID"), "5 (not in the file)");
    }
}

/// S28, R1.59: new metadata with the same ID applies only to later events; both are kept.
#[test]
fn metadata_applies_until_same_id_is_redefined() {
    for format in BLOCKED {
        let mut opened = open(&trace(format, |builder| {
            builder.events(&[event(1, 1, 1_000_000)]).metadata(&[record(1, "Refund")]);
            builder.events(&[event(1, 2, 1_000_001), event(1, 3, 1_000_002)]);
        }));
        let names: Vec<_> = opened.details().into_iter().map(|detail| detail.name).collect();
        assert_eq!(names, ["Order", "Refund", "Refund"], "{format:?}");
        let counts: Vec<_> = opened.store().types.iter().map(|one| (one.display_name.clone(), one.count)).collect();
        assert_eq!(counts, [("Order".to_owned(), 1), ("Refund".to_owned(), 2)]);
    }
}

/// S78, S119: bytes after the end-of-stream marker aren't read.
#[test]
fn bytes_after_end_of_stream_are_ignored() {
    for format in Format::ALL {
        let mut bytes = trace(format, |_| {});
        bytes.extend_from_slice(&[0xAB; 40]);
        let mut opened = open(&bytes);
        assert!(opened.is_clean() && opened.store().events.is_empty(), "{format:?}: {:?}", opened.messages());
        let follow = "present; 40 bytes follow the end of the stream";
        assert_eq!(opened.header_field("End of stream"), follow, "{format:?}");
        bytes.truncate(bytes.len() - 40);
        assert_eq!(open(&bytes).header_field("End of stream"), "present", "{format:?}");
    }
}

/// S79, R1.62, R1.63: without the end-of-stream marker, all readable data is kept, even of an incomplete block.
#[test]
fn truncated_trace_keeps_readable_data() {
    for format in Format::ALL {
        let whole = trace(format, |builder| {
            builder.events(&[event(1, 1, 1_000_000), event(1, 2, 1_000_001), event(1, 3, 1_000_002)]);
        });
        let end_of_stream = match format {
            Format::Nettrace6 => 4,
            Format::Netperf1 | Format::Netperf2 => 17,
            _ => 1,
        };
        let all = open(&whole[..whole.len() - end_of_stream]);
        assert_eq!(all.store().events.len(), 3, "{format:?}");
        assert!(all.says("the trace was not closed properly"), "{format:?}: {:?}", all.messages());
        let half = open(&whole[..whole.len() - end_of_stream - 2]);
        assert_eq!(half.store().events.len(), 2, "{format:?}");
        assert!(half.says("Truncated: at least"), "{format:?}: {:?}", half.messages());
    }
}

/// S92, S121: unknown fields of an object are skipped.
#[test]
fn unknown_fields_of_an_object_are_skipped() {
    let fields_end = TRACE_VERSION_AT + 12 + 5 + 1 + 48;
    let mut bytes = trace(Format::Nettrace4, |builder| {
        builder.block("AB", 0, &[]).events(&[event(1, 1, 0)]);
    });
    let more = [22, 1, 0, 0, 0, 7, 22, 9];
    bytes.splice(fields_end..fields_end, more);
    assert_eq!((events(&bytes).len(), damages(&bytes).len()), (1, 0), "of the first object");
    let mut end = 0;
    let mut bytes = trace(Format::Nettrace4, |builder| {
        builder.events(&[event(1, 1, 0)]);
        end = builder.bytes().len();
        builder.events(&[event(1, 2, 0)]);
    });
    bytes.splice(end - 1..end - 1, more);
    assert_eq!(events(&bytes).len(), 2, "of a block");
    assert_eq!(damages(&bytes).len(), 1, "what is skipped is reported");
}

/// S93, S146, R1.25: an object or block of an unknown kind is skipped and named; the rest is read.
#[test]
fn unknown_kinds_are_skipped_and_reported() {
    for (format, words) in [
        (Format::Nettrace4, "Skipped a block of unknown type “Novelty” (version 2, 5 bytes)."),
        (Format::Nettrace6, "Skipped a block of unknown type “99” (5 bytes)."),
    ] {
        let opened = open(&trace(format, |builder| {
            builder.block("Novelty", 99, &[1, 2, 3, 4, 5]).events(&[event(1, 1, 0)]);
        }));
        assert_eq!(opened.store().events.len(), 1);
        assert!(opened.says(words), "{:?}", opened.messages());
    }
    let mut unknown = 0;
    each_item(
        &trace(Format::Netperf3, |builder| {
            builder.block("Novelty", 0, &[1, 2, 3]);
        }),
        |item| unknown += u32::from(matches!(item, Item::Unknown(_))),
    )
    .unwrap();
    assert_eq!(unknown, 1);
}
