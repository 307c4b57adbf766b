//! `traceglass compare`: prints what changed between traces, and fails if a condition is met.

mod rules;

use super::open::open;
use super::text::{Output, line};
use super::view::{Combined, SavedPage, encoded};
use super::{FAILURE, SUCCESS, Stop, values};
use engine::analysis::compare::compare;
use protocol::compare::{
    CHANGE_COLUMNS, CHANGE_FACTS, Change, Comparison, Measures, Per, Side, Subject, TraceMeasures,
};
use protocol::export::write_cells;
use protocol::format::{counted, quantity};
use protocol::markdown;
use protocol::request::Filter;
use rules::{Broken, Rule};
use std::path::{Path, PathBuf};

/// Maximum number of lines of values without a significant change: those of the whole trace.
const UNCHANGED: usize = 12;

/// Print significant changes between two traces; fail if a limit is exceeded
#[derive(clap::Args, Debug)]
#[command(after_help = "\
With several old traces, differences between them count as noise.

A condition has a measure and a limit. It is met if the change is significant and exceeds the limit. Measures:
  p50, p95, p99           duration of incoming requests
  throughput              incoming requests per second
  failed                  failed requests
  cpu                     running time of threads
  gc                      GC pauses
  alloc                   allocated bytes
  exceptions              thrown exceptions
  locks                   lock contention
  jit                     JIT time
  events                  number of events

A name in brackets limits the measure: 'p99[GET /checkout] > +20%', 'cpu[Shop.Cart.Total] > +10%', 'alloc[System.String] > +10%'.
/request or /second after the measure overrides --per: 'alloc/request > +10%'.

Examples:
  traceglass compare main.nettrace branch.nettrace
  traceglass compare main-1.nettrace main-2.nettrace main-3.nettrace branch.nettrace --per request
  traceglass compare main.nettrace branch.nettrace --html compared.html
  traceglass compare main.nettrace branch.nettrace --range 2s.. --fail-if 'p99 > +20%' --fail-if 'alloc/request > +10%'

Exit codes: 0 no condition is met, 1 a condition is met or a file can't be read, 2 invalid arguments or a condition that
can't be checked.")]
pub struct CompareCommand {
    /// Old (baseline) traces, then the new trace
    #[arg(required = true, num_args = 2.., value_names = ["OLD", "NEW"])]
    files: Vec<PathBuf>,
    /// Normalize counts, bytes and times
    #[arg(long, value_parser = values::named(PER), default_value = "second")]
    per: Per,
    /// Use only a time range of each trace, for example to exclude warm-up
    #[arg(long, value_name = "START..END", value_parser = range)]
    range: Option<Filter>,
    /// Use a different time range for the old traces
    #[arg(long, value_name = "START..END", value_parser = range)]
    old_range: Option<Filter>,
    /// Exit with code 1 if this condition is met; can be repeated
    #[arg(long, value_name = "CONDITION", value_parser = Rule::parse, action = clap::ArgAction::Append)]
    fail_if: Vec<Rule>,
    /// Also write a page that contains the viewer and both traces, and opens offline in any browser
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    /// With --html: use the page in FOLDER instead of the built-in page
    #[arg(long, value_name = "FOLDER", requires = "html")]
    page: Option<PathBuf>,
    /// With --html: mask private text in both traces, like the redact command
    #[arg(long, requires = "html")]
    redact: bool,
    /// Print Markdown, for pull requests and job summaries
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const NOTHING: &str = "No significant changes.";
/// Title of changes that the interval of a single value shows.
const POSSIBLE: &str = "Possible changes (not significant after correction for multiple comparisons)";
/// Maximum number of changes in Markdown.
const MARKDOWN_ROWS: usize = 50;

const PER: [(&str, &str, Per); 3] = [
    (Per::Second.name(), "Per second of the trace", Per::Second),
    (Per::Request.name(), "Per incoming request", Per::Request),
    (Per::Total.name(), "Don't normalize", Per::Total),
];

/// Key of a time range in a filter.
const RANGE: &str = "time:";

fn range(text: &str) -> Result<Filter, String> {
    values::filter(&format!("{RANGE}{text}")).map_err(|mut error| {
        error.at.start = error.at.start.saturating_sub(RANGE.len());
        error.to_string()
    })
}

impl CompareCommand {
    /// Prints the comparison and returns the exit code.
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<u8, Stop> {
        let new_range = self.range.clone().unwrap_or_default();
        let old_range = self.old_range.clone().or(self.range.clone()).unwrap_or_default();
        let Some((new_file, old_files)) = self.files.split_last() else { return Ok(SUCCESS) };
        if let Some(out) = &self.html {
            if old_files.len() > 1 {
                return Err(super::arguments::misuse("--html compares one old trace with the new one"));
            }
            let choices = self.choices(&old_range, &new_range);
            let saved = SavedPage { out, folder: self.page.as_deref(), is_masked: self.redact };
            line!(notes, "{}", saved.write(&self.files, &Combined::Compare(&choices))?)?;
        }
        let old: Vec<Measures> =
            old_files.iter().map(|file| measures(file, &old_range, notes)).collect::<Result<_, Stop>>()?;
        let new = measures(new_file, &new_range, notes)?;
        if self.per == Per::Request && !old.iter().chain([&new]).all(has_requests) {
            return Err(super::arguments::misuse("--per request needs incoming requests in every trace"));
        }
        let comparison = compare(&old, &new, self.per);
        let broken = rules::broken(&self.fail_if, &comparison, |per| compare(&old, &new, per))?;
        match (self.json, self.markdown) {
            (true, _) => print_json(&comparison, &broken, output)?,
            (_, true) => output.verbatim(&self.markdown_of(&comparison, &broken))?,
            _ => self.print(&comparison, &broken, output)?,
        }
        for one in &broken {
            line!(notes, "traceglass: {one}")?;
        }
        Ok(if broken.is_empty() { SUCCESS } else { FAILURE })
    }

    /// Returns the choices of the comparison as in a URL of the page.
    fn choices(&self, old: &Filter, new: &Filter) -> String {
        let range = |key: &str, filter: &Filter| match filter.query.strip_prefix(RANGE) {
            Some(range) => format!("&{key}={}", encoded(range)),
            None => String::new(),
        };
        format!("&per={}{}{}", self.per.name(), range("cr", old), range("or", new))
    }

    /// Returns title, file names and size of both sides.
    fn sides(&self, old: &Side, new: &Side) -> Vec<(&'static str, String, String)> {
        let names: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let Some((new_name, old_names)) = names.split_last() else { return Vec::new() };
        let size = |side: &Side| {
            let requests = match side.requests {
                requests if requests > 0.0 => format!(", {}", counted(requests as u64, "request")),
                _ => String::new(),
            };
            format!("{} s{requests}", quantity(side.seconds))
        };
        vec![("Old", old_names.join(", "), size(old)), ("New", new_name.clone(), size(new))]
    }

    /// Returns the sides, broken rules and significant changes as Markdown.
    fn markdown_of(&self, comparison: &Comparison, broken: &[Broken]) -> String {
        let Comparison { old, new, changes, only, .. } = comparison;
        let mut text = String::from("## What changed\n\n");
        for (title, names, size) in self.sides(old, new) {
            text += &format!("- {title}: {} ({size})\n", markdown::escaped(&names));
        }
        let sentence = broken.iter().map(|one| format!("- **{}**\n", markdown::escaped(&one.to_string())));
        text.extend(sentence);
        let only = [("the old trace", &only[0]), ("the new trace", &only[1])]
            .into_iter()
            .filter_map(|(trace, only)| only.sentence(trace));
        text.extend(only.map(|sentence| format!("- {}\n", markdown::escaped(&sentence))));
        text.push('\n');
        text + &match changes.iter().any(Change::is_significant) {
            true => markdown::table(&comparison.significant_text(), MARKDOWN_ROWS),
            false => format!("{NOTHING}\n"),
        }
    }

    fn print(&self, comparison: &Comparison, broken: &[Broken], output: &mut Output<'_>) -> Result<(), Stop> {
        let Comparison { old, new, changes, .. } = comparison;
        for (title, names, size) in self.sides(old, new) {
            line!(output, "{title}  {names}: {size}")?;
        }
        line!(output)?;
        let (significant, rest): (Vec<&Change>, Vec<&Change>) =
            changes.iter().partition(|change| change.is_significant());
        match significant.len() {
            0 => line!(output, "{NOTHING}")?,
            number => {
                line!(output, "What changed ({}, most important first)", counted(number as u64, "significant change"))?
            }
        }
        let width = Widths::of(changes);
        for change in significant {
            width.print(change, output)?;
        }
        let of_trace = rest.into_iter().filter(|change| change.name.is_empty()).take(UNCHANGED);
        let (possible, unchanged): (Vec<&Change>, Vec<&Change>) = of_trace.partition(|change| change.is_possible());
        for (title, values) in [(POSSIBLE, possible), ("No significant change", unchanged)] {
            if !values.is_empty() {
                line!(output)?;
                line!(output, "{title}")?;
            }
            for change in values {
                width.print(change, output)?;
            }
        }
        let only = [("the old trace", &comparison.only[0]), ("the new trace", &comparison.only[1])];
        let only: Vec<String> = only.iter().filter_map(|(trace, only)| only.sentence(trace)).collect();
        if !only.is_empty() {
            line!(output)?;
            line!(output, "Recorded with other providers")?;
        }
        for sentence in only {
            line!(output, "  {sentence}")?;
        }
        if !broken.is_empty() {
            line!(output)?;
        }
        Ok(())
    }
}

fn measures(file: &Path, range: &Filter, notes: &mut Output<'_>) -> Result<Measures, Stop> {
    Ok(open(file, None, notes)?.ask(&TraceMeasures { filter: range.clone() })?)
}

fn has_requests(measures: &Measures) -> bool {
    measures.subject.contains(&(Subject::Requests as u8))
}

/// Widths of the columns of changes.
struct Widths {
    size: usize,
    interval: usize,
}

impl Widths {
    /// Returns the widths for the changes that are printed: significant ones, and values of the whole trace.
    fn of(changes: &[Change]) -> Self {
        let printed = || changes.iter().filter(|change| change.is_significant() || change.name.is_empty());
        let width =
            |words: fn(&Change) -> String| printed().map(|change| words(change).chars().count()).max().unwrap_or(0);
        Self { size: width(Change::size_words), interval: width(Change::interval_words) }
    }

    /// Prints a change: sign, difference, confidence interval, sentence.
    fn print(&self, change: &Change, output: &mut Output<'_>) -> Result<(), Stop> {
        let (size_width, interval_width) = (self.size, self.interval);
        let (sign, size, interval) = (change.sign(), change.size_words(), change.interval_words());
        line!(output, "  {sign} {size:>size_width$}  {interval:<interval_width$}  {}", change.sentence)?;
        Ok(())
    }
}

fn print_json(comparison: &Comparison, broken: &[Broken], output: &mut Output<'_>) -> Result<(), Stop> {
    Ok(output.json(|json| {
        for (key, side) in [("old", &comparison.old), ("new", &comparison.new)] {
            json.key(key).object(|json| {
                json.key("seconds").float(side.seconds);
                json.key("requests").float(side.requests);
            });
        }
        json.key("per").string(comparison.per.name());
        for (key, only) in [("onlyOld", &comparison.only[0]), ("onlyNew", &comparison.only[1])] {
            json.key(key).object(|json| {
                json.key("subjects").array(|json| only.subjects.iter().for_each(|one| json.string(one.slug())));
                json.key("providers").array(|json| only.providers.iter().for_each(|one| json.string(one)));
                json.key("runtimeEventTypes").integer(only.runtime_types as u64);
            });
        }
        json.key("changes").array(|json| {
            let columns = || CHANGE_COLUMNS.iter().chain(&CHANGE_FACTS);
            let changes = comparison.changes.iter();
            changes.for_each(|change| json.object(|json| write_cells(json, columns(), change, 0)));
        });
        json.key("broken").array(|json| broken.iter().for_each(|one| json.string(&one.to_string())));
    })?)
}
