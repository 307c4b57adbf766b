//! What was asked on the command line.

use super::conditions::{understood, window};
use super::groups::grouping;
use super::schema::SchemaOutput;
use super::stack_options::StackOptions;
use crate::model::window::Window;
use crate::protocol::request::GroupQuery;
use crate::session::export::stacks::StackFormat;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How to use the program.
pub const HELP: &str = "\
Reads .NET EventPipe traces (.nettrace, .netperf), also inside of .gz, .zst and .zip.

Usage:
  traceglass info FILE [--rows FILTER] [--json] [--digest]
      What is in the trace: header, event types, threads.
  traceglass events FILE [--filter FILTER] [--rows FILTER] [--json] [--limit N] [--payload]
      Events in time order, one a line. As JSON, decoded payloads come with the first 20 events
      of each type, or with every event (--payload).
  traceglass events FILE --by WHAT [--sum NUMBER] [--filter FILTER] [--rows FILTER] [--json] [--limit N]
      How many events have WHAT in common: event, provider, thread, level, or the value of a field of
      the payload, such as TypeName. NUMBER is a field, too, or dur, how long things last: its sum,
      smallest and largest value, median and 95th percentile.
  traceglass stacks FILE [--format FORMAT] [--source EVENT] [--weight WEIGHT] [--managed | --external]
                    [--rows FILTER] [--filter FILTER] [--baseline rest|FILTER [--amounts]]
                    [--by process|thread|role|activity] [--symbols FILE]...
                    [--mine [--framework PREFIXES]] [--frames KIND] [--merge-recursion]
                    [--group PATTERNS] [--fold PATTERNS] [--stitch]
      Samples, or events of a kind, by thread and stack. FORMAT is
        folded      one distinct stack a line, root first, with its weight; for flame graphs
        speedscope  each thread over time, for speedscope.app
        firefox     each thread's samples, for profiler.firefox.com
        chrome      each thread over time, for ui.perfetto.dev and Chrome's tracing (samples only)
        pprof       distinct stacks with counts and nanoseconds, for “go tool pprof” (binary)
        csv         a table: what each function weighs with its callees and alone, and when it was
                    on a stack for the first and the last time
      EVENT is a kind of event that has stacks, such as GC/AllocationTick or Provider/Name, or all.
      WEIGHT is count, or time: the nanoseconds that a sample stands for, or how long what begins
      with the event lasts; or the name of a number in the event's payload, such as ObjectSize.
      --managed takes only samples that found the thread in managed code, --external only the others.
      --baseline compares with the same stacks of other events, or of the rest: folded (two numbers,
      the baseline first) or csv. Shares are compared: the baseline is scaled to the same total,
      unless --amounts says otherwise.
      --by makes stacks begin with their process, thread, role (of the thread) or activity (the
      request or other piece of work that they are part of); for folded and csv.
      --stitch puts what runs for a task below the stack that scheduled or awaited it, where events
      of the task library have stacks; for folded and csv.
      --symbols names code that the trace does not: a perf-PID.map of the process; a portable PDB
      is checked against its module.
      --mine shows of .NET's own frames only those that other code calls, puts async methods that
      await one another into one chain, and code without a name into one frame a module; --framework
      names other namespaces and modules than .NET's, with commas between them. KIND of one frame is functions,
      classes, namespaces or modules. PATTERNS are PerfView's: “{%}!->module $1”, “Thread%=>threads”.
  traceglass export FILE OUT [options of stacks]
      Writes stacks to the file OUT. Without --format its ending says how: .folded.txt,
      .speedscope.json, .firefox.json, .trace.json (chrome), .pb (pprof) or .csv.
  traceglass excerpt FILE OUT [--filter FILTER]
      Writes the events that match to the file OUT, as a trace of the same format: with what is needed
      to understand them (names of code, threads and types, stacks), whenever that was recorded.
  traceglass schema FILE [--json | --csharp | --values]
      Every kind of event by provider, event and version: its fields as declared, level, keywords,
      opcode, who describes it, how many there are, their bytes, threads and times. --values adds
      what values the fields have, --csharp writes event sources that would write such events.
  traceglass schema FILE OTHER [--json]
      What was added, removed and changed in kinds of events from one trace to the other.
  traceglass blocks FILE [--json]
      The pieces that the file consists of, from its first byte to its last: header, blocks, damage.
      What they hold, and what is spent on each kind of block, provider and event.
  traceglass dump FILE --offset N [--length N] [--json]
      Bytes of the file, and what each of them is. Numbers are decimal, or hexadecimal with 0x.
  traceglass check FILE [--json]
      Is the trace whole? Its version, processes, problems, and lost events by thread.

FILE!ENTRY names one of several traces in an archive.

FILTER is what can be typed into the page, such as 'event:Stop dur>5ms -thread:Finalizer' or
'time:1.5s..2s payload.Count>3 timeout'; docs/filter-language.md explains it.

A trace of more than 100,000,000 events is held in memory only in part; --rows says which: a range
of time and providers, such as 'time:1s..2s provider=Name'. Totals are always of all events.

Options:
  --json       machine-readable output
  --digest     with info --json: checksums over all events, to compare two readers
  --limit N    with events: stop after N events
  -h, --help   this text
  -V, --version

Exit code: 0 if all was read, 1 if the file cannot be read, 2 if the arguments are wrong.
A trace that is cut or damaged is shown as far as it can be read, with a note on standard error.
Of check: 0 if the trace is whole, 1 if it is damaged or events were lost, 2 if it cannot be read.
";

/// A trace, and which of its events are to be in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Where it is.
    pub path: PathBuf,
    /// The part that gets rows.
    pub rows: Window,
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// What is in a trace.
    Info {
        /// The trace.
        trace: Trace,
        /// As JSON.
        json: bool,
        /// With checksums over all events.
        digest: bool,
    },
    /// The events of a trace.
    Events {
        /// The trace.
        trace: Trace,
        /// As JSON lines.
        json: bool,
        /// At most so many.
        limit: Option<u64>,
        /// Decoded payload with every event.
        payload: bool,
        /// Which ones, in the language of filters.
        filter: String,
        /// Counted by what they have in common, instead of one by one.
        groups: Option<GroupQuery>,
    },
    /// The kinds of events of a trace.
    Schema {
        /// The trace.
        trace: Trace,
        /// How they are printed.
        wanted: SchemaOutput,
        /// The trace that it is compared with, if it is.
        other: Option<Trace>,
    },
    /// The pieces of a file.
    Blocks {
        /// The trace.
        trace: Trace,
        /// As JSON.
        json: bool,
    },
    /// Bytes of a file, and what they are.
    Dump {
        /// The trace.
        trace: Trace,
        /// As JSON.
        json: bool,
        /// Which bytes.
        range: Range<u64>,
    },
    /// Some of the events as a trace.
    Excerpt {
        /// The trace.
        trace: Trace,
        /// The file to write.
        to: PathBuf,
        /// Which events, in the language of filters.
        filter: String,
    },
    /// Whether a trace is whole.
    Check {
        /// The trace.
        file: PathBuf,
        /// As JSON.
        json: bool,
    },
    /// The samples of a trace by stack.
    Stacks {
        /// The trace.
        trace: Trace,
        /// Which of them, and how.
        wanted: Box<StackOptions>,
        /// The file that they are written to; to the output if none.
        to: Option<PathBuf>,
    },
}

/// Understands the arguments behind the program's name.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut given = Given::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        given.take(argument, &mut arguments)?;
    }
    given.command()
}

#[derive(Default)]
struct Given {
    positional: Vec<OsString>,
    /// Options other than help and version, as written, each with its value if it takes one.
    options: Vec<(&'static str, String)>,
    help: bool,
    version: bool,
    only_positional: bool,
}

/// Options without a value.
const SWITCHES: [&str; 5] = ["--json", "--digest", "--payload", "--csharp", "--values"];
/// Options with one.
const VALUED: [&str; 6] = ["--limit", "--rows", "--filter", "--sum", "--offset", "--length"];
/// Bytes that are dumped if nobody says how many.
const DUMPED_BYTES: u64 = 256;

impl Given {
    fn take(&mut self, argument: OsString, rest: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        let text = argument.to_str().unwrap_or_default();
        if self.only_positional || !text.starts_with('-') || text == "-" {
            self.positional.push(argument);
            return Ok(());
        }
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        match name {
            "--" => self.only_positional = true,
            "-h" | "--help" => self.help = true,
            "-V" | "--version" => self.version = true,
            _ => {
                let mut options =
                    SWITCHES.into_iter().chain(VALUED).chain(StackOptions::SWITCHES).chain(StackOptions::VALUED);
                let option = options.find(|option| *option == name);
                let option = option.ok_or_else(|| format!("there is no option “{name}”"))?;
                self.option(option, attached, rest)?;
            }
        }
        Ok(())
    }

    fn option(
        &mut self,
        option: &'static str,
        attached: Option<String>,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), String> {
        if !VALUED.contains(&option) && !StackOptions::VALUED.contains(&option) {
            self.options.push((option, String::new()));
            return match attached {
                Some(_) => Err(format!("“{option}” takes no value")),
                None => Ok(()),
            };
        }
        let value = attached.or_else(|| rest.next()?.into_string().ok());
        self.options.push((option, value.ok_or_else(|| format!("“{option}” needs a value"))?));
        Ok(())
    }

    fn command(self) -> Result<Command, String> {
        let has = |option: &str| self.options.iter().any(|(name, _)| *name == option);
        if self.version {
            return Ok(Command::Version);
        }
        let mut words = self.positional.iter().peekable();
        let name = words.next().map(|word| word.to_string_lossy().into_owned());
        let Some(name) = name.filter(|name| !self.help && name != "help") else {
            return if self.help || !self.positional.is_empty() {
                Ok(Command::Help)
            } else {
                Err("a command is missing".to_owned())
            };
        };
        let allowed: &[&str] = match name.as_str() {
            "info" => &["--rows", "--json", "--digest"],
            "events" => &["--filter", "--rows", "--json", "--limit", "--payload", "--by", "--sum"],
            "stacks" => &[&["--rows"], &StackOptions::SWITCHES[..], &StackOptions::VALUED].concat(),
            "export" => &[&["--rows"], &StackOptions::SWITCHES[..], &StackOptions::VALUED].concat(),
            "excerpt" => &["--filter"],
            "schema" => &["--json", "--csharp", "--values"],
            "check" | "blocks" => &["--json"],
            "dump" => &["--offset", "--length", "--json"],
            _ => return Err(format!("there is no command “{name}”")),
        };
        if let Some(option) = self.options.iter().map(|(name, _)| name).find(|name| !allowed.contains(name)) {
            return Err(format!("“{name}” has no option “{option}”"));
        }
        let file = PathBuf::from(words.next().ok_or_else(|| format!("“{name}” needs a file"))?);
        let to = words.next_if(|_| ["export", "excerpt", "schema"].contains(&name.as_str())).map(PathBuf::from);
        if let Some(extra) = words.next() {
            return Err(format!("“{name}” takes one file; “{}” is one too many", extra.to_string_lossy()));
        }
        let value = |option: &str| self.options.iter().rev().find(|(name, _)| *name == option).map(|(_, value)| value);
        if name == "check" {
            return Ok(Command::Check { file, json: has("--json") });
        }
        let filter = || value("--filter").map_or(Ok(String::new()), |filter| understood(filter));
        let rows = value("--rows").map(|rows| window(rows)).transpose()?.unwrap_or_default();
        let trace = Trace { path: file, rows };
        Ok(match name.as_str() {
            "info" => Command::Info { trace, json: has("--json"), digest: has("--digest") },
            "schema" => {
                let wanted = schema_output(&self.options)?;
                let other = to.map(|path| Trace { path, rows: Window::default() });
                if other.is_some() && matches!(wanted, SchemaOutput::CSharp | SchemaOutput::Values) {
                    return Err("a comparison of schemas is printed as text or “--json”".to_owned());
                }
                Command::Schema { trace, wanted, other }
            }
            "blocks" => Command::Blocks { trace, json: has("--json") },
            "dump" => {
                let number = |option: &str| value(option).map(|text| byte_number(text)).transpose();
                let offset = number("--offset")?.ok_or_else(|| "“dump” needs “--offset”".to_owned())?;
                let end = offset.saturating_add(number("--length")?.unwrap_or(DUMPED_BYTES));
                Command::Dump { trace, json: has("--json"), range: offset..end }
            }
            "events" => {
                let limit = value("--limit");
                let limit =
                    limit.map(|value| value.parse().map_err(|_| format!("“{value}” is not a number of events")));
                let filter = filter()?;
                let (json, payload) = (has("--json"), has("--payload"));
                let groups = grouping(value("--by"), value("--sum"))?;
                Command::Events { trace, json, limit: limit.transpose()?, payload, filter, groups }
            }
            "excerpt" => Command::Excerpt { to: written_to(&name, to, &trace.path)?, trace, filter: filter()? },
            "export" => {
                let to = written_to(&name, to, &trace.path)?;
                let mut options = self.options.clone();
                if !has("--format") {
                    options.push(("--format", format_of_file(&to)?.name().to_owned()));
                }
                Command::Stacks { trace, wanted: StackOptions::new(&options)?.into(), to: Some(to) }
            }
            _ => Command::Stacks { trace, wanted: StackOptions::new(&self.options)?.into(), to: None },
        })
    }
}

/// How schemas are to be printed.
fn schema_output(options: &[(&str, String)]) -> Result<SchemaOutput, String> {
    let output = |option: &str| match option {
        "--json" => SchemaOutput::Json,
        "--csharp" => SchemaOutput::CSharp,
        _ => SchemaOutput::Values,
    };
    match options {
        [] => Ok(SchemaOutput::Text),
        [(option, _)] => Ok(output(option)),
        [(one, _), (other, _), ..] => Err(format!("“schema” prints either “{one}” or “{other}”")),
    }
}

/// The file that a command writes, which must not be the one that it reads.
fn written_to(command: &str, to: Option<PathBuf>, read: &Path) -> Result<PathBuf, String> {
    let to = to.ok_or_else(|| format!("“{command}” needs a file to write to"))?;
    match (to.canonicalize(), read.canonicalize()) {
        (Ok(written), Ok(read)) if written == read => Err(format!("“{command}” would overwrite “{}”", to.display())),
        _ => Ok(to),
    }
}

/// A number of bytes, decimal or hexadecimal.
fn byte_number(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| format!("“{text}” is not a number of bytes"))
}

/// The format that files of this name have.
fn format_of_file(path: &Path) -> Result<StackFormat, String> {
    let name = path.to_string_lossy().to_lowercase();
    let found = StackFormat::ALL.into_iter().find(|format| name.ends_with(format.ending()));
    found.ok_or_else(|| format!("the ending of “{}” names no format; “--format” does", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Span;
    use crate::protocol::request::{SampleChoice, Weight};

    fn parsed(text: &str) -> Result<Command, String> {
        parse(text.split_whitespace().map(OsString::from))
    }

    fn whole(file: &str) -> Trace {
        Trace { path: file.into(), rows: Window::default() }
    }

    fn stacks(file: &str, format: StackFormat, samples: SampleChoice, weight: Weight) -> Command {
        Command::Stacks {
            trace: whole(file),
            wanted: StackOptions { format, samples, weight, ..StackOptions::default() }.into(),
            to: None,
        }
    }

    #[test]
    fn commands_and_options_in_any_order() {
        let filter = "dur>5ms".to_owned();
        let (trace, groups) = (whole("a.nettrace"), None);
        let events = Command::Events { trace, json: true, limit: Some(5), payload: false, filter, groups };
        assert_eq!(parsed("events a.nettrace --json --limit 5 --filter dur>5ms"), Ok(events.clone()));
        assert_eq!(parsed("--limit=5 events --filter dur>5ms --json a.nettrace"), Ok(events));
        assert_eq!(
            parsed("stacks --format folded --managed -- --odd"),
            Ok(stacks("--odd", StackFormat::Folded, SampleChoice::Managed, Weight::Count))
        );
        let speedscope = stacks("a", StackFormat::Speedscope, SampleChoice::All, Weight::Count);
        assert_eq!(parsed("stacks a --format=speedscope"), Ok(speedscope));
        let table = stacks("a", StackFormat::Csv, SampleChoice::External, Weight::Time);
        assert_eq!(parsed("stacks a --format csv --weight time --external"), Ok(table));
        let (source, weight) = (Some("GC/AllocationTick".to_owned()), Weight::Field("AllocationAmount64".to_owned()));
        let allocated = Command::Stacks {
            trace: whole("a"),
            wanted: StackOptions { source, weight, ..StackOptions::default() }.into(),
            to: None,
        };
        assert_eq!(parsed("stacks a --source GC/AllocationTick --weight AllocationAmount64"), Ok(allocated));
        let pprof = StackOptions { format: StackFormat::Pprof, ..StackOptions::default() };
        let to = Some("out.pb".into());
        assert_eq!(parsed("export a out.pb"), Ok(Command::Stacks { trace: whole("a"), wanted: pprof.into(), to }));
        let rows = Window { span: Some(Span::new(5, i64::MAX)), ..Window::default() };
        let part = Command::Info { trace: Trace { path: "a".into(), rows }, json: false, digest: false };
        assert_eq!(parsed("info a --rows time:5ns.."), Ok(part));
        assert_eq!(parsed("check a --json"), Ok(Command::Check { file: "a".into(), json: true }));
        let dump = |range| Ok(Command::Dump { trace: whole("a"), json: false, range });
        assert_eq!(parsed("dump a --offset 0x40 --length 8"), dump(64..72));
        assert_eq!(parsed("dump a --offset=10"), dump(10..266));
        let schema = |wanted, other| Ok(Command::Schema { trace: whole("a"), wanted, other });
        assert_eq!(parsed("schema a --json"), schema(SchemaOutput::Json, None));
        assert_eq!(parsed("schema a b"), schema(SchemaOutput::Text, Some(whole("b"))));
        assert_eq!(parsed("blocks a"), Ok(Command::Blocks { trace: whole("a"), json: false }));
        assert_eq!(parsed("info --help"), Ok(Command::Help));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("", "missing"),
            ("inform a", "inform"),
            ("info", "needs a file"),
            ("info a b", "one too many"),
            ("info a --managed", "--managed"),
            ("info a --jsn", "--jsn"),
            ("events a --limit many", "many"),
            ("events a --sum dur", "--by"),
            ("stacks a --format perf", "perf"),
            ("stacks a --source", "needs a value"),
            ("stacks a --managed --external", "nothing"),
            ("stacks a --filter time:2s..1s", "range of time"),
            ("events a --filter level>many", "character 7"),
            ("export a", "to write to"),
            ("export a b.txt", "--format"),
            ("export a b.csv c.csv", "one too many"),
            ("dump a", "--offset"),
            ("dump a --offset ten", "ten"),
            ("blocks a --offset 1", "--offset"),
            ("schema a --json --csharp", "either"),
            ("schema a b --csharp", "comparison"),
            ("stacks a --amounts", "--baseline"),
            ("stacks a --by color", "color"),
            ("stacks a --by role --format pprof", "folded and csv"),
            ("info a --rows thread=1", "--rows"),
            ("check a --rows time:1s..", "--rows"),
        ] {
            let message = parsed(text).unwrap_err();
            assert!(message.contains(word), "{text}: {message}");
        }
    }
}
