//! Primary module: everything keeps its index, with stubs for functions that moved.

use super::module::{Module, text};
use super::reach::Division;
use crate::Outcome;
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, FunctionSection, RawSection, RefType, SectionId, TableSection,
    TableType, TypeSection,
};

/// Export name of the stub table, into which the script puts the loader.
pub(super) const STUBS: &str = "rest";

/// Returns the export name of an item for the secondary module.
pub(super) fn shared_name(kind: char, index: u32) -> String {
    format!("{kind}{index}")
}

pub(super) fn encode(module: &Module, division: &Division) -> Outcome<Vec<u8>> {
    let mut encoded = wasm_encoder::Module::new();
    for (number, content) in &module.sections {
        match *number {
            TYPES => encoded.section(&types(module)),
            FUNCTIONS => encoded.section(&functions(module)),
            TABLES => encoded.section(&tables(module, division)?),
            EXPORTS => encoded.section(&exports(module, division)),
            CODE => encoded.section(&code(module, division)),
            _ => encoded.section(&RawSection { id: *number, data: content }),
        };
    }
    Ok(encoded.finish())
}

const TYPES: u8 = SectionId::Type as u8;
const FUNCTIONS: u8 = SectionId::Function as u8;
const TABLES: u8 = SectionId::Table as u8;
const EXPORTS: u8 = SectionId::Export as u8;
const CODE: u8 = SectionId::Code as u8;

/// Returns all types, followed by that of a function without parameters and results.
pub(super) fn types(module: &Module) -> TypeSection {
    let mut types = TypeSection::new();
    for kind in &module.types {
        let encode = |types: &[wasmparser::ValType]| {
            types
                .iter()
                .map(|kind| RoundtripReencoder.val_type(*kind).expect("a type of the module"))
                .collect::<Vec<_>>()
        };
        types.ty().function(encode(kind.params()), encode(kind.results()));
    }
    types.ty().function([], []);
    types
}

/// Returns all functions, followed by the loader.
fn functions(module: &Module) -> FunctionSection {
    let mut functions = FunctionSection::new();
    for kind in &module.function_types[module.imported_functions as usize..] {
        functions.function(*kind);
    }
    functions.function(module.types.len() as u32);
    functions
}

/// Returns the stub table.
pub(super) fn stub_table(division: &Division) -> TableType {
    let entries = division.stubs.len() as u64 + 1;
    TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: entries,
        maximum: Some(entries),
        shared: false,
    }
}

fn tables(module: &Module, division: &Division) -> Outcome<TableSection> {
    let mut tables = TableSection::new();
    for table in &module.tables {
        tables.table(RoundtripReencoder.table_type(*table).map_err(text)?);
    }
    tables.table(stub_table(division));
    Ok(tables)
}

fn exports(module: &Module, division: &Division) -> ExportSection {
    let mut exports = ExportSection::new();
    for export in &module.exports {
        let kind = match export.kind {
            wasmparser::ExternalKind::Table => ExportKind::Table,
            wasmparser::ExternalKind::Memory => ExportKind::Memory,
            wasmparser::ExternalKind::Global => ExportKind::Global,
            wasmparser::ExternalKind::Tag => ExportKind::Tag,
            _ => ExportKind::Func,
        };
        exports.export(export.name, kind, export.index);
    }
    for function in &division.shared {
        exports.export(&shared_name('f', *function), ExportKind::Func, *function);
    }
    for (kind, count, letter) in [
        (ExportKind::Table, module.tables.len(), 't'),
        (ExportKind::Memory, module.memories.len(), 'm'),
        (ExportKind::Global, module.globals.len(), 'g'),
    ] {
        for index in 0..count as u32 {
            exports.export(&shared_name(letter, index), kind, index);
        }
    }
    exports.export(STUBS, ExportKind::Table, module.tables.len() as u32);
    exports
}

fn code(module: &Module, division: &Division) -> CodeSection {
    let mut code = CodeSection::new();
    for (body, function) in module.bodies.iter().zip(module.imported_functions..) {
        if !division.moves[function as usize] {
            code.raw(body.as_bytes());
        } else if let Ok(position) = division.stubs.binary_search(&function) {
            code.function(&stub(module, function, position as i32 + 1));
        } else {
            code.function(&nobody());
        }
    }
    code.function(&loader(module));
    code
}

/// Returns a stub, which calls its entry of the stub table with its own arguments.
fn stub(module: &Module, function: u32, entry: i32) -> Function {
    let mut stub = Function::new([]);
    let kind = module.function_types[function as usize];
    let mut code = stub.instructions();
    code.call(module.function_types.len() as u32);
    for parameter in 0..module.types[kind as usize].params().len() as u32 {
        code.local_get(parameter);
    }
    code.i32_const(entry).call_indirect(module.tables.len() as u32, kind).end();
    stub
}

/// Returns a replacement for a function that is no longer called.
fn nobody() -> Function {
    let mut nobody = Function::new([]);
    nobody.instructions().unreachable().end();
    nobody
}

/// Returns a function that loads the secondary module unless it is loaded: entry 1 is the first that the module fills,
/// entry 0 is the script's loader.
fn loader(module: &Module) -> Function {
    let mut loader = Function::new([]);
    let (table, nothing) = (module.tables.len() as u32, module.types.len() as u32);
    let mut code = loader.instructions();
    code.i32_const(1).table_get(table).ref_is_null().if_(wasm_encoder::BlockType::Empty);
    code.i32_const(0).call_indirect(table, nothing).end().end();
    loader
}
