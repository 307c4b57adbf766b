//! Views as URLs.

pub mod added;
pub mod compare;
pub mod events;
pub mod file;
pub(crate) mod filter;
mod hash;
pub mod history;
pub mod metadata;
pub mod names;
pub mod notes;
pub(crate) mod part;
pub mod percent;
pub mod report;
pub mod selection;
pub mod stacks;
pub mod state;
pub mod timeline;
pub mod trace;
pub mod tracks;
