//! Samples as folded stacks: `thread 4711;root;…;leaf weight`, as flame-graph scripts read them.

use super::call_nodes::CallNodes;
use super::sample_choice::ChosenSamples;
use super::samples::SampleIndex;
use crate::model::Store;
use crate::model::ids::{CallNodeId, FunctionId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The lines, sorted, of the chosen samples with what they weigh. Frames have their raw names.
pub fn folded_stacks(store: &Store, samples: &SampleIndex, nodes: &CallNodes, chosen: ChosenSamples) -> String {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (thread, samples) in samples.iter() {
        let mut weights: FxHashMap<CallNodeId, u64> = FxHashMap::default();
        for index in chosen.of(samples) {
            let weight = weights.entry(nodes.of_stack(samples.stack(index))).or_default();
            *weight = weight.saturating_add(chosen.weight(samples, index));
        }
        let os_thread = store.threads().get(thread).map_or(0, |thread| thread.os_thread);
        for (node, weight) in weights {
            *lines.entry(folded(store, nodes, os_thread, node)).or_default() += weight;
        }
    }
    lines.into_iter().map(|(stack, weight)| format!("{stack} {weight}\n")).collect()
}

fn folded(store: &Store, nodes: &CallNodes, os_thread: u64, leaf: CallNodeId) -> String {
    let mut functions: Vec<FunctionId> = nodes.path(leaf).filter_map(|node| nodes.function(node)).collect();
    functions.reverse();
    let mut line = format!("thread {os_thread}");
    for function in functions {
        let name = store.functions().get(function).map_or("", |function| store.strings().get(function.raw_name));
        line.push(';');
        line.extend(name.chars().map(|char| if char == ';' { ':' } else { char }));
    }
    line
}
