//! Options of `traceglass stacks` and `export`.

use super::arguments::misuse;
use super::{Stop, values};
use protocol::filter::QueryError;
use protocol::request::{Baseline, BaselineOf, Filter, SampleChoice, StackSource, TreeQuery, Weight};
use protocol::stacks::format::StackFormat;
use protocol::stacks::shape::{FramePatterns, Grouping, Roots, Shape};
use std::convert::Infallible;
use std::path::PathBuf;

// No doc comment: it would replace the help of the commands that contain these options.
#[derive(clap::Args, Debug)]
pub struct StackOptions {
    /// Use the stacks of an event type, such as GC/AllocationTick or Provider/Name, or of all events
    #[arg(long, value_name = "EVENT")]
    pub source: Option<String>,
    /// Weight of a stack: count, time (sampled or paired duration in ns), or a numeric payload field such as ObjectSize
    ///
    /// The default is time with --activity, otherwise count.
    #[arg(
        long,
        value_parser = weight,
        default_value = "count",
        default_value_if("activity", clap::builder::ArgPredicate::IsPresent, "time"),
        hide_default_value = true
    )]
    pub weight: Weight,
    /// Keep only samples in managed code
    #[arg(long)]
    managed: bool,
    /// Keep only samples in native code
    #[arg(long, alias = "external", conflicts_with = "managed")]
    native: bool,
    /// Keep only time in which threads were running, blocked or idle
    #[arg(long, value_parser = activities(), conflicts_with_all = ["managed", "native"])]
    activity: Option<SampleChoice>,
    /// Use only matching events
    #[arg(long, value_parser = values::filter, allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Compare with stacks of events that match FILTER, or of all others (rest), scaled to the same total (folded and csv)
    ///
    /// With folded, each line has two numbers, the baseline first.
    #[arg(long, value_name = "rest|FILTER", value_parser = baseline, allow_hyphen_values = true)]
    baseline: Option<BaselineOf>,
    /// With --baseline: compare absolute weights
    #[arg(long, requires = "baseline")]
    amounts: bool,
    /// Add a root frame for the process, thread, thread role or activity (folded and csv)
    #[arg(long, value_name = "ROOT", value_parser = roots(), hide_possible_values = true)]
    by: Option<Roots>,
    /// Attach task work to the stack that scheduled or awaited it (folded and csv)
    #[arg(long)]
    stitch: bool,
    /// Read names from a perf-PID.map, or source lines from a portable PDB
    #[arg(long, value_name = "FILE")]
    pub symbols: Vec<PathBuf>,
    /// Hide framework frames except those called by your code, collapse await chains, and merge unresolved frames by
    /// module
    #[arg(long)]
    mine: bool,
    /// With --mine: comma-separated namespaces and modules to treat as the framework
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',')]
    framework: Vec<String>,
    /// Merge frames into functions, classes, namespaces or modules
    #[arg(long, value_name = "KIND", value_parser = frames(), hide_possible_values = true)]
    frames: Option<Grouping>,
    /// Collapse recursion
    #[arg(long)]
    merge_recursion: bool,
    /// Group frames, as PerfView's GroupPats do: '{%}!->module $1'
    #[arg(long, value_name = "PATTERNS", default_value = "", hide_default_value = true)]
    group: String,
    /// Fold frames into their callers, as PerfView's FoldPats do: 'Enumerator'
    #[arg(long, value_name = "PATTERNS", default_value = "", hide_default_value = true)]
    fold: String,
}

impl StackOptions {
    /// Checks that the format supports the options.
    pub fn check(&self, format: StackFormat) -> Result<(), Stop> {
        if self.by.is_some() && !format.shows_roots() {
            return Err(misuse("--by works only with folded and csv; other formats already separate threads"));
        }
        if self.stitch && !format.shows_roots() {
            return Err(misuse("--stitch works only with folded and csv; other formats show each thread on its own"));
        }
        Ok(())
    }

    /// Returns the filters of the options.
    pub fn filters(&self) -> impl Iterator<Item = &Filter> {
        let baseline = match &self.baseline {
            Some(BaselineOf::Filter(filter)) => Some(filter),
            _ => None,
        };
        self.filter.iter().chain(baseline)
    }

    pub fn query(self, source: StackSource) -> TreeQuery {
        let is_scaled = !self.amounts;
        TreeQuery {
            filter: self.filter.unwrap_or_default(),
            source,
            samples: match (self.managed, self.native) {
                (true, _) => SampleChoice::Managed,
                (_, true) => SampleChoice::External,
                _ => self.activity.unwrap_or_default(),
            },
            weight: self.weight,
            shape: Shape {
                roots: self.by.unwrap_or_default(),
                stitched: self.stitch,
                awaits: self.mine,
                unresolved: self.mine,
                just_my_code: self.mine,
                without_polls: self.mine,
                framework: self.framework,
                patterns: FramePatterns { groups: self.group, folds: self.fold },
                grouping: self.frames.unwrap_or_default(),
                without_recursion: self.merge_recursion,
                ..Shape::default()
            },
            baseline: self.baseline.map(|of| Baseline { of, is_scaled }),
        }
    }
}

pub fn formats() -> impl clap::builder::TypedValueParser<Value = StackFormat> {
    values::named(StackFormat::ALL.map(|format| {
        let help = match format {
            StackFormat::Folded => "One distinct stack per line, root first, with its weight; for flame-graph scripts",
            StackFormat::Speedscope => "Each thread over time, for speedscope.app",
            StackFormat::Firefox => "Samples of each thread, for profiler.firefox.com",
            StackFormat::Chrome => "Each thread over time, for ui.perfetto.dev and chrome://tracing (samples only)",
            StackFormat::Pprof => "Distinct stacks with counts and nanoseconds, for go tool pprof (binary)",
            StackFormat::Csv => "A table of functions: total and self weight, first and last time on a stack",
        };
        (format.name(), help, format)
    }))
}

fn activities() -> impl clap::builder::TypedValueParser<Value = SampleChoice> {
    values::named([
        ("running", "Managed code, native code or JIT compiling", SampleChoice::Running),
        ("blocked", "Waiting for a lock, a task, a handle or I/O", SampleChoice::Blocked),
        ("idle", "Sleeping or waiting for work", SampleChoice::Idle),
    ])
}

fn roots() -> impl clap::builder::TypedValueParser<Value = Roots> {
    values::named([
        ("process", "", Roots::Process),
        ("thread", "", Roots::Thread),
        ("role", "", Roots::Role),
        ("activity", "", Roots::Work),
    ])
}

fn frames() -> impl clap::builder::TypedValueParser<Value = Grouping> {
    values::named(Grouping::ALL.map(|grouping| (grouping.slug(), "", grouping)))
}

fn weight(text: &str) -> Result<Weight, Infallible> {
    Ok(match text {
        "count" | "samples" => Weight::Count,
        "time" => Weight::Time,
        field => Weight::Field(field.to_owned()),
    })
}

fn baseline(text: &str) -> Result<BaselineOf, QueryError> {
    Ok(if text == "rest" { BaselineOf::Rest } else { BaselineOf::Filter(values::filter(text)?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        options: StackOptions,
    }

    fn options(text: &str) -> StackOptions {
        Arguments::parse_from(std::iter::once("stacks").chain(text.split_whitespace())).options
    }

    fn query(text: &str) -> TreeQuery {
        options(text).query(StackSource::Samples)
    }

    #[test]
    fn query_contains_options() {
        let plain = query("");
        assert_eq!((plain.samples, &plain.weight, &plain.baseline), (SampleChoice::All, &Weight::Count, &None));
        assert_eq!(plain.shape, Shape::default());
        assert_eq!(query("--managed").samples, SampleChoice::Managed);
        for option in ["--native", "--external"] {
            assert_eq!(query(option).samples, SampleChoice::External, "{option}");
        }
        let blocked = query("--activity blocked");
        assert_eq!((blocked.samples, blocked.weight), (SampleChoice::Blocked, Weight::Time));
        assert_eq!(query("--activity blocked --weight count").weight, Weight::Count);
        assert_eq!(query("--weight time").weight, Weight::Time);
        assert_eq!(query("--weight Size").weight, Weight::Field("Size".to_owned()));
        assert_eq!(query("--baseline rest").baseline, Some(Baseline { of: BaselineOf::Rest, is_scaled: true }));
        let filter = Filter { query: "time:..1s".to_owned(), ..Filter::default() };
        let baseline = Baseline { of: BaselineOf::Filter(filter), is_scaled: false };
        assert_eq!(query("--baseline time:..1s --amounts").baseline, Some(baseline));
        assert_eq!((query("--by activity").shape.roots, query("--by role").shape.roots), (Roots::Work, Roots::Role));
        assert_eq!(query("--frames modules").shape.grouping, Grouping::Modules);
        assert_eq!(query("--mine --framework Shop,Http").shape.framework, ["Shop", "Http"]);
    }

    #[test]
    fn roots_without_supporting_format_are_rejected() {
        for text in ["--by thread", "--stitch"] {
            assert!(options(text).check(StackFormat::Folded).is_ok());
            assert!(options(text).check(StackFormat::Pprof).is_err());
        }
    }
}
