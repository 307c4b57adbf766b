//! Draws tracks and rulers into draw lists.

pub mod arrows;
pub mod event_ticks;
pub mod flags;
pub mod free_place;
pub mod gc;
pub mod heap;
pub mod heat;
pub mod intervals;
pub mod minimap;
mod notes;
pub mod pane;
pub mod ruler;
pub mod series;
pub mod slices;
pub mod strip;
