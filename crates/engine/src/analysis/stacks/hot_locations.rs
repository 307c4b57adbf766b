//! Hot locations in a function: source lines if known, else offsets in its IL or addresses in its code.

use super::sample_choice::ChosenSamples;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::tiers::Tiers;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FrameId, FunctionId, StackId};
use protocol::base::sort::sort_by_key;
use protocol::tables::CodePlaces;
use std::cmp::Reverse;

/// Self and total weights of stack nodes.
pub struct StackWeights {
    alone: Vec<u64>,
    with_callees: Vec<u64>,
    per_one: u64,
}

impl StackWeights {
    /// Sums the samples of a query.
    pub fn new(store: &Store, stacks: &SampleIndex, chosen: ChosenSamples<'_>) -> Self {
        let mut alone = vec![0u64; store.stacks.len()];
        for (_, thread) in stacks.iter() {
            for index in chosen.of(thread) {
                if let Some(weight) = alone.get_mut(thread.stack(index).index()) {
                    *weight = weight.saturating_add(chosen.weight(thread, index));
                }
            }
        }
        let mut with_callees = alone.clone();
        // Callees come after their callers.
        for (node, &caller) in store.stacks.parents.iter().enumerate().skip(1).rev() {
            let weight = with_callees[node];
            if let Some(of_caller) = with_callees.get_mut(caller as usize) {
                *of_caller = of_caller.saturating_add(weight);
            }
        }
        Self { alone, with_callees, per_one: stacks.fraction.per_one() }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        16 * self.alone.len()
    }

    /// Returns a weight as in tables.
    pub fn value(&self, weight: u64) -> f64 {
        weight as f64 / self.per_one as f64
    }

    /// Returns the self and total weight of a stack.
    pub fn of(&self, stack: StackId) -> (u64, u64) {
        let of = |weights: &[u64]| weights.get(stack.index()).copied().unwrap_or(0);
        (of(&self.alone), of(&self.with_callees))
    }
}

/// Location in a function. Frames with the same one are merged.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    Line(String),
    Il(u32),
    Address(u64),
}

#[derive(Default)]
struct Found {
    il_offset: Option<u32>,
    address: u64,
    tiers: Tiers,
    inclusive: u64,
    exclusive: u64,
}

/// Returns the locations of a function with weight, heaviest first. For a recursive function, only the outermost call
/// counts for the total, so that the locations add up to the function's weight. `line` returns the source line of a
/// frame at an IL offset.
pub fn code_places(
    store: &Store,
    weights: &StackWeights,
    function: FunctionId,
    line: impl Fn(FrameId, u32) -> Option<String>,
) -> CodePlaces {
    let stacks = &store.stacks;
    let is_of = |stack: StackId| stacks.frame(stack).is_some_and(|frame| store.frames.function(frame) == function);
    let mut found: FastMap<Place, Found> = FastMap::default();
    let mut places: FastMap<FrameId, Place> = FastMap::default();
    let mut add = |frame: FrameId, inclusive: u64, exclusive: u64| {
        if inclusive == 0 && exclusive == 0 {
            return;
        }
        let Some(of_frame) = store.frames.get(frame) else { return };
        let il_offset = store.il_offset(frame);
        let place = places.entry(frame).or_insert_with(|| match il_offset.and_then(|at| line(frame, at)) {
            Some(line) => Place::Line(line),
            None => il_offset.map_or(Place::Address(of_frame.address), Place::Il),
        });
        let found =
            found.entry(place.clone()).or_insert_with(|| Found { address: of_frame.address, ..Found::default() });
        found.il_offset = found.il_offset.into_iter().chain(il_offset).min();
        found.address = found.address.min(of_frame.address);
        if let Some(method) = of_frame.method.and_then(|method| store.methods.get(method)) {
            found.tiers.add(method.tier);
        }
        found.inclusive = found.inclusive.saturating_add(inclusive);
        found.exclusive = found.exclusive.saturating_add(exclusive);
    };
    for stack in (1..stacks.len() as u32).map(StackId).filter(|&stack| is_of(stack)) {
        let (alone, with_callees) = weights.of(stack);
        let Some(frame) = stacks.frame(stack).filter(|_| with_callees > 0) else { continue };
        let mut callers = std::iter::successors(Some(stacks.parent(stack)), |&caller| Some(stacks.parent(caller)));
        let is_outermost = !callers.by_ref().take_while(|caller| caller.0 != 0).any(is_of);
        add(frame, if is_outermost { with_callees } else { 0 }, alone);
    }
    table(weights, function, found)
}

fn table(weights: &StackWeights, function: FunctionId, found: FastMap<Place, Found>) -> CodePlaces {
    let mut places: Vec<(Place, Found)> = found.into_iter().collect();
    sort_by_key(&mut places, |(_, found)| (Reverse(found.inclusive), Reverse(found.exclusive), found.address));
    let mut table = CodePlaces { function: vec![function.0], ..CodePlaces::default() };
    for (place, found) in places {
        table.source.push(if let Place::Line(line) = &place { line } else { "" });
        table.il_offset.push(found.il_offset.map_or(-1, i64::from));
        table.address.push(found.address);
        table.tier.push(&found.tiers.words());
        table.inclusive.push(weights.value(found.inclusive));
        table.exclusive.push(weights.value(found.exclusive));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::stacks::call_tree::tests::any_stacks;
    use crate::analysis::stacks::function_weights::function_weights;
    use crate::analysis::stacks::stack_tree::TopDown;
    use crate::analysis::stacks::tree_query::{call_nodes, call_tree};
    use crate::analysis::testing::{Happening, What, store_of};
    use proptest::prelude::*;
    use protocol::request::{Filter, FunctionOrder, SampleChoice, Weight};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn locations_of_function_sum_to_its_weight(stacks in any_stacks()) {
            let happenings: Vec<Happening> = (0..)
                .zip(&stacks)
                .map(|(at, (stack, _))| (at, 5, What::Sample(true, stack.iter().map(|one| u64::from(one % 8) + 1).collect())))
                .collect();
            let (store, bytes) = store_of(&happenings);
            let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
            let selection = select(&store, &bytes, &Filter::default()).unwrap();
            let chosen = ChosenSamples::new(&selection, SampleChoice::All, &Weight::Count);
            let tree = TopDown::plain(nodes.clone().into(), call_tree(&samples, &nodes, chosen).into());
            let weights = StackWeights::new(&store, &samples, chosen);
            for of in function_weights(&tree, FunctionOrder::Exclusive) {
                let places = code_places(&store, &weights, of.function, |_, _| None);
                let sum = |column: &[f64]| column.iter().sum::<f64>() as u64;
                prop_assert_eq!((sum(&places.inclusive), sum(&places.exclusive)), (of.inclusive, of.exclusive));
            }
        }
    }
}
