//! Tests that excerpts are valid traces.

use super::reading::{self, Seen, read};
use super::sample;
use crate::testing::{self, Event, Format, TraceBuilder};
use crate::{EventHeader, Excerpt};
use std::collections::BTreeMap;

/// Returns the wanted events of a trace as a trace, and the number of its bytes that were unreadable.
fn excerpt(trace: &[u8], mut keep: impl FnMut(&EventHeader<'_>) -> bool) -> (Vec<u8>, u64) {
    let mut excerpt = Excerpt::new();
    let mut out = Vec::new();
    testing::read_in_chunks(
        trace,
        || 1000,
        |item, offset, consumed| {
            let start = offset as usize;
            excerpt.add(item, &trace[start..start + consumed], &mut keep);
            out.extend(excerpt.take());
        },
    )
    .unwrap();
    excerpt.finish();
    out.extend(excerpt.take());
    (out, excerpt.totals().damaged_bytes)
}

/// Returns events without the parts that change: sequence numbers, and in netperf 1 and 2 the metadata IDs.
fn comparable(format: Format, seen: &[Seen]) -> Vec<Event> {
    let ids: Vec<u32> = reading::records(seen).iter().map(|record| record.metadata_id).collect();
    let is_unframed = matches!(format, Format::Netperf1 | Format::Netperf2);
    let events = reading::events(seen).into_iter().map(|(_, event)| {
        let place = ids.iter().position(|id| *id == event.metadata_id).map_or(u32::MAX, |place| place as u32);
        Event { sequence: 0, metadata_id: if is_unframed { place } else { event.metadata_id }, ..event }
    });
    events.collect()
}

/// Returns the number of missing events by capture thread; numbers begin at 1.
fn missing(seen: &[Seen]) -> BTreeMap<u64, u32> {
    let mut last = BTreeMap::<u64, u32>::new();
    let mut missing = BTreeMap::<u64, u32>::new();
    let mut count = |thread: u64, sequence: u32, expected: u32| {
        let before = last.insert(thread, sequence).unwrap_or(0);
        *missing.entry(thread).or_default() += sequence.wrapping_sub(before).wrapping_sub(expected);
    };
    for item in seen {
        match item {
            Seen::Events(_, events, _) => {
                events.iter().for_each(|(_, event)| count(event.capture_thread, event.sequence, 1));
            }
            Seen::SequencePoint(point) => point.threads.iter().for_each(|(thread, last)| count(*thread, *last, 0)),
            _ => {}
        }
    }
    missing
}

#[test]
fn excerpt_items_are_unchanged_in_every_format() {
    type Keep = fn(&EventHeader<'_>) -> bool;
    let choices: [Keep; 5] = [
        |_| true,
        |_| false,
        |event| event.timestamp % 2 == 0,
        |event| event.thread == 99,
        |event| event.capture_thread != 17,
    ];
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let all = read(&trace).unwrap();
        for (choice, keep) in choices.into_iter().enumerate() {
            let (part, damaged) = excerpt(&trace, keep);
            let name = format!("{format:?}, compressed: {compressed}, choice {choice}");
            let seen = read(&part).unwrap();
            assert_eq!(damaged, 0, "{name}");
            assert_eq!(reading::damages(&seen), [], "{name}");
            assert!(matches!(seen.last(), Some(Seen::EndOfStream(_))), "{name}: it is complete");
            assert_eq!(reading::records(&seen).len(), reading::records(&all).len(), "{name}: all descriptions");
            let wanted = wanted(&trace, keep);
            let expected: Vec<Event> = comparable(format, &all)
                .into_iter()
                .zip(wanted)
                .filter_map(|(event, is_wanted)| is_wanted.then_some(event))
                .collect();
            assert_eq!(comparable(format, &seen), expected, "{name}");
        }
    }
}

/// Returns the selected events of the file, in order.
fn wanted(trace: &[u8], mut keep: impl FnMut(&EventHeader<'_>) -> bool) -> Vec<bool> {
    let mut wanted = Vec::new();
    excerpt(trace, |event| {
        wanted.push(keep(event));
        true
    });
    wanted
}

#[test]
fn excerpt_of_everything_is_complete() {
    for format in [Format::Nettrace4, Format::Nettrace6] {
        let mut builder = TraceBuilder::new(format);
        builder.metadata(&sample::records()).stacks(1, &[&[0x10], &[0x20, 0x30]]);
        let events = sample::events();
        builder.events(&events).sequence_point(9, 0, &[(17, 4), (0x1_0000_0002, 107)]);
        let trace = builder.finish();
        let (part, _) = excerpt(&trace, |_| true);
        assert_eq!(part.len(), trace.len(), "{format:?}");
        let ignoring_times = |seen: Vec<Seen>| -> Vec<Seen> {
            seen.into_iter().filter(|seen| !matches!(seen, Seen::Header(_))).collect()
        };
        assert_eq!(ignoring_times(read(&part).unwrap()), ignoring_times(read(&trace).unwrap()), "{format:?}");
    }
}

#[test]
fn unreferenced_stacks_and_labels_are_omitted() {
    let trace = sample::trace(Format::Nettrace6, true);
    let (part, _) = excerpt(&trace, |event| event.stack_id == 1 && event.label_list == 0);
    let seen = read(&part).unwrap();
    let stacks: Vec<_> =
        seen.iter().filter_map(|seen| if let Seen::Stacks(_, stacks) = seen { Some(stacks) } else { None }).collect();
    assert_eq!(stacks.len(), 1);
    assert_eq!(stacks[0].iter().flatten().map(|(id, _)| *id).collect::<Vec<_>>(), [1]);
    assert!(!seen.iter().any(|seen| matches!(seen, Seen::Labels(..))));
    let (part, _) = excerpt(&trace, |_| true);
    assert!(read(&part).unwrap().iter().any(|seen| matches!(seen, Seen::Labels(..))));
}

#[test]
fn excerpt_keeps_losses_and_adds_none() {
    for format in [Format::Nettrace4, Format::Nettrace6] {
        let event = |sequence: u32| Event {
            metadata_id: 1,
            sequence,
            capture_thread: 17,
            timestamp: i64::from(sequence),
            ..Event::default()
        };
        let mut builder = TraceBuilder::new(format);
        // 4, 7 and 11 did not arrive.
        builder.metadata(&sample::records()).events(&[1, 2, 3, 5, 6].map(event));
        builder.sequence_point(7, 0, &[(17, 7)]).events(&[8, 9, 10].map(event)).sequence_point(12, 0, &[(17, 11)]);
        let trace = builder.finish();
        let lost = BTreeMap::from([(17, 3)]);
        assert_eq!(missing(&read(&trace).unwrap()), lost);
        for divisor in 1..5 {
            let (part, _) = excerpt(&trace, |event| event.timestamp % divisor == 0);
            let seen = read(&part).unwrap();
            assert_eq!(missing(&seen), lost, "{format:?}, every {divisor}.");
        }
    }
}

#[test]
fn excerpt_of_truncated_trace_is_complete() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        for length in 0..trace.len() {
            let Ok(all) = read(&trace[..length]) else { continue };
            let (part, _) = excerpt(&trace[..length], |_| true);
            let seen = read(&part).unwrap();
            assert_eq!(reading::damages(&seen), [], "{format:?} cut at {length}");
            assert_eq!(comparable(format, &seen), comparable(format, &all), "{format:?} cut at {length}");
        }
    }
}

#[test]
fn excerpt_of_damaged_trace_keeps_readable_items() {
    let mut random = sample::XorShift(0x9E37_79B9_7F4A_7C15);
    for (format, compressed) in sample::variants() {
        for _ in 0..300 {
            let mut trace = sample::trace(format, compressed);
            for _ in 0..1 + random.below(3) {
                let at = random.below(trace.len());
                trace[at] = random.below(256) as u8;
            }
            let Ok(all) = read(&trace) else { continue };
            let (part, _) = excerpt(&trace, |_| true);
            let seen = read(&part).unwrap();
            assert_eq!(comparable(format, &seen).len(), comparable(format, &all).len(), "{format:?}: {trace:?}");
        }
    }
}
