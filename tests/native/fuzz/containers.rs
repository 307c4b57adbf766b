//! Mutations of archives and compressed files.

use super::allocator::peak_bytes;
use super::fuzz_crate::containers::{containers, read, samples};
use super::fuzz_crate::mutation::{Random, mutate};
use crate::common::recordings::is_full;
use engine::session::container::native::Part;
use nettrace::testing::{Format, TraceBuilder};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of mutations of each kind; the second one with TRACEGLASS_FULL.
const MUTATIONS: usize = 300;
const MANY_MUTATIONS: usize = 20_000;

/// Maximum memory for decompressing any file: mostly the window of Zstandard, whose size is in the header.
const FIXED_BYTES: u64 = 200 << 20;
/// Maximum memory for reading per byte of the file; decompressed data is in a file.
const BYTES_PER_BYTE: u64 = 512;
/// Time limit; longer is a hang.
const HANG: Duration = Duration::from_secs(20);

fn trace() -> Vec<u8> {
    let mut trace = TraceBuilder::new(Format::Nettrace4);
    // Incompressible data, which the parser skips.
    let noise: Vec<u8> = (0..3000u32).map(|at| (at.wrapping_mul(0x9e37_79b9) >> (at % 27)) as u8).collect();
    trace.block("UnknownBlock", 0, &noise);
    trace.finish()
}

/// Returns the offsets of the records of an archive.
fn records(file: &[u8]) -> Vec<u64> {
    let marks = file.windows(2).enumerate().filter(|(_, bytes)| bytes == b"PK").map(|(at, _)| at as u64);
    marks.chain([file.len() as u64]).collect()
}

#[test]
fn seed_containers_are_read() {
    for (name, file) in samples(&trace()) {
        let path = (name == "several.zip").then_some("b");
        assert_eq!(read(&Part::whole(Arc::new(file)), path), Some(0), "{name}");
    }
}

#[test]
fn container_mutations_never_panic() {
    for (kind, (name, file)) in samples(&trace()).into_iter().enumerate() {
        let records = records(&file);
        let mut random = Random::new(0xA2C8 + kind as u64);
        for number in 0..if is_full() { MANY_MUTATIONS } else { MUTATIONS } {
            let mutated = mutate(&file, &records, &mut random);
            let start = Instant::now();
            let result = std::panic::catch_unwind(|| peak_bytes(|| containers(&mutated)));
            let peak = result.unwrap_or_else(|_| panic!("mutation {number} of {name} ({} bytes)", mutated.len()));
            let most = FIXED_BYTES + BYTES_PER_BYTE * mutated.len() as u64;
            assert!(peak <= most, "mutation {number} of {name}: {peak} bytes for {} of file", mutated.len());
            assert!(start.elapsed() < HANG, "mutation {number} of {name}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn truncated_containers_never_panic() {
    for (name, file) in samples(&trace()) {
        // Every length in a full run; a prime step otherwise, so that lengths differ between formats.
        for length in (0..file.len()).step_by(if is_full() { 1 } else { 7 }) {
            let result = std::panic::catch_unwind(|| containers(&file[..length]));
            assert!(result.is_ok(), "{name} cut to {length} bytes");
        }
    }
}
