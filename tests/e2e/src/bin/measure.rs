//! Opens a trace in the built page and prints what that cost: `name value` a line, times in milliseconds.
//!
//! `measure FILE [RUNS]`; every figure is the median of the runs, each in a fresh browser. `task START DURATION` is
//! what blocked the page, times since the drop, in every run.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use traceglass_e2e::{Page, Step, Trouble, drive};

/// Watches the page from before its first script.
const WATCH: &str = include_str!("watch.js");
/// Scans the file of the field that it is given; returns milliseconds and events.
const YARDSTICK: &str = include_str!("yardstick.js");

/// In this order they are printed.
const FIGURES: [&str; 11] = [
    "bytes",
    "events",
    "held_bytes",
    "start_ms",
    "scan_ms",
    "load_ms",
    "first_pixels_ms",
    "usable_ms",
    "complete_ms",
    "longest_task_ms",
    "longest_start_task_ms",
];

/// What one opening cost: the figures, and start and duration of each task that blocked the page.
struct Run {
    figures: [f64; FIGURES.len()],
    tasks: Vec<(f64, f64)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(trace) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: measure FILE [RUNS]");
        return;
    };
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let mut all: [Vec<f64>; FIGURES.len()] = Default::default();
    for _ in 0..runs {
        // A fresh browser each time: nothing is warm but the file in the system's cache.
        drive("measure", async |page| {
            let run = open_once(page, &trace).await?;
            for (values, value) in all.iter_mut().zip(run.figures) {
                values.push(value);
            }
            for (start, duration) in run.tasks {
                println!("task {start:.0} {duration:.0}");
            }
            Ok(())
        });
    }
    for (name, mut values) in FIGURES.into_iter().zip(all) {
        values.sort_by(f64::total_cmp);
        println!("{name} {:.1}", values.get(values.len() / 2).copied().unwrap_or(f64::NAN));
    }
}

async fn open_once(page: &Page, trace: &Path) -> Step<Run> {
    page.browser().cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
    page.open("").await?;
    page.until("the first screen stands", "return seen.started !== null").await?;
    page.open_trace(trace).await?;
    // A little later still: the timeline asks again when it has moved, and the tasks of the last frame are told late.
    page.until("the trace stands still", "return seen.complete !== null && performance.now() > seen.complete + 400")
        .await?;
    let seen = page
        .run(
            "const { summary, started, dropped, firstPixels, usable, complete, tasks } = seen;
             return { tasks, dropped, figures: {
               bytes: Number(summary.file_bytes), events: Number(summary.events),
               held_bytes: Number(summary.memory_bytes), start_ms: started, load_ms: summary.load_ms,
               first_pixels_ms: firstPixels - dropped, usable_ms: usable - dropped, complete_ms: complete - dropped,
             } };",
            [],
        )
        .await?;
    let dropped = seen["dropped"].as_f64().unwrap_or(f64::NAN);
    let over_before_drop = |(start, duration): &(f64, f64)| start + duration < 0.0;
    let (at_start, opening): (Vec<_>, Vec<_>) = tasks(&seen["tasks"], dropped).partition(over_before_drop);
    let scan = scan_headers(page, trace, &seen["figures"]["events"]).await?;
    let mut figures = [0.0; FIGURES.len()];
    for (figure, name) in figures.iter_mut().zip(FIGURES) {
        *figure = match name {
            "scan_ms" => scan,
            "longest_task_ms" => longest(&opening),
            "longest_start_task_ms" => longest(&at_start),
            _ => seen["figures"][name].as_f64().ok_or_else(|| Trouble(format!("no {name} in {seen}")))?,
        };
    }
    Ok(Run { figures, tasks: opening })
}

/// The yardstick, over the same file; it must find the same events.
async fn scan_headers(page: &Page, trace: &Path, events: &Value) -> Step<f64> {
    let field = page.field_with(trace).await?;
    let scan = page.run_async(YARDSTICK, [field.to_json()?]).await?;
    match (scan[0].as_f64(), scan[1].as_f64()) {
        (Some(ms), found) if found == events.as_f64() => Ok(ms),
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
