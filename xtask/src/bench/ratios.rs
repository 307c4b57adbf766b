//! Ratios of what was measured in one run: what travels to another machine, and what `bench --check` compares.

use super::report::{Measured, Place};
use crate::Outcome;
use std::fmt;

/// The trace that was measured with the reference, its bare scan there in milliseconds, and what the reference took:
/// to visit the events and keep nothing, and to index them. All on one machine, TraceEvent 4.0.0 on .NET 10.
const REFERENCE_TRACE: &str = "firehose-net31";
const REFERENCE_SCAN_MS: f64 = 53.0;
pub(super) const REFERENCE_LOOP_MS: f64 = 536.0;
pub(super) const REFERENCE_INDEX_MS: f64 = 2310.0;

/// Shorter times differ by more than [`WORST_FALL`] from run to run.
const COMPARABLE_MS: f64 = 20.0;
/// How much a ratio may grow before the check fails.
const WORST_FALL: f64 = 1.15;

/// What a time is compared with.
enum Yardstick {
    /// Another figure of the same run.
    Figure(Place, &'static str),
    /// What the reference needs, in milliseconds, scaled by the native scan.
    Reference(f64),
}

/// How many times as long something takes as its yardstick.
pub(super) struct Ratio {
    /// What, in words.
    pub(super) what: &'static str,
    time: (Place, &'static str),
    yardstick: Yardstick,
}

use Place::{Native, Page};
use Yardstick::{Figure, Reference};

/// All of them, in the order of the table. Both sides of each are of one program on one engine, measured within a minute: page
/// against native shows what other work a machine had at one of two times.
pub(super) const RATIOS: [Ratio; 11] = [
    ratio("opening in the worker : scan in the worker", (Page, "load_ms"), Figure(Page, "scan_ms")),
    ratio("opening in the worker : scan of a stream there", (Page, "load_ms"), Figure(Page, "scan_stream_ms")),
    ratio("opening natively : scan natively", (Native, "load_ms"), Figure(Native, "scan_ms")),
    ratio("opening natively : TraceEvent's bare loop", (Native, "load_ms"), Reference(REFERENCE_LOOP_MS)),
    ratio("opening natively : TraceEvent's indexing", (Native, "load_ms"), Reference(REFERENCE_INDEX_MS)),
    ratio(
        "events of a provider in the page : scan in the worker",
        (Page, "filter_provider_ms"),
        Figure(Page, "scan_ms"),
    ),
    ratio("events of a provider natively : scan natively", (Native, "filter_provider_ms"), Figure(Native, "scan_ms")),
    ratio("a text in the page : scan in the worker", (Page, "filter_text_ms"), Figure(Page, "scan_ms")),
    ratio("a text natively : scan natively", (Native, "filter_text_ms"), Figure(Native, "scan_ms")),
    ratio("timeline in the page : scan in the worker", (Page, "lanes_deep_ms"), Figure(Page, "scan_ms")),
    ratio("timeline natively : scan natively", (Native, "lanes_deep_ms"), Figure(Native, "scan_ms")),
];

/// What takes the reference so long there would take it so long here, in milliseconds.
pub(super) fn reference_here(measured: &Measured, ms: f64) -> Outcome<f64> {
    Ok(ms * measured.native.get("scan_ms")? / REFERENCE_SCAN_MS)
}

const fn ratio(what: &'static str, time: (Place, &'static str), yardstick: Yardstick) -> Ratio {
    Ratio { what, time, yardstick }
}

impl Ratio {
    /// The ratio for a trace; none if the yardstick is not known for it.
    pub(super) fn of(&self, measured: &Measured) -> Outcome<Option<f64>> {
        let (time, yardstick) = self.times(measured)?;
        Ok(yardstick.map(|yardstick| time / yardstick))
    }

    fn times(&self, measured: &Measured) -> Outcome<(f64, Option<f64>)> {
        let time = self.time.0.of(measured).get(self.time.1)?;
        let yardstick = match self.yardstick {
            Figure(place, name) => Some(place.of(measured).get(name)?),
            Reference(_) if measured.name != REFERENCE_TRACE => None,
            Reference(ms) => Some(reference_here(measured, ms)?),
        };
        Ok((time, yardstick))
    }

    /// Whether both times are long enough to be compared from run to run.
    fn is_comparable(&self, measured: &Measured) -> Outcome<bool> {
        let (time, yardstick) = self.times(measured)?;
        Ok(time >= COMPARABLE_MS && yardstick.is_some_and(|yardstick| yardstick >= COMPARABLE_MS))
    }
}

/// A ratio that grew by more than [`WORST_FALL`].
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fall {
    /// Of which trace.
    pub(super) trace: String,
    what: &'static str,
    now: f64,
    before: f64,
}

impl fmt::Display for Fall {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace, what, now, before } = self;
        write!(text, "{trace}, {what}: {}, was {}", two_digits(*now), two_digits(*before))
    }
}

/// Those of `falls` that are also in another measurement: what a machine does beside it seldom comes twice.
pub(super) fn in_both(falls: Vec<Fall>, again: &[Fall]) -> Vec<Fall> {
    let is_again = |fall: &Fall| again.iter().any(|other| (&other.trace, other.what) == (&fall.trace, fall.what));
    falls.into_iter().filter(is_again).collect()
}

/// Compares the ratios with those that were written down; what is new or too short to compare is left out.
pub(super) fn falls(measured: &[Measured], written: &str) -> Outcome<Vec<Fall>> {
    let mut falls = Vec::new();
    let mut compared = 0;
    for one in measured {
        for ratio in &RATIOS {
            let (Some(now), Some(before)) = (ratio.of(one)?, stored(written, &one.name, ratio.what)) else { continue };
            if !ratio.is_comparable(one)? {
                continue;
            }
            compared += 1;
            if now > before * WORST_FALL {
                falls.push(Fall { trace: one.name.clone(), what: ratio.what, now, before });
            }
        }
    }
    if compared == 0 {
        return Err("nothing to compare: docs/performance-tables.md has none of these ratios".to_owned());
    }
    println!("{compared} ratios compared with docs/performance-tables.md");
    Ok(falls)
}

/// A ratio of the first table.
fn stored(written: &str, trace: &str, what: &str) -> Option<f64> {
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut lines = written.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let column = cells(lines.next()?).iter().position(|cell| cell == trace)?;
    let row = lines.map(cells).find(|row| row.get(1).is_some_and(|cell| cell == what))?;
    row.get(column)?.parse().ok()
}

/// A number with two digits that matter, at most three after the point.
pub(super) fn two_digits(value: f64) -> String {
    match value {
        value if value < 0.1 => format!("{value:.3}"),
        value if value < 1.0 => format!("{value:.2}"),
        value => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Figures;
    use super::*;

    fn measured(load_ms: f64) -> Vec<Measured> {
        let figures = |load_ms: f64| {
            let mut figures = Figures::default();
            for name in ["filter_provider_ms", "filter_text_ms", "lanes_deep_ms"] {
                figures.take(&format!("{name} 5"));
            }
            figures.take("scan_ms 100");
            figures.take("scan_stream_ms 100");
            figures.take(&format!("load_ms {load_ms}"));
            figures
        };
        vec![Measured { name: "web".into(), native: figures(300.0), page: figures(load_ms) }]
    }

    const WRITTEN: &str = "text\n\n| times as long as | firehose | web |\n|---|---:|---:|\n\
        | opening in the worker : scan in the worker | 9.0 | 2.5 |\n\
        | a text natively : scan natively | 1.0 | 0.001 |\n\n| other | web |\n";

    #[test]
    fn fall_of_more_than_15_percent_is_reported() {
        assert_eq!(falls(&measured(280.0), WRITTEN), Ok(vec![]));
        let fallen = falls(&measured(300.0), WRITTEN).unwrap();
        let lines: Vec<String> = fallen.iter().map(Fall::to_string).collect();
        assert_eq!(lines, ["web, opening in the worker : scan in the worker: 3.0, was 2.5"]);
    }

    #[test]
    fn what_falls_once_only_does_not_count() {
        let fallen = falls(&measured(300.0), WRITTEN).unwrap();
        assert_eq!(in_both(fallen.clone(), &falls(&measured(280.0), WRITTEN).unwrap()), []);
        assert_eq!(in_both(fallen.clone(), &falls(&measured(310.0), WRITTEN).unwrap()), fallen);
    }

    #[test]
    fn a_check_that_compares_nothing_fails() {
        assert!(falls(&measured(300.0), "nothing was written yet").is_err());
    }
}
