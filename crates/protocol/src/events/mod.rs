//! Queries about events: filter, order, groups, text.

pub mod activity_path;
pub mod columns;
pub mod connections;
pub(crate) mod filter;
pub mod group_columns;
pub mod groups;
pub(crate) mod label;
pub mod order;
pub mod payload;
pub mod query_help;
pub mod span_times;
pub mod text;
