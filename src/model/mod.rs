//! The store: what a trace contains, in columns.
//!
//! Nothing here knows a browser or a question; [`crate::analysis`] asks the questions.

pub mod ids;
pub mod time;
