//! Opens a trace in the built page, sends requests and moves the timeline, and prints the cost: `name value` per line,
//! times in milliseconds.
//!
//! `measure FILE [RUNS] [opening|several] [WORKERS]`; every value is the median of the runs, each in a new browser.
//! `task START DURATION` is a long task of the page in any run, with times since the drop. With `opening`, only opening
//! is measured. With `several`, the trace is compared with itself, and in another browser opened three times on one
//! timeline. With a number of workers, so many further ones read regions, as on a machine with more cores.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use traceglass_e2e::{Page, Step, Trouble, drive_within, renderer_peak_bytes};

/// Script that observes the page, before its first script.
const WATCH: &str = include_str!("watch.js");
/// Script that scans the file of a field; returns milliseconds, events, and megabytes per second of copying memory.
const YARDSTICK: &str = include_str!("yardstick.js");
/// Script that sends requests to the worker; returns values by name.
const QUESTIONS: &str = concat!(include_str!("written.js"), include_str!("questions.js"));
/// Script that opens the tabs of analyses; returns values by name.
const TOPICS: &str = include_str!("topics.js");
/// Script that moves the timeline; returns values by name.
const MOTION: &str = include_str!("motion.js");

/// Script that expands all tracks; returns their number.
const EXPAND: &str = include_str!("expand.js");
/// Script that compares with or adds a second trace; returns milliseconds.
const SEVERAL: &str = include_str!("several.js");
/// Script that cancels opening at a share of the file; returns milliseconds.
const CANCEL: &str = include_str!("cancel.js");

/// Shares of the file at which opening is canceled.
const CANCEL_AT: [f64; 3] = [0.05, 0.4, 0.8];
/// Minimum size of a file for canceling; smaller ones open too fast.
const CANCEL_FROM_BYTES: u64 = 50_000_000;
/// Time limit of a run: ten gigabytes take a minute or two.
const LIMIT: Duration = Duration::from_secs(600);

/// Minimum time between the start page and a user's drop of a file.
const CHOOSING: Duration = Duration::from_secs(1);
/// Minimum time for dragging a file from the edge of the window to its middle.
const DRAGGING: Duration = Duration::from_millis(250);

/// Cost of one opening: values, and start and duration of each long task.
#[derive(Default)]
struct Run {
    figures: Vec<(String, f64)>,
    tasks: Vec<(f64, f64)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(trace) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: measure FILE [RUNS] [opening|several] [WORKERS]");
        return;
    };
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let word = arguments.next().unwrap_or_default();
    let (only_opening, is_several) = (word == "opening", word == "several");
    let workers = arguments.next().and_then(|workers| workers.parse().ok());
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for answer in ["compare", "add"].repeat(if is_several { runs } else { 0 }) {
        drive_within(LIMIT, "several", async |page| {
            for (name, value) in several(page, &trace, answer).await? {
                all.entry(name).or_default().push(value);
            }
            Ok(())
        });
    }
    let runs = if is_several { 0 } else { runs };
    for _ in 0..runs {
        // A new browser for each run: only the system's file cache is warm.
        drive_within(LIMIT, "measure", async |page| {
            workers.map_or(Ok(()), |workers| page.use_region_workers(workers))?;
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
    if !only_opening && !is_several && std::fs::metadata(&trace).is_ok_and(|file| file.len() >= CANCEL_FROM_BYTES) {
        for share in CANCEL_AT {
            drive_within(LIMIT, "cancel", async |page| {
                workers.map_or(Ok(()), |workers| page.use_region_workers(workers))?;
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

/// Opens the observed page, and waits for the start page.
async fn start(page: &Page) -> Step {
    page.before_everything(WATCH)?;
    page.open("").await?;
    page.until("the first screen stands", "return seen.started !== null").await?;
    tokio::time::sleep(CHOOSING).await;
    Ok(())
}

/// Returns the milliseconds from canceling to the start page; `None` if the trace opened first.
async fn cancel_at(page: &Page, trace: &Path, share: f64) -> Step<Option<f64>> {
    start(page).await?;
    let field = page.field_with(trace).await?;
    Ok(page.run_async(CANCEL, [field.to_json()?, json!(share)]).await?.as_f64())
}

async fn open_once(page: &Page, trace: &Path) -> Step<Run> {
    start(page).await?;
    page.drop_held_file(trace, DRAGGING).await?;
    page.find("workspace").await?;
    // Waits a little longer: the timeline sends requests after it has moved, and tasks of the last frame are reported
    // late.
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

/// Opens the trace again beside itself, or twice more on its timeline.
async fn several(page: &Page, trace: &Path, answer: &str) -> Step<Vec<(String, f64)>> {
    let one = open_once(page, trace).await?;
    let one = one.figures.iter().find(|(name, _)| name == "peak_bytes").map_or(f64::NAN, |(_, bytes)| *bytes);
    page.run("seen.tasks.length = 0", []).await?;
    let mut ms = Vec::new();
    for _ in 0..if answer == "compare" { 1 } else { 2 } {
        page.drop_second_file(trace).await?;
        ms.push(page.run_async(SEVERAL, [json!(answer)]).await?.as_f64().unwrap_or(f64::NAN));
    }
    tokio::time::sleep(CHOOSING).await;
    let peak = renderer_peak_bytes().map_or(f64::NAN, |bytes| bytes as f64);
    let found = page.run("return seen.tasks", []).await?;
    let longest = longest(&self::tasks(&found, 0.0).collect::<Vec<_>>());
    let name = |end: &str| format!("{answer}_{end}");
    let last = ms.last().copied().unwrap_or(f64::NAN);
    Ok(vec![
        (name("ms"), last),
        (name("peak_bytes"), peak),
        (name("peak_ratio"), peak / one),
        (name("longest_task_ms"), longest),
    ])
}

/// Moves the timeline of the open trace, sends requests, and scans the file.
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
    /// Adds the values that a script returned.
    fn take(&mut self, figures: &Value) {
        let figures = figures.as_object().into_iter().flatten();
        self.figures.extend(figures.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))));
    }
}

/// Runs the yardstick on the same file, which must find the same events. Returns milliseconds with slices and with a
/// stream, and megabytes per second of copying.
async fn scan_headers(page: &Page, trace: &Path, events: &Value) -> Step<[f64; 3]> {
    let field = page.field_with(trace).await?;
    let scan = page.run_async(YARDSTICK, [field.to_json()?]).await?;
    let figure = |place: usize| scan[place].as_f64();
    match (figure(0), figure(2), figure(3)) {
        (Some(sliced), Some(streamed), Some(copy)) if figure(1) == events.as_f64() => Ok([sliced, streamed, copy]),
        _ => Err(Trouble(format!("the scan found {scan}, opening {events} events"))),
    }
}

/// Returns start, since the drop, and duration of tasks.
fn tasks(tasks: &Value, dropped: f64) -> impl Iterator<Item = (f64, f64)> {
    let tasks = tasks.as_array().into_iter().flatten();
    tasks.filter_map(move |task| Some((task[0].as_f64()? - dropped, task[1].as_f64()?)))
}

/// Returns the longest task. Tasks of less than 50 ms aren't reported: 0 means that there was none.
fn longest(tasks: &[(f64, f64)]) -> f64 {
    tasks.iter().map(|(_, duration)| *duration).fold(0.0, f64::max)
}
