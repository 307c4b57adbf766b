//! Number of stacks that contain a function, with the first and last time, regardless of weights.

use super::sample_choice::ChosenSamples;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use protocol::base::ids::{CallNodeId, FunctionId, ThreadId};

/// Number and times of occurrences on stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Occurrence {
    /// Number of stacks that contain it.
    pub stacks: u64,
    /// Time of the first of them, in nanoseconds since the sync point; 0 if there are none.
    pub first: i64,
    /// Time of the last of them.
    pub last: i64,
}

impl Occurrence {
    fn at(time: i64) -> Self {
        Self { stacks: 1, first: time, last: time }
    }

    fn add(&mut self, other: Self) {
        match (self.stacks, other.stacks) {
            (_, 0) => {}
            (0, _) => *self = other,
            _ => {
                self.stacks += other.stacks;
                self.first = self.first.min(other.first);
                self.last = self.last.max(other.last);
            }
        }
    }
}

/// Returns, by frame of `frames`, its occurrences in the selected stacks; a recursive one counts once. `leaf` returns
/// the path of a thread's stack in `nodes`; `None` for an excluded one. `no_stack` is the frame of events without a stack.
pub fn occurrences(
    samples: &SampleIndex,
    chosen: ChosenSamples,
    nodes: &CallNodes,
    (frames, no_stack): (usize, Option<FunctionId>),
    leaf: impl Fn(ThreadId, &ThreadSamples, usize) -> Option<CallNodeId>,
) -> Vec<Occurrence> {
    let mut of_nodes = vec![Occurrence::default(); nodes.len().max(1)];
    for (id, thread) in samples.iter() {
        for index in chosen.of(thread) {
            if let Some(node) = leaf(id, thread, index) {
                of_nodes[node.index()].add(Occurrence::at(thread.time(index)));
            }
        }
    }
    let mut of_frames = vec![Occurrence::default(); frames];
    if let Some(of_frame) = no_stack.and_then(|frame| of_frames.get_mut(frame.index())) {
        *of_frame = of_nodes[CallNodes::ROOT.index()];
    }
    // Callees come after their callers.
    for node in (1..nodes.len() as u32).rev().map(CallNodeId) {
        let of_node = of_nodes[node.index()];
        of_nodes[nodes.parent(node).index()].add(of_node);
        let frame = nodes.function(node).filter(|_| !nodes.is_recursive(node));
        if let Some(of_frame) = frame.and_then(|frame| of_frames.get_mut(frame.index())) {
            of_frame.add(of_node);
        }
    }
    of_frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::scan::selection::Selection;
    use crate::analysis::stacks::tree_query::call_nodes;
    use crate::analysis::testing::{Happening, What, store_of};
    use proptest::prelude::*;
    use protocol::request::{SampleChoice, Weight};

    /// Returns the occurrences of a method by visiting all stacks.
    fn expected(samples: &[(u64, bool, Vec<u64>)], method: u64, only_managed: bool) -> Occurrence {
        let mut of_method = Occurrence::default();
        for (time, (_, managed, stack)) in (0..).zip(samples) {
            if stack.contains(&method) && (*managed || !only_managed) {
                of_method.add(Occurrence::at(time * 10));
            }
        }
        of_method
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn occurrences_match_visiting_all_stacks(
            samples in proptest::collection::vec((5u64..8, any::<bool>(), proptest::collection::vec(1u64..6, 0..6)), 1..30),
            only_managed: bool,
        ) {
            let happenings: Vec<Happening> = (0..)
                .zip(&samples)
                .map(|(at, (thread, managed, stack))| (at * 10, *thread, What::Sample(*managed, stack.clone())))
                .collect();
            let (store, _) = store_of(&happenings);
            let (index, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
            let selection = Selection::of_range(0..store.events.len(), store.events.len());
            let choice = if only_managed { SampleChoice::Managed } else { SampleChoice::All };
            let chosen = ChosenSamples::new(&selection, choice, &Weight::Time);
            let count = store.functions.len();
            let found = occurrences(&index, chosen, &nodes, (count, None), |_, thread, at| Some(nodes.of_stack(thread.stack(at))));
            for (function, of_function) in store.functions.iter().zip(found) {
                let name = store.strings.get(function.name);
                let Ok(method) = name.trim_start_matches("Shop.M").trim_end_matches("()").parse() else { continue };
                prop_assert_eq!(of_function, expected(&samples, method, only_managed), "{}", name);
            }
        }
    }
}
