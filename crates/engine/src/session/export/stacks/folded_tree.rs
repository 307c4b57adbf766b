//! Call tree as folded stacks: `root;…;leaf weight`; with a baseline `root;…;leaf baseline now`, the input of
//! differential flame graphs.

use super::StackExport;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::stacks::folded_text::folded_name;
use crate::analysis::stacks::stack_tree::{StackTree, TopDown};
use protocol::base::ids::CallNodeId;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) fn write(export: &StackExport, tree: &TopDown, output: &mut dyn Write) -> io::Result<()> {
    let mut lines: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for node in (0..tree.nodes.len() as u32).map(CallNodeId).filter(|&node| tree.tree.exclusive(node) > 0) {
        let baseline = tree.baseline.as_ref().map_or(0, |baseline| baseline.exclusive(node));
        let line = lines.entry(path(export, &tree.nodes, node)).or_default();
        line.0 += tree.value(baseline);
        line.1 += tree.value(tree.tree.exclusive(node) - baseline);
    }
    let is_compared = export.query.baseline.is_some();
    lines.into_iter().try_for_each(|(stack, (baseline, now))| match is_compared {
        true => writeln!(output, "{stack} {baseline} {now}"),
        false => writeln!(output, "{stack} {now}"),
    })
}

fn path(export: &StackExport, nodes: &CallNodes, leaf: CallNodeId) -> String {
    let functions = nodes.path(leaf).filter_map(|node| nodes.function(node));
    let name = |function| match export.query.baseline {
        // The baseline may come from another trace. Only readable names are comparable.
        Some(_) => export.function_name(Some(function)),
        None => export.raw_name(Some(function)),
    };
    let mut names: Vec<String> = functions.map(|function| folded_name(name(function)).into_owned()).collect();
    names.reverse();
    if names.is_empty() { export.function_name(None).to_owned() } else { names.join(";") }
}
