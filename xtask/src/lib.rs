//! Builds, serves, tests and measures Traceglass, and installs the tools for it.
//!
//! `cargo xtask` (an alias in `.cargo/config.toml`) runs the program; the browser tests in `tests/e2e` use [`server`]
//! to serve the built page like any static host.

pub mod bench;
pub mod browser;
pub mod build;
pub mod check;
pub mod ci;
pub mod command;
pub mod dev;
pub mod fuzz;
pub mod lint;
pub mod offline;
pub mod packages;
pub mod page;
pub mod paths;
pub mod server;
pub mod setup;
pub mod size;
pub mod synth;
pub mod test;
pub mod tools;
pub mod trunk;
pub mod turnaround;

/// Result of a step; the error is a message for the terminal.
pub type Outcome<T = ()> = Result<T, String>;
