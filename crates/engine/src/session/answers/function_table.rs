//! Answers with function tables: weights, number of stacks, and times.

use super::Run;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::stacks::function_weights::function_weights;
use crate::analysis::stacks::occurrences::{Occurrence, occurrences};
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use crate::session::db::trees::FramedTree;
use protocol::base::ids::FunctionId;
use protocol::queries::Functions;
use protocol::request::TreeQuery;
use protocol::tables;

impl Run for Functions {
    fn run(&self, session: &mut Session) -> Answered<tables::Functions> {
        let FramedTree { tree, frames } = session.top_down(&self.query)?;
        let occurrences = session.occurrences(&self.query)?;
        let weights = function_weights(&tree, self.order);
        let of = |function| occurrence_of(&occurrences, function);
        Ok(session.named(&tree, &frames, &self.query.shape).functions(&weights, of, self.limit))
    }
}

impl Session {
    /// Returns the number and times of stacks for each frame of a query's tree, excluding the baseline's.
    pub(in crate::session) fn occurrences(&mut self, query: &TreeQuery) -> Answered<Vec<Occurrence>> {
        let mut query = TreeQuery { baseline: None, ..query.clone() };
        query.shape.inverted = false;
        let FramedTree { tree, frames } = self.top_down(&query)?;
        let ThreadTime { stacks, selection } = self.chosen_stacks(&query)?;
        let chosen = ChosenSamples::new(&selection, query.samples, &query.weight);
        let rooted = self.rooted(&query)?;
        let shaped = if query.shape.is_plain() { None } else { Some(self.shaped(&query)?) };
        Ok(occurrences(&stacks, chosen, &tree.nodes, (frames.len(), tree.no_stack), |thread, samples, index| {
            let leaf = match &rooted {
                Some(rooted) => rooted.0.leaf(thread, index),
                None => self.nodes.of_stack(samples.stack(index)),
            };
            shaped.as_ref().map_or(Some(leaf), |shaped| shaped.0.place(leaf))
        }))
    }
}

/// Returns the occurrence of a frame; empty if no stack contains it.
pub(in crate::session) fn occurrence_of(occurrences: &[Occurrence], frame: FunctionId) -> Occurrence {
    occurrences.get(frame.index()).copied().unwrap_or_default()
}
