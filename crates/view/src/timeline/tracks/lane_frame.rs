//! Data of one thread from a [`Lanes`] answer, indexed for drawing and hit testing.

use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::columns::Strings;
use protocol::tables::{Intervals, Lanes, state};
use protocol::timeline::wait_shares::WaitShares;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bits of `slice_flags`.
pub mod slice_flag {
    /// The leaf samples are outside managed code.
    pub const EXTERNAL: u8 = 1;
    /// Framework code.
    pub const FRAMEWORK: u8 = 2;
}

/// Item with a time range.
pub trait Timed {
    /// Returns start and end in nanoseconds.
    fn bounds(&self) -> (i64, i64);
}

/// State of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateRow {
    pub start: i64,
    pub end: i64,
    /// One of [`state`].
    pub state: u8,
    /// Share of managed time, 0 to 255.
    pub managed: u8,
    /// Share of time in native code or the JIT compiler, 0 to 255.
    pub native: u8,
    /// Shares of waiting time.
    pub waits: WaitShares,
    /// [`protocol::base::ids::EventId`] that a wait began with; none if no event records it.
    pub event: Option<u32>,
    /// Object and owner of a wait: positions in [`LaneFrame::names`]; `None` if no event records it.
    pub wait: Option<(u32, u32)>,
    pub label: Option<WaitLabel>,
}

/// Label of a long wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitLabel {
    /// Code of the app that it is in: position in [`LaneFrame::names`], whose text may be empty.
    pub site: u32,
    /// A noun for it: position in [`LaneFrame::names`], whose text may be empty.
    pub noun: u32,
    /// Duration in nanoseconds.
    pub nanos: i64,
}

fn wait_label(lanes: &Lanes, row: usize) -> Option<WaitLabel> {
    Some(WaitLabel {
        site: *lanes.state_site.get(row)?,
        noun: *lanes.state_wait.get(row)?,
        nanos: *lanes.state_wait_nanos.get(row)?,
    })
}

impl StateRow {
    /// Returns whether all of the time has one state, so it can be drawn as a block.
    pub fn is_pure(&self) -> bool {
        let [managed, native] = [self.managed, self.native];
        let is_all = |of: u8| self.waits.of(of) >= 1.0;
        let is_none = managed == 0 && native == 0 && self.waits == WaitShares::default();
        self.state == state::NOT_SAMPLED
            || managed == u8::MAX
            || native == u8::MAX
            || is_none
            || WaitShares::STATES.into_iter().any(is_all)
    }
}

/// Function on a stack over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceRow {
    pub start: i64,
    pub end: i64,
    /// [`protocol::base::ids::FunctionId`].
    pub function: u32,
    /// Index into the frame's names.
    pub name: u32,
    /// Bits of [`slice_flag`].
    pub flags: u8,
}

/// Merged events at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkerRow {
    pub time: i64,
    /// Number of events.
    pub count: u32,
    /// [`protocol::base::ids::EventId`] of the first event.
    pub event: u32,
    /// True if one of the events is an exception.
    pub exception: bool,
}

impl Timed for StateRow {
    fn bounds(&self) -> (i64, i64) {
        (self.start, self.end)
    }
}

impl Timed for SliceRow {
    fn bounds(&self) -> (i64, i64) {
        (self.start, self.end)
    }
}

impl Timed for MarkerRow {
    fn bounds(&self) -> (i64, i64) {
        (self.time, self.time + 1)
    }
}

/// Returns the rows that overlap `span`. Rows are sorted and don't overlap each other.
pub fn touching<T: Timed>(rows: &[T], span: Span) -> &[T] {
    let first = rows.partition_point(|row| row.bounds().1 <= span.start.0);
    let end = rows.partition_point(|row| row.bounds().0 < span.end.0);
    rows.get(first..end).unwrap_or(&[])
}

/// Data of one thread in a time range, at a resolution.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaneFrame {
    /// Requested time range.
    pub span: Span,
    /// Requested nanoseconds per pixel.
    pub resolution: i64,
    /// Requested number of stack levels.
    pub max_depth: u16,
    /// States, in order.
    pub states: Vec<StateRow>,
    /// Waits according to events, in order; `managed` is the share of waiting time.
    pub waits: Vec<StateRow>,
    /// True if spans were requested.
    pub has_spans: bool,
    pub spans: Intervals,
    /// Slices in order, one list per depth.
    pub depths: Vec<Vec<SliceRow>>,
    /// Markers, in order.
    pub markers: Vec<MarkerRow>,
    /// Function names.
    pub names: Arc<Strings>,
    /// True if more of the trace has been read since. The frame is visible until its replacement arrives.
    pub is_stale: bool,
}

impl LaneFrame {
    /// Splits an answer by the requested threads, in their order.
    pub fn split(
        mut lanes: Lanes,
        threads: usize,
        span: Span,
        resolution: i64,
        max_depth: u16,
        has_spans: bool,
    ) -> Vec<Self> {
        let spans = split_spans(&lanes, threads);
        let names = Arc::new(std::mem::take(&mut lanes.names));
        let mut frames: Vec<Self> = spans
            .into_iter()
            .map(|spans| Self {
                spans,
                span,
                resolution,
                max_depth,
                has_spans,
                names: names.clone(),
                ..Self::default()
            })
            .collect();
        for (row, lane) in lanes.state_lane.iter().enumerate() {
            if let Some(frame) = frames.get_mut(*lane as usize) {
                frame.states.push(StateRow {
                    start: lanes.state_start[row],
                    end: lanes.state_end[row],
                    state: lanes.state[row],
                    managed: lanes.state_managed[row],
                    native: lanes.state_native[row],
                    waits: WaitShares(lanes.state_waits[row]),
                    event: None,
                    wait: None,
                    label: wait_label(&lanes, row),
                });
            }
        }
        for (row, lane) in lanes.wait_lane.iter().enumerate() {
            if let Some(frame) = frames.get_mut(*lane as usize) {
                frame.waits.push(StateRow {
                    start: lanes.wait_start[row],
                    end: lanes.wait_end[row],
                    state: lanes.wait_state[row],
                    managed: lanes.wait_share[row],
                    native: 0,
                    waits: WaitShares::default(),
                    event: Some(lanes.wait_event[row]),
                    wait: Some((lanes.wait_subject[row], lanes.wait_owner[row])),
                    label: None,
                });
            }
        }
        split_slices(&lanes, &mut frames);
        for (row, lane) in lanes.marker_lane.iter().enumerate() {
            if let Some(frame) = frames.get_mut(*lane as usize) {
                frame.markers.push(MarkerRow {
                    time: lanes.marker_time[row],
                    count: lanes.marker_count[row],
                    event: lanes.marker_event[row],
                    exception: lanes.marker_kind[row] == 1,
                });
            }
        }
        for frame in &mut frames {
            sort_by_key(&mut frame.states, |row| row.start);
            sort_by_key(&mut frame.waits, |row| row.start);
            sort_by_key(&mut frame.markers, |row| row.time);
            for depth in &mut frame.depths {
                sort_by_key(depth, |row| row.start);
            }
        }
        frames
    }

    /// Returns whether it shows `visible` as well as the answer to a new request would.
    pub fn serves(&self, visible: Span, resolution: i64, max_depth: u16, spans: bool) -> bool {
        !self.is_stale
            && self.resolution == resolution
            && self.has_spans >= spans
            && self.max_depth >= max_depth
            && self.span.start <= visible.start
            && self.span.end >= visible.end
    }

    /// Returns the slices that called one at a depth and time, nearest first.
    pub fn callers(&self, depth: u16, at: i64) -> impl Iterator<Item = &SliceRow> {
        let outer = self.depths.iter().take(usize::from(depth)).rev();
        outer.filter_map(move |rows| touching(rows, Span::new(at, at.saturating_add(1))).first())
    }

    /// Returns the levels with your code on the stack for a considerable time, at most `most`.
    pub fn user_levels(&self, most: usize) -> Vec<u16> {
        let is_user = |row: &&SliceRow| row.flags & slice_flag::FRAMEWORK == 0;
        let nanos = |rows: &Vec<SliceRow>| rows.iter().filter(is_user).map(|row| row.end - row.start).sum::<i64>();
        let mut levels: Vec<(u16, i64)> = (0..).zip(self.depths.iter().map(nanos)).collect();
        let longest = levels.iter().map(|level| level.1).max().unwrap_or(0);
        levels.retain(|level| level.1 > longest / 50);
        sort_by_key(&mut levels, |level| std::cmp::Reverse(level.1));
        levels.truncate(most);
        levels.into_iter().map(|level| level.0).collect()
    }
}

/// Splits slices by thread and depth. There are hundreds of thousands, sorted by depth.
fn split_slices(lanes: &Lanes, frames: &mut [LaneFrame]) {
    let slice = |row: usize| SliceRow {
        start: lanes.slice_start[row],
        end: lanes.slice_end[row],
        function: lanes.slice_function[row],
        name: lanes.slice_name[row],
        flags: lanes.slice_flags[row],
    };
    let level = |row: usize| Some((*lanes.slice_lane.get(row)?, *lanes.slice_depth.get(row)?));
    let mut first = 0;
    while let Some((lane, depth)) = level(first) {
        let end = (first + 1..).find(|&row| level(row) != Some((lane, depth))).unwrap_or(first + 1);
        if let Some(frame) = frames.get_mut(lane as usize) {
            let depth = usize::from(depth);
            if frame.depths.len() <= depth {
                frame.depths.resize(depth + 1, Vec::new());
            }
            frame.depths[depth].extend((first..end).map(slice));
        }
        first = end;
    }
}

/// Returns the spans of each thread, with their texts.
fn split_spans(lanes: &Lanes, threads: usize) -> Vec<Intervals> {
    let mut of_lanes = vec![Intervals::default(); threads];
    let mut sent: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (row, &lane) in lanes.span_lane.iter().enumerate() {
        let Some(spans) = of_lanes.get_mut(lane as usize) else { continue };
        let texts = &mut spans.texts;
        let mut text = |name: u32| {
            *sent.entry((lane, name)).or_insert_with(|| texts.push(lanes.names.get(name as usize))) //
        };
        let (name, note) = (text(lanes.span_name[row]), text(lanes.span_note[row]));
        spans.name.push(name);
        spans.note.push(note);
        spans.row.push(lanes.span_row[row]);
        spans.start.push(lanes.span_start[row]);
        spans.end.push(lanes.span_end[row]);
        spans.count.push(lanes.span_count[row]);
        spans.covered.push(lanes.span_covered[row]);
        spans.shade.push(lanes.span_shade[row]);
        spans.flags.push(lanes.span_flags[row]);
        spans.event.push(lanes.span_event[row]);
    }
    of_lanes
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Returns a thread that runs, waits and runs again, with a stack of three levels and an exception.
    pub fn busy_thread() -> LaneFrame {
        let names =
            ["App.Program.Main", "System.Threading.Monitor.Enter", "App.Cache.Get", "0x7f08", "App.PriceFeed · 928"];
        let lanes = Lanes {
            state_lane: vec![0, 0, 0],
            state_start: vec![0, 400, 600],
            state_end: vec![400, 600, 1000],
            state: vec![state::MANAGED, state::IDLE, state::MANAGED],
            state_managed: vec![255, 0, 255],
            state_native: vec![0; 3],
            state_waits: vec![0; 3],
            slice_lane: vec![0, 0, 0, 0],
            slice_start: vec![0, 0, 400, 600],
            slice_end: vec![1000, 400, 600, 1000],
            slice_depth: vec![0, 1, 1, 1],
            slice_function: vec![7, 9, 8, 9],
            slice_name: vec![0, 2, 1, 2],
            slice_flags: vec![0, 0, slice_flag::FRAMEWORK | slice_flag::EXTERNAL, 0],
            marker_lane: vec![0, 0],
            marker_time: vec![100, 500],
            marker_count: vec![1, 1],
            marker_event: vec![11, 12],
            marker_kind: vec![0, 1],
            wait_lane: vec![0],
            wait_start: vec![420],
            wait_end: vec![520],
            wait_state: vec![state::LOCK],
            wait_share: vec![u8::MAX],
            wait_event: vec![13],
            wait_subject: vec![3],
            wait_owner: vec![4],
            names: names.into_iter().collect(),
            ..Lanes::default()
        };
        LaneFrame::split(lanes, 1, Span::new(0, 1000), 1, 16, false).remove(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_is_split_by_thread_and_sorted() {
        let lanes = Lanes {
            state_lane: vec![1, 0, 1],
            state_start: vec![50, 0, 0],
            state_end: vec![90, 10, 50],
            state: vec![state::IDLE, state::MANAGED, state::MANAGED],
            state_managed: vec![0, 255, 255],
            state_native: vec![0; 3],
            state_waits: vec![0; 3],
            ..Lanes::default()
        };
        let frames = LaneFrame::split(lanes, 2, Span::new(0, 100), 1, 0, false);
        assert_eq!(frames[0].states.len(), 1);
        assert_eq!(frames[1].states.iter().map(|row| row.start).collect::<Vec<_>>(), [0, 50]);
    }

    #[test]
    fn callers_are_the_slices_above() {
        let frame = samples::busy_thread();
        let callers = |depth, at| frame.callers(depth, at).map(|slice| slice.function).collect::<Vec<_>>();
        assert_eq!((callers(1, 400), callers(0, 400), callers(2, 700)), (vec![7], vec![], vec![9, 7]));
    }

    #[test]
    fn only_rows_in_range_are_visited() {
        let frame = samples::busy_thread();
        let starts = |from, to| -> Vec<i64> {
            touching(&frame.states, Span::new(from, to)).iter().map(|row| row.start).collect()
        };
        assert_eq!(starts(400, 600), [400]);
        assert_eq!(starts(399, 601), [0, 400, 600]);
        assert!(starts(1000, 2000).is_empty());
    }

    #[test]
    fn frame_serves_covered_range_at_its_resolution() {
        let frame = samples::busy_thread();
        assert!(frame.serves(Span::new(10, 900), 1, 16, false));
        assert!(!frame.serves(Span::new(10, 900), 1, 16, true));
        assert!(!frame.serves(Span::new(10, 1001), 1, 16, false));
        assert!(!frame.serves(Span::new(10, 900), 2, 16, false));
        assert!(!frame.serves(Span::new(10, 900), 1, 17, false));
    }

    #[test]
    fn user_levels_are_chosen_by_time() {
        let mut frame = samples::busy_thread();
        assert_eq!(frame.user_levels(8), [0, 1]);
        assert_eq!(frame.user_levels(1), [0]);
        frame.depths[0][0].flags = slice_flag::FRAMEWORK;
        assert_eq!(frame.user_levels(8), [1]);
    }
}
