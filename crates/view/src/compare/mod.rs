//! Presentation of the comparison of two traces.

pub mod groups;
pub mod interval;
pub mod links;
