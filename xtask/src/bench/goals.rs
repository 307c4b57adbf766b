//! Goals of a measurement. Goals in milliseconds apply to the machine with the native scan below, and scale with it;
//! goals in bytes don't.

use super::ratios::{REFERENCE_INDEX_MS, REFERENCE_LOOP_MS, reference_here};
use super::report::{Measured, milliseconds};
use super::traces::{GROWN, SAMPLES, TEN_MILLION};
use crate::Outcome;
use std::fmt::Write;

/// Milliseconds of the native scan of the growing trace, on the machine for which the goals were set.
const SCAN_MS: f64 = 53.0;

/// Limit of a goal.
enum Limit {
    /// Maximum in milliseconds on that machine.
    Milliseconds(f64),
    /// Maximum of a ratio.
    Times(f64),
    /// Maximum in percent.
    Percent(f64),
    /// Maximum in MB.
    Megabytes(f64),
}

use Limit::{Megabytes, Milliseconds, Percent, Times};

impl Limit {
    /// Returns the maximum on that machine.
    fn most(&self) -> f64 {
        let (Milliseconds(most) | Times(most) | Percent(most) | Megabytes(most)) = self;
        *most
    }

    /// Formats a value with the unit of the limit.
    fn words(&self, value: f64) -> String {
        let number = milliseconds(value);
        let number = number.trim_end_matches(".0");
        match self {
            Milliseconds(_) => format!("{number} ms"),
            Times(_) => format!("{number}×"),
            Percent(_) => format!("{number}%"),
            Megabytes(_) => format!("{number} MB"),
        }
    }
}

type Goal = (&'static str, &'static str, Limit, fn(&Measured) -> Outcome<f64>);

/// Goals by trace.
const GOALS: [Goal; 22] = [
    (GROWN, "Opening in the worker, relative to the scan", Times(2.0), |of| {
        Ok(of.page.get("load_ms")? / of.page.get("scan_ms")?)
    }),
    (GROWN, "Opening natively, relative to the native scan", Times(2.0), |of| {
        Ok(of.native.get("load_ms")? / of.native.get("scan_ms")?)
    }),
    (GROWN, "Opening natively, relative to TraceEvent's bare loop", Percent(20.0), |of| {
        of_reference(of, REFERENCE_LOOP_MS)
    }),
    (GROWN, "Opening natively, relative to TraceEvent's indexing", Percent(5.0), |of| {
        of_reference(of, REFERENCE_INDEX_MS)
    }),
    (GROWN, "Drop to first pixels", Milliseconds(300.0), |of| of.page.get("first_pixels_ms")),
    (GROWN, "Drop to complete", Milliseconds(800.0), |of| of.page.get("complete_ms")),
    (GROWN, "Peak memory of the page's process", Megabytes(300.0), |of| Ok(of.page.get("peak_bytes")? / 1e6)),
    (GROWN, "Memory in the worker, relative to 24 bytes per event plus 64 MB", Percent(100.0), |of| {
        Ok(of.page.get("held_bytes")? * 100.0 / (24.0 * of.page.get("events")? + 64e6))
    }),
    (GROWN, "Longest task of the page", Milliseconds(50.0), |of| of.page.get("longest_task_ms")),
    (GROWN, "Canceling", Milliseconds(100.0), |of| of.page.get("cancel_ms")),
    (GROWN, "Text search in a million payloads", Milliseconds(300.0), |of| {
        Ok(of.page.get("filter_text_ms")? * 1e6 / of.page.get("text_payloads")?)
    }),
    (TEN_MILLION, "Text search in a million payloads", Milliseconds(300.0), |of| {
        Ok(of.page.get("filter_text_ms")? * 1e6 / of.page.get("text_payloads")?)
    }),
    (TEN_MILLION, "Filter by provider", Milliseconds(50.0), |of| of.page.get("filter_provider_ms")),
    (TEN_MILLION, "Filter by thread", Milliseconds(50.0), |of| of.page.get("filter_thread_ms")),
    (TEN_MILLION, "Filter to half of the time", Milliseconds(50.0), |of| of.page.get("filter_range_ms")),
    (TEN_MILLION, "Frame while panning and zooming, p95", Milliseconds(6.0), |of| of.page.get("frame_busy_p95_ms")),
    (TEN_MILLION, "Frame with every track expanded, p95", Milliseconds(6.0), |of| of.page.get("all_frame_busy_p95_ms")),
    ("web-net10", "Frame of an app with many threads, p95", Milliseconds(6.0), |of| {
        of.page.get("all_frame_busy_p95_ms")
    }),
    (SAMPLES, "Frame with a million samples, p95", Milliseconds(6.0), |of| of.page.get("frame_busy_p95_ms")),
    (SAMPLES, "Flame graph of a million samples", Milliseconds(150.0), |of| of.page.get("flame_all_ms")),
    (SAMPLES, "Expanding a call-tree node, in changing time ranges", Milliseconds(16.0), |of| {
        of.page.get("children_ms")
    }),
    (SAMPLES, "Expanding a row of the bottom-up tree", Milliseconds(16.0), |of| of.page.get("callers_ms")),
];

/// Returns the time of opening natively, in percent of a time of the reference.
fn of_reference(measured: &Measured, reference_ms: f64) -> Outcome<f64> {
    Ok(measured.native.get("load_ms")? * 100.0 / reference_here(measured, reference_ms)?)
}

/// Writes the table of goals.
pub(super) fn table(text: &mut String, measured: &[Measured]) -> Outcome {
    let of = |name: &str| measured.iter().find(|measured| measured.name == name);
    let Some(grown) = of(GROWN) else {
        let _ = writeln!(text, "Goals weren't measured: they need {GROWN}.\n");
        return Ok(());
    };
    let factor = grown.native.get("scan_ms")? / SCAN_MS;
    let _ = writeln!(
        text,
        "Goals are maximums. Times are for a machine whose native scan of {GROWN} takes {SCAN_MS} ms; this machine may \
         take {factor:.1} times as long (Scaled).\n\n| Trace | Goal | Maximum | Scaled | Measured | Result |\n\
         |---|---|---:|---:|---:|---|"
    );
    for (name, what, limit, figure) in GOALS {
        let Some(measured) = of(name) else { continue };
        // Skips values that the system doesn't report (memory), or that were too fast to measure (canceling).
        let Ok(value) = figure(measured) else { continue };
        let (scaled, most) = match limit {
            Milliseconds(most) => (limit.words(most * factor), most * factor),
            _ => ("–".to_owned(), limit.most()),
        };
        let result = if value <= most { "met" } else { "**missed**" };
        let (maximum, value) = (limit.words(limit.most()), limit.words(value));
        let _ = writeln!(text, "| {name} | {what} | {maximum} | {scaled} | {value} | {result} |");
    }
    text.push('\n');
    Ok(())
}
