//! Call sites: the last code of the app on the path to an event.
//!
//! A method of the app that called .NET isn't the call site if .NET then called other code of the app. Such code may
//! have no name: it is a dynamic method, or it was inlined into its caller. In this case the request that it served and
//! the methods that it called identify it.

use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::samples::stack_states::{blocking_call, method_path};
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::topics::Known;
use crate::clr::KnownEvent;
use crate::clr::names::is_dynamic;
use crate::model::{Function, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, FrameId, FunctionId, ProcessId, StackId, ThreadId};
use protocol::filter::word;
use std::cmp::Reverse;

/// The code at a call site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Code {
    /// There is no stack, or no frame has a name.
    #[default]
    Unknown,
    Method(FunctionId),
    /// A dynamic method, compiled at run time for the app.
    Dynamic(FunctionId),
    /// A request handler that is inlined into this method, which is dynamic or part of .NET.
    Handler(FunctionId),
    /// App code that has no frame and is run by this .NET method.
    RunBy(FunctionId),
    /// The most informative .NET method, if no app code is on the path.
    Framework(FunctionId),
    /// Native code of a process, if no managed code is on the path.
    Native(ProcessId),
}

/// A call site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Site {
    pub code: Code,
    /// For code without a name: position of the route of the request that it served.
    route: Option<u32>,
    /// For code without a name: the app method that it called or scheduled.
    calls: Option<FunctionId>,
}

impl Site {
    /// Returns the call site for a method of the app.
    pub fn method(method: FunctionId) -> Self {
        Code::Method(method).into()
    }

    /// Returns the call site for a function, which belongs to the app or to .NET.
    pub fn of_function(store: &Store, function: FunctionId) -> Self {
        let is_framework = store.functions.get(function).is_some_and(|one| one.is_framework);
        if is_framework { Code::Framework(function).into() } else { Self::method(function) }
    }

    /// Returns whether the code is unknown.
    pub fn is_none(&self) -> bool {
        self.code == Code::Unknown
    }

    /// Returns whether the code is known.
    pub fn is_some(&self) -> bool {
        !self.is_none()
    }

    /// Returns itself, or `None` if the code is unknown.
    pub fn known(self) -> Option<Self> {
        Some(self).filter(Self::is_some)
    }

    /// Returns whether it is code of the app.
    pub fn is_own(&self) -> bool {
        matches!(self.code, Code::Method(_) | Code::Dynamic(_) | Code::Handler(_))
    }

    /// Returns the function that is on stacks.
    pub fn function(&self) -> Option<FunctionId> {
        match self.code {
            Code::Method(function)
            | Code::Dynamic(function)
            | Code::Handler(function)
            | Code::RunBy(function)
            | Code::Framework(function) => Some(function),
            Code::Unknown | Code::Native(_) => None,
        }
    }
}

impl From<Code> for Site {
    fn from(code: Code) -> Self {
        Self { code, ..Self::default() }
    }
}

/// Ways in which .NET calls the app's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Boundary {
    /// Calls a request handler.
    Handlers,
    /// Runs a work item, so that the code that queued it isn't the call site.
    Work,
}

/// Methods of .NET (prefixes of `Namespace.Type.Method` without type arguments) that call back into the app. Frames
/// above them can't be call sites.
const BOUNDARIES: &[(&str, Boundary)] = &[
    // The end of the middleware pipeline, which runs the endpoint that routing chose.
    ("Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke", Boundary::Handlers),
    // Wraps the handlers of minimal APIs.
    ("Microsoft.AspNetCore.Http.RequestDelegateFactory", Boundary::Handlers),
    ("Microsoft.AspNetCore.Http.Generated.", Boundary::Handlers),
    // These call the methods of controllers and pages, directly or through compiled expressions.
    ("Microsoft.AspNetCore.Mvc.Infrastructure.ControllerActionInvoker", Boundary::Handlers),
    ("Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor", Boundary::Handlers),
    ("Microsoft.AspNetCore.Mvc.Infrastructure.ResourceInvoker", Boundary::Handlers),
    ("Microsoft.AspNetCore.Mvc.RazorPages.Infrastructure.", Boundary::Handlers),
    ("Microsoft.Extensions.Internal.ObjectMethodExecutor", Boundary::Handlers),
    ("Microsoft.AspNetCore.SignalR.Internal.DefaultHubDispatcher", Boundary::Handlers),
    // Work items of the thread pool.
    ("System.Threading.ThreadPoolWorkQueue.Dispatch", Boundary::Work),
    ("System.Threading.QueueUserWorkItemCallback", Boundary::Work),
    ("System.Threading._ThreadPoolWaitCallback", Boundary::Work),
    ("System.Threading._IOCompletionCallback", Boundary::Work),
    // Bodies of tasks, and continuations. The code that completed the task isn't the call site.
    ("System.Threading.Tasks.Task.InnerInvoke", Boundary::Work),
    ("System.Threading.Tasks.Task.ExecuteWithThreadLocal", Boundary::Work),
    ("System.Threading.Tasks.Task.RunContinuations", Boundary::Work),
    ("System.Threading.Tasks.ContinuationTaskFrom", Boundary::Work),
    ("System.Threading.Tasks.ContinuationResultTaskFrom", Boundary::Work),
    ("System.Threading.Tasks.AwaitTaskContinuation.RunOrScheduleAction", Boundary::Work),
    ("System.Runtime.CompilerServices.AsyncTaskMethodBuilder+AsyncStateMachineBox", Boundary::Work),
    ("System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder+StateMachineBox", Boundary::Work),
    ("System.Runtime.CompilerServices.AsyncMethodBuilderCore+ContinuationWrapper", Boundary::Work),
    // Work that runs with the context of the code that scheduled it.
    ("System.Threading.ExecutionContext.Run", Boundary::Work),
    // Bodies of parallel loops.
    ("System.Threading.Tasks.TaskReplicator+Replica", Boundary::Work),
    ("System.Threading.Tasks.Parallel+", Boundary::Work),
    // Callbacks of timers and cancellation.
    ("System.Threading.TimerQueueTimer.", Boundary::Work),
    ("System.Threading.CancellationTokenSource.ExecuteCallbackHandlers", Boundary::Work),
    ("System.Threading.CancellationTokenSource+CallbackNode.ExecuteCallback", Boundary::Work),
];

/// Prefixes of .NET code that is on every stack that waits, throws, continues asynchronously or writes an event.
const MACHINERY: [&str; 6] = [
    "System.Runtime.",
    "System.Threading.",
    "Interop",
    "System.Diagnostics.Tracing.EventSource.",
    "System.Diagnostics.Tracing.EventProvider.",
    "System.Diagnostics.Tracing.EventPipeEventProvider.",
];
/// Prefixes of .NET code that throws for others, which is never a call site.
const THROWS: [&str; 2] = ["System.Runtime.EH.", "System.Runtime.ExceptionServices."];
/// Prefixes of the code in which threads begin.
const THREAD_STARTS: [&str; 2] = ["System.Threading.Thread.", "System.Threading.Thread+StartHelper."];

/// Role of a function for the call site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Own,
    Dynamic,
    Calls(Boundary),
    Throws,
    ThreadStart,
    Machinery,
    Framework,
    /// An address in memory that belongs to no file: a method that the trace doesn't name.
    Unresolved,
    /// Native code with a name.
    Native,
    /// Unknown code.
    Nothing,
}

fn kind_of(store: &Store, function: &Function) -> Kind {
    if function.is_unresolved {
        return if store.strings.get(function.module).is_empty() { Kind::Unresolved } else { Kind::Nothing };
    }
    if !function.is_managed {
        return Kind::Native;
    }
    if !function.is_framework {
        let is_dynamic = is_dynamic(store.strings.get(function.raw_name));
        return if is_dynamic { Kind::Dynamic } else { Kind::Own };
    }
    let path = method_path(store, function);
    let starts = |with: &[&str]| with.iter().any(|start| path.starts_with(start));
    if let Some((_, boundary)) = BOUNDARIES.iter().find(|(start, _)| path.starts_with(start)) {
        return Kind::Calls(*boundary);
    }
    match () {
        // A stub of the runtime.
        () if is_dynamic(store.strings.get(function.raw_name)) => Kind::Machinery,
        () if starts(&THROWS) => Kind::Throws,
        () if starts(&THREAD_STARTS) => Kind::ThreadStart,
        () if starts(&MACHINERY) => Kind::Machinery,
        () => Kind::Framework,
    }
}

/// Finds call sites; each stack is examined once.
pub struct Sites<'k> {
    store: &'k Store,
    spans: Option<&'k SpanIndex>,
    kinds: Vec<Option<Kind>>,
    codes: FastMap<StackId, Code>,
    /// By dynamic method: the app method that it calls on most paths.
    callees: Option<FastMap<FunctionId, FunctionId>>,
    /// By activity: the app method that a request handler called there first.
    handlers: Option<FastMap<ActivityId, FunctionId>>,
}

impl<'k> Sites<'k> {
    /// Returns an empty cache. Without spans, requests are unknown.
    pub fn new(store: &'k Store, spans: Option<&'k SpanIndex>) -> Self {
        let kinds = vec![None; store.functions.len()];
        Self { store, spans, kinds, codes: FastMap::default(), callees: None, handlers: None }
    }

    /// Returns the call site of an event.
    pub fn of_event(&mut self, event: EventId) -> Site {
        let row = self.store.events.row(event);
        let time = self.store.clock.nanos(row.ticks).0;
        self.site(row.stack, row.activity, row.thread, time)
    }

    /// Returns the call site of a thread at a time when it had this stack.
    pub fn of_thread(&mut self, thread: ThreadId, time: i64, stack: StackId) -> Site {
        self.site(stack, ActivityId(0), thread, time)
    }

    fn site(&mut self, stack: StackId, activity: ActivityId, thread: ThreadId, time: i64) -> Site {
        let code = self.code(stack);
        let (Code::Dynamic(function) | Code::Handler(function) | Code::RunBy(function)) = code else {
            return code.into();
        };
        let route = self.route_of(activity, thread, time);
        let calls = match code {
            Code::RunBy(_) => None,
            _ if self.kind(function) == Kind::Dynamic => self.callee(function),
            _ => self.handler(activity),
        };
        Site { code, route, calls }
    }

    /// Returns the route of the request that a thread served at a time, by its position.
    pub fn route_of(&self, activity: ActivityId, thread: ThreadId, time: i64) -> Option<u32> {
        self.spans.and_then(|spans| spans.route_at(activity, thread, time))
    }

    /// Returns the code of a stack's call site.
    pub fn code(&mut self, stack: StackId) -> Code {
        if let Some(known) = self.codes.get(&stack) {
            return *known;
        }
        let code = self.search(stack);
        self.codes.insert(stack, code);
        code
    }

    /// Returns the .NET method that does the work of a stack without app code; `None` if it only waits, throws or runs
    /// something.
    pub fn framework_method(&mut self, stack: StackId) -> Option<FunctionId> {
        match self.code(stack) {
            Code::Framework(function) => Some(function).filter(|function| self.kind(*function) == Kind::Framework),
            _ => None,
        }
    }

    fn search(&mut self, stack: StackId) -> Code {
        let store = self.store;
        // The most informative .NET method, the innermost one, and the outermost one that isn't just the start of a
        // thread.
        let (mut telling, mut innermost, mut outermost) = (None, None, None);
        let (mut is_unresolved, mut throws) = (false, false);
        let mut native: Option<ProcessId> = None;
        let mut frames = store.stacks.leaf_to_root(stack);
        while let Some(frame) = frames.next() {
            let function = store.frames.function(frame);
            let kind = self.kind(function);
            match kind {
                Kind::Own => return Code::Method(function),
                Kind::Dynamic => {
                    return if self.is_handler(frames) { Code::Handler(function) } else { Code::Dynamic(function) };
                }
                Kind::Nothing => continue,
                // Callers of managed code are managed.
                Kind::Unresolved => {
                    is_unresolved = innermost.is_some();
                    continue;
                }
                Kind::Native => {
                    native = native.or_else(|| store.frames.get(frame).map(|frame| frame.process));
                    continue;
                }
                _ if is_unresolved => return Code::RunBy(function),
                Kind::Calls(boundary) => {
                    return match telling {
                        Some(telling) => Code::Framework(telling),
                        None if throws => Code::Framework(function),
                        None if boundary == Boundary::Handlers => Code::Handler(function),
                        None => Code::RunBy(function),
                    };
                }
                Kind::Throws => throws = true,
                Kind::Framework => telling = telling.or(Some(function)),
                Kind::Machinery => outermost = Some(function),
                Kind::ThreadStart => {}
            }
            if kind != Kind::Throws {
                innermost = innermost.or(Some(function));
            }
        }
        match (telling.or(outermost).or(innermost), native) {
            (Some(function), _) => Code::Framework(function),
            (None, Some(process)) => Code::Native(process),
            (None, None) => Code::Unknown,
        }
    }

    /// Returns whether the callee of these callers is a request handler: .NET calls it, not other code of the app.
    fn is_handler(&mut self, callers: impl Iterator<Item = FrameId>) -> bool {
        for frame in callers {
            match self.kind(self.store.frames.function(frame)) {
                Kind::Calls(boundary) => return boundary == Boundary::Handlers,
                Kind::Own => return false,
                _ => {}
            }
        }
        false
    }

    fn kind(&mut self, function: FunctionId) -> Kind {
        let store = self.store;
        let Some(known) = self.kinds.get_mut(function.index()) else { return Kind::Nothing };
        *known.get_or_insert_with(|| store.functions.get(function).map_or(Kind::Nothing, |one| kind_of(store, one)))
    }

    /// Returns the app method that a dynamic method calls, if any stack of the trace shows it.
    fn callee(&mut self, dynamic: FunctionId) -> Option<FunctionId> {
        if self.callees.is_none() {
            self.callees = Some(self.find_callees());
        }
        self.callees.as_ref()?.get(&dynamic).copied()
    }

    fn find_callees(&mut self) -> FastMap<FunctionId, FunctionId> {
        let store = self.store;
        let mut counts: FastMap<(FunctionId, FunctionId), u32> = FastMap::default();
        for stack in (1..store.stacks.len() as u32).map(StackId) {
            let mut frames = store.stacks.leaf_to_root(stack).map(|frame| store.frames.function(frame));
            let Some(called) = frames.next().filter(|function| self.kind(*function) == Kind::Own) else { continue };
            let caller = frames.find(|function| matches!(self.kind(*function), Kind::Own | Kind::Dynamic));
            if let Some(caller) = caller.filter(|caller| self.kind(*caller) == Kind::Dynamic) {
                *counts.entry((caller, called)).or_default() += 1;
            }
        }
        let mut counts: Vec<((FunctionId, FunctionId), u32)> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|((caller, called), count)| (*caller, Reverse(*count), *called));
        let mut callees = FastMap::default();
        for ((caller, called), _) in counts {
            callees.entry(caller).or_insert(called);
        }
        callees
    }

    /// Returns the app method that the request handler of an activity called, if it scheduled or awaited something
    /// there.
    fn handler(&mut self, activity: ActivityId) -> Option<FunctionId> {
        if activity.0 == 0 {
            return None;
        }
        if self.handlers.is_none() {
            self.handlers = Some(self.find_handlers());
        }
        self.handlers.as_ref()?.get(&activity).copied()
    }

    fn find_handlers(&mut self) -> FastMap<ActivityId, FunctionId> {
        let store = self.store;
        let mut by_stack: FastMap<StackId, Option<FunctionId>> = FastMap::default();
        let mut handlers = FastMap::default();
        let types = TypeSet::of_known(store, &[KnownEvent::TaskOperationBegin, KnownEvent::TaskScheduled]);
        types.for_each_row(store, 0..store.events.len(), |chunk, row| {
            let (stack, activity) = (chunk.stack(row), chunk.activity(row));
            if activity.0 == 0 || stack.0 == 0 || handlers.contains_key(&activity) {
                return;
            }
            let called = match by_stack.get(&stack) {
                Some(known) => *known,
                None => {
                    let called = self.called_by_handler(stack);
                    by_stack.insert(stack, called);
                    called
                }
            };
            handlers.extend(called.map(|called| (activity, called)));
        });
        handlers
    }

    /// Returns the app method called by code that runs request handlers, directly or through an inlined handler.
    fn called_by_handler(&mut self, stack: StackId) -> Option<FunctionId> {
        let mut called = None;
        for frame in self.store.stacks.leaf_to_root(stack) {
            let function = self.store.frames.function(frame);
            match self.kind(function) {
                Kind::Own => called = Some(function),
                Kind::Calls(Boundary::Handlers) => return called,
                _ => {}
            }
        }
        None
    }
}

/// Names of call sites.
#[derive(Clone, Copy)]
pub struct SiteNames<'k> {
    store: &'k Store,
    spans: Option<&'k SpanIndex>,
}

impl<'k> SiteNames<'k> {
    /// Uses the names of a store, and the routes of spans.
    pub fn new(store: &'k Store, spans: Option<&'k SpanIndex>) -> Self {
        Self { store, spans }
    }

    /// Returns the call with which the stack of an event blocks on a task; `None` if it doesn't show one.
    pub fn blocking_call(self, event: EventId) -> Option<&'static str> {
        blocking_call(self.store, self.store.events.row(event).stack)
    }

    /// Returns the name of a site for tables: "Shop.Cart.Add(Item)", "GET /legacy; its handler is inlined into
    /// lambda_method7"; empty if unknown.
    pub fn name(&self, site: Site) -> String {
        match (self.subject(site), self.note(site)) {
            (Some(subject), Some(note)) => format!("{subject}; {note}"),
            (subject, note) => subject.or(note).unwrap_or_default(),
        }
    }

    /// Returns the name for sentences: "Shop.Cart.Add(Item)", "GET /legacy"; empty if unknown. [`Self::explanation`] adds
    /// what is known about unnamed code.
    pub fn phrase(&self, site: Site) -> String {
        let subject = self.subject(site);
        subject.or_else(|| self.note(Site { calls: None, ..site })).unwrap_or_default()
    }

    /// Returns the name for titles and evidence: "Cart.Add", "GET /legacy"; empty if unknown.
    pub fn short(&self, site: Site) -> String {
        match site.code {
            Code::Method(function) => self.short_method(Some(function)).to_owned(),
            Code::Native(_) => "native code".to_owned(),
            _ => self.phrase(site),
        }
    }

    /// Returns a sentence about code without a name of its own: "The handler of GET /legacy is inlined into
    /// lambda_method7 and calls Shop.Gateway.Call()."; empty for other code.
    pub fn explanation(&self, site: Site) -> String {
        let Some(route) = self.route(site) else { return String::new() };
        let place = match site.code {
            Code::Handler(function) => {
                format!("The handler of {route} is inlined into {}", self.short_name(function))
            }
            Code::Dynamic(function) => {
                format!("The code of {route} is in the dynamic method {}", self.short_name(function))
            }
            Code::RunBy(function) => format!("The code of {route} is run by {}", self.in_dotnet(function)),
            Code::Unknown | Code::Method(_) | Code::Framework(_) | Code::Native(_) => return String::new(),
        };
        let called = site.calls.map(|called| [" and calls ", self.store.function_name(called)].concat());
        place + &called.unwrap_or_default() + "."
    }

    /// Returns the name of a route by its position.
    pub fn route_name(&self, route: Option<u32>) -> &'k str {
        self.spans.zip(route).map_or("", |(spans, route)| spans.route(route))
    }

    /// Returns the short name of a method: "Cart.AddAsync"; empty for `None`.
    pub fn short_method(&self, method: Option<FunctionId>) -> &'k str {
        method.map_or("", |method| self.short_name(method)).trim_end_matches(" (async)")
    }

    /// Returns a filter condition for events at a site; empty if there is none.
    pub fn condition(&self, site: Site) -> String {
        match site.function().map_or("", |function| self.store.function_name(function)) {
            "" => String::new(),
            name => format!("stack:{}", word(name)),
        }
    }

    /// Returns the name of a method; empty for `None`.
    pub fn method(&self, method: Option<FunctionId>) -> &'k str {
        method.map_or("", |method| self.store.function_name(method))
    }

    /// Returns the name of the code, if it has one.
    fn subject(&self, site: Site) -> Option<String> {
        match (site.code, self.route(site)) {
            (Code::Method(function), _) => Some(self.store.function_name(function).to_owned()),
            (Code::Framework(function), _) => Some(self.in_dotnet(function)),
            (Code::Native(process), _) => {
                let process = self.store.processes.get(process);
                let of = process.map_or_else(String::new, |process| [" of ", &process.numbered_label()].concat());
                Some(["Native code", &of].concat())
            }
            (_, route) => route.map(str::to_owned),
        }
    }

    /// Returns a note about code that has no name.
    fn note(&self, site: Site) -> Option<String> {
        let has_route = self.route(site).is_some();
        let place = match (site.code, has_route) {
            (Code::Handler(function), true) => format!("its handler is inlined into {}", self.short_name(function)),
            (Code::Handler(function), false) => format!("Handler inlined into {}", self.short_name(function)),
            (Code::Dynamic(function), true) => format!("in the dynamic method {}", self.short_name(function)),
            (Code::Dynamic(function), false) => format!("Dynamic method {}", self.short_name(function)),
            (Code::RunBy(function), true) => format!("in code run by {}", self.in_dotnet(function)),
            (Code::RunBy(function), false) => format!("Code run by {}", self.in_dotnet(function)),
            (Code::Unknown | Code::Method(_) | Code::Framework(_) | Code::Native(_), _) => return None,
        };
        let called = site.calls.map(|called| [", which calls ", self.store.function_name(called)].concat());
        Some(place + &called.unwrap_or_default())
    }

    fn route(&self, site: Site) -> Option<&'k str> {
        Some(self.spans?.route(site.route?)).filter(|route| !route.is_empty())
    }

    fn short_name(&self, function: FunctionId) -> &'k str {
        self.store.functions.get(function).map_or("", |one| self.store.strings.get(one.short_name))
    }

    /// Returns the name of a .NET method: "Array.Sort (.NET)".
    fn in_dotnet(&self, function: FunctionId) -> String {
        [self.short_name(function), " (.NET)"].concat()
    }
}

impl<'k> Known<'k> {
    /// Returns the finder of call sites.
    pub fn sites(&self) -> Sites<'k> {
        Sites::new(self.store, self.spans)
    }

    /// Returns the names of call sites.
    pub fn site_names(&self) -> SiteNames<'k> {
        SiteNames::new(self.store, self.spans)
    }
}

/// Returns whether stacks may end in app code without a name, so that requests have to be known.
pub fn has_unnamed_code(store: &Store) -> bool {
    let is_unnamed = |kind: Kind| matches!(kind, Kind::Dynamic | Kind::Calls(Boundary::Handlers));
    store.functions.iter().any(|function| is_unnamed(kind_of(store, function)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_methods, store_of_program};

    /// Returns the name of a wait's call site if its stack has these methods, the outermost first.
    fn site(methods: &[(&str, &str)]) -> String {
        let stack = (1..=methods.len() as u64).collect();
        let wait = What::WaitForHandle { is_monitor: true, stack };
        let (store, _) = store_of_program(methods, &[(0, 5, wait)]);
        let event = EventId(store.events.len() as u32 - 1);
        SiteNames::new(&store, None).name(Sites::new(&store, None).of_event(event))
    }

    const MIDDLEWARE: (&str, &str) = ("Shop.Program", "Middleware");
    const ENDPOINT: (&str, &str) = ("Microsoft.AspNetCore.Routing.EndpointMiddleware", "Invoke");
    const LAMBDA: (&str, &str) = ("dynamicClass", "lambda_method7");
    const RESULT: (&str, &str) = ("System.Threading.Tasks.Task`1[System.__Canon]", "get_Result");
    const WAIT: (&str, &str) = ("System.Threading.Monitor", "Wait");

    #[test]
    fn wait_site_is_last_app_code() {
        assert_eq!(site(&[MIDDLEWARE, RESULT, WAIT]), "Shop.Program.Middleware()");
        assert_eq!(
            site(&[MIDDLEWARE, ENDPOINT, ("Shop.Legacy", "Call"), RESULT, WAIT]),
            "Shop.Legacy.Call()",
            "what .NET calls back is the program again"
        );
    }

    #[test]
    fn dynamic_method_called_by_dotnet_is_app_code() {
        assert_eq!(site(&[MIDDLEWARE, ENDPOINT, LAMBDA, RESULT, WAIT]), "Handler inlined into lambda_method7");
        assert_eq!(site(&[MIDDLEWARE, LAMBDA, RESULT, WAIT]), "Dynamic method lambda_method7");
        assert_eq!(site(&[ENDPOINT, LAMBDA, ("Shop.Legacy", "Call"), WAIT]), "Shop.Legacy.Call()");
        let stub = ("dynamicClass", "IL_STUB_PInvoke");
        assert_eq!(site(&[MIDDLEWARE, stub, WAIT]), "Shop.Program.Middleware()", "stubs are .NET's own");
    }

    #[test]
    fn code_inlined_into_dotnet_is_not_attributed_to_callers() {
        assert_eq!(site(&[MIDDLEWARE, ENDPOINT, RESULT, WAIT]), "Handler inlined into EndpointMiddleware.Invoke");
        let task = ("System.Threading.Tasks.Task", "InnerInvoke");
        assert_eq!(site(&[MIDDLEWARE, task, WAIT]), "Code run by Task.InnerInvoke (.NET)");
        let writes = ("System.Text.Json.JsonSerializer", "Serialize");
        assert_eq!(
            site(&[MIDDLEWARE, ENDPOINT, writes, WAIT]),
            "JsonSerializer.Serialize (.NET)",
            "no handler of the program is on the way"
        );
    }

    #[test]
    fn site_without_app_code_is_marked_as_dotnet() {
        let (start, timer) =
            (("System.Threading.Thread", "StartCallback"), ("System.Threading.TimerQueue", "TimerThread"));
        assert_eq!(site(&[start, timer, WAIT]), "TimerQueue.TimerThread (.NET)");
        assert_eq!(site(&[start, ("System.Array", "Sort")]), "Array.Sort (.NET)");
        let throws = ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw");
        let run = ("System.Threading.ExecutionContext", "RunFromThreadPoolDispatchLoop");
        assert_eq!(site(&[start, run, throws]), "ExecutionContext.RunFromThreadPoolDispatchLoop (.NET)");
        let kestrel = ("Microsoft.AspNetCore.Server.Kestrel.Core.KestrelConnection", "Execute");
        let schedules = ("System.Threading.Tasks.Task", "ScheduleAndStart");
        let writes = ("System.Diagnostics.Tracing.EventSource", "WriteEventWithRelatedActivityIdCore");
        let transfers = ("System.Diagnostics.Tracing.EventPipeEventProvider", "EventWriteTransfer");
        assert_eq!(
            site(&[start, kestrel, schedules, writes, transfers]),
            "KestrelConnection.Execute (.NET)",
            "the code that writes the event is on each of its stacks"
        );
        assert_eq!(site(&[]), "");
    }

    #[test]
    fn dynamic_method_is_named_by_callee() {
        let methods = [ENDPOINT, LAMBDA, ("Shop.Legacy", "CallAsync"), WAIT];
        let wait = |stack: &[u64]| What::WaitForHandle { is_monitor: true, stack: stack.to_vec() };
        let (store, _) = store_of_program(&methods, &[(0, 5, wait(&[1, 2, 3])), (9, 5, wait(&[1, 2, 4]))]);
        let event = EventId(store.events.len() as u32 - 1);
        let name = SiteNames::new(&store, None).name(Sites::new(&store, None).of_event(event));
        assert_eq!(name, "Handler inlined into lambda_method7, which calls Shop.Legacy.CallAsync()");
    }

    #[test]
    fn code_without_module_counts_as_app_code() {
        let methods = [("Shop.Program", "Main"), ("System.Number", "Parse"), ("System.String", "Concat")];
        let (store, _) = store_of_methods(&methods, &[&[1, 2, 3], &[2]]);
        let mut sites = Sites::new(&store, None);
        let names: Vec<_> = (0..store.events.len() as u32)
            .map(|row| store.events.row(EventId(row)).stack)
            .filter(|stack| store.stacks.depth(*stack) > 0)
            .map(|stack| SiteNames::new(&store, None).name(sites.code(stack).into()))
            .collect();
        assert_eq!(names, ["System.String.Concat()", "System.Number.Parse()"]);
    }
}
