//! The fuzz targets of `tests/fuzz` on seeded mutations: the same bytes with every run.
//!
//! With TRACEGLASS_FULL many more of them (`cargo xtask test --full`).

#[path = "../../fuzz/src/lib.rs"]
mod fuzz_crate;

mod allocator;
mod containers;
mod damage;
mod mutations;
