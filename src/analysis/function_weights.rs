//! What functions weigh, over all the paths that lead to them.

use super::call_nodes::CallNodes;
use super::call_tree::CallTree;
use crate::model::ids::{CallNodeId, FunctionId};
use crate::model::sort::sort_by_key;
use crate::protocol::request::FunctionOrder;
use std::cmp::Reverse;

/// A function's weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionWeight {
    /// Which.
    pub function: FunctionId,
    /// With its callees; a function that calls itself counts once.
    pub inclusive: u64,
    /// Without them.
    pub exclusive: u64,
}

/// Every function that has weight, in the wanted order.
pub fn function_weights(nodes: &CallNodes, tree: &CallTree, order: FunctionOrder) -> Vec<FunctionWeight> {
    let mut weights: Vec<FunctionWeight> = Vec::new();
    for node in (1..nodes.len() as u32).map(CallNodeId) {
        let Some(function) = nodes.function(node) else { continue };
        if weights.len() <= function.index() {
            let missing = weights.len() as u32..=function.0;
            weights.extend(missing.map(|id| FunctionWeight { function: FunctionId(id), inclusive: 0, exclusive: 0 }));
        }
        let weight = &mut weights[function.index()];
        weight.exclusive = weight.exclusive.saturating_add(tree.exclusive(node));
        if !nodes.is_recursive(node) {
            weight.inclusive = weight.inclusive.saturating_add(tree.inclusive(node));
        }
    }
    weights.retain(|weight| weight.inclusive > 0);
    sort_by_key(&mut weights, |weight| {
        let (first, second) = match order {
            FunctionOrder::Exclusive => (weight.exclusive, weight.inclusive),
            FunctionOrder::Inclusive => (weight.inclusive, weight.exclusive),
        };
        (Reverse(first), Reverse(second), weight.function)
    });
    weights
}

#[cfg(test)]
mod tests {
    use super::super::call_tree::tests::{any_stacks, tree_of, tree_of_owned};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn recursion_counts_once() {
        let (nodes, tree) = tree_of(&[(&[1, 2, 1, 2], 10), (&[2], 1)]);
        let weights = function_weights(&nodes, &tree, FunctionOrder::Exclusive);
        assert_eq!(
            weights,
            [
                FunctionWeight { function: FunctionId(2), inclusive: 11, exclusive: 11 },
                FunctionWeight { function: FunctionId(1), inclusive: 10, exclusive: 0 },
            ]
        );
    }

    proptest! {
        #[test]
        fn no_function_weighs_more_than_everything(stacks in any_stacks()) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let weights = function_weights(&nodes, &tree, FunctionOrder::Inclusive);
            let exclusive: u64 = weights.iter().map(|weight| weight.exclusive).sum();
            prop_assert_eq!(exclusive + tree.exclusive(CallNodes::ROOT), tree.total());
            for weight in &weights {
                let expected: u64 = stacks.iter().filter(|(stack, _)| stack.contains(&weight.function.0)).map(|stack| stack.1).sum();
                prop_assert_eq!(weight.inclusive, expected);
            }
        }
    }
}
