//! Where in the program something happened: the last code of the program on the path to it.
//!
//! A method of the program that called .NET is not where something happened if .NET then called other code of the program.
//! Such code may have no name of its own: it is a dynamic method, or it was inlined into what called it. Then the request in
//! whose work it ran and the methods that it called show what it is.

use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::samples::stack_states::method_path;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::topics::Known;
use crate::clr::KnownEvent;
use crate::clr::names::is_dynamic;
use crate::model::{Function, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, FrameId, FunctionId, ProcessId, StackId, ThreadId};
use protocol::filter::word;
use std::cmp::Reverse;

/// The code that something happened in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Code {
    /// There is no stack, or nothing on it has a name.
    #[default]
    Unknown,
    /// A method of the program.
    Method(FunctionId),
    /// A dynamic method: compiled at run time for the program.
    Dynamic(FunctionId),
    /// A handler of requests that has no frame of its own: inlined into this method, a dynamic one or one of .NET.
    Handler(FunctionId),
    /// Code without a frame of its own that this method of .NET ran.
    RunBy(FunctionId),
    /// No code of the program is on the path: the method of .NET that says most.
    Framework(FunctionId),
    /// No managed code at all: native code of a process.
    Native(ProcessId),
}

/// Where in the program something happened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Site {
    /// In which code.
    pub code: Code,
    /// Of code without a name of its own the route of the request that it ran for, by number.
    route: Option<u32>,
    /// Of such code the method of the program that it called or scheduled.
    calls: Option<FunctionId>,
}

impl Site {
    /// The site in a method of the program.
    pub fn method(method: FunctionId) -> Self {
        Code::Method(method).into()
    }

    /// Whether nothing is known of it.
    pub fn is_none(&self) -> bool {
        self.code == Code::Unknown
    }

    /// Whether something is known of it.
    pub fn is_some(&self) -> bool {
        !self.is_none()
    }

    /// It, if something is known of it.
    pub fn known(self) -> Option<Self> {
        Some(self).filter(Self::is_some)
    }

    /// The same without the method that it calls, if that is this one: for sentences that name it anyway.
    pub fn without_call(self, named: Option<FunctionId>) -> Self {
        Self { calls: self.calls.filter(|calls| Some(*calls) != named), ..self }
    }

    /// Whether it is code of the program.
    pub fn is_own(&self) -> bool {
        matches!(self.code, Code::Method(_) | Code::Dynamic(_) | Code::Handler(_))
    }

    /// The function that is on stacks there.
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

/// What a method of .NET does with code of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Boundary {
    /// Calls the handler of a request.
    Handlers,
    /// Runs work that was handed to it: who handed it over isn't where it happens.
    Work,
}

/// Methods of .NET (beginnings of `Namespace.Type.Method` without type arguments) that call back into the program. Above
/// them, nothing is where something happened.
const BOUNDARIES: &[(&str, Boundary)] = &[
    // The end of the middleware pipeline: runs the endpoint that routing chose.
    ("Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke", Boundary::Handlers),
    // Wraps the handlers of minimal APIs.
    ("Microsoft.AspNetCore.Http.RequestDelegateFactory", Boundary::Handlers),
    ("Microsoft.AspNetCore.Http.Generated.", Boundary::Handlers),
    // Call the methods of controllers and pages, directly or through compiled expressions.
    ("Microsoft.AspNetCore.Mvc.Infrastructure.ControllerActionInvoker", Boundary::Handlers),
    ("Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor", Boundary::Handlers),
    ("Microsoft.AspNetCore.Mvc.Infrastructure.ResourceInvoker", Boundary::Handlers),
    ("Microsoft.AspNetCore.Mvc.RazorPages.Infrastructure.", Boundary::Handlers),
    ("Microsoft.Extensions.Internal.ObjectMethodExecutor", Boundary::Handlers),
    ("Microsoft.AspNetCore.SignalR.Internal.DefaultHubDispatcher", Boundary::Handlers),
    // Work of the thread pool.
    ("System.Threading.ThreadPoolWorkQueue.Dispatch", Boundary::Work),
    ("System.Threading.QueueUserWorkItemCallback", Boundary::Work),
    ("System.Threading._ThreadPoolWaitCallback", Boundary::Work),
    ("System.Threading._IOCompletionCallback", Boundary::Work),
    // Bodies of tasks, and what goes on after one: whoever completed the task isn't what continues.
    ("System.Threading.Tasks.Task.InnerInvoke", Boundary::Work),
    ("System.Threading.Tasks.Task.ExecuteWithThreadLocal", Boundary::Work),
    ("System.Threading.Tasks.Task.RunContinuations", Boundary::Work),
    ("System.Threading.Tasks.ContinuationTaskFrom", Boundary::Work),
    ("System.Threading.Tasks.ContinuationResultTaskFrom", Boundary::Work),
    ("System.Threading.Tasks.AwaitTaskContinuation.RunOrScheduleAction", Boundary::Work),
    ("System.Runtime.CompilerServices.AsyncTaskMethodBuilder+AsyncStateMachineBox", Boundary::Work),
    ("System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder+StateMachineBox", Boundary::Work),
    ("System.Runtime.CompilerServices.AsyncMethodBuilderCore+ContinuationWrapper", Boundary::Work),
    // Work that runs with the context of whoever scheduled it.
    ("System.Threading.ExecutionContext.Run", Boundary::Work),
    // Bodies of parallel loops.
    ("System.Threading.Tasks.TaskReplicator+Replica", Boundary::Work),
    ("System.Threading.Tasks.Parallel+", Boundary::Work),
    // Callbacks of timers and cancellation.
    ("System.Threading.TimerQueueTimer.", Boundary::Work),
    ("System.Threading.CancellationTokenSource.ExecuteCallbackHandlers", Boundary::Work),
    ("System.Threading.CancellationTokenSource+CallbackNode.ExecuteCallback", Boundary::Work),
];

/// Code of .NET that is on the stack of whatever waits, throws or goes on asynchronously.
const MACHINERY: [&str; 3] = ["System.Runtime.", "System.Threading.", "Interop"];
/// Code of .NET that throws for others: never where something happened.
const THROWS: [&str; 2] = ["System.Runtime.EH.", "System.Runtime.ExceptionServices."];
/// Where threads begin.
const THREAD_STARTS: [&str; 2] = ["System.Threading.Thread.", "System.Threading.Thread+StartHelper."];

/// What a function is to what happens below it.
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
    /// Nothing is known of it.
    Nothing,
}

fn kind_of(store: &Store, function: &Function) -> Kind {
    if function.is_unresolved {
        return if store.strings().get(function.module).is_empty() { Kind::Unresolved } else { Kind::Nothing };
    }
    if !function.is_managed {
        return Kind::Native;
    }
    if !function.is_framework {
        let is_dynamic = is_dynamic(store.strings().get(function.raw_name));
        return if is_dynamic { Kind::Dynamic } else { Kind::Own };
    }
    let path = method_path(store, function);
    let starts = |with: &[&str]| with.iter().any(|start| path.starts_with(start));
    if let Some((_, boundary)) = BOUNDARIES.iter().find(|(start, _)| path.starts_with(start)) {
        return Kind::Calls(*boundary);
    }
    match () {
        // A stub of the runtime.
        () if is_dynamic(store.strings().get(function.raw_name)) => Kind::Machinery,
        () if starts(&THROWS) => Kind::Throws,
        () if starts(&THREAD_STARTS) => Kind::ThreadStart,
        () if starts(&MACHINERY) => Kind::Machinery,
        () => Kind::Framework,
    }
}

/// Finds sites; each stack is looked at once.
pub struct Sites<'k> {
    store: &'k Store,
    spans: Option<&'k SpanIndex>,
    kinds: Vec<Option<Kind>>,
    codes: FastMap<StackId, Code>,
    /// By dynamic method: the method of the program that it calls in most ways.
    callees: Option<FastMap<FunctionId, FunctionId>>,
    /// By activity: the method of the program that a handler of a request called there first.
    handlers: Option<FastMap<ActivityId, FunctionId>>,
}

impl<'k> Sites<'k> {
    /// Nothing looked at yet. Without spans, requests are unknown.
    pub fn new(store: &'k Store, spans: Option<&'k SpanIndex>) -> Self {
        let kinds = vec![None; store.functions().len()];
        Self { store, spans, kinds, codes: FastMap::default(), callees: None, handlers: None }
    }

    /// Where an event happened.
    pub fn of_event(&mut self, event: EventId) -> Site {
        let row = self.store.events().row(event);
        let time = self.store.clock().nanos(row.ticks).0;
        self.site(row.stack, row.activity, row.thread, time)
    }

    /// Where a thread was at a time when it had this stack.
    pub fn of_thread(&mut self, thread: ThreadId, time: i64, stack: StackId) -> Site {
        self.site(stack, ActivityId(0), thread, time)
    }

    fn site(&mut self, stack: StackId, activity: ActivityId, thread: ThreadId, time: i64) -> Site {
        let code = self.code(stack);
        let (Code::Dynamic(function) | Code::Handler(function) | Code::RunBy(function)) = code else {
            return code.into();
        };
        let route = self.spans.and_then(|spans| spans.route_at(activity, thread, time));
        let calls = match code {
            Code::RunBy(_) => None,
            _ if self.kind(function) == Kind::Dynamic => self.callee(function),
            _ => self.handler(activity),
        };
        Site { code, route, calls }
    }

    /// The code on top of a stack.
    pub fn code(&mut self, stack: StackId) -> Code {
        if let Some(known) = self.codes.get(&stack) {
            return *known;
        }
        let code = self.search(stack);
        self.codes.insert(stack, code);
        code
    }

    fn search(&mut self, stack: StackId) -> Code {
        let store = self.store;
        // The method of .NET that says most, the innermost one, and the outermost one that says more than that a thread began.
        let (mut telling, mut innermost, mut outermost) = (None, None, None);
        let (mut is_unresolved, mut throws) = (false, false);
        let mut native: Option<ProcessId> = None;
        let mut frames = store.stacks().leaf_to_root(stack);
        while let Some(frame) = frames.next() {
            let function = store.frames().function(frame);
            let kind = self.kind(function);
            match kind {
                Kind::Own => return Code::Method(function),
                Kind::Dynamic => {
                    return if self.is_handler(frames) { Code::Handler(function) } else { Code::Dynamic(function) };
                }
                Kind::Nothing => continue,
                // What calls managed code is managed.
                Kind::Unresolved => {
                    is_unresolved = innermost.is_some();
                    continue;
                }
                Kind::Native => {
                    native = native.or_else(|| store.frames().get(frame).map(|frame| frame.process));
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

    /// Whether what these callers called is the handler of a request: .NET calls it, no other code of the program.
    fn is_handler(&mut self, callers: impl Iterator<Item = FrameId>) -> bool {
        for frame in callers {
            match self.kind(self.store.frames().function(frame)) {
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
        *known.get_or_insert_with(|| store.functions().get(function).map_or(Kind::Nothing, |one| kind_of(store, one)))
    }

    /// The method of the program that a dynamic method calls, as far as any stack of the trace shows it.
    fn callee(&mut self, dynamic: FunctionId) -> Option<FunctionId> {
        if self.callees.is_none() {
            self.callees = Some(self.find_callees());
        }
        self.callees.as_ref()?.get(&dynamic).copied()
    }

    fn find_callees(&mut self) -> FastMap<FunctionId, FunctionId> {
        let store = self.store;
        let mut counts: FastMap<(FunctionId, FunctionId), u32> = FastMap::default();
        for stack in (1..store.stacks().len() as u32).map(StackId) {
            let mut frames = store.stacks().leaf_to_root(stack).map(|frame| store.frames().function(frame));
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

    /// The method of the program that the handler of the request of an activity called: what it scheduled or awaited there
    /// shows it.
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
        types.for_each_row(store, 0..store.events().len(), |chunk, row| {
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

    /// The method of the program that what calls handlers of requests has called, directly or through an inlined handler.
    fn called_by_handler(&mut self, stack: StackId) -> Option<FunctionId> {
        let mut called = None;
        for frame in self.store.stacks().leaf_to_root(stack) {
            let function = self.store.frames().function(frame);
            match self.kind(function) {
                Kind::Own => called = Some(function),
                Kind::Calls(Boundary::Handlers) => return called,
                _ => {}
            }
        }
        None
    }
}

/// What names sites.
#[derive(Clone, Copy)]
pub struct SiteNames<'k> {
    store: &'k Store,
    spans: Option<&'k SpanIndex>,
}

impl<'k> SiteNames<'k> {
    /// Names from a store, and routes from spans.
    pub fn new(store: &'k Store, spans: Option<&'k SpanIndex>) -> Self {
        Self { store, spans }
    }

    /// What a site is called, for tables: "Shop.Cart.Add(Item)", "GET /legacy; its handler is inlined in lambda_method7";
    /// empty if nothing is known of it.
    pub fn name(&self, site: Site) -> String {
        match (self.subject(site), self.note(site)) {
            (Some(subject), Some(note)) => format!("{subject}; {note}"),
            (subject, note) => subject.or(note).unwrap_or_default(),
        }
    }

    /// The same for sentences: "GET /legacy (its handler is inlined in lambda_method7)".
    pub fn phrase(&self, site: Site) -> String {
        match (self.subject(site), self.note(site)) {
            (Some(subject), Some(note)) => format!("{subject} ({note})"),
            (subject, note) => subject.or(note).unwrap_or_default(),
        }
    }

    /// The same for titles: "Cart.Add", "GET /legacy".
    pub fn short(&self, site: Site) -> String {
        match (site.code, self.route(site)) {
            (Code::Method(function), _) => self.short_name(function).to_owned(),
            (_, Some(route)) => route.to_owned(),
            _ => self.name(site),
        }
    }

    /// A condition that holds for events that happened there, in the language of filters; empty for none.
    pub fn condition(&self, site: Site) -> String {
        match site.function().map_or("", |function| self.store.function_name(function)) {
            "" => String::new(),
            name => format!("stack:{}", word(name)),
        }
    }

    /// What a method is called; empty for none.
    pub fn method(&self, method: Option<FunctionId>) -> &'k str {
        method.map_or("", |method| self.store.function_name(method))
    }

    /// What is there, if it has a name.
    fn subject(&self, site: Site) -> Option<String> {
        match (site.code, self.route(site)) {
            (Code::Method(function), _) => Some(self.store.function_name(function).to_owned()),
            (Code::Framework(function), _) => Some(self.in_dotnet(function)),
            (Code::Native(process), _) => {
                let process = self.store.processes().get(process);
                let of = process.map_or_else(String::new, |process| [" of ", &process.numbered_label()].concat());
                Some(["Native code", &of].concat())
            }
            (_, route) => route.map(str::to_owned),
        }
    }

    /// What is said of code that has no name of its own.
    fn note(&self, site: Site) -> Option<String> {
        let has_route = self.route(site).is_some();
        let place = match (site.code, has_route) {
            (Code::Handler(function), true) => format!("its handler is inlined in {}", self.short_name(function)),
            (Code::Handler(function), false) => format!("Handler inlined in {}", self.short_name(function)),
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
        self.store.functions().get(function).map_or("", |one| self.store.strings().get(one.short_name))
    }

    /// "Array.Sort (.NET)".
    fn in_dotnet(&self, function: FunctionId) -> String {
        [self.short_name(function), " (.NET)"].concat()
    }
}

impl<'k> Known<'k> {
    /// Finds where in the program something happened.
    pub fn sites(&self) -> Sites<'k> {
        Sites::new(self.store, self.spans)
    }

    /// Names of what [`Self::sites`] finds.
    pub fn site_names(&self) -> SiteNames<'k> {
        SiteNames::new(self.store, self.spans)
    }
}

/// Whether stacks may end in code of the program without a name of its own, so that the requests have to be known.
pub fn has_unnamed_code(store: &Store) -> bool {
    let is_unnamed = |kind: Kind| matches!(kind, Kind::Dynamic | Kind::Calls(Boundary::Handlers));
    store.functions().iter().any(|function| is_unnamed(kind_of(store, function)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_methods, store_of_program};

    /// What the site of a wait is called whose stack has these methods, the outermost first.
    fn site(methods: &[(&str, &str)]) -> String {
        let stack = (1..=methods.len() as u64).collect();
        let wait = What::WaitForHandle { is_monitor: true, stack };
        let (store, _) = store_of_program(methods, &[(0, 5, wait)]);
        let event = EventId(store.events().len() as u32 - 1);
        SiteNames::new(&store, None).name(Sites::new(&store, None).of_event(event))
    }

    const MIDDLEWARE: (&str, &str) = ("Shop.Program", "Middleware");
    const ENDPOINT: (&str, &str) = ("Microsoft.AspNetCore.Routing.EndpointMiddleware", "Invoke");
    const LAMBDA: (&str, &str) = ("dynamicClass", "lambda_method7");
    const RESULT: (&str, &str) = ("System.Threading.Tasks.Task`1[System.__Canon]", "get_Result");
    const WAIT: (&str, &str) = ("System.Threading.Monitor", "Wait");

    #[test]
    fn a_wait_happens_in_the_last_code_of_the_program_before_it() {
        assert_eq!(site(&[MIDDLEWARE, RESULT, WAIT]), "Shop.Program.Middleware()");
        assert_eq!(
            site(&[MIDDLEWARE, ENDPOINT, ("Shop.Legacy", "Call"), RESULT, WAIT]),
            "Shop.Legacy.Call()",
            "what .NET calls back is the program again"
        );
    }

    #[test]
    fn a_dynamic_method_that_dotnet_calls_is_the_program() {
        assert_eq!(site(&[MIDDLEWARE, ENDPOINT, LAMBDA, RESULT, WAIT]), "Handler inlined in lambda_method7");
        assert_eq!(site(&[MIDDLEWARE, LAMBDA, RESULT, WAIT]), "Dynamic method lambda_method7");
        assert_eq!(site(&[ENDPOINT, LAMBDA, ("Shop.Legacy", "Call"), WAIT]), "Shop.Legacy.Call()");
        let stub = ("dynamicClass", "IL_STUB_PInvoke");
        assert_eq!(site(&[MIDDLEWARE, stub, WAIT]), "Shop.Program.Middleware()", "stubs are .NET's own");
    }

    #[test]
    fn code_that_was_inlined_into_dotnet_is_not_that_of_its_callers() {
        assert_eq!(site(&[MIDDLEWARE, ENDPOINT, RESULT, WAIT]), "Handler inlined in EndpointMiddleware.Invoke");
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
    fn without_code_of_the_program_dotnets_own_is_said_to_be_that() {
        let (start, timer) =
            (("System.Threading.Thread", "StartCallback"), ("System.Threading.TimerQueue", "TimerThread"));
        assert_eq!(site(&[start, timer, WAIT]), "TimerQueue.TimerThread (.NET)");
        assert_eq!(site(&[start, ("System.Array", "Sort")]), "Array.Sort (.NET)");
        let throws = ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw");
        let run = ("System.Threading.ExecutionContext", "RunFromThreadPoolDispatchLoop");
        assert_eq!(site(&[start, run, throws]), "ExecutionContext.RunFromThreadPoolDispatchLoop (.NET)");
        assert_eq!(site(&[]), "");
    }

    #[test]
    fn a_dynamic_method_is_named_by_what_it_calls() {
        let methods = [ENDPOINT, LAMBDA, ("Shop.Legacy", "CallAsync"), WAIT];
        let wait = |stack: &[u64]| What::WaitForHandle { is_monitor: true, stack: stack.to_vec() };
        let (store, _) = store_of_program(&methods, &[(0, 5, wait(&[1, 2, 3])), (9, 5, wait(&[1, 2, 4]))]);
        let event = EventId(store.events().len() as u32 - 1);
        let name = SiteNames::new(&store, None).name(Sites::new(&store, None).of_event(event));
        assert_eq!(name, "Handler inlined in lambda_method7, which calls Shop.Legacy.CallAsync()");
    }

    #[test]
    fn code_of_no_module_is_taken_for_the_programs() {
        let methods = [("Shop.Program", "Main"), ("System.Number", "Parse"), ("System.String", "Concat")];
        let (store, _) = store_of_methods(&methods, &[&[1, 2, 3], &[2]]);
        let mut sites = Sites::new(&store, None);
        let names: Vec<_> = (0..store.events().len() as u32)
            .map(|row| store.events().row(EventId(row)).stack)
            .filter(|stack| store.stacks().depth(*stack) > 0)
            .map(|stack| SiteNames::new(&store, None).name(sites.code(stack).into()))
            .collect();
        assert_eq!(names, ["System.String.Concat()", "System.Number.Parse()"]);
    }
}
