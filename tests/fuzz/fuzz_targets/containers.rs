//! See [`traceglass_fuzz::containers::containers`].
#![no_main]

use libfuzzer_sys::fuzz_target;
use traceglass_fuzz::containers;

fuzz_target!(|data: &[u8]| containers::containers(data));
