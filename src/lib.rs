//! The page.

mod address;
pub mod app;
mod commands;
mod compare;
mod details;
mod embed;
mod events;
mod filtering;
pub mod labels;
mod metadata;
mod notes;
mod pictures;
mod share;
mod stacks;
mod start;
mod summary;
pub mod timeline;
mod topics;
pub mod trace;
pub(crate) mod traces;
pub mod widgets;
mod workspace;

pub use app::first_screen::mount_first;
pub use app::root::mount;
pub use app::state::App;
