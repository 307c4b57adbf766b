//! Draw lists, colors, texts that must fit.

pub mod drawlist;
pub mod hairlines;
pub mod palette;
pub mod text_fit;
pub mod tooltip;
pub mod unbroken;
pub mod units;
