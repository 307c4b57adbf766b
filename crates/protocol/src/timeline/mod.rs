//! Tracks of the timeline and their tables.

pub mod role_tables;
pub mod tables;
pub mod track;
