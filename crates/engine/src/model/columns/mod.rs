//! Columns: events, stacks, payloads and strings, each as narrow as its values allow.

pub(crate) mod activities;
pub(crate) mod allocated_types;
pub(crate) mod allocation_amounts;
pub(crate) mod copied_payloads;
pub(crate) mod events;
pub(crate) mod narrow;
pub(crate) mod open_chunk;
pub(crate) mod rare_rows;
pub(crate) mod side_table;
pub(crate) mod strings;
pub(crate) mod writers;
