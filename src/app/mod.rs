//! The whole page: programs, screens, shared state, theme.

pub mod boot;
pub mod browser;
pub(crate) mod first_screen;
pub(crate) mod opened;
pub(crate) mod overlays;
pub(crate) mod root;
pub mod shell;
pub(crate) mod signals;
pub mod staged_render;
pub mod state;
pub(crate) mod theme;
