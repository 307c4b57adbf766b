//! Rows of the timeline: states, slices and markers of threads in the visible range, at a level of detail.

use super::event_ticks::MarkerIndex;
use super::slice_levels::SliceLevels;
use super::thread_states::ThreadStates;
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::waits::ThreadWaits;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::level_of_detail::{MergedSlice, SliceMerger, merge_states};
use crate::analysis::samples::runs::ThreadRuns;
use crate::analysis::stacks::tree_tables::{FunctionText, NameTable, NamedFrames, function_text, slice_flags};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, ThreadId};
use protocol::base::time::Span;
use protocol::tables::Lanes;

/// Cached data of threads' rows.
#[derive(Debug, Default)]
pub struct LaneIndex {
    threads: FastMap<ThreadId, ThreadLane>,
    markers: MarkerIndex,
}

#[derive(Debug)]
struct ThreadLane {
    runs: ThreadRuns,
    /// Available once a long thread was displayed at low resolution.
    levels: Option<SliceLevels>,
}

/// Thread data that events record exactly.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    pub states: &'k ThreadStates,
    pub waits: &'k ThreadWaits,
    /// Spans, if requested.
    pub spans: Option<&'k SpanIndex>,
}

/// The requested part of the timeline.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The visible range.
    pub span: Span,
    /// Nanoseconds per pixel.
    pub resolution: i64,
    /// Maximum number of stack levels; 0 for none.
    pub max_depth: u16,
}

impl LaneIndex {
    /// Computes data that `lanes` needs, for a few milliseconds. Returns whether it is complete.
    pub fn prepare(
        &mut self,
        samples: &SampleIndex,
        nodes: &CallNodes,
        states: &ThreadStates,
        threads: &[ThreadId],
        window: Window,
    ) -> bool {
        for &thread in threads {
            let is_new = !self.threads.contains_key(&thread);
            let lane = self.lane(samples, nodes, states, thread);
            if lane.levels.is_none() {
                lane.levels = SliceLevels::begin(&lane.runs, window);
            }
            let is_ready = lane.levels.as_mut().is_none_or(|levels| levels.advance(&lane.runs, nodes));
            if is_new || !is_ready {
                return false;
            }
        }
        true
    }

    fn lane(
        &mut self,
        samples: &SampleIndex,
        nodes: &CallNodes,
        states: &ThreadStates,
        thread: ThreadId,
    ) -> &mut ThreadLane {
        self.threads.entry(thread).or_insert_with(|| {
            let samples = samples.thread(thread);
            let runs = ThreadRuns::build(samples, nodes, states.of(thread).to_vec());
            ThreadLane { runs, levels: None }
        })
    }

    /// Returns states, slices and markers of `threads` in the window.
    pub fn lanes(
        &mut self,
        store: &Store,
        samples: &SampleIndex,
        nodes: &CallNodes,
        known: Known<'_>,
        threads: &[ThreadId],
        window: Window,
    ) -> Lanes {
        let window = Window { resolution: window.resolution.max(1), ..window };
        let mut table = Lanes::default();
        let mut names = NameTable::default();
        for (lane, &thread) in (0u32..).zip(threads) {
            let ThreadLane { runs, levels } = self.lane(samples, nodes, known.states, thread);
            push_states(&mut table, lane, runs, window);
            known.waits.push(&mut table, lane, thread, window.span, window.resolution);
            if let Some(set) = known.spans.and_then(|spans| spans.thread(thread)) {
                push_spans(&mut table, &mut names, lane, set, window);
            }
            let text = |function| function_text(store, Some(function));
            let mut push = |depth, slices| push_slices(&mut table, &mut names, &text, lane, depth, slices);
            let was_ready = levels.as_ref().is_some_and(|levels| levels.slices(window, &mut push));
            if !was_ready {
                visit_slices(nodes, runs, window, push);
            }
        }
        push_wait_names(&mut table, &mut names, known.waits);
        self.markers.push(&mut table, store, threads, window);
        table.names = names.finish();
        table
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let lane = |lane: &ThreadLane| lane.runs.bytes() + lane.levels.as_ref().map_or(0, SliceLevels::bytes);
        self.threads.values().map(lane).sum::<usize>() + self.markers.bytes()
    }
}

/// Returns the stacks of one thread over time, transformed and selected, with the properties of their frames.
pub fn time_order(frames: NamedFrames<'_>, nodes: &CallNodes, runs: &ThreadRuns, window: Window) -> Lanes {
    let window = Window { resolution: window.resolution.max(1), ..window };
    let (mut table, mut names) = (Lanes::default(), NameTable::default());
    let text = |frame| frames.text(Some(frame));
    visit_slices(nodes, runs, window, |depth, slices| push_slices(&mut table, &mut names, &text, 0, depth, slices));
    table.names = names.finish();
    table.frame.clone_from(&table.slice_function);
    table.frame.sort_unstable();
    table.frame.dedup();
    for frame in table.frame.iter().copied().map(FunctionId) {
        table.frame_module.push(text(frame).module);
        table.frame_family.push(frames.family(Some(frame)));
    }
    table
}

fn push_states(table: &mut Lanes, lane: u32, runs: &ThreadRuns, window: Window) {
    let states = runs.states(window.span.start.0, window.span.end.0);
    for merged in merge_states(states, window.resolution) {
        table.state_lane.push(lane);
        table.state_start.push(merged.start);
        table.state_end.push(merged.end);
        table.state.push(merged.state);
        table.state_managed.push(merged.managed_share);
        table.state_native.push(merged.native_share);
        table.state_waits.push(merged.waits.0);
    }
}

/// Adds the names of the objects that waits are for, and their owners.
fn push_wait_names(table: &mut Lanes, names: &mut NameTable, waits: &ThreadWaits) {
    for column in [&mut table.wait_subject, &mut table.wait_owner] {
        for text in column {
            *text = names.position(waits.text(*text));
        }
    }
}

/// Calls `visit` with depth and slices of each level of the stack in the window, the outermost first.
fn visit_slices(nodes: &CallNodes, runs: &ThreadRuns, window: Window, mut visit: impl FnMut(u16, Vec<MergedSlice>)) {
    let mut levels: Vec<SliceMerger> = Vec::new();
    runs.slices(nodes, window.span.start.0, window.span.end.0, window.max_depth, |slice| {
        let level = usize::from(slice.depth);
        if levels.len() <= level {
            levels.resize_with(level + 1, SliceMerger::default);
        }
        levels[level].push(slice.into(), window.resolution);
    });
    for (depth, level) in (0u16..).zip(levels) {
        visit(depth, level.finish());
    }
}

fn push_slices<'t>(
    table: &mut Lanes,
    names: &mut NameTable,
    text: &dyn Fn(FunctionId) -> FunctionText<'t>,
    lane: u32,
    depth: u16,
    slices: Vec<MergedSlice>,
) {
    for slice in slices {
        table.slice_lane.push(lane);
        table.slice_start.push(slice.start);
        table.slice_end.push(slice.end);
        table.slice_depth.push(depth);
        table.slice_function.push(slice.function.0);
        let text = text(slice.function);
        table.slice_name.push(names.of(slice.function, text.name));
        table.slice_flags.push(slice_flags(text, slice.is_external_leaf));
    }
}

fn push_spans(table: &mut Lanes, names: &mut NameTable, lane: u32, set: &IntervalSet, window: Window) {
    let intervals = set.window(&|_| true, window.span, window.resolution);
    // Position of this thread's first text in the names.
    let first = intervals.texts.iter().map(|text| names.push(text)).min().unwrap_or(0);
    table.span_lane.extend(std::iter::repeat_n(lane, intervals.start.len()));
    table.span_name.extend(intervals.name.iter().map(|name| first + name));
    table.span_note.extend(intervals.note.iter().map(|note| first + note));
    table.span_row.extend(intervals.row);
    table.span_start.extend(intervals.start);
    table.span_end.extend(intervals.end);
    table.span_count.extend(intervals.count);
    table.span_covered.extend(intervals.covered);
    table.span_shade.extend(intervals.shade);
    table.span_flags.extend(intervals.flags);
    table.span_event.extend(intervals.event);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stacks::tree_query::call_nodes;
    use crate::analysis::testing::{What, store_of};
    use crate::analysis::timeline::thread_states::thread_states;
    use protocol::tables::state;

    #[test]
    fn lanes_have_states_slices_and_markers_of_requested_threads() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Sample(true, vec![1, 2])),
            (1, 6, What::Sample(true, vec![9])),
            (8, 5, What::Throw("bad")),
            (9, 5, What::Order("x", 1)),
            (16, 5, What::Sample(false, vec![1, 3])),
            (16, 5, What::WaitForHandle { is_monitor: false, stack: vec![1, 3] }),
            (20, 5, What::Order("y", 1)),
            (32, 5, What::HandleSet),
            (32, 5, What::Sample(true, vec![1])),
        ]);
        let mut samples = SampleIndex::build(&store).expect("memory");
        let nodes = call_nodes(&store);
        let thread = store.threads.iter().find(|thread| thread.os_thread == 5).unwrap().id;
        let window = Window { span: Span::new(0, 40), resolution: 16, max_depth: 5 };
        let states = thread_states(&store, &bytes, &samples);
        samples.give_states(|thread| states.of(thread));
        let known = Known { states: &states, waits: &ThreadWaits::default(), spans: None };
        let table = LaneIndex::default().lanes(&store, &samples, &nodes, known, &[thread], window);
        assert_eq!(table.state, [state::MANAGED, state::BLOCKED]);
        assert_eq!((table.state_start, table.state_end), (vec![0, 16], vec![16, 32]));
        let slices: Vec<_> = (0..table.slice_start.len())
            .map(|at| {
                (
                    table.slice_depth[at],
                    table.slice_start[at],
                    table.slice_end[at],
                    table.names.get(table.slice_name[at] as usize),
                    table.slice_flags[at],
                )
            })
            .collect();
        assert_eq!(slices, [(0, 0, 32, "Shop.M1()", 0), (1, 0, 16, "Shop.M2()", 0), (1, 16, 32, "Shop.M3()", 1)]);
        assert_eq!(
            (table.marker_time, table.marker_count, table.marker_kind),
            (vec![8, 16, 32], vec![2, 2, 1], vec![1, 0, 0])
        );
    }
}
