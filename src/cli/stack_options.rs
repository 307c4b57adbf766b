//! The options of `traceglass stacks`.

use crate::model::time::Span;
use crate::protocol::request::{SampleChoice, Weight};
use crate::protocol::stack_shape::{Grouping, Shape};
use crate::session::export::stacks::StackFormat;

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
    /// Of which events.
    pub events: Conditions,
    /// What they are compared with.
    pub baseline: Option<BaselineOption>,
    /// What is folded.
    pub shape: Shape,
}

/// What stacks are compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaselineOption {
    /// Which events; the others if none.
    pub events: Option<Conditions>,
    /// Whether shares are compared, not amounts.
    pub is_scaled: bool,
}

/// Which events, as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    /// Inside of a range.
    pub span: Option<Span>,
    /// Of threads with these ids of the operating system.
    pub os_threads: Vec<u64>,
    /// Of these providers.
    pub providers: Vec<String>,
    /// With this text.
    pub text: String,
}

impl Default for StackOptions {
    fn default() -> Self {
        Self {
            format: StackFormat::default(),
            source: None,
            samples: SampleChoice::default(),
            weight: Weight::Count,
            events: Conditions::default(),
            baseline: None,
            shape: Shape::default(),
        }
    }
}

impl StackOptions {
    /// Options without a value.
    pub const SWITCHES: [&str; 5] = ["--managed", "--external", "--amounts", "--mine", "--merge-recursion"];
    /// Options with one.
    pub const VALUED: [&str; 9] =
        ["--format", "--source", "--weight", "--where", "--baseline", "--frames", "--framework", "--group", "--fold"];

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
                without_recursion: has("--merge-recursion"),
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
                "--where" => options.events = Conditions::new(value)?,
                "--baseline" => {
                    let events = if value == "rest" { None } else { Some(Conditions::new(value)?) };
                    options.baseline = Some(BaselineOption { events, is_scaled });
                }
                "--frames" => options.shape.grouping = grouping_named(value)?,
                "--framework" => options.shape.framework = value.split(',').map(str::to_owned).collect(),
                "--group" => value.clone_into(&mut options.shape.patterns.groups),
                "--fold" => value.clone_into(&mut options.shape.patterns.folds),
                _ => {}
            }
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

impl Conditions {
    fn new(text: &str) -> Result<Self, String> {
        let mut conditions = Self::default();
        for part in text.split(',') {
            let is_understood = match part.split_once('=') {
                Some(("thread", id)) => id.parse().map(|id| conditions.os_threads.push(id)).is_ok(),
                Some(("provider", name)) => {
                    conditions.providers.push(name.to_owned());
                    true
                }
                Some(("text", text)) => {
                    text.clone_into(&mut conditions.text);
                    true
                }
                Some(_) => false,
                None => {
                    conditions.span = range(part);
                    conditions.span.is_some()
                }
            };
            if !is_understood {
                return Err(format!("“{part}” is no range of time, thread=ID, provider=NAME or text=TEXT"));
            }
        }
        Ok(conditions)
    }
}

/// A range of time since the trace's start.
fn range(text: &str) -> Option<Span> {
    let (start, end) = text.split_once("..")?;
    let moment = |text: &str, open: i64| if text.is_empty() { Some(open) } else { nanos(text) };
    let span = Span::new(moment(start, i64::MIN)?, moment(end, i64::MAX)?);
    (span.start < span.end).then_some(span)
}

fn nanos(text: &str) -> Option<i64> {
    const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (unit, size) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
    number.is_finite().then(|| (number * size).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_chosen_by_time_thread_provider_and_text() {
        let expected = Conditions {
            span: Some(Span::new(1_500_000_000, 2_000_000_000)),
            os_threads: vec![7],
            providers: vec!["Shop".to_owned()],
            text: "a b".to_owned(),
        };
        assert_eq!(Conditions::new("1.5s..2000ms,thread=7,provider=Shop,text=a b"), Ok(expected));
        let span = |text: &str| Conditions::new(text).map(|conditions| conditions.span);
        assert_eq!(span("-5us.."), Ok(Some(Span::new(-5_000, i64::MAX))));
        assert_eq!(span("..90ns"), Ok(Some(Span::new(i64::MIN, 90))));
        for wrong in ["", "5", "1s", "2s..1s", "1..2", "thread=x", "NaNs..1s"] {
            assert!(Conditions::new(wrong).is_err(), "{wrong}");
        }
    }
}
