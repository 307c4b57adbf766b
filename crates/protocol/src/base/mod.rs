//! IDs, time and containers for all crates above the parser.

pub mod hash;
pub mod ids;
pub mod indexed_part;
mod named;
pub mod sort;
pub mod time;
