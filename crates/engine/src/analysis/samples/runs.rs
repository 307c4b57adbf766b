//! Runs: consecutive samples of a thread with the same call path and state.
//!
//! After a sample whose interval exceeds the cap, there is a gap between two runs. Runs are built once per thread; the
//! timeline queries them for every visible range.

use super::call_nodes::CallNodes;
use super::level_index::LevelIndex;
use super::thread_samples::ThreadSamples;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::timeline::thread_state::ThreadState;
use std::ops::Range;

/// A maximal period of one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateRun {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds; equal to the start for a single sample.
    pub end: i64,
    /// One of [`protocol::tables::state`].
    pub state: u8,
}

#[derive(Clone, Debug, Default)]
pub struct ThreadRuns {
    start: Vec<i64>,
    end: Vec<i64>,
    node: Vec<CallNodeId>,
    managed: Vec<bool>,
    /// By run: number of levels from the root that continue from the previous run.
    common: LevelIndex,
    states: Vec<StateRun>,
}

/// A function on the stack for a while, at one level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Nanoseconds; may be before the requested range.
    pub start: i64,
    /// Nanoseconds; may be after the requested range.
    pub end: i64,
    /// 0 is the root frame.
    pub depth: u16,
    pub function: FunctionId,
    /// True if samples inside the requested range end in it, and all of these are outside managed code.
    pub is_external_leaf: bool,
}

impl ThreadRuns {
    /// Builds the runs of a thread's samples; `states` are the thread's states.
    pub fn build(samples: &ThreadSamples, nodes: &CallNodes, states: Vec<StateRun>) -> Self {
        Self::of_samples(samples, nodes, 0..samples.len(), states)
    }

    /// Builds the runs of some of the samples, in order. Omitted samples leave gaps.
    pub fn of_samples(
        samples: &ThreadSamples,
        nodes: &CallNodes,
        chosen: impl Iterator<Item = usize>,
        states: Vec<StateRun>,
    ) -> Self {
        let mut runs = Self { states, ..Self::default() };
        let mut common = Vec::new();
        for index in chosen {
            let start = samples.time(index);
            let end = start.saturating_add(samples.weight(index));
            let node = nodes.of_stack(samples.stack(index));
            let managed = samples.is_managed(index) || samples.state(index, None) == Some(ThreadState::Managed);
            let levels = match (runs.end.last_mut(), runs.node.last()) {
                (Some(last_end), Some(&last)) if *last_end == start => {
                    if last == node && runs.managed.last() == Some(&managed) {
                        *last_end = end;
                        continue;
                    }
                    nodes.depth(nodes.common_ancestor(last, node))
                }
                _ => 0,
            };
            common.push(levels);
            runs.start.push(start);
            runs.end.push(end);
            runs.node.push(node);
            runs.managed.push(managed);
        }
        runs.common = LevelIndex::new(common);
        runs
    }

    /// Returns the states that overlap `start..end`.
    pub fn states(&self, start: i64, end: i64) -> &[StateRun] {
        let first = self.states.partition_point(|run| run.end < start);
        let last = self.states.partition_point(|run| run.start < end);
        self.states.get(first..last).unwrap_or(&[])
    }

    /// Calls `visit` for every slice of the levels above `max_depth` that overlaps `start..end`; within a level in time
    /// order.
    pub fn slices(&self, nodes: &CallNodes, start: i64, end: i64, max_depth: u16, visit: impl FnMut(Slice)) {
        let mut walk = self.walk(self.touching(start, end), max_depth);
        self.advance(&mut walk, nodes, usize::MAX, visit);
    }

    /// Returns the runs that overlap `start..end`.
    pub fn touching(&self, start: i64, end: i64) -> Range<usize> {
        let first = self.end.partition_point(|&run_end| run_end < start);
        let last = self.start.partition_point(|&run_start| run_start < end);
        first..last.max(first)
    }

    /// Returns the number of runs.
    pub fn count(&self) -> usize {
        self.start.len()
    }

    /// Returns the nanoseconds from the first run to the end of the last.
    pub fn duration(&self) -> i64 {
        let ends = self.start.first().zip(self.end.last());
        ends.map_or(0, |(start, end)| end.saturating_sub(*start))
    }

    /// Starts to visit the slices of these runs on the levels above `max_depth`.
    pub fn walk(&self, runs: Range<usize>, max_depth: u16) -> SliceWalk {
        let runs = if max_depth == 0 { 0..0 } else { runs };
        SliceWalk { first: runs.start, next: runs.start, last: runs.end, max_depth, open: Vec::new() }
    }

    /// Continues for at most `count` runs, and calls `visit` for every slice that ends among them, within a level in
    /// time order. Returns whether all were visited.
    pub fn advance(
        &self,
        walk: &mut SliceWalk,
        nodes: &CallNodes,
        most_runs: usize,
        mut visit: impl FnMut(Slice),
    ) -> bool {
        let until = walk.last.min(walk.next.saturating_add(most_runs));
        for run in walk.next..until {
            if run > walk.first {
                let kept = self.common.value(run) as usize;
                while walk.open.len() > kept {
                    close(&mut walk.open, self.end[run - 1], &mut visit);
                }
            }
            self.open_levels(run, nodes, walk.max_depth, run == walk.first, &mut walk.open);
            let leaf_is_shown = nodes.depth(self.node[run]) as usize == walk.open.len();
            if let Some(leaf) = walk.open.last_mut().filter(|_| leaf_is_shown) {
                leaf.external_leaves |= !self.managed[run];
                leaf.managed_leaves |= self.managed[run];
            }
        }
        walk.next = until;
        if until < walk.last {
            return false;
        }
        while let Some(level) = walk.open.len().checked_sub(1) {
            let after = self.common.first_at_most(walk.last, level as u32).unwrap_or(self.end.len());
            close(&mut walk.open, self.end[after - 1], &mut visit);
        }
        true
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.start.len() * 26 + self.states.len() * 24
    }

    /// Opens the levels of a run that aren't open yet. The slices of a range's first run began where their prefix was
    /// last interrupted.
    fn open_levels(&self, run: usize, nodes: &CallNodes, max_depth: u16, is_first: bool, open: &mut Vec<OpenSlice>) {
        let depth = (nodes.depth(self.node[run]) as usize).min(max_depth.into());
        let already = open.len();
        if depth <= already {
            return;
        }
        let mut node = self.node[run];
        while nodes.depth(node) as usize > depth {
            node = nodes.parent(node);
        }
        for level in already..depth {
            let opened_at = if is_first { self.common.last_at_most(run, level as u32).unwrap_or(run) } else { run };
            open.push(OpenSlice { start: self.start[opened_at], ..OpenSlice::default() });
        }
        for level in (already..depth).rev() {
            open[level].function = nodes.function(node).unwrap_or_default();
            node = nodes.parent(node);
        }
    }
}

/// Progress of visiting the slices of some runs.
#[derive(Debug, Default)]
pub struct SliceWalk {
    first: usize,
    next: usize,
    last: usize,
    max_depth: u16,
    open: Vec<OpenSlice>,
}

/// A slice whose end isn't reached yet.
#[derive(Clone, Copy, Debug, Default)]
struct OpenSlice {
    start: i64,
    function: FunctionId,
    external_leaves: bool,
    managed_leaves: bool,
}

fn close(open: &mut Vec<OpenSlice>, end: i64, visit: &mut impl FnMut(Slice)) {
    if let Some(OpenSlice { start, function, external_leaves, managed_leaves }) = open.pop() {
        let is_external_leaf = external_leaves && !managed_leaves;
        visit(Slice { start, end, depth: open.len() as u16, function, is_external_leaf });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::analysis::samples::call_nodes::tests::nodes_of;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::samples::thread_samples::tests::samples_of;
    use crate::analysis::stacks::tree_query::call_nodes;
    use crate::analysis::testing::{Happening, What, store_of};
    use crate::analysis::timeline::thread_states::states_by_flag;
    use proptest::prelude::*;
    use protocol::tables::state;

    /// Returns the runs of samples (time, stack root first, managed).
    pub fn runs_of(samples: &[(i64, &[u32], bool)]) -> (CallNodes, ThreadRuns) {
        let stacks: Vec<&[u32]> = samples.iter().map(|sample| sample.1).collect();
        let (nodes, leaves) = nodes_of(&stacks);
        let rows: Vec<_> = samples.iter().zip(leaves).map(|(sample, leaf)| (sample.0, leaf.0, sample.2)).collect();
        let samples = samples_of(&rows);
        let runs = ThreadRuns::build(&samples, &nodes, states_by_flag(&samples));
        (nodes, runs)
    }

    /// Returns level, function, start and end of all slices that overlap a range, by level and time.
    pub fn slices_of(nodes: &CallNodes, runs: &ThreadRuns, start: i64, end: i64) -> Vec<(u16, u32, i64, i64)> {
        let mut slices = Vec::new();
        runs.slices(nodes, start, end, 100, |slice| {
            slices.push((slice.depth, slice.function.0, slice.start, slice.end))
        });
        slices.sort_by_key(|slice| (slice.0, slice.2));
        slices
    }

    #[test]
    fn samples_with_common_prefix_share_slices() {
        let (nodes, runs) = runs_of(&[
            (0, &[1, 2], true),
            (10, &[1, 2, 3], true),
            (20, &[1, 4], true),
            (30, &[1, 4], true),
            (40, &[], true),
        ]);
        assert_eq!(slices_of(&nodes, &runs, 0, 100), [(0, 1, 0, 40), (1, 2, 0, 20), (1, 4, 20, 40), (2, 3, 10, 20)]);
    }

    #[test]
    fn slice_beyond_both_ends_of_range_is_whole() {
        let (nodes, runs) = runs_of(&[
            (0, &[1, 2], true),
            (10, &[1, 2, 3], true),
            (20, &[1, 4], true),
            (30, &[1, 5], true),
            (40, &[6], true),
        ]);
        assert_eq!(slices_of(&nodes, &runs, 12, 18), [(0, 1, 0, 40), (1, 2, 0, 20), (2, 3, 10, 20)]);
    }

    #[test]
    fn sampler_pause_interrupts_all_slices() {
        let (nodes, runs) =
            runs_of(&[(0, &[1], true), (10, &[1], true), (20, &[1], true), (200, &[1], true), (210, &[1], true)]);
        assert_eq!(slices_of(&nodes, &runs, 0, 300), [(0, 1, 0, 70), (0, 1, 200, 210)]);
        let states: Vec<_> = runs.states(0, 300).iter().map(|run| (run.start, run.end, run.state)).collect();
        assert_eq!(states, [(0, 70, state::MANAGED), (70, 200, state::NOT_SAMPLED), (200, 210, state::MANAGED)]);
    }

    #[test]
    fn run_continues_through_late_sample_at_same_place() {
        let happenings: Vec<Happening> = [0, 10, 20, 30, 40, 160, 170]
            .iter()
            .map(|&at| (at, 5, What::Sample(true, if at < 20 { vec![1] } else { vec![1, 2] })))
            .collect();
        let (store, _) = store_of(&happenings);
        let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
        let (_, thread) = samples.iter().next().expect("a thread");
        let runs = ThreadRuns::build(thread, &nodes, states_by_flag(thread));
        assert_eq!((runs.count(), runs.duration()), (2, 170), "as long as the clock on the wall says");
        let states: Vec<_> = runs.states(0, 300).iter().map(|run| (run.start, run.end, run.state)).collect();
        assert_eq!(states, [(0, 170, state::MANAGED)]);
    }

    #[test]
    fn thread_with_one_sample_is_a_mark() {
        let (nodes, runs) = runs_of(&[(7, &[1], false)]);
        assert_eq!(slices_of(&nodes, &runs, 0, 10), [(0, 1, 7, 7)]);
        assert_eq!(runs.states(0, 10), [StateRun { start: 7, end: 7, state: state::NATIVE }]);
    }

    #[test]
    fn leaf_with_only_waits_is_external() {
        let (nodes, runs) =
            runs_of(&[(0, &[1, 2], false), (10, &[1, 3], true), (20, &[1, 3], false), (30, &[1], true)]);
        let mut leaves = Vec::new();
        runs.slices(&nodes, 0, 40, 9, |slice| leaves.push((slice.function.0, slice.is_external_leaf)));
        leaves.sort_unstable();
        assert_eq!(leaves, [(1, false), (2, true), (3, false)]);
    }

    type AnySamples = Vec<(i64, Vec<u32>, bool)>;

    /// Generates samples at intervals from a usual period to long pauses.
    pub fn any_samples() -> impl Strategy<Value = AnySamples> {
        proptest::collection::vec(
            (prop_oneof![0i64..12, 0i64..12, 0i64..200], proptest::collection::vec(0u32..4, 0..6), any::<bool>()),
            0..80,
        )
        .prop_map(|steps| {
            let mut time = -50;
            steps
                .into_iter()
                .map(|(step, stack, managed)| {
                    time += step;
                    (time, stack, managed)
                })
                .collect()
        })
    }

    /// Returns the same as [`runs_of`], for owned stacks.
    pub fn runs_of_owned(samples: &AnySamples) -> (CallNodes, ThreadRuns) {
        let borrowed: Vec<(i64, &[u32], bool)> =
            samples.iter().map(|(time, stack, managed)| (*time, stack.as_slice(), *managed)).collect();
        runs_of(&borrowed)
    }

    proptest! {
        #[test]
        fn window_has_same_slices_as_whole(samples in any_samples(), start in -60i64..500, length in 1i64..300) {
            let (nodes, runs) = runs_of_owned(&samples);
            let end = start + length;
            let all = slices_of(&nodes, &runs, i64::MIN, i64::MAX);
            let expected: Vec<_> = all.iter().copied().filter(|slice| slice.3 >= start && slice.2 < end).collect();
            prop_assert_eq!(slices_of(&nodes, &runs, start, end), expected);
        }

        #[test]
        fn slices_of_level_do_not_overlap_and_are_below_caller(samples in any_samples()) {
            let (nodes, runs) = runs_of_owned(&samples);
            let all = slices_of(&nodes, &runs, i64::MIN, i64::MAX);
            for pair in all.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                prop_assert!(pair[0].3 <= pair[1].2);
            }
            for slice in all.iter().filter(|slice| slice.0 > 0) {
                prop_assert!(all.iter().any(|other| other.0 + 1 == slice.0 && other.2 <= slice.2 && slice.3 <= other.3));
            }
        }
    }
}
