//! What to call threads that have neither a name nor a role: by the code that they run.
//!
//! Their stacks begin in the method that was handed to the thread, often below a method of the program that starts all its
//! threads. Such a wrapper calls hardly anything but one method on each of its threads, which differs between threads unless
//! the wrapper is a lambda: the name is that of the method that it calls.

use super::roles::Context;
use super::table::{Thread, ThreadRole, Threads};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FrameId, FunctionId, StackId, ThreadId};

/// Different stacks and paths of a thread that are kept, and rows of each chunk of events that are looked at.
const MAX_STACKS: usize = 16;
const MAX_PATHS: usize = 128;
const MAX_ROWS: usize = 2048;
/// Methods of the program that are looked at, from the beginning of a stack.
const MAX_METHODS: usize = 6;
/// Threads that a wrapper has at least, and which part of their stacks that go through it, in percent, calls one method.
const WRAPPED_THREADS: usize = 2;
const CALLS_ONE: u32 = 90;

/// Frames from the beginning of a stack that show what a thread of .NET serves for.
const ROOT_FRAMES: usize = 6;

/// Threads of .NET that serve, by the beginnings of `Namespace.Type.Method` of the loops that their stacks begin in.
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

/// Names the threads that have no name and no role.
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

/// The methods of the program on a stack, the outermost first, and how often they were seen.
type Path = (Vec<FunctionId>, u32);

/// What was seen of a thread.
#[derive(Default)]
struct Seen {
    /// Different ones, as far as there are not too many.
    paths: Vec<Path>,
    /// Some of its stacks.
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

/// What was seen of the threads that have to be named, in events of any type.
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
    for thread in threads.iter().filter(|thread| is_unnamed(thread)) {
        let sample = own.context.sample_stacks.get(thread.id.index()).copied();
        add(seen.entry(thread.id).or_default(), sample.unwrap_or_default());
    }
    let mut rows = Vec::new();
    for chunk in own.context.events.chunks() {
        if !seen.keys().any(|thread| chunk.has_thread(*thread)) {
            continue;
        }
        rows.clear();
        chunk.thread_column().rows_where(0..chunk.len(), &wanted, &mut rows);
        for row in rows.iter().step_by(rows.len().div_ceil(MAX_ROWS).max(1)) {
            let row = *row as usize;
            if let Some(seen) = seen.get_mut(&chunk.thread(row)) {
                add(seen, chunk.stack(row));
            }
        }
    }
    seen
}

/// Methods that start the threads of a program.
fn wrappers(seen: &FastMap<ThreadId, Seen>, own: &Methods<'_>) -> FastSet<FunctionId> {
    let mut wrappers = FastSet::default();
    for depth in 0..MAX_METHODS {
        // By method and thread: what it calls, by its label, and how often.
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

/// What a method calls on a thread: methods of one class are one.
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

    /// What it calls nearly always.
    fn only(&self) -> Option<&'m str> {
        let is_most = |count: u32| u64::from(count) * 100 >= u64::from(self.all) * u64::from(CALLS_ONE);
        self.by_label.iter().find(|(_, count)| is_most(**count)).map(|(label, _)| *label)
    }
}

/// The method in which most stacks of a thread begin, wrappers aside; of several the first that was seen.
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

/// What is known of the methods on stacks.
struct Methods<'c> {
    context: &'c Context<'c>,
}

impl Methods<'_> {
    /// The methods of the program on a stack, the outermost first. Lambdas of the entry point, which have no name that anybody
    /// knows, are there only if they call nothing.
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

    /// What a thread with this stack serves for, if it is one of .NET's.
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

/// What to call a thread whose stacks begin in a method: "PriceFeed" of "PriceFeed.Run" and of its lambdas; nobody would know a
/// "Program".
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
    fn threads_are_called_by_their_class_or_by_their_method_of_the_program() {
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
