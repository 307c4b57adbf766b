//! Views as URLs.

pub mod file;
pub(crate) mod filter;
pub mod metadata;
pub mod percent;
pub mod report;
pub mod selection;
pub mod stacks;
pub mod state;
pub mod tracks;
