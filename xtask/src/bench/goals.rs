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
    /// Maximum on any machine.
    AtMost(f64),
}

use Limit::{AtMost, Milliseconds};

type Goal = (&'static str, &'static str, Limit, fn(&Measured) -> Outcome<f64>);

/// Goals by trace.
const GOALS: [Goal; 22] = [
    (GROWN, "opening in the worker takes at most twice the time of the scan", AtMost(2.0), |of| {
        Ok(of.page.get("load_ms")? / of.page.get("scan_ms")?)
    }),
    (GROWN, "opening natively takes at most twice the time of the native scan", AtMost(2.0), |of| {
        Ok(of.native.get("load_ms")? / of.native.get("scan_ms")?)
    }),
    (GROWN, "opening natively takes at most 20% of TraceEvent's bare loop", AtMost(20.0), |of| {
        of_reference(of, REFERENCE_LOOP_MS)
    }),
    (GROWN, "opening natively takes at most 5% of TraceEvent's indexing", AtMost(5.0), |of| {
        of_reference(of, REFERENCE_INDEX_MS)
    }),
    (GROWN, "first pixels at most 300 ms after the drop", Milliseconds(300.0), |of| of.page.get("first_pixels_ms")),
    (GROWN, "complete at most 800 ms after the drop", Milliseconds(800.0), |of| of.page.get("complete_ms")),
    (GROWN, "the page's process uses at most 300 MB", AtMost(300.0), |of| Ok(of.page.get("peak_bytes")? / 1e6)),
    (GROWN, "percent of the memory limit: 24 bytes per event plus 64 MB", AtMost(100.0), |of| {
        Ok(of.page.get("held_bytes")? * 100.0 / (24.0 * of.page.get("events")? + 64e6))
    }),
    (GROWN, "no task of the page takes longer than 50 ms", Milliseconds(50.0), |of| of.page.get("longest_task_ms")),
    (GROWN, "canceling takes at most 100 ms", Milliseconds(100.0), |of| of.page.get("cancel_ms")),
    (GROWN, "searching a million text payloads takes at most 300 ms", Milliseconds(300.0), |of| {
        Ok(of.page.get("filter_text_ms")? * 1e6 / of.page.get("text_payloads")?)
    }),
    (TEN_MILLION, "searching a million text payloads takes at most 300 ms", Milliseconds(300.0), |of| {
        Ok(of.page.get("filter_text_ms")? * 1e6 / of.page.get("text_payloads")?)
    }),
    (TEN_MILLION, "events of a provider take at most 50 ms", Milliseconds(50.0), |of| {
        of.page.get("filter_provider_ms")
    }),
    (TEN_MILLION, "events of a thread take at most 50 ms", Milliseconds(50.0), |of| of.page.get("filter_thread_ms")),
    (TEN_MILLION, "events in half of the time take at most 50 ms", Milliseconds(50.0), |of| {
        of.page.get("filter_range_ms")
    }),
    (TEN_MILLION, "p95 of a frame while panning and zooming is at most 6 ms", Milliseconds(6.0), |of| {
        of.page.get("frame_busy_p95_ms")
    }),
    (TEN_MILLION, "p95 of a frame with every track expanded is at most 6 ms", Milliseconds(6.0), |of| {
        of.page.get("all_frame_busy_p95_ms")
    }),
    ("web-net10", "p95 of a frame for an app with many threads is at most 6 ms", Milliseconds(6.0), |of| {
        of.page.get("all_frame_busy_p95_ms")
    }),
    (SAMPLES, "p95 of a frame over a million samples is at most 6 ms", Milliseconds(6.0), |of| {
        of.page.get("frame_busy_p95_ms")
    }),
    (SAMPLES, "the flame graph of a million samples takes at most 150 ms", Milliseconds(150.0), |of| {
        of.page.get("flame_all_ms")
    }),
    (
        SAMPLES,
        "expanding a call-tree node takes at most 16 ms, in a different range each time",
        Milliseconds(16.0),
        |of| of.page.get("children_ms"),
    ),
    (SAMPLES, "expanding a row of the bottom-up tree takes at most 16 ms", Milliseconds(16.0), |of| {
        of.page.get("callers_ms")
    }),
];

/// Returns the time of opening natively, in percent of a time of the reference.
fn of_reference(measured: &Measured, reference_ms: f64) -> Outcome<f64> {
    Ok(measured.native.get("load_ms")? * 100.0 / reference_here(measured, reference_ms)?)
}

/// Writes the list of goals.
pub(super) fn list(text: &mut String, measured: &[Measured]) -> Outcome {
    let of = |name: &str| measured.iter().find(|measured| measured.name == name);
    let Some(grown) = of(GROWN) else {
        let _ = writeln!(text, "Goals: not measured, they need {GROWN}.\n");
        return Ok(());
    };
    let factor = grown.native.get("scan_ms")? / SCAN_MS;
    let _ = writeln!(
        text,
        "Goals, on a machine whose native scan of {GROWN} takes {SCAN_MS} ms; on this machine, times are multiplied \
         by {factor:.1}:\n"
    );
    for (name, words, limit, figure) in GOALS {
        let Some(measured) = of(name) else { continue };
        // Skips values that the system doesn't report (memory), or that were too fast to measure (canceling).
        let Ok(value) = figure(measured) else { continue };
        let (here, kept) = match limit {
            Milliseconds(most) => (format!(", scaled {}", milliseconds(most * factor)), value <= most * factor),
            AtMost(most) => (String::new(), value <= most),
        };
        let value = if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        let verdict = if kept { "met" } else { "missed" };
        let _ = writeln!(text, "- {name}: {words}{here}: {value}, {verdict}");
    }
    text.push('\n');
    Ok(())
}
