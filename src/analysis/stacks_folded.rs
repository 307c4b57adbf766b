//! Samples as folded stacks: `thread 4711;root;…;leaf count`, as flame-graph scripts read them.

use super::call_nodes::CallNodes;
use super::samples::SampleIndex;
use crate::model::Store;
use crate::model::ids::{CallNodeId, FunctionId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The lines, sorted, of all samples or only of those in managed code. Frames have their raw names.
pub fn folded_stacks(store: &Store, samples: &SampleIndex, nodes: &CallNodes, only_managed: bool) -> String {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (thread, samples) in samples.iter() {
        let mut counts: FxHashMap<CallNodeId, u64> = FxHashMap::default();
        for index in (0..samples.len()).filter(|&index| !only_managed || samples.is_managed(index)) {
            *counts.entry(nodes.of_stack(samples.stack(index))).or_default() += 1;
        }
        let os_thread = store.threads().get(thread).map_or(0, |thread| thread.os_thread);
        for (node, count) in counts {
            *lines.entry(folded(store, nodes, os_thread, node)).or_default() += count;
        }
    }
    lines.into_iter().map(|(stack, count)| format!("{stack} {count}\n")).collect()
}

fn folded(store: &Store, nodes: &CallNodes, os_thread: u64, leaf: CallNodeId) -> String {
    let path = std::iter::successors(Some(leaf), |&node| Some(nodes.parent(node)));
    let mut functions: Vec<FunctionId> = path.map_while(|node| nodes.function(node)).collect();
    functions.reverse();
    let mut line = format!("thread {os_thread}");
    for function in functions {
        let name = store.functions().get(function).map_or("", |function| store.strings().get(function.raw_name));
        line.push(';');
        line.extend(name.chars().map(|char| if char == ';' { ':' } else { char }));
    }
    line
}
