//! What users do on the timeline: keys, pointer, touch, menu of an item, navigation, time range, filters.

pub(super) mod filtering;
pub(super) mod follow_link;
pub(super) mod keys;
mod lane_menu;
pub(super) mod navigation;
pub(super) mod pointer;
pub(super) mod range;
mod touch;
