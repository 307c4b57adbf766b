//! The trees of stacks that were asked for, and what they are made from.

use super::recent::Recent;
use super::state::Session;
use crate::analysis::call_tree::CallTree;
use crate::analysis::frames::Frames;
use crate::analysis::function_weights::function_weights;
use crate::analysis::inverted_tree::InvertedTree;
use crate::analysis::sample_choice::ChosenSamples;
use crate::analysis::stack_difference::{difference, stack_profile};
use crate::analysis::stack_search::found_frames;
use crate::analysis::stack_shape::ShapedNodes;
use crate::analysis::stack_times::TimedWeights;
use crate::analysis::stack_tree::{StackTree, TopDown};
use crate::analysis::tree_query::call_tree;
use crate::analysis::tree_tables::NamedTree;
use crate::model::Store;
use crate::model::ids::FunctionId;
use crate::protocol::request::{Baseline, BaselineOf, FunctionOrder, TreeQuery, Weight, WhenOf};
use crate::protocol::stack_shape::Shape;
use crate::protocol::tables::When;
use crate::protocol::tables::frame_flag::{FRAMEWORK, GROUP};
use crate::protocol::{Failure, Packed, Request};
use std::rc::Rc;

/// Trees that are remembered: several views ask about one, and about the one before.
const TREES: usize = 4;
/// Foldings of stacks that are remembered.
const SHAPES: usize = 3;

/// Rows of a tree that are opened at once at most.
const MOST_BELOW: u32 = 100_000;

/// What was asked for.
pub(super) struct Trees {
    frames: Frames,
    shapes: Recent<Shape, ShapedNodes>,
    /// Of stacks as they are.
    plain: Recent<TreeQuery, CallTree>,
    shaped: Recent<TreeQuery, CallTree>,
    compared: Recent<TreeQuery, TopDown>,
    inverted: Recent<TreeQuery, InvertedTree>,
    /// When what weighs: of stacks as they are, and of changed ones.
    times: Recent<TreeQuery, TimedWeights>,
}

impl Trees {
    /// Nothing yet, of a trace.
    pub(super) fn new(store: &Store) -> Self {
        Self {
            frames: Frames::new(store),
            shapes: Recent::new(SHAPES),
            plain: Recent::new(TREES),
            shaped: Recent::new(TREES),
            compared: Recent::new(TREES),
            inverted: Recent::new(TREES),
            times: Recent::new(TREES),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let shapes: usize = self.shapes.values().map(ShapedNodes::bytes).sum();
        let trees: usize = self.plain.values().chain(self.shaped.values()).map(CallTree::bytes).sum();
        let inverted: usize = self.inverted.values().map(InvertedTree::bytes).sum();
        let compared: usize = self.compared.values().map(TopDown::bytes).sum();
        let times: usize = self.times.values().map(TimedWeights::bytes).sum();
        shapes + trees + inverted + compared + times
    }
}

impl Session {
    /// Questions about a tree of stacks; none if it is about something else.
    pub(super) fn stack_table(&mut self, request: &Request) -> Result<Option<Packed>, Failure> {
        Ok(Some(match request {
            Request::Flame { query, path, min_share, max_depth } => {
                let tree = self.tree(query)?;
                self.named(&*tree, &query.shape).flame(path, *min_share, *max_depth).pack()
            }
            Request::Children { query, path } => {
                let tree = self.tree(query)?;
                self.named(&*tree, &query.shape).children(path).pack()
            }
            Request::Below { query, path, most } => {
                let tree = self.tree(query)?;
                self.named(&*tree, &query.shape).below(path, (*most).min(MOST_BELOW) as usize).pack()
            }
            Request::FindFrames { query, text } => {
                let tree = self.top_down(query)?;
                found_frames(&self.store, &self.trees.frames, &tree, text).pack()
            }
            Request::HotPath { query, max_depth } => {
                let tree = self.tree(query)?;
                self.named(&*tree, &query.shape).hot_path(*max_depth).pack()
            }
            Request::Functions { query, order, limit } => self.functions(query, *order, *limit)?,
            Request::When { query, of } => self.when(query, of)?.pack(),
            _ => return Ok(None),
        }))
    }

    fn functions(&mut self, query: &TreeQuery, order: FunctionOrder, limit: u32) -> Result<Packed, Failure> {
        let tree = self.top_down(query)?;
        let weights = function_weights(&tree, order);
        let counted = self.top_down(&TreeQuery { weight: Weight::Count, baseline: None, ..query.clone() })?;
        let mut stacks = vec![0u64; self.trees.frames.len()];
        for count in function_weights(&counted, order) {
            if let Some(stacks) = stacks.get_mut(count.function.index()) {
                *stacks = count.inclusive;
            }
        }
        let of = |function: FunctionId| stacks.get(function.index()).copied().unwrap_or(0);
        Ok(self.named(&tree, &query.shape).functions(&weights, of, limit).pack())
    }

    fn named<'s>(&'s self, tree: &'s dyn StackTree, shape: &'s Shape) -> NamedTree<'s> {
        NamedTree { store: &self.store, frames: &self.trees.frames, tree, shape }
    }

    /// The tree of a query.
    fn tree(&mut self, query: &TreeQuery) -> Result<Rc<dyn StackTree>, Failure> {
        if !query.shape.inverted {
            return Ok(Rc::new(self.top_down(query)?));
        }
        if let Some(known) = self.trees.inverted.get(query) {
            return Ok(known);
        }
        let tree = self.top_down(query)?;
        Ok(self.trees.inverted.insert(query.clone(), InvertedTree::new(tree)))
    }

    /// The tree of a query, callers first whatever it says.
    pub(super) fn top_down(&mut self, query: &TreeQuery) -> Result<TopDown, Failure> {
        let Some(baseline) = &query.baseline else { return self.uncompared(query) };
        let mut key = query.clone();
        key.shape.inverted = false;
        if let Some(known) = self.trees.compared.get(&key) {
            return Ok((*known).clone());
        }
        let compared = self.compared(&key, baseline)?;
        Ok((*self.trees.compared.insert(key, compared)).clone())
    }

    fn compared(&mut self, query: &TreeQuery, baseline: &Baseline) -> Result<TopDown, Failure> {
        let now = self.uncompared(query)?;
        let of = self.uncompared(&TreeQuery { filter: baseline.filter(&query.filter), ..query.clone() })?;
        let of = match baseline.of {
            BaselineOf::Filter(_) => of,
            BaselineOf::Rest => without(&of, &now),
        };
        let (store, frames) = (&self.store, &mut self.trees.frames);
        let [now, of] = [&now, &of].map(|tree| stack_profile(store, frames, &tree.nodes, &tree.tree));
        let functions = Frames::functions_by_name(store);
        Ok(difference(&now, &of, baseline.is_scaled, |frame, flags| {
            let function = (flags & GROUP == 0).then(|| {
                let key = store.strings().find(&frame.name).zip(store.strings().find(&frame.module))?;
                functions.get(&key).copied()
            });
            function.flatten().unwrap_or_else(|| frames.group(frame, flags & FRAMEWORK != 0))
        }))
    }

    /// The same without a baseline.
    fn uncompared(&mut self, query: &TreeQuery) -> Result<TopDown, Failure> {
        if query.shape.is_plain() {
            return Ok(TopDown::plain(self.nodes.clone(), self.plain_tree(query)?));
        }
        let mut query = TreeQuery { baseline: None, ..query.clone() };
        query.shape.inverted = false;
        let shape = self.shaped_nodes(&query.shape);
        let nodes = shape.nodes().clone();
        if let Some(tree) = self.trees.shaped.get(&query) {
            return Ok(TopDown::plain(nodes, tree));
        }
        let plain = self.plain_tree(&query)?;
        let tree = CallTree::from_exclusive(&nodes, shape.weights(plain.of_nodes())).in_fractions_of(&plain);
        Ok(TopDown::plain(nodes, self.trees.shaped.insert(query, tree)))
    }

    /// When rows of a tree, or functions, were on stacks.
    fn when(&mut self, query: &TreeQuery, of: &WhenOf) -> Result<When, Failure> {
        // Of a comparison what is now.
        let query = &TreeQuery { baseline: None, ..query.clone() };
        let nodes = self.uncompared(query)?.nodes;
        let times = self.times(query)?;
        Ok(match of {
            WhenOf::Rows(rows) if query.shape.inverted => times.of_callers(&nodes, rows),
            WhenOf::Rows(rows) => times.of_rows(&nodes, rows),
            WhenOf::Functions(functions) => times.of_functions(&nodes, functions),
        })
    }

    /// What the paths of a query weigh over time.
    fn times(&mut self, query: &TreeQuery) -> Result<Rc<TimedWeights>, Failure> {
        let mut query = query.clone();
        query.shape.inverted = false;
        if let Some(known) = self.trees.times.get(&query) {
            return Ok(known);
        }
        if query.shape.is_plain() {
            let selection = self.selection(&query.filter)?;
            let stacks = self.weighed_stacks(&query)?;
            let chosen = ChosenSamples { selection: &selection, samples: query.samples, weight: &query.weight };
            let span = query.filter.span.unwrap_or(self.store.user_span());
            let times = TimedWeights::new(&stacks, &self.nodes, chosen, span);
            return Ok(self.trees.times.insert(query, times));
        }
        let plain = self.times(&TreeQuery { shape: Shape::default(), ..query.clone() })?;
        let shape = self.shaped_nodes(&query.shape);
        let times = plain.placed(|node| shape.place(node));
        Ok(self.trees.times.insert(query, times))
    }

    /// The paths of the trace as a shape changes them.
    fn shaped_nodes(&mut self, shape: &Shape) -> Rc<ShapedNodes> {
        match self.trees.shapes.get(shape) {
            Some(known) => known,
            None => {
                let shaped = ShapedNodes::new(&self.store, &self.nodes, &mut self.trees.frames, shape);
                self.trees.shapes.insert(shape.clone(), shaped)
            }
        }
    }

    /// What stacks weigh as they are.
    fn plain_tree(&mut self, query: &TreeQuery) -> Result<Rc<CallTree>, Failure> {
        let query = TreeQuery { shape: Shape::default(), baseline: None, ..query.clone() };
        if let Some(known) = self.trees.plain.get(&query) {
            return Ok(known);
        }
        let selection = self.selection(&query.filter)?;
        let stacks = self.weighed_stacks(&query)?;
        let chosen = ChosenSamples { selection: &selection, samples: query.samples, weight: &query.weight };
        let tree = call_tree(&stacks, &self.nodes, chosen);
        Ok(self.trees.plain.insert(query, tree))
    }
}

/// A tree without the weights of a part of it, which has the same paths.
fn without(whole: &TopDown, part: &TopDown) -> TopDown {
    let weights = whole.tree.of_nodes().iter().zip(part.tree.of_nodes());
    let rest = weights.map(|(whole, part)| whole.saturating_sub(*part)).collect();
    let tree = CallTree::from_exclusive(&whole.nodes, rest).in_fractions_of(&whole.tree);
    TopDown::plain(whole.nodes.clone(), tree.into())
}
