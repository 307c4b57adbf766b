//! Drives the built page in a real browser, as a user would.
//!
//! Tests are functions with the attribute [`browser_test`], which [`run_tests`] finds and runs. Each gets a [`Page`] in a
//! browser context of its own and a server for `dist/` that serves it under a sub-path and sends no special headers.
//! Elements are found by their `data-testid`. Nothing here sleeps for a fixed time: everything waits for what it needs
//! to see.

pub mod accessibility;
pub mod archive;
mod browser;
mod busy;
mod devtools;
mod driver;
mod engines;
mod filtering;
pub mod fixtures;
mod focus;
mod memory;
mod needs;
mod page;
mod pointer;
mod runner;
mod session;
mod trouble;

pub use filtering::{number, written};
pub use memory::renderer_peak_bytes;
pub use needs::Need;
pub use page::Page;
pub use runner::{BrowserTest, run_tests};
pub use session::drive_within;
pub use trouble::Trouble;

// What the attribute makes of a test names it.
pub use inventory;
pub use traceglass_e2e_macros::browser_test;

/// What a step of a test returns.
pub type Step<T = ()> = Result<T, Trouble>;

/// Pages of answers, as their tabs are called.
pub const TOPICS: [&str; 14] = [
    "gc",
    "allocations",
    "heap",
    "exceptions",
    "contention",
    "waits",
    "threadpool",
    "http",
    "sql",
    "tasks",
    "logs",
    "counters",
    "jit",
    "startup",
];

/// Width and height of the window in CSS pixels. The last one is 1440 x 900 with everything twice as large.
pub const SIZES: [(u32, u32); 4] = [(1440, 900), (1024, 768), (768, 1024), (720, 450)];
