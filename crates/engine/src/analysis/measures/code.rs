//! Running time by function and module, and thread time by state.

use super::{Collector, comparable_name};
use crate::analysis::samples::app_functions::app_functions;
use crate::analysis::samples::stack_states::working_leaf;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::stacks::unresolved::unresolved_name;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};
use protocol::compare::Subject;
use protocol::timeline::thread_state::ThreadState;

/// Functions on a stack.
struct OnStack {
    /// The function whose own time it is.
    leaf: Option<FunctionId>,
    /// Functions of the app, each once.
    of_app: Vec<FunctionId>,
}

/// Adds the running time of threads by function and module.
pub fn add_code(store: &Store, time: &ThreadTime, into: &mut Collector) {
    let mut by_stack: FastMap<(StackId, u16), f64> = FastMap::default();
    for (_, stack, start, nanos) in time.running() {
        if let Some(slice) = into.slice_of(start) {
            *by_stack.entry((stack, slice)).or_default() += nanos as f64;
        }
    }
    let mut stacks: FastMap<StackId, OnStack> = FastMap::default();
    let mut names = Names { store, names: FastMap::default() };
    for ((stack, slice), nanos) in by_stack {
        into.add_to_slice(Subject::RunningTime, "", slice, nanos);
        let on_stack = stacks.entry(stack).or_insert_with(|| OnStack::of(store, stack));
        if let Some(leaf) = on_stack.leaf {
            into.add_to_slice(Subject::FunctionSelf, names.function(leaf), slice, nanos);
            into.add_to_slice(Subject::ModuleSelf, names.module(leaf), slice, nanos);
        }
        for function in &on_stack.of_app {
            into.add_to_slice(Subject::FunctionTotal, names.function(*function), slice, nanos);
        }
    }
}

/// Adds the time of threads by state, apart from idle and unsampled time.
pub fn add_states(time: &ThreadTime, into: &mut Collector) {
    for (_, thread, index) in time.counted() {
        let at = thread.time(index);
        thread.for_each_state(index, |state, nanos| {
            let state = ThreadState::from_u8(state);
            let shown = state.filter(|state| ![ThreadState::Idle, ThreadState::NotSampled].contains(state));
            if let Some(state) = shown {
                into.add(Subject::ThreadState, state.name(), at, nanos as f64);
            }
        });
    }
}

impl OnStack {
    fn of(store: &Store, stack: StackId) -> Self {
        let leaf = working_leaf(store, stack);
        let mut of_app = Vec::new();
        app_functions(store, stack, &mut of_app);
        Self { leaf, of_app }
    }
}

/// Comparable names of functions.
struct Names<'s> {
    store: &'s Store,
    names: FastMap<FunctionId, String>,
}

impl Names<'_> {
    fn function(&mut self, id: FunctionId) -> &str {
        let store = self.store;
        self.names.entry(id).or_insert_with(|| match store.functions.get(id) {
            Some(function) if !function.is_unresolved && !store.function_name(id).is_empty() => {
                comparable_name(store.function_name(id))
            }
            // Addresses differ in every run.
            function => unresolved_name(function.map_or("", |function| store.strings.get(function.module))),
        })
    }

    fn module(&self, id: FunctionId) -> &str {
        let module = self.store.functions.get(id).map_or("", |function| self.store.strings.get(function.module));
        if module.is_empty() { "(unknown module)" } else { module }
    }
}
