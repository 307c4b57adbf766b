//! Fuzz targets: functions that take any bytes and must not panic, hang or take unlimited memory.
//!
//! libFuzzer runs them for any duration (`cargo xtask fuzz`); `tests/native/fuzz` runs the same functions on seeded
//! mutations of the same traces, with every `cargo test`.

pub mod containers;
pub mod mutation;
pub mod reading;
pub mod targets;
pub mod traces;
