//! Tests that the same bytes produce the same items, however they are split.

use proptest::prelude::*;

use super::reading::{read, read_in_chunks};
use super::sample::{self, XorShift};
use crate::Guid;
use crate::testing::{Event, Format, TraceBuilder};

/// S3, R1.2: a trace is read as it arrives, at most one block ahead.
#[test]
fn any_single_split_has_same_items() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let whole = read(&trace).unwrap();
        for split in 0..trace.len() {
            let mut sizes = [split, usize::MAX].into_iter();
            let seen = read_in_chunks(&trace, || sizes.next().unwrap_or(usize::MAX)).unwrap();
            assert_eq!(seen, whole, "{format:?} split at {split}");
        }
        assert_eq!(read_in_chunks(&trace, || 1).unwrap(), whole, "{format:?} byte by byte");
    }
}

#[test]
fn damaged_trace_in_any_chunks_has_same_items() {
    let mut random = XorShift(0x5EED_0001);
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        for _ in 0..300 {
            let mut damaged = trace.clone();
            let position = random.below(trace.len());
            damaged[position] ^= 1 << random.below(8);
            let whole = read(&damaged);
            let chunked = read_in_chunks(&damaged, || 1 + random.below(60));
            match (&whole, &chunked) {
                (Ok(_), Ok(_)) => assert_eq!(chunked, whole, "{format:?} damaged at {position}"),
                (whole, chunked) => assert_eq!(whole.is_err(), chunked.is_err(), "{format:?} damaged at {position}"),
            }
        }
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let numbers = (1..4u32, any::<u32>(), 0..3u64, prop_oneof![Just(u32::MAX), 0..4u32], 0..3u32, any::<i64>());
    let rest = (any::<bool>(), any::<bool>(), prop::collection::vec(any::<u8>(), 0..200), 0..3u32);
    (numbers, rest).prop_map(|(numbers, (has_activity, is_sorted, payload, label_list))| {
        let (metadata_id, sequence, thread, processor, stack_id, timestamp) = numbers;
        Event {
            metadata_id,
            sequence,
            capture_thread: thread << 33,
            processor,
            thread,
            stack_id,
            timestamp,
            activity_id: if has_activity { Guid([5; 16]) } else { Guid::ZERO },
            related_activity_id: Guid::ZERO,
            label_list,
            is_sorted,
            payload,
            stack: vec![u64::from(stack_id); stack_id as usize],
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_events_in_any_chunks_round_trip(
        blocks in prop::collection::vec(prop::collection::vec(any_event(), 0..20), 1..5),
        sizes in prop::collection::vec(1..500usize, 1..20),
        variant in 0..7usize,
    ) {
        let (format, compressed) = sample::variants()[variant];
        let mut builder = TraceBuilder::new(format);
        if !compressed {
            builder = builder.uncompressed();
        }
        for block in &blocks {
            builder.events(block);
        }
        let trace = builder.finish();
        let whole = read(&trace).unwrap();
        let found: Vec<_> = super::reading::events(&whole).into_iter().map(|(_, event)| event).collect();
        let expected: Vec<_> = blocks.iter().flatten().map(|event| sample::as_in(format, event, &[])).collect();
        prop_assert_eq!(found, expected);
        let mut sizes = sizes.into_iter().cycle();
        let chunked = read_in_chunks(&trace, || sizes.next().unwrap_or(1)).unwrap();
        prop_assert_eq!(chunked, whole);
    }
}

#[test]
fn netperf_metadata_precedes_events_of_its_block() {
    let mut content = TraceBuilder::new(Format::Netperf3);
    content.metadata(&sample::records());
    content.events(&sample::events());
    let seen = read(&content.finish()).unwrap();
    let events = super::reading::events(&seen);
    assert!(events.iter().all(|(_, event)| event.metadata_id != 0), "metadata isn't an event");
}
