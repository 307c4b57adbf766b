//! The file itself: blocks, bytes, schemas, and inferences about its recording.

pub mod block_runs;
pub mod blocks;
pub mod event_types;
pub mod field_costs;
pub mod header_detail;
pub(crate) mod recording;
pub mod schema_table;
pub mod structure;
pub mod summary;
pub mod trace_facts;
