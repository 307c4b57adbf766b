//! Interface of call trees, top-down or inverted, for flame graphs and tables.

use super::call_tree::CallTree;
use crate::analysis::samples::call_nodes::CallNodes;
use protocol::base::ids::{CallNodeId, FunctionId};
use std::rc::Rc;

/// A tree of weighted frames. The root is [`CallNodes::ROOT`].
pub trait StackTree {
    /// Returns the children with weight, heaviest first; empty for a node that doesn't exist.
    fn children(&self, node: CallNodeId) -> Vec<CallNodeId>;

    /// Returns whether a node has children with weight.
    fn has_children(&self, node: CallNodeId) -> bool;

    /// Returns the frame; `None` for the root.
    fn frame(&self, node: CallNodeId) -> Option<FunctionId>;

    /// Returns the caller of a node, in trees whose nodes have one.
    fn caller(&self, _node: CallNodeId) -> Option<CallNodeId> {
        None
    }

    /// Returns the minimum and maximum number of frames that a node represents; `None` for one.
    fn folded(&self, _node: CallNodeId) -> Option<(u16, u16)> {
        None
    }

    /// Returns the weight including children.
    fn inclusive(&self, node: CallNodeId) -> u64;

    /// Returns the weight excluding children.
    fn exclusive(&self, node: CallNodeId) -> u64;

    /// Returns the baseline's part of the weights including and excluding children; `None` without a comparison.
    fn of_baseline(&self, node: CallNodeId) -> Option<(u64, u64)>;

    /// Returns a weight as a number for display.
    fn value(&self, weight: u64) -> f64;

    /// Returns the thread state of most of a node's time, one of [`protocol::tables::state`]; 0 if unknown.
    fn state(&self, node: CallNodeId) -> u8;
}

/// Returns the node at the end of a path from the root.
pub fn node_at(tree: &dyn StackTree, path: &[FunctionId]) -> Option<CallNodeId> {
    path.iter().try_fold(CallNodes::ROOT, |node, &frame| {
        tree.children(node).into_iter().find(|&child| tree.frame(child) == Some(frame)) //
    })
}

/// Returns the path that follows the heaviest child from the root, with at most `max_depth` nodes.
pub fn hot_path(tree: &dyn StackTree, max_depth: u16) -> Vec<CallNodeId> {
    let heaviest = |node: CallNodeId| tree.children(node).first().copied();
    std::iter::successors(heaviest(CallNodes::ROOT), |&node| heaviest(node)).take(max_depth.into()).collect()
}

/// A top-down tree: callers first.
#[derive(Clone)]
pub struct TopDown {
    /// The paths.
    pub nodes: Rc<CallNodes>,
    /// Their weights, including the baseline.
    pub tree: Rc<CallTree>,
    /// The baseline's part of them; `None` without a comparison.
    pub baseline: Option<Rc<CallTree>>,
    /// By node: number of frames it represents; (0, 0) for one. Empty if all represent one.
    pub folds: Rc<Vec<(u16, u16)>>,
    /// Frame below the root for the weight without a stack; `None` if only the root has that weight.
    pub no_stack: Option<FunctionId>,
}

impl TopDown {
    /// Returns a tree without a comparison.
    pub fn plain(nodes: Rc<CallNodes>, tree: Rc<CallTree>) -> Self {
        Self { nodes, tree, baseline: None, folds: Rc::default(), no_stack: None }
    }

    /// Returns the tree with a frame for the weight without a stack.
    pub fn with_no_stack(self, frame: FunctionId) -> Self {
        Self { no_stack: Some(frame), ..self }
    }

    /// Returns the node for the weight without a stack, if there is any.
    fn no_stack_node(&self) -> Option<CallNodeId> {
        let has_weight = self.no_stack.is_some() && self.tree.exclusive(CallNodes::ROOT) > 0;
        has_weight.then_some(CallNodeId(self.nodes.len() as u32))
    }

    fn is_no_stack(&self, node: CallNodeId) -> bool {
        !self.nodes.contains(node) && self.no_stack_node() == Some(node)
    }

    /// Returns the frame in which the stacks of a node end: for the root, that of the weight without a stack.
    pub fn leaf_frame(&self, node: CallNodeId) -> Option<FunctionId> {
        if node == CallNodes::ROOT { self.no_stack } else { self.nodes.function(node) }
    }

    /// Returns the tree with frames that represent several.
    pub fn with_folds(self, folds: Rc<Vec<(u16, u16)>>) -> Self {
        Self { folds, ..self }
    }

    /// Returns the memory use of its weights in bytes.
    pub fn bytes(&self) -> usize {
        self.tree.bytes() + self.baseline.as_ref().map_or(0, |tree| tree.bytes())
    }
}

impl StackTree for TopDown {
    fn children(&self, node: CallNodeId) -> Vec<CallNodeId> {
        if self.is_no_stack(node) {
            return Vec::new();
        }
        let mut children = self.tree.heaviest_children(&self.nodes, node);
        if let Some(no_stack) = self.no_stack_node().filter(|_| node == CallNodes::ROOT) {
            let weight = self.inclusive(no_stack);
            children.insert(children.partition_point(|&child| self.inclusive(child) >= weight), no_stack);
        }
        children
    }

    fn has_children(&self, node: CallNodeId) -> bool {
        match node {
            CallNodes::ROOT => self.tree.height(node) > 0 || self.no_stack_node().is_some(),
            node => !self.is_no_stack(node) && self.tree.height(node) > 0,
        }
    }

    fn frame(&self, node: CallNodeId) -> Option<FunctionId> {
        if self.is_no_stack(node) { self.no_stack } else { self.nodes.function(node) }
    }

    fn caller(&self, node: CallNodeId) -> Option<CallNodeId> {
        match node {
            CallNodes::ROOT => None,
            node if self.is_no_stack(node) => Some(CallNodes::ROOT),
            node => Some(self.nodes.parent(node)),
        }
    }

    fn folded(&self, node: CallNodeId) -> Option<(u16, u16)> {
        self.folds.get(node.index()).copied().filter(|span| span.1 > 0)
    }

    fn inclusive(&self, node: CallNodeId) -> u64 {
        if self.is_no_stack(node) { self.tree.exclusive(CallNodes::ROOT) } else { self.tree.inclusive(node) }
    }

    fn exclusive(&self, node: CallNodeId) -> u64 {
        match node {
            CallNodes::ROOT if self.no_stack.is_some() => 0,
            node if self.is_no_stack(node) => self.tree.exclusive(CallNodes::ROOT),
            node => self.tree.exclusive(node),
        }
    }

    fn of_baseline(&self, node: CallNodeId) -> Option<(u64, u64)> {
        let tree = self.baseline.as_ref()?;
        let without = tree.exclusive(CallNodes::ROOT);
        Some(match node {
            CallNodes::ROOT if self.no_stack.is_some() => (tree.inclusive(node), 0),
            node if self.is_no_stack(node) => (without, without),
            node => (tree.inclusive(node), tree.exclusive(node)),
        })
    }

    fn value(&self, weight: u64) -> f64 {
        self.tree.value(weight)
    }

    fn state(&self, node: CallNodeId) -> u8 {
        if self.is_no_stack(node) {
            return self.tree.states.alone(|leaf| leaf == CallNodes::ROOT);
        }
        self.tree.states.of(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stacks::call_tree::tests::tree_of;
    use crate::analysis::stacks::function_weights::function_weights;
    use crate::analysis::stacks::inverted_tree::InvertedTree;
    use protocol::request::FunctionOrder;

    #[test]
    fn weight_without_stack_is_a_frame() {
        const NO_STACK: FunctionId = FunctionId(9);
        let (nodes, tree) = tree_of(&[(&[1, 2], 5), (&[3], 2), (&[], 4)]);
        let tree = TopDown::plain(nodes.into(), tree.into()).with_no_stack(NO_STACK);
        let below = |tree: &dyn StackTree, node| -> Vec<(u32, u64, u64, bool)> {
            let row =
                |child| (tree.frame(child), tree.inclusive(child), tree.exclusive(child), tree.has_children(child));
            let row = |child| {
                let (frame, inclusive, exclusive, has_children) = row(child);
                (frame.map_or(0, |frame| frame.0), inclusive, exclusive, has_children)
            };
            tree.children(node).into_iter().map(row).collect()
        };
        let expected = [(1, 5, 0, true), (9, 4, 4, false), (3, 2, 2, false)];
        assert_eq!(below(&tree, CallNodes::ROOT), expected, "the heaviest first");
        assert_eq!((tree.inclusive(CallNodes::ROOT), tree.exclusive(CallNodes::ROOT)), (11, 0));
        let node = node_at(&tree, &[NO_STACK]).expect("the frame");
        assert_eq!((tree.children(node), tree.caller(node)), (Vec::new(), Some(CallNodes::ROOT)));
        let weights = function_weights(&tree, FunctionOrder::Exclusive);
        let sums: Vec<_> = weights.iter().map(|one| (one.function.0, one.exclusive)).collect();
        assert_eq!(sums, [(2, 5), (9, 4), (3, 2), (1, 0)]);
        let inverted = InvertedTree::new(tree);
        assert_eq!(below(&inverted, CallNodes::ROOT), [(2, 5, 0, true), (9, 4, 4, false), (3, 2, 2, false)]);
        assert_eq!(inverted.exclusive(CallNodes::ROOT), 0);
        let (nodes, tree) = tree_of(&[(&[1], 5)]);
        let tree = TopDown::plain(nodes.into(), tree.into()).with_no_stack(NO_STACK);
        assert_eq!(below(&tree, CallNodes::ROOT), [(1, 5, 5, false)], "every stack has frames");
    }
}
