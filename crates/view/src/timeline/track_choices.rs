//! Choices that determine the tracks, their order and their content.

use super::track_key::{RuntimeKey, TrackKey};
use super::track_priorities::Priorities;
use super::tracks::thread_rows::StackView;
use crate::draw::units::CssPx;
use protocol::base::ids::ThreadId;
use protocol::named;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum height of a track that its tab expands.
const MAX_OPENED_BY_TAB: CssPx = 76.0;

/// Heights of a runtime track.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KindHeights {
    /// Track.
    pub key: RuntimeKey,
    /// Height when collapsed.
    pub collapsed: CssPx,
    /// Height when expanded; `None` if the track has one height only.
    pub expanded: Option<CssPx>,
    /// True if the track shows a problem.
    pub is_urgent: bool,
}

named! {
    /// Order of the threads of a process. Declared in the order of the menu.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum ThreadOrder {
        /// Threads that the top finding names first, then most running time, then as in the thread table.
        #[default]
        Activity: "activity", "activity";
        /// By name, comparing numbers by value.
        Name: "name", "name";
        /// By OS thread ID.
        Number: "ID", "id";
        /// By first event.
        FirstSeen: "first seen", "first";
    }
    /// Returns the display name, after "by".
    fn words;
    /// Returns the name in URLs.
    fn slug;
}

/// Track that the user moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    pub key: TrackKey,
    /// Index among its siblings; the end if it is larger.
    pub position: usize,
}

/// Choices about the tracks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackChoices {
    /// Runtime tracks by process, from top to bottom.
    pub runtime: Vec<KindHeights>,
    /// Counters by process, from top to bottom.
    pub counters: Vec<KindHeights>,
    /// Tracks that links of older versions name by number, with their keys.
    pub numbered: BTreeMap<TrackKey, TrackKey>,
    /// What findings and the open tab make important.
    pub priorities: Priorities,
    /// Processes that are collapsed by default: all but the busiest.
    pub minor: BTreeSet<u32>,
    /// Collapsed groups.
    pub closed: BTreeSet<TrackKey>,
    /// Groups that are collapsed by default but expanded, and expanded runtime tracks.
    pub opened: BTreeSet<TrackKey>,
    /// Threads whose stack is visible.
    pub stacks: BTreeMap<ThreadId, StackView>,
    /// First thread, if the pane is so tall that it is open.
    pub brief: Option<ThreadId>,
    /// True if the user collapsed it.
    pub is_brief_declined: bool,
    /// Levels with your code, for threads whose stacks are known.
    pub user_levels: BTreeMap<ThreadId, BTreeSet<u16>>,
    /// Number of span rows, for threads with spans.
    pub span_rows: BTreeMap<ThreadId, u16>,
    /// Order of threads.
    pub order: ThreadOrder,
    /// Moved tracks; each index is valid after the previous moves.
    pub placed: Vec<Placement>,
    /// Pinned tracks, from top to bottom.
    pub pinned: Vec<TrackKey>,
    /// Hidden tracks and groups.
    pub hidden: BTreeSet<TrackKey>,
}

impl TrackChoices {
    /// Returns whether a group or a runtime track is expanded.
    pub fn is_open(&self, key: TrackKey) -> bool {
        if self.is_closed_at_first(key) { self.opened.contains(&key) } else { !self.closed.contains(&key) }
    }

    /// Returns the visible part of a thread's stack.
    pub fn view_of(&self, thread: ThreadId) -> StackView {
        let brief = self.brief.filter(|brief| *brief == thread).map(|_| StackView::Brief);
        self.stacks.get(&thread).copied().or(brief).unwrap_or_default()
    }

    /// Expands or collapses a track.
    pub fn toggle(&mut self, key: TrackKey) {
        match key {
            TrackKey::Thread(thread) => {
                let is_collapsed = self.view_of(thread) == StackView::Collapsed;
                self.is_brief_declined |= self.brief == Some(thread);
                self.brief = self.brief.filter(|brief| *brief != thread);
                self.stacks.insert(thread, if is_collapsed { StackView::Folded } else { StackView::Collapsed });
            }
            _ if self.is_closed_at_first(key) => flip(&mut self.opened, key),
            _ => flip(&mut self.closed, key),
        }
    }

    /// Returns whether a track is collapsed by default: groups of less important tracks, counters, and runtime tracks.
    fn is_closed_at_first(&self, key: TrackKey) -> bool {
        match key {
            TrackKey::Quiet(_) | TrackKey::MoreRuntime(_) | TrackKey::Counters(_) => true,
            TrackKey::Kind(key) => !self.is_opened_by_tab(key),
            TrackKey::Process(process) => self.minor.contains(&process),
            _ => false,
        }
    }

    /// Returns whether the open tab expands its track: only if threads remain visible below it.
    fn is_opened_by_tab(&self, key: RuntimeKey) -> bool {
        let expanded = self.heights_of(key).and_then(|heights| heights.expanded);
        self.priorities.is_of_tab(key.kind) && expanded.is_some_and(|height| height <= MAX_OPENED_BY_TAB)
    }

    pub fn expand(&mut self, key: TrackKey) {
        let is_open = match key {
            TrackKey::Thread(thread) => self.view_of(thread) != StackView::Collapsed,
            _ => self.is_open(key),
        };
        if !is_open {
            self.toggle(key);
        }
    }

    /// Expands the groups that contain a track.
    pub fn uncover(&mut self, key: TrackKey, above: &[TrackKey]) {
        for group in above {
            self.hidden.remove(group);
            self.expand(*group);
        }
        self.hidden.remove(&key);
    }

    /// Shows every row of a thread's stack, or only those with your code.
    pub fn toggle_full(&mut self, thread: ThreadId) {
        let view = self.stacks.entry(thread).or_default();
        *view = if *view == StackView::Full { StackView::Folded } else { StackView::Full };
    }

    /// Pins or unpins a track.
    pub fn toggle_pinned(&mut self, key: TrackKey) {
        match self.pinned.iter().position(|pinned| *pinned == key) {
            Some(place) => {
                self.pinned.remove(place);
            }
            None if !key.is_heading() => self.pinned.push(key),
            None => {}
        }
    }

    /// Hides a track or a group.
    pub fn hide(&mut self, key: TrackKey) {
        self.pinned.retain(|pinned| *pinned != key);
        self.hidden.insert(key);
    }

    /// Moves a track to an index among its siblings.
    pub fn place(&mut self, key: TrackKey, position: usize) {
        if let Some(from) = self.pinned.iter().position(|pinned| *pinned == key) {
            let pinned = self.pinned.remove(from);
            self.pinned.insert(position.min(self.pinned.len()), pinned);
            return;
        }
        // Only the last of a track's step-by-step moves counts.
        self.placed.pop_if(|last| last.key == key);
        self.placed.push(Placement { key, position });
    }

    /// Notes the key of a track that links of older versions name by number, and replaces the number.
    pub fn name_numbered(&mut self, numbered: RuntimeKey, key: RuntimeKey) {
        let (numbered, key) = (TrackKey::Kind(numbered), TrackKey::Kind(key));
        self.numbered.insert(numbered, key);
        let pinned = self.pinned.iter_mut().chain(self.placed.iter_mut().map(|placed| &mut placed.key));
        pinned.filter(|present| **present == numbered).for_each(|present| *present = key);
        if self.hidden.remove(&numbered) {
            self.hidden.insert(key);
        }
    }

    /// Sorts threads and discards their moves.
    pub fn sort_threads(&mut self, order: ThreadOrder) {
        self.order = order;
        self.placed.retain(|placed| !matches!(placed.key, TrackKey::Thread(_) | TrackKey::Quiet(_)));
    }

    /// Returns the heights of a runtime track or a counter.
    pub fn heights_of(&self, key: RuntimeKey) -> Option<KindHeights> {
        self.runtime.iter().chain(&self.counters).find(|heights| heights.key == key).copied()
    }
}

fn flip(set: &mut BTreeSet<TrackKey>, key: TrackKey) {
    if !set.remove(&key) {
        set.insert(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: TrackKey = TrackKey::Thread(ThreadId(1));
    const TWO: TrackKey = TrackKey::Thread(ThreadId(2));

    #[test]
    fn consecutive_moves_of_track_are_one_placement() {
        let mut choices = TrackChoices::default();
        choices.place(ONE, 3);
        choices.place(ONE, 2);
        choices.place(TWO, 0);
        choices.place(ONE, 1);
        let placed: Vec<usize> = choices.placed.iter().map(|placed| placed.position).collect();
        assert_eq!(placed, [2, 0, 1]);
        choices.sort_threads(ThreadOrder::Name);
        assert!(choices.placed.is_empty());
    }

    #[test]
    fn pinned_track_moves_among_pinned_and_hidden_track_is_unpinned() {
        let mut choices = TrackChoices::default();
        choices.toggle_pinned(ONE);
        choices.toggle_pinned(TWO);
        choices.toggle_pinned(TrackKey::Threads(0));
        assert_eq!(choices.pinned, [ONE, TWO]);
        choices.place(TWO, 0);
        assert_eq!(choices.pinned, [TWO, ONE]);
        choices.hide(TWO);
        assert_eq!(choices.pinned, [ONE]);
        choices.toggle_pinned(ONE);
        assert!(choices.pinned.is_empty());
    }

    #[test]
    fn expanding_expanded_track_has_no_effect() {
        let mut choices = TrackChoices { minor: BTreeSet::from([7]), ..TrackChoices::default() };
        assert!(choices.is_open(TrackKey::Process(3)) && !choices.is_open(TrackKey::Process(7)));
        for key in [ONE, TrackKey::Process(7), TrackKey::Runtime(0), TrackKey::Counters(0), TrackKey::Quiet(0)] {
            choices.expand(key);
            let once = choices.clone();
            choices.expand(key);
            assert_eq!(choices, once);
            assert!(matches!(key, TrackKey::Thread(_)) || choices.is_open(key));
        }
    }
}
