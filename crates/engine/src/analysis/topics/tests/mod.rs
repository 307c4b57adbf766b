//! Tests reports against references, and builds traces for tests of findings.

pub(crate) mod activity_traces;
mod app_counts;
mod cases;
pub(crate) mod findings;
pub mod reports;
pub(crate) mod runtime;
mod silence;
mod two_services;
