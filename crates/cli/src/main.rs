//! The command line: see [`traceglass_cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    ExitCode::from(traceglass_cli::run(arguments, &mut std::io::stdout().lock(), &mut std::io::stderr()))
}
