//! Tests the total order: ticks, capture thread, sequence number, file position.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns an event whose payload is its number.
fn event(number: u32, capture_thread: u64, sequence: u32, timestamp: i64) -> Event {
    let payload = number.to_le_bytes().to_vec();
    let thread = capture_thread;
    Event { metadata_id: 1, sequence, capture_thread, thread, timestamp, payload, ..Event::default() }
}

/// Returns a trace of blocks; each inner list is a region.
fn regions(regions: &[Vec<Vec<Event>>]) -> Vec<u8> {
    let mut trace = trace(Format::Nettrace4);
    trace.metadata(&[record(1, "Shop", 1, 0)]);
    for region in regions {
        for block in region {
            trace.events(block);
        }
        trace.sequence_point(i64::MAX, 0, &[]);
    }
    trace.finish()
}

/// Returns the numbers of the events in the order of the store.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    let store = read(bytes);
    let rows = 0..store.events.len() as u32;
    let source = bytes.to_vec();
    let payload = |row| store.payload(EventId(row), &source).expect("a payload").into_owned();
    rows.map(|row| u32::from_le_bytes(payload(row).try_into().expect("a number"))).collect()
}

#[test]
fn simultaneous_events_are_sorted_by_capture_thread_and_sequence() {
    let large = 0x1_0000_0001;
    let first = vec![event(4, large, 1, 50), event(5, large, 2, 50), event(6, large, 3, 60)];
    let second = vec![event(0, 7, 1, 40), event(1, 7, 2, 50), event(2, 7, 3, 50)];
    let third = vec![event(3, 9, 1, 50), event(7, 9, 2, 60)];
    // 6 is from the largest capture thread, 7 from a smaller one at the same time.
    let expected = [0, 1, 2, 3, 4, 5, 7, 6];
    let blocks = [first, second, third];
    assert_eq!(numbers(&regions(&[blocks.to_vec()])), expected, "in one region");
    let apart: Vec<_> = blocks.iter().map(|block| vec![block.clone()]).collect();
    assert_eq!(numbers(&regions(&apart)), expected, "each in a region of its own");
}

#[test]
fn events_of_damaged_block_are_sorted() {
    let block = vec![event(2, 7, 9, 30), event(1, 7, 5, 20), event(0, 7, 4, 20), event(3, 7, 9, 30)];
    assert_eq!(numbers(&regions(&[vec![block]])), [0, 1, 2, 3]);
}

#[test]
fn late_rows_are_inserted_into_full_chunks() {
    const MANY: u32 = 3 * CHUNK;
    const CHUNK: u32 = super::super::CHUNK_ROWS as u32;
    let early = (0..MANY).map(|number| event(number, 5, number + 1, i64::from(number) * 10)).collect();
    // Before all, in the middle of the second chunk, after all; and at the time of an event of a larger capture thread.
    let places = [-1, 10 * i64::from(CHUNK) + 5, 10 * i64::from(CHUNK) + 20, 10 * i64::from(MANY)];
    let late = (0..4).map(|at| event(MANY + at as u32, 3, at as u32 + 1, places[at])).collect();
    let found = numbers(&regions(&[vec![early], vec![late]]));
    let mut expected: Vec<u32> = (0..MANY).collect();
    expected.insert(0, MANY);
    expected.insert(CHUNK as usize + 2, MANY + 1);
    expected.insert(CHUNK as usize + 4, MANY + 2);
    expected.push(MANY + 3);
    assert!(found == expected);
}

#[test]
fn large_region_is_sorted() {
    // More rows than are collected before some are appended, in blocks that claim to be sorted; then another thread
    // that violates all guarantees.
    const MANY: u32 = 600_000;
    let mut blocks = Vec::new();
    let of_one = |number: u32| Event { is_sorted: true, ..event(number, 5, number + 1, i64::from(number) * 2) };
    for first in (0..MANY).step_by(20_000) {
        blocks.push((first..first + 20_000).map(of_one).collect());
    }
    blocks.push((0..1000).map(|at| event(MANY + at, 6, at + 1, i64::from(at) * 1201 + 1)).collect());
    let found = numbers(&regions(&[blocks]));
    let time = |number: u32| if number < MANY { i64::from(number) * 2 } else { i64::from(number - MANY) * 1201 + 1 };
    assert_eq!(found.len(), MANY as usize + 1000);
    assert!(found.is_sorted_by_key(|&number| (time(number), number >= MANY)));
}

#[test]
fn simultaneous_netperf_events_keep_file_order() {
    for format in [Format::Netperf1, Format::Netperf2, Format::Netperf3] {
        let mut trace = trace(format);
        trace.metadata(&[record(1, "Shop", 1, 0)]);
        trace.events(&[event(0, 9, 0, 10), event(1, 3, 0, 20), event(2, 9, 0, 20), event(3, 3, 0, 20)]);
        trace.events(&[event(4, 1, 0, 20), event(6, 9, 0, 40), event(5, 1, 0, 30)]);
        assert_eq!(numbers(&trace.finish()), [0, 1, 2, 3, 4, 5, 6], "{format:?}");
    }
}

/// Regions of blocks of `(capture thread, time)`.
type Times = Vec<Vec<Vec<(u64, i64)>>>;

fn some_times() -> impl Strategy<Value = Times> {
    vec(vec(vec((1_u64..5, -5_i64..20), 0..12), 1..4), 1..5)
}

proptest! {
    #[test]
    fn any_regions_are_in_total_order(times in some_times()) {
        let mut number = 0;
        let mut sequences = [0; 5];
        let mut keys = Vec::new();
        let mut one = |&(capture, time): &(u64, i64)| {
            sequences[capture as usize] += 1;
            number += 1;
            keys.push((time, capture, sequences[capture as usize], number - 1));
            event(number - 1, capture, sequences[capture as usize], time)
        };
        let written: Vec<Vec<Vec<Event>>> = times
            .iter()
            .map(|region| region.iter().map(|block| block.iter().map(&mut one).collect()).collect())
            .collect();
        keys.sort_unstable();
        let expected: Vec<u32> = keys.iter().map(|&(_, _, _, number)| number).collect();
        prop_assert_eq!(numbers(&regions(&written)), expected);
    }
}
