//! Times and the header: S11 to S17.

use super::support::*;
use nettrace::testing::{Event, Format, TraceBuilder};
use nettrace::{Header, MetadataRecord, SystemTime};
use protocol::timeline::thread_state::ThreadState;

fn with(format: Format, change: impl FnOnce(&mut Header), times: &[i64]) -> Opened {
    let mut header = format.header();
    change(&mut header);
    let mut builder = TraceBuilder::with_header(format, &header);
    builder.metadata(&[record(1, "Order")]);
    if format == Format::Nettrace6 {
        builder.threads(&[thread(7)]);
    }
    let events: Vec<_> = (1..).zip(times).map(|(sequence, &time)| event(1, sequence, time)).collect();
    builder.events(&events);
    open(&builder.finish())
}

/// S11, S149: the start time is eight numbers in UTC; an invalid date is reported with its numbers.
#[test]
fn start_time_is_eight_numbers() {
    for format in Format::ALL {
        let mut opened = with(format, |_| {}, &[]);
        assert!(is_time(&opened.header_field("Sync time (UTC)"), "2025-02-03", "04:05:06"), "{format:?}");
        let february = |header: &mut Header| header.sync_time_utc = SystemTime { day: 31, ..header.sync_time_utc };
        let opened = with(format, february, &[]);
        assert!(
            opened.says("Invalid sync time in the header: 2025-2-31 4:5:6.0"),
            "{format:?}: {:?}",
            opened.messages()
        );
    }
}

/// S12, S38: times are ticks since the sync point, exact to the nanosecond, also before it.
#[test]
fn times_are_exact() {
    for format in Format::ALL {
        let clock = |header: &mut Header| (header.sync_ticks, header.tick_frequency) = (1_000, 3_000_000);
        let mut opened = with(format, clock, &[999, 1_000, 1_001, 3_001_000]);
        let times: Vec<_> = opened.details().into_iter().map(|detail| detail.time).collect();
        assert_eq!(times, [-334, 0, 333, 1_000_000_000], "{format:?}: rounded down");
        assert!(is_time(&fact(&opened.detail(3), "Time (UTC)"), "2025-02-03", "04:05:07"));
    }
}

/// S13: a clock without a frequency is reported; its ticks count as nanoseconds.
#[test]
fn clock_without_frequency_is_reported() {
    for format in Format::ALL {
        for frequency in [0, -5] {
            let mut opened = with(format, |header| header.tick_frequency = frequency, &[1_000_007]);
            assert_eq!(opened.detail(0).time, 7, "{format:?}");
            assert!(opened.says("Invalid clock frequency in the header"), "{:?}", opened.messages());
        }
    }
}

/// S14: a pointer size other than 4 or 8 is reported, and 8 is used.
#[test]
fn other_pointer_size_is_reported() {
    for format in [Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        let opened = with(format, |header| header.pointer_size = 5, &[1_000_007]);
        assert_eq!((opened.store().header.pointer_size, opened.store().events.len()), (8, 1), "{format:?}");
        assert!(opened.says("Invalid pointer size in the header"), "{:?}", opened.messages());
    }
}

/// S15, S16, S17, R1.8: process, CPUs and sampling interval as declared.
#[test]
fn process_cpus_and_interval_are_shown() {
    for format in [Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        let facts = |header: &mut Header| (header.process_id, header.processor_count) = (10_064, 4);
        let mut opened = with(format, facts, &[]);
        assert_eq!((opened.summary().os_process, opened.summary().processors), (10_064, 4), "{format:?}");
        assert_eq!(opened.header_field("Expected sampling interval"), "1 ms");
        assert_eq!(opened.header_field("Measured sampling interval"), "no samples");
    }
}

/// S17, S154: the measured interval is shown beside the expected one, which affects no times.
#[test]
fn sampling_interval_is_measured() {
    let sampler = MetadataRecord { provider: "Microsoft-DotNETCore-SampleProfiler".into(), ..record(2, "") };
    let sampler = MetadataRecord { event_id: 0, version: 0, ..sampler };
    for format in [Format::Nettrace4, Format::Nettrace6] {
        let mut opened = open(&trace(format, |builder| {
            builder.metadata(std::slice::from_ref(&sampler));
            if format == Format::Nettrace6 {
                builder.threads(&[thread(7)]);
            }
            let samples = (1..=5).map(|at| Event {
                payload: vec![2, 0, 0, 0],
                ..event(2, at, 1_000_000 + 3 * i64::from(at)) //
            });
            builder.events(&samples.collect::<Vec<_>>());
        }));
        assert_eq!(opened.header_field("Expected sampling interval"), "1 ms", "{format:?}");
        assert_eq!(opened.header_field("Measured sampling interval"), "3.00 ms", "{format:?}");
        assert_eq!(opened.times().all().of(ThreadState::Managed), 12_000_000, "{format:?}");
    }
}
