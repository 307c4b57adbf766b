//! Sequence points, threads and labels of version 6: S206 to S241.

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Guid, LabelList, LabelValue, ThreadRow};

const FLUSH_THREADS: u32 = 1;
const FLUSH_METADATA: u32 = 2;

fn v6(write: impl FnOnce(&mut TraceBuilder)) -> Opened {
    open(&trace(Format::Nettrace6, write))
}

fn on(index: u64, event: Event) -> Event {
    Event { thread: index, capture_thread: index, ..event }
}

/// Returns a row with an index and OS IDs.
fn row(index: u64, process_id: u64, thread_id: u64) -> ThreadRow {
    ThreadRow { index, process_id: Some(process_id), thread_id: Some(thread_id), ..ThreadRow::default() }
}

fn os_threads(opened: &mut Opened) -> Vec<u64> {
    opened.details().into_iter().map(|detail| detail.os_thread).collect()
}

/// S206, S210, R1.58, R1.60: metadata IDs are valid until a sequence point with their flag.
#[test]
fn metadata_ids_end_only_with_flag() {
    let mut opened = v6(|builder| {
        builder.threads(&[thread(7)]).events(&[event(1, 1, 1)]).sequence_point(2, 0, &[]).events(&[event(1, 2, 3)]);
        builder.sequence_point(4, FLUSH_METADATA, &[]).metadata(&[record(1, "Refund")]).events(&[event(1, 3, 5)]);
        builder.sequence_point(6, FLUSH_METADATA, &[]).events(&[event(1, 4, 7)]);
    });
    let names: Vec<_> = opened.details().into_iter().map(|detail| detail.name).collect();
    assert_eq!(names[..3], ["Order", "Order", "Refund"]);
    assert!(names[3].contains("Undefined"), "{names:?}");
}

/// S207, S210, R1.55, R1.57: thread indices are valid until a sequence point with their flag; the same thread stays
/// one.
#[test]
fn thread_indices_end_only_with_flag() {
    let mut opened = v6(|builder| {
        builder.threads(&[row(999, 84, 12)]).events(&[on(999, event(1, 1, 1))]).sequence_point(2, 0, &[(999, 1)]);
        builder.events(&[on(999, event(1, 2, 3))]).sequence_point(4, FLUSH_THREADS, &[(999, 2)]);
        builder.threads(&[row(999, 84, 15)]).events(&[on(999, event(1, 1, 5))]).sequence_point(6, FLUSH_THREADS, &[]);
        builder.threads(&[row(3, 84, 12)]).events(&[on(3, event(1, 1, 7))]);
    });
    assert_eq!(os_threads(&mut opened), [12, 12, 15, 12]);
    assert_eq!(opened.store().threads.len(), 2, "declared again, thread 12 is the same");
    assert!(opened.is_clean(), "{:?}", opened.messages());
    assert_eq!(opened.summary().lost, Some(0));
}

/// S207, S76, R1.61: losses of a sequence point are counted before it invalidates threads.
#[test]
fn losses_are_counted_before_threads_are_forgotten() {
    let opened = v6(|builder| {
        builder.threads(&[row(999, 84, 12)]).sequence_point(2, FLUSH_THREADS, &[(999, 5)]);
    });
    assert_eq!(opened.summary().lost, Some(5));
}

/// S208: the time of a sequence point may be the maximum; unknown flags are ignored.
#[test]
fn sequence_point_may_have_no_time() {
    let opened = v6(|builder| {
        builder.threads(&[thread(7)]).events(&[event(1, 1, 10)]).sequence_point(-1, 0x80, &[(7, 3)]);
    });
    assert_eq!(opened.summary().lost, Some(2));
    assert!(opened.is_clean(), "{:?}", opened.messages());
    assert!(opened.summary().full_span.end.0 < i64::MAX / 2, "{:?}", opened.summary().full_span);
}

/// S209: a sequence point may omit threads, whose losses are gaps in their own numbers.
#[test]
fn sequence_point_may_omit_threads() {
    let opened = v6(|builder| {
        builder.threads(&[thread(7), thread(8)]).events(&[event(1, 1, 10), on(8, event(1, 1, 10))]);
        builder.sequence_point(20, 0, &[]).events(&[event(1, 5, 30), on(8, event(1, 2, 31))]);
    });
    assert_eq!(opened.summary().lost, Some(3));
}

/// S212, S218: a thread may have only an index; two such threads differ.
#[test]
fn thread_may_have_only_index() {
    let mut opened = v6(|builder| {
        let bare = |index| ThreadRow { index, ..ThreadRow::default() };
        builder.threads(&[bare(7), bare(8)]).events(&[on(7, event(1, 1, 1)), on(8, event(1, 1, 2))]);
    });
    let labels: Vec<_> = opened.details().into_iter().map(|detail| (detail.thread.0, detail.thread_label)).collect();
    assert_eq!(labels, [(0, "thread #7".to_owned()), (1, "thread #8".to_owned())]);
    // No OS thread ID is invented or displayed.
    let threads = opened.threads();
    assert_eq!(threads.number.iter().collect::<Vec<_>>(), ["", ""]);
    assert!(threads.facts.get(0).contains("No OS thread ID"), "{}", threads.facts.get(0));
    assert_eq!(fact(&opened.detail(0), "Capture thread"), "index 7");
}

/// S213, S214, S215, S216, S217, R1.50: name, IDs and pairs of a thread in any order; an unknown item ends its row
/// only.
#[test]
fn thread_has_name_and_ids() {
    let known = PayloadWriter::new().var_u64(7).u8(4).short_utf8("Key1").short_utf8("Value1").u8(3).var_u64(123);
    let known = known.u8(1).short_utf8("ThreadName").u8(4).short_utf8("Key2").short_utf8("Value2").u8(2).var_u64(124);
    let unknown = PayloadWriter::new().var_u64(8).u8(3).var_u64(125).u8(77).u8(3).var_u64(126);
    let rows = [known.finish(), unknown.finish()];
    let block = rows.iter().fold(PayloadWriter::new(), |block, row| block.u16(row.len() as u16).bytes(row));
    let mut opened = v6(|builder| {
        builder.block("", 6, &block.finish()).events(&[on(7, event(1, 1, 1)), on(8, event(1, 1, 2))]);
    });
    let details = opened.details();
    assert_eq!(
        (details[0].thread_label.as_str(), details[0].os_thread, details[1].os_thread),
        ("ThreadName", 123, 125)
    );
    let first = opened.store().threads.get(details[0].thread).unwrap();
    assert_eq!(opened.store().processes.get(first.process).map(|process| process.os_process), Some(124));
    assert!(opened.says("Unknown optional field (kind 77)"), "{:?}", opened.messages());
    assert_eq!(opened.threads().facts.get(0), "Key1: Value1 · Key2: Value2");
}

/// S238, R1.48, R1.49: threads of several processes, declared and removed in several blocks.
#[test]
fn threads_of_several_processes_are_read() {
    let mut opened = v6(|builder| {
        builder.threads(&[row(998, 7, 5), row(999, 84, 12)]);
        builder.events(&[on(999, event(1, 1, 1)), on(998, event(1, 1, 2)), on(999, event(1, 2, 3))]);
        builder.threads(&[row(1000, 7, 22)]).events(&[on(1000, event(1, 1, 4)), on(999, event(1, 3, 5))]);
        builder.removed_threads(&[(998, 1), (999, 3)]).threads(&[row(1001, 7, 79)]);
        builder.events(&[on(1000, event(1, 2, 6)), on(1001, event(1, 1, 7))]);
    });
    let ids: Vec<_> = opened
        .details()
        .into_iter()
        .map(|detail| {
            let thread = opened.store().threads.get(detail.thread).unwrap();
            let process = opened.store().processes.get(thread.process).unwrap();
            (process.os_process, detail.os_thread)
        })
        .collect();
    assert_eq!(ids, [(84, 12), (7, 5), (84, 12), (7, 22), (84, 12), (7, 22), (7, 79)]);
    assert!(opened.is_clean(), "{:?}", opened.messages());
    assert_eq!(opened.summary().processes, 2, "with events of them");
}

/// S220: several indices may refer to one OS thread, which has one track.
#[test]
fn several_indices_may_refer_to_one_thread() {
    let mut opened = v6(|builder| {
        builder.threads(&[row(1, 5, 50), row(2, 5, 50)]).events(&[on(1, event(1, 1, 1)), on(2, event(1, 1, 2))]);
    });
    assert_eq!(os_threads(&mut opened), [50, 50]);
    assert_eq!(opened.store().threads.len(), 1);
    assert_eq!(opened.threads().facts.get(0), "Listed under 2 thread indices");
    assert_eq!(fact(&opened.detail(1), "Capture thread"), "50");
}

/// S221, S222: declarations and removals don't contain the lifetime of a thread; a removed index may be reused.
#[test]
fn removed_index_may_be_reused() {
    let mut opened = v6(|builder| {
        builder.threads(&[row(1, 5, 50)]).events(&[on(1, event(1, 1, 10))]).removed_threads(&[(1, 1)]);
        builder.threads(&[row(1, 5, 51)]).events(&[on(1, event(1, 1, 20))]);
    });
    assert_eq!(os_threads(&mut opened), [50, 51]);
    assert!(opened.is_clean(), "{:?}", opened.messages());
    let lives: Vec<_> = opened.store().threads.iter().map(|thread| thread.last_ticks - thread.first_ticks).collect();
    assert_eq!(lives, [0, 0], "from events only");
}

/// S224, R1.45, R1.47: removing an unknown or removed index is reported, and has no other effect.
#[test]
fn removal_of_unknown_index_is_reported() {
    let opened = v6(|builder| {
        builder.threads(&[row(1, 5, 50)]).events(&[on(1, event(1, 1, 10))]).removed_threads(&[(900, 4), (1, 1)]);
        builder.removed_threads(&[(1, 1)]).threads(&[row(2, 5, 51)]).events(&[on(2, event(1, 1, 20))]);
    });
    assert_eq!(opened.store().events.len(), 2);
    assert!(opened.says("A removal refers to undefined thread index 900"), "{:?}", opened.messages());
    assert!(opened.says("A removal refers to undefined thread index 1"), "{:?}", opened.messages());
    assert_eq!((opened.summary().lost, opened.store().threads.len()), (Some(0), 2));
}

/// R1.56: an index that is redefined without a removal refers to the new thread.
#[test]
fn redefined_index_refers_to_new_thread() {
    let mut opened = v6(|builder| {
        builder.threads(&[row(999, 84, 12)]).events(&[on(999, event(1, 1, 1))]).sequence_point(2, 0, &[(999, 1)]);
        builder.threads(&[row(999, 84, 15)]).events(&[on(999, event(1, 2, 3))]);
    });
    assert_eq!(os_threads(&mut opened), [12, 15]);
}

/// S225, S226, S234, S235, R1.51: label lists by index until the next sequence point; 0 is the empty list.
#[test]
fn label_lists_have_indices() {
    for compressed in [true, false] {
        let list = |text: &str| LabelList {
            pairs: vec![("Key1".into(), LabelValue::Text(text.into()))],
            ..LabelList::default()
        };
        let mut builder = TraceBuilder::new(Format::Nettrace6);
        if !compressed {
            builder = builder.uncompressed();
        }
        builder.metadata(&[record(1, "Order")]).threads(&[thread(7)]);
        builder.labels(99, &[list("a"), list("b")]).labels(7, &[list("c"), list("d")]);
        let with = |label_list, sequence| Event { label_list, ..event(1, sequence, i64::from(sequence)) };
        builder.events(&[with(7, 1), with(8, 2), with(99, 3), with(100, 4), with(0, 5)]);
        builder.sequence_point(6, 0, &[(7, 5)]).labels(7, &[list("e")]).events(&[with(7, 6), with(8, 7)]);
        let mut opened = open(&builder.finish());
        let texts: Vec<_> = opened
            .details()
            .iter()
            .map(|detail| {
                detail.header.iter().find(|fact| fact.name == "Key1").map_or(String::new(), |fact| fact.value.clone())
            })
            .collect();
        assert_eq!(texts, ["c", "d", "a", "b", "", "e", ""], "compressed: {compressed}");
        assert!(opened.says("undefined label list"), "{:?}", opened.messages());
    }
    let opened = v6(|builder| {
        builder.labels(0, &[LabelList { span_id: Some(1), ..LabelList::default() }]);
    });
    assert!(opened.says("starts at index 0"), "{:?}", opened.messages());
}

/// S227, S228, S229, S230, S231, S232: labels contain activity, trace, span and others.
#[test]
fn labels_are_shown_for_events() {
    let list = LabelList {
        activity_id: Some(Guid([1; 16])),
        related_activity_id: Some(Guid([2; 16])),
        trace_id: Some([0x0A; 16]),
        span_id: Some(0x1234_5678_9ABC_DEF0),
        pairs: vec![
            ("Key1".into(), LabelValue::Text("Value1".into())),
            ("Key2".into(), LabelValue::Number { by_document: -62, plain: 123 }),
        ],
        ..LabelList::default()
    };
    let mut opened = v6(|builder| {
        builder.threads(&[thread(7)]).labels(1, &[list]).events(&[Event { label_list: 1, ..event(1, 1, 1) }]);
    });
    let detail = opened.detail(0);
    assert_eq!(fact(&detail, "Activity"), "01010101-0101-0101-0101-010101010101");
    assert_eq!(fact(&detail, "Related activity"), "02020202-0202-0202-0202-020202020202");
    assert_eq!(fact(&detail, "Trace ID"), "0a".repeat(16));
    assert_eq!(fact(&detail, "Span ID"), "123456789abcdef0");
    assert_eq!((fact(&detail, "Key1"), fact(&detail, "Key2")), ("Value1".to_owned(), "123".to_owned()));
}

/// S233, R1.52, R1.53: labels override opcode, keywords, level and version of the metadata, for a single event.
#[test]
fn labels_override_metadata() {
    let list =
        LabelList { opcode: Some(8), keywords: Some(0x234), level: Some(2), version: Some(3), ..LabelList::default() };
    let mut opened = v6(|builder| {
        builder.threads(&[thread(7)]).labels(1, &[list]);
        builder.events(&[Event { label_list: 1, ..event(1, 1, 1) }, event(1, 2, 2)]);
    });
    let detail = opened.detail(0);
    assert_eq!((fact(&detail, "Opcode"), fact(&detail, "Level")), ("Suspend".to_owned(), "Error".to_owned()));
    assert_eq!(detail.version, 3);
    let declared = |name: &str| {
        let fact = detail.header.iter().find(|fact| fact.name == name);
        fact.map(|fact| fact.meaning.clone()).unwrap_or_default()
    };
    assert_eq!(declared("Level"), "Set by a label on this event. Its metadata declares Informational.");
    assert_eq!(declared("Opcode"), "Set by a label on this event. Its metadata declares Info.");
    assert_eq!(declared("Version"), "Set by a label on this event. Its metadata declares 1.");
    let detail = opened.detail(1);
    assert_eq!((fact(&detail, "Level"), detail.version), ("Informational".to_owned(), 1));
}

/// S236: a label of an unknown kind ends its block, because its length is unknown; events are kept.
#[test]
fn unknown_label_ends_its_block() {
    let block = PayloadWriter::new().u32(1).u32(3).u8(0x84).u64(5).u8(60).u64(1).u8(0x84).u64(6).finish();
    let mut opened = v6(|builder| {
        builder.threads(&[thread(7)]).block("", 8, &block);
        builder.events(&[Event { label_list: 1, ..event(1, 1, 1) }, Event { label_list: 3, ..event(1, 2, 2) }]);
    });
    assert_eq!(fact(&opened.detail(0), "Span ID"), "0000000000000005");
    assert_eq!(opened.store().events.len(), 2);
    assert!(opened.says("Can't read a label list"), "{:?}", opened.messages());
}

/// R1.54: events of three threads with compressed headers, sorted or not, are in order of time.
#[test]
fn compressed_events_of_three_threads_are_sorted() {
    let mut opened = v6(|builder| {
        builder.threads(&[row(999, 84, 12), row(1000, 84, 13), row(1001, 84, 14)]);
        let made = |thread, capture_thread, sequence, timestamp, is_sorted| Event {
            thread,
            capture_thread,
            is_sorted,
            ..event(1, sequence, timestamp)
        };
        builder.events(&[
            made(999, 999, 1, 10_000, false),
            made(1000, 999, 2, 10_500, false),
            made(1000, 1000, 1, 11_123, true),
            made(999, 1000, 2, 17_000, false),
            made(1000, 999, 3, 15_000, true),
            made(1001, 1000, 3, 20_000, true),
            made(999, 1001, 1, 22_000, true),
        ]);
    });
    let rows: Vec<_> = opened.details().into_iter().map(|detail| (detail.time / 1_000_000, detail.os_thread)).collect();
    let ticks = [10_000, 10_500, 11_123, 15_000, 17_000, 20_000, 22_000];
    let threads = [12, 13, 13, 13, 12, 14, 12];
    let sync = Format::Nettrace6.header().sync_ticks;
    assert_eq!(rows, ticks.map(|ticks| ticks - sync).into_iter().zip(threads).collect::<Vec<_>>());
}

/// S241: the memory use of the parser doesn't grow with the file.
#[test]
fn parser_memory_does_not_grow() {
    assert!(size_of::<nettrace::Parser>() < 256);
}
