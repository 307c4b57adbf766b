//! Opens a trace in the built page and prints what that cost: `name value` a line, times in milliseconds.
//!
//! `measure FILE [RUNS]`; every figure is the median of the runs, except the longest task, which is the longest.

use serde_json::Value;
use std::path::PathBuf;
use traceglass_e2e::{Page, Step, Trouble, drive};

/// Watches the page from before the drop: its long tasks, its first picture, and what the worker says at the end.
const WATCH: &str = "
    const seen = (globalThis.seen = { longest_task: 0, first_pixels: null, ready: null, summary: null });
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) seen.longest_task = Math.max(seen.longest_task, task.duration);
    }).observe({ type: 'longtask' });
    const spawn = traceglass.spawnWorker;
    traceglass.spawnWorker = async (build) => {
      const worker = await spawn(build);
      worker.port.addEventListener('message', ({ data: [message] }) => {
        const summary = message.result?.Ok?.Summary;
        if (summary) seen.summary ??= summary;
      });
      return worker;
    };
    addEventListener('drop', () => {
      const start = performance.now();
      const look = () => {
        const drawn = document.querySelector('[data-testid=loading-overview], [data-testid=timeline]');
        if (drawn && drawn.clientHeight > 0) seen.first_pixels ??= performance.now() - start;
        if (document.querySelector('[data-testid=timeline]')) seen.ready ??= performance.now() - start;
        if (seen.ready === null) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { capture: true, once: true });";

/// In this order they are printed.
const FIGURES: [&str; 7] =
    ["bytes", "events", "held_bytes", "load_ms", "first_pixels_ms", "ready_ms", "longest_task_ms"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(trace) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: measure FILE [RUNS]");
        return;
    };
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    let mut figures: [Vec<f64>; FIGURES.len()] = Default::default();
    for _ in 0..runs {
        // A fresh browser each time: nothing is warm but the file in the system's cache.
        drive("measure", async |page| {
            for (all, figure) in figures.iter_mut().zip(open_once(page, &trace).await?) {
                all.push(figure);
            }
            Ok(())
        });
    }
    for (name, mut values) in FIGURES.into_iter().zip(figures) {
        values.sort_by(f64::total_cmp);
        let value = if name == "longest_task_ms" { values.last() } else { values.get(values.len() / 2) };
        println!("{name} {:.1}", value.copied().unwrap_or(f64::NAN));
    }
}

async fn open_once(page: &Page, trace: &std::path::Path) -> Step<[f64; FIGURES.len()]> {
    page.open("").await?;
    page.run(WATCH, []).await?;
    page.open_trace(trace).await?;
    page.until("the first picture stands still", "return seen.ready !== null && seen.summary !== null").await?;
    // Two frames on: what the first picture set off counts too.
    let seen = page
        .run_async(
            "for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
             const { summary } = seen;
             return [summary.file_bytes, summary.events, summary.memory_bytes, summary.load_ms,
                     seen.first_pixels, seen.ready, seen.longest_task].map(Number);",
            [],
        )
        .await?;
    let numbers: Vec<f64> = seen.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    numbers.try_into().map_err(|_| Trouble(format!("not the figures: {seen}")))
}
