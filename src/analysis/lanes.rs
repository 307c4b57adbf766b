//! The timeline's rows: what threads did in a visible range, at a level of detail.

use super::call_nodes::CallNodes;
use super::detail::{SliceMerger, bucket_of, merge_states};
use super::runs::ThreadRuns;
use super::samples::{SampleIndex, is_sample};
use super::tree_tables::{NameTable, slice_flags};
use crate::clr::KnownEvent;
use crate::model::Store;
use crate::model::ids::ThreadId;
use crate::model::time::{Nanos, Span};
use crate::protocol::tables::Lanes;
use rustc_hash::FxHashMap;

/// Bit of `marker_kind`: an exception is among the events.
const EXCEPTION: u8 = 1;

/// What threads did, put together once a thread and kept.
#[derive(Debug, Default)]
pub struct LaneIndex {
    runs: FxHashMap<ThreadId, ThreadRuns>,
}

/// What of the timeline is asked.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The visible range.
    pub span: Span,
    /// Nanoseconds a pixel.
    pub resolution: i64,
    /// Stack levels wanted; 0 for none.
    pub max_depth: u16,
}

impl LaneIndex {
    /// States, slices and markers of `threads` in the window.
    pub fn lanes(
        &mut self,
        store: &Store,
        samples: &SampleIndex,
        nodes: &CallNodes,
        threads: &[ThreadId],
        window: Window,
    ) -> Lanes {
        let window = Window { resolution: window.resolution.max(1), ..window };
        let mut table = Lanes::default();
        let mut names = NameTable::default();
        for (lane, &thread) in (0u32..).zip(threads) {
            let runs = self.runs.entry(thread).or_insert_with(|| ThreadRuns::build(samples.thread(thread), nodes));
            push_states(&mut table, lane, runs, window);
            push_slices(&mut table, &mut names, store, nodes, lane, runs, window);
        }
        push_markers(&mut table, store, threads, window);
        table.names = names.finish();
        table
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.runs.values().map(ThreadRuns::bytes).sum()
    }
}

fn push_states(table: &mut Lanes, lane: u32, runs: &ThreadRuns, window: Window) {
    let states = runs.states(window.span.start.0, window.span.end.0);
    for mark in merge_states(states, window.resolution) {
        table.state_lane.push(lane);
        table.state_start.push(mark.start);
        table.state_end.push(mark.end);
        table.state.push(mark.state);
        table.state_managed.push(mark.managed_share);
    }
}

fn push_slices(
    table: &mut Lanes,
    names: &mut NameTable,
    store: &Store,
    nodes: &CallNodes,
    lane: u32,
    runs: &ThreadRuns,
    window: Window,
) {
    let mut levels: Vec<SliceMerger> = Vec::new();
    runs.slices(nodes, window.span.start.0, window.span.end.0, window.max_depth, |slice| {
        let level = usize::from(slice.depth);
        if levels.len() <= level {
            levels.resize_with(level + 1, SliceMerger::default);
        }
        levels[level].push(slice, window.resolution);
    });
    for (depth, level) in (0u16..).zip(levels) {
        for mark in level.finish() {
            table.slice_lane.push(lane);
            table.slice_start.push(mark.start);
            table.slice_end.push(mark.end);
            table.slice_depth.push(depth);
            table.slice_function.push(mark.function.0);
            table.slice_name.push(names.of_function(store, Some(mark.function)));
            table.slice_flags.push(slice_flags(store, mark.function, mark.is_external_leaf));
        }
    }
}

/// The markers of one lane while its events pass by.
#[derive(Default)]
struct Markers {
    /// Ticks at which the next bucket begins.
    bucket_end: Option<i64>,
    time: Vec<i64>,
    count: Vec<u32>,
    event: Vec<u32>,
    kind: Vec<u8>,
}

fn push_markers(table: &mut Lanes, store: &Store, threads: &[ThreadId], window: Window) {
    const NONE: usize = usize::MAX;
    let mut lane_of = vec![NONE; store.threads().len()];
    for (lane, thread) in threads.iter().enumerate() {
        if let Some(entry) = lane_of.get_mut(thread.index()) {
            *entry = lane;
        }
    }
    let kinds: Vec<(bool, bool)> = store
        .types()
        .iter()
        .map(|event_type| (is_sample(event_type), event_type.known == KnownEvent::ExceptionThrown))
        .collect();
    let mut lanes: Vec<Markers> = threads.iter().map(|_| Markers::default()).collect();
    let clock = store.clock();
    for (chunk, inside) in store.events().chunks_in(store.events().range(clock, window.span)) {
        if !chunk.threads_present().iter().any(|thread| lane_of.get(thread as usize).is_some_and(|&lane| lane != NONE))
        {
            continue;
        }
        chunk.thread_column().for_each(inside, |row, thread| {
            let lane = lane_of.get(thread as usize).copied().unwrap_or(NONE);
            let Some(markers) = lanes.get_mut(lane) else { return };
            let (is_sample, is_exception) = kinds.get(chunk.event_type(row).index()).copied().unwrap_or_default();
            if is_sample {
                return;
            }
            let ticks = chunk.ticks(row);
            if markers.bucket_end.is_none_or(|end| ticks >= end) {
                let time = clock.nanos(ticks).0;
                let next = bucket_of(time, window.resolution).saturating_add(1).saturating_mul(window.resolution);
                markers.bucket_end = Some(clock.ticks_at_or_after(Nanos(next)));
                markers.time.push(time);
                markers.count.push(0);
                markers.event.push(chunk.event_id(row).0);
                markers.kind.push(0);
            }
            if let (Some(count), Some(kind)) = (markers.count.last_mut(), markers.kind.last_mut()) {
                *count += 1;
                *kind |= if is_exception { EXCEPTION } else { 0 };
            }
        });
    }
    for (lane, markers) in (0u32..).zip(lanes) {
        table.marker_lane.extend(std::iter::repeat_n(lane, markers.time.len()));
        table.marker_time.extend(markers.time);
        table.marker_count.extend(markers.count);
        table.marker_event.extend(markers.event);
        table.marker_kind.extend(markers.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{What, store_of};
    use super::super::tree_query::call_nodes;
    use super::*;
    use crate::protocol::tables::state;

    #[test]
    fn lanes_show_states_slices_and_markers_of_the_asked_threads() {
        let (store, _) = store_of(&[
            (0, 5, What::Sample(true, vec![1, 2])),
            (1, 6, What::Sample(true, vec![9])),
            (8, 5, What::Throw("bad")),
            (9, 5, What::Order("x", 1)),
            (16, 5, What::Sample(false, vec![1, 3])),
            (20, 5, What::Order("y", 1)),
            (32, 5, What::Sample(true, vec![1])),
        ]);
        let samples = SampleIndex::build(&store);
        let nodes = call_nodes(&store);
        let thread = store.threads().iter().find(|thread| thread.os_thread == 5).unwrap().id;
        let window = Window { span: Span::new(0, 40), resolution: 16, max_depth: 5 };
        let table = LaneIndex::default().lanes(&store, &samples, &nodes, &[thread], window);
        assert_eq!(table.state, [state::MANAGED, state::EXTERNAL]);
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
        assert_eq!((table.marker_time, table.marker_count, table.marker_kind), (vec![8, 20], vec![2, 1], vec![1, 0]));
    }
}
