//! Tests the tables of a run.

use super::{Figures, Machine, Measured, Report, date_of_day};
use crate::size::Downloads;

fn figures(lines: &[&str]) -> Figures {
    let mut figures = Figures::default();
    lines.iter().for_each(|line| figures.take(line));
    figures
}

#[test]
fn date_of_day_matches_calendar() {
    assert_eq!(date_of_day(0), "1970-01-01");
    assert_eq!(date_of_day(19_782), "2024-02-29");
    assert_eq!(date_of_day(20_818), "2026-12-31");
}

#[test]
fn report_has_ratios_goals_and_tasks() {
    let mut native = figures(&[
        "bytes 2000000",
        "events 1000",
        "scan_ms 106",
        "load_ms 212",
        "held_bytes 9000",
        "file_ms 300",
        "peak_bytes 70000000",
    ]);
    let mut page = figures(&[
        "copy_mb_per_s 11000",
        "frames 355",
        "tracks_opened 7",
        "peak_bytes 310000000",
        "frame_busy_p50_ms 2",
        "frame_busy_p95_ms 5",
        "frame_busy_max_ms 9",
        "all_frame_busy_p50_ms 2",
        "all_frame_busy_p95_ms 7",
        "all_frame_busy_max_ms 9",
        "cancel_ms 12",
        "frame_messages 9",
        "frame_script_p50_ms 1",
        "frame_script_p95_ms 2",
        "frame_script_max_ms 3",
        "frame_interval_p50_ms 16",
        "frame_interval_p95_ms 17",
        "frame_interval_max_ms 33",
        "bytes 2000000",
        "events 1000",
        "scan_ms 100",
        "scan_stream_ms 80",
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
    for (_, name) in super::QUESTIONS {
        native.take(&format!("{name} 50"));
        page.take(&format!("{name} 100"));
    }
    let machine = Machine { processor: "P".into(), processors: 2, rust: "R".into(), chromium: "C".into() };
    let measured = vec![Measured { name: "firehose-net31".into(), native, page }];
    let text = Report {
        machine,
        downloads: Some(Downloads { first_screen_bytes: 118_000, prefetched_bytes: 301_000 }),
        measured,
        only_opened: Vec::new(),
        firefox: None,
    }
    .text()
    .expect("every figure is there");
    for part in [
        "| Opening in the worker / scan in the worker | 2.5 |",
        "| Opening in the worker / scan of a stream in the worker | 3.1 |",
        "| Events of a provider | 100 (50) |",
        "| Script per frame, ms | 1.0 / 2.0 / 3.0 |",
        "118 KB with brotli -q 11 (the goal is 120)",
        "prefetched: 301 KB",
        "| Canceling | 100 ms | 200 ms | 12 ms | met |",
        "| Peak memory of the page's process | 300 MB | – | 310 MB | **missed** |",
        "| Script and drawing per frame with every track expanded, ms | 2.0 / 7.0 / 9.0 |",
        "| Longest task of the page | 50 ms | 100 ms | 99 ms | met |",
        "- firehose-net31: 280: 99",
        "longest task < 50 ms",
        "| Native scan, ms | 106 |",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn unmeasured_sizes_are_marked() {
    assert_eq!(super::kilobytes(None, 120_000), "not measured");
}
