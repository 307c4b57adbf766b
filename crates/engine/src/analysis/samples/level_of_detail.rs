//! Level of detail: items shorter than the resolution become one item per bucket.
//!
//! Buckets begin at multiples of the resolution, regardless of the range, so that nothing flickers while the range
//! moves. A row therefore has at most two items per bucket.

use super::runs::{Slice, StateRun};
use protocol::base::ids::FunctionId;
use protocol::tables::state;
use protocol::timeline::wait_shares::WaitShares;

pub fn bucket_of(time: i64, resolution: i64) -> i64 {
    time.div_euclid(resolution.max(1))
}

/// A slice of one level, or several merged short ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergedSlice {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
    /// Duration of the longest slice in nanoseconds.
    pub longest: i64,
    /// Function of the longest slice.
    pub function: FunctionId,
    /// True if the longest slice is an external leaf.
    pub is_external_leaf: bool,
}

impl From<Slice> for MergedSlice {
    fn from(slice: Slice) -> Self {
        let Slice { start, end, function, is_external_leaf, .. } = slice;
        Self { start, end, longest: end.saturating_sub(start), function, is_external_leaf }
    }
}

/// Merges the short slices of one level.
#[derive(Clone, Debug, Default)]
pub struct SliceMerger {
    merged: Vec<MergedSlice>,
    /// Bucket of the last item while that consists of short slices.
    open: Option<i64>,
}

impl SliceMerger {
    /// Adds the level's next slice, or one merged earlier at a resolution that divides this one; the result is the
    /// same.
    pub fn push(&mut self, slice: MergedSlice, resolution: i64) {
        if slice.longest >= resolution {
            self.open = None;
            self.merged.push(slice);
            return;
        }
        let bucket = bucket_of(slice.start, resolution);
        match self.merged.last_mut() {
            Some(last) if self.open == Some(bucket) => {
                last.end = slice.end;
                if slice.longest > last.longest {
                    last.longest = slice.longest;
                    last.function = slice.function;
                    last.is_external_leaf = slice.is_external_leaf;
                }
            }
            _ => {
                self.open = Some(bucket);
                self.merged.push(slice);
            }
        }
    }

    /// Returns the slices of the level in time order.
    pub fn finish(self) -> Vec<MergedSlice> {
        self.merged
    }
}

/// A state, or the density of several short ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergedState {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
    /// The longest state, one of [`state`].
    pub state: u8,
    /// Share of managed time, 0 to 255.
    pub managed_share: u8,
    /// Share of time in native code or the JIT compiler, 0 to 255.
    pub native_share: u8,
    /// Shares of wait time.
    pub waits: WaitShares,
}

/// Merges short states.
pub fn merge_states(runs: &[StateRun], resolution: i64) -> Vec<MergedState> {
    let mut merged = Vec::new();
    let mut open: Option<Density> = None;
    for run in runs {
        let is_short = run.end.saturating_sub(run.start) < resolution;
        let bucket = bucket_of(run.start, resolution);
        if let Some(density) = open.as_mut().filter(|density| is_short && density.bucket == bucket) {
            density.add(run);
            continue;
        }
        merged.extend(open.take().map(|density| density.merged()));
        let mut density = Density { bucket, start: run.start, end: run.end, lasting: [0; state::COUNT] };
        density.add(run);
        if is_short {
            open = Some(density);
        } else {
            merged.push(density.merged());
        }
    }
    merged.extend(open.map(|density| density.merged()));
    merged
}

struct Density {
    bucket: i64,
    start: i64,
    end: i64,
    /// Nanoseconds by state; a state without length counts as one.
    lasting: [i64; state::COUNT],
}

impl Density {
    fn add(&mut self, run: &StateRun) {
        self.end = run.end;
        if let Some(lasting) = self.lasting.get_mut(usize::from(run.state)) {
            *lasting = lasting.saturating_add(run.end.saturating_sub(run.start).max(1));
        }
    }

    fn merged(&self) -> MergedState {
        let of = |kind: u8| self.lasting.get(usize::from(kind)).copied().unwrap_or(0);
        let longest = self.lasting.iter().copied().max().unwrap_or(0);
        // If several are equally long, take the first: managed code before everything else.
        let kind =
            (0u8..).zip(self.lasting).find(|(_, lasting)| *lasting == longest).map_or(state::MANAGED, |found| found.0);
        let total = self.lasting.iter().copied().fold(0, i64::saturating_add).max(1);
        let share = |nanos: i64| (nanos as f64 / total as f64 * 255.0).round() as u8;
        MergedState {
            start: self.start,
            end: self.end,
            state: kind,
            managed_share: share(of(state::MANAGED)),
            native_share: share(of(state::NATIVE).saturating_add(of(state::JIT))),
            waits: WaitShares::new(|kind| of(kind) as f64 / total as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::runs::tests::{any_samples, runs_of, runs_of_owned};
    use proptest::prelude::*;

    fn slice(start: i64, end: i64, function: u32) -> Slice {
        Slice { start, end, depth: 0, function: FunctionId(function), is_external_leaf: false }
    }

    #[test]
    fn short_slices_are_merged_into_longest_of_bucket() {
        let mut merger = SliceMerger::default();
        for one in
            [slice(0, 3, 1), slice(3, 8, 2), slice(9, 10, 3), slice(16, 17, 4), slice(20, 60, 5), slice(60, 61, 6)]
        {
            merger.push(one.into(), 16);
        }
        let merged: Vec<_> = merger.finish().iter().map(|one| (one.start, one.end, one.function.0)).collect();
        assert_eq!(merged, [(0, 10, 2), (16, 17, 4), (20, 60, 5), (60, 61, 6)]);
    }

    #[test]
    fn short_states_become_density() {
        let (_, runs) = runs_of(&[
            (0, &[1], true),
            (4, &[1], false),
            (8, &[1], true),
            (9, &[1], false),
            (32, &[1], true),
            (64, &[1], true),
        ]);
        let merged: Vec<_> = merge_states(runs.states(0, 100), 16)
            .iter()
            .map(|one| (one.start, one.end, one.state, one.managed_share))
            .collect();
        assert_eq!(
            merged,
            [
                (0, 9, state::MANAGED, 142),
                (9, 29, state::NATIVE, 0),
                (29, 32, state::NOT_SAMPLED, 0),
                (32, 52, state::MANAGED, 255),
                (52, 64, state::NOT_SAMPLED, 0)
            ]
        );
    }

    proptest! {
        #[test]
        fn row_has_at_most_two_marks_per_bucket_and_hides_nothing(samples in any_samples(), power in 0u32..7) {
            let resolution = 1i64 << power;
            let (nodes, runs) = runs_of_owned(&samples);
            let mut levels = vec![SliceMerger::default(); 8];
            let mut slices = Vec::new();
            runs.slices(&nodes, i64::MIN, i64::MAX, 8, |slice| slices.push(slice));
            slices.iter().for_each(|slice| levels[usize::from(slice.depth)].push((*slice).into(), resolution));
            let span = samples.iter().map(|sample| sample.0).max().unwrap_or(0) + 50;
            for (depth, level) in levels.into_iter().enumerate() {
                let merged = level.finish();
                prop_assert!(merged.len() as i64 <= 2 * (span / resolution + 2));
                for pair in merged.windows(2) {
                    prop_assert!(pair[0].end <= pair[1].start);
                }
                for slice in slices.iter().filter(|slice| usize::from(slice.depth) == depth) {
                    prop_assert!(merged.iter().any(|one| one.start <= slice.start && slice.end <= one.end));
                }
            }
            let states = merge_states(runs.states(i64::MIN, i64::MAX), resolution);
            prop_assert!(states.len() as i64 <= 2 * (span / resolution + 2));
        }
    }
}
