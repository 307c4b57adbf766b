//! Drives the built page in a real browser, like a user.
//!
//! Tests are functions with the attribute [`browser_test`], which [`run_tests`] finds and runs. Each gets a [`Page`] in
//! a separate browser context, and a server for `dist/` that uses a subfolder of the URL and sends no special headers.
//! Elements are found by their `data-testid`. Tests don't sleep for a fixed time: they wait for visible effects.

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
mod region_workers;
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

// The expansion of the attribute refers to it.
pub use inventory;
pub use traceglass_e2e_macros::browser_test;

/// Result of a step of a test.
pub type Step<T = ()> = Result<T, Trouble>;

/// Returns the names of the tabs of analyses, as the product's table has them.
pub fn topics() -> impl Iterator<Item = &'static str> {
    let rows = include_str!("../../../crates/protocol/src/topics/topic.rs").lines();
    rows.filter_map(|line| line.trim().strip_prefix("slug: \"")?.strip_suffix("\","))
}

/// Widths and heights of the window in CSS pixels. The last one is 1440 x 900 at a zoom of 200%.
pub const SIZES: [(u32, u32); 4] = [(1440, 900), (1024, 768), (768, 1024), (720, 450)];
