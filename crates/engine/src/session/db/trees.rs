//! Call trees, and their cached intermediate results.

use super::interrupt::Answered;
use super::memo::Memo;
use super::state::Session;
use super::weighing::{TimeKey, time_key};
use crate::analysis::measures::comparable_name;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::stacks::call_tree::CallTree;
use crate::analysis::stacks::difference::{difference, stack_profile, sum, without};
use crate::analysis::stacks::frames::Frames;
use crate::analysis::stacks::hot_locations::StackWeights;
use crate::analysis::stacks::inverted_tree::InvertedTree;
use crate::analysis::stacks::over_time::TimedWeights;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::analysis::stacks::shape::TransformedCallPaths;
use crate::analysis::stacks::shape::roots::{Beginning, RootedStacks};
use crate::analysis::stacks::stack_tree::{StackTree, TopDown};
use crate::analysis::stacks::tree_query::{call_tree, rooted_tree};
use crate::analysis::stacks::tree_tables::{NamedFrames, NamedTree};
use crate::model::Store;
use crate::session::answers::time_order::ThreadOverTime;
use protocol::base::ids::{FunctionId, ThreadId};
use protocol::queries::MAX_ADDED_STACKS;
use protocol::request::{Baseline, BaselineOf, StackSource, TreeQuery};
use protocol::stacks::shape::{FrameName, Shape};
use protocol::tables::StackProfile;
use protocol::tables::frame_flag::NO_FUNCTION;
use protocol::{Failure, FailureCode};
use std::rc::Rc;

/// Number of cached trees. Several views request the current and the previous one.
const TREES: usize = 4;
/// Number of cached stacks with root frames.
const ROOTED: usize = 2;
/// Number of cached shapes.
const SHAPES: usize = 3;

/// Root and leaf frames of stacks, and their source.
type RootsKey = (Beginning, StackSource, Option<TimeKey>);

/// Value with the names of its frames.
type Framed<T> = (T, Rc<Frames>);

/// Call tree with the names of its frames. The IDs of frames that aren't functions are valid only in this tree.
#[derive(Clone)]
pub(crate) struct FramedTree {
    pub tree: TopDown,
    pub frames: Rc<Frames>,
}

/// Cached trees and intermediate results.
pub(crate) struct Trees {
    /// Names of functions only.
    pub functions: Rc<Frames>,
    rooted: Memo<RootsKey, Framed<RootedStacks>>,
    shapes: Memo<(Shape, Option<RootsKey>), Framed<TransformedCallPaths>>,
    /// Trees of unchanged stacks.
    plain: Memo<TreeQuery, CallTree>,
    shaped: Memo<TreeQuery, CallTree>,
    compared: Memo<TreeQuery, FramedTree>,
    inverted: Memo<TreeQuery, InvertedTree>,
    /// Weights by frame, of unchanged stacks.
    weights: Memo<TreeQuery, StackWeights>,
    pub over_time: Memo<(TreeQuery, ThreadId), ThreadOverTime>,
    /// Weights over time, of unchanged and of transformed stacks.
    plain_times: Memo<TreeQuery, TimedWeights>,
    times: Memo<TreeQuery, TimedWeights>,
    /// Stacks of another trace, with their number.
    other: (u64, Rc<StackProfile>),
    /// Stacks of other traces to add, with their numbers, oldest first.
    added: Vec<(u64, Rc<Vec<StackProfile>>)>,
}

impl Trees {
    /// Creates an empty cache for a trace.
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            functions: Rc::new(Frames::new(store)),
            rooted: Memo::new(ROOTED),
            shapes: Memo::new(SHAPES),
            plain: Memo::new(TREES),
            shaped: Memo::new(TREES),
            compared: Memo::new(TREES),
            inverted: Memo::new(TREES),
            weights: Memo::new(1),
            over_time: Memo::new(2),
            plain_times: Memo::new(TREES),
            times: Memo::new(TREES),
            other: Default::default(),
            added: Vec::new(),
        }
    }

    /// Stores the stacks of another trace, and returns their number.
    pub(in crate::session) fn set_other(&mut self, stacks: StackProfile) -> u64 {
        if self.other.0 == 0 || *self.other.1 != stacks {
            self.other = (self.other.0 + 1, Rc::new(stacks));
        }
        self.other.0
    }

    /// Stores the stacks of other traces to add, and returns their number.
    pub(in crate::session) fn put_added(&mut self, stacks: Vec<StackProfile>) -> u64 {
        if let Some((number, _)) = self.added.iter().find(|(_, known)| **known == stacks) {
            return *number;
        }
        let number = self.added.last().map_or(1, |(last, _)| last + 1);
        if self.added.len() == MAX_ADDED_STACKS {
            self.added.remove(0);
        }
        self.added.push((number, Rc::new(stacks)));
        number
    }

    pub(crate) fn bytes(&self) -> usize {
        let rooted: usize = self.rooted.values().map(|rooted| rooted.0.bytes()).sum();
        let shapes: usize = self.shapes.values().map(|shape| shape.0.bytes()).sum();
        let trees: usize = self.plain.values().chain(self.shaped.values()).map(CallTree::bytes).sum();
        let compared: usize = self.compared.values().map(|compared| compared.tree.bytes()).sum();
        let inverted: usize = self.inverted.values().map(InvertedTree::bytes).sum();
        let times: usize = self.times.values().chain(self.plain_times.values()).map(TimedWeights::bytes).sum();
        let weights: usize = self.weights.values().map(StackWeights::bytes).sum();
        let over_time: usize = self.over_time.values().map(ThreadOverTime::bytes).sum();
        // Caller, frame and weight of each path.
        let added = self.added.iter().flat_map(|(_, stacks)| stacks.iter());
        let other = added.chain([&*self.other.1]).map(|stacks| stacks.weight.len() * 16).sum::<usize>();
        rooted + shapes + trees + compared + inverted + weights + over_time + times + other
    }
}

/// Returns a function that finds frames by name and flags. Those that aren't functions of the trace are added to `frames`.
fn frames_by_name<'s>(store: &'s Store, frames: &'s mut Frames) -> impl FnMut(FrameName, u8) -> FunctionId + 's {
    let functions = Frames::functions_by_name(store);
    move |frame: FrameName, flags: u8| {
        let function = (flags & NO_FUNCTION == 0).then(|| {
            let key = store.strings.find(&frame.name).zip(store.strings.find(&frame.module))?;
            functions.get(&key).copied()
        });
        function.flatten().unwrap_or_else(|| frames.flagged(frame, flags))
    }
}

impl Session {
    pub(crate) fn named<'s>(&'s self, tree: &'s dyn StackTree, frames: &'s Frames, shape: &'s Shape) -> NamedTree<'s> {
        NamedTree { tree, names: self.names(frames, shape) }
    }

    /// Returns the names of frames in stacks of a shape.
    pub(crate) fn names<'s>(&'s self, frames: &'s Frames, shape: &'s Shape) -> NamedFrames<'s> {
        NamedFrames { store: &self.store, frames, shape }
    }

    pub(in crate::session) fn tree(&mut self, query: &TreeQuery) -> Answered<(Rc<dyn StackTree>, Rc<Frames>)> {
        let FramedTree { tree, frames } = self.top_down(query)?;
        if !query.shape.inverted {
            return Ok((Rc::new(tree), frames));
        }
        if let Some(known) = self.trees.inverted.get(query) {
            return Ok((known, frames));
        }
        Ok((self.trees.inverted.insert(query.clone(), InvertedTree::new(tree)), frames))
    }

    /// Returns the top-down tree of a query, even if the query is inverted.
    pub(crate) fn top_down(&mut self, query: &TreeQuery) -> Answered<FramedTree> {
        let Some(baseline) = &query.baseline else { return self.uncompared(query) };
        let mut key = query.clone();
        key.shape.inverted = false;
        if let Some(known) = self.trees.compared.get(&key) {
            return Ok((*known).clone());
        }
        let compared = self.compared(&key, baseline)?;
        Ok((*self.trees.compared.insert(key, compared)).clone())
    }

    fn compared(&mut self, query: &TreeQuery, baseline: &Baseline) -> Answered<FramedTree> {
        if let BaselineOf::OtherTrace { stacks, is_newer } = baseline.of {
            return self.compared_with_other(query, stacks, is_newer, baseline.is_scaled);
        }
        if let BaselineOf::Sum { stacks } = baseline.of {
            return self.sum_with_others(query, stacks);
        }
        let now = self.uncompared(query)?;
        let of = self.uncompared(&TreeQuery { filter: baseline.filter(&query.filter), ..query.clone() })?;
        let store = &self.store;
        // Paths and frames have different IDs in both trees, so they are compared by name.
        let profile = |of: &FramedTree| stack_profile(store, &of.frames, &of.tree.nodes, &of.tree.tree);
        let mut frames = (*now.frames).clone();
        let [now, of] = [&now, &of].map(profile);
        let mut frame_of = frames_by_name(store, &mut frames);
        let of = match baseline.of {
            BaselineOf::Filter(_) | BaselineOf::OtherTrace { .. } | BaselineOf::Sum { .. } => of,
            BaselineOf::Rest => without(of, &now, &mut frame_of),
        };
        let tree = difference(&now, &of, baseline.is_scaled, &mut frame_of);
        drop(frame_of);
        let tree = tree.with_no_stack(frames.no_stack());
        Ok(FramedTree { tree, frames: frames.into() })
    }

    /// Adds the stacks of other traces.
    fn sum_with_others(&mut self, query: &TreeQuery, stacks: u64) -> Answered<FramedTree> {
        let Some((_, others)) = self.trees.added.iter().find(|(number, _)| *number == stacks).cloned() else {
            let message = "The stacks of the other traces are no longer in memory.";
            return Err(Failure::new(FailureCode::NotFound, message).into());
        };
        let own = self.uncompared(query)?;
        let mut frames = (*own.frames).clone();
        let own = stack_profile(&self.store, &own.frames, &own.tree.nodes, &own.tree.tree);
        let profiles: Vec<&StackProfile> = std::iter::once(&own).chain(&*others).collect();
        let tree = sum(&profiles, frames_by_name(&self.store, &mut frames)).with_no_stack(frames.no_stack());
        Ok(FramedTree { tree, frames: frames.into() })
    }

    /// Compares with the stacks of another trace. Numbers of lambdas differ between builds, so they are ignored.
    fn compared_with_other(
        &mut self,
        query: &TreeQuery,
        stacks: u64,
        is_newer: bool,
        is_scaled: bool,
    ) -> Answered<FramedTree> {
        if stacks != self.trees.other.0 || stacks == 0 {
            let message = "The stacks of the other trace are no longer in memory. Compare again.";
            return Err(Failure::new(FailureCode::NotFound, message).into());
        }
        let own = self.uncompared(query)?;
        let store = &self.store;
        let other = self.trees.other.1.clone();
        let mut frames = (*own.frames).clone();
        let own = stack_profile(store, &own.frames, &own.tree.nodes, &own.tree.tree);
        let functions = Frames::functions_by_name(store);
        let mut frame_of = |mut frame: FrameName, flags: u8| {
            let comparable = comparable_name(&frame.name);
            let is_function = flags & NO_FUNCTION == 0 && comparable == frame.name;
            let function = is_function.then(|| {
                let key = store.strings.find(&frame.name).zip(store.strings.find(&frame.module))?;
                functions.get(&key).copied()
            });
            function.flatten().unwrap_or_else(|| {
                frame.name = comparable;
                frames.flagged(frame, flags)
            })
        };
        let [now, of]: [&StackProfile; 2] = if is_newer { [&other, &own] } else { [&own, &other] };
        let tree = difference(now, of, is_scaled, &mut frame_of).with_no_stack(frames.no_stack());
        Ok(FramedTree { tree, frames: frames.into() })
    }

    /// Returns the tree without a baseline.
    pub(in crate::session) fn uncompared(&mut self, query: &TreeQuery) -> Answered<FramedTree> {
        if query.shape.is_plain() {
            let tree = self.plain_tree(query)?;
            let (nodes, frames) = match self.rooted(query)? {
                Some(rooted) => (rooted.0.nodes.clone(), rooted.1.clone()),
                None => (self.nodes.clone(), self.trees.functions.clone()),
            };
            return Ok(FramedTree { tree: TopDown::plain(nodes, tree).with_no_stack(frames.no_stack()), frames });
        }
        let mut query = TreeQuery { baseline: None, ..query.clone() };
        query.shape.inverted = false;
        let shape = self.shaped(&query)?;
        let (shape, frames) = &*shape;
        let nodes = shape.nodes.clone();
        let tree = match self.trees.shaped.get(&query) {
            Some(known) => known,
            None => {
                let plain = self.plain_tree(&query)?;
                let tree = CallTree::from_exclusive(&nodes, shape.weights(plain.of_nodes())).in_fractions_of(&plain);
                let tree = tree.with_states(plain.states.placed(&nodes, |node| shape.place(node)));
                self.trees.shaped.insert(query, tree)
            }
        };
        let tree = TopDown::plain(nodes, tree).with_folds(shape.folds()).with_no_stack(frames.no_stack());
        Ok(FramedTree { tree, frames: frames.clone() })
    }

    /// Returns the stacks of a query with root frames; `None` if the query has no root frames.
    pub(crate) fn rooted(&mut self, query: &TreeQuery) -> Answered<Option<Rc<Framed<RootedStacks>>>> {
        let Some(begin) = Beginning::of(query) else { return Ok(None) };
        let key = (begin, query.source.clone(), time_key(query));
        if let Some(known) = self.trees.rooted.get(&key) {
            return Ok(Some(known));
        }
        let ThreadTime { stacks, .. } = self.chosen_stacks(query)?;
        let spans = if begin.needs_spans() { Some(self.spans()?) } else { None };
        let mut frames = (*self.trees.functions).clone();
        let rooted = RootedStacks::new(&self.store, &mut frames, &self.nodes, &stacks, begin, spans.as_deref());
        Ok(Some(self.trees.rooted.insert(key, (rooted, frames.into()))))
    }

    pub(crate) fn shaped(&mut self, query: &TreeQuery) -> Answered<Rc<Framed<TransformedCallPaths>>> {
        let rooted = self.rooted(query)?;
        let begin = Beginning::of(query).map(|begin| (begin, query.source.clone(), time_key(query)));
        let key = (query.shape.clone(), begin);
        if let Some(known) = self.trees.shapes.get(&key) {
            return Ok(known);
        }
        let (nodes, frames) = match &rooted {
            Some(rooted) => (&rooted.0.nodes, &rooted.1),
            None => (&self.nodes, &self.trees.functions),
        };
        let mut frames = (**frames).clone();
        let shaped = TransformedCallPaths::new(&self.store, nodes, &mut frames, &query.shape);
        let shaped = shaped.map_err(|message| Failure::new(FailureCode::NotFound, message))?;
        Ok(self.trees.shapes.insert(key, (shaped, frames.into())))
    }

    /// Returns the weights of unchanged stacks by frame.
    pub(in crate::session) fn stack_weights(&mut self, query: &TreeQuery) -> Answered<Rc<StackWeights>> {
        let query = TreeQuery { shape: Shape::default(), baseline: None, ..query.clone() };
        if let Some(known) = self.trees.weights.get(&query) {
            return Ok(known);
        }
        let ThreadTime { stacks, selection } = self.chosen_stacks(&query)?;
        let chosen = ChosenSamples::new(&selection, query.samples, &query.weight);
        let weights = StackWeights::new(&self.store, &stacks, chosen);
        Ok(self.trees.weights.insert(query, weights))
    }

    /// Returns the weights over time of a query's call paths.
    pub(in crate::session) fn times(&mut self, query: &TreeQuery) -> Answered<Rc<TimedWeights>> {
        let mut query = query.clone();
        query.shape.inverted = false;
        if let Some(known) = self.trees.times.get(&query) {
            return Ok(known);
        }
        if query.shape.is_plain() {
            return self.times_unshaped(query);
        }
        let plain = self.times_unshaped(unshaped(&query))?;
        let shape = self.shaped(&query)?;
        let times = plain.placed(|node| shape.0.place(node));
        Ok(self.trees.times.insert(query, times))
    }

    /// Returns the weights of unchanged stacks over time.
    fn times_unshaped(&mut self, query: TreeQuery) -> Answered<Rc<TimedWeights>> {
        if let Some(known) = self.trees.plain_times.get(&query) {
            return Ok(known);
        }
        let ThreadTime { stacks, selection } = self.chosen_stacks(&query)?;
        let chosen = ChosenSamples::new(&selection, query.samples, &query.weight);
        let span = self.store.indexed_span(query.filter.span);
        let times = match self.rooted(&query)? {
            Some(rooted) => TimedWeights::rooted(&stacks, &rooted.0, chosen, span),
            None => TimedWeights::new(&stacks, &self.nodes, chosen, span),
        };
        Ok(self.trees.plain_times.insert(query, times))
    }

    /// Returns the tree of unchanged stacks.
    pub(in crate::session) fn plain_tree(&mut self, query: &TreeQuery) -> Answered<Rc<CallTree>> {
        let query = unshaped(query);
        if let Some(known) = self.trees.plain.get(&query) {
            return Ok(known);
        }
        let ThreadTime { stacks, selection } = self.chosen_stacks(&query)?;
        let chosen = ChosenSamples::new(&selection, query.samples, &query.weight);
        let tree = match self.rooted(&query)? {
            Some(rooted) => rooted_tree(&stacks, &rooted.0, chosen),
            None => call_tree(&stacks, &self.nodes, chosen),
        };
        Ok(self.trees.plain.insert(query, tree))
    }
}

/// Returns the query for unchanged stacks, with root and leaf frames.
fn unshaped(query: &TreeQuery) -> TreeQuery {
    let Shape { roots, stitched, just_my_code, .. } = query.shape;
    let shape = Shape { roots, stitched, just_my_code, ..Shape::default() };
    TreeQuery { shape, baseline: None, ..query.clone() }
}
