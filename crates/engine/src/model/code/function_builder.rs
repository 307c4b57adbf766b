//! Builds the functions of code ranges and of addresses without one, with their names.

use super::functions::{Function, Functions};
use super::ranges::{CodeRanges, RangeName, code_space};
use crate::clr::AsyncFrame;
use crate::clr::names::{self, PerfMapSymbol, ReadableName};
use crate::model::columns::strings::Strings;
use crate::model::ingest::symbol_collector::{MethodName, SymbolCollector};
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, ProcessId, StringId};

/// Placeholder for a method's unknown module, as in other tools.
const UNKNOWN_MANAGED_MODULE: &str = "ManagedModule";

/// Creates functions when a frame first needs them.
pub(crate) struct FunctionBuilder<'s> {
    collected: &'s SymbolCollector,
    strings: &'s mut Strings,
    functions: Functions,
    of_range: FastMap<u32, FunctionId>,
}

impl<'s> FunctionBuilder<'s> {
    /// Creates a builder that interns the collected names in `strings`.
    pub fn new(collected: &'s SymbolCollector, strings: &'s mut Strings) -> Self {
        Self { collected, strings, functions: Functions::default(), of_range: FastMap::default() }
    }

    /// Returns the function of an address, inside or outside a code range.
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
            None => {
                let space = code_space(process, address, is_machine_wide);
                match self.collected.entry_points.get(&(process, address)) {
                    Some(&name) => self.entry_point(code, space, address, name),
                    None => self.unresolved(code, space, address),
                }
            }
        }
    }

    /// Returns the role of each function for async methods.
    pub fn async_frames(&self) -> Vec<Option<AsyncFrame>> {
        self.functions.iter().map(|function| AsyncFrame::of(self.strings.get(function.raw_name))).collect()
    }

    pub fn finish(self) -> Functions {
        self.functions
    }

    fn named(&mut self, code: &CodeRanges, range: u32) -> FunctionId {
        let Some((method, name)) = code.ranges.get(range as usize) else { return FunctionId(0) };
        let owner = method.module.map_or(Owner::NONE, |module| self.owner(code, module));
        match *name {
            RangeName::Method(name) => self.method(owner, name),
            RangeName::Symbol(symbol) => {
                let symbol = self.strings.get(symbol).to_owned();
                match PerfMapSymbol::parse(&symbol) {
                    Some(managed) => {
                        let module = self.strings.intern(managed.module);
                        let owner = Owner { module, is_managed: true, ..owner };
                        self.intern(owner, managed.raw_name, || managed.readable())
                    }
                    None if method.module.is_none() => self.intern(Owner::RUNTIME, &symbol, || native(&symbol)),
                    None => self.intern(owner, &symbol, || native(&symbol)),
                }
            }
        }
    }

    fn method(&mut self, owner: Owner, name: MethodName) -> FunctionId {
        let mut owner = Owner { is_managed: true, ..owner };
        if owner.module.0 == 0 {
            owner.module = self.strings.intern(UNKNOWN_MANAGED_MODULE);
        }
        let [type_name, method, signature] = self.collected.name_parts(name);
        let readable = || names::readable(&type_name, &method, &signature);
        self.intern(owner, &names::raw_name(&type_name, &method, &signature), readable)
    }

    /// Returns the function of a precompiled method that begins at an address.
    fn entry_point(&mut self, code: &CodeRanges, process: ProcessId, address: u64, name: MethodName) -> FunctionId {
        let file = code.mapped_file(process, address);
        let owner = file.map_or(Owner::NONE, |file| self.owner(code, file.module));
        self.method(owner, name)
    }

    /// Returns the function of an address without a method: `module!0x…` relative to the start of the mapped file, or
    /// `?!0x…` with the whole address, also in memory without a file, where a relative address would be meaningless.
    fn unresolved(&mut self, code: &CodeRanges, process: ProcessId, address: u64) -> FunctionId {
        let file = code.mapped_file(process, address);
        let owner = file.map_or(Owner::NONE, |file| self.owner(code, file.module));
        let start = file.filter(|_| owner.module.0 != 0).map_or(0, |file| file.start);
        let raw_name = self.raw_name(owner, &format!("0x{:x}", address - start));
        let is_framework = self.is_framework(owner);
        self.functions.intern(raw_name, || Function {
            name: raw_name,
            short_name: raw_name,
            raw_name,
            module: owner.module,
            is_framework,
            is_managed: owner.is_managed,
            is_unresolved: true,
        })
    }

    /// Returns a module as the owner of native or unresolved code.
    fn owner(&self, code: &CodeRanges, module: u32) -> Owner {
        let Some(module) = code.modules.get(module) else { return Owner::NONE };
        let is_managed = names::is_assembly(self.strings.get(module.path));
        Owner { module: module.name, is_managed, ..Owner::NONE }
    }

    fn raw_name(&mut self, owner: Owner, name: &str) -> StringId {
        let module = self.strings.get(owner.module);
        let raw = format!("{}!{name}", if module.is_empty() { owner.instead } else { module });
        self.strings.intern(&raw)
    }

    fn is_framework(&self, owner: Owner) -> bool {
        owner == Owner::RUNTIME || names::is_framework(self.strings.get(owner.module))
    }

    fn intern(&mut self, owner: Owner, name: &str, readable: impl FnOnce() -> ReadableName) -> FunctionId {
        let raw_name = self.raw_name(owner, name);
        let is_framework = self.is_framework(owner) || names::is_generated_for_dotnet(name);
        let Self { strings, functions, .. } = self;
        functions.intern(raw_name, || {
            let readable = readable();
            Function {
                name: strings.intern(&readable.full),
                short_name: strings.intern(&readable.short),
                raw_name,
                module: owner.module,
                is_framework,
                is_managed: owner.is_managed,
                is_unresolved: false,
            }
        })
    }
}

/// Module that owns a function.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Owner {
    /// Name of the module; empty if unknown.
    module: StringId,
    /// Placeholder for an unknown module, as in other tools.
    instead: &'static str,
    is_managed: bool,
}

impl Owner {
    /// Unknown owner.
    const NONE: Self = Self { module: StringId(0), instead: "?", is_managed: false };
    /// Stubs that the runtime writes between compiled methods.
    const RUNTIME: Self = Self { instead: "unknown", ..Self::NONE };
}

fn native(symbol: &str) -> ReadableName {
    let full = names::readable_symbol(symbol);
    ReadableName { short: full.clone(), full }
}
