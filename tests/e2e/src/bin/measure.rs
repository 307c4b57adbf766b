//! Opens a trace in the built page, asks it and moves about in it, and prints what that cost: `name value` a line, times in
//! milliseconds.
//!
//! `measure FILE [RUNS] [opening]`; every figure is the median of the runs, each in a fresh browser. `task START DURATION`
//! is what blocked the page, times since the drop, in every run. With `opening` nothing is asked and moved.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use traceglass_e2e::{Page, Step, Trouble, drive_within, renderer_peak_bytes};

/// Watches the page from before its first script.
const WATCH: &str = include_str!("watch.js");
/// Scans the file of the field that it is given; returns milliseconds, events, and megabytes a second of copying memory.
const YARDSTICK: &str = include_str!("yardstick.js");
/// Asks the worker; returns figures by name.
const QUESTIONS: &str = concat!(include_str!("written.js"), include_str!("questions.js"));
/// Opens the pages of answers; returns figures by name.
const TOPICS: &str = include_str!("topics.js");
/// Moves the timeline; returns figures by name.
const MOTION: &str = include_str!("motion.js");

/// Opens every track; returns how many.
const EXPAND: &str = include_str!("expand.js");
/// Gives up opening at a share of the file; returns milliseconds.
const CANCEL: &str = include_str!("cancel.js");

/// Where opening is given up, as shares of the file.
const CANCEL_AT: [f64; 3] = [0.05, 0.4, 0.8];
/// Smaller ones are open before anybody could give up.
const CANCEL_FROM_BYTES: u64 = 50_000_000;
/// Ten gigabytes take a minute or two to be opened.
const LIMIT: Duration = Duration::from_secs(600);

/// Nobody drops a file faster than this after the first screen stands.
const CHOOSING: Duration = Duration::from_secs(1);
/// Nor does a hand bring it from the edge of the window to its middle, and let go, faster than this.
const DRAGGING: Duration = Duration::from_millis(250);

/// What one opening cost: the figures, and start and duration of each task that blocked the page.
#[derive(Default)]
struct Run {
    figures: Vec<(String, f64)>,
    tasks: Vec<(f64, f64)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(trace) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: measure FILE [RUNS] [opening]");
        return;
    };
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let only_opening = arguments.next().is_some_and(|word| word == "opening");
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..runs {
        // A fresh browser each time: nothing is warm but the file in the system's cache.
        drive_within(LIMIT, "measure", async |page| {
            let mut run = open_once(page, &trace).await?;
            if !only_opening {
                use_it(page, &trace, &mut run).await?;
            }
            for (name, value) in run.figures {
                all.entry(name).or_default().push(value);
            }
            for (start, duration) in run.tasks {
                println!("task {start:.0} {duration:.0}");
            }
            Ok(())
        });
    }
    if !only_opening && std::fs::metadata(&trace).is_ok_and(|file| file.len() >= CANCEL_FROM_BYTES) {
        for share in CANCEL_AT {
            drive_within(LIMIT, "cancel", async |page| {
                let ms = cancel_at(page, &trace, share).await?;
                all.entry("cancel_ms".to_owned()).or_default().extend(ms);
                Ok(())
            });
        }
    }
    for (name, mut values) in all {
        values.sort_by(f64::total_cmp);
        println!("{name} {:.2}", values.get(values.len() / 2).copied().unwrap_or(f64::NAN));
    }
}

/// The page, watched from before its first script, with its first screen.
async fn start(page: &Page) -> Step {
    page.before_everything(WATCH)?;
    page.open("").await?;
    page.until("the first screen stands", "return seen.started !== null").await?;
    tokio::time::sleep(CHOOSING).await;
    Ok(())
}

/// Milliseconds from giving up to the first screen; none if the trace was open before.
async fn cancel_at(page: &Page, trace: &Path, share: f64) -> Step<Option<f64>> {
    start(page).await?;
    let field = page.field_with(trace).await?;
    Ok(page.run_async(CANCEL, [field.to_json()?, json!(share)]).await?.as_f64())
}

async fn open_once(page: &Page, trace: &Path) -> Step<Run> {
    start(page).await?;
    page.drop_held_file(trace, DRAGGING).await?;
    page.find("workspace").await?;
    // A little later still: the timeline asks again when it has moved, and tasks of the last frame are reported late.
    let is_still = "return seen.complete !== null && performance.now() > seen.complete + 400";
    page.until_within(LIMIT, "the trace stands still", is_still).await?;
    let seen = page
        .run(
            "const { summary, started, dropped, firstPixels, usable, complete, tasks } = seen;
             const tellsTasks = PerformanceObserver.supportedEntryTypes.includes('longtask');
             return { tasks, tellsTasks, dropped, figures: {
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
    if seen["tellsTasks"].as_bool() == Some(true) {
        let (at_start, opening): (Vec<_>, Vec<_>) = tasks(&seen["tasks"], dropped).partition(over_before_drop);
        run.figures.push(("longest_task_ms".to_owned(), longest(&opening)));
        run.figures.push(("longest_start_task_ms".to_owned(), longest(&at_start)));
        run.tasks = opening;
    }
    Ok(run)
}

/// Moves about in the open trace, asks it, and scans the file.
async fn use_it(page: &Page, trace: &Path, run: &mut Run) -> Step {
    run.take(&page.run_async(MOTION, [json!("")]).await?);
    run.take(&page.run_async(QUESTIONS, []).await?);
    let opened = page.run_async(EXPAND, []).await?.as_f64().unwrap_or(f64::NAN);
    run.figures.push(("tracks_opened".to_owned(), opened));
    run.take(&page.run_async(MOTION, [json!("all_")]).await?);
    run.take(&page.run_async(TOPICS, []).await?);
    let events = page.run("return Number(seen.summary.events)", []).await?;
    let scanned = scan_headers(page, trace, &events).await?;
    run.figures.extend(["scan_ms", "scan_stream_ms", "copy_mb_per_s"].map(str::to_owned).into_iter().zip(scanned));
    Ok(())
}

impl Run {
    /// Adds what a script returned.
    fn take(&mut self, figures: &Value) {
        let figures = figures.as_object().into_iter().flatten();
        self.figures.extend(figures.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))));
    }
}

/// The yardstick, over the same file; it must find the same events. Milliseconds for slices and for a stream, and megabytes a
/// second of copying.
async fn scan_headers(page: &Page, trace: &Path, events: &Value) -> Step<[f64; 3]> {
    let field = page.field_with(trace).await?;
    let scan = page.run_async(YARDSTICK, [field.to_json()?]).await?;
    let figure = |place: usize| scan[place].as_f64();
    match (figure(0), figure(2), figure(3)) {
        (Some(sliced), Some(streamed), Some(copy)) if figure(1) == events.as_f64() => Ok([sliced, streamed, copy]),
        _ => Err(Trouble(format!("the scan found {scan}, opening {events} events"))),
    }
}

/// Start, since the drop, and duration.
fn tasks(tasks: &Value, dropped: f64) -> impl Iterator<Item = (f64, f64)> {
    let tasks = tasks.as_array().into_iter().flatten();
    tasks.filter_map(move |task| Some((task[0].as_f64()? - dropped, task[1].as_f64()?)))
}

/// Only tasks from 50 ms are reported: 0 means that there was none.
fn longest(tasks: &[(f64, f64)]) -> f64 {
    tasks.iter().map(|(_, duration)| *duration).fold(0.0, f64::max)
}
