//! Names of threads in tables.

use crate::model::Store;
use protocol::base::ids::ThreadId;
use protocol::filter::word;

/// Returns the name and number of a thread; empty for `None`.
pub fn thread_name(store: &Store, thread: Option<ThreadId>) -> String {
    thread.and_then(|thread| store.threads.get(thread)).map_or_else(String::new, |thread| thread.numbered_label())
}

/// Returns a filter condition for the events of a thread.
pub fn thread_condition(store: &Store, thread: ThreadId) -> String {
    format!("thread={}", word(&thread_name(store, Some(thread))))
}
