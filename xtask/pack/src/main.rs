//! Converts compiled WebAssembly to the files that a page loads. `cargo xtask` runs it.
//!
//! It links wasm-bindgen as a library: installing its command-line tool takes minutes, most of them for a web server
//! and TLS.

mod split;

use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "\
usage: xtask-pack bind FILE.wasm NAME FOLDER   write FOLDER/NAME.js and FOLDER/NAME_bg.wasm, as `wasm-bindgen --target web` does
       xtask-pack divide FIRST.wasm REST.wasm  divide the program in FIRST.wasm into both";

/// Result of a step; the error is a message for the terminal.
type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["bind", wasm, name, folder] => bind(Path::new(wasm), name, Path::new(folder)),
        ["divide", first, rest] => split::divide(Path::new(first), Path::new(rest)),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask-pack: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a program and the script that loads it, with the settings of the command-line tool.
fn bind(wasm: &Path, name: &str, folder: &Path) -> Outcome {
    let mut bindgen = Bindgen::new();
    let generated = bindgen
        .input_path(wasm)
        .out_name(name)
        .web(true)
        .map(|bindgen| bindgen.typescript(false).omit_default_module_path(false))
        .and_then(|bindgen| bindgen.generate(folder));
    generated.map_err(|error| format!("{}: {error:#}", wasm.display()))
}
