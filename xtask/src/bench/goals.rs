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
    (GROWN, "the worker opens it in twice the time of its scan", AtMost(2.0), |of| {
        Ok(of.page.get("load_ms")? / of.page.get("scan_ms")?)
    }),
    (GROWN, "natively it opens in twice the time of the scan there", AtMost(2.0), |of| {
        Ok(of.native.get("load_ms")? / of.native.get("scan_ms")?)
    }),
    (GROWN, "that is at most 20% of TraceEvent's bare loop", AtMost(20.0), |of| of_reference(of, REFERENCE_LOOP_MS)),
    (GROWN, "and at most 5% of its indexing", AtMost(5.0), |of| of_reference(of, REFERENCE_INDEX_MS)),
    (GROWN, "first pixels 300 ms after the drop", Milliseconds(300.0), |of| of.page.get("first_pixels_ms")),
    (GROWN, "everything is there 800 ms after the drop", Milliseconds(800.0), |of| of.page.get("complete_ms")),
    (GROWN, "at most 300 MB of memory in the page's process", AtMost(300.0), |of| Ok(of.page.get("peak_bytes")? / 1e6)),
    (GROWN, "at most 24 bytes an event and 64 MB are held: of this, percent", AtMost(100.0), |of| {
        Ok(of.page.get("held_bytes")? * 100.0 / (24.0 * of.page.get("events")? + 64e6))
    }),
    (GROWN, "no task of the page takes more than 50 ms", Milliseconds(50.0), |of| of.page.get("longest_task_ms")),
    (GROWN, "giving up takes at most 100 ms", Milliseconds(100.0), |of| of.page.get("cancel_ms")),
    (GROWN, "a million payloads with texts are searched in 300 ms", Milliseconds(300.0), |of| {
        Ok(of.page.get("filter_text_ms")? * 1e6 / of.page.get("text_payloads")?)
    }),
    (TEN_MILLION, "there too", Milliseconds(300.0), |of| {
        Ok(of.page.get("filter_text_ms")? * 1e6 / of.page.get("text_payloads")?)
    }),
    (TEN_MILLION, "events of a provider in 50 ms", Milliseconds(50.0), |of| of.page.get("filter_provider_ms")),
    (TEN_MILLION, "events of a thread in 50 ms", Milliseconds(50.0), |of| of.page.get("filter_thread_ms")),
    (TEN_MILLION, "events of half the time in 50 ms", Milliseconds(50.0), |of| of.page.get("filter_range_ms")),
    (TEN_MILLION, "a frame while moving takes at most 6 ms in 95 of 100", Milliseconds(6.0), |of| {
        of.page.get("frame_busy_p95_ms")
    }),
    (TEN_MILLION, "with every track opened too", Milliseconds(6.0), |of| of.page.get("all_frame_busy_p95_ms")),
    ("web-net10", "and in a program of many threads", Milliseconds(6.0), |of| of.page.get("all_frame_busy_p95_ms")),
    (SAMPLES, "and of a million samples", Milliseconds(6.0), |of| of.page.get("frame_busy_p95_ms")),
    (SAMPLES, "the flame graph of a million samples in 150 ms", Milliseconds(150.0), |of| of.page.get("flame_all_ms")),
    (SAMPLES, "a node of their call tree opens in 16 ms, of another range each time", Milliseconds(16.0), |of| {
        of.page.get("children_ms")
    }),
    (SAMPLES, "a row of their bottom-up tree opens in 16 ms", Milliseconds(16.0), |of| of.page.get("callers_ms")),
];

/// Returns the time of opening natively, in percent of a time of the reference reader.
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
        "Goals, on a machine whose native scan of {GROWN} takes {SCAN_MS} ms; here milliseconds times {factor:.1}:\n"
    );
    for (name, words, limit, figure) in GOALS {
        let Some(measured) = of(name) else { continue };
        // Skips values that the system doesn't report (memory), or that were too fast to measure (canceling).
        let Ok(value) = figure(measured) else { continue };
        let (here, kept) = match limit {
            Milliseconds(most) => (format!(", here {}", milliseconds(most * factor)), value <= most * factor),
            AtMost(most) => (String::new(), value <= most),
        };
        let value = if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        let verdict = if kept { "kept" } else { "missed" };
        let _ = writeln!(text, "- {name}: {words}{here}: {value}, {verdict}");
    }
    text.push('\n');
    Ok(())
}
