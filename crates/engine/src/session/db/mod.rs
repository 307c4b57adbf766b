//! What a session holds: the store, the file's pages, caches, and steps of long work.

pub(crate) mod needs;
pub(crate) mod pages;
pub(crate) mod queue;
pub(crate) mod recent;
pub(crate) mod reports;
pub(crate) mod state;
pub(crate) mod trees;
pub(crate) mod weighing;
pub(crate) mod work;
