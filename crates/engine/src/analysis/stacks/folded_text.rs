//! Samples as folded stacks for flame-graph scripts: `thread 4711;root;…;leaf weight`.

use super::sample_choice::ChosenSamples;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::format::escaped;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Returns the sorted lines of the selected samples with their weights.
pub fn folded_stacks<'n>(
    store: &Store,
    samples: &SampleIndex,
    nodes: &CallNodes,
    chosen: ChosenSamples,
    name: impl Fn(FunctionId) -> &'n str,
) -> String {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (thread, samples) in samples.iter() {
        let mut weights: FastMap<CallNodeId, u64> = FastMap::default();
        for index in chosen.of(samples) {
            let weight = weights.entry(nodes.of_stack(samples.stack(index))).or_default();
            *weight = weight.saturating_add(chosen.weight(samples, index));
        }
        let os_thread = store.threads.get(thread).map_or(0, |thread| thread.os_thread);
        for (node, weight) in weights {
            *lines.entry(folded(nodes, &name, os_thread, node)).or_default() += weight;
        }
    }
    lines.into_iter().map(|(stack, weight)| format!("{stack} {weight}\n")).collect()
}

/// Returns a lookup of functions' names in the runtime's notation.
#[cfg(test)]
pub fn raw_names<'s>(store: &'s Store) -> impl Fn(FunctionId) -> &'s str {
    move |function| store.functions.get(function).map_or("", |function| store.strings.get(function.raw_name))
}

fn folded<'n>(nodes: &CallNodes, name: &impl Fn(FunctionId) -> &'n str, os_thread: u64, leaf: CallNodeId) -> String {
    let mut functions: Vec<FunctionId> = nodes.path(leaf).filter_map(|node| nodes.function(node)).collect();
    functions.reverse();
    let mut line = format!("thread {os_thread}");
    for function in functions {
        line.push(';');
        line.push_str(&folded_name(name(function)));
    }
    line
}

/// Returns a name as a part of a folded stack, which can't contain semicolons and line breaks.
pub fn folded_name(name: &str) -> Cow<'_, str> {
    match escaped(name) {
        name if name.contains(';') => Cow::Owned(name.replace(';', ":")),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_stack_name_stays_one_part() {
        assert_eq!(folded_name("A.B!M()"), "A.B!M()");
        assert_eq!(folded_name("A;\nB\x1b[2J"), "A:\\nB\\u{1b}[2J");
    }
}
