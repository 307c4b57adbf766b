//! Stacks that begin with what they belong to: their process, thread, the thread's role, or the piece of work around them.
//!
//! And stacks whose framework code is folded, that end with what the thread does there.
//!
//! Such a frame is a frame like any other from then on, so that everything that can be asked of stacks can be asked of these.
//!
//! What a thread runs for a task can stand below the stack that scheduled the task, or that awaited what it goes on after: the
//! task library records which event that was.

use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::index::{Family, SpanIndex};
use crate::analysis::samples::call_nodes::{CallNodeBuilder, CallNodes};
use crate::analysis::samples::doing::Doings;
use crate::analysis::samples::index::SampleIndex;
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

/// What the stacks of no piece of work begin with.
const NO_WORK: &str = "(no activity)";
/// Between a stack that scheduled or awaited something and the stack that runs it.
const LATER: &str = "(later, on the thread pool)";
/// A chain of awaits is not followed further than this.
const MAX_LINKS: usize = 16;

/// Paths of stacks with their roots, and which path each stack of an index has.
pub struct RootedStacks {
    nodes: Rc<CallNodes>,
    /// By thread, in the order of its stacks.
    leaves: Vec<Vec<CallNodeId>>,
}

impl RootedStacks {
    /// Gives stacks their roots, `stitched` ones what led to them, and ends them with what their threads do. Sections of work and
    /// what leads to them need `spans`.
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
        let mut leaves = vec![Vec::new(); store.threads().len()];
        let mut doings = begin.doing.map(|activity| (activity, Doings::new(store)));
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
                let words = doings.as_mut().and_then(|(activity, doings)| {
                    doings.words(samples.stack(index), samples.state(index, *activity)) //
                });
                words.map_or(leaf, |words| grown.builder.child(leaf, frames.doing(words)))
            });
            leaves[thread.index()] = places.collect();
        }
        Self { nodes: Rc::new(grown.builder.finish()), leaves }
    }

    /// The paths.
    pub fn nodes(&self) -> &Rc<CallNodes> {
        &self.nodes
    }

    /// The path of a stack of a thread.
    #[inline]
    pub fn leaf(&self, thread: ThreadId, index: usize) -> CallNodeId {
        self.leaves.get(thread.index()).and_then(|leaves| leaves.get(index)).copied().unwrap_or(CallNodes::ROOT)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.leaves.iter().map(|leaves| leaves.len() * 4).sum::<usize>()
    }
}

/// What stacks begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// What they have in common.
    pub roots: Roots,
    /// Whether what led to them stands above them.
    pub stitched: bool,
    /// Whether they end with what threads do, and in which part of the time of a sample; none if they don't.
    pub doing: Option<Option<Activity>>,
}

impl Beginning {
    /// Of the stacks of a query; none if they stay as they are.
    pub fn of(query: &TreeQuery) -> Option<Self> {
        let TreeQuery { shape, source, samples, .. } = query;
        let is_told = shape.just_my_code && *source == StackSource::Samples;
        let doing = is_told.then(|| samples.activity());
        let begin = Self { roots: shape.roots, stitched: shape.stitched, doing };
        (begin.stitched || begin.roots != Roots::None || is_told).then_some(begin)
    }

    /// Whether the spans of the trace have to be known for it.
    pub fn needs_spans(self) -> bool {
        self.stitched || self.roots == Roots::Work
    }
}

/// What a thread's stacks begin with; none if `roots` isn't about threads.
fn frames_of(store: &Store, id: ThreadId, roots: Roots) -> Option<String> {
    let thread = store.threads().get(id)?;
    let process = store.processes().get(thread.process).map_or_else(String::new, |process| process.numbered_label());
    Some(match roots {
        Roots::None | Roots::Work => return None,
        Roots::Process => process,
        Roots::Role => thread.role.words().to_owned(),
        Roots::Thread if store.processes().len() > 1 => format!("{process} · {}", thread.numbered_label()),
        Roots::Thread => thread.numbered_label(),
    })
}

/// Paths below what they begin with, as far as they were needed.
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

/// What led to what threads run.
struct Causes<'s> {
    store: &'s Store,
    /// By the event that something begins to run with: the one that scheduled or awaited it.
    by_start: FastMap<EventId, EventId>,
    /// By such an event: what was running when it was written began with this one.
    around: FastMap<EventId, EventId>,
    later: FunctionId,
}

impl<'s> Causes<'s> {
    fn new(store: &'s Store, spans: &SpanIndex, later: FunctionId) -> Self {
        let by_start = spans.tasks().causes();
        let mut by_thread: FastMap<ThreadId, Vec<(i64, EventId)>> = FastMap::default();
        let mut causes: Vec<EventId> = by_start.values().copied().collect();
        causes.sort_unstable();
        causes.dedup();
        for event in causes {
            let row = store.events().row(event);
            by_thread.entry(row.thread).or_default().push((store.clock().nanos(row.ticks).0, event));
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

    /// What the stack of a thread stands below on which these pieces of work are under way, the outermost first.
    fn above(&self, grown: &mut Grown, top: CallNodeId, mut open: impl Iterator<Item = EventId>) -> CallNodeId {
        let mut chain = Vec::new();
        let mut cause = open.find_map(|start| self.by_start.get(&start)).copied();
        while let Some(event) = cause.filter(|event| chain.len() < MAX_LINKS && !chain.contains(event)) {
            chain.push(event);
            cause = self.around.get(&event).and_then(|start| self.by_start.get(start)).copied();
        }
        chain.into_iter().rev().fold(top, |top, event| {
            let leaf = grown.nodes.of_stack(self.store.events().row(event).stack);
            if leaf == CallNodes::ROOT {
                return top;
            }
            let at = grown.place(top, leaf);
            grown.builder.child(at, self.later)
        })
    }
}

/// The pieces of work around the stacks of a thread, asked in order of time.
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

    /// A later moment.
    fn go_to(&mut self, time: i64) {
        while let Some(interval) = self.intervals.get(self.next).filter(|interval| interval.start <= time) {
            if interval.is_whole() && interval.shade != span_shade::JIT {
                self.open.push(*interval);
            }
            self.next += 1;
        }
        self.open.retain(|interval| time < interval.end);
    }

    /// The name of the request that a stack belongs to, else of the outermost piece of work: by the activity of its event, else
    /// by what is under way on its thread.
    fn name(&self, store: &Store, event: EventId, time: i64) -> Option<&'s str> {
        let activity = store.events().row(event).activity;
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
        fn stacks_of_threads_sum_to_those_of_all(
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
                let rooted = RootedStacks::new(&store, &mut frames, &nodes, &samples, Beginning { roots, stitched: false, doing: None }, None);
                let tree = crate::analysis::stacks::tree_query::rooted_tree(&samples, &rooted, chosen);
                prop_assert_eq!(tree.total(), merged.total());
                prop_assert_eq!(paths(rooted.nodes(), &tree, 1), paths(&nodes, &merged, 0));
                if roots == Roots::Thread {
                    let threads: std::collections::BTreeSet<u64> = happened.iter().map(|(thread, _)| *thread).collect();
                    prop_assert_eq!(rooted.nodes().children(CallNodes::ROOT).count(), threads.len());
                }
            }
        }
    }

    #[test]
    fn what_runs_later_stands_below_what_scheduled_it() {
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
        let begin = Beginning { roots: Roots::None, stitched: true, doing: None };
        let rooted = RootedStacks::new(&store, &mut frames, &nodes, &samples, begin, Some(&spans));
        let path = |thread: ThreadId, index: usize| {
            let leaf = rooted.leaf(thread, index);
            let mut names: Vec<&str> =
                rooted.nodes().path(leaf).map(|node| frames.text(&store, rooted.nodes().function(node)).name).collect();
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

    /// What paths weigh alone, without so many frames at the root.
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
