//! The page.

mod address;
pub mod browser;
pub mod canvas;
pub mod client;
mod details;
mod events;
mod filtering;
pub mod follow;
mod help;
mod keys;
pub mod latest;
mod metadata;
pub mod oneshot;
mod root;
mod stacks;
mod start;
pub mod state;
mod summary;
mod theme;
pub mod timeline;
pub mod turns;
pub mod widgets;
mod workspace;

pub use root::mount;
pub use state::App;
