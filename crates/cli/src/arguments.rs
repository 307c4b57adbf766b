//! What was asked on the command line.

use super::conditions::{understood, window};
use super::groups::grouping;
use super::schema::SchemaOutput;
use super::stack_options::StackOptions;
use engine::session::export::stacks::StackFormat;
use protocol::base::window::Window;
use protocol::request::{GroupQuery, Topic};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

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
    /// What is wrong with a program.
    Summary {
        /// The trace.
        trace: Trace,
        /// As JSON.
        json: bool,
        /// Which events, in the language of filters.
        filter: String,
    },
    /// What a topic comes to.
    Report {
        /// The trace.
        trace: Trace,
        /// The topic.
        topic: Topic,
        /// As JSON, with all rows.
        json: bool,
        /// At most so many rows of each table.
        limit: Option<u64>,
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
            "summary" => &["--filter", "--rows", "--json"],
            "schema" => &["--json", "--csharp", "--values"],
            "check" | "blocks" => &["--json"],
            "dump" => &["--offset", "--length", "--json"],
            name if Topic::from_slug(name).is_some() => &["--filter", "--rows", "--json", "--limit"],
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
        let limit = || {
            value("--limit").map(|value| value.parse().map_err(|_| format!("“{value}” is not a number"))).transpose()
        };
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
                let (filter, limit) = (filter()?, limit()?);
                let (json, payload) = (has("--json"), has("--payload"));
                let groups = grouping(value("--by"), value("--sum"))?;
                Command::Events { trace, json, limit, payload, filter, groups }
            }
            "summary" => Command::Summary { trace, json: has("--json"), filter: filter()? },
            "excerpt" => Command::Excerpt { to: written_to(&name, to, &trace.path)?, trace, filter: filter()? },
            "export" => {
                let to = written_to(&name, to, &trace.path)?;
                let mut options = self.options.clone();
                if !has("--format") {
                    options.push(("--format", format_of_file(&to)?.name().to_owned()));
                }
                Command::Stacks { trace, wanted: StackOptions::new(&options)?.into(), to: Some(to) }
            }
            name => match Topic::from_slug(name) {
                Some(topic) => {
                    Command::Report { trace, topic, json: has("--json"), limit: limit()?, filter: filter()? }
                }
                None => Command::Stacks { trace, wanted: StackOptions::new(&self.options)?.into(), to: None },
            },
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
    use protocol::base::time::Span;
    use protocol::request::{SampleChoice, Weight};

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
