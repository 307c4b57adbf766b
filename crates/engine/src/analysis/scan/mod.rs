//! Passes over the store's rows and their payloads.

pub mod payload_batches;
pub mod payload_scan;
pub(crate) mod read_ahead;
pub mod rows;
pub mod selection;
pub mod text_match;
