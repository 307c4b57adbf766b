//! Blocks of a trace and the rows in them.

pub(crate) mod event_encoder;
pub(crate) mod event_header;
pub(crate) mod events;
mod item;
pub(crate) mod labels;
pub(crate) mod metadata;
pub(crate) mod sequence_point;
pub(crate) mod stacks;
pub(crate) mod threads;

pub use item::{BlockInfo, BlockKind, Damage, Item, UnknownBlock};
