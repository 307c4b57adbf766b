//! Measures the same in Firefox, beside the goals.

use super::report::{megabytes, milliseconds};
use super::traces::Trace;
use super::{Figures, figures, page};
use crate::Outcome;
use crate::browser::Browser;
use crate::command::step;
use std::fmt::Write;

/// Number of runs: the median of few is enough for a comparison.
const RUNS: usize = 3;

/// Table rows, with the names of their values.
const ROWS: [(&str, &str); 16] = [
    ("Scan in the worker, ms", "scan_ms"),
    ("Scan of a stream in the worker, ms", "scan_stream_ms"),
    ("Opening in the worker, ms", "load_ms"),
    ("Drop to first pixels, ms", "first_pixels_ms"),
    ("Drop to usable, ms", "usable_ms"),
    ("Drop to complete, ms", "complete_ms"),
    ("Events of a provider, ms", "filter_provider_ms"),
    ("Events of a thread, ms", "filter_thread_ms"),
    ("Text search without matches, ms", "filter_text_ms"),
    ("Events sorted by a payload field, ms", "sort_field_ms"),
    ("Flame graph of the whole trace, ms", "flame_all_ms"),
    ("Children of a call-tree node, ms", "children_ms"),
    ("Script and drawing per frame, p50, ms", "frame_busy_p50_ms"),
    ("Script and drawing per frame, p95, ms", "frame_busy_p95_ms"),
    ("Time between frames, p95, ms", "frame_interval_p95_ms"),
    ("Navigation to the first screen, ms", "start_ms"),
];

/// Values measured in Firefox.
pub(super) struct InFirefox {
    version: String,
    traces: Vec<(String, Figures)>,
}

/// Measures all traces except the large generated ones.
pub(super) fn measure(browser: &Browser, traces: &[Trace]) -> Outcome<InFirefox> {
    let measured = traces.iter().filter(|trace| !trace.is_large()).map(|trace| {
        let name = &trace.name;
        let figures =
            step(&format!("{name}: dropped on the page in Firefox"), || figures(&mut page(trace, browser, RUNS)))?;
        Ok((name.clone(), figures))
    });
    Ok(InFirefox { version: browser.version()?, traces: measured.collect::<Outcome<_>>()? })
}

impl InFirefox {
    /// Writes the table.
    pub(super) fn table(&self, text: &mut String) -> Outcome {
        let names: Vec<&str> = self.traces.iter().map(|(name, _)| name.as_str()).collect();
        let lines = "---:|".repeat(names.len());
        let _ = writeln!(text, "\n| {}, medians of {RUNS} | {} |\n|---|{lines}", self.version, names.join(" | "));
        for (what, name) in ROWS {
            let values = self.traces.iter().map(|(_, figures)| Ok(milliseconds(figures.get(name)?)));
            let _ = writeln!(text, "| {what} | {} |", values.collect::<Outcome<Vec<_>>>()?.join(" | "));
        }
        let ratios = self.traces.iter().map(|(_, of)| Ok(format!("{:.1}", of.get("load_ms")? / of.get("scan_ms")?)));
        let _ = writeln!(text, "| Opening / scan | {} |", ratios.collect::<Outcome<Vec<_>>>()?.join(" | "));
        let peaks: Vec<String> = self.traces.iter().map(|(_, figures)| megabytes(figures, "peak_bytes")).collect();
        let _ = writeln!(text, "| Peak memory of the page's process, MB | {} |", peaks.join(" | "));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Figures, InFirefox, ROWS};

    #[test]
    fn table_has_times_and_memory() {
        let mut figures = Figures::default();
        ROWS.iter().enumerate().for_each(|(index, (_, name))| figures.take(&format!("{name} {}", 20 * (index + 1))));
        figures.take("peak_bytes 310000000");
        let mut text = String::new();
        let firefox = InFirefox { version: "F".into(), traces: vec![("web-net10".into(), figures)] };
        firefox.table(&mut text).expect("every figure is there");
        for part in [
            "| F, medians of 3 | web-net10 |",
            "| Scan in the worker, ms | 20 |",
            "| Opening / scan | 3.0 |",
            "process, MB | 310 |",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
