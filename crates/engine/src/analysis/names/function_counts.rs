//! Number of events with each function on the stack.

use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::scan::payload_batches::Step;
use crate::model::Store;
use protocol::base::ids::{CallNodeId, FunctionId};

/// Chunks of events that are counted per step: about a million events.
const CHUNKS: usize = 16;

/// Number of events with each function on the stack.
#[derive(Debug, Default)]
pub struct FunctionCounts {
    /// By function.
    events: Vec<u64>,
}

impl FunctionCounts {
    /// Returns the number of events with a function on the stack.
    pub fn of(&self, function: FunctionId) -> u64 {
        self.events.get(function.index()).copied().unwrap_or(0)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.events.len() * size_of::<u64>()
    }
}

/// Counts in steps.
#[derive(Debug)]
pub struct FunctionCountSearch {
    /// Events by stack.
    by_stack: Vec<u32>,
    next_chunk: usize,
}

impl FunctionCountSearch {
    /// Returns a search that has counted nothing.
    pub fn new(store: &Store) -> Self {
        Self { by_stack: vec![0; store.stacks.len()], next_chunk: 0 }
    }

    /// Counts for a few milliseconds.
    pub fn step(&mut self, store: &Store) -> Step {
        let chunks = store.events.chunks();
        let end = self.next_chunk.saturating_add(CHUNKS).min(chunks.len());
        for chunk in chunks.get(self.next_chunk..end).unwrap_or_default() {
            chunk.stacks.for_each(0..chunk.len(), |_, stack| {
                if let Some(count) = self.by_stack.get_mut(stack as usize) {
                    *count += 1;
                }
            });
        }
        self.next_chunk = end;
        if end == chunks.len() { Step::Done } else { Step::More }
    }

    /// Returns the counts. An event with a function several times on its stack counts once.
    pub fn finish(self, nodes: &CallNodes) -> FunctionCounts {
        let mut inclusive = vec![0_u64; nodes.len()];
        for (node, count) in nodes.of_stacks().zip(&self.by_stack) {
            if let Some(sum) = inclusive.get_mut(node.index()) {
                *sum += u64::from(*count);
            }
        }
        let mut events: Vec<u64> = Vec::new();
        for node in (1..nodes.len() as u32).rev().map(CallNodeId) {
            let count = inclusive.get(node.index()).copied().unwrap_or(0);
            if let Some(sum) = inclusive.get_mut(nodes.parent(node).index()) {
                *sum += count;
            }
            let Some(function) = nodes.function(node).filter(|_| !nodes.is_recursive(node)) else { continue };
            if events.len() <= function.index() {
                events.resize(function.index() + 1, 0);
            }
            if let Some(sum) = events.get_mut(function.index()) {
                *sum += count;
            }
        }
        FunctionCounts { events }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stacks::tree_query::call_nodes;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn recursive_function_counts_once_per_event() {
        let (store, _) = store_of(&[
            (0, 5, What::Sample(true, vec![1, 2, 1])),
            (10, 5, What::Sample(true, vec![1, 2])),
            (20, 5, What::StackedOrder("x", 1, vec![2])),
            (30, 5, What::Order("no stack", 1)),
        ]);
        let mut search = FunctionCountSearch::new(&store);
        while search.step(&store) != Step::Done {}
        let counts = search.finish(&call_nodes(&store));
        let count = |name: &str| {
            let named = |id: &u32| {
                let function = store.functions.get(FunctionId(*id));
                function.is_some_and(|function| store.strings.get(function.name) == name)
            };
            (0..store.functions.len() as u32).filter(named).map(|id| counts.of(FunctionId(id))).sum::<u64>()
        };
        assert_eq!(["Shop.M1()", "Shop.M2()"].map(count), [2, 3]);
        assert_eq!(counts.of(FunctionId(u32::MAX)), 0);
    }
}
