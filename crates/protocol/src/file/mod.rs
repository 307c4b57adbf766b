//! Queries about the file: blocks, bytes, schemas, sizes.

pub(crate) mod cost_shares;
pub(crate) mod detail;
pub(crate) mod request;
pub mod schema_diff;
pub mod schema_tables;
pub mod tables;
