//! Queries about stacks: sources, weights, shape, formats.

pub mod format;
pub mod function_columns;
pub mod query;
pub mod shape;
pub mod tables;
