//! Presentation without a browser: time scales, layouts, draw lists, texts, keyboard shortcuts.

pub mod compare;
pub mod details;
pub mod draw;
pub mod events;
pub mod file;
pub mod grid;
pub mod keys;
pub mod notes;
pub mod page;
pub mod report;
pub mod stacks;
pub mod summary;
pub mod timeline;
pub mod traces;
pub mod url;

pub use protocol::format;
