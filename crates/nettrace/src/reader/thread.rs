//! Threads of a trace.

use crate::block::ThreadRow;

/// Thread of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    index: Option<u64>,
    id: Option<u64>,
    process_id: Option<u64>,
    name: Option<String>,
    attributes: Vec<(String, String)>,
}

impl Thread {
    /// Creates a thread of a file that names threads by OS thread ID (up to version 5).
    pub(super) fn of_id(id: u64, process_id: Option<u64>) -> Self {
        Self { index: None, id: Some(id), process_id, name: None, attributes: Vec::new() }
    }

    /// Creates a thread of the thread table (version 6).
    pub(super) fn of_row(row: ThreadRow, process_id: Option<u64>) -> Self {
        Self {
            index: Some(row.index),
            id: row.thread_id,
            process_id: row.process_id.or(process_id),
            name: row.name.filter(|name| !name.is_empty()),
            attributes: row.attributes,
        }
    }

    /// Returns the OS thread ID, if known. Threads of up to version 5 have one.
    pub fn id(&self) -> Option<u64> {
        self.id
    }

    /// Returns the OS process ID, if known.
    pub fn process_id(&self) -> Option<u64> {
        self.process_id
    }

    /// Returns the name, if recorded (version 6).
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the index of the thread table (version 6).
    pub fn index(&self) -> Option<u64> {
        self.index
    }

    /// Returns the other key/value pairs, in file order (version 6).
    pub fn attributes(&self) -> &[(String, String)] {
        &self.attributes
    }
}
