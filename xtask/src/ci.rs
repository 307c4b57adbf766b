//! Continuous integration: what `check` and `test` do. Crates are linted while they are compiled, so that dependencies
//! aren't checked as well as compiled.

use crate::{Outcome, check, command, lint, paths, setup};

/// Installs what is missing, checks, and tests.
///
/// # Errors
/// Fails if a check or a test fails.
pub fn run() -> Outcome {
    setup::run_all(false)?;
    // Everything in this folder was linted when it was compiled.
    let target = paths::target().join("ci");
    check::besides_compiled(&target)?;
    let mut tests = command::command(lint::this_program()?);
    command::run(lint::while_compiling(tests.arg("test").env("CARGO_TARGET_DIR", target))?)
}
