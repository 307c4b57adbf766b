//! What was measured, as tables: ratios first, since only they travel to another machine.

use super::Figures;
use crate::{Outcome, paths, size};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

const BEGIN: &str = "<!-- written by `cargo xtask bench --write`: begin -->";
const END: &str = "<!-- end -->";

/// Goals in milliseconds hold on a machine whose native scan of this trace takes so long, and scale with it.
const GOAL_TRACE: &str = "firehose-net31";
const GOAL_SCAN_MS: f64 = 53.0;
/// Megabytes a second that the worker opens there.
const GOAL_SPEED: f64 = 150.0;
/// Milliseconds that a task of the page may take there.
const GOAL_TASK_MS: f64 = 50.0;

/// Where it was measured.
pub(super) struct Machine {
    pub(super) processor: String,
    pub(super) processors: usize,
    pub(super) rust: String,
    pub(super) chromium: String,
}

/// One trace.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) native: Figures,
    pub(super) page: Figures,
}

/// Everything.
pub(super) struct Report {
    pub(super) machine: Machine,
    /// What is fetched before the first drop, compressed.
    pub(super) page_bytes: Option<u64>,
    pub(super) measured: Vec<Measured>,
}

impl Report {
    /// The tables, as Markdown.
    pub(super) fn text(&self) -> Outcome<String> {
        let Machine { processor, processors, rust, chromium } = &self.machine;
        let mut text = format!(
            "{}: {processor}, {processors} processors, {rust}, {chromium} without a GPU. Medians of five runs.\n\n",
            today()
        );
        self.ratios(&mut text)?;
        self.goals(&mut text)?;
        self.figures(&mut text)?;
        self.tasks(&mut text);
        self.start(&mut text)?;
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
        self.head(text, "times as long as");
        let ratio = |a: f64, b: f64| Ok(format!("{:.1}", a / b));
        self.row(text, "opening in the worker : scan in the worker", |of| {
            ratio(of.page.get("load_ms")?, of.page.get("scan_ms")?)
        })?;
        self.row(text, "opening natively : scan natively", |of| {
            ratio(of.native.get("load_ms")?, of.native.get("scan_ms")?)
        })?;
        self.row(text, "opening in the worker : opening natively", |of| {
            ratio(of.page.get("load_ms")?, of.native.get("load_ms")?)
        })?;
        text.push('\n');
        Ok(())
    }

    fn goals(&self, text: &mut String) -> Outcome {
        let Some(measured) = self.measured.iter().find(|measured| measured.name == GOAL_TRACE) else {
            let _ = writeln!(text, "Goals: not measured, they are about {GOAL_TRACE}.\n");
            return Ok(());
        };
        let factor = measured.native.get("scan_ms")? / GOAL_SCAN_MS;
        let speed = measured.page.get("bytes")? / 1e3 / measured.page.get("load_ms")?;
        let task = measured.page.get("longest_task_ms")?;
        let verdict = |kept: bool| if kept { "kept" } else { "missed" };
        let _ = writeln!(
            text,
            "Goals, {GOAL_TRACE}, on a machine whose native scan takes {GOAL_SCAN_MS} ms; here times {factor:.1}:\n\n\
             - the worker opens at least {GOAL_SPEED} MB/s, here {:.0}: {speed:.0}, {}\n\
             - no task blocks the page longer than {GOAL_TASK_MS} ms, here {:.0}: {}, {}\n",
            GOAL_SPEED / factor,
            verdict(speed >= GOAL_SPEED / factor),
            GOAL_TASK_MS * factor,
            longest_words(task),
            verdict(task <= GOAL_TASK_MS * factor),
        );
        Ok(())
    }

    fn figures(&self, text: &mut String) -> Outcome {
        self.head(text, "");
        let get = |figures: &Figures, name: &str, digits: usize, unit: f64| -> Outcome<String> {
            Ok(format!("{:.digits$}", figures.get(name)? / unit))
        };
        self.row(text, "MB", |of| get(&of.native, "bytes", 1, 1e6))?;
        self.row(text, "events", |of| get(&of.native, "events", 0, 1.0))?;
        for (place, what, name) in [
            (Place::Native, "native scan", "scan_ms"),
            (Place::Native, "native opening", "load_ms"),
            (Place::Page, "worker's scan", "scan_ms"),
            (Place::Page, "worker's opening", "load_ms"),
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
            self.row(text, &format!("held {what}, MB"), |of| get(place.of(of), "held_bytes", 1, 1e6))?;
            self.row(text, &format!("held {what}, bytes per event"), |of| {
                Ok(format!("{:.1}", place.of(of).get("held_bytes")? / of.native.get("events")?))
            })?;
        }
        for (what, name) in [
            ("drop to first pixels, ms", "first_pixels_ms"),
            ("drop to usable (the timeline is there), ms", "usable_ms"),
            ("drop to complete (nothing is asked any more), ms", "complete_ms"),
        ] {
            self.row(text, what, |of| get(&of.page, name, 0, 1.0))?;
        }
        self.row(text, "longest task of the page from the drop on, ms", |of| {
            Ok(longest_words(of.page.get("longest_task_ms")?))
        })?;
        text.push('\n');
        Ok(())
    }

    fn tasks(&self, text: &mut String) {
        let _ = writeln!(text, "Every task of 50 ms and more, in all five runs (ms since the drop: duration):\n");
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
        // Which trace is opened afterwards does not matter to it: the first will do.
        let Some(first) = self.measured.first() else { return Ok(()) };
        let _ = writeln!(
            text,
            "Start: {:.0} ms from the navigation to the first screen, longest task {} ms; {} fetched before the first drop.",
            first.page.get("start_ms")?,
            longest_words(first.page.get("longest_start_task_ms")?),
            self.page_bytes.map_or_else(
                || "not measured what is".to_owned(),
                |bytes| format!("{} KB (gzip -9; the goal is {})", bytes / 1000, size::BUDGET_BYTES / 1000)
            ),
        );
        Ok(())
    }
}

/// Where a figure was taken.
#[derive(Clone, Copy)]
enum Place {
    Native,
    Page,
}

impl Place {
    fn of(self, measured: &Measured) -> &Figures {
        match self {
            Self::Native => &measured.native,
            Self::Page => &measured.page,
        }
    }
}

/// With a decimal where whole numbers would say little.
fn milliseconds(ms: f64) -> String {
    if ms < 10.0 { format!("{ms:.1}") } else { format!("{ms:.0}") }
}

/// Browsers tell only tasks from 50 ms on.
fn longest_words(ms: f64) -> String {
    if ms < 50.0 { "< 50".to_owned() } else { format!("{ms:.0}") }
}

/// The date, UTC.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of_day(seconds / 86_400)
}

/// Year, month and day of a day since 1970-01-01.
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

/// Replaces what a previous run wrote.
pub(super) fn write_down(text: &str) -> Outcome {
    let path = paths::root().join("docs/performance.md");
    let page = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (before, rest) = page.split_once(BEGIN).ok_or_else(|| format!("{} has no line {BEGIN}", path.display()))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| format!("{} has no line {END}", path.display()))?;
    let page = format!("{before}{BEGIN}\n\n{text}\n{END}{after}");
    std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Figures, Machine, Measured, Report, date_of_day};

    fn figures(lines: &[&str]) -> Figures {
        let mut figures = Figures::default();
        lines.iter().for_each(|line| figures.take(line));
        figures
    }

    #[test]
    fn names_days() {
        assert_eq!(date_of_day(0), "1970-01-01");
        assert_eq!(date_of_day(19_782), "2024-02-29");
        assert_eq!(date_of_day(20_818), "2026-12-31");
    }

    #[test]
    fn ratios_goals_and_tasks_are_told() {
        let native = figures(&["bytes 2000000", "events 1000", "scan_ms 106", "load_ms 212", "held_bytes 9000"]);
        let page = figures(&[
            "bytes 2000000",
            "events 1000",
            "scan_ms 100",
            "load_ms 250",
            "held_bytes 8000",
            "start_ms 120",
            "first_pixels_ms 30",
            "usable_ms 300",
            "complete_ms 400",
            "task 280 99",
            "longest_task_ms 99",
            "longest_start_task_ms 0",
        ]);
        let machine = Machine { processor: "P".into(), processors: 2, rust: "R".into(), chromium: "C".into() };
        let measured = vec![Measured { name: "firehose-net31".into(), native, page }];
        let text = Report { machine, page_bytes: Some(500_000), measured }.text().expect("every figure is there");
        for part in [
            "| opening in the worker : scan in the worker | 2.5 |",
            "here 75: 8, missed",
            "longer than 50 ms, here 100: 99, kept",
            "- firehose-net31: 280: 99",
            "longest task < 50 ms",
            "| native scan, ms | 106 |",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
