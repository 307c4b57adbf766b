//! Stacks as a tree: a stack is its leaf node, and stacks with the same callers share nodes.

use hashbrown::HashTable;
use protocol::base::hash::FastBuildHasher;
use protocol::base::ids::{FrameId, StackId};
use std::hash::BuildHasher;

/// All stacks of a trace. Parents come before their children; [`StackId`] 0 is "no stack".
#[derive(Clone, Debug)]
pub struct Stacks {
    pub parents: Vec<u32>,
    pub frames: Vec<u32>,
    /// By [`StackId`].
    pub depths: Vec<u16>,
}

impl Default for Stacks {
    fn default() -> Self {
        Self { parents: vec![0], frames: vec![u32::MAX], depths: vec![0] }
    }
}

impl Stacks {
    /// Returns the number of nodes, including the empty stack.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// Returns the caller's stack; 0 for a stack with one frame.
    #[inline]
    pub fn parent(&self, stack: StackId) -> StackId {
        StackId(self.parents.get(stack.index()).copied().unwrap_or(0))
    }

    /// Returns the leaf frame; `None` for the empty stack.
    #[inline]
    pub fn frame(&self, stack: StackId) -> Option<FrameId> {
        (stack.0 != 0).then(|| self.frames.get(stack.index()).copied().map(FrameId)).flatten()
    }

    /// Returns the number of frames.
    #[inline]
    pub fn depth(&self, stack: StackId) -> u16 {
        self.depths.get(stack.index()).copied().unwrap_or(0)
    }

    /// Returns the frames of a stack, leaf first.
    pub fn leaf_to_root(&self, stack: StackId) -> impl Iterator<Item = FrameId> + '_ {
        let mut node = stack;
        std::iter::from_fn(move || {
            let frame = self.frame(node)?;
            node = self.parent(node);
            Some(frame)
        })
    }

    pub fn heap_bytes(&self) -> u64 {
        (4 * self.parents.capacity() + 4 * self.frames.capacity() + 2 * self.depths.capacity()) as u64
    }

    fn push(&mut self, parent: u32, frame: u32) -> u32 {
        let node = self.parents.len() as u32;
        let depth = self.depth(StackId(parent)).saturating_add(1);
        self.parents.push(parent);
        self.frames.push(frame);
        self.depths.push(depth);
        node
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct StackBuilder {
    pub stacks: Stacks,
    children: HashTable<u32>,
}

impl StackBuilder {
    /// Returns the stack of `frame` called by `parent`.
    pub fn child(&mut self, parent: StackId, frame: FrameId) -> StackId {
        let Self { stacks, children } = self;
        let hash = hash_edge(parent.0, frame.0);
        let same = |&node: &u32| {
            let at = node as usize;
            stacks.parents.get(at) == Some(&parent.0) && stacks.frames.get(at) == Some(&frame.0)
        };
        if let Some(&node) = children.find(hash, same) {
            return StackId(node);
        }
        let node = stacks.push(parent.0, frame.0);
        children.insert_unique(hash, node, |&node| hash_of(stacks, node));
        StackId(node)
    }

    pub fn finish(mut self) -> Stacks {
        self.stacks.parents.shrink_to_fit();
        self.stacks.frames.shrink_to_fit();
        self.stacks.depths.shrink_to_fit();
        self.stacks
    }
}

fn hash_edge(parent: u32, frame: u32) -> u64 {
    FastBuildHasher::default().hash_one(u64::from(parent) << 32 | u64::from(frame))
}

fn hash_of(stacks: &Stacks, node: u32) -> u64 {
    let at = node as usize;
    hash_edge(stacks.parents.get(at).copied().unwrap_or(0), stacks.frames.get(at).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(builder: &mut StackBuilder, root_first: &[u32]) -> StackId {
        root_first.iter().fold(StackId(0), |parent, &frame| builder.child(parent, FrameId(frame)))
    }

    #[test]
    fn stacks_with_same_callers_share_nodes() {
        let mut builder = StackBuilder::default();
        let short = stack(&mut builder, &[0, 1]);
        let long = stack(&mut builder, &[0, 1, 2]);
        let other = stack(&mut builder, &[0, 2, 2]);
        assert_eq!(stack(&mut builder, &[0, 1, 2]), long);
        let stacks = builder.finish();
        assert_eq!(stacks.parent(long), short);
        assert_eq!((stacks.len(), stacks.depth(other)), (6, 3));
        assert_eq!(stacks.leaf_to_root(long).collect::<Vec<_>>(), [FrameId(2), FrameId(1), FrameId(0)]);
        assert_eq!(stacks.leaf_to_root(StackId(0)).count(), 0);
        assert!((1..stacks.len()).all(|node| (stacks.parents[node] as usize) < node));
    }
}
