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
    ("worker's scan, ms", "scan_ms"),
    ("worker's scan of a stream, ms", "scan_stream_ms"),
    ("worker's opening, ms", "load_ms"),
    ("drop to first pixels, ms", "first_pixels_ms"),
    ("drop to usable, ms", "usable_ms"),
    ("drop to complete, ms", "complete_ms"),
    ("events of a provider, ms", "filter_provider_ms"),
    ("events of a thread, ms", "filter_thread_ms"),
    ("events that contain a text (none does), ms", "filter_text_ms"),
    ("events by a field of the payload, ms", "sort_field_ms"),
    ("flame graph of everything, ms", "flame_all_ms"),
    ("children of a call-tree node, ms", "children_ms"),
    ("script and drawing a frame, median, ms", "frame_busy_p50_ms"),
    ("script and drawing a frame, 95%, ms", "frame_busy_p95_ms"),
    ("from frame to frame, 95%, ms", "frame_interval_p95_ms"),
    ("from the navigation to the first screen, ms", "start_ms"),
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
        let _ = writeln!(text, "| opening : scan | {} |", ratios.collect::<Outcome<Vec<_>>>()?.join(" | "));
        let peaks: Vec<String> = self.traces.iter().map(|(_, figures)| megabytes(figures, "peak_bytes")).collect();
        let _ = writeln!(text, "| most memory of the page's process, MB | {} |", peaks.join(" | "));
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
            "| worker's scan, ms | 20 |",
            "| opening : scan | 3.0 |",
            "process, MB | 310 |",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
