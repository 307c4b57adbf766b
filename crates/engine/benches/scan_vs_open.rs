//! Measures how fast a trace is read natively: a bare scan of event headers (the yardstick), and opening it like the
//! page.
//!
//! `cargo bench --bench scan_vs_open -- FILE` prints one `name value` per line. Times are in milliseconds, the medians
//! of five runs. Both run alternately: the speed of a shared machine changes from second to second, which must not
//! affect their ratio.

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
