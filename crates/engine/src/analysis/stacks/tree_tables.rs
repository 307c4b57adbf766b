//! Call trees as tables: flame graph, call nodes, functions.

use super::flame_layout::{BoxContent, layout};
use super::frames::{Frames, PATH_START, longer_path};
use super::function_weights::FunctionWeight;
use super::occurrences::Occurrence;
use super::shape::folding::is_framework;
use super::stack_tree::{StackTree, hot_path as hottest, node_at};
use crate::analysis::samples::call_nodes::CallNodes;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::columns::Strings;
use protocol::stacks::shape::Shape;
use protocol::tables;
use protocol::tables::folded_frames;
use protocol::tables::frame_flag::{CATEGORY, FRAMEWORK, IDLE, UNRESOLVED};
use protocol::tables::state;
use protocol::timeline::thread_state::ThreadState;
use std::collections::VecDeque;

/// Bit of `slice_flags`: the thread was outside managed code.
const EXTERNAL_LEAF: u8 = 1;
/// Name of the root of a call tree.
const ROOT_NAME: &str = "All stacks";

/// Texts and flags of a function in tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct FunctionText<'s> {
    /// Readable name.
    pub name: &'s str,
    pub module: &'s str,
    /// Bits as in the tables.
    pub flags: u8,
}

/// Returns a function's texts for tables; for `None`, those of a tree's root.
pub fn function_text(store: &Store, function: Option<FunctionId>) -> FunctionText<'_> {
    let Some(function) = function else { return FunctionText { name: ROOT_NAME, ..FunctionText::default() } };
    let Some(function) = store.functions.get(function) else { return FunctionText::default() };
    FunctionText {
        name: store.strings.get(function.name),
        module: store.strings.get(function.module),
        flags: if function.is_framework { FRAMEWORK } else { 0 },
    }
}

/// Returns the bits of a slice of the timeline.
pub fn slice_flags(text: FunctionText<'_>, is_external_leaf: bool) -> u8 {
    text.flags | if is_external_leaf { EXTERNAL_LEAF } else { 0 }
}

/// Deduplicated names.
#[derive(Default)]
pub struct NameTable {
    names: Strings,
    by_function: FastMap<u32, u32>,
    by_name: FastMap<String, u32>,
}

impl NameTable {
    /// Returns the position of a function's name, and adds it if needed.
    pub fn of(&mut self, function: FunctionId, name: &str) -> u32 {
        *self.by_function.entry(function.0).or_insert_with(|| self.names.push(name))
    }

    /// Adds another name, and returns its position.
    pub fn push(&mut self, name: &str) -> u32 {
        self.names.push(name)
    }

    /// Returns the position of a name, and adds it if needed.
    pub fn position(&mut self, name: &str) -> u32 {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let position = self.names.push(name);
        self.by_name.insert(name.to_owned(), position);
        position
    }

    pub fn finish(self) -> Strings {
        self.names
    }
}

/// Names of the frames in stacks of a shape.
#[derive(Clone, Copy)]
pub struct NamedFrames<'s> {
    pub store: &'s Store,
    /// Groups of functions.
    pub frames: &'s Frames,
    /// The applied shape.
    pub shape: &'s Shape,
}

impl<'s> NamedFrames<'s> {
    /// Returns a frame's texts for tables; for `None`, those of a tree's root.
    pub fn text(self, frame: Option<FunctionId>) -> FunctionText<'s> {
        let text = self.frames.text(self.store, frame);
        match frame.and_then(|frame| self.store.functions.get(frame)) {
            Some(function) if is_framework(self.store, function, self.shape) => {
                FunctionText { flags: text.flags | FRAMEWORK, ..text }
            }
            Some(_) => FunctionText { flags: text.flags & !FRAMEWORK, ..text },
            None => text,
        }
    }

    /// Returns the family that a frame represents; empty if it isn't folded.
    pub fn family(self, frame: Option<FunctionId>) -> &'s str {
        let flags = self.text(frame).flags;
        if flags & CATEGORY != 0 {
            return "";
        }
        let is_folded = self.shape.just_my_code && flags & FRAMEWORK != 0 || flags & UNRESOLVED != 0;
        let family = frame.filter(|_| is_folded).map_or("", |frame| self.frames.family(self.store, frame));
        if self.shape.shown.iter().any(|shown| shown == family) { "" } else { family }
    }

    fn hash(self, frame: FunctionId) -> u64 {
        self.frames.hash(self.store, frame)
    }
}

/// Adds idle time as one leaf below the root of a flame graph.
pub fn push_idle(table: &mut tables::Flame, idle: f64) {
    let busy = table.total.first().copied().unwrap_or(0.0);
    let total = busy + idle;
    if idle <= 0.0 || total <= 0.0 {
        return;
    }
    let mut names: Strings = table.names.iter().collect();
    if table.node.is_empty() {
        table.node.push(0);
        table.depth.push(0);
        table.left.push(0.0);
        table.right.push(1.0);
        table.inclusive.push(0.0);
        table.exclusive.push(0.0);
        table.function.push(u32::MAX);
        table.name.push(names.push(ROOT_NAME));
        table.module.push(names.push(""));
        table.path.push(PATH_START);
        table.family.push(names.push(""));
        table.flags.push(0);
        table.state.push(state::IDLE);
    } else {
        let scale = busy / total;
        table.left.iter_mut().chain(&mut table.right).for_each(|edge| *edge *= scale);
    }
    table.right[0] = 1.0;
    table.inclusive[0] = total;
    table.total = vec![total];
    table.node.push(u32::MAX);
    table.depth.push(1);
    table.left.push(busy / total);
    table.right.push(1.0);
    table.inclusive.push(idle);
    table.exclusive.push(idle);
    table.function.push(u32::MAX);
    table.name.push(names.push(ThreadState::Idle.name()));
    table.module.push(names.push(""));
    table.path.push(0);
    table.family.push(names.push(""));
    table.flags.push(IDLE);
    table.state.push(state::IDLE);
    table.names = names;
}

/// A tree with the names of its frames.
#[derive(Clone, Copy)]
pub struct NamedTree<'s> {
    pub tree: &'s dyn StackTree,
    pub names: NamedFrames<'s>,
}

impl<'n> NamedTree<'n> {
    /// Returns the weights of a node as in tables: including and excluding children, and the same of the baseline.
    fn values(self, node: CallNodeId) -> (f64, f64, Option<(f64, f64)>) {
        let of_baseline = self.tree.of_baseline(node);
        let (inclusive, exclusive) = of_baseline.unwrap_or_default();
        let value = |weight: u64| self.tree.value(weight);
        (
            value(self.tree.inclusive(node).saturating_sub(inclusive)),
            value(self.tree.exclusive(node).saturating_sub(exclusive)),
            of_baseline.map(|(inclusive, exclusive)| (value(inclusive), value(exclusive))),
        )
    }

    /// Returns the weight of the whole tree and of the whole baseline, as in tables.
    fn totals(self, root: CallNodeId) -> (Vec<f64>, Vec<f64>) {
        let (total, _, of_baseline) = self.values(root);
        (vec![total], of_baseline.map(|(total, _)| total).into_iter().collect())
    }

    fn path_to(self, node: CallNodeId, caller: u64) -> u64 {
        self.tree.frame(node).map_or(caller, |frame| longer_path(caller, self.names.hash(frame)))
    }

    fn path_of(self, frames: &[FunctionId]) -> u64 {
        frames.iter().fold(PATH_START, |path, &frame| longer_path(path, self.names.hash(frame)))
    }

    /// Returns the boxes of a flame graph below the node at `path`; empty if it doesn't exist.
    pub fn flame(self, path: &[FunctionId], min_share: f64, max_depth: u16) -> tables::Flame {
        let mut table = tables::Flame::default();
        let Some(root) = node_at(self.tree, path) else { return table };
        let total = self.tree.inclusive(root);
        (table.total, table.base_total) = self.totals(root);
        let mut names = NameTable::default();
        // Hashes of the paths of nodes whose children come later.
        let mut paths: FastMap<CallNodeId, u64> = FastMap::default();
        for one in layout(self.tree, root, min_share, max_depth) {
            table.depth.push(one.depth);
            table.left.push(one.left as f64 / total as f64);
            table.right.push(one.right as f64 / total as f64);
            match one.content {
                BoxContent::Node(node) => {
                    let (inclusive, exclusive, of_baseline) = self.values(node);
                    let path = match one.caller {
                        None => self.path_of(path),
                        Some(caller) => self.path_to(node, paths.get(&caller).copied().unwrap_or(PATH_START)),
                    };
                    paths.insert(node, path);
                    let frame = self.tree.frame(node);
                    let text = self.names.text(frame);
                    let number = table.node.len() as u32 + 1;
                    table.node.push(if node == CallNodes::ROOT { 0 } else { number });
                    table.inclusive.push(inclusive);
                    table.exclusive.push(exclusive);
                    table.base_inclusive.extend(of_baseline.map(|of| of.0));
                    table.base_exclusive.extend(of_baseline.map(|of| of.1));
                    table.function.push(frame.map_or(u32::MAX, |frame| frame.0));
                    table.name.push(names.position(text.name));
                    table.module.push(names.position(text.module));
                    table.path.push(path);
                    table.family.push(names.position(self.family(node, one.caller)));
                    table.folded.push(self.folded(node));
                    table.flags.push(text.flags);
                    table.state.push(self.tree.state(node));
                }
                BoxContent::Merged { count, baseline } => {
                    table.node.push(u32::MAX);
                    table.inclusive.push(self.tree.value(one.right - one.left - baseline.unwrap_or_default()));
                    table.exclusive.push(0.0);
                    table.base_inclusive.extend(baseline.map(|weight| self.tree.value(weight)));
                    table.base_exclusive.extend(baseline.map(|_| 0.0));
                    table.function.push(u32::MAX);
                    table.name.push(names.position(&format!("({count} merged)")));
                    table.module.push(names.position(""));
                    table.path.push(0);
                    table.family.push(names.position(""));
                    table.folded.push(0);
                    table.flags.push(0);
                    table.state.push(0);
                }
            }
        }
        table.names = names.finish();
        table
    }

    /// Returns the children of the node at `path`, heaviest first; empty if it doesn't exist.
    pub fn children(self, path: &[FunctionId]) -> tables::CallNodes {
        self.below(path, 0)
    }

    /// Returns the descendants of the node at `path`, at most `most` rows: near ones first, of these the heaviest.
    /// Empty if it doesn't exist.
    pub fn below(self, path: &[FunctionId], most: usize) -> tables::CallNodes {
        let Some(top) = node_at(self.tree, path) else { return self.call_nodes(std::iter::empty()) };
        let mut opened: FastMap<CallNodeId, Vec<CallNodeId>> = FastMap::default();
        let mut rows = 0;
        let mut waiting = VecDeque::from([top]);
        while let Some(node) = waiting.pop_front() {
            let children = self.tree.children(node);
            rows += children.len();
            if node != top && rows > most {
                break;
            }
            waiting.extend(children.iter().copied().filter(|&child| most > 0 && self.tree.has_children(child)));
            opened.insert(node, children);
        }
        let mut open = vec![(top, 0, self.path_of(path))];
        let mut nodes = Vec::new();
        while let Some((node, level, of_path)) = open.pop() {
            if level > 0 {
                nodes.push((node, level, of_path));
            }
            let children = opened.get(&node).into_iter().flatten().rev();
            open.extend(children.map(|&child| (child, level + 1, self.path_to(child, of_path))));
        }
        self.call_nodes(nodes.into_iter())
    }

    /// Returns the path that follows the heaviest child.
    pub fn hot_path(self, max_depth: u16) -> tables::CallNodes {
        let mut of_path = PATH_START;
        let nodes = (1..).zip(hottest(self.tree, max_depth));
        self.call_nodes(nodes.map(|(level, node)| {
            of_path = self.path_to(node, of_path);
            (node, level, of_path)
        }))
    }

    fn call_nodes(self, wanted: impl Iterator<Item = (CallNodeId, u32, u64)>) -> tables::CallNodes {
        let (total, base_total) = self.totals(CallNodes::ROOT);
        let mut table = tables::CallNodes { total, base_total, ..Default::default() };
        for (node, level, path) in wanted {
            let frame = self.tree.frame(node);
            let text = self.names.text(frame);
            let (inclusive, exclusive, of_baseline) = self.values(node);
            table.inclusive.push(inclusive);
            table.exclusive.push(exclusive);
            table.base_inclusive.extend(of_baseline.map(|of| of.0));
            table.base_exclusive.extend(of_baseline.map(|of| of.1));
            table.has_children.push(u8::from(self.tree.has_children(node)));
            table.level.push(level);
            table.function.push(frame.map_or(u32::MAX, |frame| frame.0));
            table.name.push(text.name);
            table.module.push(text.module);
            table.tier.push(&self.names.frames.tier_words(frame));
            table.path.push(path);
            table.family.push(self.family(node, self.tree.caller(node)));
            table.folded.push(self.folded(node));
            table.flags.push(text.flags);
        }
        table
    }

    /// Returns the family that a node represents; for the category of folded code, the family of that code.
    fn family(self, node: CallNodeId, caller: Option<CallNodeId>) -> &'n str {
        let frame = self.tree.frame(node);
        let is_category = frame.is_some_and(|frame| self.names.frames.is_category(frame));
        let of = if is_category { caller.and_then(|caller| self.tree.frame(caller)) } else { frame };
        self.names.family(of)
    }

    fn folded(self, node: CallNodeId) -> u32 {
        self.tree.folded(node).map_or(0, |(fewest, most)| folded_frames(fewest, most))
    }

    /// Returns at most `limit` functions with their weights. `occurrence` returns the number of stacks with a function,
    /// and the times.
    pub fn functions(
        self,
        weights: &[FunctionWeight],
        occurrence: impl Fn(FunctionId) -> Occurrence,
        limit: u32,
    ) -> tables::Functions {
        let (total, base_total) = self.totals(CallNodes::ROOT);
        let is_compared = !base_total.is_empty();
        let count = vec![weights.len() as u32];
        let mut table = tables::Functions { total, base_total, count, ..Default::default() };
        for weight in weights.iter().take(limit as usize) {
            let text = self.names.text(Some(weight.function));
            table.function.push(weight.function.0);
            table.inclusive.push(self.tree.value(weight.inclusive));
            table.exclusive.push(self.tree.value(weight.exclusive));
            if is_compared {
                table.base_inclusive.push(self.tree.value(weight.of_baseline.0));
                table.base_exclusive.push(self.tree.value(weight.of_baseline.1));
            }
            let Occurrence { stacks, first, last } = occurrence(weight.function);
            table.stacks.push(stacks);
            table.first.push(first);
            table.last.push(last);
            table.name.push(text.name);
            table.module.push(text.module);
            table.tier.push(&self.names.frames.tier_words(Some(weight.function)));
            table.family.push(self.names.family(Some(weight.function)));
            table.flags.push(text.flags);
            table.state.push(weight.state);
        }
        table
    }
}
