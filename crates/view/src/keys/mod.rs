//! Commands and their keyboard shortcuts.

pub mod keymap;
pub mod palette;
pub mod shortcut_list;
