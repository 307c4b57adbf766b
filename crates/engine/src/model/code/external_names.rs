//! Adds names from files to code that the trace doesn't name.

use super::functions::Function;
use crate::clr::names::{self, PerfMapLine, PerfMapSymbol};
use crate::model::store::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FrameId, FunctionId, ProcessId, StringId};
use protocol::base::sort::sort_by_key;

impl Store {
    /// Names the addresses of a process that have no method after the code around them. Returns the number of named
    /// addresses.
    pub fn name_code<'t>(&mut self, process: ProcessId, code: impl Iterator<Item = PerfMapLine<'t>>) -> usize {
        let mut code: Vec<PerfMapLine<'t>> = code.collect();
        // Code may be replaced, so the last line for an address wins.
        sort_by_key(&mut code, |line| line.start);
        let mut known: FastMap<&str, FunctionId> = FastMap::default();
        let mut named = 0;
        for frame in (0..self.frames.len() as u32).map(FrameId) {
            let Some(found) = self.frames.get(frame).filter(|frame| frame.process == process) else { continue };
            let Some(function) = self.functions.get(found.function).copied().filter(|one| one.is_unresolved) else {
                continue;
            };
            let after = code.partition_point(|line| line.start <= found.address);
            let line = after.checked_sub(1).and_then(|at| code.get(at));
            let Some(line) = line.filter(|line| found.address - line.start < line.size) else { continue };
            let function = match known.get(line.symbol) {
                Some(known) => *known,
                None => {
                    let function = self.function_of_symbol(line.symbol, function);
                    known.insert(line.symbol, function);
                    function
                }
            };
            if let Some(of_frame) = self.frames.functions.get_mut(frame.index()) {
                *of_frame = function.0;
                named += 1;
            }
        }
        named
    }

    /// Returns the function of a symbol at an address whose function was `before`.
    fn function_of_symbol(&mut self, symbol: &str, before: Function) -> FunctionId {
        let managed = PerfMapSymbol::parse(symbol);
        let module = managed.map_or(before.module, |managed| self.strings.intern(managed.module));
        let owner = match self.strings.get(module) {
            "" => "unknown".to_owned(),
            name => name.to_owned(),
        };
        let raw_name = self.strings.intern(&format!("{owner}!{}", managed.map_or(symbol, |managed| managed.raw_name)));
        let (name, short_name) = match managed.map(|managed| managed.readable()) {
            Some(readable) => (self.strings.intern(&readable.full), self.strings.intern(&readable.short)),
            None => [self.strings.intern(&names::readable_symbol(symbol)); 2].into(),
        };
        let function = Function {
            name,
            short_name,
            raw_name,
            module,
            is_framework: module == StringId(0)
                || names::is_framework(&owner)
                || managed.is_some_and(|managed| names::is_generated_for_dotnet(managed.raw_name)),
            is_managed: managed.is_some(),
            is_unresolved: false,
        };
        self.functions.intern(raw_name, || function)
    }
}
