//! Async methods that start or continue one another, as one chain without runtime frames in between.
//!
//! An async method consists of two functions: the one that the app calls, and the state machine that it starts. Here
//! both become one frame. If the end of a method lets its awaiter continue on the same stack, a link separates them.

use super::TransformedCallPaths;
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::analysis::stacks::frames::{Frames, class};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};

/// Link between an async method that ended and the one that awaited it.
const AWAITED_BY: &str = "(awaited by)";

/// Role of a frame in running an async method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// No role.
    None,
    /// The runtime starts a state machine.
    Starts,
    /// The runtime completes a state machine, or continues another one.
    Resumes,
    Machine,
}

/// Paths from one async method to the next.
struct Way {
    /// By node: nearest caller that isn't runtime code between two async methods.
    from: Vec<CallNodeId>,
    /// By node: true if a method was completed on the way.
    is_resumed: Vec<bool>,
    /// By node: true for such runtime code on the way to a state machine.
    is_between: Vec<bool>,
}

/// Joins the async methods of these paths into chains.
pub(crate) fn chained(store: &Store, nodes: &CallNodes, frames: &mut Frames) -> TransformedCallPaths {
    let parts: Vec<Part> = (0..store.functions.len() as u32).map(|id| part(store, FunctionId(id))).collect();
    let part = |node: CallNodeId| nodes.function(node).and_then(|frame| parts.get(frame.index())).copied();
    let part = |node: CallNodeId| part(node).unwrap_or(Part::None);
    let way = way(nodes, &part);
    let machines = machines_of(store, nodes, &part, &way);
    let link = frames.link(AWAITED_BY);
    let mut builder = CallNodeBuilder::default();
    let mut places = vec![CallNodes::ROOT; nodes.len()];
    for node in (1..nodes.len() as u32).map(CallNodeId) {
        let above = places[nodes.parent(node).index()];
        let Some(frame) = nodes.function(node).filter(|_| !way.is_between[node.index()]) else {
            places[node.index()] = above;
            continue;
        };
        let shown = machines.get(&frame).copied().unwrap_or(frame);
        let from = way.from[node.index()];
        let is_reached = part(node) == Part::Machine && from != nodes.parent(node);
        let is_async =
            |node| part(node) == Part::Machine || nodes.function(node).is_some_and(|of| machines.contains_key(&of));
        places[node.index()] = match (is_reached, way.is_resumed[node.index()]) {
            (true, false) if builder.function(above) == Some(shown) => above,
            (true, true) if is_async(from) => {
                let linked = builder.child(above, link);
                builder.child(linked, shown)
            }
            _ => builder.child(above, shown),
        };
    }
    TransformedCallPaths::of_places(builder.finish(), places)
}

fn way(nodes: &CallNodes, part: &dyn Fn(CallNodeId) -> Part) -> Way {
    let is_work = |node| matches!(part(node), Part::Starts | Part::Resumes);
    let (mut from, mut is_resumed) = (vec![CallNodes::ROOT; nodes.len()], vec![false; nodes.len()]);
    for node in (1..nodes.len() as u32).map(CallNodeId) {
        let caller = nodes.parent(node);
        let is_on_the_way = is_work(caller);
        from[node.index()] = if is_on_the_way { from[caller.index()] } else { caller };
        // A method completed by a caller was also completed for its callees.
        is_resumed[node.index()] = is_on_the_way && (part(caller) == Part::Resumes || is_resumed[caller.index()]);
    }
    let mut is_between = vec![false; nodes.len()];
    for node in (1..nodes.len() as u32).map(CallNodeId).rev() {
        let caller = nodes.parent(node);
        if is_work(caller) && (is_between[node.index()] || part(node) == Part::Machine) {
            is_between[caller.index()] = true;
        }
    }
    Way { from, is_resumed, is_between }
}

/// Returns, by function, the state machine that it starts and that has its name.
fn machines_of(
    store: &Store,
    nodes: &CallNodes,
    part: &dyn Fn(CallNodeId) -> Part,
    way: &Way,
) -> FastMap<FunctionId, FunctionId> {
    let name = |function: FunctionId| {
        let name = store.function_name(function);
        name.split(['(', '<']).next().unwrap_or_default().trim_end()
    };
    let mut machines = FastMap::default();
    for node in (1..nodes.len() as u32).map(CallNodeId) {
        let from = way.from[node.index()];
        let is_started = part(node) == Part::Machine && from != nodes.parent(node) && !way.is_resumed[node.index()];
        let Some(pair) = nodes.function(from).zip(nodes.function(node)).filter(|_| is_started) else { continue };
        if part(from) == Part::None && !name(pair.0).is_empty() && name(pair.0) == name(pair.1) {
            machines.insert(pair.0, pair.1);
        }
    }
    machines
}

fn part(store: &Store, function: FunctionId) -> Part {
    let Some(found) = store.functions.get(function) else { return Part::None };
    part_of(store.strings.get(found.raw_name))
}

/// Returns the role of a function by its raw name `module!Namespace.Type.Method(signature)`.
fn part_of(raw_name: &str) -> Part {
    let class = class(raw_name);
    let path = raw_name.split_once('!').map_or("", |(_, path)| path);
    let method = path.get(class.len() + 1..).unwrap_or_default().split('(').next().unwrap_or_default();
    // Text in brackets is an argument, where the box of a state machine has its name.
    let last_type = class.split('[').next().and_then(|class| class.rsplit_once('+')).map(|(_, last)| last);
    if method == "MoveNext" && last_type.is_some_and(is_state_machine) {
        return Part::Machine;
    }
    let outer_type = class.split(['+', '`', '[']).next().unwrap_or_default();
    if let Some(name) = outer_type.strip_prefix("System.Runtime.CompilerServices.") {
        let is_builder =
            name.starts_with("Async") && name.contains("MethodBuilder") || name.starts_with("PoolingAsync");
        let is_awaiter = name.ends_with("Awaiter") || name.ends_with("Awaitable");
        return match method {
            "Start" if is_builder => Part::Starts,
            _ if is_builder || is_awaiter => Part::Resumes,
            _ => Part::None,
        };
    }
    let is_of_task = matches!(
        outer_type,
        "System.Threading.Tasks.Task" | "System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore"
    );
    let ends_task =
        ["TrySet", "Finish", "RunContinuation", "SetResult", "SetException", "SignalCompletion", "InvokeContinuation"];
    if outer_type == "System.Threading.ExecutionContext"
        || outer_type.starts_with("System.Threading.Tasks.") && outer_type.ends_with("AwaitTaskContinuation")
        || is_of_task && ends_task.iter().any(|start| method.starts_with(start))
    {
        return Part::Resumes;
    }
    Part::None
}

/// Returns whether a name is that of a compiler-generated state machine of an async method or iterator:
/// `<LoadAsync>d__5`, `<<Main>b__0>d`, `<Load>c__async0`.
fn is_state_machine(name: &str) -> bool {
    let Some((_, rest)) = name.rsplit_once('>').filter(|_| name.starts_with('<')) else { return false };
    let rest = rest.split('`').next().unwrap_or_default();
    rest == "d" || rest.starts_with("d__") || rest.starts_with("c__async")
}

#[cfg(test)]
#[path = "await_chains_tests.rs"]
mod tests;
