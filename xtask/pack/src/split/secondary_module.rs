//! Secondary module, which is loaded later and contains only the functions that moved.

use super::module::{Module, text};
use super::primary_module;
use super::primary_module::shared_name;
use super::reach::Division;
use crate::Outcome;
use std::collections::HashMap;
use std::convert::Infallible;
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{CodeSection, ConstExpr, ElementSection, Elements, EntityType, FunctionSection, ImportSection};

/// Name of the primary module in the imports, for which the script provides its exports.
const FIRST: &str = "first";

pub(super) fn encode(module: &Module, division: &Division) -> Outcome<Vec<u8>> {
    let moved: Vec<u32> =
        (0..).zip(&division.moves).filter(|(_, moves)| **moves).map(|(function, _)| function).collect();
    let numbers = division.shared.iter().chain(&moved).copied().zip(0..).collect();
    let mut renumber = Renumber(numbers);
    let mut functions = FunctionSection::new();
    for function in &moved {
        functions.function(module.function_types[*function as usize]);
    }
    let mut code = CodeSection::new();
    for function in &moved {
        let body = module.body(*function).ok_or("an imported function moves")?.clone();
        renumber.parse_function_body(&mut code, body).map_err(text)?;
    }
    let mut encoded = wasm_encoder::Module::new();
    encoded.section(&primary_module::types(module)).section(&imports(module, division)?).section(&functions);
    encoded.section(&stubs(module, division, &renumber)).section(&code);
    Ok(encoded.finish())
}

/// Returns the imports. All items of the primary module keep their indices, except functions.
fn imports(module: &Module, division: &Division) -> Outcome<ImportSection> {
    let mut imports = ImportSection::new();
    for function in &division.shared {
        let kind = module.function_types[*function as usize];
        imports.import(FIRST, &shared_name('f', *function), EntityType::Function(kind));
    }
    for (table, index) in module.tables.iter().zip(0..) {
        let table = RoundtripReencoder.table_type(*table).map_err(text)?;
        imports.import(FIRST, &shared_name('t', index), table);
    }
    imports.import(FIRST, primary_module::STUBS, primary_module::stub_table(division));
    for (memory, index) in module.memories.iter().zip(0..) {
        let memory = RoundtripReencoder.memory_type(*memory).map_err(text)?;
        imports.import(FIRST, &shared_name('m', index), memory);
    }
    for (global, index) in module.globals.iter().zip(0..) {
        let global = RoundtripReencoder.global_type(*global).map_err(text)?;
        imports.import(FIRST, &shared_name('g', index), global);
    }
    Ok(imports)
}

/// Returns the segment that fills the stub table from its second entry on.
fn stubs(module: &Module, division: &Division, renumber: &Renumber) -> ElementSection {
    let functions: Vec<u32> = division.stubs.iter().map(|function| renumber.0[function]).collect();
    let mut elements = ElementSection::new();
    let table = Some(module.tables.len() as u32);
    elements.active(table, &ConstExpr::i32_const(1), Elements::Functions(functions.as_slice().into()));
    elements
}

/// New indices of functions.
struct Renumber(HashMap<u32, u32>);

impl Reencode for Renumber {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        Ok(self.0[&function])
    }
}
