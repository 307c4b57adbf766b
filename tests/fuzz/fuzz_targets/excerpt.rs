//! See [`traceglass_fuzz::targets::excerpt`].
#![no_main]

use libfuzzer_sys::fuzz_target;
use traceglass_fuzz::targets;

fuzz_target!(|data: &[u8]| targets::excerpt(data));
