//! Builds the call tree of a query.

use super::call_tree::CallTree;
use super::node_states::StateWeights;
use super::sample_choice::ChosenSamples;
use super::shape::roots::RootedStacks;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::model::Store;
use protocol::base::ids::{CallNodeId, StackId, ThreadId};

/// Returns the call nodes of all stacks in a store, including those of events that aren't samples.
pub fn call_nodes(store: &Store) -> CallNodes {
    let (stacks, frames) = (&store.stacks, &store.frames);
    let ids = (1..stacks.len() as u32).map(StackId);
    CallNodes::build(ids.map(|stack| {
        let function = stacks.frame(stack).map(|frame| frames.function(frame)).unwrap_or_default();
        (stacks.parent(stack), function)
    }))
}

/// Returns the tree of the selected stacks.
pub fn call_tree(samples: &SampleIndex, nodes: &CallNodes, chosen: ChosenSamples) -> CallTree {
    tree_of(samples, nodes, chosen, |_, thread, index| nodes.of_stack(thread.stack(index)))
}

/// Returns the same tree with root frames.
pub fn rooted_tree(samples: &SampleIndex, rooted: &RootedStacks, chosen: ChosenSamples) -> CallTree {
    tree_of(samples, &rooted.nodes, chosen, |thread, _, index| rooted.leaf(thread, index))
}

fn tree_of(
    samples: &SampleIndex,
    nodes: &CallNodes,
    chosen: ChosenSamples,
    leaf: impl Fn(ThreadId, &ThreadSamples, usize) -> CallNodeId,
) -> CallTree {
    let mut exclusive = vec![0u64; nodes.len().max(1)];
    let mut states = StateWeights::default();
    for (id, thread) in samples.iter() {
        for index in chosen.of(thread) {
            let leaf = leaf(id, thread, index);
            let node = &mut exclusive[leaf.index()];
            *node = node.saturating_add(chosen.weight(thread, index));
            states.add(&chosen, thread, index, leaf);
        }
    }
    let tree = CallTree::from_exclusive(nodes, exclusive).in_fractions(samples.fraction.per_one());
    tree.with_states(states.finish(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::events::page::{events_page, rows_by_time};
    use crate::analysis::filter::query::EventDurations;
    use crate::analysis::filter::select::select;
    use crate::analysis::stacks::folded_text::{folded_stacks, raw_names};
    use crate::analysis::stacks::frames::Frames;
    use crate::analysis::stacks::function_weights::function_weights;
    use crate::analysis::stacks::occurrences::Occurrence;
    use crate::analysis::stacks::stack_tree::TopDown;
    use crate::analysis::stacks::tree_tables::{NamedFrames, NamedTree};
    use crate::analysis::testing::{What, store_of};
    use protocol::base::ids::FunctionId;
    use protocol::base::time::Span;
    use protocol::events::payload::plain;
    use protocol::request::{Filter, FunctionOrder, SampleChoice, Weight};
    use protocol::stacks::shape::Shape;

    fn trace() -> (Store, Vec<u8>) {
        store_of(&[
            (0, 5, What::Sample(true, vec![1, 2])),
            (10, 5, What::Sample(true, vec![1, 2, 3])),
            (20, 5, What::Sample(false, vec![1, 4])),
            (30, 5, What::Sample(true, vec![1])),
        ])
    }

    #[test]
    fn trees_follow_filter_and_weight() {
        let (store, bytes) = trace();
        let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
        let total = |span, choice, weight| {
            let selection = select(&store, &bytes, &Filter { span, ..Filter::default() }).unwrap();
            let chosen = ChosenSamples::new(&selection, choice, &weight);
            call_tree(&samples, &nodes, chosen).total()
        };
        assert_eq!(total(None, SampleChoice::All, Weight::Count), 4);
        assert_eq!(total(None, SampleChoice::All, Weight::Time), 30);
        assert_eq!(total(None, SampleChoice::Managed, Weight::Time), 20);
        assert_eq!(total(None, SampleChoice::External, Weight::Count), 1);
        assert_eq!(total(Some(Span::new(5, 15)), SampleChoice::All, Weight::Time), 10);
    }

    #[test]
    fn tree_tables_name_functions() {
        let (store, bytes) = trace();
        let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
        let all = select(&store, &bytes, &Filter::default()).unwrap();
        let chosen = ChosenSamples::new(&all, SampleChoice::All, &Weight::Time);
        let tree = call_tree(&samples, &nodes, chosen);
        let (tree, frames, shape) = (TopDown::plain(nodes.into(), tree.into()), Frames::new(&store), Shape::default());
        let weights = function_weights(&tree, FunctionOrder::Exclusive);
        let names = NamedFrames { store: &store, frames: &frames, shape: &shape };
        let named = NamedTree { tree: &tree, names };
        let path = named.hot_path(9);
        assert_eq!(path.name.iter().collect::<Vec<_>>(), ["Shop.M1()", "Shop.M2()", "Shop.M3()"]);
        assert_eq!(path.inclusive, [30.0, 20.0, 10.0]);
        let below = named.children(&[FunctionId(path.function[0])]);
        assert_eq!(below.name.iter().collect::<Vec<_>>(), ["Shop.M2()", "Shop.M4()"]);
        assert_eq!(below.has_children, [1, 0]);
        assert_eq!(below.level, [1, 1]);
        let all = named.below(&[], 9);
        assert_eq!(all.name.iter().collect::<Vec<_>>(), ["Shop.M1()", "Shop.M2()", "Shop.M3()", "Shop.M4()"]);
        assert_eq!((all.level, all.path[1]), (vec![1, 2, 3, 2], path.path[1]));
        assert_eq!(named.below(&[], 3).level, [1, 2, 2], "there is no room for the third level");
        let flame = named.flame(&[], 0.0, 9);
        assert_eq!(flame.total, [30.0]);
        assert_eq!((flame.path[1], flame.path[2]), (path.path[0], path.path[1]), "one path has one number everywhere");
        assert_eq!(flame.depth, [0, 1, 2, 2, 3]);
        assert_eq!(flame.names.get(flame.name[4] as usize), "Shop.M3()");
        let by_self = named.functions(&weights, |_| Occurrence { stacks: 3, first: 10, last: 20 }, 2);
        assert_eq!((by_self.count[0], by_self.stacks.as_slice()), (4, [3, 3].as_slice()));
        assert_eq!((by_self.first[1], by_self.last[1]), (10, 20));
        assert_eq!(by_self.exclusive, [10.0, 10.0]);
    }

    #[test]
    fn folded_stacks_are_sorted_lines() {
        let (store, bytes) = trace();
        let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
        let all = select(&store, &bytes, &Filter::default()).unwrap();
        let folded = |samples_of| {
            let chosen = ChosenSamples::new(&all, samples_of, &Weight::Count);
            folded_stacks(&store, &samples, &nodes, chosen, raw_names(&store)).to_lowercase()
        };
        let lines: Vec<String> = folded(SampleChoice::All)
            .lines()
            .map(|line| line.replace("?!", "").replace("managedmodule!", ""))
            .collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], "thread 5;shop.m1() 1");
        assert!(lines.contains(&"thread 5;shop.m1();shop.m2();shop.m3() 1".to_owned()), "{lines:?}");
        assert_eq!(folded(SampleChoice::Managed).lines().count(), 3);
    }

    #[test]
    fn event_page_has_payloads_in_one_line() {
        let (store, bytes) = store_of(&[(0, 5, What::Order("TR-0049", 12)), (5, 5, What::Sample(false, vec![1]))]);
        let selection = select(&store, &bytes, &Filter { span: Some(Span::new(0, 10)), ..Filter::default() }).unwrap();
        let page = |first| {
            let rows = rows_by_time(&selection, false, first, 10);
            events_page(&store, &bytes, &EventDurations::default(), &rows, selection.count()).unwrap()
        };
        let second = page(1);
        let page = page(0);
        assert_eq!(page.total, [2]);
        assert_eq!(plain(page.payload.get(0)), "sku=TR-0049, amount=12");
        assert_eq!(page.name.get(0), "OrderPlaced");
        assert_eq!(second.time, [5]);
    }
}
