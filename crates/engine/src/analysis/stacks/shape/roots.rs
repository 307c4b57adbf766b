//! Frames to add to stacks: roots for process, thread, role or activity; at the end, categories of framework code.
//!
//! Such frames behave like any other frame, so that all queries on stacks work with them.
//!
//! Work that a thread runs for a task can be placed below the stack that scheduled the task, or that awaited it: the
//! task library records that event.

use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::index::{Family, SpanIndex};
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::leaf_categories::LeafCategories;
use crate::analysis::stacks::frames::Frames;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, EventId, FunctionId, ThreadId};
use protocol::request::{StackSource, TreeQuery};
use protocol::stacks::shape::Roots;
use protocol::tables::span_shade;
use protocol::timeline::thread_state::Activity;
use protocol::timeline::track::TrackKind;
use std::rc::Rc;

/// Root of stacks without an activity.
const NO_WORK: &str = "(no activity)";
/// Link between a stack that scheduled or awaited work and the stack that runs it.
const LATER: &str = "(later, on the thread pool)";
/// Maximum length of a chain of awaits.
const MAX_LINKS: usize = 16;

/// Paths of stacks with their roots, and the path of each stack of an index.
pub struct RootedStacks {
    pub nodes: Rc<CallNodes>,
    /// By thread, in the order of its stacks.
    leaves: Vec<Vec<CallNodeId>>,
}

impl RootedStacks {
    /// Adds roots to stacks, causes if `stitched`, and categories at the end. Activities and causes need `spans`.
    pub fn new(
        store: &Store,
        frames: &mut Frames,
        nodes: &CallNodes,
        stacks: &SampleIndex,
        begin: Beginning,
        spans: Option<&SpanIndex>,
    ) -> Self {
        let later = frames.link(LATER);
        let mut grown = Grown { nodes, builder: CallNodeBuilder::default(), known: FastMap::default() };
        let causes = spans.filter(|_| begin.stitched).map(|spans| Causes::new(store, spans, later));
        let mut leaves = vec![Vec::new(); store.threads.len()];
        let mut categories = begin.categories.map(|activity| (activity, LeafCategories::new(store)));
        for (thread, samples) in stacks.iter() {
            let mut works = spans.map(|spans| Works::new(spans, thread));
            let of_thread = frames_of(store, thread, begin.roots).map(|name| frames.root(&name));
            let places = (0..samples.len()).map(|index| {
                let event = samples.event(index);
                if let Some(works) = &mut works {
                    works.go_to(samples.time(index));
                }
                let root = match begin.roots {
                    Roots::Work => {
                        let name = works.as_ref().and_then(|works| works.name(store, event, samples.time(index)));
                        Some(frames.root(name.unwrap_or(NO_WORK)))
                    }
                    _ => of_thread,
                };
                let top = root.map_or(CallNodes::ROOT, |root| grown.builder.child(CallNodes::ROOT, root));
                let top = match (&causes, &works) {
                    (Some(causes), Some(works)) => {
                        causes.above(&mut grown, top, works.open.iter().map(|interval| interval.event))
                    }
                    _ => top,
                };
                let leaf = grown.place(top, nodes.of_stack(samples.stack(index)));
                let category = categories.as_mut().and_then(|(activity, categories)| {
                    categories.name(samples.stack(index), samples.state(index, *activity)) //
                });
                category.map_or(leaf, |name| grown.builder.child(leaf, frames.category(name)))
            });
            leaves[thread.index()] = places.collect();
        }
        Self { nodes: Rc::new(grown.builder.finish()), leaves }
    }

    /// Returns the path of a thread's stack.
    #[inline]
    pub fn leaf(&self, thread: ThreadId, index: usize) -> CallNodeId {
        self.leaves.get(thread.index()).and_then(|leaves| leaves.get(index)).copied().unwrap_or(CallNodes::ROOT)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.leaves.iter().map(|leaves| leaves.len() * 4).sum::<usize>()
    }
}

/// The frames to add to stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// Kind of root.
    pub roots: Roots,
    /// True to place stacks below those that caused them.
    pub stitched: bool,
    /// The part of a sample's time for which to add the category of framework code; `None` to add none.
    pub categories: Option<Option<Activity>>,
}

impl Beginning {
    /// Returns the frames to add for a query; `None` if its stacks stay unchanged.
    pub fn of(query: &TreeQuery) -> Option<Self> {
        let TreeQuery { shape, source, samples, .. } = query;
        let has_categories = shape.just_my_code && *source == StackSource::Samples;
        let categories = has_categories.then(|| samples.activity());
        let begin = Self { roots: shape.roots, stitched: shape.stitched, categories };
        (begin.stitched || begin.roots != Roots::None || has_categories).then_some(begin)
    }

    pub fn needs_spans(self) -> bool {
        self.stitched || self.roots == Roots::Work
    }
}

/// Returns the root of a thread's stacks; `None` if `roots` isn't about threads.
fn frames_of(store: &Store, id: ThreadId, roots: Roots) -> Option<String> {
    let thread = store.threads.get(id)?;
    let process = store.processes.get(thread.process).map_or_else(String::new, |process| process.numbered_label());
    Some(match roots {
        Roots::None | Roots::Work => return None,
        Roots::Process => process,
        Roots::Role => thread.role.words().to_owned(),
        Roots::Thread if store.processes.len() > 1 => format!("{process} · {}", thread.numbered_label()),
        Roots::Thread => thread.numbered_label(),
    })
}

/// Paths below added frames, created on demand.
struct Grown<'s> {
    nodes: &'s CallNodes,
    builder: CallNodeBuilder,
    known: FastMap<(CallNodeId, CallNodeId), CallNodeId>,
}

impl Grown<'_> {
    fn place(&mut self, top: CallNodeId, leaf: CallNodeId) -> CallNodeId {
        let mut missing = Vec::new();
        let mut node = leaf;
        let mut at = loop {
            if node == CallNodes::ROOT {
                break top;
            }
            if let Some(&known) = self.known.get(&(top, node)) {
                break known;
            }
            missing.push(node);
            node = self.nodes.parent(node);
        };
        for node in missing.into_iter().rev() {
            if let Some(frame) = self.nodes.function(node) {
                at = self.builder.child(at, frame);
            }
            self.known.insert((top, node), at);
        }
        at
    }
}

/// Causes of work on threads.
struct Causes<'s> {
    store: &'s Store,
    /// By start event of a section of work: the event that scheduled or awaited it.
    by_start: FastMap<EventId, EventId>,
    /// By such an event: start event of the work that was running when it was written.
    around: FastMap<EventId, EventId>,
    later: FunctionId,
}

impl<'s> Causes<'s> {
    fn new(store: &'s Store, spans: &SpanIndex, later: FunctionId) -> Self {
        let by_start = spans.tasks.causes();
        let mut by_thread: FastMap<ThreadId, Vec<(i64, EventId)>> = FastMap::default();
        let mut causes: Vec<EventId> = by_start.values().copied().collect();
        causes.sort_unstable();
        causes.dedup();
        for event in causes {
            let row = store.events.row(event);
            by_thread.entry(row.thread).or_default().push((store.clock.nanos(row.ticks).0, event));
        }
        let mut around = FastMap::default();
        for (thread, events) in by_thread {
            let mut works = Works::new(spans, thread);
            for (time, event) in events {
                works.go_to(time);
                if let Some(start) =
                    works.open.iter().map(|interval| interval.event).find(|start| by_start.contains_key(start))
                {
                    around.insert(event, start);
                }
            }
        }
        Self { store, by_start, around, later }
    }

    /// Returns the node below which to place the stack of a thread on which these sections of work are in progress, the
    /// outermost first.
    fn above(&self, grown: &mut Grown, top: CallNodeId, mut open: impl Iterator<Item = EventId>) -> CallNodeId {
        let mut chain = Vec::new();
        let mut cause = open.find_map(|start| self.by_start.get(&start)).copied();
        while let Some(event) = cause.filter(|event| chain.len() < MAX_LINKS && !chain.contains(event)) {
            chain.push(event);
            cause = self.around.get(&event).and_then(|start| self.by_start.get(start)).copied();
        }
        chain.into_iter().rev().fold(top, |top, event| {
            let leaf = grown.nodes.of_stack(self.store.events.row(event).stack);
            if leaf == CallNodes::ROOT {
                return top;
            }
            let at = grown.place(top, leaf);
            grown.builder.child(at, self.later)
        })
    }
}

/// The activities around the stacks of a thread, in time order.
struct Works<'s> {
    spans: &'s SpanIndex,
    intervals: &'s [Interval],
    next: usize,
    open: Vec<Interval>,
}

impl<'s> Works<'s> {
    fn new(spans: &'s SpanIndex, thread: ThreadId) -> Self {
        Self { spans, intervals: spans.thread(thread).map_or(&[], |set| set.intervals()), next: 0, open: Vec::new() }
    }

    /// Advances to a later time.
    fn go_to(&mut self, time: i64) {
        while let Some(interval) = self.intervals.get(self.next).filter(|interval| interval.start <= time) {
            if interval.is_whole() && interval.shade != span_shade::JIT {
                self.open.push(*interval);
            }
            self.next += 1;
        }
        self.open.retain(|interval| time < interval.end);
    }

    /// Returns the name of the request around a stack, else of the outermost activity: by the activity ID of its event,
    /// else by the activities in progress on its thread.
    fn name(&self, store: &Store, event: EventId, time: i64) -> Option<&'s str> {
        let activity = store.events.row(event).activity;
        let of_activity = self.spans.of_activity(activity, time);
        let at = of_activity.or_else(|| {
            let (family, at) = self.spans.with_event(self.open.first()?.event)?;
            (family == Family::Span).then_some(at)
        })?;
        let around =
            || std::iter::once(at).chain(self.spans.above(at)).filter_map(|span| self.spans.spans().get(span as usize));
        let served = around().find(|span| span.track == Some(TrackKind::IncomingRequests));
        served.or_else(|| around().last()).map(|span| self.spans.text(span.interval.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::intervals::spans::search::SpanSearch;
    use crate::analysis::intervals::tracks::TrackIndex;
    use crate::analysis::scan::payload_batches::Step;
    use crate::analysis::stacks::call_tree::CallTree;
    use crate::analysis::stacks::sample_choice::ChosenSamples;
    use crate::analysis::stacks::tree_query::{call_nodes, call_tree};
    use crate::analysis::testing::{Happening, What, store_of};
    use proptest::prelude::*;
    use protocol::request::{Filter, SampleChoice, Weight};
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn stacks_by_thread_sum_to_all_stacks(
            happened in proptest::collection::vec((5u64..9, proptest::collection::vec(1u64..6, 0..6)), 1..30),
        ) {
            let happenings: Vec<Happening> =
                (0..).zip(&happened).map(|(at, (thread, stack))| (at, *thread, What::Sample(true, stack.clone()))).collect();
            let (store, bytes) = store_of(&happenings);
            let (samples, nodes) = (SampleIndex::build(&store).expect("memory"), call_nodes(&store));
            let selection = select(&store, &bytes, &Filter::default()).unwrap();
            let chosen = ChosenSamples::new(&selection, SampleChoice::All, &Weight::Count);
            let merged = call_tree(&samples, &nodes, chosen);
            for roots in [Roots::Process, Roots::Thread, Roots::Role, Roots::Work] {
                let mut frames = Frames::new(&store);
                let rooted = RootedStacks::new(&store, &mut frames, &nodes, &samples, Beginning { roots, stitched: false, categories: None }, None);
                let tree = crate::analysis::stacks::tree_query::rooted_tree(&samples, &rooted, chosen);
                prop_assert_eq!(tree.total(), merged.total());
                prop_assert_eq!(paths(&rooted.nodes, &tree, 1), paths(&nodes, &merged, 0));
                if roots == Roots::Thread {
                    let threads: std::collections::BTreeSet<u64> = happened.iter().map(|(thread, _)| *thread).collect();
                    prop_assert_eq!(rooted.nodes.children(CallNodes::ROOT).count(), threads.len());
                }
            }
        }
    }

    #[test]
    fn stitched_work_is_below_its_scheduler() {
        use What::{EndTask, RunTask, Sample, Schedule};
        let (store, bytes) = store_of(&[
            (10, 5, Schedule(71, vec![1, 2])),
            (20, 6, RunTask(71)),
            (21, 6, Sample(true, vec![4])),
            (22, 6, Schedule(72, vec![4, 3])),
            (30, 7, RunTask(72)),
            (31, 7, Sample(true, vec![5])),
            (32, 7, EndTask(72)),
            (33, 7, Sample(true, vec![5])),
            (40, 6, EndTask(71)),
            (41, 6, Sample(true, vec![4])),
        ]);
        let mut search = SpanSearch::new(&store);
        while search.step(&store, &bytes, true).expect("payloads") != Step::Done {}
        let spans = search.finish(&store, &bytes, &mut TrackIndex::default()).expect("payloads");
        let (samples, nodes, mut frames) =
            (SampleIndex::build(&store).expect("memory"), call_nodes(&store), Frames::new(&store));
        let begin = Beginning { roots: Roots::None, stitched: true, categories: None };
        let rooted = RootedStacks::new(&store, &mut frames, &nodes, &samples, begin, Some(&spans));
        let path = |thread: ThreadId, index: usize| {
            let leaf = rooted.leaf(thread, index);
            let mut names: Vec<&str> =
                rooted.nodes.path(leaf).map(|node| frames.text(&store, rooted.nodes.function(node)).name).collect();
            names.reverse();
            names.join(" ")
        };
        let paths: Vec<String> = samples
            .iter()
            .flat_map(|(thread, of)| (0..of.len()).map(move |index| (thread, index)))
            .map(|(t, i)| path(t, i))
            .collect();
        assert_eq!(
            paths,
            [
                "Shop.M1() Shop.M2() (later, on the thread pool) Shop.M4()",
                "Shop.M4()",
                "Shop.M1() Shop.M2() (later, on the thread pool) Shop.M4() Shop.M3() (later, on the thread pool) Shop.M5()",
                "Shop.M5()",
            ]
        );
    }

    /// Returns the exclusive weights of paths, without `roots` frames at the root.
    fn paths(nodes: &CallNodes, tree: &CallTree, roots: usize) -> BTreeMap<Vec<u32>, u64> {
        let mut weights = BTreeMap::new();
        for node in (0..nodes.len() as u32).map(CallNodeId).filter(|&node| tree.exclusive(node) > 0) {
            let mut path: Vec<u32> =
                nodes.path(node).filter_map(|node| nodes.function(node)).map(|frame| frame.0).collect();
            path.truncate(path.len() - roots);
            *weights.entry(path).or_default() += tree.exclusive(node);
        }
        weights
    }
}
