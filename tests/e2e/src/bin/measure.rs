//! Opens a trace in the built page, asks it and moves about in it, and prints what that cost: `name value` a line, times in
//! milliseconds.
//!
//! `measure FILE [RUNS]`; every figure is the median of the runs, each in a fresh browser. `task START DURATION` is
//! what blocked the page, times since the drop, in every run.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use traceglass_e2e::{Page, Step, Trouble, drive, renderer_peak_bytes};

/// Watches the page from before its first script.
const WATCH: &str = include_str!("watch.js");
/// Scans the file of the field that it is given; returns milliseconds, events, and megabytes a second of copying memory.
const YARDSTICK: &str = include_str!("yardstick.js");
/// Asks the worker; returns figures by name.
const QUESTIONS: &str = include_str!("questions.js");
/// Moves the timeline; returns figures by name.
const MOTION: &str = include_str!("motion.js");

/// Nobody drops a file faster than this after the first screen stands.
const CHOOSING: Duration = Duration::from_secs(1);

/// What one opening cost: the figures, and start and duration of each task that blocked the page.
#[derive(Default)]
struct Run {
    figures: Vec<(String, f64)>,
    tasks: Vec<(f64, f64)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(trace) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: measure FILE [RUNS]");
        return;
    };
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..runs {
        // A fresh browser each time: nothing is warm but the file in the system's cache.
        drive("measure", async |page| {
            let run = open_once(page, &trace).await?;
            for (name, value) in run.figures {
                all.entry(name).or_default().push(value);
            }
            for (start, duration) in run.tasks {
                println!("task {start:.0} {duration:.0}");
            }
            Ok(())
        });
    }
    for (name, mut values) in all {
        values.sort_by(f64::total_cmp);
        println!("{name} {:.2}", values.get(values.len() / 2).copied().unwrap_or(f64::NAN));
    }
}

async fn open_once(page: &Page, trace: &Path) -> Step<Run> {
    page.browser().cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
    page.open("").await?;
    page.until("the first screen stands", "return seen.started !== null").await?;
    tokio::time::sleep(CHOOSING).await;
    page.open_trace(trace).await?;
    // A little later still: the timeline asks again when it has moved, and the tasks of the last frame are told late.
    page.until("the trace stands still", "return seen.complete !== null && performance.now() > seen.complete + 400")
        .await?;
    let seen = page
        .run(
            "const { summary, started, dropped, firstPixels, usable, complete, tasks } = seen;
             return { tasks, dropped, figures: {
               bytes: Number(summary.file_bytes), events: Number(summary.events), samples: Number(summary.samples),
               held_bytes: Number(summary.memory_bytes), start_ms: started, load_ms: summary.load_ms,
               first_pixels_ms: firstPixels - dropped, usable_ms: usable - dropped, complete_ms: complete - dropped,
             } };",
            [],
        )
        .await?;
    let mut run = Run::default();
    run.take(&seen["figures"]);
    if let Some(bytes) = renderer_peak_bytes() {
        run.figures.push(("peak_bytes".to_owned(), bytes as f64));
    }
    let dropped = seen["dropped"].as_f64().unwrap_or(f64::NAN);
    let over_before_drop = |(start, duration): &(f64, f64)| start + duration < 0.0;
    let (at_start, opening): (Vec<_>, Vec<_>) = tasks(&seen["tasks"], dropped).partition(over_before_drop);
    run.figures.push(("longest_task_ms".to_owned(), longest(&opening)));
    run.figures.push(("longest_start_task_ms".to_owned(), longest(&at_start)));
    run.tasks = opening;
    run.take(&page.run_async(MOTION, []).await?);
    run.take(&page.run_async(QUESTIONS, []).await?);
    let (scan, copy) = scan_headers(page, trace, &seen["figures"]["events"]).await?;
    run.figures.push(("scan_ms".to_owned(), scan));
    run.figures.push(("copy_mb_per_s".to_owned(), copy));
    Ok(run)
}

impl Run {
    /// Adds what a script returned.
    fn take(&mut self, figures: &Value) {
        let figures = figures.as_object().into_iter().flatten();
        self.figures.extend(figures.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))));
    }
}

/// The yardstick, over the same file; it must find the same events. Milliseconds, and megabytes a second of copying.
async fn scan_headers(page: &Page, trace: &Path, events: &Value) -> Step<(f64, f64)> {
    let field = page.field_with(trace).await?;
    let scan = page.run_async(YARDSTICK, [field.to_json()?]).await?;
    match (scan[0].as_f64(), scan[1].as_f64(), scan[2].as_f64()) {
        (Some(ms), found, Some(copy)) if found == events.as_f64() => Ok((ms, copy)),
        _ => Err(Trouble(format!("the scan found {scan}, opening {events} events"))),
    }
}

/// Start, since the drop, and duration.
fn tasks(tasks: &Value, dropped: f64) -> impl Iterator<Item = (f64, f64)> {
    let tasks = tasks.as_array().into_iter().flatten();
    tasks.filter_map(move |task| Some((task[0].as_f64()? - dropped, task[1].as_f64()?)))
}

/// Only tasks from 50 ms are told: 0 means that there was none.
fn longest(tasks: &[(f64, f64)]) -> f64 {
    tasks.iter().map(|(_, duration)| *duration).fold(0.0, f64::max)
}
