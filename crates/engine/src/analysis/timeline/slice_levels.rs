//! Precomputed slices of a long thread, at resolutions that are each four times coarser, so that a view of the whole
//! thread costs as much as its visible slices, not as its samples.

use super::lanes::Window;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::level_of_detail::{MergedSlice, SliceMerger};
use crate::analysis::samples::runs::{SliceWalk, ThreadRuns};

/// Minimum number of runs in a window. Fewer are merged on demand in a few milliseconds.
const LEAST_RUNS: usize = 1 << 14;
/// Minimum average number of runs per bucket of the finest resolution. The slices of a deep, always changing stack then
/// need as much memory as the runs.
const RUNS_A_BUCKET: usize = 64;
/// Maximum number of buckets of the finest resolution.
const MAX_BUCKETS: usize = 1 << 15;
/// Maximum number of slices of the finest resolution: 16 MB.
const MAX_MARKS: usize = 1 << 19;
/// Number of slices below which no coarser resolution is needed.
const FEW_MARKS: usize = 1 << 12;
/// Maximum depth with slices.
const MAX_DEPTH: u16 = 512;
/// Runs per step.
const STEP_RUNS: usize = 1 << 13;

/// Slices of every stack level at one resolution.
#[derive(Debug)]
struct Coarse {
    resolution: i64,
    by_depth: Vec<Vec<MergedSlice>>,
}

impl Coarse {
    fn count(&self) -> usize {
        self.by_depth.iter().map(Vec::len).sum()
    }

    /// Returns the slices at a multiple of this resolution.
    fn coarser(&self, resolution: i64) -> Self {
        let merged = |slices: &Vec<MergedSlice>| {
            let mut merger = SliceMerger::default();
            slices.iter().for_each(|slice| merger.push(*slice, resolution));
            merger.finish()
        };
        Self { resolution, by_depth: self.by_depth.iter().map(merged).collect() }
    }
}

/// The slices of a thread at several resolutions, possibly incomplete.
#[derive(Debug)]
pub struct SliceLevels {
    /// Nanoseconds per bucket of the finest resolution.
    resolution: i64,
    walk: SliceWalk,
    /// By depth, until all runs are visited.
    mergers: Vec<SliceMerger>,
    /// From the finest resolution on, once all runs are visited.
    levels: Vec<Coarse>,
}

impl SliceLevels {
    /// Starts the computation; `None` if the thread is short, or the window is so small that merging on demand is as
    /// fast.
    pub fn begin(runs: &ThreadRuns, window: Window) -> Option<Self> {
        let asked = runs.touching(window.span.start.0, window.span.end.0).len();
        let resolution = finest(runs);
        let is_worth_it = asked >= LEAST_RUNS && window.max_depth > 0 && window.resolution >= resolution;
        is_worth_it.then(|| Self {
            resolution,
            walk: runs.walk(0..runs.count(), MAX_DEPTH),
            mergers: Vec::new(),
            levels: Vec::new(),
        })
    }

    /// Continues for a few milliseconds. Returns whether everything is computed.
    pub fn advance(&mut self, runs: &ThreadRuns, nodes: &CallNodes) -> bool {
        if !self.levels.is_empty() {
            return true;
        }
        let (mergers, resolution) = (&mut self.mergers, self.resolution);
        let is_over = runs.advance(&mut self.walk, nodes, STEP_RUNS, |slice| {
            let depth = usize::from(slice.depth);
            if mergers.len() <= depth {
                mergers.resize_with(depth + 1, SliceMerger::default);
            }
            mergers[depth].push(slice.into(), resolution);
        });
        if is_over {
            let by_depth = std::mem::take(mergers).into_iter().map(SliceMerger::finish).collect();
            self.levels = levels_from(Coarse { resolution, by_depth });
        }
        false
    }

    /// Calls `visit` with depth and slices of each stack level in the window, the outermost first. Returns false if the
    /// window needs finer slices than are stored.
    pub fn slices(&self, window: Window, mut visit: impl FnMut(u16, Vec<MergedSlice>)) -> bool {
        let divides = |coarse: &&Coarse| window.resolution % coarse.resolution == 0;
        let Some(coarse) = self.levels.iter().rev().find(divides).filter(|_| window.max_depth <= MAX_DEPTH) else {
            return false;
        };
        let (start, end) = (window.span.start.0, window.span.end.0);
        for (depth, slices) in (0..window.max_depth).zip(&coarse.by_depth) {
            let first = slices.partition_point(|slice| slice.end < start);
            let last = slices.partition_point(|slice| slice.start < end);
            let mut merger = SliceMerger::default();
            let seen = slices.get(first..last).unwrap_or(&[]);
            seen.iter().for_each(|slice| merger.push(*slice, window.resolution));
            visit(depth, merger.finish());
        }
        true
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(Coarse::count).sum::<usize>() * size_of::<MergedSlice>()
    }
}

/// Returns the finest resolution stored for a thread, a power of two.
fn finest(runs: &ThreadRuns) -> i64 {
    let buckets = (runs.count() / RUNS_A_BUCKET).clamp(1, MAX_BUCKETS) as i64;
    let least = (runs.duration() / buckets).clamp(1, 1 << 60);
    (least as u64).next_power_of_two() as i64
}

/// Returns these slices, or coarser ones if there are too many, and all coarser resolutions.
fn levels_from(mut finest: Coarse) -> Vec<Coarse> {
    while finest.count() > MAX_MARKS && finest.resolution < 1 << 60 {
        finest = finest.coarser(finest.resolution * 2);
    }
    let mut levels = vec![finest];
    while let Some(last) = levels.last().filter(|last| last.count() > FEW_MARKS && last.resolution < 1 << 58) {
        let next = last.coarser(last.resolution * 4);
        levels.push(next);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::runs::tests::{any_samples, runs_of_owned};
    use proptest::prelude::*;
    use protocol::base::time::Span;

    fn window(start: i64, end: i64, resolution: i64) -> Window {
        Window { span: Span::new(start, end), resolution, max_depth: 9 }
    }

    /// Returns slices by depth, merged directly.
    fn directly(nodes: &CallNodes, runs: &ThreadRuns, resolution: i64) -> Vec<Vec<MergedSlice>> {
        let mut mergers = vec![SliceMerger::default(); 9];
        runs.slices(nodes, i64::MIN, i64::MAX, 9, |slice| {
            mergers[usize::from(slice.depth)].push(slice.into(), resolution);
        });
        mergers.into_iter().map(SliceMerger::finish).collect()
    }

    /// Returns the slices at this resolution and coarser ones.
    fn gathered(nodes: &CallNodes, runs: &ThreadRuns, resolution: i64) -> SliceLevels {
        let walk = runs.walk(0..runs.count(), MAX_DEPTH);
        let mut levels = SliceLevels { resolution, walk, mergers: Vec::new(), levels: Vec::new() };
        while !levels.advance(runs, nodes) {}
        // Add coarser levels, as if there were more slices.
        while let Some(last) = levels.levels.last().filter(|last| last.resolution < 1 << 8) {
            let next = last.coarser(last.resolution * 4);
            levels.levels.push(next);
        }
        levels
    }

    #[test]
    fn short_thread_or_narrow_window_needs_no_levels() {
        let many: Vec<_> = (0..40_000).map(|at| (at * 10, vec![1, at as u32 % 7], true)).collect();
        let (nodes, runs) = runs_of_owned(&many);
        let finest = finest(&runs);
        assert_eq!(finest, 1024, "625 buckets of 640 ns, and the next power of two");
        assert!(SliceLevels::begin(&runs, window(0, 400_000, finest / 2)).is_none(), "finer");
        assert!(SliceLevels::begin(&runs, window(0, 100_000, finest)).is_none(), "a part");
        let mut levels = SliceLevels::begin(&runs, window(0, 400_000, finest)).expect("all of it");
        assert!(!levels.slices(window(0, 400_000, finest), |_, _| ()), "not yet");
        let steps = (0..).take_while(|_| !levels.advance(&runs, &nodes)).count();
        assert_eq!(steps, 40_000_usize.div_ceil(STEP_RUNS));
        assert!(levels.bytes() < 100_000, "{}", levels.bytes());
        let mut seen = Vec::new();
        assert!(levels.slices(window(0, 400_000, 4 * finest), |depth, slices| seen.push((depth, slices.len()))));
        assert_eq!(seen, [(0, 1), (1, 98)], "one call of the root, and a slice a bucket");
        let (short, _) = many.split_at(1_000);
        assert!(SliceLevels::begin(&runs_of_owned(&short.to_vec()).1, window(0, 400_000, 1 << 20)).is_none());
    }

    proptest! {
        #[test]
        fn precomputed_slices_match_direct_ones(samples in any_samples(), fine in 0u32..5, coarser in 0u32..5) {
            let (nodes, runs) = runs_of_owned(&samples);
            let levels = gathered(&nodes, &runs, 1 << fine);
            let resolution = 1 << (fine + coarser);
            let mut slices = Vec::new();
            prop_assert!(levels.slices(window(i64::MIN, i64::MAX, resolution), |_, level| slices.push(level)));
            let mut expected = directly(&nodes, &runs, resolution);
            expected.truncate(slices.len());
            prop_assert_eq!(slices, expected);
        }

        #[test]
        fn window_of_levels_has_every_overlapping_slice(samples in any_samples(), start in -60i64..500, length in 1i64..300) {
            let (nodes, runs) = runs_of_owned(&samples);
            let levels = gathered(&nodes, &runs, 4);
            let end = start + length;
            let mut seen = Vec::new();
            levels.slices(window(start, end, 16), |_, slices| seen.push(slices));
            let covers = |depth: usize, start: i64, end: i64| {
                seen.get(depth).is_some_and(|slices| slices.iter().any(|slice| slice.start <= start && end <= slice.end))
            };
            let mut hidden = Vec::new();
            runs.slices(&nodes, start, end, 9, |slice| {
                if !covers(slice.depth.into(), slice.start, slice.end) {
                    hidden.push(slice);
                }
            });
            prop_assert_eq!(hidden, []);
            for (slices, whole) in seen.iter().zip(directly(&nodes, &runs, 16)) {
                prop_assert!(slices.len() <= whole.len());
            }
        }
    }
}
