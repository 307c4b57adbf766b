//! What is fuzzed: functions that take any bytes and must not panic, hang or take memory without bound.
//!
//! The fuzz targets run them on what libFuzzer invents, for as long as one likes (`cargo xtask fuzz`);
//! `tests/native/fuzz` runs the same functions on seeded mutations of the same traces, with every `cargo test`.

pub mod containers;
pub mod mutation;
pub mod reading;
pub mod targets;
pub mod traces;
