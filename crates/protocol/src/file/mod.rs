//! Queries about the file: blocks, bytes, schemas, sizes.

pub mod cost_columns;
pub(crate) mod cost_shares;
pub(crate) mod detail;
pub mod schema_diff;
pub mod schema_tables;
pub mod section_columns;
pub(crate) mod section_filter;
pub mod tables;
