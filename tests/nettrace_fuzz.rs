//! The fuzz targets of `tests/fuzz` on seeded mutations: the same bytes with every run.
//!
//! With TRACEGLASS_FULL many more of them (`cargo xtask test --full`).

#[path = "fuzz/src/lib.rs"]
mod fuzz;

#[path = "nettrace_fuzz/allocator.rs"]
mod allocator;
#[path = "nettrace_fuzz/containers.rs"]
mod containers;
#[path = "nettrace_fuzz/damage.rs"]
mod damage;
#[path = "nettrace_fuzz/mutations.rs"]
mod mutations;
