//! Tree of tracks: process ▸ runtime, counters, threads, activities, in the chosen order.

use super::track_choices::{KindHeights, ThreadOrder, TrackChoices};
use super::track_key::TrackKey;
use super::track_priorities::Priorities;
use super::tracks::table::{Group, TrackRow};
use crate::format;
use protocol::base::ids::ThreadId;
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::request::UNKNOWN_PROCESS;
use protocol::tables::Threads;
use protocol::timeline::track::TrackKind;
use protocol::topics::topic::Topic;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Most runtime tracks beside the GCs that are visible at first, so that threads are visible below them.
const MAX_SHOWN: usize = 4;
/// Number of threads of a trace with one process that are visible even if they are quiet. They fill a large window.
const MIN_LISTED: usize = 14;
/// Minimum share of all events, or of all running time, of a thread outside the group of quiet threads.
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

/// Number of less important tracks of a process, which a button of its runtime group shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoreTracks {
    /// Runtime tracks.
    pub tracks: usize,
    pub counters: usize,
    /// True if they are visible.
    pub is_open: bool,
}

impl MoreTracks {
    /// Returns the text of the button: "+7 · 194 counters".
    pub fn words(self) -> String {
        let counters = format::counted(self.counters as u64, "counter");
        match (self.is_open, self.tracks, self.counters) {
            (_, 0, 0) => String::new(),
            (true, ..) => "fewer".to_owned(),
            (false, 0, _) => format!("+{counters}"),
            (false, tracks, 0) => format!("+{tracks}"),
            (false, tracks, _) => format!("+{tracks} · {counters}"),
        }
    }

    /// Returns the accessible name of the button, which contains its text, for voice control.
    pub fn spoken(self) -> String {
        if self.is_open { self.title() } else { format!("{}, {}", self.words(), self.title()) }
    }

    /// Returns what the button does: "Show 7 more tracks and 194 counters".
    pub fn title(self) -> String {
        let parts =
            [format::counted(self.tracks as u64, "more track"), format::counted(self.counters as u64, "counter")];
        match (self.is_open, self.tracks, self.counters) {
            (true, ..) => "Show fewer tracks".to_owned(),
            (false, 0, _) => format!("Show {}", parts[1]),
            (false, _, 0) => format!("Show {}", parts[0]),
            (false, ..) => format!("Show {}", parts.join(" and ")),
        }
    }
}

/// All tracks, in expanded and collapsed groups.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrackTree {
    /// Pinned tracks.
    pub pinned: Vec<Node>,
    /// Other tracks.
    pub roots: Vec<Node>,
    /// Less important tracks by process.
    pub more: BTreeMap<u32, MoreTracks>,
}

impl TrackTree {
    /// Returns the tracks of a trace without hidden ones, in the chosen order.
    pub fn new(threads: &Threads, choices: &TrackChoices) -> Self {
        let mut roots = Self::complete(threads, choices);
        let mut found = Vec::new();
        take_out(&mut roots, choices, &mut found);
        let mut more = BTreeMap::new();
        fold_more(&mut roots, choices, &mut more);
        // Indices refer to visible tracks: those neither hidden nor pinned.
        for placed in &choices.placed {
            put(&mut roots, placed.key, placed.position);
        }
        let of_pinned = |key: &TrackKey| found.iter().find(|node| node.key == *key).cloned();
        Self { pinned: choices.pinned.iter().filter_map(of_pinned).collect(), roots, more }
    }

    /// Returns all tracks in the default order, including hidden ones.
    pub fn complete(threads: &Threads, choices: &TrackChoices) -> Vec<Node> {
        let processes = processes(threads);
        if processes.len() < 2 {
            let rows = processes.into_iter().flat_map(|(_, rows)| rows).collect();
            return groups(threads, rows, 0, choices, false);
        }
        let of_process = |(process, rows): (u32, Vec<usize>)| {
            let mut groups = groups(threads, rows, process, choices, true);
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
fn groups(threads: &Threads, rows: Vec<usize>, process: u32, choices: &TrackChoices, of_several: bool) -> Vec<Node> {
    let of_process = |list: &[KindHeights]| -> Vec<KindHeights> {
        list.iter().filter(|heights| heights.key.process == process).copied().collect()
    };
    let is_activity = |heights: &KindHeights| TrackRow::of(heights.key.kind).group == Group::Activities;
    let (work, runtime): (Vec<_>, Vec<_>) =
        of_process(&choices.runtime).into_iter().partition(|heights| is_activity(heights));
    let groups = [
        Node::new(TrackKey::Runtime(process), runtime_nodes(&runtime, process, choices)),
        Node::new(TrackKey::Counters(process), kind_nodes(&of_process(&choices.counters))),
        Node::new(TrackKey::Threads(process), thread_nodes(threads, rows, process, choices, of_several)),
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

/// Shows or removes the less important tracks, and notes their number.
fn fold_more(siblings: &mut Vec<Node>, choices: &TrackChoices, more: &mut BTreeMap<u32, MoreTracks>) {
    for node in siblings.iter_mut() {
        if let TrackKey::Process(_) = node.key {
            fold_more(&mut node.children, choices, more);
        }
        let TrackKey::Runtime(process) = node.key else { continue };
        let is_open = choices.is_open(TrackKey::MoreRuntime(process));
        let folded = more.entry(process).or_insert(MoreTracks { is_open, ..MoreTracks::default() });
        let is_more = |node: &Node| node.key == TrackKey::MoreRuntime(process);
        if let Some(place) = node.children.iter().position(is_more) {
            let less_important = node.children.remove(place).children;
            folded.tracks = less_important.len();
            if is_open {
                node.children.extend(less_important);
                sort_by_key(&mut node.children, |node| node.key);
            }
        }
    }
    siblings.retain(|node| {
        let TrackKey::Counters(process) = node.key else { return true };
        // Without a runtime group, no button would show the counters.
        let Some(folded) = more.get_mut(&process) else { return true };
        folded.counters = node.children.len();
        folded.is_open || choices.is_open(node.key) || choices.priorities.topic == Some(Topic::Counters)
    });
}

/// Returns the tracks of the open tab, or those that findings mention, or the most useful ones; and a group of the
/// others.
fn runtime_nodes(kinds: &[KindHeights], process: u32, choices: &TrackChoices) -> Vec<Node> {
    let priorities = &choices.priorities;
    let of_tab = |heights: &&KindHeights| priorities.is_first(heights.key.kind);
    let mut by_rank: Vec<KindHeights> = kinds.iter().filter(of_tab).copied().collect();
    if by_rank.is_empty() {
        by_rank = kinds.to_vec();
        let mention = |heights: &KindHeights| priorities.rank_of(heights.key.kind);
        let matters = |heights: &KindHeights| heights.is_urgent || mention(heights).is_some();
        sort_by_key(&mut by_rank, |heights| {
            let rank = TrackRow::of(heights.key.kind).rank;
            (rank > 0, mention(heights).unwrap_or(usize::MAX), !heights.is_urgent, rank)
        });
        if by_rank.iter().any(matters) {
            by_rank.retain(|heights| heights.key.kind == TrackKind::Gc || matters(heights));
        }
        // One track is enough to lead to an analysis.
        let mut topics = BTreeSet::new();
        by_rank.retain(|heights| TrackRow::of(heights.key.kind).topic.is_none_or(|topic| topics.insert(topic)));
        let gcs = usize::from(by_rank.first().is_some_and(|first| first.key.kind == TrackKind::Gc));
        by_rank.truncate(gcs + MAX_SHOWN);
    }
    let (shown, others): (Vec<KindHeights>, Vec<KindHeights>) =
        kinds.iter().partition(|heights| by_rank.iter().any(|shown| shown.key == heights.key));
    let mut nodes = kind_nodes(&shown);
    if !others.is_empty() {
        nodes.push(Node::new(TrackKey::MoreRuntime(process), kind_nodes(&others)));
    }
    nodes
}

fn thread_nodes(
    threads: &Threads,
    rows: Vec<usize>,
    process: u32,
    choices: &TrackChoices,
    of_several: bool,
) -> Vec<Node> {
    let (mut busy, mut quiet) = split_quiet(threads, rows, &choices.priorities);
    sort_rows(threads, &mut busy, choices);
    sort_rows(threads, &mut quiet, choices);
    if !of_several {
        let listed = MIN_LISTED.saturating_sub(busy.len()).min(quiet.len());
        // A group of one thread would need as much space as the thread.
        let listed = if quiet.len() - listed < 2 { quiet.len() } else { listed };
        busy.extend(quiet.drain(..listed));
    }
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
fn sort_rows(threads: &Threads, rows: &mut [usize], choices: &TrackChoices) {
    match choices.order {
        ThreadOrder::Activity => {
            sort_by_key(rows, |row| choices.priorities.thread_rank(ThreadId(threads.thread[*row])));
        }
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

/// Splits threads into those with managed code, a considerable share of the events or of the running time, or a finding,
/// and quiet ones.
fn split_quiet(threads: &Threads, rows: Vec<usize>, priorities: &Priorities) -> (Vec<usize>, Vec<usize>) {
    let own = |row: usize| threads.events[row].saturating_sub(threads.samples[row]);
    let ran = |row: usize| priorities.running.get(&ThreadId(threads.thread[row])).copied().unwrap_or(0);
    let is_little = |part: f64, whole: f64| part < (whole * QUIET_SHARE).max(1.0);
    let all: u64 = rows.iter().map(|row| own(*row)).sum();
    let all_running = rows.iter().map(|row| ran(*row)).fold(0, i64::saturating_add);
    let is_quiet = |row: &usize| {
        threads.managed_samples[*row] == 0
            && is_little(own(*row) as f64, all as f64)
            && is_little(ran(*row) as f64, all_running as f64)
            && !priorities.named.contains(&ThreadId(threads.thread[*row]))
    };
    let (quiet, busy): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_quiet(row));
    if quiet.len() < 2 || busy.is_empty() { (rows, Vec::new()) } else { (busy, quiet) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::track_key::RuntimeKey;
    use crate::timeline::track_layout::samples::threads;

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

    fn heights(kind: TrackKind) -> KindHeights {
        KindHeights { key: RuntimeKey::only(kind), collapsed: 20.0, expanded: None, is_urgent: false }
    }

    /// Returns the visible runtime tracks, and the number of the others.
    fn shown(choices: &TrackChoices) -> (Vec<TrackKind>, usize) {
        let nodes = runtime_nodes(&choices.runtime, 0, choices);
        let kind = |node: &Node| if let TrackKey::Kind(key) = node.key { Some(key.kind) } else { None };
        let others = nodes.iter().find(|node| node.key == TrackKey::MoreRuntime(0));
        (nodes.iter().filter_map(kind).collect(), others.map_or(0, |others| others.children.len()))
    }

    #[test]
    fn tracks_of_findings_or_of_tab_are_visible() {
        use TrackKind as Kind;
        let kinds = [
            Kind::Gc,
            Kind::Jit,
            Kind::Exceptions,
            Kind::Contention,
            Kind::IncomingRequests,
            Kind::OutgoingRequests,
            Kind::Logs,
            Kind::ThreadPool,
        ];
        let mut choices = TrackChoices { runtime: kinds.map(heights).into(), ..TrackChoices::default() };
        let without_findings = [Kind::Gc, Kind::Jit, Kind::Exceptions, Kind::Contention, Kind::IncomingRequests];
        assert_eq!(shown(&choices), (without_findings.into(), 3), "most useful ones");
        choices.priorities.mentioned = vec![Topic::Logs];
        assert_eq!(shown(&choices), (vec![Kind::Gc, Kind::Logs], 6));
        choices.runtime[7].is_urgent = true;
        assert_eq!(shown(&choices), (vec![Kind::Gc, Kind::Logs, Kind::ThreadPool], 5));
        choices.priorities.mentioned = vec![Topic::Http, Topic::Jit, Topic::Contention, Topic::Exceptions];
        let of_top = [Kind::Gc, Kind::Jit, Kind::Exceptions, Kind::Contention, Kind::IncomingRequests];
        assert_eq!(shown(&choices), (of_top.into(), 3), "one of each analysis");
        choices.priorities.topic = Some(Topic::Http);
        assert_eq!(shown(&choices), (vec![Kind::IncomingRequests, Kind::OutgoingRequests], 6));
        choices.priorities.topic = Some(Topic::Sql);
        assert_eq!(shown(&choices), (of_top.into(), 3), "a tab without a track");
    }

    #[test]
    fn button_shows_less_important_tracks_and_counters() {
        let threads = threads(&[(1, 9, 5, 5, 5)]);
        let mut choices = TrackChoices {
            runtime: [TrackKind::Gc, TrackKind::Jit, TrackKind::Exceptions].map(heights).into(),
            counters: [TrackKind::Series(0), TrackKind::Series(1)].map(heights).into(),
            ..TrackChoices::default()
        };
        choices.priorities.mentioned = vec![Topic::Exceptions];
        let rows = |choices: &TrackChoices| {
            let tree = TrackTree::new(&threads, choices);
            let rows = outline(&tree.roots).len();
            (rows, tree.more.get(&0).copied())
        };
        let more = MoreTracks { tracks: 1, counters: 2, is_open: false };
        assert_eq!(rows(&choices), (5, Some(more)));
        assert_eq!(
            (more.words().as_str(), more.title().as_str()),
            ("+1 · 2 counters", "Show 1 more track and 2 counters")
        );
        let mut opened = choices.clone();
        opened.toggle(TrackKey::MoreRuntime(0));
        assert_eq!(rows(&opened), (9, Some(MoreTracks { is_open: true, ..more })));
        let tree = TrackTree::new(&threads, &opened);
        let kinds = tree.roots[0].children.iter().map(|node| node.key);
        assert!(kinds.eq(choices.runtime.iter().map(|heights| TrackKey::Kind(heights.key))), "in timeline order");
        let mut with_counters = choices.clone();
        with_counters.toggle(TrackKey::Counters(0));
        assert_eq!(rows(&with_counters), (8, Some(more)), "as links of older versions open them");
        choices.priorities.topic = Some(Topic::Counters);
        assert_eq!(rows(&choices), (8, Some(more)));
        choices.runtime.clear();
        choices.priorities.topic = None;
        assert_eq!(rows(&choices), (5, None), "nothing else would show the counters");
    }

    #[test]
    fn threads_of_top_finding_come_first_then_busiest() {
        let mut rows: Vec<(u32, u32, u64, u64, u64)> = (1..=18).map(|id| (id, 9, 5, 5, 900)).collect();
        rows.extend((19..=24).map(|id| (id, 9, 0, 5, 5)));
        let threads = threads(&rows);
        let mut choices = TrackChoices::default();
        choices.priorities.named = [20, 7].map(ThreadId).into();
        choices.priorities.running = [(ThreadId(3), 10), (ThreadId(12), 90)].into();
        let tree = TrackTree::new(&threads, &choices);
        let first: Vec<TrackKey> = tree.roots[0].children.iter().map(|node| node.key).take(5).collect();
        assert_eq!(first, [20, 7, 12, 3, 1].map(thread), "a named thread isn't idle");
        let quiet = tree.roots[0].children.last().unwrap();
        assert_eq!((quiet.key, quiet.children.len()), (TrackKey::Quiet(0), 5));
        // Older runtimes hardly sample threads in managed code.
        choices.priorities.running.extend([(ThreadId(22), 50), (ThreadId(23), 0)]);
        let tree = TrackTree::new(&threads, &choices);
        let first: Vec<TrackKey> = tree.roots[0].children.iter().map(|node| node.key).take(5).collect();
        assert_eq!(first, [20, 7, 12, 22, 3].map(thread), "nor is one that runs native code");
        assert_eq!(tree.roots[0].children.last().unwrap().children.len(), 4);
    }

    #[test]
    fn idle_threads_fill_window_of_trace_with_few_others() {
        let children = |busy: u32, quiet: u32| {
            let row = |id| (id, 9, u64::from(id <= busy) * 500, 900, 900);
            let rows: Vec<_> = (1..=busy + quiet).map(row).collect();
            let threads = threads(&rows);
            thread_nodes(&threads, (0..rows.len()).collect(), 0, &TrackChoices::default(), false).len()
        };
        assert_eq!(children(4, 6), 10);
        assert_eq!(children(4, 11), 15, "no group for one");
        assert_eq!(children(4, 12), 15, "a group of two");
        assert_eq!(children(30, 5), 31);
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
        let by = |order| {
            let choices = TrackChoices { order, ..TrackChoices::default() };
            outline(&thread_nodes(&threads, vec![0, 1, 2], 0, &choices, false))
        };
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
