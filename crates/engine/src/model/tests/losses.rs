//! Tests lost events: threads, times, counts. The rules are in docs/format/wire-format.md#lost-events.

use super::*;
use nettrace::ThreadRow;

fn event(capture_thread: u64, sequence: u32, timestamp: i64) -> Event {
    Event { metadata_id: 1, thread: capture_thread, capture_thread, sequence, timestamp, ..Event::default() }
}

/// Returns `(thread, after, before, count)` of every loss.
fn losses(store: &Store) -> Vec<(u64, Option<i64>, i64, u64)> {
    let of = |loss: &super::super::Loss| (loss.os_thread, loss.after_ticks, loss.before_ticks, loss.count);
    store.losses.iter().map(of).collect()
}

fn begun(format: Format) -> TraceBuilder {
    let mut trace = trace(format);
    trace.metadata(&[record(1, "Shop", 1, 0)]);
    trace
}

#[test]
fn loss_is_between_last_event_and_its_detection() {
    let mut trace = begun(Format::Nettrace4);
    trace.events(&[event(7, 3, 10), event(7, 6, 20), event(8, 1, 15)]);
    // Thread 8 lost two after its event; all events of thread 9 were lost.
    trace.sequence_point(30, 0, &[(7, 6), (8, 3), (9, 4)]);
    trace.events(&[event(7, 8, 40), event(9, 5, 45)]);
    let store = read(&trace.finish());
    let expected =
        [(7, None, 10, 2), (7, Some(10), 20, 2), (8, Some(15), 30, 2), (9, None, 30, 4), (7, Some(30), 40, 1)];
    assert_eq!(losses(&store), expected);
    assert_eq!(store.lost_events, Some(11));
}

#[test]
fn restarted_thread_has_no_loss() {
    let mut trace = begun(Format::Nettrace4);
    trace.events(&[event(7, 1, 10), event(7, 2, 20), event(7, 1, 30)]);
    // The sequence point contains both, in either order.
    trace.sequence_point(35, 0, &[(7, 2), (7, 1)]);
    trace.events(&[event(7, 2, 40), event(7, 1, 50), event(7, 2, 60), event(7, 3, 65)]);
    trace.sequence_point(70, 0, &[(7, 3), (7, 2)]);
    // And a thread that ends before the next one writes.
    trace.sequence_point(80, 0, &[(7, 2)]);
    let store = read(&trace.finish());
    assert_eq!((losses(&store), store.lost_events), (Vec::new(), Some(0)));
    assert_eq!(store.diagnostics.total, 0);
}

#[test]
fn loss_before_thread_id_reuse_is_counted() {
    let mut trace = begun(Format::Nettrace4);
    trace.events(&[event(7, 1, 10), event(7, 2, 20), event(7, 1, 30), event(7, 2, 40)]);
    // The first thread tried to write five; one of the second thread is missing as well.
    trace.sequence_point(50, 0, &[(7, 3), (7, 5)]);
    let store = read(&trace.finish());
    assert_eq!(losses(&store), [(7, Some(40), 50, 1), (7, Some(20), 50, 3)]);
}

#[test]
fn decreasing_sequence_is_reported_without_loss() {
    for (format, again) in [(Format::Nettrace4, 2), (Format::Nettrace6, 1)] {
        let mut trace = begun(format);
        trace.events(&[event(7, 1, 10), event(7, 2, 20), event(7, 3, 30), event(7, again, 40)]);
        let store = read(&trace.finish());
        assert_eq!(store.lost_events, Some(0));
        let problem = store.diagnostics.examples.first().expect("a problem");
        assert!(problem.message.contains("go backwards"), "{problem:?}");
    }
}

#[test]
fn loss_after_sequence_point_begins_there() {
    let mut trace = begun(Format::Nettrace4);
    trace.sequence_point(5, 0, &[(7, 0)]);
    trace.events(&[event(7, 2, 10), event(7, 3, 20)]);
    let store = read(&trace.finish());
    assert_eq!(losses(&store), [(7, Some(5), 10, 1)], "the point says that nothing was lost before it");
}

#[test]
fn netperf_losses_are_unknown() {
    for format in [Format::Netperf1, Format::Netperf2, Format::Netperf3] {
        let mut trace = begun(format);
        trace.events(&[event(7, 0, 10), event(7, 0, 20)]);
        assert_eq!(read(&trace.finish()).lost_events, None, "{format:?}");
    }
}

#[test]
fn machine_wide_losses_are_found_at_end() {
    // As record-trace writes it: index 0 captures every event, numbers restart with every block, and the total number
    // of lost events is added to the number of the last block, with the maximum as its time.
    let mut trace = begun(Format::Nettrace6);
    let rows = |names: &[(u64, u64)]| -> Vec<ThreadRow> {
        let row = |&(index, thread): &(u64, u64)| ThreadRow {
            index,
            process_id: Some(thread / 10),
            thread_id: Some(thread),
            ..ThreadRow::default()
        };
        names.iter().map(row).collect()
    };
    let by_recorder = |sequence, thread, timestamp| Event { thread, ..event(0, sequence, timestamp) };
    trace.sequence_point(0, 1, &[]);
    trace.threads(&rows(&[(0, 0), (1, 42)]));
    trace.events(&[by_recorder(1, 1, 10), by_recorder(2, 1, 20)]);
    trace.sequence_point(20, 1, &[]);
    trace.threads(&rows(&[(0, 0), (1, 57)]));
    trace.events(&[by_recorder(1, 1, 30), by_recorder(2, 1, 40)]);
    trace.sequence_point(-1, 1, &[(0, 2 + 5000)]);
    let store = read(&trace.finish());
    assert_eq!(losses(&store), [(0, Some(40), 40, 5000)]);
    assert_eq!(store.diagnostics.total, 0);
}

#[test]
fn losses_of_removed_thread_are_counted() {
    let mut trace = begun(Format::Nettrace6);
    let row = |thread| ThreadRow { index: 1, process_id: Some(1), thread_id: Some(thread), ..ThreadRow::default() };
    trace.threads(&[row(100)]);
    trace.events(&[event(1, 1, 10)]);
    trace.removed_threads(&[(1, 4)]);
    trace.threads(&[row(200)]);
    trace.events(&[event(1, 2, 20)]);
    let store = read(&trace.finish());
    assert_eq!(losses(&store), [(100, Some(10), 10, 3), (200, None, 20, 1)]);
}
