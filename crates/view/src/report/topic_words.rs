//! Nouns and descriptions of analyses.

use protocol::format;
use protocol::topics::topic::Topic;

/// Returns the noun of an analysis's items, in the singular.
fn thing(topic: Topic) -> &'static str {
    match topic {
        Topic::Gc => "GC",
        Topic::Allocations => "event",
        Topic::Heap => "object",
        Topic::Exceptions => "exception",
        Topic::Contention | Topic::Waits => "wait",
        Topic::ThreadPool => "step",
        Topic::Http => "request",
        Topic::Sql => "command",
        Topic::Tasks => "task",
        Topic::Logs => "message",
        Topic::Counters => "value",
        Topic::Jit => "method",
        Topic::Startup => "start",
    }
}

/// Formats a count of an analysis's items: "11 GCs".
pub fn counted_words(topic: Topic, count: u64) -> String {
    format::counted(count, thing(topic))
}

/// Describes the tab of an analysis in a few words.
pub fn content_words(topic: Topic) -> &'static str {
    match topic {
        Topic::Gc => "pauses, heap sizes, reasons",
        Topic::Allocations => "allocated types and call sites",
        Topic::Heap => "objects and retained sizes",
        Topic::Exceptions => "thrown types and call sites",
        Topic::Contention => "lock waits and lock owners",
        Topic::Waits => "wait handles and Monitor.Wait",
        Topic::ThreadPool => "workers, queue, starvation",
        Topic::Http => "incoming and outgoing requests",
        Topic::Sql => "database queries",
        Topic::Tasks => "async work and waits",
        Topic::Logs => "ILogger messages",
        Topic::Counters => "counter values over time",
        Topic::Jit => "JIT-compiled methods",
        Topic::Startup => "from process start to first app code",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_nouns() {
        assert_eq!(counted_words(Topic::Gc, 1), "1 GC");
        assert_eq!(counted_words(Topic::Http, 1_519), "1,519 requests");
    }
}
