//! Tests times in which nothing runs: gaps of the sampler, and GC pauses in which the whole machine is suspended.

use super::reports::{findings, recording_findings_of};
use crate::analysis::testing::{Happening, RUNTIME, What, store_of};
use crate::model::Store;
use crate::model::testing::read;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Header, MetadataRecord, ThreadRow};
use protocol::topics::finding::{Finding, FindingKind};
use protocol::topics::topic::Topic;

const MS: i64 = 1_000_000;

/// Returns the finding about a thread with a sample every millisecond except from 100 to 500 ms, and with these events.
fn gap(happenings: Vec<Happening>) -> Option<Finding> {
    let sample = |at: i64| (at * MS, 5, What::Sample(true, vec![1]));
    let mut all: Vec<Happening> = (0..=100).chain(500..600).map(sample).chain(happenings).collect();
    all.sort_by_key(|(time, ..)| *time);
    let (store, bytes) = store_of(&all);
    recording_findings_of(&store, &bytes).into_iter().find(|one| one.kind == FindingKind::SamplingGap)
}

#[test]
fn sampler_gap_states_whether_events_were_recorded() {
    let silent = gap(Vec::new()).expect("a gap");
    assert_eq!(silent.title, "Nothing recorded for 400 ms");
    assert!(silent.details.contains("No thread recorded any event for 400 ms of that time."), "{}", silent.details);
    let orders = (2..5).map(|at| (at * 100 * MS, 6, What::Order("apples", 1))).collect();
    let others = gap(orders).expect("a gap");
    assert_eq!(others.title, "No samples for 400 ms");
    assert!(others.details.ends_with("Stacks can't show what ran then."), "{}", others.details);
}

#[test]
fn gap_in_gc_pause_belongs_to_pause() {
    let pause = vec![
        (101 * MS, 6, What::SuspendBegin(1)),
        (102 * MS, 6, What::SuspendEnd),
        (103 * MS, 6, What::GcStart(1)),
        (497 * MS, 6, What::GcEnd(1)),
        (499 * MS, 6, What::RestartEnd),
    ];
    assert_eq!(gap(pause), None, "the sampler waits, too");
}

/// Returns a machine-wide recording of two processes, sampled every millisecond for 600 ms, with a GC pause from 100 to
/// 400 ms that has samples or not.
fn machine(is_sampled: bool) -> (Store, Vec<u8>) {
    let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace6.header() };
    let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
    let record = |metadata_id, provider: &str, event_id, version, name: &str| MetadataRecord {
        metadata_id,
        provider: provider.to_owned(),
        event_id,
        version,
        name: name.to_owned(),
        level: 4,
        ..MetadataRecord::default()
    };
    trace.metadata(&[
        record(1, "Universal.Events", 1, 0, "cpu"),
        record(2, RUNTIME, 9, 1, ""),
        record(3, RUNTIME, 8, 1, ""),
        record(4, RUNTIME, 1, 2, ""),
        record(5, RUNTIME, 2, 1, ""),
        record(6, RUNTIME, 3, 1, ""),
    ]);
    let row = |index, process| ThreadRow {
        index,
        process_id: Some(process),
        thread_id: Some(process + 1),
        ..ThreadRow::default()
    };
    trace.threads(&[row(1, 100), row(2, 200)]);
    let payload = PayloadWriter::new;
    let is_silent = |at: i64| (100..=400).contains(&at) && !is_sampled;
    let mut events: Vec<(i64, u64, u32, Vec<u8>)> = (0..600)
        .filter(|at| !is_silent(*at))
        .map(|at| (at * MS, 1 + at as u64 % 2, 1, vec![1]))
        .chain([
            (100 * MS, 1, 2, payload().u32(1).u32(0).u16(0).finish()),
            (100 * MS + 1, 1, 3, payload().u16(0).finish()),
            (100 * MS + 2, 1, 4, payload().u32(1).u32(2).u32(0).u32(0).u16(0).u64(0).finish()),
            (400 * MS, 1, 5, payload().u32(1).u32(2).u16(0).finish()),
            (400 * MS + 1, 1, 6, payload().u16(0).finish()),
        ])
        .collect();
    events.sort_by_key(|event| (event.0, event.2));
    let mut sequences = [0u32; 3];
    let events: Vec<Event> = events
        .into_iter()
        .map(|(timestamp, thread, metadata_id, payload)| {
            let sequence = &mut sequences[thread as usize];
            *sequence += 1;
            Event { metadata_id, sequence: *sequence, thread, timestamp, payload, ..Event::default() }
        })
        .collect();
    trace.events(&events);
    let bytes = trace.finish();
    (read(&bytes), bytes)
}

#[test]
fn machine_gap_in_gc_pause_is_not_gc_work() {
    let kinds = |found: Vec<Finding>| found.into_iter().map(|one| one.kind).collect::<Vec<_>>();
    let (store, bytes) = machine(true);
    assert_eq!(kinds(findings(Topic::Gc, &store, &bytes)), [FindingKind::PauseShare, FindingKind::LongPause]);
    assert_eq!(recording_findings_of(&store, &bytes), []);
    let (store, bytes) = machine(false);
    assert_eq!(kinds(findings(Topic::Gc, &store, &bytes)), []);
    let found = recording_findings_of(&store, &bytes);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].title, "Nothing recorded for 300 ms");
    assert_eq!(found[0].sentence, "The gap began at 0.100 s.");
    assert_eq!(
        found[0].details,
        "Nothing was recorded on the whole machine for 300 ms. 300 ms of that fell within GC pauses, but the GC \
         wasn't the cause. The process or the machine was probably suspended."
    );
}
