//! What decides which tracks there are, in which order, and how much of each is shown.

use super::track_key::{RuntimeKey, TrackKey};
use super::tracks::thread_rows::StackView;
use crate::draw::units::CssPx;
use protocol::base::ids::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// How high one of the runtime's tracks is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KindHeights {
    /// Which.
    pub key: RuntimeKey,
    /// As a rule.
    pub collapsed: CssPx,
    /// When everything is shown; none if there is no difference.
    pub expanded: Option<CssPx>,
    /// Whether it shows a problem.
    pub is_urgent: bool,
}

/// The order of the threads of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThreadOrder {
    /// Most managed time first, as the table of threads has them.
    #[default]
    Activity,
    /// What they are called, numbers in it by value.
    Name,
    /// The operating system's number.
    Number,
    /// When their first event happened.
    FirstSeen,
}

impl ThreadOrder {
    /// All, in the order of the menu.
    pub const ALL: [Self; 4] = [Self::Activity, Self::Name, Self::Number, Self::FirstSeen];

    /// In words, after "by".
    pub fn words(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Name => "name",
            Self::Number => "ID",
            Self::FirstSeen => "first seen",
        }
    }
}

/// A track that the user put somewhere else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// Which.
    pub key: TrackKey,
    /// Its place among its siblings, from 0; beyond the last it is the last.
    pub position: usize,
}

/// What decides about the tracks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackChoices {
    /// The runtime's tracks, by process and from top to bottom.
    pub runtime: Vec<KindHeights>,
    /// Counters, by process and from top to bottom.
    pub counters: Vec<KindHeights>,
    /// Height that the runtime's tracks may have before those that matter less go into a group; none for all.
    pub room: Option<CssPx>,
    /// Processes that are closed at first: all but those that do most.
    pub minor: BTreeSet<u32>,
    /// Groups whose children are hidden.
    pub closed: BTreeSet<TrackKey>,
    /// Groups that are closed at first, whose children are shown; tracks of the runtime that show everything.
    pub opened: BTreeSet<TrackKey>,
    /// Threads whose stack is shown.
    pub stacks: BTreeMap<ThreadId, StackView>,
    /// Levels with user code, of threads whose stack is known.
    pub user_levels: BTreeMap<ThreadId, BTreeSet<u16>>,
    /// Rows that the spans of threads need, of those that have spans.
    pub span_rows: BTreeMap<ThreadId, u16>,
    /// The order of threads.
    pub order: ThreadOrder,
    /// What was put elsewhere, each place as it is when those before it have theirs.
    pub placed: Vec<Placement>,
    /// Tracks that stay in view, from top to bottom.
    pub pinned: Vec<TrackKey>,
    /// Tracks and groups that are left out.
    pub hidden: BTreeSet<TrackKey>,
}

impl TrackChoices {
    /// Whether the children of a group are shown, or everything of a track of the runtime.
    pub fn is_open(&self, key: TrackKey) -> bool {
        if self.is_closed_at_first(key) { self.opened.contains(&key) } else { !self.closed.contains(&key) }
    }

    /// Shows or hides what belongs to a track.
    pub fn toggle(&mut self, key: TrackKey) {
        match key {
            TrackKey::Thread(thread) => {
                let view = self.stacks.entry(thread).or_default();
                *view = if *view == StackView::Collapsed { StackView::Folded } else { StackView::Collapsed };
            }
            _ if self.is_closed_at_first(key) => flip(&mut self.opened, key),
            _ => flip(&mut self.closed, key),
        }
    }

    /// Groups of what matters less and counters are closed until they are opened; a track of the runtime shows little at
    /// first.
    fn is_closed_at_first(&self, key: TrackKey) -> bool {
        match key {
            TrackKey::Quiet(_) | TrackKey::MoreRuntime(_) | TrackKey::Counters(_) | TrackKey::Kind(_) => true,
            TrackKey::Process(process) => self.minor.contains(&process),
            _ => false,
        }
    }

    /// Shows what belongs to a track, if it does not yet.
    pub fn expand(&mut self, key: TrackKey) {
        let is_open = match key {
            TrackKey::Thread(thread) => self.stacks.get(&thread).is_some_and(|view| *view != StackView::Collapsed),
            _ => self.is_open(key),
        };
        if !is_open {
            self.toggle(key);
        }
    }

    /// Shows a track that is in these groups.
    pub fn uncover(&mut self, key: TrackKey, above: &[TrackKey]) {
        for group in above {
            self.hidden.remove(group);
            self.expand(*group);
        }
        self.hidden.remove(&key);
    }

    /// Shows every row of a thread's stack, or only those with user code.
    pub fn toggle_full(&mut self, thread: ThreadId) {
        let view = self.stacks.entry(thread).or_default();
        *view = if *view == StackView::Full { StackView::Folded } else { StackView::Full };
    }

    /// Keeps a track in view, or no longer.
    pub fn toggle_pinned(&mut self, key: TrackKey) {
        match self.pinned.iter().position(|pinned| *pinned == key) {
            Some(place) => {
                self.pinned.remove(place);
            }
            None if !key.is_heading() => self.pinned.push(key),
            None => {}
        }
    }

    /// Leaves a track or a group out.
    pub fn hide(&mut self, key: TrackKey) {
        self.pinned.retain(|pinned| *pinned != key);
        self.hidden.insert(key);
    }

    /// Puts a track at a place among its siblings, from 0.
    pub fn place(&mut self, key: TrackKey, position: usize) {
        if let Some(from) = self.pinned.iter().position(|pinned| *pinned == key) {
            let pinned = self.pinned.remove(from);
            self.pinned.insert(position.min(self.pinned.len()), pinned);
            return;
        }
        // Who moves a track step by step means its last place.
        self.placed.pop_if(|last| last.key == key);
        self.placed.push(Placement { key, position });
    }

    /// Sorts the threads; those that were put elsewhere go where they belong.
    pub fn sort_threads(&mut self, order: ThreadOrder) {
        self.order = order;
        self.placed.retain(|placed| !matches!(placed.key, TrackKey::Thread(_) | TrackKey::Quiet(_)));
    }

    /// Heights of a track of the runtime or a counter.
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
    fn steps_of_one_track_are_one_placement() {
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
    fn what_stays_in_view_moves_among_its_like_and_what_is_left_out_does_not_stay() {
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
    fn expanding_what_is_expanded_changes_nothing() {
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
