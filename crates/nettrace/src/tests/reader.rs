//! Tests the reader of resolved events.

use super::sample::{self, XorShift};
use crate::testing::{Event as Written, Format, PayloadWriter, TraceBuilder};
use crate::{
    Event, Field, FieldType, Guid, IssueKind, LabelList, MetadataRecord, ReadError, SequencePoint, ThreadRow,
    TraceReader, ValueRef, clr,
};
use std::io::{self, Read};

/// Source that gives bytes in chunks of random sizes.
struct Chunks<'a>(&'a [u8], XorShift);

impl Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = (1 + self.1.below(50)).min(buffer.len()).min(self.0.len());
        let (head, rest) = self.0.split_at(length);
        buffer[..length].copy_from_slice(head);
        self.0 = rest;
        Ok(length)
    }
}

/// Returns all data of an event as text.
fn describe(event: &Event<'_>) -> String {
    let stack: Vec<u64> = event.stack().collect();
    format!(
        "{} {} v{} l{} k{:x} {:?} thread {:?} {:?} by {:?} cpu {:?} {:?} {:?} {:?} {stack:x?} {:?} {:?}",
        event.timestamp(),
        event.event_type(),
        event.version(),
        event.level(),
        event.keywords(),
        event.opcode(),
        event.thread().id().or(event.thread().index()),
        event.thread().name(),
        event.capture_thread().id().or(event.capture_thread().index()),
        event.processor(),
        event.activity_id(),
        event.related_activity_id(),
        event.labels(),
        event.payload_bytes(),
        event.payload(),
    )
}

/// Reads all events and the problems.
fn read_all<R: Read>(mut reader: TraceReader<R>) -> (Vec<String>, TraceReader<R>) {
    let mut events = Vec::new();
    while let Some(event) = reader.next_event().expect("a source that doesn't fail") {
        events.push(describe(&event));
    }
    assert!(reader.next_event().expect("still").is_none(), "the end stays the end");
    (events, reader)
}

fn reader(trace: &[u8]) -> TraceReader<&[u8]> {
    TraceReader::new(trace).expect("a trace")
}

#[test]
fn events_of_every_format_are_resolved() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let mut reader = reader(&trace);
        let mut index = 0;
        while let Some(event) = reader.next_event().unwrap() {
            let written = &sample::events()[index];
            let what = format!("{format:?} {index}: {event:?}");
            assert_eq!((event.timestamp(), event.payload_bytes()), (written.timestamp, &written.payload[..]), "{what}");
            let is_order = written.metadata_id == 1;
            assert_eq!(event.event_id(), if is_order { 7 } else { 0 }, "{what}");
            if format != Format::Netperf1 {
                let provider = if is_order { "Shop" } else { clr::RUNTIME };
                assert_eq!(event.provider(), provider, "{what}");
            }
            if is_order && !written.payload.is_empty() {
                assert_eq!(event.field("id").as_u64(), Some(index as u64), "{what}");
                assert!(event.field("name").as_text().is_some_and(|name| name == "käse"), "{what}");
            }
            assert!(matches!(event.field("no such field"), ValueRef::Null));
            match format {
                Format::Nettrace6 => {
                    assert_eq!(event.thread().index(), Some(written.thread), "{what}");
                    let labels = sample::labels().get(written.label_list.wrapping_sub(1) as usize).cloned();
                    // The second block is after a sequence point, where no label list is defined.
                    let labels = labels.filter(|_| index < 5).unwrap_or_default();
                    assert_eq!(event.labels(), &labels, "{what}");
                }
                _ => assert_eq!(event.thread().id(), Some(written.thread), "{what}"),
            }
            index += 1;
        }
        assert_eq!(index, sample::events().len(), "{format:?}");
        assert!(reader.is_complete(), "{format:?}");
        assert_eq!(reader.offset(), trace.len() as u64);
    }
}

#[test]
fn source_chunk_size_has_no_effect() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let (whole, of_whole) = read_all(reader(&trace));
        let (chunked, of_chunks) = read_all(TraceReader::new(Chunks(&trace, XorShift(5))).expect("a trace"));
        assert_eq!(chunked, whole, "{format:?}");
        assert_eq!(of_chunks.issues(), of_whole.issues());
    }
}

#[test]
fn other_data_and_source_failures_are_errors() {
    assert!(matches!(TraceReader::new(&b"not a trace"[..]), Err(ReadError::Trace(_))));
    assert!(matches!(TraceReader::new(&b""[..]), Err(ReadError::Trace(_))));
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("pulled the plug"))
        }
    }
    let error = TraceReader::new(Broken).expect_err("a failure");
    assert_eq!(error.to_string(), "Can't read the trace: pulled the plug.");
    let trace = sample::trace(Format::Nettrace4, true);
    let mut reader = TraceReader::new(trace[..trace.len() / 2].chain(Broken)).expect("the header");
    let failure = loop {
        match reader.next_event() {
            Ok(event) => assert!(event.is_some()),
            Err(failure) => break failure,
        }
    };
    assert!(matches!(failure, ReadError::Io(_)));
}

fn record(metadata_id: u32, name: &str) -> MetadataRecord {
    let fields = vec![Field::new("number", FieldType::UInt32)];
    MetadataRecord {
        metadata_id,
        provider: "Shop".to_owned(),
        event_id: metadata_id,
        name: name.to_owned(),
        level: 4,
        version: 1,
        fields,
        ..MetadataRecord::default()
    }
}

fn event(timestamp: i64, thread: u64, sequence: u32) -> Written {
    let payload = PayloadWriter::new().u32(timestamp as u32).finish();
    Written { metadata_id: 1, timestamp, thread, capture_thread: thread, sequence, payload, ..Written::default() }
}

#[test]
fn stacks_and_labels_end_at_sequence_point() {
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    let list = LabelList { opcode: Some(9), level: Some(2), version: Some(3), keywords: Some(8), ..Default::default() };
    let referring = |timestamp, sequence| Written { stack_id: 1, label_list: 1, ..event(timestamp, 7, sequence) };
    builder
        .metadata(&[record(1, "Order")])
        .threads(&[ThreadRow { index: 7, thread_id: Some(70), process_id: Some(5), ..Default::default() }])
        .labels(1, &[list])
        .stacks(1, &[&[0x10, 0x20]])
        .events(&[referring(1, 1)])
        .sequence_point(5, 0, &[(7, 1)])
        .events(&[referring(6, 2)])
        .stacks(1, &[&[0x30]])
        .events(&[Written { label_list: 0, ..referring(7, 3) }]);
    let trace = builder.finish();
    let mut reader = reader(&trace);
    let mut seen = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        assert_eq!((event.thread().id(), event.process_id(), event.thread().index()), (Some(70), Some(5), Some(7)));
        let overridden = (event.opcode(), event.level(), event.version(), event.keywords());
        seen.push((event.stack().collect::<Vec<_>>(), overridden));
    }
    let plain = (None, 4, 1, 0);
    let expected = [(vec![0x10, 0x20], (Some(9), 2, 3, 8)), (vec![], plain), (vec![0x30], plain)];
    assert_eq!(seen, expected);
    let kinds: Vec<_> = reader.issues().iter().map(|issue| issue.kind.clone()).collect();
    assert_eq!(kinds, [IssueKind::UndefinedLabels(1), IssueKind::UndefinedStack(1)]);
}

#[test]
fn sequence_point_flags_end_threads_and_metadata() {
    let row = |name: &str| ThreadRow { index: 7, name: Some(name.to_owned()), ..ThreadRow::default() };
    let trace_of = |flags, again: bool| {
        let mut builder = TraceBuilder::new(Format::Nettrace6);
        builder.metadata(&[record(1, "Order")]).threads(&[row("main")]).events(&[event(1, 7, 1)]);
        builder.sequence_point(5, flags, &[(7, 1)]);
        if again {
            builder.metadata(&[record(1, "Other")]).threads(&[row("worker")]);
        }
        builder.events(&[event(6, 7, if flags & 1 == 0 { 2 } else { 1 })]);
        builder.finish()
    };
    let both = SequencePoint::FLUSH_THREADS | SequencePoint::FLUSH_METADATA;
    for (flags, again, expected) in [
        (0, false, [("Order", Some("main")), ("Order", Some("main"))]),
        (0, true, [("Order", Some("main")), ("Other", Some("worker"))]),
        (both, true, [("Order", Some("main")), ("Other", Some("worker"))]),
        (both, false, [("Order", Some("main")), ("", None)]),
    ] {
        let trace = trace_of(flags, again);
        let mut reader = reader(&trace);
        let mut seen = Vec::new();
        while let Some(event) = reader.next_event().unwrap() {
            seen.push((event.name().to_owned(), event.thread().name().map(str::to_owned)));
        }
        let expected = expected.map(|(name, thread)| (name.to_owned(), thread.map(str::to_owned)));
        assert_eq!(seen, expected, "{flags} {again}");
        assert_eq!(reader.issue_count(), if flags != 0 && !again { 2 } else { 0 });
        assert_eq!(reader.lost_events(), Some(0));
    }
}

#[test]
fn redefined_equal_metadata_is_same_type() {
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    builder.threads(&[ThreadRow { index: 7, ..ThreadRow::default() }]);
    for round in 0..5 {
        let again = MetadataRecord { metadata_id: 1 + round, event_id: 1, ..record(1, "Order") };
        builder.metadata(&[again]);
        let round = i64::from(round);
        builder.events(&[Written { metadata_id: 1 + round as u32, ..event(round, 7, 1) }]);
        builder.sequence_point(round, 3, &[]);
        builder.threads(&[ThreadRow { index: 7, ..ThreadRow::default() }]);
    }
    let (events, reader) = {
        let trace = builder.finish();
        let (events, reader) = read_all(TraceReader::new(io::Cursor::new(trace)).expect("a trace"));
        (events.len(), reader)
    };
    assert_eq!((events, reader.event_types().len(), reader.threads().len()), (5, 1, 1));
    assert_eq!(reader.event_types()[0].to_string(), "Shop/Order");
}

#[test]
fn runtime_events_have_built_in_names_and_fields() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    let of_runtime = |metadata_id, event_id| MetadataRecord {
        metadata_id,
        provider: clr::RUNTIME.to_owned(),
        event_id,
        version: 1,
        ..MetadataRecord::default()
    };
    builder.metadata(&[of_runtime(1, 80), of_runtime(2, 9999)]);
    let payload = PayloadWriter::new().utf16("System.Exception").utf16("No tea").u64(0xAB).finish();
    builder.events(&[Written { payload, ..event(1, 7, 1) }, Written { metadata_id: 2, ..event(2, 7, 2) }]);
    let trace = builder.finish();
    let mut reader = reader(&trace);
    let thrown = reader.next_event().unwrap().expect("an event");
    assert_eq!(thrown.event_type().to_string(), "Microsoft-Windows-DotNETRuntime/ExceptionThrown");
    let written: Vec<_> = thrown.fields().take(4).map(|(name, value)| format!("{name}={value}")).collect();
    let expected =
        ["ExceptionType=System.Exception", "ExceptionMessage=No tea", "ExceptionEIP=0xab", "ExceptionHRESULT=null"];
    assert_eq!(written, expected);
    assert!(thrown.event_type().metadata().is_some_and(|metadata| metadata.name.is_empty()), "as in the file");
    let unknown = reader.next_event().unwrap().expect("an event");
    assert_eq!(unknown.event_type().to_string(), "Microsoft-Windows-DotNETRuntime/9999");
    assert_eq!((unknown.name(), unknown.fields().len()), ("", 0));
}

#[test]
fn damage_is_reported_and_rest_is_read() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.metadata(&[record(1, "Order")]).events(&[event(1, 7, 1), event(2, 7, 2)]);
    let start = builder.bytes().len() as u64;
    builder.raw(&[0xEE; 100]).events(&[event(3, 7, 5)]).events(&[Written { metadata_id: 8, ..event(4, 7, 7) }]);
    let trace = builder.abort();
    let (events, reader) = read_all(reader(&trace));
    assert_eq!(events.len(), 4);
    assert!(!reader.is_complete());
    assert_eq!(reader.lost_events(), Some(1), "two events of the damage, one after it");
    let issues: Vec<_> = reader.issues().iter().map(|issue| (issue.offset, issue.to_string())).collect();
    assert_eq!(issues[0].0, start);
    assert!(issues[0].1.starts_with("Skipped 100 damaged bytes. Expected a block header here"), "{issues:?}");
    assert!(issues[1].1.starts_with("An event refers to metadata record 8, which isn't in the file"), "{issues:?}");
    assert_eq!(reader.issue_count(), 3, "and the missing end-of-stream marker");
    assert!(reader.event_types().iter().any(|it| it.metadata().is_none() && it.to_string() == "undefined metadata 8"));
}

#[test]
fn truncation_at_any_byte_loses_only_the_rest() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let (whole, _) = read_all(reader(&trace));
        let mut longest = 0;
        for length in 0..trace.len() {
            let Ok(reader) = TraceReader::new(&trace[..length]) else { continue };
            let (events, reader) = read_all(reader);
            assert!(whole.starts_with(&events), "{format:?} cut at {length}");
            assert!(events.len() >= longest, "{format:?} cut at {length}");
            assert!(
                !reader.is_complete() || matches!(format, Format::Netperf1 | Format::Netperf2),
                "{format:?} {length}"
            );
            longest = events.len();
        }
        assert_eq!(longest, whole.len(), "{format:?}");
    }
}

/// Returns a trace with several threads, whose events are in runs.
fn unsorted_trace(format: Format, regions: i64, per_run: i64, point: bool) -> Vec<u8> {
    let mut builder = TraceBuilder::new(format);
    builder.metadata(&[record(1, "Order")]);
    if format == Format::Nettrace6 {
        let row = |index| ThreadRow { index, ..ThreadRow::default() };
        builder.threads(&[row(1), row(2), row(3)]);
    }
    let mut sequence = [0_u32; 4];
    for region in 0..regions {
        for thread in [3, 1, 2] {
            let events: Vec<_> = (0..per_run)
                .map(|at| {
                    sequence[thread] += 1;
                    event(region * 3 * per_run + 3 * at + thread as i64 % 2, thread as u64, sequence[thread])
                })
                .collect();
            builder.events(&events);
        }
        if point {
            builder.sequence_point((region + 1) * 3 * per_run, 0, &[]);
        } else {
            // No later event is earlier than this one.
            sequence[1] += 1;
            let marker = event((region + 1) * 3 * per_run - 1, 1, sequence[1]);
            builder.events(&[Written { is_sorted: true, ..marker }]);
        }
    }
    builder.finish()
}

#[test]
fn sorted_events_are_complete_and_in_time_order() {
    for format in [Format::Nettrace4, Format::Nettrace6] {
        for (regions, per_run, point) in [(5, 20, true), (3, 1, true), (4, 20_000, false), (1, 100, false)] {
            let trace = unsorted_trace(format, regions, per_run, point);
            let (in_file_order, _) = read_all(reader(&trace));
            let (sorted, sorted_reader) = read_all(reader(&trace).sorted());
            let what = format!("{format:?} {regions} {per_run} {point}");
            assert_eq!(sorted_reader.issue_count(), 0, "{what}");
            let time = |text: &String| text.split(' ').next().unwrap().parse::<i64>().unwrap();
            assert!(sorted.is_sorted_by_key(time), "{what}");
            assert!(per_run < 2 || !in_file_order.is_sorted_by_key(time), "{what}");
            let ordered = |mut events: Vec<String>| {
                events.sort();
                events
            };
            assert_eq!(ordered(sorted), ordered(in_file_order), "{what}");
        }
    }
}

#[test]
fn simultaneous_events_are_sorted_by_capture_thread_and_sequence() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.metadata(&[record(1, "Order")]).events(&[event(5, 9, 1), event(5, 9, 2), event(5, 2, 1), event(4, 2, 2)]);
    let trace = builder.finish();
    let mut reader = reader(&trace).sorted();
    let mut order = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        order.push((event.timestamp(), event.thread().id(), event.raw_header().sequence));
    }
    assert_eq!(order, [(4, Some(2), 2), (5, Some(2), 1), (5, Some(9), 1), (5, Some(9), 2)]);
}

#[test]
fn sorted_netperf_events_keep_stacks() {
    for format in [Format::Netperf1, Format::Netperf2, Format::Netperf3] {
        let mut builder = TraceBuilder::new(format);
        builder.metadata(&[record(1, "Order")]);
        builder.events(&[Written { stack: vec![0x10, 0x20], ..event(2, 7, 0) }, event(1, 7, 0)]);
        let trace = builder.finish();
        let stacks = |mut reader: TraceReader<&[u8]>| {
            let mut stacks = Vec::new();
            while let Some(event) = reader.next_event().unwrap() {
                assert_eq!(event.payload_bytes(), (event.timestamp() as u32).to_le_bytes());
                stacks.push((event.timestamp(), event.stack().rev().collect::<Vec<_>>(), event.stack().len()));
            }
            stacks
        };
        let expected = [(2, vec![0x20, 0x10], 2), (1, vec![], 0)];
        assert_eq!(stacks(reader(&trace)), expected, "{format:?}");
        let sorted = [expected[1].clone(), expected[0].clone()];
        assert_eq!(stacks(reader(&trace).sorted()), sorted, "{format:?}");
        assert_eq!(reader(&trace).lost_events(), None);
    }
}

#[test]
fn activity_comes_from_header_or_labels() {
    let guid = |byte| Guid([byte; 16]);
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    let with = Written { activity_id: guid(1), related_activity_id: guid(2), ..event(1, 7, 1) };
    builder.metadata(&[record(1, "Order")]).events(&[with, event(2, 7, 2)]);
    let trace = builder.finish();
    let mut v4 = reader(&trace);
    let ids = |event: Event<'_>| (event.activity_id(), event.related_activity_id());
    assert_eq!(v4.next_event().unwrap().map(ids), Some((Some(guid(1)), Some(guid(2)))));
    assert_eq!(v4.next_event().unwrap().map(ids), Some((None, None)));
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    let list = LabelList { activity_id: Some(guid(3)), related_activity_id: Some(guid(4)), ..LabelList::default() };
    builder.metadata(&[record(1, "Order")]).labels(4, &[list]).events(&[Written { label_list: 4, ..event(1, 7, 1) }]);
    let trace = builder.finish();
    assert_eq!(reader(&trace).next_event().unwrap().map(ids), Some((Some(guid(3)), Some(guid(4)))));
}
