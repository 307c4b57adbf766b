//! Commands of `traceglass` and their parser.

use super::Stop;
use super::blocks::BlocksCommand;
use super::check::CheckCommand;
use super::compare::CompareCommand;
use super::dump::DumpCommand;
use super::events::EventsCommand;
use super::excerpt::ExcerptCommand;
use super::export::ExportCommand;
use super::info::InfoCommand;
use super::redact::RedactCommand;
use super::report::ReportCommand;
use super::schema::SchemaCommand;
use super::stacks::StacksCommand;
use super::summary::SummaryCommand;
use super::values;
use super::view::ViewCommand;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use protocol::base::indexed_part::Window;
use std::ffi::OsString;
use std::iter;
use std::path::{Path, PathBuf};

/// Inspect .NET EventPipe traces (.nettrace, .netperf), including inside .gz, .zst and .zip files
#[derive(Parser, Debug)]
#[command(name = "traceglass", version, args_override_self = true, after_help = NOTES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const NOTES: &str = "\
For an archive with several traces, FILE!ENTRY selects one: capture.zip!day/app.nettrace

A FILTER uses the same syntax as the web page:
  traceglass events app.nettrace --filter 'event:Stop dur>5ms -thread:Finalizer'
  traceglass gc app.nettrace --filter 'time:1.5s..2s'

A trace of more than 100,000,000 events is only partly indexed. --rows selects the part. Totals always cover the whole
file.

Exit codes: 0 success, 1 the file can't be read, 2 invalid arguments. The commands check and compare have their own.
Truncated or damaged traces are read as far as possible, with notes on stderr.";

#[derive(Subcommand, Debug)]
pub enum Command {
    View(ViewCommand),
    Summary(SummaryCommand),
    Compare(CompareCommand),
    #[command(flatten)]
    Report(ReportCommand),
    Info(InfoCommand),
    Events(EventsCommand),
    Stacks(StacksCommand),
    Export(ExportCommand),
    Excerpt(ExcerptCommand),
    Redact(RedactCommand),
    Schema(SchemaCommand),
    Blocks(BlocksCommand),
    Dump(DumpCommand),
    Check(CheckCommand),
}

// No doc comment: it would replace the help of the commands that contain these arguments.
#[derive(Args, Debug)]
pub struct Trace {
    /// Trace to read
    pub file: PathBuf,
    /// Index only a time range and providers of a very large trace: 'time:1s..2s provider=Name'
    #[arg(long, value_name = "FILTER", value_parser = values::rows)]
    pub rows: Option<Window>,
}

/// Parses the arguments after the program's name.
///
/// # Errors
/// Returns an error for invalid arguments, and for requests for help or the version.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let arguments = command_first(arguments.into_iter().collect());
    let arguments = Arguments::try_parse_from(iter::once("traceglass".into()).chain(arguments))?;
    Ok(arguments.command)
}

/// Returns the definition of all commands and options.
pub fn definition() -> clap::Command {
    Arguments::command()
}

/// Moves the command before the options that precede it, as in `--json info FILE`.
fn command_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let definition = definition();
    let takes_value = |name: &str| {
        let mut options = definition.get_subcommands().flat_map(clap::Command::get_arguments);
        options.any(|option| option.get_long() == Some(name) && option.get_action().takes_values())
    };
    let mut command = 0;
    while let Some(option) = arguments.get(command).and_then(|argument| argument.to_str()?.strip_prefix("--")) {
        if ["", "help", "version"].contains(&option) {
            return arguments;
        }
        command += if takes_value(option) { 2 } else { 1 };
    }
    if let Some(before) = arguments.get_mut(..=command) {
        before.rotate_right(1);
    }
    arguments
}

/// Stops a command with conflicting arguments.
pub fn misuse(message: impl std::fmt::Display) -> Stop {
    clap::Error::raw(ErrorKind::ArgumentConflict, message).into()
}

/// Stops a command that would overwrite the trace that it reads.
pub fn check_output(output: &Path, input: &Path) -> Result<(), Stop> {
    match (output.canonicalize(), input.canonicalize()) {
        (Ok(written), Ok(read)) if written == read => {
            Err(misuse(format_args!("refusing to overwrite the input file “{}”", output.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        let command = parse(text.split(' ').map(OsString::from));
        format!("{:?}", command.unwrap_or_else(|error| panic!("{text}: {error}")))
    }

    #[test]
    fn definition_is_consistent() {
        definition().debug_assert();
    }

    #[test]
    fn options_may_precede_file_and_command() {
        for (text, same) in [
            ("events --json --limit 5 a --filter dur>5ms", "events a --json --limit 5 --filter dur>5ms"),
            ("--limit=5 events --filter dur>5ms --json a", "events a --json --limit 5 --filter dur>5ms"),
            ("--filter gc --json events a", "events a --json --filter gc"),
            ("stacks --managed -- a", "stacks a --managed"),
            ("--json gc a", "gc a --json"),
        ] {
            assert_eq!(parsed(text), parsed(same), "{text}");
        }
        assert!(parsed("stacks -- --odd").contains("--odd"));
    }

    #[test]
    fn repeated_option_keeps_last_value() {
        assert_eq!(parsed("events a --limit 1 --json --limit 2 --json"), parsed("events a --limit 2 --json"));
        assert!(parsed("stacks a --symbols b --symbols c").contains("[\"b\", \"c\"]"));
    }

    #[test]
    fn filter_empty_or_with_hyphen_is_accepted() {
        assert!(parsed("events a --filter -thread:7").contains("-thread:7"));
        assert_eq!(parsed("events a --filter="), parsed("events a --filter "));
    }
}
