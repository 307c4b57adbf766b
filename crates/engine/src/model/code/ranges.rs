//! Builds code ranges, with the times in which they were valid, from method events.

use super::il_maps::IlMaps;
use super::methods::Method;
use super::modules::{Module, Modules};
use crate::clr::known::payload::OptimizationTier;
use crate::clr::names::{PerfMapSymbol, module_name};
use crate::model::columns::strings::Strings;
use crate::model::ingest::symbol_collector::{MappingSymbol, MethodChange, MethodEvent, MethodName, SymbolCollector};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StringId};
use protocol::base::sort::sort_by_key;

/// Pseudo-process for kernel code, whose addresses are the same in all processes.
pub(crate) const KERNEL: ProcessId = ProcessId(u32::MAX);

/// Returns the process under which code at an address is looked up.
pub(crate) fn code_space(process: ProcessId, address: u64, is_machine_wide: bool) -> ProcessId {
    if is_machine_wide && address >> 63 != 0 { KERNEL } else { process }
}

/// Name of a code range.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RangeName {
    /// Method, with the parts of its name in the collected text.
    Method(MethodName),
    /// Interned symbol.
    Symbol(StringId),
}

/// File mapped into a process, which names addresses without a symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedFile {
    pub process: ProcessId,
    pub start: u64,
    /// Address after the last byte.
    pub end: u64,
    /// Index in the modules.
    pub module: u32,
}

/// Code ranges and mapped files, by process and start.
#[derive(Default)]
pub(crate) struct CodeRanges {
    pub ranges: Vec<(Method, RangeName)>,
    pub mapped_files: Vec<MappedFile>,
    pub modules: Modules,
}

impl CodeRanges {
    /// Returns the mapped file that contains an address. If several do, returns the one with the highest start address.
    pub fn mapped_file(&self, process: ProcessId, address: u64) -> Option<&MappedFile> {
        let after = self.mapped_files.partition_point(|file| (file.process, file.start) <= (process, address));
        let before = self.mapped_files.get(..after)?.iter().rev().take(MAX_NESTED);
        before.take_while(|file| file.process == process).find(|file| address < file.end)
    }
}

/// Builds the ranges from collected events.
pub(crate) fn build(collected: &mut SymbolCollector, strings: &mut Strings) -> CodeRanges {
    let (modules, by_id) = build_modules(collected, strings);
    let mut code = CodeRanges { modules, ..CodeRanges::default() };
    let mut events = std::mem::take(&mut collected.methods);
    sort_by_key(&mut events, |event| event.ticks);
    for (mut method, name, module_id) in method_ranges(&events, &collected.il_maps) {
        method.module = by_id.at(method.process, module_id, &method);
        code.ranges.push((method, RangeName::Method(name)));
    }
    add_mappings(&mut code, collected, strings);
    sort_by_key(&mut code.ranges, |(method, _)| (method.process, method.start, method.loaded_from()));
    code
}

/// Pairs loads with unloads. Code that appears only in a rundown counts as always loaded.
fn method_ranges(events: &[MethodEvent], il_maps: &IlMaps) -> Vec<(Method, MethodName, u64)> {
    let mut ranges: Vec<(Method, MethodName, u64)> = Vec::new();
    let mut open: FastMap<(ProcessId, u64), usize> = FastMap::default();
    for event in events.iter().filter(|event| event.code.size > 0) {
        let key = (event.process, event.code.start_address);
        let known = open
            .get(&key)
            .copied()
            .filter(|&at| ranges.get(at).is_some_and(|(method, ..)| method.method_id == event.code.method_id));
        match (event.change, known) {
            (MethodChange::Unload, Some(at)) => {
                open.remove(&key);
                if let Some((method, ..)) = ranges.get_mut(at) {
                    method.unload_ticks = Some(event.ticks);
                }
            }
            (_, Some(_)) => {}
            (change, None) => {
                if change != MethodChange::Unload {
                    open.insert(key, ranges.len());
                }
                ranges.push((new_range(event, il_maps), event.name, event.code.module_id));
            }
        }
    }
    ranges
}

fn new_range(event: &MethodEvent, il_maps: &IlMaps) -> Method {
    Method {
        process: event.process,
        start: event.code.start_address,
        size: u64::from(event.code.size),
        method_id: event.code.method_id,
        token: event.code.token,
        il_map: il_maps.find(event.process, event.code.method_id, event.code_version),
        module: None,
        tier: event.tier,
        load_ticks: (event.change == MethodChange::Load).then_some(event.ticks),
        unload_ticks: (event.change == MethodChange::Unload).then_some(event.ticks),
        function: None,
    }
}

/// Modules by ID; an ID may be reused after an unload.
#[derive(Default)]
struct ModulesById {
    modules: FastMap<(ProcessId, u64), Vec<(i64, u32)>>,
}

impl ModulesById {
    /// Returns the module that had this ID while the method was loaded.
    fn at(&self, process: ProcessId, module_id: u64, method: &Method) -> Option<u32> {
        let modules = self.modules.get(&(process, module_id))?;
        let ticks = method.load_ticks.or(method.unload_ticks).unwrap_or(i64::MAX);
        let after = modules.partition_point(|&(load, _)| load <= ticks).max(1);
        modules.get(after - 1).map(|&(_, module)| module)
    }
}

fn build_modules(collected: &SymbolCollector, strings: &mut Strings) -> (Modules, ModulesById) {
    let mut modules = Modules::default();
    let mut by_id = ModulesById::default();
    let mut known = FastMap::default();
    for event in &collected.modules {
        let key = (event.process, event.module_id, event.path);
        let index = *known.entry(key).or_insert_with(|| {
            let name = module_name(strings.get(event.path)).to_owned();
            let index = modules.push(Module {
                process: event.process,
                module_id: event.module_id,
                name: strings.intern(&name),
                path: event.path,
                pdb: event.pdb,
                load_ticks: event.load_ticks,
            });
            let loaded_from = event.load_ticks.unwrap_or(i64::MIN);
            by_id.modules.entry((event.process, event.module_id)).or_default().push((loaded_from, index));
            index
        });
        // Only some of the events about a module have the PDB ID.
        if let Some(module) = modules.get_mut(index) {
            module.pdb = module.pdb.or(event.pdb);
        }
    }
    by_id.modules.values_mut().for_each(|modules| sort_by_key(modules, |module| *module));
    (modules, by_id)
}

/// Maximum number of mapped files to check before an address. A file can be mapped over the middle of another one.
const MAX_NESTED: usize = 16;

/// Maximum number of processes that share a symbol's mapping. Real traces have one or two.
const MAX_COPIES: usize = 16;

/// Returns whether a mapping is memory for jitted code, whose symbols are methods
/// (docs/format/symbols.md#machine-wide-traces). It isn't a module. Runtimes before .NET 7 give it other names.
fn is_code_memory(path: &str) -> bool {
    path.starts_with("/memfd:doublemapper")
}

/// Adds mapped files and their symbols (machine-wide traces). A symbol belongs to every process with its mapping.
fn add_mappings(code: &mut CodeRanges, collected: &SymbolCollector, strings: &mut Strings) {
    let mut by_id: FastMap<u64, Vec<(ProcessId, Option<u32>)>> = FastMap::default();
    for mapping in &collected.mappings {
        let process = code_space(mapping.process, mapping.start, true);
        if is_code_memory(strings.get(mapping.path)) {
            by_id.entry(mapping.id).or_default().push((process, None));
            continue;
        }
        let name = module_name(strings.get(mapping.path)).to_owned();
        let module = code.modules.push(Module {
            process,
            module_id: mapping.id,
            name: strings.intern(&name),
            path: mapping.path,
            pdb: None,
            load_ticks: None,
        });
        by_id.entry(mapping.id).or_default().push((process, Some(module)));
        code.mapped_files.push(MappedFile { process, start: mapping.start, end: mapping.end, module });
    }
    sort_by_key(&mut code.mapped_files, |file| (file.process, file.start));
    let most = code.ranges.len() + MAX_COPIES * (collected.symbols.len() + collected.mappings.len());
    // The last byte belongs to the symbol; a symbol whose last byte is before its first is empty
    // (docs/format/symbols.md#machine-wide-traces).
    for symbol in collected.symbols.iter().filter(|symbol| symbol.start <= symbol.last) {
        let tier = PerfMapSymbol::parse(strings.get(symbol.name)).map_or(OptimizationTier::Unknown, |code| code.tier);
        for &(process, module) in by_id.get(&symbol.mapping_id).map_or(&[][..], Vec::as_slice) {
            if code.ranges.len() < most {
                code.ranges.push((symbol_range(process, symbol, module, tier), RangeName::Symbol(symbol.name)));
            }
        }
    }
}

fn symbol_range(process: ProcessId, symbol: &MappingSymbol, module: Option<u32>, tier: OptimizationTier) -> Method {
    Method {
        process,
        start: symbol.start,
        size: (symbol.last - symbol.start).saturating_add(1),
        method_id: 0,
        token: 0,
        il_map: None,
        module,
        tier,
        load_ticks: None,
        unload_ticks: None,
        function: None,
    }
}
