//! Names in a trace, for the command palette and for completing a filter.

pub mod function_counts;
pub mod functions;
pub mod items;
