//! The options of `traceglass stacks`.

use super::conditions::understood;
use engine::session::export::stacks::StackFormat;
use protocol::request::{SampleChoice, Weight};
use protocol::stacks::shape::{Grouping, Roots, Shape};
use std::path::PathBuf;

/// Which stacks, and how they are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackOptions {
    /// How to write them.
    pub format: StackFormat,
    /// Whose stacks, as it was written; of samples if none.
    pub source: Option<String>,
    /// Which of them.
    pub samples: SampleChoice,
    /// What each weighs.
    pub weight: Weight,
    /// Of which events, in the language of filters.
    pub filter: String,
    /// What they are compared with.
    pub baseline: Option<BaselineOption>,
    /// What is folded, and what stacks begin with.
    pub shape: Shape,
    /// Files with names or lines of code: perf maps and portable PDBs.
    pub symbols: Vec<PathBuf>,
}

/// What stacks are compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaselineOption {
    /// Which events; the others if none.
    pub filter: Option<String>,
    /// Whether shares are compared, not amounts.
    pub is_scaled: bool,
}

impl Default for StackOptions {
    fn default() -> Self {
        Self {
            format: StackFormat::default(),
            source: None,
            samples: SampleChoice::default(),
            weight: Weight::Count,
            filter: String::new(),
            baseline: None,
            shape: Shape::default(),
            symbols: Vec::new(),
        }
    }
}

impl StackOptions {
    /// Options without a value.
    pub const SWITCHES: [&str; 6] = ["--managed", "--external", "--amounts", "--mine", "--merge-recursion", "--stitch"];
    /// Options with one.
    pub const VALUED: [&str; 11] = [
        "--format",
        "--source",
        "--weight",
        "--filter",
        "--baseline",
        "--by",
        "--frames",
        "--framework",
        "--group",
        "--fold",
        "--symbols",
    ];

    /// From what was given.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn new(given: &[(&str, String)]) -> Result<Self, String> {
        let has = |option: &str| given.iter().any(|(name, _)| *name == option);
        let mut options = Self {
            samples: match (has("--managed"), has("--external")) {
                (true, true) => return Err("“--managed” and “--external” leave nothing".to_owned()),
                (true, false) => SampleChoice::Managed,
                (false, true) => SampleChoice::External,
                (false, false) => SampleChoice::All,
            },
            shape: Shape {
                just_my_code: has("--mine"),
                awaits: has("--mine"),
                nameless: has("--mine"),
                without_recursion: has("--merge-recursion"),
                stitched: has("--stitch"),
                ..Shape::default()
            },
            ..Self::default()
        };
        let is_scaled = !has("--amounts");
        for (name, value) in given {
            match *name {
                "--format" => options.format = format_named(value)?,
                "--source" => options.source = Some(value.clone()),
                "--weight" => options.weight = weight_named(value),
                "--filter" => options.filter = understood(value)?,
                "--baseline" => {
                    let filter = if value == "rest" { None } else { Some(understood(value)?) };
                    options.baseline = Some(BaselineOption { filter, is_scaled });
                }
                "--by" => options.shape.roots = roots_named(value)?,
                "--symbols" => options.symbols.push(value.into()),
                "--frames" => options.shape.grouping = grouping_named(value)?,
                "--framework" => options.shape.framework = value.split(',').map(str::to_owned).collect(),
                "--group" => value.clone_into(&mut options.shape.patterns.groups),
                "--fold" => value.clone_into(&mut options.shape.patterns.folds),
                _ => {}
            }
        }
        if options.shape.roots != Roots::None && !options.format.shows_roots() {
            return Err(
                "“--by” goes with the formats folded and csv: the others tell threads apart by themselves".to_owned()
            );
        }
        if options.shape.stitched && !options.format.shows_roots() {
            return Err("“--stitch” goes with the formats folded and csv: the others show each thread apart".to_owned());
        }
        if !is_scaled && options.baseline.is_none() {
            return Err("“--amounts” goes with “--baseline”".to_owned());
        }
        Ok(options)
    }
}

fn format_named(name: &str) -> Result<StackFormat, String> {
    let found = StackFormat::ALL.into_iter().find(|format| format.name() == name);
    let names = StackFormat::ALL.map(StackFormat::name).join(", ");
    found.ok_or_else(|| format!("there is no format “{name}”, but: {names}"))
}

fn roots_named(name: &str) -> Result<Roots, String> {
    Ok(match name {
        "process" => Roots::Process,
        "thread" => Roots::Thread,
        "role" => Roots::Role,
        "activity" => Roots::Work,
        _ => return Err(format!("stacks begin with their process, thread, role or activity, not “{name}”")),
    })
}

fn grouping_named(name: &str) -> Result<Grouping, String> {
    Ok(match name {
        "functions" => Grouping::Functions,
        "classes" => Grouping::Classes,
        "namespaces" => Grouping::Namespaces,
        "modules" => Grouping::Modules,
        _ => return Err(format!("frames are functions, classes, namespaces or modules, not “{name}”")),
    })
}

fn weight_named(name: &str) -> Weight {
    match name {
        "count" | "samples" => Weight::Count,
        "time" => Weight::Time,
        field => Weight::Field(field.to_owned()),
    }
}
