//! Selection of events and stacks by a filter.

pub mod query;
pub mod select;
pub(crate) mod stacks;
