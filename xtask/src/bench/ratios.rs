//! Ratios of values from one run, which are comparable across machines, and which `bench --check` compares.

use super::report::{Measured, Place};
use crate::Outcome;
use std::fmt;

/// Trace that was measured with the reference reader; milliseconds of its native scan there, of visiting all events
/// without storing them, and of indexing them with the reference reader. All on one machine, with TraceEvent 4.0.0 on
/// .NET 10.
const REFERENCE_TRACE: &str = "firehose-net31";
const REFERENCE_SCAN_MS: f64 = 53.0;
pub(super) const REFERENCE_LOOP_MS: f64 = 536.0;
pub(super) const REFERENCE_INDEX_MS: f64 = 2310.0;

/// Minimum time in milliseconds of a comparable ratio: shorter times vary by more than [`WORST_FALL`] between runs.
const COMPARABLE_MS: f64 = 20.0;
/// Maximum growth of a ratio before the check fails.
const WORST_FALL: f64 = 1.15;

/// Denominator of a ratio.
enum Yardstick {
    /// Another value of the same run.
    Figure(Place, &'static str),
    /// Time of the reference reader in milliseconds, scaled by the native scan.
    Reference(f64),
}

/// Ratio of a time and a yardstick.
pub(super) struct Ratio {
    /// Display name.
    pub(super) what: &'static str,
    time: (Place, &'static str),
    yardstick: Yardstick,
}

use Place::{Native, Page};
use Yardstick::{Figure, Reference};

/// All ratios, in table order. Both sides of each are from one program on one engine, within a minute: a ratio of page
/// and native times would also measure other load on the machine.
pub(super) const RATIOS: [Ratio; 11] = [
    ratio("Opening in the worker / scan in the worker", (Page, "load_ms"), Figure(Page, "scan_ms")),
    ratio("Opening in the worker / scan of a stream in the worker", (Page, "load_ms"), Figure(Page, "scan_stream_ms")),
    ratio("Opening natively / scan natively", (Native, "load_ms"), Figure(Native, "scan_ms")),
    ratio("Opening natively / TraceEvent's bare loop", (Native, "load_ms"), Reference(REFERENCE_LOOP_MS)),
    ratio("Opening natively / TraceEvent's indexing", (Native, "load_ms"), Reference(REFERENCE_INDEX_MS)),
    ratio(
        "Events of a provider on the page / scan in the worker",
        (Page, "filter_provider_ms"),
        Figure(Page, "scan_ms"),
    ),
    ratio("Events of a provider natively / scan natively", (Native, "filter_provider_ms"), Figure(Native, "scan_ms")),
    ratio("Text search on the page / scan in the worker", (Page, "filter_text_ms"), Figure(Page, "scan_ms")),
    ratio("Text search natively / scan natively", (Native, "filter_text_ms"), Figure(Native, "scan_ms")),
    ratio("Timeline on the page / scan in the worker", (Page, "lanes_deep_ms"), Figure(Page, "scan_ms")),
    ratio("Timeline natively / scan natively", (Native, "lanes_deep_ms"), Figure(Native, "scan_ms")),
];

/// Scales a time of the reference reader to this machine, in milliseconds.
pub(super) fn reference_here(measured: &Measured, ms: f64) -> Outcome<f64> {
    Ok(ms * measured.native.get("scan_ms")? / REFERENCE_SCAN_MS)
}

const fn ratio(what: &'static str, time: (Place, &'static str), yardstick: Yardstick) -> Ratio {
    Ratio { what, time, yardstick }
}

impl Ratio {
    /// Returns the ratio of a trace; `None` if its yardstick is unknown.
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

    /// Returns whether both times are long enough to be compared between runs.
    fn is_comparable(&self, measured: &Measured) -> Outcome<bool> {
        let (time, yardstick) = self.times(measured)?;
        Ok(time >= COMPARABLE_MS && yardstick.is_some_and(|yardstick| yardstick >= COMPARABLE_MS))
    }
}

/// Ratio that grew by more than [`WORST_FALL`].
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fall {
    /// Trace.
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

/// Returns those of `falls` that are also in another measurement, because other load on the machine rarely repeats.
pub(super) fn in_both(falls: Vec<Fall>, again: &[Fall]) -> Vec<Fall> {
    let is_again = |fall: &Fall| again.iter().any(|other| (&other.trace, other.what) == (&fall.trace, fall.what));
    falls.into_iter().filter(is_again).collect()
}

/// Compares the ratios with the stored ones, skipping new ones and those too short to compare.
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

/// Returns a stored ratio from the first table.
fn stored(written: &str, trace: &str, what: &str) -> Option<f64> {
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut lines = written.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let column = cells(lines.next()?).iter().position(|cell| cell == trace)?;
    let row = lines.map(cells).find(|row| row.get(1).is_some_and(|cell| cell == what))?;
    row.get(column)?.parse().ok()
}

/// Formats a number with two significant digits, and at most three decimals.
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

    const WRITTEN: &str = "text\n\n| Ratio | firehose | web |\n|---|---:|---:|\n\
        | Opening in the worker / scan in the worker | 9.0 | 2.5 |\n\
        | Text search natively / scan natively | 1.0 | 0.001 |\n\n| other | web |\n";

    #[test]
    fn ratio_growth_over_15_percent_is_reported() {
        assert_eq!(falls(&measured(280.0), WRITTEN), Ok(vec![]));
        let fallen = falls(&measured(300.0), WRITTEN).unwrap();
        let lines: Vec<String> = fallen.iter().map(Fall::to_string).collect();
        assert_eq!(lines, ["web, Opening in the worker / scan in the worker: 3.0, was 2.5"]);
    }

    #[test]
    fn single_fall_is_ignored() {
        let fallen = falls(&measured(300.0), WRITTEN).unwrap();
        assert_eq!(in_both(fallen.clone(), &falls(&measured(280.0), WRITTEN).unwrap()), []);
        assert_eq!(in_both(fallen.clone(), &falls(&measured(310.0), WRITTEN).unwrap()), fallen);
    }

    #[test]
    fn check_without_comparison_fails() {
        assert!(falls(&measured(300.0), "nothing was written yet").is_err());
    }
}
