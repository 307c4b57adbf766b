//! The page in a real browser, as a user sees it.

mod accessibility;
mod appearance;
mod events;
mod filters;
mod keyboard;
mod links;
mod metadata;
mod opening;
mod performance;
mod sharing;
mod stacks;
mod start;
mod summary;
mod timeline;
mod topics;
