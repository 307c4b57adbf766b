//! Tests the split of a small program into two modules.

use super::module::Module;
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, ImportSection, MemorySection, MemoryType, NameMap, NameSection, RefType, TableSection,
    TableType, TypeSection, ValType,
};
use wasmparser::Validator;

const QUESTIONS: [&str; 1] = ["state::Session>::answer"];
const BEHIND_TABLES: [&str; 1] = ["engine::analysis::"];

fn split(wasm: &[u8]) -> crate::Outcome<(Vec<u8>, Vec<u8>)> {
    super::split(wasm, &QUESTIONS, &BEHIND_TABLES)
}

/// Returns a program that logs (imported), opens, and answers: `answer` calls `sum`, which only it needs, and `grow`,
/// which opening needs as well. `listed` is called through the table.
fn program() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I32, ValType::I64], [ValType::I32]);
    types.ty().function([ValType::I32], []);
    let mut imports = ImportSection::new();
    imports.import("page", "log", EntityType::Function(1));
    let mut functions = FunctionSection::new();
    for _ in 0..5 {
        functions.function(0);
    }
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: 1,
        maximum: None,
        shared: false,
    });
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
    let mut globals = GlobalSection::new();
    globals.global(GlobalType { val_type: ValType::I32, mutable: true, shared: false }, &ConstExpr::i32_const(7));
    let mut exports = ExportSection::new();
    exports.export("open", ExportKind::Func, 1);
    let mut elements = ElementSection::new();
    elements.active(None, &ConstExpr::i32_const(0), Elements::Functions([5].as_slice().into()));
    let mut code = CodeSection::new();
    for called in [&[2, 4][..], &[3], &[4, 0], &[], &[]] {
        code.function(&body(called));
    }
    let mut module = wasm_encoder::Module::new();
    module.section(&types).section(&imports).section(&functions).section(&tables).section(&memories);
    module.section(&globals).section(&exports).section(&elements).section(&code);
    module.finish()
}

/// Returns a function of the first type that calls functions; function 0 has the second type.
fn body(called: &[u32]) -> Function {
    let mut body = Function::new([]);
    let mut code = body.instructions();
    for function in called {
        code.local_get(0);
        if *function == 0 {
            code.call(0);
        } else {
            code.local_get(1).call(*function).drop();
        }
    }
    code.global_get(0).end();
    body
}

fn with_names(program: &[u8]) -> Vec<u8> {
    let mut names = NameMap::new();
    let list = [
        "log",
        "open",
        "traceglass_engine::session::db::state::Session>::answer",
        "sum",
        "grow",
        "traceglass_engine::analysis::listed",
    ];
    for (index, name) in list.into_iter().enumerate() {
        names.append(index as u32, name);
    }
    let mut section = NameSection::new();
    section.functions(&names);
    let mut bytes = program.to_vec();
    wasm_encoder::Section::append_to(&section, &mut bytes);
    bytes
}

#[test]
fn answer_functions_and_their_helpers_move() {
    let program = with_names(&program());
    let (first, rest) = split(&program).expect("it is divided");
    for half in [&first, &rest] {
        Validator::new().validate_all(half).expect("a valid module");
    }
    let (first, rest) = (parsed(&first), parsed(&rest));
    let exports: Vec<&str> = first.exports.iter().map(|export| export.name).collect();
    assert_eq!(exports, ["open", "f0", "f4", "t0", "m0", "g0", "rest"]);
    assert_eq!(rest.imported_functions, 2, "the log and what opening needs as well");
    assert_eq!(rest.bodies.len(), 3, "the answer, its sum, and what is called through the table");
    assert_eq!(first.tables[1].initial, 3, "the loader, the answer, and what is called through the table");
}

#[test]
fn functions_keep_indices_in_primary_module() {
    let program = with_names(&program());
    let whole = parsed(&program);
    let (first, _) = split(&program).expect("it is divided");
    let first = parsed(&first);
    assert_eq!(first.bodies.len(), whole.bodies.len() + 1, "one more, which loads");
    let opens = |module: &Module| module.body(1).map(|body| body.as_bytes().to_vec());
    assert_eq!(opens(&first), opens(&whole));
}

#[test]
fn program_without_names_is_rejected() {
    let refused = split(&program()).expect_err("nobody knows what moves");
    assert!(refused.contains("no names"), "{refused}");
}

#[test]
fn program_without_moved_functions_is_rejected() {
    let refused = super::split(&with_names(&program()), &[], &[]).expect_err("there would be nothing to load");
    assert!(refused.contains("nothing"), "{refused}");
}

#[test]
fn unknown_function_name_is_rejected() {
    let program = with_names(&program());
    for (questions, behind_tables) in
        [(["::answer", "::gone"], ["analysis"; 2]), (["::answer"; 2], ["analysis", "::gone"])]
    {
        let refused = super::split(&program, &questions, &behind_tables).expect_err("one name is in no function");
        assert!(refused.contains("`::gone`"), "{refused}");
    }
}

/// Parses one of the modules, which have no names any more.
fn parsed(half: &[u8]) -> Module<'_> {
    Module::parse(half).expect("a module")
}
