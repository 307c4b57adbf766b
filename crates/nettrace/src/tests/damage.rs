//! Tests that damage causes as little loss as possible, and no other changes.

use super::reading::{Seen, damages, events, read};
use super::sample::{self, XorShift};
use crate::testing::{Event, Format, TraceBuilder};
use crate::{BlockKind, ErrorKind};

/// Returns a trace with ten blocks of three events each, and the offsets of the blocks and of the end-of-stream marker.
fn ten_blocks(format: Format) -> (Vec<u8>, Vec<usize>) {
    let mut builder = TraceBuilder::new(format);
    let mut starts = Vec::new();
    for block in 0..10u32 {
        starts.push(builder.bytes().len());
        let events: Vec<_> = (0..3)
            .map(|index| Event {
                metadata_id: 1 + block,
                thread: 5,
                capture_thread: 5,
                sequence: 1 + 3 * block + index,
                timestamp: i64::from(block),
                payload: sample::payload(index),
                ..Event::default()
            })
            .collect();
        builder.events(&events);
    }
    starts.push(builder.bytes().len());
    (builder.finish(), starts)
}

/// Returns the blocks in which events were found, by their metadata ID there.
fn surviving_blocks(seen: &[Seen]) -> Vec<u32> {
    let mut blocks: Vec<_> = events(seen).iter().filter_map(|(_, event)| event.metadata_id.checked_sub(1)).collect();
    assert!(blocks.is_sorted());
    blocks.dedup();
    blocks
}

const FRAMED: [Format; 3] = [Format::Netperf3, Format::Nettrace4, Format::Nettrace6];

#[test]
fn block_without_head_loses_only_that_block() {
    for format in FRAMED {
        let (mut trace, starts) = ten_blocks(format);
        trace[starts[3]..starts[3] + 8].fill(0xEE);
        let seen = read(&trace).unwrap();
        assert_eq!(surviving_blocks(&seen), [0, 1, 2, 4, 5, 6, 7, 8, 9], "{format:?}");
        let damages = damages(&seen);
        let [damage] = &damages[..] else { panic!("{format:?}: {damages:?}") };
        assert_eq!((damage.offset as usize, damage.bytes as usize), (starts[3], starts[4] - starts[3]));
        assert!(matches!(seen.last(), Some(Seen::EndOfStream(_))));
    }
}

#[test]
fn bytes_between_blocks_lose_nothing_else() {
    for format in FRAMED {
        let (trace, starts) = ten_blocks(format);
        // Multiples of four, because the alignment of what follows counts from the start of the file.
        for garbage in [4, 64, 3_000_000] {
            let mut damaged = trace[..starts[5]].to_vec();
            damaged.resize(starts[5] + garbage, 0xEE);
            damaged.extend_from_slice(&trace[starts[5]..]);
            let seen = read(&damaged).unwrap();
            assert_eq!(surviving_blocks(&seen), (0..10).collect::<Vec<_>>(), "{format:?} {garbage}");
            let damages = damages(&seen);
            assert_eq!(damages.iter().map(|damage| damage.bytes).sum::<u64>(), garbage as u64);
            assert!(damages.iter().skip(1).all(|damage| damage.continued) && !damages[0].continued);
            assert!(damages.len() <= 1 + garbage / 1_000_000);
        }
    }
}

#[test]
fn block_with_wrong_size_is_detected() {
    let format = Format::Nettrace4;
    let (trace, starts) = ten_blocks(format);
    let size_at = starts[4] + 3 + 12 + "EventBlock".len() + 1;
    let size = u32::from_le_bytes(trace[size_at..size_at + 4].try_into().unwrap());
    for wrong in [0, 19, size - 1, size + 1, size + 200, 50_000_000, u32::MAX / 2, u32::MAX] {
        let mut damaged = trace.clone();
        damaged[size_at..size_at + 4].copy_from_slice(&wrong.to_le_bytes());
        let seen = read(&damaged).unwrap();
        let mut blocks = surviving_blocks(&seen);
        blocks.retain(|&block| block != 4);
        assert_eq!(blocks, [0, 1, 2, 3, 5, 6, 7, 8, 9], "size {wrong}");
        if wrong > size {
            assert_eq!(events(&seen).len(), 30, "size {wrong}: the events of the block itself are whole");
        }
        assert!(!damages(&seen).is_empty());
    }
}

#[test]
fn end_of_stream_marker_before_end_is_damage() {
    for format in FRAMED {
        let (mut trace, starts) = ten_blocks(format);
        match format {
            Format::Nettrace6 => trace[starts[3]..starts[3] + 4].fill(0),
            _ => trace[starts[3]] = 1,
        }
        assert_eq!(surviving_blocks(&read(&trace).unwrap()), [0, 1, 2, 4, 5, 6, 7, 8, 9], "{format:?}");
    }
}

#[test]
fn wrong_end_tag_loses_nothing() {
    for format in [Format::Netperf3, Format::Nettrace4] {
        let (mut trace, starts) = ten_blocks(format);
        trace[starts[6] - 1] = 0xEE;
        let seen = read(&trace).unwrap();
        assert_eq!(events(&seen).len(), 30, "{format:?}");
        let damages = damages(&seen);
        assert_eq!(damages.len(), 1);
        assert_eq!((damages[0].error.kind(), damages[0].bytes), (&ErrorKind::MissingBlockEnd, 1));
    }
}

#[test]
fn hole_of_zeros_is_skipped() {
    for format in FRAMED {
        let (mut trace, starts) = ten_blocks(format);
        trace[starts[2] + 40..starts[5] + 10].fill(0);
        let seen = read(&trace).unwrap();
        let mut blocks = surviving_blocks(&seen);
        blocks.retain(|&block| block != 2);
        assert_eq!(blocks, [0, 1, 6, 7, 8, 9], "{format:?}");
    }
}

#[test]
fn false_blocks_at_end_do_not_hide_distant_chain() {
    let (trace, starts) = ten_blocks(Format::Nettrace6);
    let head = |kind: u32, bytes: usize| (kind << 24 | bytes as u32).to_le_bytes();
    // Longer than what is searched at a time: the head of a block of events without its content, then what looks like
    // removed threads that last beyond the blocks that follow.
    let (mut before, mut behind) = (vec![0xEE; 1_500_000], vec![0xEE; 100]);
    before[..4].copy_from_slice(&head(2, 1000));
    let removed_bytes = before.len() - 104 + starts[7] - starts[3] + 50;
    before[100..104].copy_from_slice(&head(6, removed_bytes));
    behind[50..54].copy_from_slice(&head(6, 0xFF_FF00));
    let damaged = [&trace[..starts[3]], &before, &trace[starts[3]..starts[7]], &behind, &trace[starts[7]..]].concat();
    let seen = read(&damaged).unwrap();
    assert_eq!(surviving_blocks(&seen), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn damage_without_framing_loses_the_rest() {
    let (mut trace, starts) = ten_blocks(Format::Netperf2);
    trace[starts[4]..starts[4] + 4].fill(0xEE);
    let seen = read(&trace).unwrap();
    assert_eq!(surviving_blocks(&seen), [0, 1, 2, 3]);
    let damages = damages(&seen);
    assert_eq!((damages[0].offset as usize, damages[0].bytes as usize), (starts[4], trace.len() - starts[4]));
}

#[test]
fn damaged_event_loses_rest_of_its_block() {
    let (mut trace, starts) = ten_blocks(Format::Nettrace4);
    let whole = read(&trace).unwrap();
    let Some((second, _)) = events(&whole).get(7).cloned() else { panic!("no eighth event") };
    // The flags say that the size of the payload follows; here it is huge.
    trace[second as usize] = 0x80;
    trace[second as usize + 2..second as usize + 6].fill(0xFF);
    let seen = read(&trace).unwrap();
    assert_eq!(events(&seen).len(), 30 - 2);
    let errors: Vec<_> = seen
        .iter()
        .filter_map(|item| match item {
            Seen::Events(info, _, Some(error)) => Some((info.kind, info.offset, error.offset())),
            _ => None,
        })
        .collect();
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].0, errors[0].1 as usize), (BlockKind::Events, starts[2]));
    assert!(errors[0].2 >= second, "the error is where the event is");
}

#[test]
fn flipped_bits_never_panic_hang_or_lose_distant_blocks() {
    let mut random = XorShift(0x5EED_0002);
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        for _ in 0..2000 {
            let mut damaged = trace.clone();
            for _ in 0..1 + random.below(3) {
                let position = random.below(trace.len());
                damaged[position] ^= 1 << random.below(8);
            }
            let _ = read(&damaged);
        }
    }
    for format in FRAMED {
        let (trace, starts) = ten_blocks(format);
        for _ in 0..1000 {
            let mut damaged = trace.clone();
            let position = starts[4] + random.below(starts[5] - starts[4]);
            damaged[position] ^= 1 << random.below(8);
            let seen = read(&damaged).unwrap();
            let blocks: Vec<_> = [0, 1, 2, 3, 6, 7, 8, 9].into();
            let survived =
                events(&seen).iter().filter(|(_, event)| event.metadata_id <= 10).cloned().collect::<Vec<_>>();
            for block in blocks {
                let found = survived.iter().filter(|(_, event)| event.metadata_id == 1 + block).count();
                assert!(found >= 3, "{format:?}: block {block} suffers from byte {}", position - starts[4]);
            }
        }
    }
}

#[test]
fn random_bytes_after_header_never_panic() {
    let mut random = XorShift(0x5EED_0003);
    for format in Format::ALL {
        for length in [1, 10, 100, 5_000] {
            let mut builder = TraceBuilder::new(format);
            let garbage: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            builder.raw(&garbage);
            let seen = read(&builder.finish()).unwrap();
            assert!(!damages(&seen).is_empty(), "{format:?}");
        }
    }
}
