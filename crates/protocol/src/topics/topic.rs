//! Subjects of analyses.

use serde::{Deserialize, Serialize};

/// Subject of an analysis, with a tab on the page and a command of the command-line tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Topic {
    /// GCs.
    Gc,
    /// Allocations by type and stack.
    Allocations,
    /// Objects on the heap.
    Heap,
    /// Exceptions.
    Exceptions,
    /// Lock contention.
    Contention,
    /// WaitHandle and Monitor waits.
    Waits,
    /// Thread pool.
    ThreadPool,
    /// Incoming and outgoing HTTP requests.
    Http,
    /// Database queries.
    Sql,
    /// Tasks and their waits.
    Tasks,
    /// Log messages.
    Logs,
    /// Counters.
    Counters,
    /// Compiled methods.
    Jit,
    /// Startup of the app.
    Startup,
}

impl Topic {
    /// All subjects, in display order.
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

    /// Returns the name in URLs and on the command line.
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

    /// Returns the keys of the figures whose sum is the count on the tab; of alternatives, the first that isn't 0.
    pub fn counts(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Gc | Self::Exceptions | Self::Contention | Self::Waits => &[&["count"]],
            Self::Allocations => &[&["events"]],
            Self::Http => &[&["served", "sent"]],
            Self::Sql => &[&["commands"]],
            Self::Tasks => &[&["tasks"], &["asyncMethods"]],
            Self::Logs => &[&["messages"]],
            Self::Jit => &[&["methods"]],
            Self::Heap | Self::ThreadPool | Self::Counters | Self::Startup => &[],
        }
    }

    /// Returns the subject with a slug.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.slug() == slug)
    }

    /// Returns the display name.
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
    fn every_topic_is_found_by_slug() {
        for topic in Topic::ALL {
            assert_eq!(Topic::from_slug(topic.slug()), Some(topic));
        }
        assert_eq!(Topic::from_slug("summary"), None);
    }
}
