//! Mutations of traces of all versions, through the parser, the store and the page's requests.

use std::time::{Duration, Instant};

use super::allocator::peak_bytes;
use super::fuzz_crate::mutation::{Random, mutate};
use super::fuzz_crate::reading::read;
use super::fuzz_crate::targets;
use super::fuzz_crate::traces::{VERSIONS, trace};
use crate::common::recordings::is_full;

/// Number of mutations of each version; the second one with TRACEGLASS_FULL.
const MUTATIONS: usize = 1_000;
const MANY_MUTATIONS: usize = 100_000;

/// Size of the traces.
const ROUNDS: u64 = 2;

/// Maximum memory for loading any trace: columns and tables have a minimum size.
const FIXED_BYTES: u64 = 8 << 20;
/// Maximum memory for loading and requests per byte of the file.
const BYTES_PER_BYTE: u64 = 512;
/// Time limit; longer is a hang. Mutated traces take a few milliseconds.
const HANG: Duration = Duration::from_secs(20);

fn mutations() -> usize {
    if is_full() { MANY_MUTATIONS } else { MUTATIONS }
}

/// Returns the offsets of the blocks of a trace, and its length.
fn blocks(trace: &[u8]) -> Vec<u64> {
    let parts = read(trace).expect("an undamaged trace");
    parts.iter().map(|part| part.offset).chain([trace.len() as u64]).collect()
}

fn check(version: u32) {
    for compressed in [true, false] {
        let whole = trace(version, compressed, ROUNDS);
        let blocks = blocks(&whole);
        let mut random = Random::new(u64::from(version) << 8 | u64::from(compressed));
        for number in 0..mutations() / 2 {
            let mutated = mutate(&whole, &blocks, &mut random);
            let name = format!("mutation {number} of version {version}, compressed: {compressed}");
            check_one(&mutated, &name);
            // Every item is expanded separately, which takes longer.
            if number.is_multiple_of(10) {
                let both = || (targets::explain(&mutated), targets::excerpt(&mutated));
                std::panic::catch_unwind(both).unwrap_or_else(|_| panic!("{name}"));
            }
        }
    }
}

fn check_one(mutated: &[u8], name: &str) {
    let start = Instant::now();
    let result = std::panic::catch_unwind(|| {
        targets::parse(mutated);
        targets::parse_chunked(mutated);
        peak_bytes(|| targets::ingest(mutated)).max(peak_bytes(|| targets::events(mutated)))
    });
    let peak = result.unwrap_or_else(|_| panic!("{name} ({} bytes)", mutated.len()));
    let most = FIXED_BYTES + BYTES_PER_BYTE * mutated.len() as u64;
    assert!(peak <= most, "{name}: {peak} bytes for {} bytes of file", mutated.len());
    assert!(start.elapsed() < HANG, "{name}: {:?}", start.elapsed());
}

#[test]
fn seed_traces_are_read_without_damage() {
    for version in VERSIONS {
        for compressed in [true, false] {
            let trace = trace(version, compressed, ROUNDS);
            let mut session = targets::load(&trace).expect("a trace");
            let store = session.store();
            assert_eq!(store.diagnostics.examples, [], "version {version}");
            assert!(store.events.len() == 14 * ROUNDS as usize && store.functions.len() > 3, "version {version}");
            assert!(session.samples().count() > 0, "version {version}");
            targets::ask(&mut session);
            targets::explain(&trace);
            targets::excerpt(&trace);
        }
    }
}

#[test]
fn version_1_mutations_never_panic() {
    check(1);
}

#[test]
fn version_2_mutations_never_panic() {
    check(2);
}

#[test]
fn version_3_mutations_never_panic() {
    check(3);
}

#[test]
fn version_4_mutations_never_panic() {
    check(4);
}

#[test]
fn version_5_mutations_never_panic() {
    check(5);
}

#[test]
fn version_6_mutations_never_panic() {
    check(6);
}

#[test]
fn any_payload_metadata_decodes_within_limits() {
    let mut random = Random::new(0xDE5C);
    for number in 0..2 * mutations() {
        let data: Vec<u8> = (0..random.below(400)).map(|_| random.below(256) as u8).collect();
        let start = Instant::now();
        let peak = peak_bytes(|| targets::payload(&data));
        // Values are at most counted, never allocated by their declared size.
        assert!(peak < 512 << 20, "payload {number}: {peak} bytes");
        assert!(start.elapsed() < HANG, "payload {number}: {:?}", start.elapsed());
    }
}
