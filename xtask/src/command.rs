//! Runs programs, says what it does and how long it took.

use crate::{Outcome, paths};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Says what begins, does it, says how long it took.
///
/// # Errors
/// What `action` returns.
pub fn step<T>(what: &str, action: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    println!("── {what}");
    let start = Instant::now();
    let outcome = action();
    let verdict = if outcome.is_ok() { "done" } else { "failed" };
    println!("── {what}: {verdict} in {:.1} s", start.elapsed().as_secs_f64());
    outcome
}

/// A command that runs in the clone.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(paths::root());
    command
}

/// Cargo, in the clone.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command, its output going to the terminal.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", words(command))) }
}

/// Runs a command and returns what it printed on its standard output.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn read(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{} ended with {}", words(command), output.status))
    }
}

/// Runs a command, passes every line of its standard output on to the terminal and to `look`; whether it succeeded.
///
/// # Errors
/// When it cannot be started.
pub fn watch(command: &mut Command, mut look: impl FnMut(&str)) -> Outcome<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| cannot_start(command, &error))?;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.map_err(|error| error.to_string())?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            look(&line);
        }
    }
    Ok(child.wait().map_err(|error| error.to_string())?.success())
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!("can't start {}: {error}", words(command))
}

fn words(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
