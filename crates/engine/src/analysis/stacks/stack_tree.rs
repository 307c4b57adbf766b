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
}

impl TopDown {
    /// Returns a tree without a comparison.
    pub fn plain(nodes: Rc<CallNodes>, tree: Rc<CallTree>) -> Self {
        Self { nodes, tree, baseline: None, folds: Rc::default() }
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
        self.tree.heaviest_children(&self.nodes, node)
    }

    fn has_children(&self, node: CallNodeId) -> bool {
        self.tree.height(node) > 0
    }

    fn frame(&self, node: CallNodeId) -> Option<FunctionId> {
        self.nodes.function(node)
    }

    fn caller(&self, node: CallNodeId) -> Option<CallNodeId> {
        (node != CallNodes::ROOT).then(|| self.nodes.parent(node))
    }

    fn folded(&self, node: CallNodeId) -> Option<(u16, u16)> {
        self.folds.get(node.index()).copied().filter(|span| span.1 > 0)
    }

    fn inclusive(&self, node: CallNodeId) -> u64 {
        self.tree.inclusive(node)
    }

    fn exclusive(&self, node: CallNodeId) -> u64 {
        self.tree.exclusive(node)
    }

    fn of_baseline(&self, node: CallNodeId) -> Option<(u64, u64)> {
        self.baseline.as_ref().map(|tree| (tree.inclusive(node), tree.exclusive(node)))
    }

    fn value(&self, weight: u64) -> f64 {
        self.tree.value(weight)
    }

    fn state(&self, node: CallNodeId) -> u8 {
        self.tree.states.of(node)
    }
}
