//! Labels threads that have neither a name nor a role, by the code that they run.
//!
//! Their stacks begin in the thread's start method, often below a wrapper of the app that starts all its threads. On
//! each of its threads, a wrapper calls almost only one method, which becomes the label. Unless the wrapper is a
//! lambda, its threads call different methods.

use super::roles::Context;
use super::table::{Thread, ThreadRole, Threads};
use crate::model::columns::events::EventChunk;
use crate::model::ingest::run;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FrameId, FunctionId, StackId, ThreadId};

/// Maximum number of distinct stacks and paths of a thread, and of rows of each chunk of events that are read.
const MAX_STACKS: usize = 16;
const MAX_PATHS: usize = 128;
const MAX_ROWS: usize = 2048;
/// Maximum number of methods of the app on a stack, from the root.
const MAX_METHODS: usize = 6;
/// Minimum number of a wrapper's threads, and minimum percentage of its stacks on a thread that must call the same
/// method.
const WRAPPED_THREADS: usize = 2;
const CALLS_ONE: u32 = 90;

/// Maximum number of frames, from the root, that name a service thread of .NET.
const ROOT_FRAMES: usize = 6;

/// Service threads of .NET, by prefix of the `Namespace.Type.Method` of the loop at the root of their stacks.
const LOOPS: [(&str, &str); 11] = [
    ("System.IO.FileSystemWatcher+RunningInstance", "File watcher"),
    ("System.Diagnostics.Tracing.CounterGroup.PollForValues", "EventCounters"),
    ("System.Diagnostics.Metrics.AggregationManager.CollectWorker", "Metrics"),
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
    let own = Methods { context };
    let seen = seen_on(threads, &own);
    let wrappers = wrappers(&seen, &own);
    for thread in threads.iter_mut().filter(|thread| is_unnamed(thread)) {
        let Some(seen) = seen.get(&thread.id) else { continue };
        let method = first_method(&seen.paths, &wrappers).and_then(|method| own.short_name(method));
        thread.first_code =
            method.or_else(|| seen.stacks.iter().find_map(|stack| own.serves(*stack)).map(str::to_owned));
    }
}

fn is_unnamed(thread: &Thread) -> bool {
    thread.role == ThreadRole::Other && thread.name.is_none()
}

/// Methods of the app on a stack, outermost first, with the number of occurrences.
type Path = (Vec<FunctionId>, u32);

/// Stacks of a thread.
#[derive(Default)]
struct Seen {
    /// Distinct paths.
    paths: Vec<Path>,
    /// Some of the distinct stacks.
    stacks: Vec<StackId>,
}

impl Seen {
    fn add(&mut self, stack: StackId, path: &[FunctionId]) {
        if self.stacks.len() < MAX_STACKS && !self.stacks.contains(&stack) {
            self.stacks.push(stack);
        }
        if let Some((_, count)) = self.paths.iter_mut().find(|(known, _)| known.as_slice() == path) {
            *count = count.saturating_add(1);
        } else if self.paths.len() < MAX_PATHS && !path.is_empty() {
            self.paths.push((path.to_vec(), 1));
        }
    }
}

/// Returns the stacks of unnamed threads, of any event.
fn seen_on(threads: &Threads, own: &Methods<'_>) -> FastMap<ThreadId, Seen> {
    let wanted: Vec<bool> = threads.iter().map(is_unnamed).collect();
    let mut paths: FastMap<StackId, Vec<FunctionId>> = FastMap::default();
    let mut seen: FastMap<ThreadId, Seen> = FastMap::default();
    let mut add = |seen: &mut Seen, stack: StackId| {
        if stack.0 != 0 {
            let path = paths.entry(stack).or_insert_with(|| own.path(stack));
            seen.add(stack, path);
        }
    };
    let unnamed: Vec<ThreadId> = threads.iter().filter(|thread| is_unnamed(thread)).map(|thread| thread.id).collect();
    for thread in &unnamed {
        let sample = own.context.sample_stacks.get(thread.index()).copied();
        add(seen.entry(*thread).or_default(), sample.unwrap_or_default());
    }
    let stacks_of = |chunk: &EventChunk| {
        let mut rows = Vec::new();
        if unnamed.iter().any(|thread| chunk.has_thread(*thread)) {
            chunk.threads.rows_where(0..chunk.len(), &wanted, &mut rows);
        }
        let some = rows.iter().step_by(rows.len().div_ceil(MAX_ROWS).max(1)).map(|row| *row as usize);
        some.map(|row| (chunk.thread(row), chunk.stack(row))).collect::<Vec<_>>()
    };
    let (of_chunks, _) = run(own.context.workers, own.context.events.chunks(), stacks_of);
    for (thread, stack) in of_chunks.into_iter().flatten() {
        if let Some(seen) = seen.get_mut(&thread) {
            add(seen, stack);
        }
    }
    seen
}

/// Returns the methods that start the threads of an app.
fn wrappers(seen: &FastMap<ThreadId, Seen>, own: &Methods<'_>) -> FastSet<FunctionId> {
    let mut wrappers = FastSet::default();
    for depth in 0..MAX_METHODS {
        // Calls by method and thread.
        let mut calls: FastMap<FunctionId, FastMap<ThreadId, Calls<'_>>> = FastMap::default();
        for (thread, (path, count)) in
            seen.iter().flat_map(|(thread, seen)| seen.paths.iter().map(move |path| (thread, path)))
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

/// Returns the method in which most stacks of a thread begin, ignoring wrappers; the first if several tie.
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
        let frames: Vec<FrameId> = code.stacks.leaf_to_root(stack).collect();
        frames.iter().rev().take(ROOT_FRAMES).find_map(|frame| {
            let function = code.functions.get(code.frames.function(*frame))?;
            let name = self.context.strings.get(function.raw_name).split_once('!')?.1;
            LOOPS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, words)| *words)
        })
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
}
