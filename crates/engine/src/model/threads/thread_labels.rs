//! Labels of threads without a name and a role, from the code that they run.
//!
//! Their stacks begin in the thread's start method, often below a wrapper of the app that starts all its threads. A
//! wrapper calls almost only one method on each of its threads, which differs between threads unless the wrapper is a
//! lambda. The label is the name of the called method.

use super::roles::Context;
use super::table::{Thread, ThreadRole, Threads};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FunctionId, StackId, ThreadId};

/// Maximum number of stacks of a thread, and of rows of each chunk of events that are searched for them.
const MAX_STACKS: usize = 64;
const MAX_ROWS: usize = 512;
/// Maximum number of methods of the app on a stack, from the root.
const MAX_METHODS: usize = 6;
/// Least number of threads of a wrapper, and least percentage of its stacks on a thread that call one method.
const WRAPPED_THREADS: usize = 2;
const CALLS_ONE: u32 = 90;

/// Service threads of .NET by prefixes of `Namespace.Type.Method` on their stacks (see also
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

/// Labels the threads that have no name and no role.
pub(super) fn label(threads: &mut Threads, context: &Context<'_>) {
    let stacks = stacks_of(threads, context);
    let own = Methods { context };
    let path = |(stack, count): &(StackId, u32)| (own.path(*stack), *count);
    let paths: FastMap<ThreadId, Vec<Path>> =
        stacks.iter().map(|(thread, stacks)| (*thread, stacks.iter().map(path).collect())).collect();
    let wrappers = wrappers(&paths, &own);
    for thread in threads.iter_mut().filter(|thread| is_unnamed(thread)) {
        let of_thread = paths.get(&thread.id).map_or(&[][..], Vec::as_slice);
        let method = first_method(of_thread, &wrappers).and_then(|method| own.short_name(method));
        thread.first_code = method.or_else(|| {
            let stacks = stacks.get(&thread.id)?;
            stacks.iter().find_map(|(stack, _)| own.serves(*stack)).map(str::to_owned)
        });
    }
}

fn is_unnamed(thread: &Thread) -> bool {
    thread.role == ThreadRole::Other && thread.name.is_none()
}

/// Methods of the app on a stack, outermost first, with the number of occurrences.
type Path = (Vec<FunctionId>, u32);

/// Returns the distinct stacks of unnamed threads, of any event, with the number of occurrences.
fn stacks_of(threads: &Threads, context: &Context<'_>) -> FastMap<ThreadId, Vec<(StackId, u32)>> {
    let wanted: Vec<bool> = threads.iter().map(is_unnamed).collect();
    let mut stacks: FastMap<ThreadId, Vec<(StackId, u32)>> = FastMap::default();
    for thread in threads.iter().filter(|thread| is_unnamed(thread)) {
        let sample = context.sample_stacks.get(thread.id.index()).copied().filter(|stack| stack.0 != 0);
        stacks.insert(thread.id, sample.map(|stack| (stack, 1)).into_iter().collect());
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
            let Some(of_thread) = stacks.get_mut(&chunk.thread(row)).filter(|_| stack.0 != 0) else { continue };
            if let Some((_, count)) = of_thread.iter_mut().find(|(known, _)| *known == stack) {
                *count = count.saturating_add(1);
            } else if of_thread.len() < MAX_STACKS {
                of_thread.push((stack, 1));
            }
        }
    }
    stacks
}

/// Returns the methods that start the app's threads.
fn wrappers(paths: &FastMap<ThreadId, Vec<Path>>, own: &Methods<'_>) -> FastSet<FunctionId> {
    let mut wrappers = FastSet::default();
    for depth in 0..MAX_METHODS {
        // Calls by method and thread.
        let mut calls: FastMap<FunctionId, FastMap<ThreadId, Calls<'_>>> = FastMap::default();
        for (thread, (path, count)) in
            paths.iter().flat_map(|(thread, paths)| paths.iter().map(move |path| (thread, path)))
        {
            let is_begun = path.iter().take(depth).all(|method| wrappers.contains(method));
            if let Some(method) = path.get(depth).filter(|_| is_begun) {
                let calls = calls.entry(*method).or_default().entry(*thread).or_default();
                calls.add(path.get(depth + 1).map(|called| short_label(own.short(*called))), *count);
            }
        }
        let found = calls.into_iter().filter(|(method, by_thread)| {
            let called: Vec<Option<&str>> = by_thread.values().map(Calls::only).collect();
            let differs = called.iter().any(|one| Some(one) != called.first());
            let calls_one_each = called.iter().all(Option::is_some);
            by_thread.len() >= WRAPPED_THREADS && calls_one_each && (differs || own.is_lambda(*method))
        });
        let before = wrappers.len();
        wrappers.extend(found.map(|(method, _)| method));
        if wrappers.len() == before {
            break;
        }
    }
    wrappers
}

/// Number of calls of a method on a thread, by label of the called method.
#[derive(Default)]
struct Calls<'m> {
    by_label: FastMap<&'m str, u32>,
    all: u32,
}

impl<'m> Calls<'m> {
    fn add(&mut self, called: Option<&'m str>, count: u32) {
        self.all = self.all.saturating_add(count);
        if let Some(called) = called {
            let known = self.by_label.entry(called).or_default();
            *known = known.saturating_add(count);
        }
    }

    /// Returns the label of the methods that almost all calls are to.
    fn only(&self) -> Option<&'m str> {
        let is_most = |count: u32| u64::from(count) * 100 >= u64::from(self.all) * u64::from(CALLS_ONE);
        self.by_label.iter().find(|(_, count)| is_most(**count)).map(|(label, _)| *label)
    }
}

/// Returns the method in which most stacks of a thread begin, apart from wrappers; the earliest of equals.
fn first_method(paths: &[Path], wrappers: &FastSet<FunctionId>) -> Option<FunctionId> {
    let mut counts: Vec<(FunctionId, u32)> = Vec::new();
    for (path, count) in paths {
        let first = path.iter().find(|method| !wrappers.contains(method)).or_else(|| path.last());
        let Some(method) = first else { continue };
        match counts.iter_mut().find(|(known, _)| known == method) {
            Some((_, sum)) => *sum = sum.saturating_add(*count),
            None => counts.push((*method, *count)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(method, _)| method)
}

/// Facts about methods on stacks.
struct Methods<'c> {
    context: &'c Context<'c>,
}

impl Methods<'_> {
    /// Returns the methods of the app on a stack, outermost first. Lambdas of the entry point, whose names aren't
    /// informative, are included only as the leaf.
    fn path(&self, stack: StackId) -> Vec<FunctionId> {
        let code = self.context.code;
        let frames = code.stacks.leaf_to_root(stack).map(|frame| code.frames.function(frame));
        let mut path: Vec<FunctionId> = Vec::new();
        for function in frames.filter(|function| self.is_own(*function)) {
            if path.is_empty() || !self.is_lambda(function) || !self.short(function).starts_with("Program.") {
                path.push(function);
            }
        }
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
        Some(short_label(self.short(function)).to_owned()).filter(|name| !name.is_empty())
    }

    fn short(&self, function: FunctionId) -> &str {
        let function = self.context.code.functions.get(function);
        function.map_or("", |function| self.context.strings.get(function.short_name))
    }

    fn is_lambda(&self, function: FunctionId) -> bool {
        self.short(function).contains(".λ")
    }

    /// Returns the purpose of a service thread of .NET with this stack; `None` for other threads.
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

/// Returns the label of a thread whose stacks begin in a method: "PriceFeed" for "PriceFeed.Run" and its lambdas; but not
/// "Program", which isn't informative.
fn short_label(method: &str) -> &str {
    let method = method.split(" (").next().unwrap_or(method);
    let named = method.split_once(".λ").map_or(method, |(named, _)| named);
    match named.split_once('.') {
        Some((class, _)) if class != "Program" && !class.is_empty() && !class.contains('<') => class,
        _ => method,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_program};

    #[test]
    fn thread_label_is_class_or_method() {
        let labels = [
            "PriceFeed.Run",
            "PriceFeed.PriceFeed.λ0",
            "Program.Clerk",
            "Program.Main.λ2",
            "Run",
            "Audit.Loop (async)",
        ];
        assert_eq!(
            labels.map(short_label),
            ["PriceFeed", "PriceFeed", "Program.Clerk", "Program.Main.λ2", "Run", "Audit"]
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
    fn wrapper_of_several_threads_does_not_label_them() {
        let both = [(5, &[1, 2, 3][..]), (6, &[1, 2, 4][..]), (6, &[1, 2, 4, 6][..])];
        assert_eq!(labels(&METHODS, &both), ["PriceFeed · 5", "AuditWriter · 6"]);
        assert_eq!(labels(&METHODS, &[(5, &[1, 2, 3]), (6, &[1, 2, 3])]), ["Threads · 5", "Threads · 6"]);
        assert_eq!(
            labels(&METHODS, &[(5, &[1, 2, 3]), (5, &[1, 2, 4]), (6, &[1, 2, 4])]),
            ["Threads · 5", "Threads · 6"],
            "what calls several methods on one thread is what it runs"
        );
        let lambda = ("Shop.Threads+<>c", "<Start>b__0_0");
        let methods = [METHODS[0], lambda, METHODS[2], METHODS[3], METHODS[4], METHODS[5]];
        assert_eq!(labels(&methods, &[(5, &[1, 2, 3]), (6, &[1, 2, 3])]), ["PriceFeed · 5", "PriceFeed · 6"]);
    }

    #[test]
    fn service_threads_of_dotnet_have_purpose_as_label() {
        assert_eq!(labels(&METHODS, &[(5, &[1, 5]), (6, &[1])]), ["File watcher · 5", "Thread 6"]);
    }
}
