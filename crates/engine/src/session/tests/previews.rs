//! Tests that a partially read trace can be queried, and that queries don't affect it.

use crate::analysis::testing::{What, store_of};
use crate::model::Store;
use crate::session::open::warm_up;
use crate::session::{FileFacts, Loader, Progress, Session};
use protocol::base::ids::EventId;
use protocol::queries;
use protocol::request::Filter;
use protocol::topics::finding::FindingKind;

fn store(trace: &[u8], mut between: impl FnMut(&Loader)) -> Store {
    let mut loader = Loader::new();
    for piece in trace.chunks(100_000) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while loader.advance(1 << 14).unwrap() == Progress::Paused {}
        between(&loader);
    }
    loader.finish().unwrap()
}

/// Returns the ID and OS ID of each thread.
fn threads_of(store: &Store) -> Vec<(u32, u64)> {
    let mut threads: Vec<_> = store.threads.iter().map(|thread| (thread.id.0, thread.os_thread)).collect();
    threads.sort_unstable();
    threads
}

/// Returns provider and event ID of each event type.
fn types_of(store: &Store) -> Vec<(String, u32)> {
    store.types.iter().map(|kind| (kind.provider.clone(), kind.record.event_id)).collect()
}

#[test]
fn preview_has_every_read_event_and_no_side_effects() {
    let trace = warm_up::trace();
    let mut seen = Vec::new();
    // The page keeps the selection from one preview to the next.
    let (mut threads, mut types) = (Vec::new(), Vec::new());
    let with = store(&trace, |loader| {
        let Some(preview) = loader.preview().unwrap() else { return };
        let events = preview.events.len() as u64;
        assert_eq!(events, loader.event_count());
        let rows: Vec<_> = (0..events as u32).map(|row| preview.events.row(EventId(row))).collect();
        assert!(rows.is_sorted_by_key(|row| row.ticks));
        threads.push(threads_of(&preview));
        types.push(types_of(&preview));
        let mut session = Session::new(preview, Box::new(trace.clone()), FileFacts::default()).unwrap();
        session.set_partial();
        let summary = session.summary();
        assert!(summary.is_partial && summary.events == events);
        seen.push(events);
    });
    let without = store(&trace, |_| {});
    assert!(seen.len() > 5 && seen.is_sorted(), "{seen:?}");
    assert_eq!(with.events.len(), without.events.len());
    for row in (0..with.events.len() as u32).map(EventId) {
        assert_eq!(with.events.row(row), without.events.row(row));
    }
    assert_eq!(with.functions.len(), without.functions.len());
    assert!(threads.iter().all(|threads| threads_of(&with).starts_with(threads)), "threads keep their numbers");
    assert!(types.iter().all(|types| types_of(&with).starts_with(types)), "so do types");
    assert_eq!(with.memory().columns, without.memory().columns);
}

#[test]
fn end_of_recording_is_seen_with_its_last_byte() {
    let trace = warm_up::trace();
    let (most, last) = trace.split_at(trace.len() - 1);
    let mut loader = Loader::new();
    for (piece, is_end) in [(most, false), (last, true)] {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while loader.advance(1 << 14).unwrap() == Progress::Paused {}
        assert_eq!(loader.is_at_end_marker(), is_end);
    }
}

#[test]
fn look_ahead_finds_end_of_trace() {
    let trace = warm_up::trace();
    // The methods at the end are one large block.
    let tail = trace.len() / 5;
    let start = &trace[..trace.len() / 8];
    let overview = |look_ahead: bool| {
        let mut loader = Loader::new();
        if look_ahead {
            loader.look_ahead(trace[tail..].to_vec(), tail as u64);
        }
        loader.append(start.len(), |space| space.copy_from_slice(start));
        while loader.advance(1 << 14).unwrap() == Progress::Paused {}
        loader.overview()
    };
    let (without, with) = (overview(false), overview(true));
    let end = store(&trace, |_| {}).full_span.end.0;
    assert!(without.bounds[1] < end && with.bounds[1] >= end);
    assert_eq!(with.read_until, without.read_until);
    assert!(with.read_until[0] < end * 3 / 4);
    assert_eq!(with.events.iter().sum::<u32>(), without.events.iter().sum::<u32>());
}

#[test]
fn names_come_at_the_end_of_a_partially_read_trace() {
    let samples: Vec<_> = (0..100).map(|at| (at * 1_000_000, 5, What::Sample(true, vec![1, 0x7777_0000]))).collect();
    let found = |is_partial: bool| {
        let (store, bytes) = store_of(&samples);
        let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).unwrap();
        if is_partial {
            session.set_partial();
        }
        let mut found = session.ask(&queries::Findings { filter: Filter::default() }).unwrap();
        found.retain(|one| one.kind == FindingKind::NoNames);
        let one = found.pop().unwrap();
        (one.sentence, one.comes_first)
    };
    assert_eq!(found(true), ("Method names are written when recording stops.".to_owned(), false));
    assert!(found(false).0.starts_with("Likely cause: "), "{}", found(false).0);
}
