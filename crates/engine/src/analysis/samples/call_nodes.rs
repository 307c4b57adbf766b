//! Call nodes: every path of functions in the trace's stacks, built once.
//!
//! Stacks are trees of *frames* (addresses). Here the frames of one function become one node, so that a query only has
//! to sum weights by node. Parents come before children, so one pass backward sums subtrees.

use hashbrown::HashMap;
use protocol::base::hash::FastBuildHasher;
use protocol::base::ids::{CallNodeId, FunctionId, StackId};
use std::ops::Range;

/// All paths of functions.
#[derive(Clone, Debug, Default)]
pub struct CallNodes {
    parent: Vec<u32>,
    function: Vec<u32>,
    depth: Vec<u32>,
    /// True if the same function is closer to the root, so that the weight is already included in that node's.
    recursive: Vec<bool>,
    of_stack: Vec<u32>,
    child_start: Vec<u32>,
    children: Vec<u32>,
}

impl CallNodes {
    /// The root, which has no function.
    pub const ROOT: CallNodeId = CallNodeId(0);

    /// Builds the nodes from the stacks 1, 2, …, each with its parent (0 for a root frame, otherwise smaller than
    /// itself) and the function of its frame.
    pub fn build(stacks: impl Iterator<Item = (StackId, FunctionId)>) -> Self {
        let mut builder = CallNodeBuilder::default();
        let mut of_stack = vec![0];
        for (parent_stack, function) in stacks {
            let parent = of_stack.get(parent_stack.index()).copied().unwrap_or(0);
            of_stack.push(builder.child(CallNodeId(parent), function).0);
        }
        Self { of_stack, ..builder.finish() }
    }

    /// Returns the same paths for stacks that were mapped to other nodes, and whether each stack was excluded.
    pub fn with_stacks(&self, of_stack: impl Iterator<Item = Option<CallNodeId>>) -> (Self, Vec<bool>) {
        let places: Vec<Option<CallNodeId>> = of_stack.collect();
        let excluded = places.iter().map(Option::is_none).collect();
        let of_stack = places.iter().map(|place| place.map_or(0, |place| place.0)).collect();
        (Self { of_stack, ..self.clone() }, excluded)
    }

    /// Returns the same paths, with node numbers as stack IDs.
    pub fn with_nodes_as_stacks(&self) -> Self {
        Self { of_stack: (0..self.len() as u32).collect(), ..self.clone() }
    }

    /// Returns the nodes of the stacks 0, 1, 2 …
    pub fn of_stacks(&self) -> impl Iterator<Item = CallNodeId> + '_ {
        self.of_stack.iter().map(|&node| CallNodeId(node))
    }

    /// Returns the number of nodes, including the root.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Returns whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// Returns the node of a stack's leaf.
    #[inline]
    pub fn of_stack(&self, stack: StackId) -> CallNodeId {
        CallNodeId(self.of_stack.get(stack.index()).copied().unwrap_or(0))
    }

    /// Returns the caller; for the root, the root.
    #[inline]
    pub fn parent(&self, node: CallNodeId) -> CallNodeId {
        CallNodeId(self.parent[node.index()])
    }

    /// Returns the function; `None` for the root.
    #[inline]
    pub fn function(&self, node: CallNodeId) -> Option<FunctionId> {
        let function = self.function[node.index()];
        (function != u32::MAX).then_some(FunctionId(function))
    }

    /// Returns the number of functions on the path; 0 for the root.
    #[inline]
    pub fn depth(&self, node: CallNodeId) -> u32 {
        self.depth[node.index()]
    }

    /// Returns whether the same function is closer to the root.
    #[inline]
    pub fn is_recursive(&self, node: CallNodeId) -> bool {
        self.recursive[node.index()]
    }

    /// Returns the callees.
    pub fn children(&self, node: CallNodeId) -> impl Iterator<Item = CallNodeId> + '_ {
        self.children[self.child_range(node)].iter().map(|&child| CallNodeId(child))
    }

    /// Returns whether a node exists.
    pub fn contains(&self, node: CallNodeId) -> bool {
        node.index() < self.len()
    }

    /// Returns the nodes from a leaf to the outermost caller, without the root.
    pub fn path(&self, leaf: CallNodeId) -> impl Iterator<Item = CallNodeId> + '_ {
        let caller = |node: CallNodeId| Some(self.parent(node)).filter(|&caller| caller != Self::ROOT);
        std::iter::successors(Some(leaf).filter(|&leaf| leaf != Self::ROOT), move |&node| caller(node))
    }

    /// Returns the deepest node that both paths contain.
    pub fn common_ancestor(&self, mut a: CallNodeId, mut b: CallNodeId) -> CallNodeId {
        while self.depth(a) > self.depth(b) {
            a = self.parent(a);
        }
        while self.depth(b) > self.depth(a) {
            b = self.parent(b);
        }
        while a != b {
            a = self.parent(a);
            b = self.parent(b);
        }
        a
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        (self.parent.len() * 5 + self.of_stack.len()) * 4 + self.recursive.len()
    }

    fn child_range(&self, node: CallNodeId) -> Range<usize> {
        self.child_start[node.index()] as usize..self.child_start[node.index() + 1] as usize
    }

    /// Sorts the nodes by parent, with a counting sort.
    fn index_children(&mut self) {
        let mut start = vec![0u32; self.len() + 1];
        for &parent in &self.parent[1..] {
            start[parent as usize + 1] += 1;
        }
        for index in 1..start.len() {
            start[index] += start[index - 1];
        }
        let mut next = start.clone();
        let mut children = vec![0u32; self.len() - 1];
        for (node, &parent) in self.parent.iter().enumerate().skip(1) {
            children[next[parent as usize] as usize] = node as u32;
            next[parent as usize] += 1;
        }
        self.child_start = start;
        self.children = children;
    }

    /// Visits the tree depth-first, with a counter per function on the current path.
    fn mark_recursion(&mut self) {
        let functions = self.function[1..].iter().max().map_or(0, |&largest| largest as usize + 1);
        let mut on_path = vec![0u32; functions];
        self.recursive = vec![false; self.len()];
        let mut open: Vec<(u32, Range<usize>)> = vec![(0, self.child_range(Self::ROOT))];
        while let Some((node, rest)) = open.last_mut() {
            if let Some(position) = rest.next() {
                let child = self.children[position];
                let count = &mut on_path[self.function[child as usize] as usize];
                self.recursive[child as usize] = *count > 0;
                *count += 1;
                let range = self.child_range(CallNodeId(child));
                open.push((child, range));
            } else {
                if *node != 0 {
                    on_path[self.function[*node as usize] as usize] -= 1;
                }
                open.pop();
            }
        }
    }
}

/// Call nodes under construction.
pub struct CallNodeBuilder {
    nodes: CallNodes,
    known: HashMap<(u32, u32), u32, FastBuildHasher>,
}

impl Default for CallNodeBuilder {
    fn default() -> Self {
        let nodes = CallNodes { parent: vec![0], function: vec![u32::MAX], depth: vec![0], ..CallNodes::default() };
        Self { nodes, known: HashMap::default() }
    }
}

impl CallNodeBuilder {
    /// Returns the node of a function below its caller, and adds it if needed.
    pub fn child(&mut self, parent: CallNodeId, function: FunctionId) -> CallNodeId {
        let nodes = &mut self.nodes;
        let next = nodes.parent.len() as u32;
        let node = *self.known.entry((parent.0, function.0)).or_insert(next);
        if node == next {
            nodes.parent.push(parent.0);
            nodes.function.push(function.0);
            nodes.depth.push(nodes.depth[parent.index()] + 1);
        }
        CallNodeId(node)
    }

    /// Returns the function of a node; `None` for the root.
    pub fn function(&self, node: CallNodeId) -> Option<FunctionId> {
        self.nodes.function(node)
    }

    /// Returns the caller of a node; for the root, the root.
    pub fn parent(&self, node: CallNodeId) -> CallNodeId {
        self.nodes.parent(node)
    }

    /// Returns the nearest node of a function on the path from a node to the root.
    pub fn above(&self, node: CallNodeId, function: FunctionId) -> Option<CallNodeId> {
        let mut path = self.nodes.path(node);
        path.find(|&node| self.nodes.function[node.index()] == function.0)
    }

    pub fn finish(self) -> CallNodes {
        let mut nodes = self.nodes;
        nodes.index_children();
        nodes.mark_recursion();
        nodes
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the call nodes of stacks (root first), and each one's stack ID.
    pub fn nodes_of(stacks: &[&[u32]]) -> (CallNodes, Vec<StackId>) {
        let mut tree: Vec<(StackId, FunctionId)> = Vec::new();
        let leaves = stacks
            .iter()
            .map(|stack| {
                stack.iter().fold(StackId(0), |parent, &function| {
                    let node = (parent, FunctionId(function));
                    let found = tree.iter().position(|&known| known == node);
                    let index = found.unwrap_or_else(|| {
                        tree.push(node);
                        tree.len() - 1
                    });
                    StackId(index as u32 + 1)
                })
            })
            .collect();
        (CallNodes::build(tree.into_iter()), leaves)
    }

    #[test]
    fn frames_of_one_function_become_one_node() {
        // Stacks 1 and 2 are two addresses in function 7; 3 and 4 their callees in function 8.
        let stacks = [(0, 7), (0, 7), (1, 8), (2, 8)];
        let nodes = CallNodes::build(stacks.iter().map(|&(parent, function)| (StackId(parent), FunctionId(function))));
        assert_eq!(nodes.len(), 3);
        assert_eq!(nodes.of_stack(StackId(3)), nodes.of_stack(StackId(4)));
        assert_eq!(nodes.function(nodes.of_stack(StackId(4))), Some(FunctionId(8)));
        assert_eq!(nodes.of_stack(StackId(0)), CallNodes::ROOT);
    }

    #[test]
    fn recursion_is_marked_at_inner_call_only() {
        let (nodes, leaves) = nodes_of(&[&[1, 2, 1, 3], &[3, 1]]);
        let inner = nodes.parent(nodes.of_stack(leaves[0]));
        assert!(nodes.is_recursive(inner));
        assert!(!nodes.is_recursive(nodes.parent(nodes.parent(inner))));
        assert!(!nodes.is_recursive(nodes.of_stack(leaves[1])));
    }

    #[test]
    fn common_ancestor_is_the_end_of_the_common_prefix() {
        let (nodes, leaves) = nodes_of(&[&[1, 2, 3, 4], &[1, 2, 5], &[9]]);
        let [a, b, c] = [0, 1, 2].map(|index| nodes.of_stack(leaves[index]));
        assert_eq!(nodes.depth(nodes.common_ancestor(a, b)), 2);
        assert_eq!(nodes.common_ancestor(a, c), CallNodes::ROOT);
        assert_eq!(nodes.common_ancestor(b, b), b);
    }
}
