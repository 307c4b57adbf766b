//! Draw lists, colors, and texts that fit their boxes.

pub mod drawlist;
pub mod hairlines;
pub mod palette;
pub mod svg;
pub mod text_fit;
pub mod tooltip;
pub mod unbroken;
pub mod units;
