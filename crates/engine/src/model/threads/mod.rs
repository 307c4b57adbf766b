//! Threads and processes.

pub(crate) mod density;
pub(crate) mod processes;
pub(crate) mod roles;
pub(crate) mod table;
mod thread_labels;
