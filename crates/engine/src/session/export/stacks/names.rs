//! Names of threads, processes and functions in exports.

use super::StackExport;
use crate::analysis::stacks::frames::NO_STACK;
use crate::analysis::stacks::tree_tables::FunctionText;
use crate::model::{Function, Process};
use protocol::base::ids::{CallNodeId, FunctionId, StringId, ThreadId};

impl StackExport<'_> {
    /// Returns the label and OS ID of a thread, after the process if there are several.
    pub(super) fn thread_name(&self, thread: ThreadId) -> String {
        let store = self.session.store();
        let Some(name) = store.threads.get(thread).map(|thread| thread.numbered_label()) else {
            return String::new();
        };
        match self.process(thread).filter(|_| store.processes.len() > 1) {
            Some(process) => format!("{} · {name}", process.numbered_label()),
            None => name,
        }
    }

    pub(super) fn os_thread(&self, thread: ThreadId) -> u64 {
        self.session.store().threads.get(thread).map_or(0, |thread| thread.os_thread)
    }

    pub(super) fn process(&self, thread: ThreadId) -> Option<&Process> {
        let store = self.session.store();
        store.processes.get(store.threads.get(thread)?.process)
    }

    /// Returns the readable name of a function; without a function, the name of a missing stack.
    pub(super) fn function_name(&self, function: Option<FunctionId>) -> &str {
        self.of_function(function, |function| function.name, |group| group.name)
    }

    pub(super) fn raw_name(&self, function: Option<FunctionId>) -> &str {
        self.of_function(function, |function| function.raw_name, |group| group.name)
    }

    /// Returns the module of a function; empty if unknown.
    pub(super) fn module(&self, function: FunctionId) -> &str {
        self.of_function(Some(function), |function| function.module, |group| group.module)
    }

    /// Returns a text of a function; for other frames, the text in tables.
    fn of_function(
        &self,
        function: Option<FunctionId>,
        part: impl Fn(&Function) -> StringId,
        of_group: impl Fn(FunctionText<'_>) -> &str,
    ) -> &str {
        let store = self.session.store();
        let Some(frame) = function else { return NO_STACK };
        match store.functions.get(frame) {
            Some(function) => store.strings.get(part(function)),
            None => of_group(self.frames.text(store, function)),
        }
    }

    /// Returns the functions of a stack, leaf first.
    pub(super) fn functions(&self, leaf: CallNodeId) -> impl Iterator<Item = FunctionId> {
        self.nodes.path(leaf).filter_map(|node| self.nodes.function(node))
    }
}
