//! Tests the time range of the whole trace, and the one without the rundown.

use super::*;

fn spans(events: &[(i64, u32)]) -> ((i64, i64), (i64, i64)) {
    let mut trace = trace(Format::Nettrace4);
    // The app; events of the rundown at the end and at the start; and the runtime version, which precedes both.
    trace.metadata(&[record(1, "Shop", 1, 0), record(2, RUNDOWN, 144, 1), record(3, RUNDOWN, 143, 1)]);
    trace.metadata(&[record(4, RUNDOWN, 187, 0)]);
    let event = |(at, &(timestamp, metadata_id)): (usize, &(i64, u32))| Event {
        metadata_id,
        sequence: at as u32 + 1,
        timestamp,
        ..Event::default()
    };
    let events: Vec<_> = events.iter().enumerate().map(event).collect();
    trace.events(&events);
    let store = read(&trace.finish());
    let ends = |span: protocol::base::time::Span| (span.start.0, span.end.0);
    (ends(store.full_span), ends(store.user_span))
}

#[test]
fn user_span_ends_at_final_rundown() {
    assert_eq!(spans(&[(-5, 1), (10, 1), (20, 4), (21, 2), (30, 1), (40, 2)]), ((-5, 41), (-5, 20)));
}

#[test]
fn user_span_includes_initial_rundown() {
    assert_eq!(spans(&[(0, 4), (1, 3), (10, 1), (20, 1)]), ((0, 21), (0, 21)));
    assert_eq!(spans(&[(0, 3), (10, 1), (20, 2), (25, 2)]), ((0, 26), (0, 20)));
}

#[test]
fn user_span_of_rundown_only_is_whole_trace() {
    assert_eq!(spans(&[(20, 4), (21, 2), (25, 2)]), ((20, 26), (20, 26)));
    assert_eq!(spans(&[]), ((0, 0), (0, 0)));
}
