//! Commands: shortcuts, palette, list of shortcuts.

pub(crate) mod actions;
pub(crate) mod keys;
pub(crate) mod palette;
pub(crate) mod shortcut_search;
pub(crate) mod shortcut_sheet;
pub(crate) mod shortcuts;
