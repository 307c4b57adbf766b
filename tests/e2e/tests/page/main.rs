//! Tests of the page in a real browser, as a user sees it.

use std::process::ExitCode;

mod accessibility;
mod appearance;
mod compare;
mod embedding;
mod events;
mod filters;
mod keyboard;
mod links;
mod metadata;
mod opening;
mod performance;
mod sharing;
mod stacks;
mod start;
mod summary;
mod timeline;
mod topics;

fn main() -> ExitCode {
    traceglass_e2e::run_tests()
}
