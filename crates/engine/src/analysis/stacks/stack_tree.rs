//! What flame graphs and tables need of a tree, whichever way round it is.

use super::call_tree::CallTree;
use crate::analysis::samples::call_nodes::CallNodes;
use protocol::base::ids::{CallNodeId, FunctionId};
use std::rc::Rc;

/// A tree of weighed frames. The root is [`CallNodes::ROOT`].
pub trait StackTree {
    /// The children that have weight, heaviest first; none of a node that does not exist.
    fn children(&self, node: CallNodeId) -> Vec<CallNodeId>;

    /// Whether there are children.
    fn has_children(&self, node: CallNodeId) -> bool;

    /// The frame; none of the root.
    fn frame(&self, node: CallNodeId) -> Option<FunctionId>;

    /// The caller of a node, as far as nodes have one.
    fn caller(&self, _node: CallNodeId) -> Option<CallNodeId> {
        None
    }

    /// How many frames a node stands for, the fewest and the most; none if it is one.
    fn folded(&self, _node: CallNodeId) -> Option<(u16, u16)> {
        None
    }

    /// Weight with the children.
    fn inclusive(&self, node: CallNodeId) -> u64;

    /// Weight without them.
    fn exclusive(&self, node: CallNodeId) -> u64;

    /// What of both weights, with the children and without, is the baseline's; none if nothing is compared.
    fn of_baseline(&self, node: CallNodeId) -> Option<(u64, u64)>;

    /// A weight as a number for people.
    fn value(&self, weight: u64) -> f64;

    /// What threads did for most of the time of a node, one of [`protocol::tables::state`]; 0 if nothing is known.
    fn state(&self, node: CallNodeId) -> u8;
}

/// The node that frames lead to from the root.
pub fn node_at(tree: &dyn StackTree, path: &[FunctionId]) -> Option<CallNodeId> {
    path.iter().try_fold(CallNodes::ROOT, |node, &frame| {
        tree.children(node).into_iter().find(|&child| tree.frame(child) == Some(frame)) //
    })
}

/// The path from the root that follows the heaviest child, at most so many nodes.
pub fn hot_path(tree: &dyn StackTree, max_depth: u16) -> Vec<CallNodeId> {
    let heaviest = |node: CallNodeId| tree.children(node).first().copied();
    std::iter::successors(heaviest(CallNodes::ROOT), |&node| heaviest(node)).take(max_depth.into()).collect()
}

/// Callers first.
#[derive(Clone)]
pub struct TopDown {
    /// The paths.
    pub nodes: Rc<CallNodes>,
    /// What they weigh; the baseline included.
    pub tree: Rc<CallTree>,
    /// What of it is the baseline's; none if nothing is compared.
    pub baseline: Option<Rc<CallTree>>,
    /// By node how many frames it stands for; (0, 0) for one. Empty if all are one.
    pub folds: Rc<Vec<(u16, u16)>>,
}

impl TopDown {
    /// A tree that is not compared with anything.
    pub fn plain(nodes: Rc<CallNodes>, tree: Rc<CallTree>) -> Self {
        Self { nodes, tree, baseline: None, folds: Rc::default() }
    }

    /// The same of which some frames stand for several.
    pub fn with_folds(self, folds: Rc<Vec<(u16, u16)>>) -> Self {
        Self { folds, ..self }
    }

    /// Bytes that its weights hold.
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
        self.tree.states().of(node)
    }
}
