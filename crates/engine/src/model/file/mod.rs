//! The file: blocks, damage, losses, event types and their totals.

pub(crate) mod blocks;
pub(crate) mod damages;
pub(crate) mod diagnostics;
pub(crate) mod losses;
pub(crate) mod pieces;
pub(crate) mod totals;
pub(crate) mod types;
