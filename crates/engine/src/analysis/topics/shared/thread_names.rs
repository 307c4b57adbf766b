//! Names of threads in tables.

use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;
use protocol::filter::word;

/// Returns the name and number of a thread; empty for `None`.
pub fn thread_name(store: &Store, thread: Option<ThreadId>) -> String {
    thread.and_then(|thread| store.threads().get(thread)).map_or_else(String::new, |thread| thread.numbered_label())
}

/// Returns a filter condition for the events of a thread.
pub fn thread_condition(store: &Store, thread: ThreadId) -> String {
    format!("thread={}", word(&thread_name(store, Some(thread))))
}

/// Cache of thread names: a table has many rows of few threads.
#[derive(Default)]
pub struct ThreadNames(FastMap<ThreadId, String>);

impl ThreadNames {
    /// Returns the same as [`thread_name`].
    pub fn name(&mut self, store: &Store, thread: ThreadId) -> &str {
        self.0.entry(thread).or_insert_with(|| thread_name(store, Some(thread)))
    }
}
