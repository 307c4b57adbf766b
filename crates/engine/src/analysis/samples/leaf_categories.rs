//! Categories of the framework code in which stacks end, such as “Task wait” or “JSON”, by thread state and frames.
//!
//! With Just my code, they show why the app spends time in folded framework code.

use super::stack_states::method_path;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::StackId;
use protocol::timeline::thread_state::ThreadState;

/// Frames that distinguish waits: prefixes of `Namespace.Type.Method` without type arguments. The first entry that
/// matches any frame below the app's wins.
const WAITS: &[(&str, &str)] = &[
    ("System.Threading.Tasks.Parallel", "Parallel loop wait"),
    ("System.Threading.Tasks.TaskReplicator", "Parallel loop wait"),
    ("System.Threading.Tasks.Task.", "Task wait"),
    ("System.Runtime.CompilerServices.TaskAwaiter", "Task wait"),
    ("System.Runtime.CompilerServices.ValueTaskAwaiter", "Task wait"),
    ("System.Threading.Thread.Join", "Thread join"),
    ("System.Diagnostics.Process", "Process wait"),
    ("System.Collections.Concurrent.BlockingCollection", "BlockingCollection wait"),
    ("System.Threading.SemaphoreSlim", "Semaphore wait"),
    ("System.Threading.Barrier", "Barrier wait"),
    ("System.Threading.Monitor.", "Monitor wait"),
    ("System.Runtime.CompilerServices.InitHelpers", "Type initializer wait"),
];

/// The same for I/O.
const IO: &[(&str, &str)] = &[
    ("System.Net.Sockets.SocketPal.Send", "Socket write"),
    ("Interop+Sys.Send", "Socket write"),
    ("System.Net.Sockets.SocketPal.Receive", "Socket read"),
    ("Interop+Sys.Rec", "Socket read"),
    ("System.Net.Sockets.SocketPal.Connect", "Socket connect"),
    ("System.Net.Sockets.", "Socket wait"),
    ("System.ConsolePal", "Console write"),
    ("System.IO.RandomAccess.Read", "File read"),
    ("System.IO.RandomAccess.Write", "File write"),
    ("Interop+Sys.PRead", "File read"),
    ("Interop+Sys.PWrite", "File write"),
    ("Interop+Kernel32.ReadFile", "File read"),
    ("Interop+Kernel32.WriteFile", "File write"),
    ("System.Data.SqlClient.", "Database wait"),
    ("Microsoft.Data.SqlClient.", "Database wait"),
];

/// The same for running code.
const RUNS: &[(&str, &str)] = &[
    ("System.Collections.Generic.ArraySortHelper", "Sorting"),
    ("System.Collections.Generic.GenericArraySortHelper", "Sorting"),
    ("System.Array.Sort", "Sorting"),
    ("System.MemoryExtensions.Sort", "Sorting"),
    ("System.Linq.EnumerableSorter", "Sorting"),
    ("System.Text.RegularExpressions.", "Regular expressions"),
    ("System.Text.Json.", "JSON"),
    ("System.Xml.", "XML"),
    ("System.IO.Compression.", "Compression"),
    ("System.Security.Cryptography.", "Cryptography"),
    ("System.Diagnostics.Tracing.", "Event tracing"),
    ("System.Reflection.", "Reflection"),
];

/// Native code with a known category: parts of module names, and of raw names.
const NATIVE_MODULES: &[(&str, &str)] =
    &[("[kernel", "Kernel"), ("vmlinux", "Kernel"), ("ntoskrnl", "Kernel"), ("clrjit", "JIT")];
const NATIVE_NAMES: &[(&str, &str)] = &[("gc_heap::", "GC"), ("GCHeap::", "GC"), ("SystemNative_Send", "Socket write")];

/// Cache of categories by stack and state.
pub(crate) struct LeafCategories<'s> {
    store: &'s Store,
    known: FastMap<(StackId, Option<ThreadState>), Option<&'static str>>,
}

impl<'s> LeafCategories<'s> {
    /// Returns an empty cache.
    pub fn new(store: &'s Store) -> Self {
        Self { store, known: FastMap::default() }
    }

    /// Returns the category of the framework code at the end of a stack; `None` if the stack ends in the app's code, or
    /// if unknown. Without a state, only native frames are used.
    pub fn name(&mut self, stack: StackId, state: Option<ThreadState>) -> Option<&'static str> {
        if let Some(known) = self.known.get(&(stack, state)) {
            return *known;
        }
        let name = self.search(stack, state);
        self.known.insert((stack, state), name);
        name
    }

    fn search(&self, stack: StackId, state: Option<ThreadState>) -> Option<&'static str> {
        let store = self.store;
        let functions = || store.stacks.leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
        let leaf = functions().next()?;
        if leaf.is_managed && !leaf.is_framework {
            return None;
        }
        let native = || {
            let natives = functions().take_while(|function| !function.is_managed);
            let known = natives.filter_map(|function| {
                let [module, name] = [function.module, function.raw_name].map(|text| store.strings.get(text));
                let of_module = NATIVE_MODULES.iter().find(|(part, _)| module.contains(part));
                of_module.or_else(|| NATIVE_NAMES.iter().find(|(part, _)| name.contains(part))).map(|(_, words)| *words)
            });
            known.into_iter().next()
        };
        let by_frames = |table: &[(&str, &'static str)]| {
            let managed = functions().filter(|function| function.is_managed);
            let below: Vec<String> = managed
                .take_while(|function| function.is_framework)
                .map(|function| method_path(store, function))
                .collect();
            let is_there = |start: &str| below.iter().any(|path| path.starts_with(start));
            table.iter().find(|(start, _)| is_there(start)).map(|(_, words)| *words)
        };
        Some(match state {
            Some(ThreadState::Gc) => "GC",
            Some(ThreadState::Jit) => "JIT",
            Some(ThreadState::Ready) => "CPU wait",
            Some(ThreadState::Lock) => "Lock wait",
            Some(ThreadState::Sleep) => "Sleep",
            Some(ThreadState::Idle) => "Idle",
            Some(ThreadState::Blocked) => by_frames(WAITS).unwrap_or("WaitHandle wait"),
            Some(ThreadState::Io) => by_frames(IO).unwrap_or("I/O wait"),
            Some(ThreadState::Native) => native().or_else(|| by_frames(RUNS)).unwrap_or("Native code"),
            Some(ThreadState::Managed) => native().or_else(|| by_frames(RUNS))?,
            Some(ThreadState::NotSampled) | None => native()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_program};
    use protocol::base::ids::EventId;

    fn category(methods: &[(&str, &str)], state: ThreadState) -> Option<&'static str> {
        let stack: Vec<u64> = (1..=methods.len() as u64).collect();
        let (store, _) = store_of_program(methods, &[(0, 5, What::Sample(true, stack))]);
        let event = EventId(store.events.len() as u32 - 1);
        LeafCategories::new(&store).name(store.events.row(event).stack, Some(state))
    }

    #[test]
    fn category_follows_from_state_and_frames() {
        let own = ("Shop.Cart", "Total");
        let (task, monitor) = (("System.Threading.Tasks.Task", "Wait"), ("System.Threading.Monitor", "Wait"));
        assert_eq!(category(&[own, task, monitor], ThreadState::Blocked), Some("Task wait"));
        assert_eq!(category(&[own, monitor], ThreadState::Blocked), Some("Monitor wait"));
        assert_eq!(
            category(&[task, own, ("System.Threading.WaitHandle", "WaitOne")], ThreadState::Blocked),
            Some("WaitHandle wait"),
            "frames above the app's code don't count"
        );
        assert_eq!(category(&[own, ("System.Array", "Sort")], ThreadState::Managed), Some("Sorting"));
        assert_eq!(category(&[own, ("System.String", "Concat")], ThreadState::Managed), None);
        assert_eq!(category(&[own, ("System.String", "Concat")], ThreadState::Gc), Some("GC"));
        assert_eq!(category(&[own, ("System.String", "Concat")], ThreadState::Native), Some("Native code"));
        assert_eq!(category(&[own], ThreadState::Gc), None, "the stack ends in the app's code");
    }
}
