//! Functions of code ranges and of addresses without one, with their names.

use super::code_ranges::{CodeRanges, RangeName, code_space};
use super::functions::{Function, Functions};
use super::ids::{FunctionId, ProcessId, StringId};
use super::ingest::symbol_collector::SymbolCollector;
use super::strings::Strings;
use crate::clr::names::{self, PerfMapSymbol, ReadableName};
use rustc_hash::FxHashMap;

/// The module of a method whose module the trace does not name, as other tools write it.
const UNKNOWN_MANAGED_MODULE: &str = "ManagedModule";

/// Makes functions as frames need them.
pub(super) struct FunctionNames<'s> {
    collected: &'s SymbolCollector,
    strings: &'s mut Strings,
    functions: Functions,
    of_range: FxHashMap<u32, FunctionId>,
}

impl<'s> FunctionNames<'s> {
    /// Names from what was collected, interned in `strings`.
    pub fn new(collected: &'s SymbolCollector, strings: &'s mut Strings) -> Self {
        Self { collected, strings, functions: Functions::default(), of_range: FxHashMap::default() }
    }

    /// The function of an address that a code range occupies, or none.
    pub fn function(
        &mut self,
        code: &CodeRanges,
        process: ProcessId,
        address: u64,
        range: Option<u32>,
        is_machine_wide: bool,
    ) -> FunctionId {
        match range {
            Some(range) => match self.of_range.get(&range) {
                Some(&function) => function,
                None => {
                    let function = self.named(code, range);
                    self.of_range.insert(range, function);
                    function
                }
            },
            None => self.unresolved(code, code_space(process, address, is_machine_wide), address),
        }
    }

    /// All functions.
    pub fn finish(self) -> Functions {
        self.functions
    }

    fn named(&mut self, code: &CodeRanges, range: u32) -> FunctionId {
        let Some((method, name)) = code.ranges.get(range as usize) else { return FunctionId(0) };
        let of_range = method.module.and_then(|module| code.modules.get(module)).map(|module| module.name);
        let module = of_range.unwrap_or_default();
        match *name {
            RangeName::Method(name) => {
                let module = if module.0 == 0 { self.strings.intern(UNKNOWN_MANAGED_MODULE) } else { module };
                let [type_name, method, signature] = self.collected.name_parts(name);
                let readable = || names::readable(&type_name, &method, &signature);
                self.intern(module, &names::raw_name(&type_name, &method, &signature), readable)
            }
            RangeName::Symbol(symbol) => {
                let symbol = self.strings.get(symbol).to_owned();
                match PerfMapSymbol::parse(&symbol) {
                    Some(managed) => {
                        let module = self.strings.intern(managed.module);
                        self.intern(module, managed.raw_name, || managed.readable())
                    }
                    None => self.intern(module, &symbol, || as_it_is(&symbol)),
                }
            }
        }
    }

    /// An address without a method is a function of its own: `module!0x…` from the start of the mapped file, or
    /// `?!0x…` with the whole address.
    fn unresolved(&mut self, code: &CodeRanges, process: ProcessId, address: u64) -> FunctionId {
        match code.mapped_file(process, address) {
            Some(file) => {
                let module = code.modules.get(file.module).map(|module| module.name).unwrap_or_default();
                self.unnamed(module, address - file.start)
            }
            None => self.unnamed(StringId(0), address),
        }
    }

    fn unnamed(&mut self, module: StringId, address: u64) -> FunctionId {
        let module_text = self.strings.get(module);
        let raw = format!("{}!0x{address:x}", if module_text.is_empty() { "?" } else { module_text });
        let is_framework = names::is_framework(module_text);
        let raw_name = self.strings.intern(&raw);
        let (name, short_name) = (raw_name, raw_name);
        self.functions.intern(raw_name, || Function {
            name,
            short_name,
            raw_name,
            module,
            is_framework,
            is_unresolved: true,
        })
    }

    fn intern(&mut self, module: StringId, name: &str, readable: impl FnOnce() -> ReadableName) -> FunctionId {
        let Self { strings, functions, .. } = self;
        let module_text = strings.get(module);
        let raw = format!("{}!{name}", if module_text.is_empty() { "?" } else { module_text });
        let is_framework = names::is_framework(module_text);
        let raw_name = strings.intern(&raw);
        functions.intern(raw_name, || {
            let readable = readable();
            Function {
                name: strings.intern(&readable.full),
                short_name: strings.intern(&readable.short),
                raw_name,
                module,
                is_framework,
                is_unresolved: false,
            }
        })
    }
}

fn as_it_is(symbol: &str) -> ReadableName {
    ReadableName { full: symbol.to_owned(), short: symbol.to_owned() }
}
