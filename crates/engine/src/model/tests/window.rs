//! Tests partially indexed traces: totals, losses and names still cover the whole trace.

use super::*;
use crate::model::Ingest;
use protocol::base::indexed_part::Window;
use protocol::base::time::Span;

/// Returns a trace of two threads, 40 blocks of ten events each, and a sequence point after every fourth block. One
/// event is lost, late blocks begin before the end of the previous one, and a method is named at the very end.
fn large() -> Vec<u8> {
    let mut trace = trace(Format::Nettrace4);
    trace.metadata(&[record(1, "Shop", 1, 0), record(2, "Depot", 2, 0), record(3, RUNDOWN, 144, 1)]);
    let mut sequences = [0_u32; 2];
    for block in 0..40_u32 {
        let thread = block as usize % 2;
        // Every fourth stack is empty, as for threads without managed code.
        let stack: &[u64] = if block % 4 == 2 { &[] } else { &[0x1004, 0x2004] };
        trace.stacks(1 + block % 4, &[stack]);
        let events: Vec<Event> = (0..10)
            .map(|at| {
                sequences[thread] += 1 + u32::from(block == 30 && at == 5);
                Event {
                    metadata_id: 1 + u32::from(at % 5 == 0),
                    sequence: sequences[thread],
                    capture_thread: 7 + thread as u64,
                    thread: 7 + thread as u64,
                    stack_id: 1 + block % 4,
                    // The blocks of both threads cover the same time.
                    timestamp: i64::from(block / 2) * 100 + at * 10 + thread as i64,
                    payload: vec![0; at as usize],
                    ..Event::default()
                }
            })
            .collect();
        trace.events(&events);
        if block % 4 == 3 {
            let threads = [(7, sequences[0]), (8, sequences[1])];
            trace.sequence_point(i64::from(block / 2) * 100 + 99, 0, &threads);
        }
    }
    let code = PayloadWriter::new().u64(1).u64(1).u64(0x1000).u32(0x10).u32(0).u32(8);
    let payload = code.utf16("Shop").utf16("Order").utf16("void  ()").u16(0).finish();
    let place = Event { metadata_id: 3, sequence: 1, capture_thread: 9, thread: 9, ..Event::default() };
    trace.events(&[Event { timestamp: 2_500, payload, ..place }]);
    trace.finish()
}

fn part(bytes: &[u8], span: Option<Span>, providers: &[&str], most_rows: u64) -> Store {
    let window = Window { span, providers: providers.iter().map(|&name| name.to_owned()).collect() };
    read_into(Ingest::of(window, most_rows), bytes)
}

/// Returns the rows of a store with their types, threads and stacks.
fn described_rows(store: &Store) -> Vec<(i64, String, u64, u64, Vec<String>)> {
    let row = |row: crate::model::EventRow| {
        let provider = store.types.get(row.event_type).map_or(String::new(), |one| one.provider.clone());
        let thread = store.threads.get(row.thread).map_or(0, |thread| thread.os_thread);
        let names = raw_names(store, row.stack).into_iter().map(str::to_owned).collect();
        (row.ticks, provider, thread, row.payload_offset, names)
    };
    rows(store).into_iter().map(row).collect()
}

/// Returns the values that must not depend on the indexed part.
fn totals(store: &Store) -> impl PartialEq + std::fmt::Debug + use<> {
    let types: Vec<_> = store
        .types
        .iter()
        .map(|one| (one.count, one.payload_bytes, one.with_stack, one.threads.len(), one.first_ticks, one.last_ticks))
        .collect();
    let threads: Vec<_> =
        store.threads.iter().map(|one| (one.os_thread, one.events, one.first_ticks, one.last_ticks)).collect();
    let spans = (store.full_span, store.user_span, store.total_events, store.rundown_events);
    (types, threads, spans, store.losses.to_vec(), store.methods.len(), store.blocks.blocks.to_vec())
}

#[test]
fn rows_at_limit_end_at_a_time() {
    let bytes = large();
    let whole = read(&bytes);
    assert_eq!((whole.total_events, whole.lost_events, &whole.indexed), (401, Some(1), &None));
    for most_rows in [1, 50, 199, 300] {
        let store = part(&bytes, None, &[], most_rows);
        let indexed = store.indexed.clone().expect("a part");
        assert_eq!(totals(&store), totals(&whole), "at most {most_rows}");
        let rows = store.events.len() as u64;
        assert_eq!((indexed.rows, indexed.span.start), (rows, whole.full_span.start));
        assert!((most_rows..most_rows + 40).contains(&rows), "{rows} rows instead of {most_rows}");
        let expected: Vec<_> = described_rows(&whole).into_iter().filter(|row| row.0 < indexed.span.end.0).collect();
        assert_eq!(described_rows(&store), expected, "everything before the end has its row");
        assert!(
            expected.iter().any(|row| row.4.iter().any(|name| name.contains("Order"))),
            "the method at the end is named"
        );
    }
    assert_eq!(part(&bytes, None, &[], 401).indexed, None, "as many as there are");
}

#[test]
fn window_has_rows_of_its_time_and_providers() {
    let bytes = large();
    let whole = read(&bytes);
    for (span, providers) in [
        (Some(Span::new(500, 1_205)), &[][..]),
        (None, &["Depot"][..]),
        (Some(Span::new(-5, 1_000)), &["Depot", "Nobody"][..]),
        (Some(Span::new(9_000, 9_999)), &[][..]),
    ] {
        let store = part(&bytes, span, providers, u64::MAX);
        let is_inside = |ticks| span.is_none_or(|span| span.start.0 <= ticks && ticks < span.end.0);
        let is_wanted = |provider: &String| providers.is_empty() || providers.contains(&provider.as_str());
        let expected: Vec<_> =
            described_rows(&whole).into_iter().filter(|row| is_inside(row.0) && is_wanted(&row.1)).collect();
        assert_eq!(described_rows(&store), expected, "{span:?} of {providers:?}");
        assert_eq!(totals(&store), totals(&whole));
        let indexed = store.indexed.as_ref().expect("a part");
        assert_eq!((indexed.rows, indexed.providers.len()), (expected.len() as u64, providers.len()));
        assert!(whole.full_span.start <= indexed.span.start && indexed.span.end <= whole.full_span.end);
    }
}

#[test]
fn window_beyond_limit_ends_earlier() {
    let bytes = large();
    let asked = Span::new(500, 1_500);
    let store = part(&bytes, Some(asked), &["Shop"], 60);
    let indexed = store.indexed.as_ref().expect("a part");
    assert_eq!(indexed.span.start, asked.start);
    assert!(indexed.span.end < asked.end && (60..90).contains(&indexed.rows), "{indexed:?}");
    let expected: Vec<_> = described_rows(&read(&bytes))
        .into_iter()
        .filter(|row| (500..indexed.span.end.0).contains(&row.0) && row.1 == "Shop")
        .collect();
    assert_eq!(described_rows(&store), expected);
}

#[test]
fn block_directory_is_small() {
    let bytes = large();
    let store = read(&bytes);
    let directory = &store.blocks;
    for block in &directory.blocks {
        let [types, threads] = [directory.types_of(block), directory.threads_of(block)];
        let sum = |counts: &[crate::model::BlockCount]| counts.iter().map(|one| one.events).sum::<u32>();
        let events = if types.is_empty() { 0 } else { block.items };
        assert_eq!((sum(types), sum(threads)), (events, events));
    }
    assert_eq!(directory.blocks.iter().filter(|block| !directory.types_of(block).is_empty()).count(), 41);
}
