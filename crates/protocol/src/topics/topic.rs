//! What analyses are about.

use serde::{Deserialize, Serialize};

/// The subject of an analysis: a page of its own, and a command of the native twin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Topic {
    /// Garbage collections.
    Gc,
    /// What was allocated, by type and stack.
    Allocations,
    /// What is on the heap.
    Heap,
    /// Exceptions thrown.
    Exceptions,
    /// Waiting for locks.
    Contention,
    /// Waiting for anything else that tells.
    Waits,
    /// The thread pool.
    ThreadPool,
    /// Requests answered and sent.
    Http,
    /// Commands to data bases.
    Sql,
    /// Tasks and what they wait for.
    Tasks,
    /// Messages of loggers.
    Logs,
    /// Values over time.
    Counters,
    /// Methods compiled.
    Jit,
    /// What happens until the program does its work.
    Startup,
}

impl Topic {
    /// All of them, in the order shown.
    pub const ALL: [Self; 14] = [
        Self::Gc,
        Self::Allocations,
        Self::Heap,
        Self::Exceptions,
        Self::Contention,
        Self::Waits,
        Self::ThreadPool,
        Self::Http,
        Self::Sql,
        Self::Tasks,
        Self::Logs,
        Self::Counters,
        Self::Jit,
        Self::Startup,
    ];

    /// The name in addresses and on the command line.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Gc => "gc",
            Self::Allocations => "allocations",
            Self::Heap => "heap",
            Self::Exceptions => "exceptions",
            Self::Contention => "contention",
            Self::Waits => "waits",
            Self::ThreadPool => "threadpool",
            Self::Http => "http",
            Self::Sql => "sql",
            Self::Tasks => "tasks",
            Self::Logs => "logs",
            Self::Counters => "counters",
            Self::Jit => "jit",
            Self::Startup => "startup",
        }
    }

    /// The topic of a name.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.slug() == slug)
    }

    /// What people read.
    pub fn title(self) -> &'static str {
        match self {
            Self::Gc => "GC",
            Self::Allocations => "Allocations",
            Self::Heap => "Heap",
            Self::Exceptions => "Exceptions",
            Self::Contention => "Contention",
            Self::Waits => "Waits",
            Self::ThreadPool => "Thread pool",
            Self::Http => "HTTP",
            Self::Sql => "SQL",
            Self::Tasks => "Tasks",
            Self::Logs => "Logs",
            Self::Counters => "Counters",
            Self::Jit => "JIT",
            Self::Startup => "Startup",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_is_found_by_its_name() {
        for topic in Topic::ALL {
            assert_eq!(Topic::from_slug(topic.slug()), Some(topic));
        }
        assert_eq!(Topic::from_slug("summary"), None);
    }
}
