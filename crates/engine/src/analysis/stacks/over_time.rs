//! Weights of a tree's rows over time, in a few buckets.

use super::sample_choice::ChosenSamples;
use super::shape::roots::RootedStacks;
use super::stack_tree::TopDown;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::request::Weight;
use protocol::stacks::tables::{WHEN_BUCKETS, When};

/// Weights by bucket.
pub type Buckets = [u64; WHEN_BUCKETS];

/// Exclusive weights of paths by time bucket.
#[derive(Clone, Debug, Default)]
pub struct TimedWeights {
    span: Span,
    /// In order of nodes.
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    node: CallNodeId,
    bucket: u8,
    weight: u64,
}

impl TimedWeights {
    /// Sums the selected samples over a span. A weight that is a time is distributed over that time, any other counts
    /// at its event. Times outside the span count at its ends.
    pub fn new(samples: &SampleIndex, nodes: &CallNodes, chosen: ChosenSamples, span: Span) -> Self {
        Self::of_leaves(samples, chosen, span, |_, thread, index| nodes.of_stack(thread.stack(index)))
    }

    /// Does the same for stacks with roots.
    pub fn rooted(samples: &SampleIndex, rooted: &RootedStacks, chosen: ChosenSamples, span: Span) -> Self {
        Self::of_leaves(samples, chosen, span, |thread, _, index| rooted.leaf(thread, index))
    }

    fn of_leaves(
        samples: &SampleIndex,
        chosen: ChosenSamples,
        span: Span,
        leaf: impl Fn(ThreadId, &ThreadSamples, usize) -> CallNodeId,
    ) -> Self {
        let mut sums: FastMap<(u32, u8), u64> = FastMap::default();
        let lasts = *chosen.weight == Weight::Time;
        for (id, thread) in samples.iter() {
            for index in chosen.of(thread) {
                let node = leaf(id, thread, index).0;
                let weight = chosen.weight(thread, index);
                let length = if lasts { weight } else { 0 };
                spread(span, thread, index, (length, weight), &mut |bucket, weight| {
                    let sum = sums.entry((node, bucket)).or_default();
                    *sum = sum.saturating_add(weight);
                });
            }
        }
        let part = |((node, bucket), weight)| Part { node: CallNodeId(node), bucket, weight };
        let mut parts: Vec<Part> = sums.into_iter().map(part).collect();
        sort_by_key(&mut parts, |part| (part.node, part.bucket));
        Self { span, parts }
    }

    /// Returns the weights of other paths to which these were mapped.
    pub fn placed(&self, place: impl Fn(CallNodeId) -> Option<CallNodeId>) -> Self {
        let of_part = |part: &Part| Some(Part { node: place(part.node)?, ..*part });
        let mut parts: Vec<Part> = self.parts.iter().filter_map(of_part).collect();
        sort_by_key(&mut parts, |part| (part.node, part.bucket));
        Self { span: self.span, parts }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.parts.len() * size_of::<Part>()
    }

    /// Returns the paths with their weights by bucket.
    fn by_node(&self) -> impl Iterator<Item = (CallNodeId, Buckets)> + '_ {
        self.parts.chunk_by(|one, next| one.node == next.node).map(|parts| {
            let mut buckets = Buckets::default();
            for part in parts {
                let sum = &mut buckets[usize::from(part.bucket)];
                *sum = sum.saturating_add(part.weight);
            }
            (parts[0].node, buckets)
        })
    }

    /// Returns the weights over time of rows of a call tree. Each row is its level (1 at the top) and its frame; it is
    /// below the closest previous row of a smaller level.
    pub fn of_rows(&self, tree: &TopDown, rows: &[(u32, FunctionId)]) -> When {
        let nodes = &tree.nodes;
        let callers = callers_of(rows);
        let mut row_of_node = vec![NOBODY; nodes.len()];
        let mut node_of_row: Vec<Option<CallNodeId>> = Vec::with_capacity(rows.len());
        for (row, (&(_, frame), caller)) in rows.iter().zip(&callers).enumerate() {
            let above = caller.map_or(Some(CallNodes::ROOT), |caller| node_of_row[caller]);
            let node = above.and_then(|above| nodes.children(above).find(|&node| nodes.function(node) == Some(frame)));
            if let Some(node) = node {
                row_of_node[node.index()] = row as u32;
            }
            node_of_row.push(node);
        }
        // Paths below a row belong to it, unless a row below it claims them.
        for node in (1..nodes.len() as u32).map(CallNodeId) {
            if row_of_node[node.index()] == NOBODY {
                row_of_node[node.index()] = row_of_node[nodes.parent(node).index()];
            }
        }
        let is_no_stack = |(level, frame): &(u32, FunctionId)| *level == 1 && tree.no_stack == Some(*frame);
        if let Some(row) = rows.iter().position(is_no_stack) {
            row_of_node[CallNodes::ROOT.index()] = row as u32;
        }
        let mut sums = vec![Buckets::default(); rows.len()];
        for (node, buckets) in self.by_node() {
            if let Some(sum) = sums.get_mut(row_of_node[node.index()] as usize) {
                add(sum, &buckets);
            }
        }
        for row in (0..rows.len()).rev() {
            if let Some(caller) = callers[row] {
                let below = sums[row];
                add(&mut sums[caller], &below);
            }
        }
        self.table(&sums)
    }

    /// Does the same for an inverted tree.
    pub fn of_callers(&self, tree: &TopDown, rows: &[(u32, FunctionId)]) -> When {
        let mut below: FastMap<(Option<usize>, FunctionId), usize> = FastMap::default();
        for (row, (&(_, frame), above)) in rows.iter().zip(callers_of(rows)).enumerate() {
            below.entry((above, frame)).or_insert(row);
        }
        let mut sums = vec![Buckets::default(); rows.len()];
        for (leaf, buckets) in self.by_node() {
            let mut above = None;
            let without = tree.no_stack.filter(|_| leaf == CallNodes::ROOT);
            let nodes = &tree.nodes;
            for frame in without.into_iter().chain(nodes.path(leaf).map_while(|node| nodes.function(node))) {
                let Some(&row) = below.get(&(above, frame)) else { break };
                add(&mut sums[row], &buckets);
                above = Some(row);
            }
        }
        self.table(&sums)
    }

    /// Returns the weights over time of functions; a recursive one counts once.
    pub fn of_functions(&self, tree: &TopDown, functions: &[FunctionId]) -> When {
        let nodes = &tree.nodes;
        let mut sums = vec![Buckets::default(); functions.len()];
        for (functions, sums) in functions.chunks(u64::BITS as usize).zip(sums.chunks_mut(u64::BITS as usize)) {
            let bits: FastMap<FunctionId, u64> =
                functions.iter().enumerate().map(|(at, &function)| (function, 1 << at)).collect();
            let mut on_path = vec![0u64; nodes.len()];
            for node in (1..nodes.len() as u32).map(CallNodeId) {
                let own = nodes.function(node).and_then(|function| bits.get(&function)).copied().unwrap_or(0);
                on_path[node.index()] = on_path[nodes.parent(node).index()] | own;
            }
            on_path[CallNodes::ROOT.index()] = tree.no_stack.and_then(|frame| bits.get(&frame)).copied().unwrap_or(0);
            for (node, buckets) in self.by_node() {
                let mut rest = on_path[node.index()];
                while rest != 0 {
                    add(&mut sums[rest.trailing_zeros() as usize], &buckets);
                    rest &= rest - 1;
                }
            }
        }
        self.table(&sums)
    }

    fn table(&self, sums: &[Buckets]) -> When {
        let mut when = When { bounds: vec![self.span.start.0, self.span.end.0], ..When::default() };
        for sum in sums {
            let most = sum.iter().copied().max().unwrap_or(0);
            when.heights.extend(sum.iter().map(|&weight| height(weight, most)));
            let (first, end) = bulk(sum);
            when.bulk_start.push(start_of(self.span, first));
            when.bulk_end.push(start_of(self.span, end));
        }
        when
    }
}

/// Marks nodes that belong to no row.
const NOBODY: u32 = u32::MAX;

/// Returns the parent row of each row.
fn callers_of(rows: &[(u32, FunctionId)]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut callers = Vec::with_capacity(rows.len());
    for (row, &(level, _)) in rows.iter().enumerate() {
        while open.last().is_some_and(|&above| rows[above].0 >= level) {
            open.pop();
        }
        callers.push(open.last().copied());
        open.push(row);
    }
    callers
}

fn add(sum: &mut Buckets, more: &Buckets) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum = sum.saturating_add(*more);
    }
}

/// Returns a weight as a share of the maximum in 255ths, at least 1 unless it is 0.
fn height(weight: u64, most: u64) -> u8 {
    match weight {
        0 => 0,
        _ => ((u128::from(weight) * 255 / u128::from(most.max(1))) as u8).max(1),
    }
}

/// Returns the start of a bucket; for the one after the last, the end of the span.
fn start_of(span: Span, bucket: usize) -> i64 {
    let share = i128::from(span.duration()) * bucket as i128 / WHEN_BUCKETS as i128;
    span.start.0.saturating_add(share as i64)
}

fn bucket_at(span: Span, time: i64) -> usize {
    let share = i128::from(time.saturating_sub(span.start.0)) * WHEN_BUCKETS as i128;
    (share / i128::from(span.duration().max(1))).clamp(0, WHEN_BUCKETS as i128 - 1) as usize
}

/// Distributes a sample's weight over buckets, by the time spent in each.
fn spread(span: Span, thread: &ThreadSamples, index: usize, of: (u64, u64), give: &mut dyn FnMut(u8, u64)) {
    let (length, weight) = of;
    let start = thread.time(index);
    let end = start.saturating_add(i64::try_from(length).unwrap_or(i64::MAX));
    let (first, last) = (bucket_at(span, start), bucket_at(span, end));
    if first == last {
        return give(first as u8, weight);
    }
    let mut rest = weight;
    for bucket in first..last {
        let until = start_of(span, bucket + 1).min(end);
        let from = if bucket == first { start } else { start_of(span, bucket) };
        let part = (until.saturating_sub(from).max(0) as u64).min(rest);
        give(bucket as u8, part);
        rest -= part;
    }
    give(last as u8, rest);
}

/// Returns the shortest range of buckets with four fifths of the weight: the first, and the one after the last.
fn bulk(sum: &Buckets) -> (usize, usize) {
    let total: u128 = sum.iter().map(|&weight| u128::from(weight)).sum();
    let mut best = (0, sum.len());
    let (mut first, mut inside) = (0, 0u128);
    for (end, &weight) in (1..).zip(sum) {
        inside += u128::from(weight);
        while first + 1 < end && (inside - u128::from(sum[first])) * 5 >= total * 4 {
            inside -= u128::from(sum[first]);
            first += 1;
        }
        if inside * 5 >= total * 4 && end - first < best.1 - best.0 {
            best = (first, end);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::thread_samples::tests::samples_of;
    use crate::analysis::stacks::call_tree::tests::{any_stacks, tree_of, tree_of_owned};
    use crate::analysis::stacks::inverted_tree::InvertedTree;
    use crate::analysis::stacks::stack_tree::{StackTree, TopDown};
    use proptest::prelude::*;

    /// Returns weights with each path in a single bucket, by its number modulo the number of buckets.
    fn timed(nodes: &CallNodes, weight_of: impl Fn(CallNodeId) -> u64) -> TimedWeights {
        let parts = (0..nodes.len() as u32).map(CallNodeId).filter(|&node| weight_of(node) > 0);
        let part =
            |node: CallNodeId| Part { node, bucket: (node.index() % WHEN_BUCKETS) as u8, weight: weight_of(node) };
        TimedWeights { span: Span::new(0, 3200), parts: parts.map(part).collect() }
    }

    /// Returns all rows of a tree with their weights.
    fn rows(tree: &dyn StackTree) -> (Vec<(u32, FunctionId)>, Vec<u64>) {
        let mut open: Vec<(u32, CallNodeId)> = vec![(0, CallNodes::ROOT)];
        let (mut rows, mut weights) = (Vec::new(), Vec::new());
        while let Some((level, node)) = open.pop() {
            if let Some(frame) = tree.frame(node) {
                rows.push((level, frame));
                weights.push(tree.inclusive(node));
            }
            open.extend(tree.children(node).into_iter().map(|child| (level + 1, child)));
        }
        (rows, weights)
    }

    #[test]
    fn rows_include_time_of_callees() {
        let (nodes, tree) = tree_of(&[(&[1, 2], 5), (&[1, 3], 10), (&[4], 1)]);
        let times = timed(&nodes, |node| tree.exclusive(node));
        let plain = TopDown::plain(nodes.into(), tree.into());
        let when = times.of_rows(&plain, &[(1, FunctionId(1)), (2, FunctionId(3)), (1, FunctionId(9))]);
        let of_row = |row: usize| &when.heights[row * WHEN_BUCKETS..(row + 1) * WHEN_BUCKETS];
        // Nodes are 1, 2, 3 for 1, 1·2, 1·3.
        assert_eq!(&of_row(0)[..5], [0, 0, 127, 255, 0]);
        assert_eq!(&of_row(1)[..5], [0, 0, 0, 255, 0]);
        assert!(of_row(2).iter().all(|&height| height == 0), "what is not there was never on a stack");
        assert_eq!((when.bulk_start[1], when.bulk_end[1]), (300, 400));
        let when = times.of_callers(&plain, &[(1, FunctionId(3)), (2, FunctionId(1)), (1, FunctionId(1))]);
        assert_eq!(when.bulk_start, [300, 300, 0], "nothing has the whole span");
        let when = times.of_functions(&plain, &[FunctionId(4), FunctionId(1)]);
        assert_eq!((when.bulk_start[0], when.bulk_start[1], when.bulk_end[1]), (400, 200, 400));
    }

    #[test]
    fn duration_is_spread_over_its_buckets() {
        let thread = samples_of(&[(100, 1, true)]);
        let mut given = Vec::new();
        spread(Span::new(0, 3200), &thread, 0, (250, 250), &mut |bucket, weight| given.push((bucket, weight)));
        assert_eq!(given, [(1, 100), (2, 100), (3, 50)]);
        given.clear();
        spread(Span::new(0, 3200), &thread, 0, (0, 7), &mut |bucket, weight| given.push((bucket, weight)));
        assert_eq!(given, [(1, 7)]);
        given.clear();
        spread(Span::new(0, 200), &thread, 0, (1000, 1000), &mut |bucket, weight| given.push((bucket, weight)));
        assert_eq!(given.iter().map(|(_, weight)| weight).sum::<u64>(), 1000, "the end has what lies behind it");
    }

    proptest! {
        #[test]
        fn buckets_of_a_row_sum_to_its_weight(stacks in any_stacks()) {
            let (nodes, tree) = tree_of_owned(&stacks);
            let times = timed(&nodes, |node| tree.exclusive(node));
            let top_down = TopDown::plain(nodes.into(), tree.into()).with_no_stack(FunctionId(9));
            let bottom_up = InvertedTree::new(top_down.clone());
            for (tree, is_inverted) in [(&top_down as &dyn StackTree, false), (&bottom_up, true)] {
                let (rows, weights) = rows(tree);
                let when = if is_inverted { times.of_callers(&top_down, &rows) } else { times.of_rows(&top_down, &rows) };
                for (row, weight) in weights.iter().enumerate() {
                    let heights = &when.heights[row * WHEN_BUCKETS..(row + 1) * WHEN_BUCKETS];
                    prop_assert_eq!(heights.contains(&255), *weight > 0);
                }
            }
        }

        #[test]
        fn spread_weights_stay_whole(start in -100i64..4000, length in 0u64..9000, lasts: bool) {
            let thread = samples_of(&[(start, 1, true)]);
            let mut sum = 0;
            let parts = (if lasts { length } else { 0 }, length);
            spread(Span::new(0, 3200), &thread, 0, parts, &mut |bucket, weight| {
                assert!(usize::from(bucket) < WHEN_BUCKETS);
                sum += weight;
            });
            prop_assert_eq!(sum, length);
        }

        #[test]
        fn bulk_has_four_fifths_of_weight(weights in proptest::collection::vec(0u64..50, WHEN_BUCKETS)) {
            let sum: Buckets = weights.clone().try_into().unwrap();
            let (first, end) = bulk(&sum);
            prop_assert!(weights[first..end].iter().sum::<u64>() * 5 >= weights.iter().sum::<u64>() * 4);
        }
    }
}
