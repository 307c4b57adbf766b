//! Texts of the details of a selection.

pub mod title;
pub mod writing_frames;
