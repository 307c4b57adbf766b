//! Comparison of two sets of stacks: the weight of each path in both. Sums of the stacks of several traces.
//!
//! Both are tables with names of frames, not their numbers, so the baseline may come from another trace. The tree of a
//! comparison sums both weights: it contains paths that only one set has, and no box is wider than its parent.

use super::call_tree::CallTree;
use super::frames::Frames;
use super::stack_tree::TopDown;
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::stacks::shape::FrameName;
use protocol::tables::StackProfile;

/// Maximum sum of scaled weights. Their fractions are so small that rounding isn't visible.
const LARGEST_SUM: f64 = 1e15;
/// Maximum number of fractions of one.
const MAX_PARTS: f64 = 1e6;

/// Returns the weights of a tree's paths by names of frames, without paths that have no weight.
pub fn stack_profile(store: &Store, frames: &Frames, nodes: &CallNodes, tree: &CallTree) -> StackProfile {
    let mut profile = StackProfile { per_one: vec![tree.per_one], ..StackProfile::default() };
    let mut rows = vec![0u32; nodes.len()];
    let mut names: FastMap<FunctionId, u32> = FastMap::default();
    for node in (0..nodes.len() as u32).map(CallNodeId) {
        if node != CallNodes::ROOT && tree.inclusive(node) == 0 {
            continue;
        }
        rows[node.index()] = profile.weight.len() as u32;
        profile.caller.push(rows[nodes.parent(node).index()]);
        profile.weight.push(tree.exclusive(node));
        let frame = nodes.function(node).map_or(0, |frame| {
            *names.entry(frame).or_insert_with(|| {
                let text = frames.text(store, Some(frame));
                profile.name.push(text.name);
                profile.module.push(text.module);
                profile.flags.push(text.flags);
                profile.flags.len() as u32 - 1
            })
        });
        profile.frame.push(frame);
    }
    profile
}

/// Returns a profile with weights multiplied by a factor.
pub fn scaled(mut profile: StackProfile, factor: f64) -> StackProfile {
    /// Fractions that make rounding invisible.
    const PARTS: u64 = 1_000;
    if factor == 1.0 || !factor.is_finite() {
        return profile;
    }
    let factor = factor.max(0.0) * PARTS as f64;
    profile.weight.iter_mut().for_each(|weight| *weight = (*weight as f64 * factor).round() as u64);
    profile.per_one.iter_mut().for_each(|per_one| *per_one = per_one.saturating_mul(PARTS));
    profile
}

/// Returns a profile minus a part of it, path by path.
pub fn without(
    mut whole: StackProfile,
    part: &StackProfile,
    frame_of: &mut impl FnMut(FrameName, u8) -> FunctionId,
) -> StackProfile {
    let mut builder = CallNodeBuilder::default();
    let [of_whole, of_part] = [&whole, part].map(|profile| places(profile, &mut builder, frame_of));
    let mut taken = vec![0u64; builder.finish().len()];
    for (place, weight) in of_part.iter().zip(&part.weight) {
        let sum = &mut taken[place.index()];
        *sum = sum.saturating_add(*weight);
    }
    for (place, weight) in of_whole.iter().zip(&mut whole.weight) {
        let sum = &mut taken[place.index()];
        let less = (*sum).min(*weight);
        *weight -= less;
        *sum -= less;
    }
    whole
}

/// Returns the tree of both. `frame_of` returns a frame's number by name and flags; `is_scaled` scales the baseline to
/// the weight of the other profile.
pub fn difference(
    now: &StackProfile,
    baseline: &StackProfile,
    is_scaled: bool,
    mut frame_of: impl FnMut(FrameName, u8) -> FunctionId,
) -> TopDown {
    let mut builder = CallNodeBuilder::default();
    let [of_now, of_baseline] = [now, baseline].map(|profile| places(profile, &mut builder, &mut frame_of));
    let nodes = builder.finish();
    let [per_now, per_base] = [now, baseline].map(fractions);
    let [now_total, base_total] =
        [(now, per_now), (baseline, per_base)].map(|(profile, per_one)| total(profile) / per_one as f64);
    let scale = if is_scaled && base_total > 0.0 && now_total > 0.0 { now_total / base_total } else { 1.0 };
    let is_exact = scale == 1.0 && per_now == per_base;
    let parts = if is_exact { 1.0 } else { parts_of_one((now_total + base_total * scale) * per_now as f64) };
    let per_one = per_now.saturating_mul(parts as u64);
    let alone = |profile: &StackProfile, places: &[CallNodeId], factor: f64| {
        let mut alone = vec![0u64; nodes.len()];
        for (place, &weight) in places.iter().zip(&profile.weight) {
            let weight = if factor == 1.0 { weight } else { (weight as f64 * factor).round() as u64 };
            let sum = &mut alone[place.index()];
            *sum = sum.saturating_add(weight);
        }
        alone
    };
    let now = alone(now, &of_now, parts);
    let baseline = alone(baseline, &of_baseline, scale * parts * per_now as f64 / per_base as f64);
    let both = now.iter().zip(&baseline).map(|(now, baseline)| now.saturating_add(*baseline)).collect();
    let tree = |alone| CallTree::from_exclusive(&nodes, alone).in_fractions(per_one);
    let (both, baseline) = (tree(both), tree(baseline));
    TopDown { baseline: Some(baseline.into()), ..TopDown::plain(nodes.into(), both.into()) }
}

/// Returns the tree with the weights of all profiles.
pub fn sum(profiles: &[&StackProfile], mut frame_of: impl FnMut(FrameName, u8) -> FunctionId) -> TopDown {
    let mut builder = CallNodeBuilder::default();
    let places: Vec<Vec<CallNodeId>> =
        profiles.iter().map(|profile| places(profile, &mut builder, &mut frame_of)).collect();
    let nodes = builder.finish();
    let per_one = profiles.iter().map(|profile| fractions(profile)).max().unwrap_or(1);
    let mut alone = vec![0u64; nodes.len()];
    for (profile, places) in profiles.iter().zip(&places) {
        let factor = per_one as f64 / fractions(profile) as f64;
        for (place, &weight) in places.iter().zip(&profile.weight) {
            let weight = if factor == 1.0 { weight } else { (weight as f64 * factor).round() as u64 };
            let sum = &mut alone[place.index()];
            *sum = sum.saturating_add(weight);
        }
    }
    let tree = CallTree::from_exclusive(&nodes, alone).in_fractions(per_one);
    TopDown::plain(nodes.into(), tree.into())
}

/// Returns the fractions of one in which a profile's weights are counted.
fn fractions(profile: &StackProfile) -> u64 {
    profile.per_one.first().copied().unwrap_or(1).max(1)
}

/// Returns the nodes of a profile's paths in a tree that contains all of them.
fn places(
    profile: &StackProfile,
    builder: &mut CallNodeBuilder,
    frame_of: &mut impl FnMut(FrameName, u8) -> FunctionId,
) -> Vec<CallNodeId> {
    let frames: Vec<FunctionId> = (0..profile.flags.len())
        .map(|row| {
            let name = FrameName { name: profile.name.get(row).to_owned(), module: profile.module.get(row).to_owned() };
            frame_of(name, profile.flags[row])
        })
        .collect();
    let mut places = vec![CallNodes::ROOT];
    for (caller, frame) in profile.caller.iter().zip(&profile.frame).skip(1) {
        let caller = places.get(*caller as usize).copied().unwrap_or(CallNodes::ROOT);
        let frame = frames.get(*frame as usize).copied();
        places.push(frame.map_or(caller, |frame| builder.child(caller, frame)));
    }
    places
}

fn total(profile: &StackProfile) -> f64 {
    profile.weight.iter().map(|weight| *weight as f64).sum()
}

/// Returns the number of fractions for weights with this sum, a power of ten.
fn parts_of_one(sum: f64) -> f64 {
    let mut parts = 1.0;
    while parts < MAX_PARTS && sum * parts * 10.0 < LARGEST_SUM {
        parts *= 10.0;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stacks::call_tree::tests::{any_stacks, tree_of_owned};
    use crate::analysis::stacks::inverted_tree::InvertedTree;
    use crate::analysis::stacks::stack_tree::{StackTree, node_at};
    use crate::analysis::testing::store_of;
    use proptest::prelude::*;

    /// Returns a profile of functions named "f1", "f2" … in a trace with arbitrary numbering.
    fn profile(stacks: &[(Vec<u32>, u64)], per_one: u64) -> StackProfile {
        let (store, _) = store_of(&[]);
        let mut frames = Frames::new(&store);
        let numbers: Vec<u32> = (0..6)
            .map(|name| frames.group(FrameName { name: format!("f{name}"), module: String::new() }, false).0)
            .collect();
        let renamed: Vec<(Vec<u32>, u64)> = stacks
            .iter()
            .map(|(stack, weight)| (stack.iter().map(|name| numbers[*name as usize]).collect(), *weight))
            .collect();
        let (nodes, tree) = tree_of_owned(&renamed);
        stack_profile(&store, &frames, &nodes, &tree.in_fractions(per_one))
    }

    fn number(frame: FrameName, _: u8) -> FunctionId {
        FunctionId(frame.name[1..].parse().unwrap())
    }

    fn of(tree: &TopDown, path: &[u32]) -> (f64, f64) {
        let path: Vec<FunctionId> = path.iter().copied().map(FunctionId).collect();
        let node = node_at(tree, &path).unwrap();
        let (baseline, _) = tree.of_baseline(node).unwrap();
        (tree.value(tree.inclusive(node) - baseline), tree.value(baseline))
    }

    #[test]
    fn path_in_one_profile_only_is_in_difference() {
        let now = profile(&[(vec![1, 2], 6), (vec![1, 3], 4)], 1);
        let baseline = profile(&[(vec![1, 2], 1), (vec![4], 4)], 1);
        let absolute = difference(&now, &baseline, false, number);
        let found = [&[][..], &[1], &[1, 2], &[1, 3], &[4]].map(|path| of(&absolute, path));
        assert_eq!(found, [(10.0, 5.0), (10.0, 1.0), (6.0, 1.0), (4.0, 0.0), (0.0, 4.0)]);
        let scaled = difference(&now, &baseline, true, number);
        let found = [&[][..], &[1, 2], &[4]].map(|path| of(&scaled, path));
        assert_eq!(found, [(10.0, 10.0), (6.0, 2.0), (0.0, 8.0)]);
    }

    #[test]
    fn scaled_weights_are_of_the_other_duration() {
        let now = profile(&[(vec![1], 3)], 1);
        let baseline = scaled(profile(&[(vec![1], 5)], 1), 0.5);
        assert_eq!(of(&difference(&now, &baseline, false, number), &[1]), (3.0, 2.5));
    }

    #[test]
    fn weights_in_different_fractions_are_compared() {
        let now = profile(&[(vec![1], 3)], 1);
        let baseline = profile(&[(vec![1], 2_500_000)], 1_000_000);
        assert_eq!(of(&difference(&now, &baseline, false, number), &[1]), (3.0, 2.5));
    }

    #[test]
    fn sum_of_traces_has_the_paths_of_all() {
        let profiles = [
            profile(&[(vec![1, 2], 6), (vec![1, 3], 4)], 1),
            profile(&[(vec![1, 2], 10), (vec![4], 40)], 10),
            StackProfile::default(),
        ];
        let tree = sum(&profiles.each_ref(), number);
        let found = [&[][..], &[1], &[1, 2], &[1, 3], &[4]].map(|path| {
            let path: Vec<FunctionId> = path.iter().copied().map(FunctionId).collect();
            tree.value(tree.inclusive(node_at(&tree, &path).unwrap()))
        });
        assert_eq!(found, [15.0, 11.0, 7.0, 4.0, 4.0]);
        assert_eq!(tree.of_baseline(CallNodes::ROOT), None);
    }

    proptest! {
        #[test]
        fn totals_are_sums_of_self_weights_in_both_directions(now in any_stacks(), baseline in any_stacks(), is_scaled: bool) {
            let tree = difference(&profile(&now, 1), &profile(&baseline, 1), is_scaled, number);
            let sum = |stacks: &[(Vec<u32>, u64)]| stacks.iter().map(|stack| stack.1).sum::<u64>() as f64;
            let (total, of_baseline) = of(&tree, &[]);
            prop_assert_eq!(total, sum(&now));
            let expected = if is_scaled && sum(&now) > 0.0 && sum(&baseline) > 0.0 { sum(&now) } else { sum(&baseline) };
            prop_assert!((of_baseline - expected).abs() < 1e-3, "{} of {}", of_baseline, expected);
            let alone: u64 = (0..tree.nodes.len() as u32).map(|node| tree.exclusive(CallNodeId(node))).sum();
            prop_assert_eq!(alone, tree.inclusive(CallNodes::ROOT));
            let inverted = InvertedTree::new(tree.clone());
            let mut open = vec![CallNodes::ROOT];
            while let Some(node) = open.pop() {
                let (inclusive, exclusive) = inverted.of_baseline(node).unwrap();
                let children = inverted.children(node);
                let below: u64 = children.iter().map(|&child| inverted.of_baseline(child).unwrap().0).sum();
                prop_assert_eq!(inclusive, below + exclusive);
                prop_assert!(inclusive <= inverted.inclusive(node) && exclusive <= inverted.exclusive(node));
                open.extend(children);
            }
        }

        #[test]
        fn profile_compared_with_itself_has_no_difference(stacks in any_stacks(), is_scaled: bool) {
            let profile = profile(&stacks, 1);
            let tree = difference(&profile, &profile, is_scaled, number);
            for node in (0..tree.nodes.len() as u32).map(CallNodeId) {
                let (inclusive, exclusive) = tree.of_baseline(node).unwrap();
                prop_assert_eq!((2 * inclusive, 2 * exclusive), (tree.inclusive(node), tree.exclusive(node)));
            }
        }
    }
}
