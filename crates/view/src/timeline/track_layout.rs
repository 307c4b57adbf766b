//! Layout of the tracks.

use super::track_choices::TrackChoices;
use super::track_key::{RuntimeKey, TrackKey};
use super::track_tree::{MoreTracks, Node, TrackTree};
use super::tracks::thread_rows::{StackView, ThreadRows};
use crate::draw::units::CssPx;
use protocol::base::ids::ThreadId;
use protocol::tables::Threads;
use protocol::timeline::track::TrackKind;
use std::collections::BTreeMap;

/// Height of a track with one strip, and of a heading.
pub const TRACK_HEIGHT: CssPx = 20.0;
/// Height of a collapsed track of the open tab whose rows would push threads out of view.
const TRACK_HEIGHT_OF_TAB: CssPx = 36.0;
/// Number of threads that stay visible in a pane in which the first one is open.
const THREADS_IN_TALL_PANE: f64 = 14.0;
/// Space for the part of the first thread's stack.
const BRIEF_HEIGHT: CssPx = 70.0;
/// Maximum share of a pane for pinned tracks.
const MAX_PINNED: f64 = 0.6;

/// Track with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Track {
    /// Identity.
    pub key: TrackKey,
    /// Level in the tree, 1 for headings.
    pub level: u8,
    /// Top, from the top of the first track.
    pub top: CssPx,
    pub height: CssPx,
    /// True if the track is expanded; `None` if it can't be.
    pub expanded: Option<bool>,
    /// Position among its siblings, from 1.
    pub position: usize,
    /// Number of its siblings, including itself.
    pub siblings: usize,
    /// Number of tracks below it, visible or not.
    pub children: usize,
    /// OS process ID; 0 if the trace has one process.
    pub process: u32,
    /// Row of the thread table, for threads.
    pub row: Option<usize>,
    /// Parts, for threads.
    pub parts: Option<ThreadRows>,
}

/// Visible tracks, from top to bottom.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackLayout {
    /// Tracks, pinned ones first, without those of collapsed groups.
    pub tracks: Vec<Track>,
    /// Total height.
    pub height: CssPx,
    /// Number of pinned tracks.
    pub pinned: usize,
    /// Less important tracks by process.
    pub more: BTreeMap<u32, MoreTracks>,
    /// True if the trace has several processes.
    of_several: bool,
    /// By thread of a collapsed group: index of the group's heading.
    behind: BTreeMap<ThreadId, usize>,
}

impl TrackLayout {
    /// Lays out the tracks of a trace.
    pub fn new(threads: &Threads, choices: &TrackChoices) -> Self {
        let TrackTree { pinned, roots, more } = TrackTree::new(threads, choices);
        let first = threads.os_process.first();
        let of_several = threads.os_process.iter().any(|process| Some(process) != first);
        let mut layout = Self { pinned: pinned.len(), more, of_several, ..Self::default() };
        layout.push_all(&pinned, 1, threads, choices);
        layout.push_all(&roots, 1, threads, choices);
        layout
    }

    fn push_all(&mut self, nodes: &[Node], level: u8, threads: &Threads, choices: &TrackChoices) {
        for (position, node) in nodes.iter().enumerate() {
            let place = (position + 1, nodes.len());
            match node.key {
                TrackKey::Thread(thread) => {
                    if let Some(row) = node.row {
                        self.push_thread(threads, (thread, row), level, place, choices);
                    }
                }
                TrackKey::Kind(key) => self.push_kind(key, level, place, choices),
                key => {
                    let open = choices.is_open(key);
                    self.push(key, level, TRACK_HEIGHT, Some(open), place);
                    if let Some(track) = self.tracks.last_mut() {
                        track.children = node.children.len();
                    }
                    if open {
                        self.push_all(&node.children, level + 1, threads, choices);
                    } else {
                        self.hide_threads(node);
                    }
                }
            }
        }
    }

    /// Assigns the threads below a collapsed group to the heading that was added last.
    fn hide_threads(&mut self, group: &Node) {
        let Some(heading) = self.tracks.len().checked_sub(1) else { return };
        group.visit(&mut Vec::new(), &mut |key, _| {
            if let TrackKey::Thread(thread) = key {
                self.behind.insert(thread, heading);
            }
        });
    }

    /// Returns the track of a thread, or the collapsed heading that contains it.
    pub fn track_of_thread(&self, thread: ThreadId) -> Option<&Track> {
        self.find(TrackKey::Thread(thread)).or_else(|| self.tracks.get(*self.behind.get(&thread)?))
    }

    fn push_kind(&mut self, key: RuntimeKey, level: u8, place: (usize, usize), choices: &TrackChoices) {
        let Some(heights) = choices.heights_of(key) else { return };
        let is_expanded = choices.is_open(TrackKey::Kind(key));
        let height = match heights.expanded {
            Some(expanded) if is_expanded => expanded,
            Some(expanded) if choices.priorities.is_first(key.kind) => expanded.min(TRACK_HEIGHT_OF_TAB),
            _ => heights.collapsed,
        };
        self.push(TrackKey::Kind(key), level, height, heights.expanded.map(|_| is_expanded), place);
    }

    fn push_thread(
        &mut self,
        threads: &Threads,
        (thread, row): (ThreadId, usize),
        level: u8,
        place: (usize, usize),
        choices: &TrackChoices,
    ) {
        let view = choices.view_of(thread);
        let depth = if threads.samples[row] == 0 { 0 } else { threads.max_depth[row] };
        let span_rows = choices.span_rows.get(&thread).copied().filter(|rows| *rows > 0);
        let can_expand = depth > 0 || span_rows.is_some();
        let view = if can_expand { view } else { StackView::Collapsed };
        let span_rows = span_rows.filter(|_| view != StackView::Collapsed);
        let parts = match threads.samples[row] {
            0 => ThreadRows::without_strip(view, span_rows),
            _ => ThreadRows::new(view, depth, choices.user_levels.get(&thread), span_rows),
        };
        let expanded = can_expand.then_some(view != StackView::Collapsed);
        let height = if view == StackView::Collapsed { TRACK_HEIGHT } else { parts.bottom() + 2.0 };
        self.push(TrackKey::Thread(thread), level, height, expanded, place);
        if let Some(track) = self.tracks.last_mut() {
            track.process = if self.of_several { threads.os_process[row] } else { 0 };
            track.row = Some(row);
            track.parts = Some(parts);
        }
    }

    fn push(&mut self, key: TrackKey, level: u8, height: CssPx, expanded: Option<bool>, place: (usize, usize)) {
        let (position, siblings) = place;
        let top = self.height;
        let (children, row, parts) = (0, None, None);
        let process = key.process().unwrap_or_default();
        self.tracks.push(Track {
            key,
            level,
            top,
            height,
            expanded,
            position,
            siblings,
            children,
            process,
            row,
            parts,
        });
        self.height += height;
    }

    /// Returns the height of the pinned tracks in a pane; 0 if they would leave too little for the others, so they
    /// scroll like them.
    pub fn pinned_height(&self, pane_height: CssPx) -> CssPx {
        let end = self.tracks.get(self.pinned).map_or(self.height, |track| track.top);
        if end > pane_height * MAX_PINNED { 0.0 } else { end }
    }

    /// Converts a position in a pane to one below the top of the first track.
    pub fn below_top(&self, y: CssPx, scroll_top: CssPx, pane_height: CssPx) -> CssPx {
        if y < self.pinned_height(pane_height) { y } else { y + scroll_top }
    }

    /// Returns the visible tracks of a pane.
    pub fn seen(&self, scroll_top: CssPx, pane_height: CssPx) -> impl Iterator<Item = &Track> {
        let pinned = self.pinned_height(pane_height);
        let first = if pinned > 0.0 { self.between(0.0, pinned) } else { &[] };
        first.iter().chain(self.between(scroll_top + pinned, scroll_top + pane_height))
    }

    /// Returns by how much a pane is higher than the tracks that it shows in full: the pixels of a track that it would cut.
    /// 0 if that track is tall, because its visible part is worth the room.
    pub fn cut_by(&self, pane_height: CssPx) -> CssPx {
        let cut = self.tracks.iter().find(|track| track.top < pane_height && track.top + track.height > pane_height);
        let low = cut.filter(|track| track.height <= TRACK_HEIGHT_OF_TAB && track.top > 0.0);
        low.map_or(0.0, |track| (pane_height - track.top).floor())
    }

    /// Returns the tracks that overlap `top..bottom`.
    pub fn between(&self, top: CssPx, bottom: CssPx) -> &[Track] {
        let first = self.tracks.partition_point(|track| track.top + track.height <= top);
        let end = self.tracks.partition_point(|track| track.top < bottom);
        self.tracks.get(first..end).unwrap_or(&[])
    }

    /// Returns the track at a position.
    pub fn at(&self, y: CssPx) -> Option<&Track> {
        self.between(y, y + 0.5).first()
    }

    /// Returns the scroll position at which a track is visible, and `other` too if both fit; `None` if they are visible
    /// at `scroll_top`.
    pub fn scroll_to(&self, key: TrackKey, other: TrackKey, scroll_top: CssPx, pane_height: CssPx) -> Option<CssPx> {
        let pinned = self.pinned_height(pane_height);
        let place = |key| self.find(key).map(|track| (track.top, track.top + track.height));
        let scrolls = |place: &(CssPx, CssPx)| place.0 >= pinned;
        let (top, bottom) = place(key).filter(scrolls)?;
        let both = place(other).filter(scrolls).map(|other| (top.min(other.0), bottom.max(other.1)));
        let (top, bottom) = both.filter(|(top, bottom)| bottom - top <= pane_height - pinned).unwrap_or((top, bottom));
        if top < scroll_top + pinned {
            Some(top - pinned)
        } else if bottom > scroll_top + pane_height {
            Some((bottom - pane_height).min(top - pinned))
        } else {
            None
        }
    }

    /// Returns the kinds of the visible runtime tracks of a process.
    pub fn visible_kinds(&self, process: u32) -> impl Iterator<Item = TrackKind> {
        self.tracks.iter().filter_map(move |track| match track.key {
            TrackKey::Kind(key) if key.process == process => Some(key.kind),
            _ => None,
        })
    }

    /// Returns the first thread, if a pane of a height has room for a part of its stack beside fourteen threads.
    pub fn brief_thread(&self, pane_height: CssPx) -> Option<ThreadId> {
        let first = self.tracks.iter().find(|track| track.row.is_some())?;
        let needed = first.top + THREADS_IN_TALL_PANE * TRACK_HEIGHT + BRIEF_HEIGHT;
        match first.key {
            TrackKey::Thread(thread) if needed <= pane_height => Some(thread),
            _ => None,
        }
    }

    /// Returns a visible track by its identity.
    pub fn find(&self, key: TrackKey) -> Option<&Track> {
        self.tracks.iter().find(|track| track.key == key)
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Returns threads of depth 6 from rows (ID, process, managed samples, samples, events).
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
    use crate::timeline::track_choices::KindHeights;
    use protocol::topics::topic::Topic;

    fn name(key: TrackKey) -> String {
        match key {
            TrackKey::Kind(RuntimeKey { process: 0, kind }) => format!("{kind:?}"),
            key => format!("{key:?}"),
        }
    }

    fn outline(layout: &TrackLayout) -> Vec<String> {
        layout
            .tracks
            .iter()
            .map(|track| {
                format!("{}{} {}+{}", "  ".repeat(track.level as usize - 1), name(track.key), track.top, track.height)
            })
            .collect()
    }

    #[test]
    fn runtime_precedes_threads_and_quiet_threads_are_grouped() {
        let mut rows = vec![(1, 9, 500, 900, 2000), (4, 9, 0, 0, 40)];
        rows.extend((20..34).map(|id| (id, 9, 1, 900, 900)));
        rows.extend([(2, 9, 0, 900, 900), (3, 9, 0, 900, 901)]);
        let threads = samples::threads(&rows);
        let of = |kind| {
            let key = RuntimeKey::only(kind);
            KindHeights { key, collapsed: TRACK_HEIGHT, expanded: None, is_urgent: false }
        };
        let runtime = vec![of(TrackKind::Gc), of(TrackKind::Exceptions)];
        let mut choices = TrackChoices { runtime, ..TrackChoices::default() };
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        let layout = TrackLayout::new(&threads, &choices);
        assert_eq!(
            outline(&layout)[..6],
            [
                "Runtime(0) 0+20",
                "  Gc 20+20",
                "  Exceptions 40+20",
                "Threads(0) 60+20",
                "  Thread(ThreadId(1)) 80+105",
                "  Thread(ThreadId(4)) 185+20",
            ]
        );
        assert_eq!(outline(&layout).last().unwrap(), "  Quiet(0) 485+20");
        assert_eq!(layout.at(190.0).map(|track| track.key), Some(TrackKey::Thread(ThreadId(4))));
        choices.toggle(TrackKey::Quiet(0));
        choices.toggle(TrackKey::Runtime(0));
        let layout = TrackLayout::new(&threads, &choices);
        assert_eq!(outline(&layout)[..2], ["Runtime(0) 0+20".to_owned(), "Threads(0) 20+20".to_owned()]);
        assert_eq!(outline(&layout).last().unwrap(), "    Thread(ThreadId(3)) 485+20");
    }

    /// First screens of 900, 1080 and 768 px: heights of the tracks, and the threads that are visible in full.
    #[test]
    fn first_screen_has_threads_below_tracks_of_findings() {
        let rows: Vec<_> = (1..=30).map(|id| (id, 9, 5, 5, 5)).collect();
        let of = |kind, collapsed| {
            let key = RuntimeKey::only(kind);
            KindHeights { key, collapsed, expanded: Some(90.0), is_urgent: true }
        };
        let mut runtime: Vec<_> = TrackKind::ALL.iter().map(|kind| of(*kind, TRACK_HEIGHT)).collect();
        runtime[0] = of(TrackKind::Gc, 32.0);
        let choices = TrackChoices { runtime, ..TrackChoices::default() };
        let layout = TrackLayout::new(&samples::threads(&rows), &choices);
        let threads = |height: CssPx| {
            let is_whole = |track: &&Track| track.row.is_some() && track.top + track.height <= height;
            layout.tracks.iter().filter(is_whole).count()
        };
        assert_eq!([333.0, 433.0, 253.0].map(threads), [9, 14, 5]);
        let brief = |height| layout.brief_thread(height);
        assert_eq!([333.0, 433.0, 253.0].map(brief), [None; 3], "only in a tall window");
        let mut choices = TrackChoices { brief: brief(632.0), ..choices };
        assert_eq!(choices.brief, Some(ThreadId(1)));
        let height = |choices: &TrackChoices| {
            let layout = TrackLayout::new(&samples::threads(&rows), choices);
            layout.find(TrackKey::Thread(ThreadId(1))).map(|track| track.height)
        };
        assert_eq!(height(&choices), Some(77.0), "four levels");
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        assert_eq!(height(&choices), Some(TRACK_HEIGHT));
        assert!(choices.is_brief_declined);
    }

    /// Beside the tab of an analysis in a window of 900 px: its own tracks are higher, and five threads are below them.
    #[test]
    fn tracks_of_tab_leave_room_for_threads() {
        let rows: Vec<_> = (1..=30).map(|id| (id, 9, 5, 5, 5)).collect();
        let of = |kind| {
            let key = RuntimeKey::only(kind);
            KindHeights { key, collapsed: TRACK_HEIGHT, expanded: Some(840.0), is_urgent: true }
        };
        let runtime = vec![of(TrackKind::Gc), of(TrackKind::IncomingRequests), of(TrackKind::OutgoingRequests)];
        let mut choices = TrackChoices { runtime, ..TrackChoices::default() };
        choices.priorities.topic = Some(Topic::Http);
        let layout = TrackLayout::new(&samples::threads(&rows), &choices);
        assert_eq!(
            outline(&layout)[..4],
            ["Runtime(0) 0+20", "  IncomingRequests 20+36", "  OutgoingRequests 56+36", "Threads(0) 92+20"]
        );
        let is_whole = |track: &&Track| track.row.is_some() && track.top + track.height <= 215.0;
        assert_eq!(layout.tracks.iter().filter(is_whole).count(), 5);
        choices.toggle(TrackKey::Kind(RuntimeKey::only(TrackKind::IncomingRequests)));
        assert_eq!(outline(&TrackLayout::new(&samples::threads(&rows), &choices))[1], "  IncomingRequests 20+840");
    }

    #[test]
    fn counters_are_collapsed_and_tall_tracks_expand() {
        let of = |kind, expanded| {
            let key = RuntimeKey::only(kind);
            KindHeights { key, collapsed: TRACK_HEIGHT, expanded, is_urgent: false }
        };
        let threads = samples::threads(&[(1, 9, 5, 5, 5)]);
        let mut choices = TrackChoices {
            runtime: vec![of(TrackKind::Contention, Some(120.0))],
            counters: vec![of(TrackKind::Series(3), None)],
            ..TrackChoices::default()
        };
        let rows = |choices: &TrackChoices| outline(&TrackLayout::new(&threads, choices));
        assert_eq!(rows(&choices)[..3], ["Runtime(0) 0+20", "  Contention 20+20", "Threads(0) 40+20"]);
        choices.toggle(TrackKey::Kind(RuntimeKey::only(TrackKind::Contention)));
        choices.toggle(TrackKey::Counters(0));
        assert_eq!(rows(&choices)[1..4], ["  Contention 20+120", "Counters(0) 140+20", "  Series(3) 160+20"]);
    }

    /// S214, S238: threads stand below their process, if there are several.
    #[test]
    fn several_processes_have_headings() {
        let threads = samples::threads(&[(1, 70, 5, 5, 5), (2, 80, 5, 5, 5), (3, 70, 5, 5, 5)]);
        assert_eq!(
            outline(&TrackLayout::new(&threads, &TrackChoices::default())),
            [
                "Process(70) 0+20",
                "  Thread(ThreadId(1)) 20+20",
                "  Thread(ThreadId(3)) 40+20",
                "Process(80) 60+20",
                "  Thread(ThreadId(2)) 80+20",
            ]
        );
        let mut choices = TrackChoices::default();
        choices.toggle(TrackKey::Process(70));
        choices.toggle_pinned(TrackKey::Thread(ThreadId(2)));
        let layout = TrackLayout::new(&threads, &choices);
        let of_thread = |id| layout.track_of_thread(ThreadId(id)).map(|track| (track.key, track.process));
        assert_eq!(of_thread(1), Some((TrackKey::Process(70), 70)), "behind its closed heading");
        assert_eq!(of_thread(2), Some((TrackKey::Thread(ThreadId(2)), 80)));
        assert_eq!(of_thread(9), None);
    }

    #[test]
    fn thread_without_stacks_is_not_expandable() {
        let threads = samples::threads(&[(1, 9, 0, 0, 50), (2, 9, 4, 5, 50)]);
        let mut choices = TrackChoices::default();
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        let layout = TrackLayout::new(&threads, &choices);
        assert_eq!(layout.tracks[1].expanded, None);
        assert_eq!(layout.tracks[1].height, TRACK_HEIGHT);
        assert_eq!(layout.tracks[2].expanded, Some(false));
    }

    #[test]
    fn pinned_tracks_come_first_and_leave_room() {
        let threads = samples::threads(&[(1, 9, 5, 5, 5), (2, 9, 5, 5, 5), (3, 9, 5, 5, 5)]);
        let mut choices = TrackChoices::default();
        choices.toggle_pinned(TrackKey::Thread(ThreadId(3)));
        let layout = TrackLayout::new(&threads, &choices);
        assert_eq!(
            outline(&layout),
            [
                "Thread(ThreadId(3)) 0+20",
                "Threads(0) 20+20",
                "  Thread(ThreadId(1)) 40+20",
                "  Thread(ThreadId(2)) 60+20"
            ]
        );
        let seen =
            |scroll_top, height| -> Vec<TrackKey> { layout.seen(scroll_top, height).map(|track| track.key).collect() };
        let thread = |id| TrackKey::Thread(ThreadId(id));
        assert_eq!(layout.pinned_height(60.0), 20.0);
        assert_eq!(seen(40.0, 40.0), [thread(3), thread(2)]);
        assert_eq!((layout.below_top(10.0, 40.0, 60.0), layout.below_top(30.0, 40.0, 60.0)), (10.0, 70.0));
        assert_eq!(layout.pinned_height(30.0), 0.0, "it would hide the others");
        assert_eq!(seen(40.0, 30.0), [thread(1), thread(2)]);
    }

    #[test]
    fn scroll_shows_track_and_other_if_both_fit() {
        let threads = samples::threads(&[1, 2, 3, 4, 5, 6].map(|id| (id, 9, 5, 5, 5)));
        // A heading, then threads of height 20 from 20 on.
        let layout = TrackLayout::new(&threads, &TrackChoices::default());
        let to = |key: u32, other: u32, scroll_top, height| {
            let thread = |id| TrackKey::Thread(ThreadId(id));
            layout.scroll_to(thread(key), thread(other), scroll_top, height)
        };
        assert_eq!(to(1, 1, 0.0, 60.0), None);
        assert_eq!(to(4, 4, 0.0, 60.0), Some(40.0));
        assert_eq!(to(1, 1, 80.0, 60.0), Some(20.0));
        assert_eq!(to(4, 2, 80.0, 60.0), Some(40.0), "both fit");
        assert_eq!(to(2, 4, 0.0, 60.0), Some(40.0), "both fit");
        assert_eq!(to(6, 1, 0.0, 60.0), Some(80.0), "only one fits");
        assert_eq!(to(99, 1, 80.0, 60.0), None, "it is not shown");
    }
}
