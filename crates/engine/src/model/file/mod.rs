//! The file: blocks, damage, losses, event types and their totals.

pub(crate) mod blocks;
pub(crate) mod damages;
pub(crate) mod diagnostics;
pub(crate) mod fits;
pub(crate) mod losses;
pub(crate) mod reread_header;
pub(crate) mod sections;
pub(crate) mod totals;
pub(crate) mod types;
