//! Commands that open the tabs of analyses.

use super::{Binding, Command, Scope};
use protocol::topics::topic::Topic;

/// Commands that open the tabs of analyses.
pub static TABS: [Binding; Topic::ALL.len()] = [
    tab(Topic::Gc, "Show GC"),
    tab(Topic::Allocations, "Show allocations"),
    tab(Topic::Heap, "Show heap"),
    tab(Topic::Exceptions, "Show exceptions"),
    tab(Topic::Contention, "Show contention (lock waits)"),
    tab(Topic::Waits, "Show waits (wait handles)"),
    tab(Topic::ThreadPool, "Show thread pool"),
    tab(Topic::Http, "Show HTTP requests"),
    tab(Topic::Sql, "Show SQL queries"),
    tab(Topic::Tasks, "Show tasks"),
    tab(Topic::Logs, "Show logs"),
    tab(Topic::Counters, "Show counters"),
    tab(Topic::Jit, "Show JIT (compiled methods)"),
    tab(Topic::Startup, "Show startup"),
];

const fn tab(topic: Topic, name: &'static str) -> Binding {
    Binding { command: Command::ShowTopic(topic), scope: Scope::Everywhere, chords: &[], name }
}
