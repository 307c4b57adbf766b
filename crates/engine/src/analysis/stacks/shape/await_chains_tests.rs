//! Tests chains of async methods with hand-written stacks.

use super::*;
use crate::analysis::stacks::tree_query::call_nodes;
use crate::analysis::testing::store_of_methods;
use proptest::prelude::*;
use protocol::base::ids::StackId;

const BUILDER: &str = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1[System.Int32]";
const BOX: &str = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,Shop.Store+<Load>d__1]";

/// Type and name of methods 1, 2, …
const METHODS: [(&str, &str); 9] = [
    ("Shop.Store", "Load"),
    (BUILDER, "Start"),
    ("System.Runtime.CompilerServices.AsyncMethodBuilderCore", "Start"),
    ("Shop.Store+<Load>d__1", "MoveNext"),
    ("Shop.Store+<Query>d__2", "MoveNext"),
    (BUILDER, "SetResult"),
    ("System.Threading.Tasks.Task`1[System.Int32]", "TrySetResult"),
    (BOX, "MoveNext"),
    ("System.Threading.ThreadPoolWorkQueue", "Dispatch"),
];

fn chain(stack: &[u64]) -> String {
    let (store, _) = store_of_methods(&METHODS, &[stack]);
    let (nodes, mut frames) = (call_nodes(&store), Frames::new(&store));
    let shaped = chained(&store, &nodes, &mut frames);
    let leaf = (0..store.stacks.len() as u32).map(StackId).max_by_key(|stack| store.stacks.depth(*stack));
    let place = leaf.and_then(|leaf| shaped.place(nodes.of_stack(leaf))).expect("a place");
    let name = |node| frames.text(&store, shaped.nodes.function(node)).name;
    let mut names: Vec<&str> = shaped.nodes.path(place).map(name).collect();
    names.reverse();
    names.join(" > ")
}

#[test]
fn starter_and_state_machine_are_one_frame() {
    assert_eq!(chain(&[1, 2, 3, 4]), "Shop.Store.Load (async)");
    assert_eq!(chain(&[1, 2, 3, 4, 9]), "Shop.Store.Load (async) > System.Threading.ThreadPoolWorkQueue.Dispatch()");
    assert_eq!(chain(&[1, 2, 3, 5]), "Shop.Store.Load() > Shop.Store.Query (async)", "they are called differently");
}

#[test]
fn continuation_is_linked_to_awaited_method() {
    assert_eq!(
        chain(&[9, 8, 5, 6, 7, 8, 4]),
        "System.Threading.ThreadPoolWorkQueue.Dispatch() > Shop.Store.Query (async) > (awaited by) > Shop.Store.Load (async)"
    );
}

#[test]
fn runtime_frames_without_async_callee_stay() {
    assert!(
        chain(&[4, 6, 7]).ends_with("SetResult() > System.Threading.Tasks.Task<int>.TrySetResult()"),
        "{}",
        chain(&[4, 6, 7])
    );
    assert_eq!(chain(&[4, 5]), "Shop.Store.Load (async) > Shop.Store.Query (async)", "nothing stood between");
}

#[test]
fn state_machine_names_are_recognized() {
    let raw = |class: &str| part_of(&format!("Shop!{class}.MoveNext()"));
    for class in
        ["Shop.A+<Load>d__5", "Shop.A+<>c+<<Main>b__0_4>d", "P+<Order>c__async0", "K+<Run>d__2`1[System.__Canon]"]
    {
        assert_eq!(raw(class), Part::Machine, "{class}");
    }
    for class in ["Shop.A", "System.Linq.Enumerable+ArraySelectIterator`2[System.Int32,System.Int32]", "Shop.A+<>c"] {
        assert_eq!(raw(class), Part::None, "{class}");
    }
    assert_eq!(part_of("C!System.Threading.ExecutionContext.RunInternal(class X)"), Part::Resumes);
    assert_eq!(part_of("C!System.Threading.Tasks.Task.Run(class X)"), Part::None);
    assert_eq!(part_of("?!0x1234"), Part::None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chained_stacks_keep_weight_and_grow_only_by_links(
        stacks in proptest::collection::vec(proptest::collection::vec(1u64..=9, 1..9), 1..12),
    ) {
        let stacks: Vec<&[u64]> = stacks.iter().map(Vec::as_slice).collect();
        let (store, _) = store_of_methods(&METHODS, &stacks);
        let (nodes, mut frames) = (call_nodes(&store), Frames::new(&store));
        let shaped = chained(&store, &nodes, &mut frames);
        let ones = vec![1; nodes.len()];
        prop_assert_eq!(shaped.weights(&ones).iter().sum::<u64>(), nodes.len() as u64);
        let is_link = |node: &CallNodeId| frames.text(&store, shaped.nodes.function(*node)).name == AWAITED_BY;
        for node in (1..nodes.len() as u32).map(CallNodeId) {
            let place = shaped.place(node);
            prop_assert!(place.is_some());
            let path: Vec<CallNodeId> = place.into_iter().flat_map(|place| shaped.nodes.path(place)).collect();
            let links = path.iter().filter(|node| is_link(node)).count();
            // A link replaces at least one frame of the runtime.
            prop_assert!(path.len() <= nodes.path(node).count(), "{} frames, {links} of them links", path.len());
        }
    }
}
