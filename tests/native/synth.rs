//! Traces of `cargo xtask synth` are like those of a recorder.

#![cfg(not(target_arch = "wasm32"))]

use engine::model::Store;
use engine::session::{FileFacts, Loader, Session};
use nettrace::MetadataRecord;
use nettrace::testing::{Event, Format, TraceBuilder};
use protocol::queries;
use protocol::request::{Filter, TreeQuery, Weight};
use protocol::topics::topic::Topic;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use xtask::synth::{Size, objects, repeat, samples};

fn load(trace: &[u8]) -> Store {
    let mut loader = Loader::new();
    loader.append(trace.len(), |space| space.copy_from_slice(trace));
    loader.finish().map_err(|failure| failure.message).expect("a trace")
}

fn repeated(trace: &[u8], size: Size) -> Vec<u8> {
    let mut output = Vec::new();
    repeat(&mut Cursor::new(trace), size, &mut output).expect("a trace to repeat");
    output
}

/// Returns events by type (provider, ID, state of samples), without those of the rundown.
fn by_type(store: &Store) -> BTreeMap<(String, u32, u32), [u64; 3]> {
    let mut totals = BTreeMap::<_, [u64; 3]>::new();
    for one in store.types.iter().filter(|one| one.count > 0 && !one.is_rundown) {
        let key = (one.provider.clone(), one.record.event_id, one.id.0 - one.base.0);
        let sum = totals.entry(key).or_default();
        for (sum, value) in sum.iter_mut().zip([one.count, one.payload_bytes, one.with_stack]) {
            *sum += value;
        }
    }
    totals
}

fn by_thread(store: &Store) -> BTreeMap<u64, u64> {
    let mut totals = BTreeMap::new();
    for thread in store.threads.iter().filter(|thread| thread.events > 0) {
        *totals.entry(thread.os_thread).or_default() += thread.events;
    }
    totals
}

/// Returns a trace of two threads whose runs alternate inside blocks, with some lost events.
fn small(compressed: bool) -> Vec<u8> {
    let trace = TraceBuilder::new(Format::Nettrace4);
    let mut trace = if compressed { trace } else { trace.uncompressed() };
    let record = |metadata_id| MetadataRecord {
        metadata_id,
        provider: "Shop".into(),
        event_id: 7 + metadata_id,
        ..Default::default()
    };
    trace.metadata(&[record(1), record(2)]);
    let mut sequences = [0; 2];
    for block in 0..3_i64 {
        trace.stacks(1, &[&[0x10, 0x20], &[0x30, 0x20]]);
        let mut events = Vec::new();
        for run in 0..4 {
            let thread = run % 2;
            for at in 0..5 {
                // One event of the second thread is lost in every block.
                sequences[thread] += 1 + u32::from(run == 3 && at == 2);
                events.push(Event {
                    metadata_id: 1 + thread as u32,
                    thread: 40 + thread as u64,
                    capture_thread: 40 + thread as u64,
                    sequence: sequences[thread],
                    stack_id: 1 + at as u32 % 2,
                    timestamp: 1_000_100 + block * 1000 + (run as i64 / 2) * 100 + at * 10 + thread as i64,
                    payload: vec![7; at as usize],
                    ..Event::default()
                });
            }
        }
        trace.events(&events);
        trace.sequence_point(1_000_900 + block * 1000, 0, &[(40, sequences[0]), (41, sequences[1])]);
    }
    trace.finish()
}

#[test]
fn repeated_trace_multiplies_counts() {
    for compressed in [true, false] {
        let small = small(compressed);
        let once = load(&small);
        assert_eq!((once.events.len(), once.lost_events), (60, Some(3)));
        assert_eq!(repeated(&small, Size::Times(1)), small, "once is the same file");
        let seven = load(&repeated(&small, Size::Times(7)));
        assert_eq!(seven.diagnostics.examples, [], "compressed: {compressed}");
        assert_eq!((seven.events.len(), seven.lost_events), (420, Some(21)));
        let times_seven = by_type(&once).into_iter().map(|(key, sums)| (key, sums.map(|sum| 7 * sum))).collect();
        assert_eq!(by_type(&seven), times_seven);
        assert_eq!(by_thread(&seven), by_thread(&once).into_iter().map(|(id, events)| (id, 7 * events)).collect());
        let chunk = &seven.events.chunks()[0];
        let ticks: Vec<i64> = (0..chunk.len()).map(|row| chunk.ticks(row)).collect();
        assert!(ticks.is_sorted() && ticks[60..].iter().zip(&ticks).all(|(later, earlier)| later > earlier));
        let stacks = (0..chunk.len()).map(|row| seven.stacks.leaf_to_root(chunk.stack(row)).count());
        assert!(stacks.eq(std::iter::repeat_n(2, 420)), "every event keeps its stack");
    }
}

#[test]
fn repeating_large_trace_needs_little_memory() {
    let mut trace = TraceBuilder::new(Format::Nettrace4);
    let record =
        |metadata_id| MetadataRecord { metadata_id, provider: "Shop".into(), event_id: 7, ..Default::default() };
    trace.metadata(&[record(1), record(2), record(3)]);
    trace.stacks(1, &[&[0x10, 0x20, 0x30], &[0x40, 0x20, 0x30]]);
    for block in 0..20_u32 {
        let event = |at: u32| Event {
            metadata_id: 1 + at % 3,
            thread: 40 + u64::from(block % 4),
            capture_thread: 40 + u64::from(block % 4),
            sequence: block / 4 * 2000 + at + 1,
            stack_id: 1 + at % 2,
            timestamp: 1_000_000 + i64::from(block / 4 * 20_000 + at * 10),
            payload: vec![7; 20 + at as usize % 30],
            ..Event::default()
        };
        trace.events(&(0..2000).map(event).collect::<Vec<_>>());
    }
    let large = repeated(&trace.finish(), Size::Times(20));
    let (store, file_bytes) = (load(&large), large.len() as u64);
    let events = store.total_events;
    assert_eq!(events, 800_000);
    let session = Session::new(store, Box::new(large), FileFacts::default()).map_err(|failure| failure.message);
    let held = session.expect("a session").memory();
    assert!(held.columns <= 24 * events, "{held:?}");
    assert!(held.total() <= 24 * events + (4 << 20), "{held:?}");
    assert!(held.directory <= file_bytes / 100, "{held:?} of {file_bytes}");
}

#[test]
fn repeated_recording_keeps_one_rundown() {
    let fixture = crate::common::root().join("tests/fixtures/orders-net31.nettrace.gz");
    let mut source = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(fixture).unwrap()).read_to_end(&mut source).unwrap();
    let once = load(&source);
    let large = repeated(&source, Size::Times(3));
    let store = load(&large);
    assert_eq!(store.diagnostics.examples, []);
    assert_eq!(store.lost_events, Some(0));
    assert_eq!(store.rundown_events, once.rundown_events);
    assert_eq!(store.methods.len(), once.methods.len());
    // Events written during the rundown aren't repeated, so slightly less than three times all events is expected.
    let user = |store: &Store| store.events.len() as u64 - store.rundown_events;
    let (of_one, of_three) = (user(&once), user(&store));
    assert!((of_one * 29 / 10..=of_one * 3).contains(&of_three), "{of_one} and {of_three} events");
    let (one, three) = (once.user_span.duration(), store.user_span.duration());
    assert!((one * 29 / 10..=one * 31 / 10).contains(&three), "{one} and {three} ns");
}

#[test]
fn generated_samples_have_requested_stacks() {
    let mut trace = Vec::new();
    samples::write_to(samples::Samples { count: 5000, depth: 60 }, &mut trace).expect("a trace");
    let store = load(&trace);
    assert_eq!(store.diagnostics.examples, []);
    assert_eq!(store.lost_events, Some(0));
    assert_eq!(store.user_span.duration(), 626_000_000);
    assert_eq!(store.threads.iter().filter(|thread| thread.events == 625).count(), 8);
    let mut session = Session::new(store, Box::new(trace), FileFacts::default()).expect("a session");
    assert_eq!(session.summary().samples, 5000);
    let query = TreeQuery { weight: Weight::Count, ..TreeQuery::default() };
    let request = queries::HotPath { query, max_depth: 100 };
    let path = session.ask(&request).expect("nodes");
    assert_eq!(path.function.len(), 60, "a stack has 60 frames");
    assert_eq!(path.inclusive[0], 5000.0, "all begin in the same method");
    assert!(path.inclusive[59] < 50.0, "and end in many");
    assert!(path.name.iter().all(|name| name.contains("Shop.Area")));
}

#[test]
fn generated_heap_has_requested_objects() {
    let mut trace = Vec::new();
    objects::write_to(10_000, &mut trace).expect("a trace");
    let store = load(&trace);
    assert_eq!(store.diagnostics.examples, []);
    let mut session = Session::new(store, Box::new(trace), FileFacts::default()).expect("a session");
    let report = session.ask(&queries::Report { topic: Topic::Heap, filter: Filter::default() }).expect("a report");
    let figure = |key: &str| report.figures.iter().find(|one| one.key == key).map(|one| one.value);
    // 24 bytes, and 96 more on average.
    assert_eq!(["objects", "bytes", "types", "roots"].map(figure), [10_000.0, 1_200_000.0, 400.0, 10.0].map(Some));
    assert!(figure("references").is_some_and(|references| references > 10_000.0));
    assert!(report.verdict.starts_with("10,000 objects of 400 types occupy"), "{}", report.verdict);
}

#[test]
fn unsupported_source_is_rejected() {
    for (bytes, why) in [
        (&b"PK\x03\x04 and more that is no trace at all, as long as a header"[..], "nettrace 4 or 5"),
        (&small(true)[..400], "cannot be read"),
    ] {
        let outcome = repeat(&mut Cursor::new(bytes), Size::Times(2), &mut Vec::new());
        assert!(outcome.as_ref().is_err_and(|message| message.contains(why)), "{outcome:?}");
    }
    assert_eq!(Size::bytes("250MB"), Ok(Size::Bytes(250_000_000)));
    assert!(Size::bytes("much").is_err());
}
