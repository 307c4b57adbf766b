//! Thread states by node of a call tree: the state in which most of its time was spent.

use super::sample_choice::ChosenSamples;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::thread_samples::ThreadSamples;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::base::sort::sort_by_key;
use protocol::request::{SampleChoice, Weight};
use protocol::tables::state;
use protocol::timeline::thread_state::{Activity, ThreadState};
use std::rc::Rc;

/// A part of a node's exclusive weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    node: CallNodeId,
    /// One of [`state`].
    state: u8,
    weight: u64,
}

/// Exclusive weights of nodes by state.
#[derive(Clone, Debug, Default)]
pub struct StateWeights(FastMap<(CallNodeId, u8), u64>);

impl StateWeights {
    /// Adds a sample whose path ends at a node.
    pub fn add(&mut self, chosen: &ChosenSamples<'_>, thread: &ThreadSamples, index: usize, node: CallNodeId) {
        let mut push = |state: u8, weight: u64| {
            let sum = self.0.entry((node, state)).or_default();
            *sum = sum.saturating_add(weight);
        };
        match (thread.state(index, None), chosen.weight) {
            (None, _) => {}
            (Some(_), Weight::Time) => {
                let wanted = chosen.samples.activity();
                thread.for_each_state(index, |state, nanos| {
                    let activity = ThreadState::from_u8(state).and_then(ThreadState::activity);
                    let is_excluded = chosen.samples == SampleChoice::NotIdle && activity == Some(Activity::Idle);
                    if wanted.is_none_or(|wanted| activity == Some(wanted)) && !is_excluded {
                        push(state, nanos.max(0) as u64);
                    }
                });
            }
            (Some(state), _) => push(state as u8, 1),
        }
    }

    /// Returns the states of the nodes of a tree.
    pub fn finish(self, nodes: &CallNodes) -> NodeStates {
        let parts = self.0.into_iter().map(|((node, state), weight)| Part { node, state, weight });
        NodeStates::new(nodes, parts.collect())
    }
}

/// The state of each node of a call tree for most of its time, including callees.
#[derive(Clone, Debug, Default)]
pub struct NodeStates {
    parts: Rc<Vec<Part>>,
    /// By node; empty if unknown.
    longest: Vec<u8>,
}

impl NodeStates {
    fn new(nodes: &CallNodes, mut parts: Vec<Part>) -> Self {
        if parts.is_empty() {
            return Self::default();
        }
        sort_by_key(&mut parts, |part| (part.state, part.node));
        let mut longest = vec![0u8; nodes.len()];
        let mut most = vec![0u64; nodes.len()];
        for of_state in parts.chunk_by(|one, next| one.state == next.state) {
            let mut inclusive = vec![0u64; nodes.len()];
            for part in of_state {
                if let Some(sum) = inclusive.get_mut(part.node.index()) {
                    *sum = sum.saturating_add(part.weight);
                }
            }
            for node in (1..nodes.len()).rev() {
                let parent = nodes.parent(CallNodeId(node as u32)).index();
                inclusive[parent] = inclusive[parent].saturating_add(inclusive[node]);
            }
            for (node, weight) in inclusive.into_iter().enumerate().filter(|(_, weight)| *weight > 0) {
                if weight > most[node] {
                    (most[node], longest[node]) = (weight, of_state[0].state);
                }
            }
        }
        Self { parts: parts.into(), longest }
    }

    /// Returns the states of other paths to which these nodes were mapped.
    pub fn placed(&self, nodes: &CallNodes, place: impl Fn(CallNodeId) -> Option<CallNodeId>) -> Self {
        let placed = self.parts.iter().filter_map(|part| Some(Part { node: place(part.node)?, ..*part }));
        Self::new(nodes, placed.collect())
    }

    /// Returns one of [`state`]; 0 if unknown.
    pub fn of(&self, node: CallNodeId) -> u8 {
        self.longest.get(node.index()).copied().unwrap_or(0)
    }

    /// Returns the state of most exclusive time of the wanted nodes.
    pub fn alone(&self, is_wanted: impl Fn(CallNodeId) -> bool) -> u8 {
        let mut sums = [0u64; state::COUNT];
        for part in self.parts.iter().filter(|part| is_wanted(part.node)) {
            if let Some(sum) = sums.get_mut(usize::from(part.state)) {
                *sum = sum.saturating_add(part.weight);
            }
        }
        longest(sums)
    }

    /// Returns the state of most of the time of each function's nodes, weighted by `inclusive`: that of its widest frames.
    pub fn by_function(&self, nodes: &CallNodes, inclusive: impl Fn(CallNodeId) -> u64) -> FastMap<FunctionId, u8> {
        let mut sums: FastMap<FunctionId, [u64; state::COUNT]> = FastMap::default();
        for (node, state) in (0..).map(CallNodeId).zip(&self.longest) {
            let Some(function) = nodes.function(node) else { continue };
            if let Some(sum) = sums.entry(function).or_default().get_mut(usize::from(*state)) {
                *sum = sum.saturating_add(inclusive(node));
            }
        }
        sums.into_iter().map(|(function, sums)| (function, longest(sums))).collect()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.parts.len() * size_of::<Part>() + self.longest.len()
    }
}

/// Returns the state with the largest weight; 0 if all are 0.
fn longest(sums: [u64; state::COUNT]) -> u8 {
    let longest = (0u8..).zip(sums).max_by_key(|(state, weight)| (*weight, u8::MAX - state));
    longest.filter(|(_, weight)| *weight > 0).map_or(0, |(state, _)| state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::tests::nodes_of;

    #[test]
    fn node_state_is_state_of_most_time() {
        let (nodes, leaves) = nodes_of(&[&[1, 2], &[1, 3], &[4]]);
        let [two, three, four] = [0, 1, 2].map(|at: usize| nodes.of_stack(leaves[at]));
        let part = |node, state, weight| Part { node, state, weight };
        let parts = vec![
            part(two, state::LOCK, 50),
            part(two, state::MANAGED, 10),
            part(three, state::MANAGED, 30),
            part(four, state::IDLE, 200),
        ];
        let states = NodeStates::new(&nodes, parts);
        assert_eq!([two, three, four].map(|node| states.of(node)), [state::LOCK, state::MANAGED, state::IDLE]);
        assert_eq!((states.of(nodes.parent(two)), states.of(CallNodes::ROOT)), (state::LOCK, state::IDLE));
        let placed = states.placed(&nodes, |node| (node != four).then_some(three));
        assert_eq!((placed.of(two), placed.of(three), placed.of(CallNodes::ROOT)), (0, state::LOCK, state::LOCK));
        assert_eq!((states.alone(|node| node == three), states.alone(|_| false)), (state::MANAGED, 0));
        let of_function = states.by_function(&nodes, |_| 1);
        let expected = [(1, state::LOCK), (2, state::LOCK), (3, state::MANAGED), (4, state::IDLE)];
        assert!(expected.iter().all(|(function, state)| of_function.get(&FunctionId(*function)) == Some(state)));
    }
}
