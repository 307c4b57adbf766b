//! Texts of the details of a selection.

pub mod shown_fields;
pub mod title;
pub mod writing_frames;
