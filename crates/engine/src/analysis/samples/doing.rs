//! A thread's activity in .NET code below the app's, in two or three words, by its state and frames.

use super::stack_states::method_path;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::StackId;
use protocol::timeline::thread_state::ThreadState;

/// Frames that distinguish waits: prefixes of `Namespace.Type.Method` without type arguments. The first entry that
/// matches any frame below the app's wins.
const WAITS: &[(&str, &str)] = &[
    ("System.Threading.Tasks.Parallel", "waits for a parallel loop"),
    ("System.Threading.Tasks.TaskReplicator", "waits for a parallel loop"),
    ("System.Threading.Tasks.Task.", "waits for a task"),
    ("System.Runtime.CompilerServices.TaskAwaiter", "waits for a task"),
    ("System.Runtime.CompilerServices.ValueTaskAwaiter", "waits for a task"),
    ("System.Threading.Thread.Join", "waits for a thread"),
    ("System.Diagnostics.Process", "waits for a process"),
    ("System.Collections.Concurrent.BlockingCollection", "waits for an item"),
    ("System.Threading.SemaphoreSlim", "waits for a semaphore"),
    ("System.Threading.Barrier", "waits for a barrier"),
    ("System.Threading.Monitor.", "waits for a monitor"),
    ("System.Runtime.CompilerServices.InitHelpers", "waits for a type initializer"),
];

/// The same for I/O.
const IO: &[(&str, &str)] = &[
    ("System.Net.Sockets.SocketPal.Send", "writes to a socket"),
    ("Interop+Sys.Send", "writes to a socket"),
    ("System.Net.Sockets.SocketPal.Receive", "reads from a socket"),
    ("Interop+Sys.Rec", "reads from a socket"),
    ("System.Net.Sockets.SocketPal.Connect", "connects a socket"),
    ("System.Net.Sockets.", "waits for a socket"),
    ("System.ConsolePal", "writes to the console"),
    ("System.IO.RandomAccess.Read", "reads a file"),
    ("System.IO.RandomAccess.Write", "writes a file"),
    ("Interop+Sys.PRead", "reads a file"),
    ("Interop+Sys.PWrite", "writes a file"),
    ("Interop+Kernel32.ReadFile", "reads a file"),
    ("Interop+Kernel32.WriteFile", "writes a file"),
    ("System.Data.SqlClient.", "waits for the database"),
    ("Microsoft.Data.SqlClient.", "waits for the database"),
];

/// The same for running code.
const RUNS: &[(&str, &str)] = &[
    ("System.Collections.Generic.ArraySortHelper", "sorts"),
    ("System.Collections.Generic.GenericArraySortHelper", "sorts"),
    ("System.Array.Sort", "sorts"),
    ("System.MemoryExtensions.Sort", "sorts"),
    ("System.Linq.EnumerableSorter", "sorts"),
    ("System.Text.RegularExpressions.", "matches a regular expression"),
    ("System.Text.Json.", "reads or writes JSON"),
    ("System.Xml.", "reads or writes XML"),
    ("System.IO.Compression.", "compresses"),
    ("System.Security.Cryptography.", "encrypts"),
    ("System.Diagnostics.Tracing.", "writes events"),
    ("System.Reflection.", "reflection"),
];

/// Native code that shows the activity: parts of module names, and of raw names.
const NATIVE_MODULES: &[(&str, &str)] =
    &[("[kernel", "kernel"), ("vmlinux", "kernel"), ("ntoskrnl", "kernel"), ("clrjit", "JIT")];
const NATIVE_NAMES: &[(&str, &str)] =
    &[("gc_heap::", "GC"), ("GCHeap::", "GC"), ("SystemNative_Send", "writes to a socket")];

/// Activities by stack and state; each pair is examined once.
pub(crate) struct Doings<'s> {
    store: &'s Store,
    known: FastMap<(StackId, Option<ThreadState>), Option<&'static str>>,
}

impl<'s> Doings<'s> {
    /// Returns an empty cache.
    pub fn new(store: &'s Store) -> Self {
        Self { store, known: FastMap::default() }
    }

    /// Returns the activity of a thread in the framework code at the end of its stack; `None` if the stack ends in the
    /// app's code, or if unknown. Without a state, only native frames are used.
    pub fn words(&mut self, stack: StackId, state: Option<ThreadState>) -> Option<&'static str> {
        if let Some(known) = self.known.get(&(stack, state)) {
            return *known;
        }
        let words = self.search(stack, state);
        self.known.insert((stack, state), words);
        words
    }

    fn search(&self, stack: StackId, state: Option<ThreadState>) -> Option<&'static str> {
        let store = self.store;
        let functions = || store.stacks().leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
        let leaf = functions().next()?;
        if leaf.is_managed && !leaf.is_framework {
            return None;
        }
        let native = || {
            let natives = functions().take_while(|function| !function.is_managed);
            let known = natives.filter_map(|function| {
                let [module, name] = [function.module, function.raw_name].map(|text| store.strings().get(text));
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
            Some(ThreadState::Lock) => "waits for a lock",
            Some(ThreadState::Sleep) => "sleeps",
            Some(ThreadState::Idle) => "waits for work",
            Some(ThreadState::Blocked) => by_frames(WAITS).unwrap_or("waits for a handle"),
            Some(ThreadState::Io) => by_frames(IO).unwrap_or("waits for I/O"),
            Some(ThreadState::Native) => native().or_else(|| by_frames(RUNS)).unwrap_or("native code"),
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

    fn words(methods: &[(&str, &str)], state: ThreadState) -> Option<&'static str> {
        let stack: Vec<u64> = (1..=methods.len() as u64).collect();
        let (store, _) = store_of_program(methods, &[(0, 5, What::Sample(true, stack))]);
        let event = EventId(store.events().len() as u32 - 1);
        Doings::new(&store).words(store.events().row(event).stack, Some(state))
    }

    #[test]
    fn thread_activity_follows_from_state_and_frames() {
        let own = ("Shop.Cart", "Total");
        let (task, monitor) = (("System.Threading.Tasks.Task", "Wait"), ("System.Threading.Monitor", "Wait"));
        assert_eq!(words(&[own, task, monitor], ThreadState::Blocked), Some("waits for a task"));
        assert_eq!(words(&[own, monitor], ThreadState::Blocked), Some("waits for a monitor"));
        assert_eq!(
            words(&[task, own, ("System.Threading.WaitHandle", "WaitOne")], ThreadState::Blocked),
            Some("waits for a handle"),
            "what is above the program's code waits for something else"
        );
        assert_eq!(words(&[own, ("System.Array", "Sort")], ThreadState::Managed), Some("sorts"));
        assert_eq!(words(&[own, ("System.String", "Concat")], ThreadState::Managed), None);
        assert_eq!(words(&[own, ("System.String", "Concat")], ThreadState::Gc), Some("GC"));
        assert_eq!(words(&[own, ("System.String", "Concat")], ThreadState::Native), Some("native code"));
        assert_eq!(words(&[own], ThreadState::Gc), None, "it is the program's own");
    }
}
