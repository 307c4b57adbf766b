//! Call trees of requests, and the intermediate results for them.

use super::recent::Recent;
use super::state::Session;
use super::weighing::{TimeKey, time_key};
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::stacks::call_tree::CallTree;
use crate::analysis::stacks::difference::{difference, stack_profile, without};
use crate::analysis::stacks::frames::Frames;
use crate::analysis::stacks::hot_locations::{StackWeights, code_places};
use crate::analysis::stacks::inverted_tree::InvertedTree;
use crate::analysis::stacks::over_time::TimedWeights;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::analysis::stacks::search::found_frames;
use crate::analysis::stacks::shape::TransformedCallPaths;
use crate::analysis::stacks::shape::roots::{Beginning, RootedStacks};
use crate::analysis::stacks::stack_tree::{StackTree, TopDown};
use crate::analysis::stacks::tree_query::{call_tree, rooted_tree};
use crate::analysis::stacks::tree_tables::{NamedFrames, NamedTree, push_idle};
use crate::analysis::stacks::unresolved::unresolved_code;
use crate::analysis::timeline::lanes::Window;
use crate::model::Store;
use crate::session::answers::time_order::ThreadOverTime;
use protocol::base::ids::{FunctionId, ThreadId};
use protocol::request::{Baseline, BaselineOf, SampleChoice, StackSource, TreeQuery, Weight, WhenOf};
use protocol::stacks::shape::{FrameName, Shape};
use protocol::tables::frame_flag::NO_FUNCTION;
use protocol::tables::{CodePlaces, Flame, When};
use protocol::{Failure, FailureCode, Packed, Request};
use std::rc::Rc;

/// Number of cached trees: several views request the same one, and the previous one.
const TREES: usize = 4;
/// Number of cached stacks with root frames.
const ROOTED: usize = 2;
/// Number of cached shapes.
const SHAPES: usize = 3;

/// Maximum number of rows of a tree that are expanded at once.
const MAX_BELOW: u32 = 100_000;
/// Root and leaf frames of stacks, and their source.
type RootsKey = (Beginning, StackSource, Option<TimeKey>);

/// Value with the names of its frames.
type Framed<T> = (T, Rc<Frames>);

/// Call tree with the names of its frames. Frames other than functions have numbers that are valid only in this tree.
#[derive(Clone)]
pub(crate) struct FramedTree {
    pub tree: TopDown,
    pub frames: Rc<Frames>,
}

/// Cached trees and intermediate results.
pub(crate) struct Trees {
    /// Names of functions only.
    pub functions: Rc<Frames>,
    rooted: Recent<RootsKey, Framed<RootedStacks>>,
    shapes: Recent<(Shape, Option<RootsKey>), Framed<TransformedCallPaths>>,
    /// Trees of unchanged stacks.
    plain: Recent<TreeQuery, CallTree>,
    shaped: Recent<TreeQuery, CallTree>,
    compared: Recent<TreeQuery, FramedTree>,
    inverted: Recent<TreeQuery, InvertedTree>,
    /// Weights by frame, of unchanged stacks.
    weights: Recent<TreeQuery, StackWeights>,
    /// Threads over time.
    pub over_time: Recent<(TreeQuery, ThreadId), ThreadOverTime>,
    /// Weights over time, of unchanged and of transformed stacks.
    plain_times: Recent<TreeQuery, TimedWeights>,
    times: Recent<TreeQuery, TimedWeights>,
}

impl Trees {
    /// Creates an empty cache for a trace.
    pub(crate) fn new(store: &Store) -> Self {
        Self {
            functions: Rc::new(Frames::new(store)),
            rooted: Recent::new(ROOTED),
            shapes: Recent::new(SHAPES),
            plain: Recent::new(TREES),
            shaped: Recent::new(TREES),
            compared: Recent::new(TREES),
            inverted: Recent::new(TREES),
            weights: Recent::new(1),
            over_time: Recent::new(2),
            plain_times: Recent::new(TREES),
            times: Recent::new(TREES),
        }
    }

    /// Returns the heap size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let rooted: usize = self.rooted.values().map(|rooted| rooted.0.bytes()).sum();
        let shapes: usize = self.shapes.values().map(|shape| shape.0.bytes()).sum();
        let trees: usize = self.plain.values().chain(self.shaped.values()).map(CallTree::bytes).sum();
        let compared: usize = self.compared.values().map(|compared| compared.tree.bytes()).sum();
        let inverted: usize = self.inverted.values().map(InvertedTree::bytes).sum();
        let times: usize = self.times.values().chain(self.plain_times.values()).map(TimedWeights::bytes).sum();
        let weights: usize = self.weights.values().map(StackWeights::bytes).sum();
        let over_time: usize = self.over_time.values().map(ThreadOverTime::bytes).sum();
        rooted + shapes + trees + compared + inverted + weights + over_time + times
    }
}

impl Session {
    /// Answers a request about a call tree; `None` for other requests.
    pub(crate) fn stack_table(&mut self, request: &Request) -> Result<Option<Packed>, Failure> {
        Ok(Some(match request {
            Request::Flame { query, path, min_share, max_depth } => {
                self.flame(query, path, *min_share, *max_depth)?.pack()
            }
            Request::Children { query, path } => {
                let (tree, frames) = self.tree(query)?;
                self.named(&*tree, &frames, &query.shape).children(path).pack()
            }
            Request::Below { query, path, most } => {
                let (tree, frames) = self.tree(query)?;
                self.named(&*tree, &frames, &query.shape).below(path, (*most).min(MAX_BELOW) as usize).pack()
            }
            Request::FindFrames { query, text } => {
                let FramedTree { tree, frames } = self.top_down(query)?;
                found_frames(&self.store, &frames, &tree, text).pack()
            }
            Request::HotPath { query, max_depth } => {
                let (tree, frames) = self.tree(query)?;
                self.named(&*tree, &frames, &query.shape).hot_path(*max_depth).pack()
            }
            Request::Functions { query, order, limit } => self.functions(query, *order, *limit)?,
            Request::When { query, of } => self.when(query, of)?.pack(),
            Request::TimeOrder { query, thread, span, resolution, max_depth } => {
                let window = Window { span: *span, resolution: *resolution, max_depth: *max_depth };
                self.time_order(query, *thread, window)?.pack()
            }
            Request::CodePlaces { query, function } => self.code_places(query, *function)?.pack(),
            Request::UnresolvedCode { query } => {
                let weights = self.stack_weights(query)?;
                unresolved_code(&self.store, &weights).pack()
            }
            _ => return Ok(None),
        }))
    }

    /// Returns a flame graph. With idle time included, that is one leaf, because its stacks would hide the app's work.
    fn flame(
        &mut self,
        query: &TreeQuery,
        path: &[FunctionId],
        min_share: f64,
        max_depth: u16,
    ) -> Result<Flame, Failure> {
        let is_all = query.samples == SampleChoice::All && query.weight == Weight::Time;
        let is_whole = is_all && time_key(query).is_some() && path.is_empty();
        if !is_whole || query.shape.inverted || query.baseline.is_some() {
            let (tree, frames) = self.tree(query)?;
            return Ok(self.named(&*tree, &frames, &query.shape).flame(path, min_share, max_depth));
        }
        let idle = TreeQuery { samples: SampleChoice::Idle, shape: Shape::default(), ..query.clone() };
        let idle = self.plain_tree(&idle)?;
        let idle = idle.value(idle.total());
        let query = TreeQuery { samples: SampleChoice::NotIdle, ..query.clone() };
        let (tree, frames) = self.tree(&query)?;
        let mut table = self.named(&*tree, &frames, &query.shape).flame(path, min_share, max_depth);
        push_idle(&mut table, idle);
        Ok(table)
    }

    pub(crate) fn named<'s>(&'s self, tree: &'s dyn StackTree, frames: &'s Frames, shape: &'s Shape) -> NamedTree<'s> {
        NamedTree { tree, names: self.names(frames, shape) }
    }

    /// Returns the names of frames in stacks of a shape.
    pub(crate) fn names<'s>(&'s self, frames: &'s Frames, shape: &'s Shape) -> NamedFrames<'s> {
        NamedFrames { store: &self.store, frames, shape }
    }

    /// Returns the tree of a query, and its frames.
    fn tree(&mut self, query: &TreeQuery) -> Result<(Rc<dyn StackTree>, Rc<Frames>), Failure> {
        let FramedTree { tree, frames } = self.top_down(query)?;
        if !query.shape.inverted {
            return Ok((Rc::new(tree), frames));
        }
        if let Some(known) = self.trees.inverted.get(query) {
            return Ok((known, frames));
        }
        Ok((self.trees.inverted.insert(query.clone(), InvertedTree::new(tree)), frames))
    }

    /// Returns the tree of a query with callers first, regardless of its direction.
    pub(crate) fn top_down(&mut self, query: &TreeQuery) -> Result<FramedTree, Failure> {
        let Some(baseline) = &query.baseline else { return self.uncompared(query) };
        let mut key = query.clone();
        key.shape.inverted = false;
        if let Some(known) = self.trees.compared.get(&key) {
            return Ok((*known).clone());
        }
        let compared = self.compared(&key, baseline)?;
        Ok((*self.trees.compared.insert(key, compared)).clone())
    }

    fn compared(&mut self, query: &TreeQuery, baseline: &Baseline) -> Result<FramedTree, Failure> {
        let now = self.uncompared(query)?;
        let of = self.uncompared(&TreeQuery { filter: baseline.filter(&query.filter), ..query.clone() })?;
        let store = &self.store;
        // Their paths and frames have numbers of their own: they are compared by name.
        let profile = |of: &FramedTree| stack_profile(store, &of.frames, &of.tree.nodes, &of.tree.tree);
        let mut frames = (*now.frames).clone();
        let [now, of] = [&now, &of].map(profile);
        let functions = Frames::functions_by_name(store);
        let mut frame_of = |frame: FrameName, flags: u8| {
            let function = (flags & NO_FUNCTION == 0).then(|| {
                let key = store.strings().find(&frame.name).zip(store.strings().find(&frame.module))?;
                functions.get(&key).copied()
            });
            function.flatten().unwrap_or_else(|| frames.flagged(frame, flags))
        };
        let of = match baseline.of {
            BaselineOf::Filter(_) => of,
            BaselineOf::Rest => without(of, &now, &mut frame_of),
        };
        let tree = difference(&now, &of, baseline.is_scaled, &mut frame_of);
        Ok(FramedTree { tree, frames: frames.into() })
    }

    /// Returns the tree without a baseline.
    fn uncompared(&mut self, query: &TreeQuery) -> Result<FramedTree, Failure> {
        if query.shape.is_plain() {
            let tree = self.plain_tree(query)?;
            return Ok(match self.rooted(query)? {
                Some(rooted) => {
                    let (rooted, frames) = &*rooted;
                    FramedTree { tree: TopDown::plain(rooted.nodes().clone(), tree), frames: frames.clone() }
                }
                None => {
                    let frames = self.trees.functions.clone();
                    FramedTree { tree: TopDown::plain(self.nodes.clone(), tree), frames }
                }
            });
        }
        let mut query = TreeQuery { baseline: None, ..query.clone() };
        query.shape.inverted = false;
        let shape = self.shaped(&query)?;
        let (shape, frames) = &*shape;
        let nodes = shape.nodes().clone();
        let tree = match self.trees.shaped.get(&query) {
            Some(known) => known,
            None => {
                let plain = self.plain_tree(&query)?;
                let tree = CallTree::from_exclusive(&nodes, shape.weights(plain.of_nodes())).in_fractions_of(&plain);
                let tree = tree.with_states(plain.states().placed(&nodes, |node| shape.place(node)));
                self.trees.shaped.insert(query, tree)
            }
        };
        Ok(FramedTree { tree: TopDown::plain(nodes, tree).with_folds(shape.folds()), frames: frames.clone() })
    }

    /// Returns the stacks of a query with root frames; `None` if there are none.
    pub(crate) fn rooted(&mut self, query: &TreeQuery) -> Result<Option<Rc<Framed<RootedStacks>>>, Failure> {
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

    /// Returns the transformed call paths of a query.
    pub(crate) fn shaped(&mut self, query: &TreeQuery) -> Result<Rc<Framed<TransformedCallPaths>>, Failure> {
        let rooted = self.rooted(query)?;
        let begin = Beginning::of(query).map(|begin| (begin, query.source.clone(), time_key(query)));
        let key = (query.shape.clone(), begin);
        if let Some(known) = self.trees.shapes.get(&key) {
            return Ok(known);
        }
        let (nodes, frames) = match &rooted {
            Some(rooted) => (rooted.0.nodes(), &rooted.1),
            None => (&self.nodes, &self.trees.functions),
        };
        let mut frames = (**frames).clone();
        let shaped = TransformedCallPaths::new(&self.store, nodes, &mut frames, &query.shape);
        let shaped = shaped.map_err(|message| Failure::new(FailureCode::NotFound, message))?;
        Ok(self.trees.shapes.insert(key, (shaped, frames.into())))
    }

    /// Returns the weights of unchanged stacks by frame.
    fn stack_weights(&mut self, query: &TreeQuery) -> Result<Rc<StackWeights>, Failure> {
        let query = TreeQuery { shape: Shape::default(), baseline: None, ..query.clone() };
        if let Some(known) = self.trees.weights.get(&query) {
            return Ok(known);
        }
        let ThreadTime { stacks, selection } = self.chosen_stacks(&query)?;
        let chosen = ChosenSamples::new(&selection, query.samples, &query.weight);
        let weights = StackWeights::new(&self.store, &stacks, chosen);
        Ok(self.trees.weights.insert(query, weights))
    }

    /// Returns the hot locations in a function.
    fn code_places(&mut self, query: &TreeQuery, function: FunctionId) -> Result<CodePlaces, Failure> {
        let weights = self.stack_weights(query)?;
        let line = |frame, il_offset| self.line_of(frame, il_offset);
        Ok(code_places(&self.store, &weights, function, line))
    }

    /// Returns the weights over time of rows of a tree, or of functions.
    fn when(&mut self, query: &TreeQuery, of: &WhenOf) -> Result<When, Failure> {
        // With a baseline, only the current events count.
        let query = &TreeQuery { baseline: None, ..query.clone() };
        let nodes = self.uncompared(query)?.tree.nodes;
        let times = self.times(query)?;
        Ok(match of {
            WhenOf::Rows(rows) if query.shape.inverted => times.of_callers(&nodes, rows),
            WhenOf::Rows(rows) => times.of_rows(&nodes, rows),
            WhenOf::Functions(functions) => times.of_functions(&nodes, functions),
        })
    }

    /// Returns the weights over time of a query's call paths.
    fn times(&mut self, query: &TreeQuery) -> Result<Rc<TimedWeights>, Failure> {
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
    fn times_unshaped(&mut self, query: TreeQuery) -> Result<Rc<TimedWeights>, Failure> {
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
    fn plain_tree(&mut self, query: &TreeQuery) -> Result<Rc<CallTree>, Failure> {
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
