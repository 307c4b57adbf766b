//! Queries about the file: blocks, bytes, schemas, sizes.

pub(crate) mod cost_shares;
pub(crate) mod detail;
pub mod schema_diff;
pub mod schema_tables;
pub(crate) mod section_filter;
pub mod tables;
