//! Parsed module, as far as splitting it requires.

use crate::Outcome;
use std::collections::HashMap;
use wasmparser::{
    CustomSectionReader, ElementItems, Export, FuncType, FunctionBody, GlobalType, ImportSectionReader, KnownCustom,
    MemoryType, Name, Operator, Parser, Payload, TableType, TypeRef,
};

/// Module. Functions have the indices of WebAssembly, in which imported ones come first.
#[derive(Default)]
pub(super) struct Module<'a> {
    /// Number and content of every section, except custom ones.
    pub(super) sections: Vec<(u8, &'a [u8])>,
    pub(super) types: Vec<FuncType>,
    pub(super) imported_functions: u32,
    /// Type of each function.
    pub(super) function_types: Vec<u32>,
    pub(super) tables: Vec<TableType>,
    pub(super) memories: Vec<MemoryType>,
    pub(super) globals: Vec<GlobalType>,
    pub(super) exports: Vec<Export<'a>>,
    /// Functions that are exported, or that start the program.
    pub(super) called_from_outside: Vec<u32>,
    /// Functions in tables.
    pub(super) in_tables: Vec<u32>,
    /// Bodies of the functions that aren't imported.
    pub(super) bodies: Vec<FunctionBody<'a>>,
    pub(super) names: HashMap<u32, &'a str>,
}

impl<'a> Module<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Outcome<Self> {
        let mut module = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload.map_err(text)?;
            if let Some((number, range)) = payload.as_section()
                && number != CUSTOM
            {
                module.sections.push((number, &bytes[range]));
            }
            module.take(payload).map_err(text)?;
        }
        Ok(module)
    }

    fn take(&mut self, payload: Payload<'a>) -> wasmparser::Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for kind in types.into_iter_err_on_gc_types() {
                    self.types.push(kind?);
                }
            }
            Payload::ImportSection(imports) => self.take_imports(imports)?,
            Payload::FunctionSection(functions) => {
                for kind in functions {
                    self.function_types.push(kind?);
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    self.memories.push(memory?);
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(global?.ty);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == wasmparser::ExternalKind::Func {
                        self.called_from_outside.push(export.index);
                    }
                    self.exports.push(export);
                }
            }
            Payload::StartSection { func, .. } => self.called_from_outside.push(func),
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.take_element(element?.items)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => self.take_names(&section)?,
            _ => {}
        }
        Ok(())
    }

    fn take_imports(&mut self, imports: ImportSectionReader<'a>) -> wasmparser::Result<()> {
        for import in imports.into_imports() {
            match import?.ty {
                TypeRef::Func(kind) | TypeRef::FuncExact(kind) => {
                    self.function_types.push(kind);
                    self.imported_functions += 1;
                }
                TypeRef::Table(table) => self.tables.push(table),
                TypeRef::Memory(memory) => self.memories.push(memory),
                TypeRef::Global(global) => self.globals.push(global),
                TypeRef::Tag(_) => {}
            }
        }
        Ok(())
    }

    fn take_element(&mut self, items: ElementItems<'a>) -> wasmparser::Result<()> {
        match items {
            ElementItems::Functions(functions) => {
                for function in functions {
                    self.in_tables.push(function?);
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for expression in expressions {
                    for operator in expression?.get_operators_reader() {
                        if let Operator::RefFunc { function_index } = operator? {
                            self.in_tables.push(function_index);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn take_names(&mut self, section: &CustomSectionReader<'a>) -> wasmparser::Result<()> {
        let KnownCustom::Name(names) = section.as_known() else { return Ok(()) };
        for name in names {
            let Name::Function(functions) = name? else { continue };
            for function in functions {
                let function = function?;
                self.names.insert(function.index, function.name);
            }
        }
        Ok(())
    }

    /// Returns the body of a function; `None` for an imported one.
    pub(super) fn body(&self, function: u32) -> Option<&FunctionBody<'a>> {
        self.bodies.get(function.checked_sub(self.imported_functions)? as usize)
    }

    /// Returns the functions to which a function refers, with repetitions.
    pub(super) fn calls(&self, function: u32) -> Outcome<Vec<u32>> {
        let mut calls = Vec::new();
        let Some(body) = self.body(function) else { return Ok(calls) };
        for operator in body.get_operators_reader().map_err(text)? {
            match operator.map_err(text)? {
                Operator::Call { function_index }
                | Operator::ReturnCall { function_index }
                | Operator::RefFunc { function_index } => calls.push(function_index),
                _ => {}
            }
        }
        Ok(calls)
    }
}

const CUSTOM: u8 = 0;

pub(super) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
