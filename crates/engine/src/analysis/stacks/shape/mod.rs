//! Folding and transforms of stacks: each path of functions is mapped to a path of frames, once for all queries.
//!
//! Callers come before their callees in the table of nodes, and the result for a frame depends only on its callers. So
//! one pass over the table applies one step, and a query sums the weights of the paths that are mapped to the same one.

use super::frames::{Frames, NO_STACK, PATH_START, longer_path};
use super::tree_tables::NamedFrames;
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::analysis::stacks::shape::await_chains::chained;
use crate::analysis::stacks::shape::folding::{FoldSpan, fold};
use crate::analysis::stacks::shape::patterns::StackPatterns;
use crate::analysis::stacks::shape::stitched::without_empty_parts;
use crate::model::Store;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::stacks::shape::{FrameName, Shape, Transform};
use protocol::tables::frame_flag::FRAMEWORK;
use std::rc::Rc;

/// Marks an excluded path.
pub(crate) const EXCLUDED: CallNodeId = CallNodeId(u32::MAX);

/// The mapped node, and the step's state for the nodes below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TransformedNode {
    pub at: CallNodeId,
    pub state: u64,
}

/// Paths of frames, and the path to which each path of functions is mapped.
#[derive(Clone, Debug)]
pub struct TransformedCallPaths {
    pub nodes: Rc<CallNodes>,
    places: Vec<CallNodeId>,
    /// By path: number of frames that its last frame represents; (0, 0) for one. Empty if all represent one.
    folded: Rc<Vec<FoldSpan>>,
}

impl TransformedCallPaths {
    /// Applies a shape to the paths of a trace, except for its direction.
    ///
    /// # Errors
    /// A sentence, if a pattern is invalid.
    pub fn new(store: &Store, nodes: &CallNodes, frames: &mut Frames, shape: &Shape) -> Result<Self, String> {
        let patterns = StackPatterns::new(&shape.patterns.groups, &shape.patterns.folds)?;
        let mut shaped = fold(store, nodes, frames, shape, &patterns);
        if shape.just_my_code && shape.stitched {
            shaped.then(without_empty_parts(&shaped.nodes, NamedFrames { store, frames, shape }));
        }
        if shape.awaits {
            shaped.then(chained(store, &shaped.nodes, frames));
        }
        if shape.without_recursion {
            shaped.then(step(&shaped.nodes, 0, &mut collapse_all_recursion));
        }
        for transform in &shape.transforms {
            shaped.then(transformed(store, &shaped.nodes, frames, transform));
        }
        Ok(shaped)
    }

    /// Combines paths with the mapping of nodes to them.
    pub(crate) fn of_places(nodes: CallNodes, places: Vec<CallNodeId>) -> Self {
        Self { nodes: Rc::new(nodes), places, folded: Rc::default() }
    }

    /// Returns the path to which a path of functions is mapped; `None` if excluded.
    pub fn place(&self, node: CallNodeId) -> Option<CallNodeId> {
        self.places.get(node.index()).copied().filter(|&place| place != EXCLUDED)
    }

    /// Returns the exclusive weights of paths from those of the paths of functions.
    pub fn weights(&self, of_functions: &[u64]) -> Vec<u64> {
        let mut weights = vec![0u64; self.nodes.len()];
        for (&place, &weight) in self.places.iter().zip(of_functions) {
            if let Some(sum) = weights.get_mut(place.index()) {
                *sum = sum.saturating_add(weight);
            }
        }
        weights
    }

    /// Returns the numbers of frames that the last frame of each path represents.
    pub fn folds(&self) -> Rc<Vec<FoldSpan>> {
        self.folded.clone()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.places.len() * 4 + self.folded.len() * size_of::<FoldSpan>()
    }

    /// Applies another step after the previous ones.
    fn then(&mut self, next: Self) {
        let mut folded = vec![(0, 0); if self.folded.is_empty() { 0 } else { next.nodes.len() }];
        for (node, &span) in (0..).map(CallNodeId).zip(&*self.folded).filter(|(_, span)| span.1 > 0) {
            let place = next.place(node).filter(|&place| next.nodes.function(place) == self.nodes.function(node));
            if let Some(known) = place.and_then(|place| folded.get_mut(place.index())) {
                *known = if *known == (0, 0) { span } else { (span.0.min(known.0), span.1.max(known.1)) };
            }
        }
        self.folded = folded.into();
        for place in &mut self.places {
            *place = next.place(*place).unwrap_or(EXCLUDED);
        }
        self.nodes = next.nodes;
    }
}

/// Maps every node, callers first. `place` gets the frame of a node and its caller's mapping; the root stays the root.
pub(crate) fn step(
    nodes: &CallNodes,
    state: u64,
    place: &mut dyn FnMut(&mut CallNodeBuilder, FunctionId, TransformedNode) -> TransformedNode,
) -> TransformedCallPaths {
    let mut builder = CallNodeBuilder::default();
    let mut placed = Vec::with_capacity(nodes.len());
    placed.push(TransformedNode { at: CallNodes::ROOT, state });
    for node in (1..nodes.len() as u32).map(CallNodeId) {
        let caller = placed[nodes.parent(node).index()];
        placed.push(match nodes.function(node) {
            Some(frame) => place(&mut builder, frame, caller),
            None => caller,
        });
    }
    TransformedCallPaths {
        nodes: Rc::new(builder.finish()),
        places: placed.into_iter().map(|placed| placed.at).collect(),
        folded: Rc::default(),
    }
}

/// Excludes every path without one of these frames.
fn keep(nodes: &CallNodes, is_named: &dyn Fn(FunctionId) -> bool) -> TransformedCallPaths {
    let mut is_inside = vec![false; nodes.len()];
    let mut shaped =
        step(nodes, 0, &mut |builder, frame, caller| TransformedNode { at: builder.child(caller.at, frame), ..caller });
    for node in (1..nodes.len() as u32).map(CallNodeId) {
        is_inside[node.index()] = is_inside[nodes.parent(node).index()] || nodes.function(node).is_some_and(is_named);
    }
    for (place, is_inside) in shaped.places.iter_mut().zip(is_inside) {
        if !is_inside {
            *place = EXCLUDED;
        }
    }
    shaped
}

/// Returns the node of the frame below its caller, unless the caller is excluded.
pub(crate) fn below(builder: &mut CallNodeBuilder, caller: TransformedNode, frame: FunctionId) -> CallNodeId {
    if caller.at == EXCLUDED { EXCLUDED } else { builder.child(caller.at, frame) }
}

fn collapse_all_recursion(
    builder: &mut CallNodeBuilder,
    frame: FunctionId,
    caller: TransformedNode,
) -> TransformedNode {
    let at = builder.above(caller.at, frame).unwrap_or_else(|| builder.child(caller.at, frame));
    TransformedNode { at, ..caller }
}

/// Applies one transform. A transform of an absent frame changes nothing, or excludes everything if it keeps only
/// stacks with that frame.
fn transformed(store: &Store, nodes: &CallNodes, frames: &mut Frames, transform: &Transform) -> TransformedCallPaths {
    /// State below the frame.
    const INSIDE: u64 = 1;
    let is_named = |frame: &FrameName| {
        let mut is_named = vec![false; frames.len()];
        for frame in frames.named(store, frame) {
            is_named[frame.index()] = true;
        }
        move |frame: FunctionId| is_named.get(frame.index()).copied().unwrap_or(false)
    };
    match transform {
        Transform::FocusFunction(frame) => {
            let is_named = is_named(frame);
            // Roots of stacks stay. The state is the position of the root, and whether the frame was found.
            let mut shaped =
                step(nodes, 0, &mut |builder, frame, caller| match (caller.state & 1, caller.state >> 1) {
                    (INSIDE, _) => TransformedNode { at: builder.child(caller.at, frame), ..caller },
                    (_, root) if is_named(frame) => {
                        TransformedNode { at: builder.child(CallNodeId(root as u32), frame), state: root << 1 | INSIDE }
                    }
                    (_, root) if frames.is_root(frame) => {
                        let root = builder.child(CallNodeId(root as u32), frame);
                        TransformedNode { at: EXCLUDED, state: u64::from(root.0) << 1 }
                    }
                    _ => TransformedNode { at: EXCLUDED, ..caller },
                });
            shaped.exclude_root();
            shaped
        }
        Transform::FocusNode(node) => {
            let hashes = hashes(store, frames);
            // The state is the path's hash; 0 below the frame.
            let mut shaped = step(nodes, PATH_START, &mut |builder, frame, caller| {
                if caller.state == 0 {
                    return TransformedNode { at: builder.child(caller.at, frame), ..caller };
                }
                let path = longer_path(caller.state, hashes[frame.index()]);
                if path == node.path {
                    return TransformedNode { at: builder.child(CallNodes::ROOT, frame), state: 0 };
                }
                TransformedNode { at: EXCLUDED, state: path }
            });
            shaped.exclude_root();
            shaped
        }
        Transform::MergeFunction(frame) => {
            let is_named = is_named(frame);
            step(nodes, 0, &mut |builder, frame, caller| {
                if is_named(frame) { caller } else { TransformedNode { at: builder.child(caller.at, frame), ..caller } }
            })
        }
        Transform::MergeNode(node) => {
            let hashes = hashes(store, frames);
            step(nodes, PATH_START, &mut |builder, frame, caller| {
                let path = longer_path(caller.state, hashes[frame.index()]);
                let at = if path == node.path { caller.at } else { builder.child(caller.at, frame) };
                TransformedNode { at, state: path }
            })
        }
        Transform::CollapseFunction(frame) => {
            let is_named = is_named(frame);
            step(nodes, 0, &mut |builder, frame, caller| match caller.state {
                INSIDE => caller,
                _ => TransformedNode { at: builder.child(caller.at, frame), state: is_named(frame).into() },
            })
        }
        Transform::CollapseRecursion(frame) => {
            let is_named = is_named(frame);
            // The state is the outermost call, which is never the root.
            step(nodes, 0, &mut |builder, frame, caller| match (is_named(frame), caller.state) {
                (true, 0) => {
                    let at = builder.child(caller.at, frame);
                    TransformedNode { at, state: at.0.into() }
                }
                (true, outermost) => TransformedNode { at: CallNodeId(outermost as u32), ..caller },
                (false, _) => TransformedNode { at: builder.child(caller.at, frame), ..caller },
            })
        }
        Transform::CollapseModule(module) => {
            let group = FrameName { name: module.clone(), module: module.clone() };
            let is_of = |frame| frames.text(store, Some(FunctionId(frame))).module == *module;
            let is_of: Vec<bool> = (0..frames.len() as u32).map(is_of).collect();
            let flags = is_of
                .iter()
                .position(|is_of| *is_of)
                .map(|frame| frames.text(store, Some(FunctionId(frame as u32))).flags);
            let is_framework = flags.is_some_and(|flags| flags & FRAMEWORK != 0);
            let group = frames.group(group, is_framework);
            step(nodes, 0, &mut |builder, frame, caller| match (is_of.get(frame.index()), caller.state) {
                (Some(true), INSIDE) => caller,
                (Some(true), _) => TransformedNode { at: builder.child(caller.at, group), state: INSIDE },
                _ => TransformedNode { at: builder.child(caller.at, frame), state: 0 },
            })
        }
        Transform::Keep(frame) => keep(nodes, &is_named(frame)),
        Transform::Drop(frame) if frame.name == NO_STACK && frame.module.is_empty() => {
            let mut shaped = step(nodes, 0, &mut |builder, frame, caller| TransformedNode {
                at: builder.child(caller.at, frame),
                ..caller
            });
            shaped.exclude_root();
            shaped
        }
        Transform::Drop(frame) => {
            let is_named = is_named(frame);
            step(nodes, 0, &mut |builder, frame, caller| {
                if is_named(frame) {
                    return TransformedNode { at: EXCLUDED, ..caller };
                }
                TransformedNode { at: below(builder, caller, frame), ..caller }
            })
        }
    }
}

impl TransformedCallPaths {
    /// A stack without frames contains none of the frames to keep or exclude.
    fn exclude_root(&mut self) {
        if let Some(root) = self.places.first_mut() {
            *root = EXCLUDED;
        }
    }
}

fn hashes(store: &Store, frames: &Frames) -> Vec<u64> {
    (0..frames.len() as u32).map(|frame| frames.hash(store, FunctionId(frame))).collect()
}

pub(crate) mod await_chains;
pub(crate) mod folding;
pub(crate) mod patterns;
pub mod roots;
pub(crate) mod stitched;
#[cfg(test)]
#[path = "stack_shape_tests.rs"]
mod tests;
