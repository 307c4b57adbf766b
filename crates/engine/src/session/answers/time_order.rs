//! Stacks of a thread over time, in the shape of a query.

use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::runs::ThreadRuns;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::scan::selection::Selection;
use crate::analysis::stacks::frames::Frames;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::analysis::timeline::lanes::{Window, time_order};
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::base::ids::{StackId, ThreadId};
use protocol::request::{StackSource, TreeQuery};
use protocol::stacks::shape::{Roots, Shape};
use protocol::{Failure, FailureCode, tables};
use std::rc::Rc;

/// Stacks in the shape of a query.
pub(crate) struct PlacedStacks {
    /// Samples or events with the stacks.
    pub samples: Rc<SampleIndex>,
    pub selection: Rc<Selection>,
    /// Call paths of the stacks.
    pub nodes: Rc<CallNodes>,
    pub frames: Rc<Frames>,
    /// By stack: true if it is excluded.
    pub excluded: Vec<bool>,
}

/// Call paths of a thread over time, as runs.
pub(crate) struct ThreadOverTime {
    runs: ThreadRuns,
    nodes: Rc<CallNodes>,
    frames: Rc<Frames>,
}

impl ThreadOverTime {
    /// Returns the heap size in bytes, without the shared call paths.
    pub(crate) fn bytes(&self) -> usize {
        self.runs.bytes()
    }
}

impl Session {
    /// Returns the stacks of a thread or of all threads in the shape of a query, without root frames.
    pub(crate) fn placed_stacks(&mut self, query: &TreeQuery, only: Option<ThreadId>) -> Answered<PlacedStacks> {
        let shape = Shape { roots: Roots::None, stitched: false, ..query.shape.clone() };
        let query = &TreeQuery { shape, ..query.clone() };
        let ThreadTime { stacks: samples, selection } = self.chosen_stacks(query)?;
        if query.shape.is_plain() {
            let (nodes, frames) = (self.nodes.clone(), self.trees.functions.clone());
            return Ok(PlacedStacks { samples, selection, nodes, frames, excluded: Vec::new() });
        }
        let (rooted, shaped) = (self.rooted(query)?, self.shaped(query)?);
        let (shaped, frames) = &*shaped;
        let frames = frames.clone();
        let Some(rooted) = rooted else {
            let (nodes, excluded) = shaped.nodes.with_stacks(self.nodes.of_stacks().map(|node| shaped.place(node)));
            return Ok(PlacedStacks { samples, selection, nodes: nodes.into(), frames, excluded });
        };
        // Transformed stacks also depend on thread activity, so nodes replace stacks.
        let none = StackId(shaped.nodes.len() as u32);
        let place = |thread, index| shaped.place(rooted.0.leaf(thread, index)).map_or(none, |place| StackId(place.0));
        let mut excluded = vec![false; none.index() + 1];
        excluded[none.index()] = true;
        let nodes = shaped.nodes.with_nodes_as_stacks().into();
        Ok(PlacedStacks { samples: samples.with_stacks(only, place).into(), selection, nodes, frames, excluded })
    }

    /// Returns the call paths of a thread over time.
    pub(crate) fn time_order(
        &mut self,
        query: &TreeQuery,
        thread: ThreadId,
        window: Window,
    ) -> Answered<tables::Lanes> {
        let over_time = self.thread_over_time(query, thread)?;
        let ThreadOverTime { runs, nodes, frames } = &*over_time;
        Ok(time_order(self.names(frames, &query.shape), nodes, runs, window))
    }

    fn thread_over_time(&mut self, query: &TreeQuery, thread: ThreadId) -> Answered<Rc<ThreadOverTime>> {
        if query.source != StackSource::Samples {
            let message = "Only samples can be shown over time. Other events have no duration.";
            return Err(Failure::new(FailureCode::NotFound, message).into());
        }
        let shape = Shape { roots: Roots::None, stitched: false, inverted: false, ..query.shape.clone() };
        let query = TreeQuery { shape, baseline: None, ..query.clone() };
        let key = (query, thread);
        if let Some(known) = self.trees.over_time.get(&key) {
            return Ok(known);
        }
        let (query, _) = &key;
        let PlacedStacks { samples: stacks, selection, nodes, frames, excluded } =
            self.placed_stacks(query, Some(thread))?;
        let chosen =
            ChosenSamples { excluded: &excluded, ..ChosenSamples::new(&selection, query.samples, &query.weight) };
        let samples = stacks.thread(thread);
        let runs = ThreadRuns::of_samples(samples, &nodes, chosen.of(samples), Vec::new());
        let over_time = ThreadOverTime { runs, nodes, frames };
        Ok(self.trees.over_time.insert(key, over_time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use crate::session::db::state::FileFacts;
    use crate::session::open::loader::{Loader, Progress};
    use protocol::base::time::Span;
    use protocol::queries;
    use protocol::request::{Filter, SampleChoice};
    use protocol::stacks::shape::{FrameName, Transform};

    fn session() -> Session {
        let sample = |managed, stack: &[u64]| What::Sample(managed, stack.to_vec());
        let (_, bytes) = store_of(&[
            (0, 5, sample(true, &[1, 2])),
            (10, 5, sample(true, &[1, 2, 3])),
            (20, 5, sample(false, &[1, 4])),
            (30, 5, sample(true, &[1, 2])),
            (40, 5, sample(true, &[1, 2])),
            (40, 6, sample(true, &[9])),
        ]);
        let mut loader = Loader::new();
        loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
        while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
        let facts = FileFacts { name: "t".to_owned(), bytes: bytes.len() as u64, ..FileFacts::default() };
        Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
    }

    fn slices(session: &mut Session, query: TreeQuery) -> Vec<(u16, String, i64, i64)> {
        let thread = session.store().threads.iter().find(|thread| thread.os_thread == 5).expect("the thread").id;
        let (span, resolution, max_depth) = (Span::new(0, 100), 1, 9);
        let request = queries::TimeOrder { query, thread, span, resolution, max_depth };
        let lanes = session.ask(&request).expect("lanes");
        let name = |at: usize| lanes.names.get(lanes.slice_name[at] as usize).trim_start_matches("Shop.").to_owned();
        (0..lanes.slice_start.len())
            .map(|at| (lanes.slice_depth[at], name(at), lanes.slice_start[at], lanes.slice_end[at]))
            .collect()
    }

    fn row(depth: u16, name: &str, start: i64, end: i64) -> (u16, String, i64, i64) {
        (depth, name.to_owned(), start, end)
    }

    #[test]
    fn frames_have_names_for_transforms() {
        let mut session = session();
        let thread = session.store().threads.iter().find(|thread| thread.os_thread == 5).expect("the thread").id;
        let window = Window { span: Span::new(0, 100), resolution: 1, max_depth: 9 };
        let mut query = TreeQuery::default();
        query.shape.framework = vec!["ManagedModule".to_owned()];
        query.shape.just_my_code = true;
        let mut frames = |query: &TreeQuery| -> Vec<(String, String)> {
            let query = query.clone();
            let lanes = session.complete(|session| session.time_order(&query, thread, window)).expect("an answer");
            assert_eq!(lanes.frame_module.len(), lanes.frame.len());
            let rows = 0..lanes.frame.len();
            rows.map(|row| (lanes.frame_module.get(row).to_owned(), lanes.frame_family.get(row).to_owned())).collect()
        };
        let facts = |module: &str, family: &str| (module.to_owned(), family.to_owned());
        assert_eq!(frames(&TreeQuery::default()), vec![facts("ManagedModule", ""); 4]);
        assert_eq!(frames(&query), [facts("", "ManagedModule")], "all is folded, and opens");
    }

    #[test]
    fn time_order_applies_shape_of_query() {
        let mut session = session();
        let plain = slices(&mut session, TreeQuery::default());
        let [m1, m2] = [row(0, "M1()", 0, 40), row(1, "M2()", 0, 20)];
        let expected = [m1, m2, row(1, "M4()", 20, 30), row(1, "M2()", 30, 40), row(2, "M3()", 10, 20)];
        assert_eq!(plain, expected);
        let managed = TreeQuery { samples: SampleChoice::Managed, ..TreeQuery::default() };
        let gap: Vec<_> = slices(&mut session, managed).into_iter().filter(|slice| slice.0 == 0).collect();
        assert_eq!(gap, [row(0, "M1()", 0, 20), row(0, "M1()", 30, 40)], "what is not chosen is a gap");
        let frame = FrameName { name: "Shop.M1()".to_owned(), module: String::new() };
        let merged = Transform::MergeFunction(FrameName { module: "ManagedModule".to_owned(), ..frame });
        let mut query = TreeQuery::default();
        query.shape.transforms.push(merged);
        let outermost: Vec<_> = slices(&mut session, query).into_iter().filter(|slice| slice.0 == 0).collect();
        assert_eq!(outermost, [row(0, "M2()", 0, 20), row(0, "M4()", 20, 30), row(0, "M2()", 30, 40)]);
        let filter = Filter { span: Some(Span::new(10, 30)), ..Filter::default() };
        let ranged = slices(&mut session, TreeQuery { filter, ..TreeQuery::default() });
        assert_eq!(ranged.iter().map(|slice| slice.2).min(), Some(10), "the filter of the page counts");
    }
}
