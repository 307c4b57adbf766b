//! Builds, serves, tests and measures Traceglass; installs what that needs.
//!
//! `cargo xtask` (an alias in `.cargo/config.toml`) runs the program; the browser tests in `tests/e2e` use
//! [`server`] to serve the built page the way any static host would.

pub mod bench;
pub mod browser;
pub mod build;
pub mod check;
pub mod command;
pub mod dev;
pub mod fuzz;
pub mod offline;
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

/// What a step returns: a message for the person at the terminal when it fails.
pub type Outcome<T = ()> = Result<T, String>;
