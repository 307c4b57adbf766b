//! Drives the built page in a real browser, as a user would.
//!
//! [`drive`] serves `dist/` under a sub-path by a server that sends no special headers, opens it in Chromium and
//! hands the test a [`Page`]. Elements are found by their `data-testid`. Nothing here sleeps for a fixed time:
//! everything waits for what it needs to see.

pub mod archive;
mod busy;
mod engines;
mod filtering;
pub mod fixtures;
mod focus;
mod memory;
mod needs;
pub mod obstacles;
mod page;
mod pointer;
mod session;

pub use filtering::{number, written};
pub use memory::renderer_peak_bytes;
pub use needs::Need;
pub use page::Page;
pub use session::{Trouble, drive, drive_if, drive_within};

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
