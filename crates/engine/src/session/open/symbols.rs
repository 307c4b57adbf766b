//! Method names and source lines from symbol files: `perf-PID.map` and portable PDBs.

use super::failures::out_of_memory;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::stacks::tree_query::call_nodes;
use crate::analysis::timeline::lanes::LaneIndex;
use crate::clr::names::{module_name, perf_map_lines, perf_map_process};
use crate::clr::pdb::{Pdb, PdbError};
use crate::model::Method;
use crate::session::db::state::Session;
use crate::session::db::trees::Trees;
use protocol::base::ids::{FrameId, FunctionId};
use protocol::format;
use protocol::reply::EventDetail;
use protocol::{Failure, FailureCode};
use std::rc::Rc;

/// PDB files with the names of their modules.
#[derive(Default)]
pub(crate) struct SymbolFiles {
    pdbs: Vec<(String, Pdb)>,
}

impl Session {
    /// Adds names or source lines from a symbol file, and returns a description of what was added.
    ///
    /// # Errors
    /// Fails if the file is of another type, or belongs to another trace or build.
    // A separate function, because the page's build splits the worker's program here.
    #[inline(never)]
    pub fn add_symbols(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
        match perf_map_process(name) {
            Some(process) => self.add_perf_map(name, process, &bytes),
            None => self.add_pdb(name, bytes),
        }
    }

    fn add_perf_map(&mut self, name: &str, os_process: u32, bytes: &[u8]) -> Result<String, Failure> {
        let process = self.store.processes.iter().find(|process| process.os_process == os_process);
        let Some(process) = process.map(|process| process.id) else {
            let known = self.store.processes.iter().map(|process| process.numbered_label());
            let known: Vec<String> = known.take(MAX_NAMED).collect();
            return Err(unfit(format!("{name} is for process {os_process}, which isn't in this trace."))
                .with_detail(format!("The trace has {}.", known.join(", "))));
        };
        let text = String::from_utf8_lossy(bytes);
        if perf_map_lines(&text).next().is_none() {
            return Err(unfit(format!("{name} isn't a perf map: no line has an address, a size and a name.")));
        }
        let named = self.store.name_code(process, perf_map_lines(&text));
        self.forget_names()?;
        Ok(format!("{name}: resolved {}.", format::counted(named as u64, "address")))
    }

    /// Rebuilds everything that depends on functions.
    fn forget_names(&mut self) -> Result<(), Failure> {
        let samples = SampleIndex::build(&self.store).map_err(|error| out_of_memory(&error))?;
        self.samples = Rc::new(samples);
        self.nodes = Rc::new(call_nodes(&self.store));
        self.trees = Trees::new(&self.store);
        self.lanes = LaneIndex::default();
        self.weighed.clear();
        self.all_time = None;
        self.thread_times.clear();
        self.selections.clear();
        self.event_marks.clear();
        self.orders.clear();
        self.groups.clear();
        self.states.clear();
        self.reports.forget_names();
        Ok(())
    }

    fn add_pdb(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
        let pdb = Pdb::read(bytes).map_err(|error| {
            unfit(match error {
                PdbError::OfWindows => {
                    format!("{name} is a Windows PDB, which can't be read. Build with DebugType=portable.")
                }
                PdbError::NoPdb => format!("{name} isn't a portable PDB."),
                PdbError::Damaged => format!("{name} is a damaged portable PDB."),
            })
        })?;
        let strings = &self.store.strings;
        let mut by_name = None;
        let mut by_id = None;
        for module in self.store.modules.iter() {
            if module.pdb == Some(pdb.id()) {
                by_id = Some(strings.get(module.name));
            }
            if strings.get(module.name).eq_ignore_ascii_case(module_name(name.trim_end_matches(".pdb"))) {
                by_name = Some((strings.get(module.name), module.pdb));
            }
        }
        let module = match (by_id, by_name) {
            (Some(module), _) => module,
            // The trace doesn't record the module's PDB ID, so only the name can match.
            (None, Some((module, None))) => module,
            (None, Some((module, Some(id)))) => {
                let message = format!("{name} is from a different build of {module} than the one in this trace.");
                return Err(unfit(message).with_detail(format!("Trace: {id}. File: {}.", pdb.id())));
            }
            (None, None) => return Err(unfit(format!("{name} doesn't match any module in this trace."))),
        };
        let (module, methods) = (module.to_owned(), pdb.methods() as u64);
        let words = format!("{name}: source lines for {} of {module}.", format::counted(methods, "method"));
        self.symbols.pdbs.retain(|(known, _)| *known != module);
        self.symbols.pdbs.push((module, pdb));
        Ok(words)
    }

    /// Returns the source line of a frame at an IL offset of its method, as `path:line`; `None` if no file contains it.
    pub(crate) fn line_of(&self, frame: FrameId, il_offset: u32) -> Option<String> {
        let method = self.store.methods.get(self.store.frames.get(frame)?.method?)?;
        let pdb = self.pdb_of(method)?;
        let points = pdb.lines(method.token)?;
        let after = points.partition_point(|point| point.il_offset <= il_offset);
        let point = points.get(after.checked_sub(1)?)?;
        Some(format!("{}:{}", pdb.document(point.document)?, point.start_line))
    }

    /// Adds the source lines of an event's frames.
    pub(crate) fn add_lines(&self, detail: &mut EventDetail) {
        for (line, frame) in detail.frames.iter_mut().zip(self.store.stacks.leaf_to_root(detail.stack)) {
            line.source = line.il_offset.and_then(|offset| self.line_of(frame, offset)).unwrap_or_default();
        }
    }

    fn pdb_of(&self, method: &Method) -> Option<&Pdb> {
        let module = self.store.strings.get(self.store.modules.get(method.module?)?.name);
        self.symbols.pdbs.iter().find(|(known, _)| known == module).map(|(_, pdb)| pdb)
    }

    /// Returns the source location of a function as `path:line`; empty if no file contains it.
    pub(crate) fn source_of(&self, function: FunctionId) -> String {
        let place = self.store.methods.of_function(function).into_iter().find_map(|method| {
            let pdb = self.pdb_of(method)?;
            let first = *pdb.lines(method.token)?.first()?;
            Some(format!("{}:{}", pdb.document(first.document)?, first.start_line))
        });
        place.unwrap_or_default()
    }
}

/// Maximum number of processes in a message.
const MAX_NAMED: usize = 5;

fn unfit(message: String) -> Failure {
    Failure::new(FailureCode::NotFound, message)
}

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;
