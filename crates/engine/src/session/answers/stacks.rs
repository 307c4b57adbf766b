//! Answers about stacks and functions.

use super::{Run, missing};
use crate::analysis::stacks::difference::{scaled, stack_profile};
use crate::analysis::stacks::function_detail::function_detail;
use crate::analysis::stacks::hot_locations::code_places;
use crate::analysis::stacks::search::found_frames;
use crate::analysis::stacks::sources::stack_sources;
use crate::analysis::stacks::tree_tables::push_idle;
use crate::analysis::stacks::unresolved::unresolved_code;
use crate::analysis::timeline::lanes::Window;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use crate::session::db::trees::FramedTree;
use crate::session::db::weighing::time_key;
use protocol::queries::{
    AddedStacks, Below, Children, CodePlaces, FindFrames, Flame, FunctionDetail, HotPath, OtherStacks, StackFile,
    StackSources, TimeOrder, TraceStacks, UnresolvedCode, When,
};
use protocol::request::{SampleChoice, TreeQuery, Weight, WhenOf};
use protocol::stacks::shape::Shape;
use protocol::{Failure, reply, tables};

/// Maximum number of tree rows that one query expands.
const MAX_BELOW: u32 = 100_000;

impl Run for StackSources {
    fn run(&self, session: &mut Session) -> Answered<tables::StackSources> {
        Ok(stack_sources(&session.store))
    }
}

impl Run for Flame {
    fn run(&self, session: &mut Session) -> Answered<tables::Flame> {
        let Self { query, path, min_share, max_depth } = self;
        let is_all = query.samples == SampleChoice::All && query.weight == Weight::Time;
        let is_whole = is_all && time_key(query).is_some() && path.is_empty();
        if !is_whole || query.shape.inverted || query.baseline.is_some() {
            let (tree, frames) = session.tree(query)?;
            return Ok(session.named(&*tree, &frames, &query.shape).flame(path, *min_share, *max_depth));
        }
        // With all time selected, idle time is a single leaf. Its stacks would hide the app's work.
        let idle = TreeQuery { samples: SampleChoice::Idle, shape: Shape::default(), ..query.clone() };
        let idle = session.plain_tree(&idle)?;
        let idle = idle.value(idle.total());
        let query = TreeQuery { samples: SampleChoice::NotIdle, ..query.clone() };
        let (tree, frames) = session.tree(&query)?;
        let mut table = session.named(&*tree, &frames, &query.shape).flame(path, *min_share, *max_depth);
        push_idle(&mut table, idle);
        Ok(table)
    }
}

impl Run for Children {
    fn run(&self, session: &mut Session) -> Answered<tables::CallNodes> {
        let (tree, frames) = session.tree(&self.query)?;
        Ok(session.named(&*tree, &frames, &self.query.shape).children(&self.path))
    }
}

impl Run for Below {
    fn run(&self, session: &mut Session) -> Answered<tables::CallNodes> {
        let (tree, frames) = session.tree(&self.query)?;
        let most = self.most.min(MAX_BELOW) as usize;
        Ok(session.named(&*tree, &frames, &self.query.shape).below(&self.path, most))
    }
}

impl Run for HotPath {
    fn run(&self, session: &mut Session) -> Answered<tables::CallNodes> {
        let (tree, frames) = session.tree(&self.query)?;
        Ok(session.named(&*tree, &frames, &self.query.shape).hot_path(self.max_depth))
    }
}

impl Run for FindFrames {
    fn run(&self, session: &mut Session) -> Answered<tables::FoundFrames> {
        let FramedTree { tree, frames } = session.top_down(&self.query)?;
        Ok(found_frames(&session.store, &frames, &tree, &self.text))
    }
}

impl Run for When {
    fn run(&self, session: &mut Session) -> Answered<tables::When> {
        // Only the current events count, not those of the baseline.
        let query = &TreeQuery { baseline: None, ..self.query.clone() };
        let tree = session.uncompared(query)?.tree;
        let times = session.times(query)?;
        Ok(match &self.of {
            WhenOf::Rows(rows) if query.shape.inverted => times.of_callers(&tree, rows),
            WhenOf::Rows(rows) => times.of_rows(&tree, rows),
            WhenOf::Functions(functions) => times.of_functions(&tree, functions),
        })
    }
}

impl Run for TimeOrder {
    fn run(&self, session: &mut Session) -> Answered<tables::Lanes> {
        let window = Window { span: self.span, resolution: self.resolution, max_depth: self.max_depth };
        session.time_order(&self.query, self.thread, window)
    }
}

impl Run for StackFile {
    fn run(&self, session: &mut Session) -> Answered<tables::ExportedFile> {
        session.stack_file(&self.query, self.format)
    }
}

impl Run for CodePlaces {
    fn run(&self, session: &mut Session) -> Answered<tables::CodePlaces> {
        let weights = session.stack_weights(&self.query)?;
        let line = |frame, il_offset| session.line_of(frame, il_offset);
        Ok(code_places(&session.store, &weights, self.function, line))
    }
}

impl Run for TraceStacks {
    fn run(&self, session: &mut Session) -> Answered<tables::StackProfile> {
        let FramedTree { tree, frames } = session.uncompared(&self.query)?;
        Ok(stack_profile(&session.store, &frames, &tree.nodes, &tree.tree))
    }
}

impl Run for OtherStacks {
    fn run(&self, session: &mut Session) -> Answered<u64> {
        let stacks = tables::StackProfile::unpack(&self.stacks).map_err(|_| Failure::other_answer())?;
        Ok(session.trees.set_other(scaled(stacks, self.factor)))
    }
}

impl Run for AddedStacks {
    fn run(&self, session: &mut Session) -> Answered<u64> {
        let stacks = self.stacks.iter().map(tables::StackProfile::unpack).collect::<Result<Vec<_>, _>>();
        Ok(session.trees.put_added(stacks.map_err(|_| Failure::other_answer())?))
    }
}

impl Run for UnresolvedCode {
    fn run(&self, session: &mut Session) -> Answered<tables::UnresolvedCode> {
        let weights = session.stack_weights(&self.query)?;
        Ok(unresolved_code(&session.store, &weights))
    }
}

impl Run for FunctionDetail {
    fn run(&self, session: &mut Session) -> Answered<reply::FunctionDetail> {
        let mut detail = function_detail(&session.store, self.function).ok_or_else(|| missing("function"))?;
        detail.source = session.source_of(self.function);
        Ok(detail)
    }
}
