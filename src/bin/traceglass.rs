//! The command line: see [`traceglass::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    ExitCode::from(traceglass::cli::run(arguments, &mut std::io::stdout().lock(), &mut std::io::stderr()))
}
