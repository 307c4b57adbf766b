//! Subjects of analyses: one row for each.
//!
//! Tabs, URLs, commands of the page and of the command-line tool, and "not recorded" texts read this table. What an
//! analysis does is in its folder in the engine.

use super::recording::{Recording, at_start, providers, runtime};
use crate::format;
use serde::{Deserialize, Serialize};

/// Defines [`Topic`] with a function for each column. Separate functions keep unused texts out of a program.
macro_rules! topics {
    ($($topic:ident {
        slug: $slug:expr,
        title: $title:literal,
        noun: $noun:expr,
        summary: $summary:expr,
        command: $command:expr,
        counts: $counts:expr,
        checked_for: $checked_for:expr,
        recording: $recording:expr $(,)?
    }),* $(,)?) => {
        /// Subject of an analysis, with a tab on the page and a command of the command-line tool.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Topic {
            $($topic,)*
        }

        impl Topic {
            /// All subjects, in display order.
            pub const ALL: [Self; [$(Self::$topic),*].len()] = [$(Self::$topic),*];

            /// Returns the name in URLs and on the command line.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$topic => $slug),* }
            }

            /// Returns the display name.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$topic => $title),* }
            }

            /// Returns the noun of the items that the tab counts, in the singular.
            pub const fn noun(self) -> &'static str {
                match self { $(Self::$topic => $noun),* }
            }

            /// Describes the tab in a few words.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$topic => $summary),* }
            }

            /// Describes the command of the command-line tool.
            pub const fn command(self) -> &'static str {
                match self { $(Self::$topic => $command),* }
            }

            /// Returns the name of the command that opens the tab, in the palette and on buttons and links.
            pub const fn opened_by(self) -> &'static str {
                match self { $(Self::$topic => concat!("Open ", $title)),* }
            }

            /// Returns the keys of the figures whose sum is the count on the tab. If there are alternatives, the first
            /// that isn't 0 is used.
            pub const fn counts(self) -> &'static [&'static [&'static str]] {
                match self { $(Self::$topic => $counts),* }
            }

            /// Returns what findings check; `None` if nothing, or something that few traces contain.
            pub const fn checked_for(self) -> Option<&'static str> {
                match self { $(Self::$topic => $checked_for),* }
            }

            /// Returns how the events are recorded.
            pub const fn recording(self) -> Recording {
                match self { $(Self::$topic => $recording),* }
            }
        }
    };
}

topics!(
    Gc {
        slug: "gc",
        title: "GC",
        noun: "GC",
        summary: "pauses, heap sizes, triggers",
        command: "Report on GCs: pauses, heap sizes, triggers",
        counts: &[&["count"]],
        checked_for: Some("GC pauses"),
        recording: runtime("GCs", "GC", 0x1, 4),
    },
    Allocations {
        slug: "allocations",
        title: "Allocations",
        noun: "event",
        summary: "allocated types and call sites",
        command: "Report on allocations: types and call sites",
        counts: &[&["events"]],
        checked_for: Some("allocation hot spots"),
        recording: runtime("Allocations", "GC", 0x1, 5),
    },
    Heap {
        slug: "heap",
        title: "Heap",
        noun: "object",
        summary: "objects and retained sizes",
        command: "Report on the heap: objects and what retains them",
        counts: &[],
        checked_for: None,
        recording: runtime("Heap snapshots", "GCHeapSnapshot", 0x1980001, 5),
    },
    Exceptions {
        slug: "exceptions",
        title: "Exceptions",
        noun: "exception",
        summary: "thrown types and call sites",
        command: "Report on exceptions: types and call sites",
        counts: &[&["count"]],
        checked_for: Some("exceptions"),
        recording: runtime("Exceptions", "Exception", 0x8000, 4),
    },
    Contention {
        slug: "contention",
        title: "Contention",
        noun: "wait",
        summary: "lock waits and lock owners",
        command: "Report on lock contention: waits and lock owners",
        counts: &[&["count"]],
        checked_for: Some("lock contention"),
        recording: runtime("Lock contention", "Contention", 0x4000, 4),
    },
    Waits {
        slug: "waits",
        title: "Waits",
        noun: "wait",
        summary: "wait handles and Monitor.Wait",
        command: "Report on WaitHandle and Monitor waits",
        counts: &[&["count"]],
        checked_for: None,
        recording: runtime("WaitHandle waits (.NET 9 and later)", "WaitHandle", 0x400_0000_0000, 5),
    },
    ThreadPool {
        slug: "threadpool",
        title: "Thread pool",
        noun: "step",
        summary: "workers, queue, starvation",
        command: "Report on the thread pool: workers, queue length, starvation",
        counts: &[],
        checked_for: Some("thread pool starvation"),
        recording: runtime("Thread pool events", "Threading", 0x10000, 4),
    },
    Http {
        slug: "http",
        title: "HTTP",
        noun: "request",
        summary: "incoming and outgoing requests",
        command: "Report on incoming and outgoing HTTP requests",
        counts: &[&["served", "sent"]],
        checked_for: Some("slow or failed requests"),
        // Providers of requests, connections, and parents of activity IDs.
        recording: providers(
            "HTTP requests",
            "Microsoft.AspNetCore.Hosting,Microsoft-AspNetCore-Server-Kestrel,System.Net.Http,\
             System.Net.NameResolution,System.Net.Sockets,System.Net.Security,\
             System.Threading.Tasks.TplEventSource:0x80:4",
        ),
    },
    Networking {
        slug: "networking",
        title: "Networking",
        noun: "operation",
        summary: "DNS, connects, TLS, connections",
        command: "Report on networking: DNS lookups, connects, TLS handshakes, connections",
        counts: &[&["lookups", "connects", "handshakes"]],
        checked_for: Some("slow or failed connections"),
        recording: providers(
            "Network events",
            "System.Net.NameResolution,System.Net.Sockets,System.Net.Security,System.Net.Http,\
             System.Threading.Tasks.TplEventSource:0x80:4",
        ),
    },
    Sql {
        slug: "sql",
        title: "SQL",
        noun: "command",
        summary: "SQL queries",
        command: "Report on SQL queries",
        counts: &[&["commands"]],
        checked_for: Some("repeated SQL queries"),
        recording: providers("SQL queries", "Microsoft.Data.SqlClient.EventSource:1:4"),
    },
    Tasks {
        slug: "tasks",
        title: "Tasks",
        noun: "task",
        summary: "async work and waits",
        command: "Report on tasks: async calls and what they wait for",
        counts: &[&["tasks"], &["asyncMethods"]],
        checked_for: None,
        recording: providers("Task events", "System.Threading.Tasks.TplEventSource:0x1C7:4"),
    },
    Logs {
        slug: "logs",
        title: "Logs",
        noun: "message",
        summary: "ILogger messages",
        command: "Report on ILogger messages",
        counts: &[&["messages"]],
        checked_for: None,
        recording: providers("ILogger messages", "Microsoft-Extensions-Logging:4:5"),
    },
    Counters {
        slug: "counters",
        title: "Counters",
        noun: "value",
        summary: "counter values over time",
        command: "Report on counters: values over time",
        counts: &[],
        checked_for: None,
        recording: providers("Counters", "System.Runtime:0:4:EventCounterIntervalSec=1"),
    },
    Jit {
        slug: "jit",
        title: "JIT",
        noun: "method",
        summary: "JIT-compiled methods",
        command: "Report on JIT compilation: methods and their JIT time",
        counts: &[&["methods"]],
        checked_for: Some("JIT time"),
        recording: runtime("JIT events", "Jit and Loader", 0x18, 5),
    },
    Startup {
        slug: "startup",
        title: "Startup",
        noun: "start",
        summary: "from process start to first app code",
        command: "Report on app startup: from process start to the first app code",
        counts: &[],
        checked_for: None,
        recording: at_start("Start the app under dotnet-trace to record its startup."),
    },
);

impl Topic {
    /// Returns the subject with a slug.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|topic| topic.slug() == slug)
    }

    /// Formats a number of items: "11 GCs".
    pub fn counted(self, count: u64) -> String {
        format::counted(count, self.noun())
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

    #[test]
    fn counts_have_nouns() {
        assert_eq!(Topic::Gc.counted(1), "1 GC");
        assert_eq!(Topic::Http.counted(1_519), "1,519 requests");
    }
}
