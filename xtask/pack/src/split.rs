//! Splits the worker's program in two: the part that opens traces, and the part that answers requests.
//!
//! A visitor downloads the worker in advance, so that it is running when the first trace is opened. Requests come only
//! after that, so their code is a separate module, `worker_rest.wasm`, which is downloaded with the first trace.
//!
//! Both modules share memory, tables and globals, and are one program: the secondary module imports them from the
//! primary one. A function that moved is a stub in the primary module, which calls through a separate table. The
//! secondary module fills its entries when it is instantiated. A stub that finds the table empty first calls entry 0,
//! with which the page's script loads the secondary module synchronously. So any function may move; the choice affects
//! only how often this wait happens: never while a trace is opened (a browser test checks it). Regions of large traces are
//! shared with further workers once the secondary module is there.
//!
//! Functions move if they are called only by the functions below.

mod module;
mod primary_module;
mod reach;
mod secondary_module;

use crate::Outcome;
use module::Module;
use reach::Division;
use std::path::Path;

/// Parts of the names of functions that begin an answer, or share the reading of a large trace with further workers: their
/// callers cross the border between the modules.
const QUESTIONS: [&str; 6] = [
    "traceglass_engine::session::db::state::Session>::question",
    "traceglass_engine::session::db::state::Session>::turn",
    "traceglass_engine::session::db::state::Session>::add_symbols",
    "traceglass_engine::session::open::loader::Loader>::share_region",
    "traceglass_engine::session::open::loader::Loader>::add_region",
    "traceglass_engine::model::ingest::parallel::transfer::read_region",
];

/// Parts of the names of functions that answers call through tables (`dyn`). They move unless other code calls them,
/// too.
const BEHIND_TABLES: [&str; 3] =
    ["traceglass_engine::analysis::", "traceglass_engine::session::db::work::", "nettrace::structure::"];

/// Splits the program in `wasm`, a file with function names, which becomes the primary module; writes the secondary
/// module to `rest`.
///
/// # Errors
/// Fails if the file isn't a module with names, or can't be read or written.
pub fn divide(wasm: &Path, rest: &Path) -> Outcome {
    let bytes = std::fs::read(wasm).map_err(|error| format!("{}: {error}", wasm.display()))?;
    let (first_bytes, rest_bytes) =
        split(&bytes, &QUESTIONS, &BEHIND_TABLES).map_err(|error| format!("{}: {error}", wasm.display()))?;
    for (path, bytes) in [(wasm, first_bytes), (rest, rest_bytes)] {
        std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the two modules into which a module is split.
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
