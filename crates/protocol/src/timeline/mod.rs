//! Tracks of the timeline and their tables.

pub mod role_tables;
pub mod tables;
pub mod thread_state;
pub mod track;
pub mod wait_shares;
