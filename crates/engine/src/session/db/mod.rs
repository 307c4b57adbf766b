//! State of a session: store, file pages, caches, and work in progress.

pub(crate) mod interrupt;
pub(crate) mod memo;
pub(crate) mod pages;
pub(crate) mod queue;
pub(crate) mod reports;
pub(crate) mod state;
pub(crate) mod trees;
pub(crate) mod weighing;
pub(crate) mod work;
