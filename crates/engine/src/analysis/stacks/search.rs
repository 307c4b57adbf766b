//! Search for frames by a part of their names, with the weight through them.

use super::frames::Frames;
use super::stack_tree::TopDown;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::model::Store;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::stacks::tables::FoundFrames;

/// Returns the frames of a tree whose name, raw name or module contains the text, case-insensitive.
pub fn found_frames(store: &Store, frames: &Frames, tree: &TopDown, text: &str) -> FoundFrames {
    let wanted = text.to_lowercase();
    let contains = |text: &str| text.to_lowercase().contains(&wanted);
    let is_named = |frame: FunctionId| {
        let text = frames.text(store, Some(frame));
        let raw = store.functions.get(frame).map_or("", |function| store.strings.get(function.raw_name));
        contains(text.name) || contains(text.module) || contains(raw)
    };
    let is_named: Vec<bool> = (0..frames.len() as u32).map(|frame| is_named(FunctionId(frame))).collect();
    let mut is_found = vec![false; frames.len()];
    let mut is_inside = vec![false; tree.nodes.len()];
    let mut weight = 0u64;
    if let Some(frame) = tree.no_stack.filter(|frame| is_named.get(frame.index()) == Some(&true)) {
        weight = tree.tree.exclusive(CallNodes::ROOT);
        is_found[frame.index()] = weight > 0;
    }
    for node in (1..tree.nodes.len() as u32).map(CallNodeId) {
        let frame = tree.nodes.function(node).filter(|frame| is_named.get(frame.index()) == Some(&true));
        if let Some(frame) = frame.filter(|_| tree.tree.inclusive(node) > 0) {
            is_found[frame.index()] = true;
        }
        is_inside[node.index()] = frame.is_some() || is_inside[tree.nodes.parent(node).index()];
        if is_inside[node.index()] {
            weight = weight.saturating_add(tree.tree.exclusive(node));
        }
    }
    FoundFrames {
        total: vec![tree.tree.value(tree.tree.total())],
        weight: vec![tree.tree.value(weight)],
        function: (0..).zip(is_found).filter(|(_, is_found)| *is_found).map(|(frame, _)| frame).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::stacks::sample_choice::ChosenSamples;
    use crate::analysis::stacks::tree_query::{call_nodes, call_tree};
    use crate::analysis::testing::{What, store_of};
    use protocol::request::{Filter, SampleChoice, Weight};

    #[test]
    fn weight_through_found_frames_counts_once() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Sample(true, vec![1, 2, 1])),
            (10, 5, What::Sample(true, vec![2, 3])),
            (20, 5, What::Sample(true, vec![4])),
        ]);
        let nodes = call_nodes(&store);
        let all = crate::analysis::filter::select::select(&store, &bytes, &Filter::default()).unwrap();
        let chosen = ChosenSamples::new(&all, SampleChoice::All, &Weight::Count);
        let tree = call_tree(&SampleIndex::build(&store).expect("memory"), &nodes, chosen);
        let tree = TopDown::plain(nodes.into(), tree.into());
        let find = |text| {
            let found = found_frames(&store, &Frames::new(&store), &tree, text);
            (found.function.len(), found.weight[0], found.total[0])
        };
        assert_eq!(find("shop.m2"), (1, 2.0, 3.0));
        assert_eq!(find("M1"), (1, 1.0, 3.0), "once, though it calls itself");
        assert_eq!(find("nobody"), (0, 0.0, 3.0));
        assert_eq!(find("!Shop.M4"), (1, 1.0, 3.0), "the raw name counts too");
    }
}
