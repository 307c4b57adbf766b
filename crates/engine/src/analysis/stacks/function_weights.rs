//! Weights of functions, summed over all paths.

use super::call_tree::CallTree;
use super::stack_tree::TopDown;
use crate::analysis::samples::call_nodes::CallNodes;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::base::sort::sort_by_key;
use protocol::request::FunctionOrder;
use std::cmp::Reverse;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FunctionWeight {
    pub function: FunctionId,
    /// Including callees; a recursive function counts once.
    pub inclusive: u64,
    /// Excluding callees.
    pub exclusive: u64,
    /// Both weights in the baseline; 0 without a comparison.
    pub of_baseline: (u64, u64),
    /// Thread state of most of its time, one of [`protocol::tables::state`]; 0 if unknown.
    pub state: u8,
}

/// Returns the functions with weight in the requested order; in a comparison, by difference in descending order.
pub fn function_weights(tree: &TopDown, order: FunctionOrder) -> Vec<FunctionWeight> {
    let mut weights = sums(tree, &tree.tree);
    if let Some(baseline) = &tree.baseline {
        for (weight, of_baseline) in weights.iter_mut().zip(sums(tree, baseline)) {
            weight.of_baseline = (of_baseline.inclusive, of_baseline.exclusive);
            weight.inclusive = weight.inclusive.saturating_sub(of_baseline.inclusive);
            weight.exclusive = weight.exclusive.saturating_sub(of_baseline.exclusive);
        }
    }
    weights.retain(|weight| weight.inclusive > 0 || weight.of_baseline.0 > 0);
    let states = tree.tree.states.by_function(&tree.nodes, |node| tree.tree.inclusive(node));
    for weight in &mut weights {
        weight.state = match tree.no_stack == Some(weight.function) {
            true => tree.tree.states.alone(|leaf| leaf == CallNodes::ROOT),
            false => states.get(&weight.function).copied().unwrap_or(0),
        };
    }
    sort_by_key(&mut weights, |weight| {
        let inclusive = weight.inclusive.abs_diff(weight.of_baseline.0);
        let exclusive = weight.exclusive.abs_diff(weight.of_baseline.1);
        let (first, second) = match order {
            FunctionOrder::Exclusive => (exclusive, inclusive),
            FunctionOrder::Inclusive => (inclusive, exclusive),
        };
        (Reverse(first), Reverse(second), weight.function)
    });
    weights
}

/// Returns the weights of one side of a tree by function.
fn sums(of: &TopDown, tree: &CallTree) -> Vec<FunctionWeight> {
    let mut weights: Vec<FunctionWeight> = Vec::new();
    for node in (0..of.nodes.len() as u32).map(CallNodeId) {
        let Some(function) = of.leaf_frame(node) else { continue };
        if weights.len() <= function.index() {
            let missing = weights.len() as u32..=function.0;
            weights.extend(missing.map(|id| FunctionWeight { function: FunctionId(id), ..FunctionWeight::default() }));
        }
        let weight = &mut weights[function.index()];
        let exclusive = tree.exclusive(node);
        weight.exclusive = weight.exclusive.saturating_add(exclusive);
        if !of.nodes.is_recursive(node) {
            let inclusive = if node == CallNodes::ROOT { exclusive } else { tree.inclusive(node) };
            weight.inclusive = weight.inclusive.saturating_add(inclusive);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stacks::call_tree::tests::{any_stacks, tree_of, tree_of_owned};
    use proptest::prelude::*;

    #[test]
    fn recursion_counts_once() {
        let (nodes, tree) = tree_of(&[(&[1, 2, 1, 2], 10), (&[2], 1)]);
        let weights = function_weights(&TopDown::plain(nodes.into(), tree.into()), FunctionOrder::Exclusive);
        let weights: Vec<_> = weights.iter().map(|one| (one.function.0, one.inclusive, one.exclusive)).collect();
        assert_eq!(weights, [(2, 11, 11), (1, 10, 0)]);
    }

    proptest! {
        #[test]
        fn function_weight_does_not_exceed_total(stacks in any_stacks()) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let tree = TopDown::plain(nodes.into(), tree.into());
            let weights = function_weights(&tree, FunctionOrder::Inclusive);
            let tree = tree.tree;
            let exclusive: u64 = weights.iter().map(|weight| weight.exclusive).sum();
            prop_assert_eq!(exclusive + tree.exclusive(CallNodes::ROOT), tree.total());
            for weight in &weights {
                let expected: u64 = stacks.iter().filter(|(stack, _)| stack.contains(&weight.function.0)).map(|stack| stack.1).sum();
                prop_assert_eq!(weight.inclusive, expected);
            }
        }
    }
}
