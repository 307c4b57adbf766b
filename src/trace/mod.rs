//! The open trace: its worker, files, queries and pages of rows.

pub mod client;
pub(crate) mod files;
pub(crate) mod join;
pub(crate) mod latest;
pub mod live_query;
pub mod oneshot;
pub(crate) mod pages;
pub(crate) mod symbols;
pub(crate) mod wanted;
pub(crate) mod worker_bindings;
