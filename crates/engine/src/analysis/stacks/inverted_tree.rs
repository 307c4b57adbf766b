//! Inverted trees: callees first, callers below them, expanded on demand.
//!
//! A node of such a tree is a sequence of frames read from leaves toward roots. It stores the call nodes where the
//! sequence ends, with the weight through each; its children are their callers, grouped by frame.

use super::stack_tree::{StackTree, TopDown};
use crate::analysis::samples::call_nodes::CallNodes;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::base::sort::sort_by_key;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::ops::Range;

/// A tree from callees to callers.
pub struct InvertedTree {
    of: TopDown,
    grown: RefCell<Vec<Grown>>,
}

#[derive(Default)]
struct Grown {
    frame: Option<FunctionId>,
    /// State of the first function's exclusive time, which its callers inherit.
    state: u8,
    inclusive: Amount,
    /// Weight without a caller.
    exclusive: Amount,
    /// The call nodes where it ends, with the weight through each; empty once the children are known.
    ends: Vec<(CallNodeId, Amount)>,
    children: Option<Range<u32>>,
}

/// A weight, and the baseline's part of it.
#[derive(Clone, Copy, Default)]
struct Amount {
    weight: u64,
    baseline: u64,
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.weight = self.weight.saturating_add(other.weight);
        self.baseline = self.baseline.saturating_add(other.baseline);
    }
}

impl InvertedTree {
    /// Returns an inverted tree of which only the root is expanded.
    pub fn new(of: TopDown) -> Self {
        let (inclusive, exclusive) = of.of_baseline(CallNodes::ROOT).unwrap_or_default();
        let root = Grown {
            inclusive: Amount { weight: of.tree.total(), baseline: inclusive },
            exclusive: Amount { weight: of.exclusive(CallNodes::ROOT), baseline: exclusive },
            ..Grown::default()
        };
        Self { of, grown: RefCell::new(vec![root]) }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let grown = self.grown.borrow();
        let ends: usize = grown.iter().map(|node| node.ends.len() * size_of::<(CallNodeId, Amount)>()).sum();
        ends + grown.len() * size_of::<Grown>()
    }

    /// Returns the call nodes where the children of a node end, with the weight through each.
    fn callers(&self, node: CallNodeId, ends: Vec<(CallNodeId, Amount)>) -> Vec<(CallNodeId, Amount)> {
        let TopDown { nodes, tree, baseline, .. } = &self.of;
        if node == CallNodes::ROOT {
            let alone = |leaf: CallNodeId| Amount {
                weight: tree.exclusive(leaf),
                baseline: baseline.as_ref().map_or(0, |baseline| baseline.exclusive(leaf)),
            };
            let leaves = (0..nodes.len() as u32).map(CallNodeId).filter(|&leaf| tree.exclusive(leaf) > 0);
            return leaves.map(|leaf| (leaf, alone(leaf))).collect();
        }
        let callers = ends.into_iter().map(|(end, amount)| (nodes.parent(end), amount));
        callers.filter(|(caller, _)| *caller != CallNodes::ROOT).collect()
    }

    fn grow(&self, node: CallNodeId) -> Range<u32> {
        let mut grown = self.grown.borrow_mut();
        let Some(parent) = grown.get_mut(node.index()) else { return 0..0 };
        if let Some(children) = &parent.children {
            return children.clone();
        }
        let (ends, state) = (std::mem::take(&mut parent.ends), parent.state);
        let mut callers = self.callers(node, ends);
        // Several leaves may have the same caller.
        callers.sort_unstable_by_key(|(caller, _)| *caller);
        callers.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1.add(later.1);
            }
            is_same
        });
        let mut by_frame: FastMap<FunctionId, usize> = FastMap::default();
        let mut children: Vec<Grown> = Vec::new();
        let nodes = &self.of.nodes;
        for (caller, amount) in callers {
            let Some(frame) = self.of.leaf_frame(caller) else { continue };
            let at = *by_frame.entry(frame).or_insert(children.len());
            if at == children.len() {
                children.push(Grown { frame: Some(frame), state, ..Grown::default() });
            }
            let child = &mut children[at];
            child.inclusive.add(amount);
            if nodes.parent(caller) == CallNodes::ROOT {
                child.exclusive.add(amount);
            }
            child.ends.push((caller, amount));
        }
        if node == CallNodes::ROOT {
            for child in &mut children {
                child.state = self.of.tree.states.alone(|leaf| self.of.leaf_frame(leaf) == child.frame);
            }
        }
        sort_by_key(&mut children, |child| (Reverse(child.inclusive.weight), child.frame));
        let first = grown.len() as u32;
        let range = first..first + children.len() as u32;
        grown.extend(children);
        grown[node.index()].children = Some(range.clone());
        range
    }

    fn with<T: Default>(&self, node: CallNodeId, read: impl Fn(&Grown) -> T) -> T {
        self.grown.borrow().get(node.index()).map(read).unwrap_or_default()
    }
}

impl StackTree for InvertedTree {
    fn children(&self, node: CallNodeId) -> Vec<CallNodeId> {
        self.grow(node).map(CallNodeId).collect()
    }

    fn has_children(&self, node: CallNodeId) -> bool {
        self.with(node, |node| node.inclusive.weight > node.exclusive.weight)
    }

    fn frame(&self, node: CallNodeId) -> Option<FunctionId> {
        self.with(node, |node| node.frame)
    }

    fn inclusive(&self, node: CallNodeId) -> u64 {
        self.with(node, |node| node.inclusive.weight)
    }

    fn exclusive(&self, node: CallNodeId) -> u64 {
        self.with(node, |node| node.exclusive.weight)
    }

    fn of_baseline(&self, node: CallNodeId) -> Option<(u64, u64)> {
        self.of.baseline.as_ref()?;
        Some(self.with(node, |node| (node.inclusive.baseline, node.exclusive.baseline)))
    }

    fn value(&self, weight: u64) -> f64 {
        self.of.value(weight)
    }

    fn state(&self, node: CallNodeId) -> u8 {
        match node {
            CallNodes::ROOT => self.of.state(node),
            _ => self.with(node, |node| node.state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::CallNodeBuilder;
    use crate::analysis::stacks::call_tree::CallTree;
    use crate::analysis::stacks::call_tree::tests::{any_stacks, tree_of, tree_of_owned};
    use crate::analysis::stacks::stack_tree::node_at;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn inverted(nodes: CallNodes, tree: CallTree) -> InvertedTree {
        InvertedTree::new(TopDown::plain(nodes.into(), tree.into()))
    }

    #[test]
    fn inverted_tree_has_callers_below_callees() {
        let (nodes, tree) = tree_of(&[(&[1, 2, 3], 5), (&[4, 3], 7), (&[3], 1), (&[1, 2], 2), (&[], 4)]);
        let tree = inverted(nodes, tree);
        let frames =
            |node| tree.children(node).into_iter().map(|child| (tree.frame(child).unwrap().0, tree.inclusive(child)));
        assert_eq!(frames(CallNodes::ROOT).collect::<Vec<_>>(), [(3, 13), (2, 2)]);
        let three = node_at(&tree, &[FunctionId(3)]).unwrap();
        assert_eq!((frames(three).collect::<Vec<_>>(), tree.exclusive(three)), (vec![(4, 7), (2, 5)], 1));
        assert_eq!((tree.inclusive(CallNodes::ROOT), tree.exclusive(CallNodes::ROOT)), (19, 4));
        assert!(node_at(&tree, &[FunctionId(3), FunctionId(9)]).is_none());
        let root_of_two = node_at(&tree, &[3, 2, 1].map(FunctionId)).unwrap();
        assert!(!tree.has_children(root_of_two) && tree.children(root_of_two).is_empty());
    }

    /// Returns all paths of a tree with their exclusive weights.
    fn paths(tree: &dyn StackTree) -> BTreeMap<Vec<u32>, u64> {
        let mut open = vec![(CallNodes::ROOT, Vec::new())];
        let mut paths = BTreeMap::new();
        while let Some((node, path)) = open.pop() {
            if tree.exclusive(node) > 0 {
                paths.insert(path.clone(), tree.exclusive(node));
            }
            for child in tree.children(node) {
                let frame = tree.frame(child).unwrap().0;
                open.push((child, path.iter().copied().chain([frame]).collect()));
            }
        }
        paths
    }

    fn inverted_again(paths: &BTreeMap<Vec<u32>, u64>) -> InvertedTree {
        let mut builder = CallNodeBuilder::default();
        let mut leaves = Vec::new();
        for (path, weight) in paths {
            let leaf = path.iter().fold(CallNodes::ROOT, |node, &frame| builder.child(node, FunctionId(frame)));
            leaves.push((leaf, *weight));
        }
        let nodes = builder.finish();
        let mut exclusive = vec![0; nodes.len()];
        leaves.iter().for_each(|(leaf, weight)| exclusive[leaf.index()] += weight);
        let tree = CallTree::from_exclusive(&nodes, exclusive);
        inverted(nodes, tree)
    }

    proptest! {
        #[test]
        fn tree_inverted_twice_is_unchanged(stacks in any_stacks()) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let mut expected: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for (stack, weight) in stacks.iter().filter(|(_, weight)| *weight > 0) {
                *expected.entry(stack.clone()).or_default() += weight;
            }
            let total = tree.total();
            let once = inverted(nodes, tree);
            let of_once = paths(&once);
            prop_assert_eq!(of_once.values().sum::<u64>(), total);
            for (path, weight) in &of_once {
                let turned: Vec<u32> = path.iter().rev().copied().collect();
                prop_assert_eq!(expected.get(&turned), Some(weight));
            }
            prop_assert_eq!(paths(&inverted_again(&of_once)), expected);
        }

        #[test]
        fn inverted_node_weight_is_sum_of_callers_and_own(stacks in any_stacks()) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let tree = inverted(nodes, tree);
            let mut open = vec![CallNodes::ROOT];
            while let Some(node) = open.pop() {
                let children = tree.children(node);
                let below: u64 = children.iter().map(|&child| tree.inclusive(child)).sum();
                prop_assert_eq!(tree.inclusive(node), below + tree.exclusive(node));
                prop_assert_eq!(tree.has_children(node), !children.is_empty());
                open.extend(children);
            }
        }
    }
}
