//! Tests values of event headers that are read again from the file.

use super::*;
use crate::model::{Origin, Writer};

fn origins(bytes: &[u8]) -> Vec<Option<Origin>> {
    let store = read(bytes);
    let source = bytes.to_vec();
    (0..store.events.len() as u32).map(|row| store.origin(EventId(row), &source).expect("readable")).collect()
}

#[test]
fn origin_is_read_in_every_version() {
    let event = |capture_thread, sequence, processor, timestamp, payload: &[u8]| Event {
        metadata_id: 1,
        thread: 5,
        capture_thread,
        sequence,
        processor,
        timestamp,
        payload: payload.to_vec(),
        ..Event::default()
    };
    for format in [Format::Nettrace4, Format::Nettrace6] {
        for compressed in [true, false] {
            let mut trace = trace(format);
            if !compressed {
                trace = trace.uncompressed();
            }
            trace.metadata(&[record(1, "Shop", 1, 0)]);
            // Payloads may be empty, also at the end of a block.
            trace.events(&[event(7, 1, 3, 10, b"abc"), event(7, 2, u32::MAX, 20, b""), event(9, 6, 0, 30, b"")]);
            trace.events(&[event(7, 3, 1, 40, b""), event(7, 4, 1, 50, b"")]);
            let expected = [(7, 1, Some(3)), (7, 2, None), (9, 6, Some(0)), (7, 3, Some(1)), (7, 4, Some(1))];
            let expected = expected.map(|(capture_thread, sequence, processor)| {
                Some(Origin { capture_thread, sequence, processor, is_own: false, is_sorted: false, stack_id: 0 })
            });
            let bytes = trace.finish();
            assert_eq!(origins(&bytes), expected, "{format:?}, compressed: {compressed}");
            let of_origin = |origin: &Option<Origin>| {
                origin.map(|origin| Writer { cpu: origin.processor, capture_thread: Some(origin.capture_thread) })
            };
            let store = read(&bytes);
            let writers = (0..5).map(|row| Some(store.writers.get(store.events.row(EventId(row)).writer)));
            assert_eq!(writers.collect::<Vec<_>>(), expected.iter().map(of_origin).collect::<Vec<_>>());
        }
    }
}

#[test]
fn origin_is_read_from_truncated_block_but_not_netperf() {
    let event = |sequence, payload: &[u8]| Event {
        metadata_id: 1,
        capture_thread: 7,
        sequence,
        timestamp: i64::from(sequence),
        payload: payload.to_vec(),
        ..Event::default()
    };
    for format in [Format::Nettrace4, Format::Nettrace6, Format::Netperf3] {
        let mut trace = trace(format);
        trace.metadata(&[record(1, "Shop", 1, 0)]);
        trace.events(&[event(1, b"whole"), event(2, b"whole"), event(3, &[1; 100])]);
        let mut bytes = trace.abort();
        bytes.truncate(bytes.len() - 50);
        let numbers: Vec<_> = origins(&bytes).iter().map(|origin| origin.map(|origin| origin.sequence)).collect();
        let expected = if format == Format::Netperf3 { [None, None] } else { [Some(1), Some(2)] };
        assert_eq!(numbers, expected, "{format:?}");
    }
}
