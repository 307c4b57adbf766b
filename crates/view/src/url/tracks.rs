//! Choices about tracks in a URL: expanded, pinned, hidden and moved tracks, and the order of threads.
//!
//! Threads are named by OS thread ID, as in the rest of the URL. A counter is named by its index among the counters of
//! the file, which is the same on every machine.

use super::state::ThreadLink;
use crate::timeline::track_choices::{Placement, ThreadOrder, TrackChoices};
use crate::timeline::track_key::{RuntimeKey, TrackKey};
use crate::timeline::tracks::table::slug;
use crate::timeline::tracks::thread_rows::StackView;
use protocol::base::ids::ThreadId;
use protocol::timeline::track::TrackKind;

/// Choice about tracks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrackChoice {
    Order(ThreadOrder),
    /// Collapsed group.
    Closed(TrackLink),
    /// Expanded group or runtime track.
    Opened(TrackLink),
    /// Thread whose rows with your code are visible.
    Stack(ThreadLink),
    /// Thread with all rows visible.
    FullStack(ThreadLink),
    Pinned(TrackLink),
    Hidden(TrackLink),
    /// Track moved to an index among its siblings.
    Placed(TrackLink, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrackLink {
    Thread(ThreadLink),
    /// Other track, whose identity doesn't depend on how the file was loaded.
    Other(TrackKey),
}

impl TrackChoice {
    /// Returns the choice as part of a URL: a letter for the kind of choice, then its track.
    pub fn encode(&self) -> String {
        match self {
            Self::Order(order) => format!("by.{}", order.slug()),
            Self::Closed(track) => format!("close.{}", track.encode()),
            Self::Opened(track) => format!("open.{}", track.encode()),
            Self::Stack(thread) => format!("stack.{}", thread.encode()),
            Self::FullStack(thread) => format!("full.{}", thread.encode()),
            Self::Pinned(track) => format!("pin.{}", track.encode()),
            Self::Hidden(track) => format!("hide.{}", track.encode()),
            Self::Placed(track, position) => format!("at.{position}.{}", track.encode()),
        }
    }

    /// Reads a choice from part of a URL.
    pub fn decode(text: &str) -> Option<Self> {
        let (what, rest) = text.split_once('.')?;
        let track = || TrackLink::decode(rest);
        Some(match what {
            "by" => Self::Order(ThreadOrder::ALL.into_iter().find(|order| order.slug() == rest)?),
            "close" => Self::Closed(track()?),
            "open" => Self::Opened(track()?),
            "stack" => Self::Stack(ThreadLink::decode(rest)?),
            "full" => Self::FullStack(ThreadLink::decode(rest)?),
            "pin" => Self::Pinned(track()?),
            "hide" => Self::Hidden(track()?),
            "at" => {
                let (position, track) = rest.split_once('.')?;
                Self::Placed(TrackLink::decode(track)?, position.parse().ok()?)
            }
            _ => return None,
        })
    }
}

impl TrackLink {
    /// Returns the track as part of a URL.
    pub fn encode(self) -> String {
        match self {
            Self::Thread(thread) => format!("thread.{}", thread.encode()),
            Self::Other(key) => {
                let (name, process) = name_of(key);
                if is_always_numbered(key) || process != 0 { format!("{name}.{process}") } else { name }
            }
        }
    }

    /// Reads a track from part of a URL.
    pub fn decode(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("thread.") {
            return ThreadLink::decode(rest).map(Self::Thread);
        }
        if let Some(rest) = text.strip_prefix("series.") {
            let (position, process) = rest.split_once('.').unwrap_or((rest, "0"));
            let (kind, process) = (TrackKind::Series(position.parse().ok()?), process.parse().ok()?);
            return Some(Self::Other(TrackKey::Kind(RuntimeKey { process, kind })));
        }
        let (name, process) = text.split_once('.').unwrap_or((text, "0"));
        let process: u32 = process.parse().ok()?;
        let groups = [
            TrackKey::Process(process),
            TrackKey::Runtime(process),
            TrackKey::MoreRuntime(process),
            TrackKey::Counters(process),
            TrackKey::Threads(process),
            TrackKey::Quiet(process),
            TrackKey::Activities(process),
        ];
        let kinds = TrackKind::ALL.iter().map(|kind| TrackKey::Kind(RuntimeKey { process, kind: *kind }));
        groups.into_iter().chain(kinds).find(|key| name_of(*key).0 == name).map(Self::Other)
    }

    /// Returns the link to a track. `name` names threads.
    pub fn of(key: TrackKey, name: &impl Fn(ThreadId) -> Option<ThreadLink>) -> Option<Self> {
        match key {
            TrackKey::Thread(thread) => name(thread).map(Self::Thread),
            key => Some(Self::Other(key)),
        }
    }

    /// Returns the track to which the link refers. `find` finds threads.
    pub fn key(self, find: &impl Fn(ThreadLink) -> Option<ThreadId>) -> Option<TrackKey> {
        match self {
            Self::Thread(thread) => find(thread).map(TrackKey::Thread),
            Self::Other(key) => Some(key),
        }
    }
}

/// Returns the name and the process of a track that isn't a thread.
fn name_of(key: TrackKey) -> (String, u32) {
    let (name, process) = match key {
        TrackKey::Process(process) => ("process", process),
        TrackKey::Runtime(process) => ("runtime", process),
        TrackKey::MoreRuntime(process) => ("moreruntime", process),
        TrackKey::Counters(process) => ("counters", process),
        TrackKey::Threads(process) => ("threads", process),
        TrackKey::Quiet(process) => ("silent", process),
        TrackKey::Activities(process) => ("work", process),
        TrackKey::Thread(thread) => ("thread", thread.0),
        TrackKey::Kind(RuntimeKey { process, kind }) => return (slug(kind).into_owned(), process),
    };
    (name.to_owned(), process)
}

/// Returns whether the link names the process even if the trace has only one.
fn is_always_numbered(key: TrackKey) -> bool {
    matches!(key, TrackKey::Process(_) | TrackKey::Quiet(_))
}

/// Returns the differences of `choices` from the defaults `at_first`. `name` names threads.
pub fn link_of(
    choices: &TrackChoices,
    at_first: &TrackChoices,
    name: impl Fn(ThreadId) -> Option<ThreadLink>,
) -> Vec<TrackChoice> {
    let is_same = choices.order == at_first.order
        && choices.placed == at_first.placed
        && choices.pinned == at_first.pinned
        && choices.hidden == at_first.hidden
        && choices.opened == at_first.opened
        && choices.closed == at_first.closed
        && shown_stacks(choices).eq(shown_stacks(at_first));
    if is_same {
        return Vec::new();
    }
    let of = |key: &TrackKey| TrackLink::of(*key, &name);
    // Always present, so that a URL without expanded stacks differs from one without choices.
    let mut link = vec![TrackChoice::Order(choices.order)];
    link.extend(choices.closed.iter().filter_map(of).map(TrackChoice::Closed));
    link.extend(choices.opened.iter().filter_map(of).map(TrackChoice::Opened));
    link.extend(shown_stacks(choices).filter_map(|(thread, view)| {
        let thread = name(thread)?;
        Some(if view == StackView::Full { TrackChoice::FullStack(thread) } else { TrackChoice::Stack(thread) })
    }));
    link.extend(choices.pinned.iter().filter_map(of).map(TrackChoice::Pinned));
    link.extend(choices.hidden.iter().filter_map(of).map(TrackChoice::Hidden));
    let placed = |placed: &Placement| Some(TrackChoice::Placed(of(&placed.key)?, placed.position));
    link.extend(choices.placed.iter().filter_map(placed));
    link
}

fn shown_stacks(choices: &TrackChoices) -> impl Iterator<Item = (ThreadId, StackView)> {
    let stacks = choices.stacks.iter().map(|(thread, view)| (*thread, *view));
    stacks.filter(|(_, view)| *view != StackView::Collapsed)
}

/// Applies the choices of a URL; without any, those of `at_first`. `find` finds threads.
pub fn take_on(
    choices: &mut TrackChoices,
    link: &[TrackChoice],
    at_first: &TrackChoices,
    find: impl Fn(ThreadLink) -> Option<ThreadId>,
) {
    let chosen = if link.is_empty() { at_first.clone() } else { TrackChoices::default() };
    choices.order = chosen.order;
    choices.closed = chosen.closed;
    choices.opened = chosen.opened;
    choices.stacks = chosen.stacks;
    choices.pinned = chosen.pinned;
    choices.hidden = chosen.hidden;
    choices.placed = chosen.placed;
    let numbered = choices.numbered.clone();
    for choice in link {
        let key = |track: TrackLink| track.key(&find).map(|key| numbered.get(&key).copied().unwrap_or(key));
        match *choice {
            TrackChoice::Order(order) => choices.order = order,
            TrackChoice::Closed(track) => choices.closed.extend(key(track)),
            TrackChoice::Opened(track) => choices.opened.extend(key(track)),
            TrackChoice::Stack(thread) => choices.stacks.extend(find(thread).map(|thread| (thread, StackView::Folded))),
            TrackChoice::FullStack(thread) => {
                choices.stacks.extend(find(thread).map(|thread| (thread, StackView::Full)));
            }
            TrackChoice::Pinned(track) => choices.pinned.extend(key(track).filter(|key| !key.is_heading())),
            TrackChoice::Hidden(track) => choices.hidden.extend(key(track)),
            TrackChoice::Placed(track, position) => {
                choices.placed.extend(key(track).map(|key| Placement { key, position }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names thread n by the ID 4000 + n.
    fn name(thread: ThreadId) -> Option<ThreadLink> {
        Some(ThreadLink { os_thread: u64::from(thread.0) + 4000, nth: 0 })
    }

    fn find(thread: ThreadLink) -> Option<ThreadId> {
        thread.os_thread.checked_sub(4000).map(|id| ThreadId(id as u32))
    }

    fn chosen() -> TrackChoices {
        let mut choices = TrackChoices::default();
        let thread = |id| TrackKey::Thread(ThreadId(id));
        choices.sort_threads(ThreadOrder::Name);
        choices.toggle(TrackKey::Runtime(0));
        choices.toggle(TrackKey::Runtime(70));
        choices.toggle(TrackKey::Activities(0));
        choices.toggle(TrackKey::MoreRuntime(0));
        choices.toggle(TrackKey::Quiet(7));
        choices.toggle(TrackKey::Kind(RuntimeKey::only(TrackKind::Spans)));
        choices.toggle(thread(1));
        choices.toggle_full(ThreadId(2));
        choices.toggle_pinned(TrackKey::Kind(RuntimeKey::only(TrackKind::Series(3))));
        choices.toggle_pinned(TrackKey::Kind(RuntimeKey { process: 70, kind: TrackKind::Series(4) }));
        choices.toggle_pinned(thread(4));
        choices.hide(TrackKey::Process(9));
        choices.hide(TrackKey::Kind(RuntimeKey::only(TrackKind::Gc)));
        choices.hide(TrackKey::Kind(RuntimeKey { process: 70, kind: TrackKind::Gc }));
        choices.place(thread(5), 2);
        choices
    }

    #[test]
    fn track_choices_round_trip_through_url() {
        let parts: Vec<String> =
            link_of(&chosen(), &TrackChoices::default(), name).iter().map(TrackChoice::encode).collect();
        assert_eq!(
            parts,
            [
                "by.name",
                "close.runtime",
                "close.runtime.70",
                "close.work",
                "open.spans",
                "open.moreruntime",
                "open.silent.7",
                "stack.4001",
                "full.4002",
                "pin.series.3",
                "pin.series.4.70",
                "pin.thread.4004",
                "hide.process.9",
                "hide.collections",
                "hide.collections.70",
                "at.2.thread.4005",
            ]
        );
        let link: Vec<TrackChoice> = parts.iter().filter_map(|part| TrackChoice::decode(part)).collect();
        let mut choices = TrackChoices::default();
        take_on(&mut choices, &link, &TrackChoices::default(), find);
        assert_eq!(choices, chosen());
    }

    #[test]
    fn default_track_choices_are_not_in_url() {
        let mut at_first = TrackChoices::default();
        at_first.toggle(TrackKey::Thread(ThreadId(1)));
        assert!(link_of(&at_first, &at_first, name).is_empty());
        let mut choices = chosen();
        take_on(&mut choices, &[], &at_first, find);
        assert_eq!(choices, at_first);
        choices.toggle(TrackKey::Thread(ThreadId(1)));
        assert_eq!(link_of(&choices, &at_first, name), [TrackChoice::Order(ThreadOrder::Activity)]);
    }

    #[test]
    fn older_links_name_runtime_series_by_number() {
        let link: Vec<_> =
            ["pin.series.1", "hide.series.0", "at.3.series.1"].map(|part| TrackChoice::decode(part).unwrap()).into();
        let key = |kind| RuntimeKey::only(kind);
        let name = |choices: &mut TrackChoices| {
            choices.name_numbered(key(TrackKind::Series(0)), key(TrackKind::AllocationRate));
            choices.name_numbered(key(TrackKind::Series(1)), key(TrackKind::ThreadPool));
        };
        let (mut before, mut after) = (TrackChoices::default(), TrackChoices::default());
        take_on(&mut before, &link, &TrackChoices::default(), find);
        name(&mut before);
        name(&mut after);
        take_on(&mut after, &link, &TrackChoices::default(), find);
        let parts = link_of(&before, &TrackChoices::default(), self::name);
        let parts: Vec<String> = parts.iter().map(TrackChoice::encode).collect();
        assert_eq!(parts, ["by.activity", "pin.threadpool", "hide.allocationrate", "at.3.threadpool"]);
        assert_eq!(before, after, "whether the tracks arrive before or after the link");
        let link: Vec<_> = parts.iter().map(|part| TrackChoice::decode(part).unwrap()).collect();
        take_on(&mut after, &link, &TrackChoices::default(), find);
        assert_eq!(before, after);
    }

    #[test]
    fn malformed_track_choices_are_ignored() {
        for text in ["", "by", "by.colour", "pin.", "pin.thread.x", "pin.nothing", "at.x.threads", "close.process.-1"] {
            assert_eq!(TrackChoice::decode(text), None, "{text}");
        }
    }
}
