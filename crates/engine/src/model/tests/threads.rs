//! Tests the threads of events whose OS thread IDs or file IDs are reused.

use super::*;
use nettrace::ThreadRow;

/// Returns `(time, OS thread ID, incarnation)` of every event.
fn who(store: &Store) -> Vec<(i64, u64, u32)> {
    let of = |row: super::super::EventRow| {
        let thread = store.threads.get(row.thread).expect("a thread");
        (row.ticks, thread.os_thread, thread.incarnation)
    };
    rows(store).into_iter().map(of).collect()
}

fn event(thread: u64, sequence: u32, timestamp: i64) -> Event {
    Event { metadata_id: 1, thread, capture_thread: thread, sequence, timestamp, ..Event::default() }
}

#[test]
fn restarted_sequence_is_another_thread() {
    let mut trace = trace(Format::Nettrace4);
    trace.metadata(&[record(1, "Shop", 1, 0), record(2, SAMPLER, 0, 0)]);
    trace.events(&[event(7, 1, 10), event(7, 2, 20), event(8, 1, 15), event(7, 1, 50), event(7, 2, 60)]);
    // Samples of the thread, written by another thread, before and after it restarted.
    let sample = |sequence, timestamp| Event { metadata_id: 2, thread: 7, ..event(9, sequence, timestamp) };
    trace.events(&[sample(1, 30), sample(2, 55)]);
    trace.sequence_point(60, 0, &[(7, 2), (8, 1), (9, 2)]);
    trace.events(&[event(7, 3, 70), event(7, 1, 80)]);
    let store = read(&trace.finish());
    let expected =
        [(10, 7, 0), (15, 8, 0), (20, 7, 0), (30, 7, 0), (50, 7, 1), (55, 7, 1), (60, 7, 1), (70, 7, 1), (80, 7, 2)];
    assert_eq!(who(&store), expected);
    assert_eq!(store.lost_events, Some(0), "nothing is lost where a thread ends");
}

#[test]
fn netperf_thread_with_reused_id_is_another_thread() {
    let created = |managed: u64, os_thread: u32, timestamp| Event {
        metadata_id: 1,
        thread: 1,
        timestamp,
        payload: PayloadWriter::new().u64(managed).u64(0).u32(0).u32(0).u32(os_thread).u16(0).finish(),
        ..Event::default()
    };
    let plain = |thread, timestamp| Event { metadata_id: 2, ..event(thread, 0, timestamp) };
    let mut trace = trace(Format::Netperf3);
    trace.metadata(&[record(1, RUNTIME, 85, 0), record(2, "Shop", 1, 0)]);
    trace.events(&[created(0xA, 7, 10), plain(7, 20), created(0xA, 7, 25), plain(7, 30), created(0xB, 7, 40)]);
    trace.events(&[plain(7, 50)]);
    let store = read(&trace.finish());
    let of_seven: Vec<_> = who(&store).into_iter().filter(|&(_, thread, _)| thread == 7).collect();
    assert_eq!(of_seven, [(20, 7, 0), (30, 7, 0), (50, 7, 1)]);
}

fn row(index: u64, process: u64, thread: u64, name: &str) -> ThreadRow {
    let (process_id, thread_id) = (Some(process), Some(thread));
    ThreadRow { index, name: Some(name.to_owned()), process_id, thread_id, ..ThreadRow::default() }
}

#[test]
fn redeclared_thread_is_same_thread() {
    let mut trace = trace(Format::Nettrace6);
    trace.metadata(&[record(1, "Shop", 1, 0)]);
    trace.threads(&[row(1, 100, 101, "main"), row(2, 200, 101, "other process")]);
    trace.events(&[event(1, 1, 10), event(2, 1, 11)]);
    // Indices are free after this, and reassigned in another order.
    trace.sequence_point(20, 1, &[]);
    trace.threads(&[row(2, 100, 101, "main"), row(1, 200, 101, "other process")]);
    trace.events(&[event(1, 1, 30), event(2, 1, 31)]);
    let store = read(&trace.finish());
    let threads: Vec<_> = rows(&store).iter().map(|row| row.thread).collect();
    assert_eq!([threads[0], threads[1]], [threads[3], threads[2]]);
    assert_ne!(threads[0], threads[1], "the same id in another process is another thread");
    assert_eq!(who(&store), [(10, 101, 0), (11, 101, 0), (30, 101, 0), (31, 101, 0)]);
    let label = store.threads.get(threads[0]).map(|thread| thread.label().to_owned());
    assert_eq!(label.as_deref(), Some("main"));
}

#[test]
fn removed_thread_is_not_reused() {
    let mut trace = trace(Format::Nettrace6);
    trace.metadata(&[record(1, "Shop", 1, 0)]);
    trace.threads(&[row(1, 100, 101, "first")]);
    trace.events(&[event(1, 1, 10), event(1, 2, 20)]);
    trace.removed_threads(&[(1, 2)]);
    trace.threads(&[row(1, 100, 101, "second")]);
    trace.events(&[event(1, 1, 30)]);
    let store = read(&trace.finish());
    assert_eq!(who(&store), [(10, 101, 0), (20, 101, 0), (30, 101, 1)]);
    let names: Vec<_> = store.threads.iter().map(|thread| thread.label()).collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(store.lost_events, Some(0));
}
