//! What threads, processes and functions are called in files for other programs.

use super::StackExport;
use crate::analysis::stacks::tree_tables::FunctionText;
use crate::model::{Function, Process};
use protocol::base::ids::{CallNodeId, FunctionId, StringId, ThreadId};

/// The frame of samples that found a thread and no stack.
pub(super) const NO_STACK: &str = "(no stack)";

impl StackExport<'_> {
    /// What a thread is and its operating system's id; before it the process, if there are several.
    pub(super) fn thread_name(&self, thread: ThreadId) -> String {
        let store = self.session.store();
        let Some(name) = store.threads().get(thread).map(|thread| thread.numbered_label()) else {
            return String::new();
        };
        match self.process(thread).filter(|_| store.processes().len() > 1) {
            Some(process) => format!("{} · {name}", process.numbered_label()),
            None => name,
        }
    }

    /// The operating system's id of a thread.
    pub(super) fn os_thread(&self, thread: ThreadId) -> u64 {
        self.session.store().threads().get(thread).map_or(0, |thread| thread.os_thread)
    }

    /// The process of a thread.
    pub(super) fn process(&self, thread: ThreadId) -> Option<&Process> {
        let store = self.session.store();
        store.processes().get(store.threads().get(thread)?.process)
    }

    /// The name of a function for people; of none that there was no stack.
    pub(super) fn function_name(&self, function: Option<FunctionId>) -> &str {
        self.of_function(function, |function| function.name, |group| group.name)
    }

    /// The name of a function as the runtime gives it.
    pub(super) fn raw_name(&self, function: Option<FunctionId>) -> &str {
        self.of_function(function, |function| function.raw_name, |group| group.name)
    }

    /// The module of a function; empty if it is not known.
    pub(super) fn module(&self, function: FunctionId) -> &str {
        self.of_function(Some(function), |function| function.module, |group| group.module)
    }

    /// A text of a function; of what is no function, what tables call it.
    fn of_function(
        &self,
        function: Option<FunctionId>,
        part: impl Fn(&Function) -> StringId,
        of_group: impl Fn(FunctionText<'_>) -> &str,
    ) -> &str {
        let store = self.session.store();
        let Some(frame) = function else { return NO_STACK };
        match store.functions().get(frame) {
            Some(function) => store.strings().get(part(function)),
            None => of_group(self.frames.text(store, function)),
        }
    }

    /// The functions of a stack, leaf first.
    pub(super) fn functions(&self, leaf: CallNodeId) -> impl Iterator<Item = FunctionId> {
        self.nodes.path(leaf).filter_map(|node| self.nodes.function(node))
    }
}
