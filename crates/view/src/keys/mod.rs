//! Commands and their keyboard shortcuts.

pub mod keymap;
pub mod palette;
