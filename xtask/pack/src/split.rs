//! Divides the worker's program in two: what opens traces, and what answers questions about them.
//!
//! A visitor fetches the worker ahead of need, so that the first trace finds a reader that runs. Nobody asks anything before
//! there is a trace; what answers is therefore a module of its own, `worker_rest.wasm`, which is fetched with the first one.
//!
//! Both modules share memory, tables and globals and are one program: the second imports them from the first. In the first, a
//! function that moved is a stub that calls through a table of its own, whose entries the second fills when it is
//! instantiated. A stub that finds the table empty calls entry 0 first, with which the page's script loads the second module on
//! the spot. So nothing depends on who was chosen to move, but how often that wait happens: never, while a trace is opened
//! (a test in a browser holds it).
//!
//! Who moves: what the functions below call, and nothing else does.

mod module;
mod primary_module;
mod reach;
mod secondary_module;

use crate::Outcome;
use module::Module;
use reach::Division;
use std::path::Path;

/// Names (parts of them) of the functions with which answering begins: whoever calls one of these crosses the border.
const QUESTIONS: [&str; 4] = [
    "traceglass_engine::session::db::state::Session>::question",
    "traceglass_engine::session::db::state::Session>::answer",
    "traceglass_engine::session::db::state::Session>::prepare",
    "traceglass_engine::session::db::state::Session>::add_symbols",
];

/// Names of what only answering calls through tables (functions behind `dyn`), if nothing else calls it as well.
const BEHIND_TABLES: [&str; 3] =
    ["traceglass_engine::analysis::", "traceglass_engine::session::db::work::", "nettrace::structure::"];

/// Divides the program in `wasm`, a file with function names, which becomes the first part; writes the other to `rest`.
///
/// # Errors
/// When the file is no module with names, or cannot be read or written.
pub fn divide(wasm: &Path, rest: &Path) -> Outcome {
    let bytes = std::fs::read(wasm).map_err(|error| format!("{}: {error}", wasm.display()))?;
    let (first_bytes, rest_bytes) =
        split(&bytes, &QUESTIONS, &BEHIND_TABLES).map_err(|error| format!("{}: {error}", wasm.display()))?;
    for (path, bytes) in [(wasm, first_bytes), (rest, rest_bytes)] {
        std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The two modules that a module becomes.
fn split(wasm: &[u8], questions: &[&str], behind_tables: &[&str]) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let module = Module::parse(wasm)?;
    if module.names.is_empty() {
        return Err("has no names of functions, which decide what to move".to_owned());
    }
    // Renamed functions would silently stay in the part that every visitor downloads.
    for part in questions.iter().chain(behind_tables) {
        if !module.names.values().any(|name| name.contains(part)) {
            return Err(format!(
                "has no function with `{part}` in its name: it was renamed or inlined (xtask/pack/src/split.rs)"
            ));
        }
    }
    let division = Division::new(&module, questions, behind_tables)?;
    if division.stubs.is_empty() {
        return Err("has nothing that could move".to_owned());
    }
    Ok((primary_module::encode(&module, &division)?, secondary_module::encode(&module, &division)?))
}

#[cfg(test)]
mod tests;
