//! Fuzz targets of `tests/fuzz` on seeded mutations, with the same bytes in every run.
//!
//! TRACEGLASS_FULL increases their number (`cargo xtask test --full`).

#[path = "../../fuzz/src/lib.rs"]
mod fuzz_crate;

mod allocator;
mod containers;
mod damage;
mod mutations;
mod threads;
