//! Commands and their keyboard shortcuts.

pub mod keymap;
