//! The page.

pub mod browser;
pub mod client;
pub mod latest;
pub mod oneshot;
mod root;
pub mod state;

pub use root::mount;
pub use state::App;
