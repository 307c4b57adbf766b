//! The native twin: the same session on a command line.

pub mod arguments;
mod blocks;
mod check;
mod conditions;
mod dump;
mod events;
mod excerpt;
mod groups;
mod help;
mod info;
mod open;
mod report;
mod schema;
mod schema_diff;
mod stack_options;
mod stacks;
mod summary;
mod text;

use arguments::Command;
use protocol::Failure;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// All was read.
const READ: u8 = 0;
/// The file, or where the output goes, does not cooperate; of `check`: the trace is not whole.
const FAILED: u8 = 1;
/// The arguments are wrong; of `check`: the trace cannot be read.
const MISUSED: u8 = 2;

/// Why a command stopped.
enum Stop {
    /// The trace cannot be read.
    Failure(Failure),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Does what the arguments behind the program's name say, and tells the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, output: &mut dyn Write, notes: &mut dyn Write) -> u8 {
    let command = match arguments::parse(arguments) {
        Ok(command) => command,
        Err(message) => {
            // If even the notes cannot be written, the exit code has to do, here and below.
            let _ = writeln!(notes, "traceglass: {message}. “traceglass --help” says how.");
            return MISUSED;
        }
    };
    let mut output = BufWriter::with_capacity(1 << 20, output);
    let result = execute(command, &mut output, notes).and_then(|code| Ok(output.flush().map(|()| code)?));
    match result {
        Ok(code) => code,
        // Whoever read the output has seen enough, as in “| head”.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => READ,
        Err(Stop::Output(error)) => {
            let _ = writeln!(notes, "traceglass: the output cannot be written: {error}");
            FAILED
        }
        Err(Stop::Failure(failure)) => {
            let _ = writeln!(notes, "traceglass: {failure}");
            if !failure.detail.is_empty() {
                let _ = writeln!(notes, "{}", failure.detail);
            }
            FAILED
        }
    }
}

fn execute(command: Command, output: &mut impl Write, notes: &mut dyn Write) -> Result<u8, Stop> {
    match command {
        Command::Check { file, json } => return check::print(&file, json, output),
        Command::Help => output.write_all(help::HELP.as_bytes()).map_err(Stop::from),
        Command::Version => writeln!(output, "traceglass {}", env!("CARGO_PKG_VERSION")).map_err(Stop::from),
        Command::Info { trace, json, digest } => info::print(&open::open(trace, notes)?, json, digest, output),
        Command::Schema { trace, wanted, other: None } => schema::print(&mut open::open(trace, notes)?, wanted, output),
        Command::Schema { trace, wanted, other: Some(other) } => {
            // One after the other: only what is declared of the first stays.
            let before = open::open(trace, notes)?.schemas();
            let after = open::open(other, notes)?.schemas();
            schema_diff::print(&before, &after, wanted == schema::SchemaOutput::Json, output)
        }
        Command::Blocks { trace, json } => blocks::print(&open::open(trace, notes)?, json, output),
        Command::Dump { trace, json, range } => dump::print(&open::open(trace, notes)?, range, json, output),
        Command::Events { trace, json, limit, filter, groups: Some(query), .. } => {
            groups::print(&mut open::open(trace, notes)?, &filter, &query, json, limit, output)
        }
        Command::Events { trace, json, limit, payload, filter, groups: None } => {
            events::print(&mut open::open(trace, notes)?, &filter, json, limit, payload, output)
        }
        Command::Summary { trace, json, filter } => {
            summary::print(&mut open::open(trace, notes)?, &filter, json, output)
        }
        Command::Report { trace, topic, json, limit, filter } => {
            report::print(&mut open::open(trace, notes)?, topic, &filter, json, limit, output)
        }
        Command::Excerpt { trace, to, filter } => {
            excerpt::write(&mut open::open(trace, notes)?, &filter, &mut File::create(&to)?, output)
        }
        Command::Stacks { trace, wanted, to } => {
            let mut session = open::open(trace, notes)?;
            stacks::add_symbols(&mut session, &wanted.symbols, notes)?;
            match to {
                None => stacks::print(&mut session, &wanted, output),
                Some(path) => {
                    let mut file = BufWriter::new(File::create(&path)?);
                    stacks::print(&mut session, &wanted, &mut file)?;
                    file.flush().map_err(Stop::from)
                }
            }
        }
    }?;
    Ok(READ)
}
