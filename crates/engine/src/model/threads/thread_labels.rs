//! What to call threads that have neither a name nor a role: by the code that they run.
//!
//! Their stacks begin in the method that was handed to the thread, often below a method of the program that starts all its
//! threads. Such a wrapper calls one method on each of its threads, and different ones on different threads: the name is that
//! of the method that it calls.

use super::roles::Context;
use super::table::{Thread, ThreadRole, Threads};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FunctionId, StackId, ThreadId};

/// Stacks of a thread that are looked at, and rows of each chunk of events that are searched for them.
const MAX_STACKS: usize = 64;
const MAX_ROWS: usize = 512;
/// Methods of the program that are looked at, from the beginning of a stack.
const MAX_METHODS: usize = 6;
/// Threads that a wrapper has at least.
const WRAPPED_THREADS: usize = 2;

/// Threads of .NET that serve, by the beginnings of `Namespace.Type.Method` on their stacks (see also
/// `analysis::samples::stack_states`).
const LOOPS: [(&str, &str); 11] = [
    ("System.IO.FileSystemWatcher+RunningInstance", "File watcher"),
    ("System.Diagnostics.Tracing.CounterGroup.", "EventCounters"),
    ("System.Diagnostics.Metrics.AggregationManager.", "Metrics"),
    ("System.Diagnostics.Tracing.EventPipeEventDispatcher.", "EventListener"),
    ("Microsoft.Extensions.Logging.Console.ConsoleLoggerProcessor.", "Console logger"),
    ("Microsoft.Extensions.Logging.Console.Internal.ConsoleLoggerProcessor.", "Console logger"),
    ("Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Infrastructure.Heartbeat.", "Kestrel heartbeat"),
    ("Microsoft.AspNetCore.Server.Kestrel.Transport.Libuv.", "Libuv"),
    ("System.Runtime.InteropServices.PosixSignalRegistration", "Signal handler"),
    ("System.ConsolePal.EnsureConsoleInitialized", "Console"),
    ("System.Net.NetworkInformation.NetworkChange", "Network changes"),
];

/// Names the threads that have no name and no role.
pub(super) fn label(threads: &mut Threads, context: &Context<'_>) {
    let stacks = stacks_of(threads, context);
    let own = Methods { context };
    let paths: FastMap<ThreadId, Vec<Vec<FunctionId>>> = stacks
        .iter()
        .map(|(thread, stacks)| (*thread, stacks.iter().map(|stack| own.path(*stack)).collect()))
        .collect();
    let wrappers = wrappers(&paths);
    for thread in threads.iter_mut().filter(|thread| is_unnamed(thread)) {
        let of_thread = paths.get(&thread.id).map_or(&[][..], Vec::as_slice);
        let method = first_method(of_thread, &wrappers).and_then(|method| own.short_name(method));
        thread.first_code = method.or_else(|| {
            let stacks = stacks.get(&thread.id)?;
            stacks.iter().find_map(|stack| own.serves(*stack)).map(str::to_owned)
        });
    }
}

fn is_unnamed(thread: &Thread) -> bool {
    thread.role == ThreadRole::Other && thread.name.is_none()
}

/// Different stacks of the threads that have to be named, whatever event they are of.
fn stacks_of(threads: &Threads, context: &Context<'_>) -> FastMap<ThreadId, Vec<StackId>> {
    let wanted: Vec<bool> = threads.iter().map(is_unnamed).collect();
    let mut stacks: FastMap<ThreadId, Vec<StackId>> = FastMap::default();
    for thread in threads.iter().filter(|thread| is_unnamed(thread)) {
        let sample = context.sample_stacks.get(thread.id.index()).copied().filter(|stack| stack.0 != 0);
        stacks.insert(thread.id, sample.into_iter().collect());
    }
    let mut rows = Vec::new();
    for chunk in context.events.chunks() {
        if !stacks.keys().any(|thread| chunk.has_thread(*thread)) {
            continue;
        }
        rows.clear();
        chunk.thread_column().rows_where(0..chunk.len(), &wanted, &mut rows);
        for row in rows.iter().step_by(rows.len().div_ceil(MAX_ROWS).max(1)) {
            let row = *row as usize;
            let stack = chunk.stack(row);
            if let Some(of_thread) = stacks.get_mut(&chunk.thread(row))
                && stack.0 != 0
                && of_thread.len() < MAX_STACKS
                && !of_thread.contains(&stack)
            {
                of_thread.push(stack);
            }
        }
    }
    stacks
}

/// Methods that start the threads of a program, each with something else to do.
fn wrappers(paths: &FastMap<ThreadId, Vec<Vec<FunctionId>>>) -> FastSet<FunctionId> {
    let mut wrappers = FastSet::default();
    for depth in 0..MAX_METHODS {
        // By method: what it calls on each thread that it begins; none of a thread on which it calls several.
        let mut calls: FastMap<FunctionId, FastMap<ThreadId, Option<FunctionId>>> = FastMap::default();
        for (thread, path) in paths.iter().flat_map(|(thread, paths)| paths.iter().map(move |path| (thread, path))) {
            let is_begun = path.iter().take(depth).all(|method| wrappers.contains(method));
            let (Some(method), Some(called)) = (path.get(depth), path.get(depth + 1)) else { continue };
            if is_begun {
                let known = calls.entry(*method).or_default().entry(*thread).or_insert(Some(*called));
                *known = known.filter(|known| known == called);
            }
        }
        let found = calls.into_iter().filter(|(_, by_thread)| {
            let called: FastSet<FunctionId> = by_thread.values().copied().flatten().collect();
            let calls_one_each = by_thread.values().all(Option::is_some);
            by_thread.len() >= WRAPPED_THREADS && calls_one_each && called.len() > 1
        });
        let before = wrappers.len();
        wrappers.extend(found.map(|(method, _)| method));
        if wrappers.len() == before {
            break;
        }
    }
    wrappers
}

/// The method in which most stacks of a thread begin, wrappers aside; of several the first that was seen.
fn first_method(paths: &[Vec<FunctionId>], wrappers: &FastSet<FunctionId>) -> Option<FunctionId> {
    let first = |path: &Vec<FunctionId>| {
        path.iter().find(|method| !wrappers.contains(method)).or_else(|| path.last()).copied() //
    };
    let mut counts: Vec<(FunctionId, usize)> = Vec::new();
    for method in paths.iter().filter_map(first) {
        match counts.iter_mut().find(|(known, _)| *known == method) {
            Some((_, count)) => *count += 1,
            None => counts.push((method, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(method, _)| method)
}

/// What is known of the methods on stacks.
struct Methods<'c> {
    context: &'c Context<'c>,
}

impl Methods<'_> {
    /// The methods of the program on a stack, the outermost first.
    fn path(&self, stack: StackId) -> Vec<FunctionId> {
        let code = self.context.code;
        let frames = code.stacks.leaf_to_root(stack).map(|frame| code.frames.function(frame));
        let mut path: Vec<FunctionId> = frames.filter(|function| self.is_own(*function)).collect();
        path.reverse();
        path.truncate(MAX_METHODS);
        path.dedup();
        path
    }

    fn is_own(&self, function: FunctionId) -> bool {
        let Some(function) = self.context.code.functions.get(function) else { return false };
        let name = self.context.strings.get(function.name);
        let is_framework =
            function.is_framework || ["System.", "Microsoft.", "Interop"].iter().any(|start| name.starts_with(start));
        function.is_managed && !is_framework && !function.is_unresolved
    }

    fn short_name(&self, function: FunctionId) -> Option<String> {
        let function = self.context.code.functions.get(function)?;
        Some(short_label(self.context.strings.get(function.short_name)).to_owned())
    }

    /// What a thread with this stack serves for, if it is one of .NET's.
    fn serves(&self, stack: StackId) -> Option<&'static str> {
        let code = self.context.code;
        let names = code.stacks.leaf_to_root(stack).filter_map(|frame| {
            let function = code.functions.get(code.frames.function(frame))?;
            self.context.strings.get(function.raw_name).split_once('!').map(|(_, name)| name)
        });
        names
            .into_iter()
            .find_map(|name| LOOPS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, words)| *words))
    }
}

/// What to call a thread whose stacks begin in a method: "PriceFeed" of "PriceFeed.Run" and of its lambdas; nobody would know a
/// "Program".
fn short_label(method: &str) -> &str {
    let method = method.split(" (").next().unwrap_or(method);
    let method = method.split_once(".λ").map_or(method, |(method, _)| method);
    let method = method.strip_suffix(".new").or_else(|| method.strip_suffix("..ctor")).unwrap_or(method);
    match method.rsplit_once('.') {
        Some((class, _)) if class != "Program" && !class.is_empty() && !class.contains('<') => class,
        _ => method,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_program};

    #[test]
    fn threads_are_called_by_their_class_or_by_their_method_of_the_program() {
        let labels = ["PriceFeed.Run", "PriceFeed.λ0", "Program.Clerk", "Program.Main.λ2", "Run", "Audit.Loop (async)"];
        assert_eq!(
            labels.map(short_label),
            ["PriceFeed", "PriceFeed", "Program.Clerk", "Program.Main", "Run", "Audit"]
        );
    }

    fn labels(methods: &[(&str, &str)], stacks: &[(u64, &[u64])]) -> Vec<String> {
        let event = |(at, (thread, stack)): (i64, &(u64, &[u64]))| {
            (at, *thread, What::StackedOrder("sku", 1, stack.to_vec())) //
        };
        let happenings: Vec<_> = (0..).zip(stacks).map(event).collect();
        let (store, _) = store_of_program(methods, &happenings);
        let named = store.threads().iter().filter(|thread| thread.os_thread >= 5);
        named.map(|thread| thread.numbered_label()).collect()
    }

    const METHODS: [(&str, &str); 6] = [
        ("System.Threading.Thread", "StartCallback"),
        ("Shop.Threads", "Start"),
        ("Shop.PriceFeed", "Run"),
        ("Shop.AuditWriter", "Loop"),
        ("System.IO.FileSystemWatcher+RunningInstance", "ProcessEvents"),
        ("Shop.AuditWriter", "Write"),
    ];

    #[test]
    fn what_starts_several_threads_names_none_of_them() {
        let both = [(5, &[1, 2, 3][..]), (6, &[1, 2, 4][..]), (6, &[1, 2, 4, 6][..])];
        assert_eq!(labels(&METHODS, &both), ["PriceFeed · 5", "AuditWriter · 6"]);
        assert_eq!(labels(&METHODS, &[(5, &[1, 2, 3]), (6, &[1, 2, 3])]), ["Threads · 5", "Threads · 6"]);
        assert_eq!(
            labels(&METHODS, &[(5, &[1, 2, 3]), (5, &[1, 2, 4]), (6, &[1, 2, 4])]),
            ["Threads · 5", "Threads · 6"],
            "what calls several methods on one thread is what it runs"
        );
    }

    #[test]
    fn threads_of_dotnet_are_called_by_what_they_serve_for() {
        assert_eq!(labels(&METHODS, &[(5, &[1, 5]), (6, &[1])]), ["File watcher · 5", "Thread 6"]);
    }
}
