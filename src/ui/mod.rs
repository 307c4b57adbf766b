//! The page.

mod address;
pub mod boot;
pub mod browser;
pub mod canvas;
pub mod client;
mod details;
mod events;
mod files;
mod filtering;
mod find;
mod first;
pub mod follow;
mod help;
mod keys;
pub mod labels;
mod latest;
mod metadata;
pub mod oneshot;
mod root;
mod share;
pub mod shell;
mod stacks;
mod start;
pub mod state;
mod summary;
mod symbols;
mod theme;
pub mod timeline;
mod timeline_choices;
pub mod turns;
pub mod widgets;
mod workspace;

pub use first::mount_first;
pub use root::mount;
pub use state::App;
