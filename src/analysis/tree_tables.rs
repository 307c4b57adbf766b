//! Call trees as tables: flame graph, call nodes, functions.

use super::call_nodes::CallNodes;
use super::call_tree::CallTree;
use super::flame_layout::{BoxContent, layout};
use super::function_weights::function_weights;
use crate::model::Store;
use crate::model::ids::{CallNodeId, FunctionId};
use crate::protocol::columns::Strings;
use crate::protocol::request::FunctionOrder;
use crate::protocol::tables;
use rustc_hash::FxHashMap;

/// Bit of `flags`: framework code.
const FRAMEWORK: u8 = 2;
/// Bit of `slice_flags`: the thread was outside managed code.
const EXTERNAL_LEAF: u8 = 1;
/// What the root of a call tree is called.
const ROOT_NAME: &str = "All samples";

/// What tables say of a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct FunctionText<'s> {
    /// Readable name.
    pub name: &'s str,
    /// Module.
    pub module: &'s str,
    /// Bits as in the tables.
    pub flags: u8,
}

/// What tables say of a function; of none, the root of a tree.
pub fn function_text(store: &Store, function: Option<FunctionId>) -> FunctionText<'_> {
    let Some(function) = function else { return FunctionText { name: ROOT_NAME, ..FunctionText::default() } };
    let Some(function) = store.functions().get(function) else { return FunctionText::default() };
    FunctionText {
        name: store.strings().get(function.name),
        module: store.strings().get(function.module),
        flags: if function.is_framework { FRAMEWORK } else { 0 },
    }
}

/// The bits of a slice of the timeline.
pub fn slice_flags(store: &Store, function: FunctionId, is_external_leaf: bool) -> u8 {
    function_text(store, Some(function)).flags | if is_external_leaf { EXTERNAL_LEAF } else { 0 }
}

/// Names, each once.
#[derive(Default)]
pub struct NameTable {
    names: Strings,
    by_function: FxHashMap<u32, u32>,
}

impl NameTable {
    /// The position of a function's name.
    pub fn of_function(&mut self, store: &Store, function: Option<FunctionId>) -> u32 {
        let key = function.map_or(u32::MAX, |function| function.0);
        *self.by_function.entry(key).or_insert_with(|| self.names.push(function_text(store, function).name))
    }

    /// The position of another name.
    pub fn push(&mut self, name: &str) -> u32 {
        self.names.push(name)
    }

    /// The names.
    pub fn finish(self) -> Strings {
        self.names
    }
}

/// The boxes of a flame graph below `root`; empty if there is no such node.
pub fn flame(
    store: &Store,
    nodes: &CallNodes,
    tree: &CallTree,
    root: CallNodeId,
    min_share: f64,
    max_depth: u16,
) -> tables::Flame {
    let mut table = tables::Flame::default();
    if !nodes.contains(root) {
        return table;
    }
    let total = tree.inclusive(root);
    table.total.push(tree.value(total));
    table.depth_available.push(tree.height(root));
    let mut names = NameTable::default();
    for one in layout(nodes, tree, root, min_share, max_depth) {
        table.depth.push(one.depth);
        table.left.push(one.left as f64 / total as f64);
        table.right.push(one.right as f64 / total as f64);
        table.inclusive.push(tree.value(one.right - one.left));
        match one.content {
            BoxContent::Node(node) => {
                let function = nodes.function(node);
                table.node.push(node.0);
                table.exclusive.push(tree.value(tree.exclusive(node)));
                table.function.push(function.map_or(u32::MAX, |function| function.0));
                table.name.push(names.of_function(store, function));
                table.flags.push(function_text(store, function).flags);
            }
            BoxContent::Merged(count) => {
                table.node.push(u32::MAX);
                table.exclusive.push(0.0);
                table.function.push(u32::MAX);
                table.name.push(names.push(&format!("({count} merged)")));
                table.flags.push(0);
            }
        }
    }
    table.names = names.finish();
    table
}

/// The callees of a node, heaviest first; empty if there is no such node.
pub fn children(store: &Store, nodes: &CallNodes, tree: &CallTree, node: CallNodeId) -> tables::CallNodes {
    let children = if nodes.contains(node) { tree.heaviest_children(nodes, node) } else { Vec::new() };
    call_node_table(store, nodes, tree, &children)
}

/// The path that follows the heaviest callee.
pub fn hot_path(store: &Store, nodes: &CallNodes, tree: &CallTree, max_depth: u16) -> tables::CallNodes {
    call_node_table(store, nodes, tree, &tree.hot_path(nodes, max_depth))
}

fn call_node_table(store: &Store, nodes: &CallNodes, tree: &CallTree, wanted: &[CallNodeId]) -> tables::CallNodes {
    let mut table = tables::CallNodes { total: vec![tree.value(tree.total())], ..Default::default() };
    for &node in wanted {
        let function = nodes.function(node);
        let text = function_text(store, function);
        table.node.push(node.0);
        table.parent.push(nodes.parent(node).0);
        table.inclusive.push(tree.value(tree.inclusive(node)));
        table.exclusive.push(tree.value(tree.exclusive(node)));
        table.has_children.push(u8::from(tree.height(node) > 0));
        table.function.push(function.map_or(u32::MAX, |function| function.0));
        table.name.push(text.name);
        table.module.push(text.module);
        table.flags.push(text.flags);
    }
    table
}

/// Functions in the wanted order, at most `limit`.
pub fn functions(
    store: &Store,
    nodes: &CallNodes,
    tree: &CallTree,
    order: FunctionOrder,
    limit: u32,
) -> tables::Functions {
    let weights = function_weights(nodes, tree, order);
    let mut table = tables::Functions {
        total: vec![tree.value(tree.total())],
        count: vec![weights.len() as u32],
        ..Default::default()
    };
    for weight in weights.iter().take(limit as usize) {
        let text = function_text(store, Some(weight.function));
        table.function.push(weight.function.0);
        table.inclusive.push(tree.value(weight.inclusive));
        table.exclusive.push(tree.value(weight.exclusive));
        table.name.push(text.name);
        table.module.push(text.module);
        table.flags.push(text.flags);
    }
    table
}
