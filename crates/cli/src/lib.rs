//! Command-line tool `traceglass`: prints the analyses of the web page.

mod arguments;
mod blocks;
mod check;
mod compare;
mod dump;
#[cfg(test)]
mod edge_case_tests;
mod events;
mod excerpt;
mod export;
mod field_names;
mod groups;
mod info;
mod open;
mod redact;
mod report;
mod schema;
mod schema_diff;
mod stack_options;
mod stacks;
mod summary;
mod text;
mod values;
mod view;

pub use arguments::definition;

use arguments::Command;
use nettrace::SourceError;
use protocol::Failure;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use text::{Output, line};

const SUCCESS: u8 = 0;
/// The file can't be read, or the output can't be written. For `check`: the trace is damaged, or events were lost. For `compare`:
/// a rule failed.
const FAILURE: u8 = 1;
/// The arguments are invalid. For `check`: the trace can't be read.
const MISUSE: u8 = 2;

/// Reason why a command stopped.
enum Stop {
    /// The arguments are invalid.
    Usage(clap::Error),
    /// The trace can't be read.
    Failure(Failure),
    /// The output can't be written.
    Output(io::Error),
    /// The file at this path can't be created.
    File(PathBuf, io::Error),
}

impl From<clap::Error> for Stop {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Failure(engine::session::unreadable_source(&error))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Runs the command in the arguments after the program's name and returns the exit code.
///
/// Errors and warnings go to `notes`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, output: &mut dyn Write, notes: &mut dyn Write) -> u8 {
    let mut output = BufWriter::with_capacity(1 << 20, output);
    let (mut output, notes) = (Output::new(&mut output), &mut Output::new(notes));
    let result = execute(arguments, &mut output, notes).and_then(|code| Ok(output.flush().map(|()| code)?));
    // Only the exit code reports the error if notes can't be written.
    match result {
        Ok(code) => code,
        // The reader has closed the pipe, as `head` does.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => SUCCESS,
        Err(Stop::Output(error)) => {
            let _ = line!(notes, "traceglass: can't write the output: {error}");
            FAILURE
        }
        Err(Stop::File(path, error)) => {
            let _ = line!(notes, "traceglass: can't write “{}”: {error}", path.display());
            FAILURE
        }
        Err(Stop::Failure(failure)) => {
            let _ = line!(notes, "traceglass: {failure}");
            let _ = notes.print_lines(&failure.detail);
            FAILURE
        }
        Err(Stop::Usage(error)) => {
            let message = error.to_string();
            let _ = match message.strip_prefix("error: ") {
                Some(message) => notes.print_lines(&format!("traceglass: {}", message.trim_end())),
                // Without a command, the message is the help text.
                None => notes.print_lines(&message),
            };
            MISUSE
        }
    }
}

/// Creates or replaces a file.
fn create(path: &Path) -> Result<File, Stop> {
    File::create(path).map_err(|error| Stop::File(path.to_owned(), error))
}

fn execute(
    arguments: impl IntoIterator<Item = OsString>,
    output: &mut Output<'_>,
    notes: &mut Output<'_>,
) -> Result<u8, Stop> {
    let command = match arguments::parse(arguments) {
        // Help or the version.
        Err(error) if !error.use_stderr() => return Ok(output.print_lines(&error.to_string()).map(|()| SUCCESS)?),
        parsed => parsed?,
    };
    match command {
        Command::Summary(command) => command.run(output, notes),
        Command::Report(command) => command.run(output, notes),
        Command::Info(command) => command.run(output, notes),
        Command::Events(command) => command.run(output, notes),
        Command::Stacks(command) => command.run(output, notes),
        Command::Export(command) => command.run(notes),
        Command::Excerpt(command) => command.run(output, notes),
        Command::Redact(command) => command.run(output, notes),
        Command::Schema(command) => command.run(output, notes),
        Command::Blocks(command) => command.run(output, notes),
        Command::Dump(command) => command.run(output, notes),
        Command::Check(command) => return command.run(output),
        Command::Compare(command) => return command.run(output, notes),
        Command::View(command) => command.run(output, notes),
    }?;
    Ok(SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the exit code, the output and the notes.
    fn ran(text: &str) -> (u8, String, String) {
        let (mut output, mut notes) = (Vec::new(), Vec::new());
        let code = run(text.split_whitespace().map(OsString::from), &mut output, &mut notes);
        let [output, notes] = [output, notes].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
        (code, output, notes)
    }

    #[test]
    fn help_and_version_are_printed_to_output() {
        for (text, word) in [
            ("--help", "Commands:"),
            ("help", "Commands:"),
            ("events --help", "Usage: traceglass events"),
            ("help gc", "Usage: traceglass gc"),
            ("--version", "traceglass 0."),
        ] {
            let (code, output, notes) = ran(text);
            assert!(code == SUCCESS && output.contains(word) && notes.is_empty(), "{text}: {output}{notes}");
        }
    }

    #[test]
    fn invalid_arguments_are_named() {
        for (text, word) in [
            ("inform a", "inform"),
            ("info", "<FILE>"),
            ("info a b", "'b'"),
            ("info a --managed", "--managed"),
            ("info a --jsn", "--json"),
            ("info a --json=1", "--json"),
            ("events a --limit many", "expected a whole number"),
            ("events a --sum dur", "--by"),
            ("stacks a --format perf", "perf"),
            ("stacks a --source", "a value is required"),
            ("stacks a --managed --native", "cannot be used with"),
            ("stacks a --filter time:2s..1s", "time range"),
            ("events a --filter level>many", "character 7"),
            ("export a", "<OUT>"),
            ("export a b.txt", "--format"),
            ("export a b.csv c.csv", "'c.csv'"),
            ("export Cargo.toml Cargo.toml --format csv", "refusing to overwrite"),
            ("excerpt Cargo.toml ./Cargo.toml", "refusing to overwrite"),
            ("redact a", "<OUT>"),
            ("redact a b --only colors", "colors"),
            ("redact a b --only urls --keep sql", "cannot be used with"),
            ("dump a", "--offset"),
            ("dump a --offset ten", "ten"),
            ("blocks a --offset 1", "--offset"),
            ("schema a --json --csharp", "cannot be used with"),
            ("schema a b --csharp", "cannot be used with"),
            ("stacks a --amounts", "--baseline"),
            ("stacks a --by color", "color"),
            ("stacks a --by role --format pprof", "folded and csv"),
            ("info a --rows thread=1", "--rows"),
            ("check a --rows time:1s..", "--rows"),
            ("summary a --json --markdown", "cannot be used with"),
            ("summary a --page dist", "--html"),
            ("compare a", "<NEW>"),
            ("compare a b --per day", "day"),
            ("compare a b c --html out.html", "one old trace"),
            ("compare a b --page dist", "--html"),
            ("compare a b --redact", "--html"),
            ("view a --html out.html --follow", "cannot be used with"),
            ("compare a b --range 2s..1s", "--range"),
            ("compare a b --fail-if p99", "such as 'p99"),
        ] {
            let (code, output, notes) = ran(text);
            assert_eq!((code, output.as_str()), (MISUSE, ""), "{text}");
            assert!(notes.starts_with("traceglass: ") && notes.contains(word), "{text}: {notes}");
        }
    }

    #[test]
    fn missing_command_prints_help_to_notes() {
        let (code, output, notes) = ran("");
        assert!(code == MISUSE && output.is_empty() && notes.contains("Commands:"), "{notes}");
    }

    #[test]
    fn missing_file_fails() {
        let (code, output, notes) = ran("info /nowhere/app.nettrace");
        assert_eq!((code, output.as_str()), (FAILURE, ""));
        assert!(notes.starts_with("traceglass: Can't read “/nowhere/app.nettrace”"), "{notes}");
        assert_eq!(ran("check /nowhere/app.nettrace").0, MISUSE);
    }
}
