//! Which tracks there are, and where each lies.

use super::units::CssPx;
use crate::model::ids::ThreadId;
use crate::protocol::tables::Threads;
use crate::protocol::track::TrackKind;
use std::collections::{BTreeMap, BTreeSet};

/// Height of a track with one strip, and of a group's heading.
pub const TRACK_HEIGHT: CssPx = 22.0;
/// Height of a row of the stack.
pub const SLICE_HEIGHT: CssPx = 14.0;
/// Height of a folded row of the stack.
pub const FOLDED_SLICE_HEIGHT: CssPx = 3.0;
/// State strip of a collapsed thread: distance from the track's top, height.
const TALL_STRIP: (CssPx, CssPx) = (4.0, 14.0);
/// State strip of an expanded thread.
const FLAT_STRIP: (CssPx, CssPx) = (3.0, 8.0);
/// First row of the stack, from the track's top.
const STACK_TOP: CssPx = 13.0;
/// Ticks of events at the bottom of a collapsed and of an expanded thread.
const TICK_HEIGHTS: (CssPx, CssPx) = (2.0, 4.0);
/// Of a run of folded rows so many are drawn.
const FOLDED_ROWS_SHOWN: usize = 2;
/// Rows shown in full where no user code is known.
const ROWS_WITHOUT_USER_CODE: u16 = 8;
/// A thread with less than this share of all events of its own is quiet.
const QUIET_SHARE: f64 = 0.005;

/// What a track is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TrackKey {
    /// Heading of the runtime's tracks.
    Runtime,
    /// One of the runtime's tracks, or a counter.
    Kind(TrackKind),
    /// Heading of the counters.
    Counters,
    /// Heading of all threads.
    Threads,
    /// Heading of one process's threads: the operating system's process id.
    Process(u32),
    /// A thread.
    Thread(ThreadId),
    /// Heading of the threads that do next to nothing, of a process (0 if there is only one).
    Quiet(u32),
}

/// How much of a thread's stack is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StackView {
    /// The state strip only.
    #[default]
    Collapsed,
    /// Rows with user code in full, the others folded.
    Folded,
    /// Every row.
    Full,
}

/// A row of a stack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StackRow {
    /// Level, 0 is the root.
    pub depth: u16,
    /// Top, from the track's top.
    pub y: CssPx,
    /// Height with the gap below.
    pub height: CssPx,
}

/// Where the parts of a thread's track lie, from the track's top.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadRows {
    /// State strip: top, height.
    pub strip: (CssPx, CssPx),
    /// Rows of the stack.
    pub stack: Vec<StackRow>,
    /// Ticks of events: top, height. Without a strip they fill its place.
    pub ticks: (CssPx, CssPx),
    /// Whether there are samples to make a strip of.
    pub has_strip: bool,
}

impl ThreadRows {
    /// The levels that are needed to draw it: one more than the deepest row.
    pub fn max_depth(&self) -> u16 {
        self.stack.iter().map(|row| row.depth + 1).max().unwrap_or(0)
    }
}

/// A track.
#[derive(Clone, PartialEq, Debug)]
pub struct Track {
    /// What it is about.
    pub key: TrackKey,
    /// Level in the tree, 1 for headings.
    pub level: u8,
    /// Top, from the top of the first track.
    pub top: CssPx,
    /// Height.
    pub height: CssPx,
    /// Whether its children or its stack are shown; none if there is nothing to show or hide.
    pub expanded: Option<bool>,
    /// Place among its siblings, from 1.
    pub position: usize,
    /// Number of its siblings, itself included.
    pub siblings: usize,
    /// Row of the thread table, for threads.
    pub row: Option<usize>,
    /// Parts, for threads.
    pub parts: Option<ThreadRows>,
}

/// How high one of the runtime's tracks is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KindHeights {
    /// Which.
    pub kind: TrackKind,
    /// As a rule.
    pub collapsed: CssPx,
    /// When everything is shown; none if there is no difference.
    pub expanded: Option<CssPx>,
}

/// What decides about the tracks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackChoices {
    /// The runtime's tracks, from top to bottom.
    pub runtime: Vec<KindHeights>,
    /// Counters, from top to bottom.
    pub counters: Vec<KindHeights>,
    /// Groups whose children are hidden.
    pub closed: BTreeSet<TrackKey>,
    /// Groups of quiet threads, or the counters, whose children are shown; tracks of the runtime that show everything.
    pub opened: BTreeSet<TrackKey>,
    /// Threads whose stack is shown.
    pub stacks: BTreeMap<ThreadId, StackView>,
    /// Levels with user code, of threads whose stack is known.
    pub user_levels: BTreeMap<ThreadId, BTreeSet<u16>>,
}

impl TrackChoices {
    /// Shows or hides what belongs to a track.
    pub fn toggle(&mut self, key: TrackKey) {
        match key {
            TrackKey::Thread(thread) => {
                let view = self.stacks.entry(thread).or_default();
                *view = if *view == StackView::Collapsed { StackView::Folded } else { StackView::Collapsed };
            }
            TrackKey::Quiet(_) | TrackKey::Counters | TrackKey::Kind(_) => flip(&mut self.opened, key),
            _ => flip(&mut self.closed, key),
        }
    }

    /// Shows every row of a thread's stack, or only those with user code.
    pub fn toggle_full(&mut self, thread: ThreadId) {
        let view = self.stacks.entry(thread).or_default();
        *view = if *view == StackView::Full { StackView::Folded } else { StackView::Full };
    }
}

fn flip(set: &mut BTreeSet<TrackKey>, key: TrackKey) {
    if !set.remove(&key) {
        set.insert(key);
    }
}

/// All tracks, from top to bottom.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackLayout {
    /// The tracks; none of a closed group.
    pub tracks: Vec<Track>,
    /// Sum of their heights.
    pub height: CssPx,
}

impl TrackLayout {
    /// Lays out the tracks of a trace.
    pub fn new(threads: &Threads, choices: &TrackChoices) -> Self {
        let mut layout = Self::default();
        let processes = processes(threads);
        let above = [!choices.runtime.is_empty(), !choices.counters.is_empty()].map(usize::from).iter().sum();
        let roots = processes.len() + above;
        layout.push_runtime(choices, roots);
        layout.push_counters(choices, (above, roots));
        let several = processes.len() > 1;
        for (position, (process, rows)) in processes.iter().enumerate() {
            let key = if several { TrackKey::Process(*process) } else { TrackKey::Threads };
            let open = !choices.closed.contains(&key);
            layout.push(key, 1, TRACK_HEIGHT, Some(open), (position + 1 + above, roots));
            if open {
                layout.push_threads(threads, rows, if several { *process } else { 0 }, choices);
            }
        }
        layout
    }

    fn push_runtime(&mut self, choices: &TrackChoices, roots: usize) {
        if choices.runtime.is_empty() {
            return;
        }
        let open = !choices.closed.contains(&TrackKey::Runtime);
        self.push(TrackKey::Runtime, 1, TRACK_HEIGHT, Some(open), (1, roots));
        self.push_kinds(&choices.runtime, open, choices);
    }

    fn push_counters(&mut self, choices: &TrackChoices, place: (usize, usize)) {
        if choices.counters.is_empty() {
            return;
        }
        let open = choices.opened.contains(&TrackKey::Counters);
        self.push(TrackKey::Counters, 1, TRACK_HEIGHT, Some(open), place);
        self.push_kinds(&choices.counters, open, choices);
    }

    fn push_kinds(&mut self, kinds: &[KindHeights], open: bool, choices: &TrackChoices) {
        for (position, heights) in kinds.iter().enumerate().filter(|_| open) {
            let key = TrackKey::Kind(heights.kind);
            let is_expanded = choices.opened.contains(&key);
            let height = heights.expanded.filter(|_| is_expanded).unwrap_or(heights.collapsed);
            self.push(key, 2, height, heights.expanded.map(|_| is_expanded), (position + 1, kinds.len()));
        }
    }

    fn push_threads(&mut self, threads: &Threads, rows: &[usize], process: u32, choices: &TrackChoices) {
        let (busy, quiet) = split_quiet(threads, rows);
        let siblings = busy.len() + usize::from(!quiet.is_empty());
        for (position, row) in busy.iter().enumerate() {
            self.push_thread(threads, *row, 2, (position + 1, siblings), choices);
        }
        if quiet.is_empty() {
            return;
        }
        let key = TrackKey::Quiet(process);
        let open = choices.opened.contains(&key);
        self.push(key, 2, TRACK_HEIGHT, Some(open), (siblings, siblings));
        if open {
            for (position, row) in quiet.iter().enumerate() {
                self.push_thread(threads, *row, 3, (position + 1, quiet.len()), choices);
            }
        }
    }

    fn push_thread(&mut self, threads: &Threads, row: usize, level: u8, place: (usize, usize), choices: &TrackChoices) {
        let thread = ThreadId(threads.thread[row]);
        let view = choices.stacks.get(&thread).copied().unwrap_or_default();
        let depth = if threads.samples[row] == 0 { 0 } else { threads.max_depth[row] };
        let view = if depth == 0 { StackView::Collapsed } else { view };
        let parts = match threads.samples[row] {
            0 => ThreadRows { strip: TALL_STRIP, stack: Vec::new(), ticks: TALL_STRIP, has_strip: false },
            _ => thread_rows(view, depth, choices.user_levels.get(&thread)),
        };
        let expanded = (depth > 0).then_some(view != StackView::Collapsed);
        let height = if view == StackView::Collapsed { TRACK_HEIGHT } else { parts.ticks.0 + parts.ticks.1 + 2.0 };
        self.push(TrackKey::Thread(thread), level, height, expanded, place);
        if let Some(track) = self.tracks.last_mut() {
            track.row = Some(row);
            track.parts = Some(parts);
        }
    }

    fn push(&mut self, key: TrackKey, level: u8, height: CssPx, expanded: Option<bool>, place: (usize, usize)) {
        let (position, siblings) = place;
        let top = self.height;
        self.tracks.push(Track { key, level, top, height, expanded, position, siblings, row: None, parts: None });
        self.height += height;
    }

    /// The tracks that touch `top..bottom`.
    pub fn between(&self, top: CssPx, bottom: CssPx) -> &[Track] {
        let first = self.tracks.partition_point(|track| track.top + track.height <= top);
        let end = self.tracks.partition_point(|track| track.top < bottom);
        self.tracks.get(first..end).unwrap_or(&[])
    }

    /// The track at a height.
    pub fn at(&self, y: CssPx) -> Option<&Track> {
        self.between(y, y + 0.5).first()
    }

    /// The track about something, if it is shown.
    pub fn find(&self, key: TrackKey) -> Option<&Track> {
        self.tracks.iter().find(|track| track.key == key)
    }

    /// Top of the first thread's heading: pause bands begin below the runtime's tracks.
    pub fn threads_top(&self) -> CssPx {
        let runtime = |key| matches!(key, TrackKey::Runtime | TrackKey::Kind(_) | TrackKey::Counters);
        self.tracks.iter().find(|track| !runtime(track.key)).map_or(self.height, |track| track.top + track.height)
    }
}

/// Processes by managed time, with their rows of the thread table in its order.
fn processes(threads: &Threads) -> Vec<(u32, Vec<usize>)> {
    let mut processes: Vec<(u32, Vec<usize>)> = Vec::new();
    for row in 0..threads.thread.len() {
        let process = threads.os_process[row];
        match processes.iter_mut().find(|(present, _)| *present == process) {
            Some((_, rows)) => rows.push(row),
            None => processes.push((process, vec![row])),
        }
    }
    processes
}

/// Threads that ran managed code or have a noticeable share of the events, and the others.
fn split_quiet(threads: &Threads, rows: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let own = |row: usize| threads.events[row].saturating_sub(threads.samples[row]);
    let all: u64 = rows.iter().map(|row| own(*row)).sum();
    let is_quiet =
        |row: &usize| threads.managed_samples[*row] == 0 && (own(*row) as f64) < (all as f64 * QUIET_SHARE).max(1.0);
    let (quiet, busy): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_quiet(row));
    if quiet.len() < 2 || busy.is_empty() { (rows.to_vec(), Vec::new()) } else { (busy, quiet) }
}

fn thread_rows(view: StackView, max_depth: u16, user_levels: Option<&BTreeSet<u16>>) -> ThreadRows {
    if view == StackView::Collapsed {
        let ticks = (TALL_STRIP.0 + TALL_STRIP.1 + 1.0, TICK_HEIGHTS.0);
        return ThreadRows { strip: TALL_STRIP, stack: Vec::new(), ticks, has_strip: true };
    }
    let in_full = |depth: u16| match user_levels {
        _ if view == StackView::Full => true,
        Some(levels) if !levels.is_empty() => levels.contains(&depth),
        _ => depth < ROWS_WITHOUT_USER_CODE,
    };
    let mut stack = Vec::new();
    let mut y = STACK_TOP;
    let mut folded = 0;
    for depth in 0..max_depth {
        folded = if in_full(depth) { 0 } else { folded + 1 };
        if folded > FOLDED_ROWS_SHOWN {
            continue;
        }
        let height = if folded == 0 { SLICE_HEIGHT } else { FOLDED_SLICE_HEIGHT };
        stack.push(StackRow { depth, y, height });
        y += height;
    }
    ThreadRows { strip: FLAT_STRIP, stack, ticks: (y + 2.0, TICK_HEIGHTS.1), has_strip: true }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Threads (id, process, managed samples, samples, events) of depth 6.
    pub fn threads(rows: &[(u32, u32, u64, u64, u64)]) -> Threads {
        Threads {
            thread: rows.iter().map(|row| row.0).collect(),
            process: rows.iter().map(|row| row.1).collect(),
            os_process: rows.iter().map(|row| row.1).collect(),
            os_thread: rows.iter().map(|row| u64::from(row.0) + 4000).collect(),
            label: rows.iter().map(|row| format!("Thread {}", row.0)).collect(),
            number: rows.iter().map(|row| (row.0 + 4000).to_string()).collect(),
            managed_samples: rows.iter().map(|row| row.2).collect(),
            samples: rows.iter().map(|row| row.3).collect(),
            events: rows.iter().map(|row| row.4).collect(),
            max_depth: rows.iter().map(|row| if row.3 > 0 { 6 } else { 0 }).collect(),
            ..Threads::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(layout: &TrackLayout) -> Vec<String> {
        layout
            .tracks
            .iter()
            .map(|track| {
                format!("{}{:?} {}+{}", "  ".repeat(track.level as usize - 1), track.key, track.top, track.height)
            })
            .collect()
    }

    #[test]
    fn runtime_comes_first_then_threads_with_the_quiet_ones_in_a_group() {
        let threads =
            samples::threads(&[(1, 9, 500, 900, 2000), (2, 9, 0, 900, 900), (3, 9, 0, 900, 901), (4, 9, 0, 0, 40)]);
        let of = |kind| KindHeights { kind, collapsed: TRACK_HEIGHT, expanded: None };
        let runtime = vec![of(TrackKind::Collections), of(TrackKind::Exceptions)];
        let mut choices = TrackChoices { runtime, ..TrackChoices::default() };
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        let layout = TrackLayout::new(&threads, &choices);
        assert_eq!(
            outline(&layout),
            [
                "Runtime 0+22",
                "  Kind(Collections) 22+22",
                "  Kind(Exceptions) 44+22",
                "Threads 66+22",
                "  Thread(ThreadId(1)) 88+105",
                "  Thread(ThreadId(4)) 193+22",
                "  Quiet(0) 215+22",
            ]
        );
        assert_eq!(layout.threads_top(), 88.0);
        assert_eq!(layout.at(200.0).map(|track| track.key), Some(TrackKey::Thread(ThreadId(4))));
        choices.toggle(TrackKey::Quiet(0));
        choices.toggle(TrackKey::Runtime);
        assert_eq!(
            outline(&TrackLayout::new(&threads, &choices))[..2],
            ["Runtime 0+22".to_owned(), "Threads 22+22".to_owned()]
        );
        assert_eq!(outline(&TrackLayout::new(&threads, &choices)).last().unwrap(), "    Thread(ThreadId(3)) 215+22");
    }

    #[test]
    fn counters_are_closed_at_first_and_a_track_with_many_rows_shows_all_when_asked() {
        let of = |kind, expanded| KindHeights { kind, collapsed: TRACK_HEIGHT, expanded };
        let threads = samples::threads(&[(1, 9, 5, 5, 5)]);
        let mut choices = TrackChoices {
            runtime: vec![of(TrackKind::Spans, Some(120.0))],
            counters: vec![of(TrackKind::Series(3), None)],
            ..TrackChoices::default()
        };
        let rows = |choices: &TrackChoices| outline(&TrackLayout::new(&threads, choices));
        assert_eq!(rows(&choices)[..3], ["Runtime 0+22", "  Kind(Spans) 22+22", "Counters 44+22"]);
        choices.toggle(TrackKey::Kind(TrackKind::Spans));
        choices.toggle(TrackKey::Counters);
        assert_eq!(rows(&choices)[1..4], ["  Kind(Spans) 22+120", "Counters 142+22", "  Kind(Series(3)) 164+22"]);
    }

    /// S214, S238: threads stand below their process, if there are several.
    #[test]
    fn several_processes_have_a_heading_each() {
        let threads = samples::threads(&[(1, 70, 5, 5, 5), (2, 80, 5, 5, 5), (3, 70, 5, 5, 5)]);
        assert_eq!(
            outline(&TrackLayout::new(&threads, &TrackChoices::default())),
            [
                "Process(70) 0+22",
                "  Thread(ThreadId(1)) 22+22",
                "  Thread(ThreadId(3)) 44+22",
                "Process(80) 66+22",
                "  Thread(ThreadId(2)) 88+22",
            ]
        );
    }

    #[test]
    fn rows_without_user_code_are_folded_and_at_most_two_in_a_row_are_drawn() {
        let levels = BTreeSet::from([4, 5, 9]);
        let rows = thread_rows(StackView::Folded, 11, Some(&levels));
        let shown: Vec<(u16, f64)> = rows.stack.iter().map(|row| (row.depth, row.height)).collect();
        assert_eq!(shown, [(0, 3.0), (1, 3.0), (4, 14.0), (5, 14.0), (6, 3.0), (7, 3.0), (9, 14.0), (10, 3.0)]);
        assert_eq!(rows.max_depth(), 11);
        assert_eq!(thread_rows(StackView::Full, 11, Some(&levels)).stack.len(), 11);
    }

    #[test]
    fn a_thread_without_stacks_cannot_be_expanded() {
        let threads = samples::threads(&[(1, 9, 0, 0, 50), (2, 9, 4, 5, 50)]);
        let mut choices = TrackChoices::default();
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        let layout = TrackLayout::new(&threads, &choices);
        assert_eq!(layout.tracks[1].expanded, None);
        assert_eq!(layout.tracks[1].height, TRACK_HEIGHT);
        assert_eq!(layout.tracks[2].expanded, Some(false));
    }
}
