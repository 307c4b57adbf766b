//! Call trees: the weights of selected samples by call node.

use super::node_states::NodeStates;
use crate::analysis::samples::call_nodes::CallNodes;
use protocol::base::ids::CallNodeId;
use protocol::base::sort::sort_by_key;

/// Weights by call node, in samples or nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    exclusive: Vec<u64>,
    inclusive: Vec<u64>,
    height: Vec<u32>,
    /// Number of fractions in one.
    pub per_one: u64,
    /// Thread states by node.
    pub states: NodeStates,
}

impl CallTree {
    /// Sums subtrees. `exclusive` is the weight of each call node's own samples.
    pub fn from_exclusive(nodes: &CallNodes, exclusive: Vec<u64>) -> Self {
        let mut inclusive = exclusive.clone();
        let mut height = vec![0u32; exclusive.len()];
        for node in (1..exclusive.len()).rev() {
            if inclusive[node] > 0 {
                let parent = nodes.parent(CallNodeId(node as u32)).index();
                inclusive[parent] = inclusive[parent].saturating_add(inclusive[node]);
                height[parent] = height[parent].max(height[node] + 1);
            }
        }
        Self { exclusive, inclusive, height, per_one: 1, states: NodeStates::default() }
    }

    /// Returns the exclusive weights by node.
    pub fn of_nodes(&self) -> &[u64] {
        &self.exclusive
    }

    /// Returns the tree with weights in the fractions of another tree.
    pub fn in_fractions_of(self, other: &Self) -> Self {
        self.in_fractions(other.per_one)
    }

    /// Returns the tree with weights in this many fractions of one.
    pub fn in_fractions(self, per_one: u64) -> Self {
        Self { per_one: per_one.max(1), ..self }
    }

    /// Returns the tree with thread states.
    pub fn with_states(self, states: NodeStates) -> Self {
        Self { states, ..self }
    }

    /// Returns a weight as a number for display.
    #[inline]
    pub fn value(&self, weight: u64) -> f64 {
        weight as f64 / self.per_one as f64
    }

    /// Returns the weight of the whole tree.
    pub fn total(&self) -> u64 {
        self.inclusive.first().copied().unwrap_or(0)
    }

    /// Returns the weight of a node without its callees.
    #[inline]
    pub fn exclusive(&self, node: CallNodeId) -> u64 {
        self.exclusive[node.index()]
    }

    /// Returns the weight of a node with its callees.
    #[inline]
    pub fn inclusive(&self, node: CallNodeId) -> u64 {
        self.inclusive[node.index()]
    }

    /// Returns the number of levels with weight below a node.
    pub fn height(&self, node: CallNodeId) -> u32 {
        self.height[node.index()]
    }

    /// Returns the callees with weight, heaviest first.
    pub fn heaviest_children(&self, nodes: &CallNodes, node: CallNodeId) -> Vec<CallNodeId> {
        let mut children: Vec<CallNodeId> = nodes.children(node).filter(|&child| self.inclusive(child) > 0).collect();
        sort_by_key(&mut children, |&child| (std::cmp::Reverse(self.inclusive(child)), child));
        children
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.exclusive.len() * 20 + self.states.bytes()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::tests::nodes_of;
    use crate::analysis::stacks::stack_tree::{StackTree, TopDown, hot_path};
    use proptest::prelude::*;

    /// Returns the tree of stacks (root first) with their weights.
    pub fn tree_of(stacks: &[(&[u32], u64)]) -> (CallNodes, CallTree) {
        let paths: Vec<&[u32]> = stacks.iter().map(|stack| stack.0).collect();
        let (nodes, leaves) = nodes_of(&paths);
        let mut exclusive = vec![0; nodes.len()];
        for (leaf, stack) in leaves.iter().zip(stacks) {
            exclusive[nodes.of_stack(*leaf).index()] += stack.1;
        }
        let tree = CallTree::from_exclusive(&nodes, exclusive);
        (nodes, tree)
    }

    /// Generates a few stacks of a few functions.
    pub fn any_stacks() -> impl Strategy<Value = Vec<(Vec<u32>, u64)>> {
        proptest::collection::vec((proptest::collection::vec(0u32..6, 0..8), 0u64..100), 0..40)
    }

    /// Returns the same as [`tree_of`], for owned stacks.
    pub fn tree_of_owned(stacks: &[(Vec<u32>, u64)]) -> (CallNodes, CallTree) {
        let borrowed: Vec<(&[u32], u64)> = stacks.iter().map(|(stack, weight)| (stack.as_slice(), *weight)).collect();
        tree_of(&borrowed)
    }

    #[test]
    fn weights_sum_toward_root() {
        let (nodes, tree) = tree_of(&[(&[1, 2], 5), (&[1, 3], 7), (&[1], 1), (&[4], 0)]);
        assert_eq!(tree.total(), 13);
        let children = tree.heaviest_children(&nodes, CallNodes::ROOT);
        assert_eq!(children.len(), 1, "a node without weight is not in the tree");
        assert_eq!((tree.inclusive(children[0]), tree.exclusive(children[0])), (13, 1));
        assert_eq!(tree.height(CallNodes::ROOT), 2);
        let tree = TopDown::plain(nodes.into(), tree.into());
        let path = hot_path(&tree, 9);
        assert_eq!(path.iter().map(|&node| tree.inclusive(node)).collect::<Vec<_>>(), [13, 7]);
        assert_eq!(hot_path(&tree, 1).len(), 1);
    }

    proptest! {
        #[test]
        fn total_is_sum_of_exclusive_weights(stacks in any_stacks()) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let all = || (0..nodes.len() as u32).map(CallNodeId);
            prop_assert_eq!(tree.total(), stacks.iter().map(|stack| stack.1).sum::<u64>());
            prop_assert_eq!(tree.total(), all().map(|node| tree.exclusive(node)).sum::<u64>());
            for node in all() {
                let children: u64 = nodes.children(node).map(|child| tree.inclusive(child)).sum();
                prop_assert_eq!(tree.inclusive(node), children + tree.exclusive(node));
            }
        }
    }
}
