//! Identities, time and containers that every crate above the parser shares.

pub mod hash;
pub mod ids;
pub mod indexed_part;
pub mod sort;
pub mod time;
