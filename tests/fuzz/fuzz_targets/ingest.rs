//! See [`traceglass_fuzz::targets::ingest`].
#![no_main]

use libfuzzer_sys::fuzz_target;
use traceglass_fuzz::targets;

fuzz_target!(|data: &[u8]| targets::ingest(data));
