//! IDs, time and containers for all crates above the parser.

pub mod hash;
pub mod ids;
pub mod indexed_part;
pub mod sort;
pub mod time;
