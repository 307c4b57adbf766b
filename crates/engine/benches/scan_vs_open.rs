//! How fast a trace is read natively: a bare scan of event headers (the yardstick), and opening it as the page does.
//!
//! `cargo bench --bench scan_vs_open -- FILE` prints one `name value` a line; times in milliseconds, medians of five runs. Both are
//! done in turns: the speed of a machine that others share changes from second to second, and their ratio must not.

mod common;

use common::{RUNS, Times, open};
use traceglass_engine::session::HeaderScan;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench --bench scan_vs_open -- FILE");
        return;
    };
    let trace = std::fs::read(&path).expect("a readable file");
    let events = scan(&trace, 0).event_count();
    println!("bytes {}", trace.len());
    println!("events {events}");
    let (mut scans, mut loads) = (Times::default(), Times::default());
    for _ in 0..RUNS {
        scans.add(|| scan(&trace, events));
        loads.add(|| open(&path, &trace));
    }
    println!("scan_ms {:.1}", scans.median_ms());
    println!("load_ms {:.1}", loads.median_ms());
    println!("held_bytes {}", open(&path, &trace).memory().total());
}

fn scan(trace: &[u8], expected: usize) -> HeaderScan {
    let mut scan = HeaderScan::expecting(expected);
    scan.feed(trace, true);
    scan
}
