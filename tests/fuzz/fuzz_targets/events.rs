//! See [`traceglass_fuzz::targets::events`].
#![no_main]

use libfuzzer_sys::fuzz_target;
use traceglass_fuzz::targets;

fuzz_target!(|data: &[u8]| targets::events(data));
