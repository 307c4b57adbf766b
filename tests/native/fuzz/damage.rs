//! Events completely before or after damage are found, and identical to those of the undamaged trace.

use super::fuzz_crate::mutation::Random;
use super::fuzz_crate::reading::{EventPart, Part, PartKind, read};
use super::fuzz_crate::traces::{VERSIONS, trace};
use crate::common::recordings::is_full;
use nettrace::Result;
use std::collections::HashMap;
use std::ops::Range;

/// Size of the traces: the work is its product with the number of positions.
const ROUNDS: u64 = 2;

/// Checks that all undamaged `parts` are in damaged bytes: every event completely before the damage, and every event of
/// a block completely after it (with block headers; netperf 1 and 2 have none, and end at the damage).
fn check(damaged: &[u8], parts: &[Part], hole: &Range<u64>, has_framing: bool, name: &str) {
    let Ok(found) = read(damaged) else {
        let header_end = parts.first().map_or(0, |header| header.bytes);
        assert!(hole.start < header_end, "{name}: refused");
        return;
    };
    let found_events: HashMap<u64, &EventPart> = found
        .iter()
        .filter(|part| part.kind == PartKind::Events)
        .flat_map(|part| &part.events)
        .map(|event| (event.start, event))
        .collect();
    for block in parts.iter().filter(|part| part.kind == PartKind::Events) {
        let is_behind = has_framing && block.offset >= hole.end;
        for event in &block.events {
            if is_behind || event.end <= hole.start {
                let found = found_events.get(&event.start).copied();
                let place = if is_behind { "behind" } else { "before" };
                let same = found.is_some_and(|found| found.digest == event.digest);
                assert!(same, "{name}: {event:?} {place} {hole:?} is {found:?} among {}", listed(&read(damaged)));
            }
        }
    }
    if hole.start < damaged.len() as u64 && !hole.is_empty() {
        return;
    }
    let bytes: u64 = found.iter().map(|part| part.bytes).sum();
    assert_eq!(bytes, damaged.len() as u64, "{name}: every byte belongs to something");
}

/// Returns the parts as text, for a failure message.
fn listed(parts: &Result<Vec<Part>>) -> String {
    let Ok(parts) = parts else { return "nothing".to_owned() };
    let lines = parts.iter().map(|part| format!("{:?} {}+{}", part.kind, part.offset, part.bytes));
    lines.collect::<Vec<_>>().join(", ")
}

fn check_cut(trace: &[u8], parts: &[Part], cut: usize, name: &str) {
    let hole = cut as u64..trace.len() as u64;
    check(&trace[..cut], parts, &hole, false, &format!("{name} cut at {cut}"));
}

/// Returns whether blocks after damage can be found: not in netperf 1 and 2.
fn has_framing(version: u32) -> bool {
    version > 2
}

#[test]
fn truncation_keeps_every_event_before_it() {
    for version in VERSIONS {
        for compressed in [true, false] {
            let trace = trace(version, compressed, ROUNDS);
            let parts = read(&trace).expect("a trace");
            // Every seventh position in the short run; unit tests of the parser cover all positions of a smaller trace.
            let step = if is_full() { 1 } else { 7 };
            for cut in (0..trace.len()).step_by(step) {
                check_cut(&trace, &parts, cut, &format!("version {version}, compressed: {compressed},"));
            }
        }
    }
}

#[test]
fn hole_keeps_events_before_and_blocks_after_it() {
    let rounds = if is_full() { 10_000 } else { 500 };
    for version in VERSIONS {
        let mut random = Random::new(0x401E + u64::from(version));
        for compressed in [true, false] {
            let trace = trace(version, compressed, ROUNDS);
            let parts = read(&trace).expect("a trace");
            let header = parts.first().map_or(0, |header| header.bytes) as usize;
            for round in 0..rounds {
                let start = header + random.below(trace.len() - header);
                let length = 1 + random.below(if round % 4 == 0 { 2_000 } else { 60 });
                let end = (start + length).min(trace.len());
                let mut damaged = trace.clone();
                let is_zero = random.below(2) == 0;
                let noise = |_| if is_zero { 0 } else { random.below(256) as u8 };
                let noise: Vec<u8> = (start..end).map(noise).collect();
                damaged[start..end].copy_from_slice(&noise);
                let hole = start as u64..end as u64;
                let name = format!("version {version}, compressed: {compressed}, zeros: {is_zero},");
                check(&damaged, &parts, &hole, has_framing(version), &name);
            }
        }
    }
}

#[test]
fn damage_in_recording_affects_only_touched_blocks() {
    let samples = [
        ("tests/fixtures/orders-net21.netperf.gz", 3),
        ("tests/fixtures/orders-net31.nettrace.gz", 4),
        ("tests/fixtures/shapes-net10.nettrace.gz", 5),
        ("www/samples/orders-v6.nettrace.gz", 6),
    ];
    let places = if is_full() { 2_000 } else { 12 };
    let mut random = Random::new(0x0C07);
    for (path, version) in samples {
        let trace = unpacked(path);
        let parts = read(&trace).expect("a trace");
        for _ in 0..places {
            check_cut(&trace, &parts, random.below(trace.len()), path);
            let start = 200 + random.below(trace.len() - 200);
            let end = (start + 1 + random.below(100_000)).min(trace.len());
            let mut damaged = trace.clone();
            damaged[start..end].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
            check(&damaged, &parts, &(start as u64..end as u64), has_framing(version), path);
        }
    }
}

/// Returns a recording of the repository, decompressed.
pub fn unpacked(path: &str) -> Vec<u8> {
    let path = crate::common::root().join(path);
    let packed = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut bytes).expect("a whole gzip file");
    bytes
}
