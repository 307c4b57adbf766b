//! Tests that transforms of trees match transforms of single stacks.

use super::*;
use crate::analysis::filter::select::select;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::stacks::call_tree::CallTree;
use crate::analysis::stacks::function_weights::function_weights;
use crate::analysis::stacks::inverted_tree::InvertedTree;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::analysis::stacks::stack_tree::{StackTree, TopDown};
use crate::analysis::stacks::tree_query::{call_nodes, call_tree};
use crate::analysis::testing::{Happening, What, store_of};
use proptest::prelude::*;
use protocol::request::{Filter, FunctionOrder, SampleChoice, Weight};
use protocol::stacks::shape::NodeName;
use std::collections::BTreeMap;

/// Frames of stacks, outermost first: method 1 is `Shop.M1()`.
type Stack = Vec<u64>;
type Weights = BTreeMap<Stack, u64>;

struct Trace {
    store: Store,
    nodes: CallNodes,
    tree: CallTree,
}

impl Trace {
    fn new(stacks: &[Stack]) -> Self {
        let happening = |(at, stack): (i64, &Stack)| -> Happening { (at, 5, What::Sample(true, stack.clone())) };
        let (store, bytes) = store_of(&(0..).zip(stacks).map(happening).collect::<Vec<_>>());
        let nodes = call_nodes(&store);
        let selection = select(&store, &bytes, &Filter::default()).expect("a file");
        let chosen = ChosenSamples::new(&selection, SampleChoice::All, &Weight::Count);
        let tree = call_tree(&SampleIndex::build(&store).expect("memory"), &nodes, chosen);
        Self { store, nodes, tree }
    }

    fn shaped(&self, frames: &mut Frames, shape: &Shape) -> (Rc<CallNodes>, CallTree) {
        let shaped = TransformedCallPaths::new(&self.store, &self.nodes, frames, shape).expect("no patterns");
        let tree = CallTree::from_exclusive(&shaped.nodes, shaped.weights(self.tree.of_nodes()));
        (shaped.nodes.clone(), tree)
    }

    /// Returns the weights of stacks after transforms. Groups have number 0.
    fn weights(&self, transforms: &[Transform]) -> Weights {
        let mut frames = Frames::new(&self.store);
        let (nodes, tree) = self.shaped(&mut frames, &Shape { transforms: transforms.to_vec(), ..Shape::default() });
        let number = |frame: FunctionId| {
            let name = frames.text(&self.store, Some(frame)).name;
            name.trim_start_matches("Shop.M").trim_end_matches("()").parse().unwrap_or(0)
        };
        let mut weights = Weights::new();
        for node in (0..nodes.len() as u32).map(CallNodeId).filter(|&node| tree.exclusive(node) > 0) {
            let mut stack: Stack = nodes.path(node).filter_map(|node| nodes.function(node)).map(number).collect();
            stack.reverse();
            *weights.entry(stack).or_default() += tree.exclusive(node);
        }
        weights
    }
}

fn name(method: u64) -> FrameName {
    FrameName { name: format!("Shop.M{method}()"), module: "ManagedModule".to_owned() }
}

fn node(store: &Store, stack: &[u64]) -> NodeName {
    let frames = Frames::new(store);
    let path = stack.iter().fold(PATH_START, |path, method| {
        let frame = frames.named(store, &name(*method)).first().copied();
        frame.map_or(path, |frame| longer_path(path, frames.hash(store, frame)))
    });
    NodeName { path, name: String::new() }
}

fn counted(stacks: &[Stack]) -> Weights {
    let mut weights = Weights::new();
    stacks.iter().for_each(|stack| *weights.entry(stack.clone()).or_default() += 1);
    weights
}

/// Returns the result of a transform on a stack as a list; `None` if excluded.
fn expected(stack: &Stack, transform: &Plain) -> Option<Stack> {
    let position = |method: u64| stack.iter().position(|one| *one == method);
    match transform {
        Plain::Focus(method) => position(*method).map(|at| stack[at..].to_vec()),
        Plain::FocusNode(path) => stack.starts_with(path).then(|| stack[path.len() - 1..].to_vec()),
        Plain::Merge(method) => Some(stack.iter().copied().filter(|one| one != method).collect()),
        Plain::MergeNode(path) => Some(match stack.starts_with(path) {
            true => [&path[..path.len() - 1], &stack[path.len()..]].concat(),
            false => stack.clone(),
        }),
        Plain::Collapse(method) => Some(position(*method).map_or(stack.clone(), |at| stack[..=at].to_vec())),
        Plain::Recursion(method) => {
            let last = stack.iter().rposition(|one| one == method);
            Some(position(*method).zip(last).map_or(stack.clone(), |(first, last)| {
                [&stack[..first], &stack[last..]].concat() //
            }))
        }
        Plain::Drop(method) => position(*method).is_none().then(|| stack.clone()),
        Plain::Keep(method) => position(*method).map(|_| stack.clone()),
    }
}

#[derive(Clone, Debug)]
enum Plain {
    Focus(u64),
    FocusNode(Stack),
    Merge(u64),
    MergeNode(Stack),
    Collapse(u64),
    Recursion(u64),
    Drop(u64),
    Keep(u64),
}

impl Plain {
    fn transform(&self, store: &Store) -> Transform {
        match self {
            Self::Focus(method) => Transform::FocusFunction(name(*method)),
            Self::FocusNode(path) => Transform::FocusNode(node(store, path)),
            Self::Merge(method) => Transform::MergeFunction(name(*method)),
            Self::MergeNode(path) => Transform::MergeNode(node(store, path)),
            Self::Collapse(method) => Transform::CollapseFunction(name(*method)),
            Self::Recursion(method) => Transform::CollapseRecursion(name(*method)),
            Self::Drop(method) => Transform::Drop(name(*method)),
            Self::Keep(method) => Transform::Keep(name(*method)),
        }
    }
}

fn plain_transforms() -> impl Strategy<Value = Vec<Plain>> {
    let method = || 1u64..6;
    let path = || proptest::collection::vec(1u64..6, 1..3);
    let one = prop_oneof![
        method().prop_map(Plain::Focus),
        path().prop_map(Plain::FocusNode),
        method().prop_map(Plain::Merge),
        path().prop_map(Plain::MergeNode),
        method().prop_map(Plain::Collapse),
        method().prop_map(Plain::Recursion),
        method().prop_map(Plain::Drop),
        method().prop_map(Plain::Keep),
    ];
    proptest::collection::vec(one, 0..4)
}

fn stacks() -> impl Strategy<Value = Vec<Stack>> {
    proptest::collection::vec(proptest::collection::vec(1u64..6, 0..6), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tree_transforms_match_stack_transforms(stacks in stacks(), plain in plain_transforms()) {
        // A stack of all methods, as heavy as the others, so that each method has a name.
        let stacks: Vec<Stack> = stacks.into_iter().chain([vec![1, 2, 3, 4, 5]]).collect();
        let trace = Trace::new(&stacks);
        let transforms: Vec<Transform> = plain.iter().map(|plain| plain.transform(&trace.store)).collect();
        let left = plain.iter().fold(stacks.clone(), |stacks, plain| {
            stacks.iter().filter_map(|stack| expected(stack, plain)).collect()
        });
        let found = trace.weights(&transforms);
        prop_assert_eq!(&found, &counted(&left));
        // Without the last transform, the result is the previous one.
        if let Some((_, before)) = transforms.split_last() {
            let left = plain[..before.len()].iter().fold(stacks.clone(), |stacks, plain| {
                stacks.iter().filter_map(|stack| expected(stack, plain)).collect()
            });
            prop_assert_eq!(trace.weights(before), counted(&left));
        }
        prop_assert_eq!(trace.weights(&[]), counted(&stacks));
    }

    #[test]
    fn weight_is_equal_in_every_shape_without_exclusions(stacks in stacks(), recursion: bool, plain in plain_transforms()) {
        let trace = Trace::new(&stacks);
        let mut frames = Frames::new(&trace.store);
        let keeps = |plain: &&Plain| !matches!(plain, Plain::Focus(_) | Plain::FocusNode(_) | Plain::Drop(_) | Plain::Keep(_));
        let transforms = plain.iter().filter(keeps).map(|plain| plain.transform(&trace.store)).collect();
        let shape = Shape { without_recursion: recursion, transforms, ..Shape::default() };
        let (nodes, tree) = trace.shaped(&mut frames, &shape);
        prop_assert_eq!(tree.total(), stacks.len() as u64);
        let alone: u64 = (0..nodes.len() as u32).map(|node| tree.exclusive(CallNodeId(node))).sum();
        prop_assert_eq!(alone, tree.total());
        if recursion && shape.transforms.is_empty() {
            prop_assert!((1..nodes.len() as u32).all(|node| !nodes.is_recursive(CallNodeId(node))));
        }
        let total = tree.total();
        let tree = TopDown::plain(nodes, tree.into());
        for weight in function_weights(&tree, FunctionOrder::Inclusive) {
            prop_assert!(weight.exclusive <= weight.inclusive && weight.inclusive <= total);
        }
        // The same for the inverted tree.
        let inverted = InvertedTree::new(tree);
        let mut alone = 0;
        let mut open = vec![CallNodes::ROOT];
        while let Some(node) = open.pop() {
            alone += inverted.exclusive(node);
            open.extend(inverted.children(node));
        }
        prop_assert_eq!((alone, inverted.inclusive(CallNodes::ROOT)), (total, total));
    }
}

#[test]
fn adjacent_functions_of_collapsed_module_are_one_frame() {
    let trace = Trace::new(&[vec![1, 2, 3], vec![1, 4], vec![5]]);
    let found = trace.weights(&[Transform::CollapseModule("ManagedModule".to_owned())]);
    assert_eq!(found, Weights::from([(vec![0], 3)]));
    assert_eq!(trace.weights(&[Transform::CollapseModule("None".to_owned())]).len(), 3);
}
