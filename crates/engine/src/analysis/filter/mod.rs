//! Which events and stacks a filter selects.

pub mod query;
pub mod select;
pub(crate) mod stacks;
