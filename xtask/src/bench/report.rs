//! Tables of the measurements: ratios first, because only they are comparable across machines.

use super::Figures;
use super::ratios::{RATIOS, two_digits};
use super::{firefox, goals, growth};
use crate::{Outcome, paths, size};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

const BEGIN: &str = "<!-- written by `cargo xtask bench --write`: begin -->";
const END: &str = "<!-- end -->";

/// Requests, with the names of their values.
const QUESTIONS: [(&str, &str); 18] = [
    ("Events of a provider", "filter_provider_ms"),
    ("Events of a thread", "filter_thread_ms"),
    ("Events in half of the time", "filter_range_ms"),
    ("Text search without matches", "filter_text_ms"),
    ("Events sorted by thread", "sort_thread_ms"),
    ("Events sorted by a payload field", "sort_field_ms"),
    ("Flame graph of the whole trace", "flame_all_ms"),
    ("Flame graph of half of the time", "flame_range_ms"),
    ("Functions by self time", "functions_ms"),
    ("Children of a call-tree node", "children_ms"),
    ("Leaves of the bottom-up tree", "bottom_up_ms"),
    ("Callers of a leaf in the bottom-up tree", "callers_ms"),
    ("Details of an event", "detail_ms"),
    ("Block strip of the file", "strip_ms"),
    ("Structure of a block, a different one each time", "block_ms"),
    ("Meaning of the visible bytes", "leaves_ms"),
    ("Timeline of the whole trace, threads collapsed", "lanes_all_ms"),
    ("Timeline of the whole trace, with stacks", "lanes_deep_ms"),
];

/// Machine of a measurement.
pub(super) struct Machine {
    pub(super) processor: String,
    pub(super) processors: usize,
    pub(super) rust: String,
    pub(super) chromium: String,
}

/// Measurement of one trace.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) native: Figures,
    pub(super) page: Figures,
}

/// All measurements.
pub(super) struct Report {
    pub(super) machine: Machine,
    /// Download sizes before a trace is opened; `None` if they can't be compressed.
    pub(super) downloads: Option<size::Downloads>,
    pub(super) measured: Vec<Measured>,
    /// Traces for which only opening was measured.
    pub(super) only_opened: Vec<Measured>,
    /// Measurements in Firefox, if requested.
    pub(super) firefox: Option<firefox::InFirefox>,
}

impl Report {
    /// Returns the tables as Markdown.
    pub(super) fn text(&self) -> Outcome<String> {
        let Machine { processor, processors, rust, chromium } = &self.machine;
        let mut text = format!(
            "{}: {processor}, {processors} processors, {rust}, {chromium} without a GPU. Medians of five runs,\n\
             of three for firehose ×4 and ×10.\n\n",
            today()
        );
        self.ratios(&mut text)?;
        growth::table(&mut text, &self.measured, &self.only_opened)?;
        goals::table(&mut text, &self.measured)?;
        self.figures(&mut text)?;
        self.questions(&mut text)?;
        self.motion(&mut text)?;
        self.tasks(&mut text);
        self.start(&mut text)?;
        if let Some(firefox) = &self.firefox {
            firefox.table(&mut text)?;
        }
        Ok(text)
    }

    fn head(&self, text: &mut String, first: &str) {
        let names: Vec<&str> = self.measured.iter().map(|measured| measured.name.as_str()).collect();
        let _ = writeln!(text, "| {first} | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    }

    fn row(&self, text: &mut String, what: &str, value: impl Fn(&Measured) -> Outcome<String>) -> Outcome {
        let values = self.measured.iter().map(value).collect::<Outcome<Vec<_>>>()?;
        let _ = writeln!(text, "| {what} | {} |", values.join(" | "));
        Ok(())
    }

    fn ratios(&self, text: &mut String) -> Outcome {
        self.head(text, "Ratio");
        for ratio in &RATIOS {
            self.row(text, ratio.what, |of| Ok(ratio.of(of)?.map_or_else(|| "–".to_owned(), two_digits)))?;
        }
        text.push('\n');
        Ok(())
    }

    fn figures(&self, text: &mut String) -> Outcome {
        self.head(text, "");
        let get = |figures: &Figures, name: &str, digits: usize, unit: f64| -> Outcome<String> {
            Ok(format!("{:.digits$}", figures.get(name)? / unit))
        };
        self.row(text, "MB", |of| get(&of.native, "bytes", 1, 1e6))?;
        self.row(text, "Events", |of| get(&of.native, "events", 0, 1.0))?;
        for (place, what, name) in [
            (Place::Native, "Native scan", "scan_ms"),
            (Place::Native, "Native opening", "load_ms"),
            (Place::Page, "Scan in the worker", "scan_ms"),
            (Place::Page, "Scan of a stream in the worker", "scan_stream_ms"),
            (Place::Page, "Opening in the worker", "load_ms"),
        ] {
            self.row(text, &format!("{what}, ms"), |of| Ok(milliseconds(place.of(of).get(name)?)))?;
            self.row(text, &format!("{what}, MB/s"), |of| {
                Ok(format!("{:.0}", of.native.get("bytes")? / 1e3 / place.of(of).get(name)?))
            })?;
            self.row(text, &format!("{what}, million events/s"), |of| {
                Ok(format!("{:.2}", of.native.get("events")? / 1e3 / place.of(of).get(name)?))
            })?;
        }
        for (place, what) in [(Place::Native, "natively"), (Place::Page, "in the worker")] {
            self.row(text, &format!("Memory {what}, MB"), |of| get(place.of(of), "held_bytes", 1, 1e6))?;
            self.row(text, &format!("Memory {what}, bytes per event"), |of| {
                Ok(format!("{:.1}", place.of(of).get("held_bytes")? / of.native.get("events")?))
            })?;
        }
        self.row(text, "Peak memory natively while opening, MB", |of| Ok(megabytes(&of.native, "peak_bytes")))?;
        self.row(text, "Peak memory of the page's process while opening, MB", |of| {
            Ok(megabytes(&of.page, "peak_bytes"))
        })?;
        self.row(text, "Copying memory in the browser, MB/s", |of| get(&of.page, "copy_mb_per_s", 0, 1.0))?;
        for (what, name) in [
            ("Drop to first pixels, ms", "first_pixels_ms"),
            ("Drop to usable (timeline visible), ms", "usable_ms"),
            ("Drop to complete (no pending queries), ms", "complete_ms"),
        ] {
            self.row(text, what, |of| get(&of.page, name, 0, 1.0))?;
        }
        self.row(text, "Canceling at 5, 40 or 80% until the first screen, ms", |of| {
            Ok(of.page.get("cancel_ms").map_or_else(|_| "–".to_owned(), milliseconds))
        })?;
        self.row(text, "Longest task of the page after the drop, ms", |of| {
            Ok(longest_words(of.page.get("longest_task_ms")?))
        })?;
        text.push('\n');
        Ok(())
    }

    /// Writes the table of the panels' requests, in the page and natively.
    fn questions(&self, text: &mut String) -> Outcome {
        self.head(text, "Query, ms on the page (natively)");
        for (what, name) in QUESTIONS {
            self.row(text, what, |of| {
                Ok(format!("{} ({})", milliseconds(of.page.get(name)?), milliseconds(of.native.get(name)?)))
            })?;
        }
        text.push('\n');
        Ok(())
    }

    /// Writes the table of panning and zooming.
    fn motion(&self, text: &mut String) -> Outcome {
        self.head(text, "Panning and zooming, p50 / p95 / max");
        for (what, name) in [
            ("Script per frame, ms", "frame_script"),
            ("Script and drawing per frame, ms", "frame_busy"),
            ("Script and drawing per frame with every track expanded, ms", "all_frame_busy"),
            ("Time between frames, ms", "frame_interval"),
        ] {
            self.row(text, what, |of| {
                let part = |part: &str| Ok::<_, String>(milliseconds(of.page.get(&format!("{name}_{part}_ms"))?));
                Ok(format!("{} / {} / {}", part("p50")?, part("p95")?, part("max")?))
            })?;
        }
        self.row(text, "Frames", |of| Ok(format!("{:.0}", of.page.get("frames")?)))?;
        self.row(text, "Expanded tracks", |of| Ok(format!("{:.0}", of.page.get("tracks_opened")?)))?;
        self.row(text, "Queries sent", |of| Ok(format!("{:.0}", of.page.get("frame_messages")?)))?;
        text.push('\n');
        Ok(())
    }

    fn tasks(&self, text: &mut String) {
        let _ = writeln!(text, "All tasks of 50 ms or more, in all runs (ms since the drop: duration):\n");
        for measured in &self.measured {
            let mut tasks = measured.page.tasks.clone();
            tasks.sort_by(|a, b| a.0.total_cmp(&b.0));
            let tasks: Vec<String> = tasks.iter().map(|(start, ms)| format!("{start:.0}: {ms:.0}")).collect();
            let tasks = if tasks.is_empty() { "none".to_owned() } else { tasks.join(", ") };
            let _ = writeln!(text, "- {}: {tasks}", measured.name);
        }
        text.push('\n');
    }

    fn start(&self, text: &mut String) -> Outcome {
        // The trace that is opened afterwards doesn't matter.
        let Some(first) = self.measured.first() else { return Ok(()) };
        let _ = writeln!(
            text,
            "Start: {:.0} ms from the navigation to the first screen, longest task {} ms; downloaded for it: {}; prefetched: {}.",
            first.page.get("start_ms")?,
            longest_words(first.page.get("longest_start_task_ms")?),
            kilobytes(self.downloads.map(|one| one.first_screen_bytes), size::FIRST_SCREEN_BUDGET_BYTES),
            kilobytes(self.downloads.map(|one| one.prefetched_bytes), size::PREFETCHED_BUDGET_BYTES),
        );
        Ok(())
    }
}

/// Place of a measurement.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Native,
    Page,
}

impl Place {
    pub(super) fn of(self, measured: &Measured) -> &Figures {
        match self {
            Self::Native => &measured.native,
            Self::Page => &measured.page,
        }
    }
}

/// Formats the peak memory in megabytes. Only Linux reports it.
pub(super) fn megabytes(figures: &Figures, name: &str) -> String {
    figures.get(name).map_or_else(|_| "?".to_owned(), |bytes| format!("{:.0}", bytes / 1e6))
}

/// Formats milliseconds, with a decimal for small values.
pub(super) fn milliseconds(ms: f64) -> String {
    if ms < 10.0 { format!("{ms:.1}") } else { format!("{ms:.0}") }
}

fn kilobytes(bytes: Option<u64>, goal: u64) -> String {
    let kilobytes = |bytes: u64| format!("{} KB with brotli -q 11 (the goal is {})", bytes / 1000, goal / 1000);
    bytes.map_or_else(|| "not measured".to_owned(), kilobytes)
}

/// Formats the longest task. Browsers report only tasks of at least 50 ms.
pub(super) fn longest_words(ms: f64) -> String {
    if ms < 50.0 { "< 50".to_owned() } else { format!("{ms:.0}") }
}

/// Returns the current date in UTC.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of_day(seconds / 86_400)
}

/// Returns year, month and day for a number of days since 1970-01-01.
fn date_of_day(mut day: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in months {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

/// Returns the path of the tables.
fn path() -> PathBuf {
    paths::root().join("docs/performance-tables.md")
}

/// Returns the text before, between and after the marks.
fn parts(page: &str) -> Outcome<[&str; 3]> {
    let (before, rest) =
        page.split_once(BEGIN).ok_or_else(|| format!("docs/performance-tables.md has no line {BEGIN}"))?;
    let (written, after) =
        rest.split_once(END).ok_or_else(|| format!("docs/performance-tables.md has no line {END}"))?;
    Ok([before, written, after])
}

fn page() -> Outcome<String> {
    std::fs::read_to_string(path()).map_err(|error| format!("{}: {error}", path().display()))
}

/// Returns the tables of the previous run.
pub(super) fn written() -> Outcome<String> {
    Ok(parts(&page()?)?[1].to_owned())
}

/// Replaces the tables of the previous run.
pub(super) fn write_down(text: &str) -> Outcome {
    let page = page()?;
    let [before, _, after] = parts(&page)?;
    let page = format!("{before}{BEGIN}\n\n{text}\n{END}{after}");
    std::fs::write(path(), page).map_err(|error| format!("{}: {error}", path().display()))
}

#[cfg(test)]
mod tests;
