//! Functions on a thread's stack over time, from samples, as functions that open and close.
//!
//! A sample represents the time of its weight ([`ThreadSamples::weight`]). If the next sample follows without a gap and
//! has the same outermost functions, these stay open; a gap, another function or another depth closes them.

use super::sample_choice::ChosenSamples;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::thread_samples::ThreadSamples;
use protocol::base::ids::{CallNodeId, FunctionId};

/// A function opens or closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackChange {
    /// Nanoseconds since the sync point.
    pub at: i64,
    pub opens: bool,
    /// The function; `None` for a sample without a stack.
    pub function: Option<FunctionId>,
}

/// Returns the changes of one thread's stack in the selected samples: balanced, nested, in time order.
pub fn stack_changes(samples: &ThreadSamples, nodes: &CallNodes, chosen: ChosenSamples) -> Vec<StackChange> {
    let mut changes = Vec::new();
    // The open leaf, and the end of its last sample.
    let mut open: Option<(CallNodeId, i64)> = None;
    for index in chosen.of(samples) {
        let (start, leaf) = (samples.time(index), nodes.of_stack(samples.stack(index)));
        let end = start.saturating_add(samples.weight(index).max(0));
        let stays = match open {
            Some((node, until)) => {
                let is_empty = [node, leaf].map(|node| node == CallNodes::ROOT);
                let stays = match is_empty {
                    _ if until < start => None,
                    [false, false] => Some(nodes.common_ancestor(node, leaf)).filter(|&node| node != CallNodes::ROOT),
                    [true, true] => Some(node),
                    _ => None,
                };
                close(&mut changes, nodes, node, stays, until);
                stays
            }
            None => None,
        };
        let first = changes.len();
        changes.extend(path(nodes, leaf, stays).map(|node| change(nodes, node, true, start)));
        changes[first..].reverse();
        open = Some((leaf, end));
    }
    if let Some((node, until)) = open {
        close(&mut changes, nodes, node, None, until);
    }
    changes
}

fn close(changes: &mut Vec<StackChange>, nodes: &CallNodes, leaf: CallNodeId, stays: Option<CallNodeId>, at: i64) {
    changes.extend(path(nodes, leaf, stays).map(|node| change(nodes, node, false, at)));
}

fn change(nodes: &CallNodes, node: CallNodeId, opens: bool, at: i64) -> StackChange {
    StackChange { at, opens, function: nodes.function(node) }
}

/// Returns the path from a leaf to the root, or to just before `stays`. A stack without functions is the root alone.
fn path(nodes: &CallNodes, leaf: CallNodeId, stays: Option<CallNodeId>) -> impl Iterator<Item = CallNodeId> + '_ {
    let outer = move |node: CallNodeId| Some(nodes.parent(node)).filter(|&parent| parent != CallNodes::ROOT);
    std::iter::successors(Some(leaf), move |&node| outer(node)).take_while(move |&node| Some(node) != stays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::scan::selection::Selection;
    use crate::analysis::stacks::tree_query::call_nodes;
    use crate::analysis::testing::{Happening, What, store_of};
    use protocol::request::{SampleChoice, Weight};

    /// Returns the changes of the only thread: `+2@10` opens method 2 at 10, `-2@20` closes it.
    fn changes(samples: &[(i64, bool, &[u64])], only_managed: bool) -> Vec<String> {
        let happening = |&(at, managed, stack): &(i64, bool, &[u64])| -> Happening {
            (at, 5, What::Sample(managed, stack.to_vec())) //
        };
        let (store, _) = store_of(&samples.iter().map(happening).collect::<Vec<_>>());
        let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
        let (_, thread) = samples.iter().next().expect("a thread with samples");
        let name = |function: Option<FunctionId>| {
            let function = function.and_then(|function| store.functions.get(function));
            let name = function.map_or("nothing", |function| store.strings.get(function.name));
            name.trim_start_matches("Shop.M").trim_end_matches("()").to_owned()
        };
        let text = |change: StackChange| {
            format!("{}{}@{}", if change.opens { '+' } else { '-' }, name(change.function), change.at)
        };
        let choice = if only_managed { SampleChoice::Managed } else { SampleChoice::All };
        let selection = Selection::of_range(0..store.events.len(), store.events.len());
        let chosen = ChosenSamples::new(&selection, choice, &Weight::Time);
        stack_changes(thread, &nodes, chosen).into_iter().map(text).collect()
    }

    /// R6.2: functions on consecutive samples open once.
    #[test]
    fn consecutive_functions_stay_open() {
        let found =
            changes(&[(0, true, &[1, 2]), (10, true, &[1, 2]), (20, true, &[1, 2, 3]), (30, true, &[1])], false);
        assert_eq!(found, ["+1@0", "+2@0", "+3@20", "-3@30", "-2@30", "-1@30"]);
    }

    /// R6.3: a gap, another depth or another function closes open functions.
    #[test]
    fn gap_or_other_function_closes_functions() {
        let gap = [(0, true, &[1][..]), (10, true, &[1]), (20, true, &[1]), (1000, true, &[1])];
        assert_eq!(changes(&gap, false), ["+1@0", "-1@70", "+1@1000", "-1@1000"]);
        let depth = [(0, true, &[1, 2][..]), (10, true, &[2]), (20, true, &[2])];
        assert_eq!(changes(&depth, false), ["+1@0", "+2@0", "-2@10", "-1@10", "+2@10", "-2@20"]);
        let function = [(0, true, &[1, 2][..]), (10, true, &[1, 3]), (20, true, &[1, 3])];
        assert_eq!(changes(&function, false), ["+1@0", "+2@0", "-2@10", "+3@10", "-3@20", "-1@20"]);
    }

    #[test]
    fn samples_without_stack_are_open_and_external_ones_are_optional() {
        let samples = [(0, true, &[1][..]), (10, false, &[]), (20, false, &[]), (30, true, &[1]), (40, true, &[1])];
        assert_eq!(changes(&samples, false), ["+1@0", "-1@10", "+nothing@10", "-nothing@30", "+1@30", "-1@40"]);
        assert_eq!(changes(&samples, true), ["+1@0", "-1@10", "+1@30", "-1@40"]);
    }
}
