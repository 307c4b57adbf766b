//! Tree of tracks: process ▸ runtime, counters, threads, activities, in the chosen order.

use super::track_choices::{KindHeights, ThreadOrder, TrackChoices};
use super::track_key::TrackKey;
use super::tracks::table::{Group, TrackRow};
use crate::draw::units::CssPx;
use protocol::base::ids::ThreadId;
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::request::UNKNOWN_PROCESS;
use protocol::tables::Threads;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Maximum number of processes that share the height for runtime tracks. Users must scroll to further ones anyway.
const MAX_SHARES: usize = 2;
/// Minimum share of all events of a thread outside the group of quiet threads.
const QUIET_SHARE: f64 = 0.005;

/// Track with its children.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Identity.
    pub key: TrackKey,
    /// Row of the thread table, for threads.
    pub row: Option<usize>,
    /// Children, in order.
    pub children: Vec<Node>,
}

impl Node {
    fn new(key: TrackKey, children: Vec<Node>) -> Self {
        Self { key, row: None, children }
    }

    /// Visits all tracks, with their groups outermost first. Groups come before their children.
    pub fn visit(&self, above: &mut Vec<TrackKey>, act: &mut impl FnMut(TrackKey, &[TrackKey])) {
        act(self.key, above);
        above.push(self.key);
        self.children.iter().for_each(|child| child.visit(above, act));
        above.pop();
    }
}

/// All tracks, in expanded and collapsed groups.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackTree {
    /// Pinned tracks.
    pub pinned: Vec<Node>,
    /// Other tracks.
    pub roots: Vec<Node>,
}

impl TrackTree {
    /// Returns the tracks of a trace without hidden ones, in the chosen order.
    pub fn new(threads: &Threads, choices: &TrackChoices) -> Self {
        let mut roots = Self::complete(threads, choices);
        let mut found = Vec::new();
        take_out(&mut roots, choices, &mut found);
        // Indices refer to visible tracks: those neither hidden nor pinned.
        for placed in &choices.placed {
            put(&mut roots, placed.key, placed.position);
        }
        let of_pinned = |key: &TrackKey| found.iter().find(|node| node.key == *key).cloned();
        Self { pinned: choices.pinned.iter().filter_map(of_pinned).collect(), roots }
    }

    /// Returns all tracks in the default order, including hidden ones.
    pub fn complete(threads: &Threads, choices: &TrackChoices) -> Vec<Node> {
        let processes = processes(threads);
        if processes.len() < 2 {
            let rows = processes.into_iter().flat_map(|(_, rows)| rows).collect();
            return groups(threads, rows, 0, choices, choices.room);
        }
        let room = choices.room.map(|room| room / processes.len().min(MAX_SHARES) as CssPx);
        let of_process = |(process, rows): (u32, Vec<usize>)| {
            let mut groups = groups(threads, rows, process, choices, room);
            // A process with threads only needs no heading for them.
            if let [Node { key: TrackKey::Threads(_), children, .. }] = groups.as_mut_slice() {
                groups = std::mem::take(children);
            }
            Node::new(TrackKey::Process(process), groups)
        };
        let is_unknown = |process: u32| process == UNKNOWN_PROCESS;
        let is_among = processes.iter().any(|(process, _)| is_unknown(*process));
        let has_tracks = choices.runtime.iter().any(|heights| is_unknown(heights.key.process));
        // Tracks of no process come last.
        let rest = (has_tracks && !is_among).then(|| {
            let kinds: Vec<_> =
                choices.runtime.iter().filter(|heights| is_unknown(heights.key.process)).copied().collect();
            Node::new(TrackKey::Process(UNKNOWN_PROCESS), kind_nodes(&kinds))
        });
        processes.into_iter().map(of_process).chain(rest).collect()
    }
}

/// Returns the non-empty groups of a process; `rows` are those of its threads.
fn groups(threads: &Threads, rows: Vec<usize>, process: u32, choices: &TrackChoices, room: Option<CssPx>) -> Vec<Node> {
    let of_process = |list: &[KindHeights]| -> Vec<KindHeights> {
        list.iter().filter(|heights| heights.key.process == process).copied().collect()
    };
    let is_activity = |heights: &KindHeights| TrackRow::of(heights.key.kind).group == Group::Activities;
    let (work, runtime): (Vec<_>, Vec<_>) =
        of_process(&choices.runtime).into_iter().partition(|heights| is_activity(heights));
    let groups = [
        Node::new(TrackKey::Runtime(process), runtime_nodes(&runtime, process, room)),
        Node::new(TrackKey::Counters(process), kind_nodes(&of_process(&choices.counters))),
        Node::new(TrackKey::Threads(process), thread_nodes(threads, rows, process, choices.order)),
        Node::new(TrackKey::Activities(process), kind_nodes(&work)),
    ];
    groups.into_iter().filter(|group| !group.children.is_empty()).collect()
}

/// Moves a track to an index among its siblings; returns whether it is one of them.
fn put(siblings: &mut Vec<Node>, key: TrackKey, position: usize) -> bool {
    if let Some(from) = siblings.iter().position(|node| node.key == key) {
        let node = siblings.remove(from);
        siblings.insert(position.min(siblings.len()), node);
        return true;
    }
    siblings.iter_mut().any(|node| put(&mut node.children, key, position))
}

/// Removes hidden tracks and empty groups, and moves pinned tracks to `found`.
fn take_out(siblings: &mut Vec<Node>, choices: &TrackChoices, found: &mut Vec<Node>) {
    siblings.retain_mut(|node| {
        if choices.hidden.contains(&node.key) {
            return false;
        }
        if choices.pinned.contains(&node.key) {
            found.push(node.clone());
            return false;
        }
        take_out(&mut node.children, choices, found);
        !node.key.is_heading() || !node.children.is_empty()
    });
}

fn kind_nodes(kinds: &[KindHeights]) -> Vec<Node> {
    kinds.iter().map(|heights| Node::new(TrackKey::Kind(heights.key), Vec::new())).collect()
}

/// Returns the runtime tracks that show a problem, the most useful ones that fit, and a group of the others.
fn runtime_nodes(kinds: &[KindHeights], process: u32, room: Option<CssPx>) -> Vec<Node> {
    let mut by_rank = kinds.to_vec();
    sort_by_key(&mut by_rank, |heights| TrackRow::of(heights.key.kind).rank);
    let mut left = room.unwrap_or(CssPx::MAX);
    let first = by_rank.first().map(|first| first.key);
    by_rank.retain(|heights| {
        if heights.is_urgent {
            return true;
        }
        left -= heights.collapsed;
        // The most useful track is always outside the group.
        left >= 0.0 || Some(heights.key) == first
    });
    let (shown, others): (Vec<KindHeights>, Vec<KindHeights>) =
        kinds.iter().partition(|heights| by_rank.iter().any(|shown| shown.key == heights.key));
    // A group of one track would need as much space as the track.
    if others.len() < 2 {
        return kind_nodes(kinds);
    }
    let mut nodes = kind_nodes(&shown);
    nodes.push(Node::new(TrackKey::MoreRuntime(process), kind_nodes(&others)));
    nodes
}

fn thread_nodes(threads: &Threads, rows: Vec<usize>, process: u32, order: ThreadOrder) -> Vec<Node> {
    let (mut busy, mut quiet) = split_quiet(threads, rows);
    sort_rows(threads, &mut busy, order);
    sort_rows(threads, &mut quiet, order);
    let nodes = |rows: Vec<usize>| -> Vec<Node> {
        let node = |row: usize| Node::new(TrackKey::Thread(ThreadId(threads.thread[row])), Vec::new());
        rows.into_iter().map(|row| Node { row: Some(row), ..node(row) }).collect()
    };
    let mut children = nodes(busy);
    if !quiet.is_empty() {
        children.push(Node::new(TrackKey::Quiet(process), nodes(quiet)));
    }
    children
}

/// Sorts rows of threads, stably; the table is sorted by activity.
fn sort_rows(threads: &Threads, rows: &mut [usize], order: ThreadOrder) {
    match order {
        ThreadOrder::Activity => {}
        ThreadOrder::Name => {
            sort_by(rows, |one, other| natural_order(threads.label.get(*one), threads.label.get(*other)));
        }
        ThreadOrder::Number => sort_by_key(rows, |row| threads.os_thread[*row]),
        ThreadOrder::FirstSeen => sort_by_key(rows, |row| threads.first.get(*row).copied().unwrap_or_default()),
    }
}

/// Compares texts naturally: numbers by value, letters case-insensitively.
pub fn natural_order(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let digits = |text: &str| text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (left, right) = (digits(one), digits(other));
        let order = if left > 0 && right > 0 {
            let number = |text: &str, length: usize| text[..length].trim_start_matches('0').to_owned();
            let (first, second) = (number(one, left), number(other, right));
            (one, other) = (&one[left..], &other[right..]);
            first.len().cmp(&second.len()).then(first.cmp(&second))
        } else {
            let (Some(first), Some(second)) = (one.chars().next(), other.chars().next()) else {
                return one.len().cmp(&other.len());
            };
            (one, other) = (&one[first.len_utf8()..], &other[second.len_utf8()..]);
            first.to_ascii_lowercase().cmp(&second.to_ascii_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Returns the processes by managed time, each with its rows of the thread table in order.
pub fn processes(threads: &Threads) -> Vec<(u32, Vec<usize>)> {
    let mut processes: Vec<(u32, Vec<usize>)> = Vec::new();
    // A machine has hundreds of processes with thousands of threads.
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    for row in 0..threads.thread.len() {
        let process = threads.os_process[row];
        let place = *places.entry(process).or_insert(processes.len());
        match processes.get_mut(place) {
            Some((_, rows)) => rows.push(row),
            None => processes.push((process, vec![row])),
        }
    }
    processes
}

/// Splits threads into those with managed code or a considerable share of the events, and quiet ones.
fn split_quiet(threads: &Threads, rows: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let own = |row: usize| threads.events[row].saturating_sub(threads.samples[row]);
    let all: u64 = rows.iter().map(|row| own(*row)).sum();
    let is_quiet =
        |row: &usize| threads.managed_samples[*row] == 0 && (own(*row) as f64) < (all as f64 * QUIET_SHARE).max(1.0);
    let (quiet, busy): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_quiet(row));
    if quiet.len() < 2 || busy.is_empty() { (rows, Vec::new()) } else { (busy, quiet) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::track_key::RuntimeKey;
    use crate::timeline::track_layout::samples::threads;
    use protocol::timeline::track::TrackKind;

    fn thread(id: u32) -> TrackKey {
        TrackKey::Thread(ThreadId(id))
    }

    fn outline(nodes: &[Node]) -> Vec<String> {
        let mut lines = Vec::new();
        for node in nodes {
            node.visit(&mut Vec::new(), &mut |key, above| {
                lines.push(format!("{}{key:?}", "  ".repeat(above.len())));
            });
        }
        lines
    }

    #[test]
    fn tracks_are_moved_hidden_and_pinned() {
        let threads = threads(&[(1, 9, 5, 5, 5), (2, 9, 5, 5, 5), (3, 9, 5, 5, 5), (4, 9, 5, 5, 5)]);
        let mut choices = TrackChoices::default();
        choices.place(thread(4), 0);
        choices.place(thread(1), 9);
        choices.toggle_pinned(thread(3));
        choices.hide(thread(2));
        let tree = TrackTree::new(&threads, &choices);
        assert_eq!(outline(&tree.pinned), ["Thread(ThreadId(3))"]);
        assert_eq!(outline(&tree.roots), ["Threads(0)", "  Thread(ThreadId(4))", "  Thread(ThreadId(1))"]);
        choices.hide(TrackKey::Threads(0));
        let tree = TrackTree::new(&threads, &choices);
        assert!(tree.roots.is_empty() && tree.pinned.is_empty(), "what belongs to a group goes with it");
        assert_eq!(outline(&TrackTree::complete(&threads, &choices)).len(), 5);
    }

    #[test]
    fn most_useful_runtime_tracks_are_outside_group() {
        let of = |kind, collapsed| {
            let key = RuntimeKey::only(kind);
            KindHeights { key, collapsed, expanded: None, is_urgent: false }
        };
        let kinds = [
            of(TrackKind::Gc, 44.0),
            of(TrackKind::Jit, 22.0),
            of(TrackKind::Exceptions, 22.0),
            of(TrackKind::Network, 22.0),
        ];
        let kind = |kind| TrackKey::Kind(RuntimeKey::only(kind));
        let shown = |kinds: &[KindHeights], room| runtime_nodes(kinds, 0, room);
        let keys = |nodes: &[Node]| nodes.iter().map(|node| node.key).collect::<Vec<_>>();
        let few = shown(&kinds, Some(70.0));
        assert_eq!(keys(&few), [kind(TrackKind::Gc), kind(TrackKind::Exceptions), TrackKey::MoreRuntime(0)]);
        assert_eq!(keys(&few[2].children), [kind(TrackKind::Jit), kind(TrackKind::Network)]);
        assert_eq!(shown(&kinds, Some(90.0)).len(), 4, "no group for one");
        assert_eq!(keys(&shown(&kinds, Some(10.0))), [kind(TrackKind::Gc), TrackKey::MoreRuntime(0)]);
        assert_eq!(shown(&kinds, None).len(), 4);
        let urgent = KindHeights { is_urgent: true, ..of(TrackKind::Series(1), 44.0) };
        let with_trouble = [kinds.as_slice(), &[of(TrackKind::Series(0), 30.0), urgent]].concat();
        let found = shown(&with_trouble, Some(70.0));
        assert_eq!(keys(&found)[2], kind(TrackKind::Series(1)));
        assert_eq!(found[3].children.len(), 3, "a group with the others");
    }

    #[test]
    fn empty_group_is_removed() {
        let threads = threads(&[(1, 9, 5, 5, 5)]);
        let choices = TrackChoices { pinned: vec![thread(1)], ..TrackChoices::default() };
        assert!(TrackTree::new(&threads, &choices).roots.is_empty());
    }

    #[test]
    fn each_process_has_own_groups() {
        let threads = threads(&[(1, 70, 5, 5, 5), (2, 80, 5, 5, 5), (3, 90, 5, 5, 5)]);
        let of = |process, kind| {
            let key = RuntimeKey { process, kind };
            KindHeights { key, collapsed: 22.0, expanded: None, is_urgent: false }
        };
        let choices = TrackChoices {
            runtime: vec![
                of(70, TrackKind::Gc),
                of(70, TrackKind::Activities),
                of(80, TrackKind::Gc),
                of(80, TrackKind::Exceptions),
            ],
            counters: vec![of(80, TrackKind::Series(0))],
            ..TrackChoices::default()
        };
        let mut with_unknown = choices.clone();
        with_unknown.runtime.insert(0, of(UNKNOWN_PROCESS, TrackKind::LostEvents));
        let complete = outline(&TrackTree::complete(&threads, &with_unknown));
        assert_eq!(
            complete[complete.len() - 2..],
            ["Process(0)", "  Kind(RuntimeKey { process: 0, kind: LostEvents })"]
        );
        let kind = |process, kind: &str| format!("Kind(RuntimeKey {{ process: {process}, kind: {kind} }})");
        assert_eq!(
            outline(&TrackTree::complete(&threads, &choices)),
            [
                "Process(70)",
                "  Runtime(70)",
                &format!("    {}", kind(70, "Gc")),
                "  Threads(70)",
                "    Thread(ThreadId(1))",
                "  Activities(70)",
                &format!("    {}", kind(70, "Activities")),
                "Process(80)",
                "  Runtime(80)",
                &format!("    {}", kind(80, "Gc")),
                &format!("    {}", kind(80, "Exceptions")),
                "  Counters(80)",
                &format!("    {}", kind(80, "Series(0)")),
                "  Threads(80)",
                "    Thread(ThreadId(2))",
                "Process(90)",
                "  Thread(ThreadId(3))",
            ]
        );
    }

    #[test]
    fn threads_are_sorted_naturally() {
        let mut threads = threads(&[(3, 9, 5, 5, 5), (1, 9, 5, 5, 5), (2, 9, 5, 5, 5)]);
        threads.label = ["Pool worker 10", "pool worker 9", "Main"].into_iter().collect();
        threads.first = vec![5, 30, 20];
        let by = |order| outline(&thread_nodes(&threads, vec![0, 1, 2], 0, order));
        let ids = |ids: [u32; 3]| ids.map(|id| format!("Thread(ThreadId({id}))"));
        assert_eq!(by(ThreadOrder::Activity), ids([3, 1, 2]));
        assert_eq!(by(ThreadOrder::Name), ids([2, 1, 3]));
        assert_eq!(by(ThreadOrder::Number), ids([1, 2, 3]));
        assert_eq!(by(ThreadOrder::FirstSeen), ids([3, 2, 1]));
    }

    #[test]
    fn natural_order_is_total() {
        let texts = ["", "a", "A1", "a01", "a2", "a10", "ä", "b"];
        for (row, one) in texts.iter().enumerate() {
            assert_eq!(natural_order(one, one), Ordering::Equal);
            for other in &texts[row + 1..] {
                assert_eq!(natural_order(one, other), natural_order(other, one).reverse(), "{one} {other}");
            }
        }
        assert_eq!(natural_order("a2", "a10"), Ordering::Less);
    }
}
