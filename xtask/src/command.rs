//! Runs programs, and prints each step with its duration.

use crate::{Outcome, paths};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Prints a step, runs it, and prints its duration.
///
/// # Errors
/// Fails if `action` does.
pub fn step<T>(what: &str, action: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    println!("── {what}");
    let start = Instant::now();
    let outcome = action();
    let verdict = if outcome.is_ok() { "done" } else { "failed" };
    println!("── {what}: {verdict} in {:.1} s", start.elapsed().as_secs_f64());
    outcome
}

/// Returns a command that runs in the clone.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(paths::root());
    command
}

/// Returns a Cargo command that runs in the clone.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command with its output on the terminal.
///
/// # Errors
/// Fails if it can't be started or doesn't succeed.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", words(command))) }
}

/// Runs a command and returns its standard output.
///
/// # Errors
/// Fails if it can't be started or doesn't succeed.
pub fn read(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{} ended with {}", words(command), output.status))
    }
}

/// Runs a command, and passes each line of its standard output to the terminal and to `look`; returns whether it
/// succeeded.
///
/// # Errors
/// Fails if it can't be started.
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

/// Command that runs beside others. Its output is printed when it has ended.
pub struct Background {
    child: Child,
    words: String,
    output: PathBuf,
}

impl Background {
    /// Starts a command, with a file for its output.
    ///
    /// # Errors
    /// Fails if it can't be started, or the file can't be written.
    pub fn start(command: &mut Command, output: PathBuf) -> Outcome<Self> {
        let create = || {
            std::fs::create_dir_all(output.parent().unwrap_or(&output))?;
            let file = File::create(&output)?;
            Ok((file.try_clone()?, file))
        };
        let (one, other) = create().map_err(|error: std::io::Error| format!("{}: {error}", output.display()))?;
        let child = command.stdin(Stdio::null()).stdout(one).stderr(other).spawn();
        Ok(Self { child: child.map_err(|error| cannot_start(command, &error))?, words: words(command), output })
    }

    /// Waits for the end, and prints the output.
    ///
    /// # Errors
    /// Fails if it doesn't succeed.
    pub fn end(mut self) -> Outcome {
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let output = std::fs::read(&self.output).map_err(|error| format!("{}: {error}", self.output.display()))?;
        print!("{}", String::from_utf8_lossy(&output));
        if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", self.words)) }
    }
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
