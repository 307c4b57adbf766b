//! How fast a trace is read natively: a bare scan of event headers (the yardstick), and opening it as the page does.
//!
//! `cargo bench --bench load -- FILE` prints one `name value` a line; times in milliseconds, medians of five runs.

use std::fs::File;
use std::hint::black_box;
use std::time::Instant;
use traceglass::session::{FileFacts, HeaderScan, Loader, Progress, Session};

const RUNS: usize = 5;
/// As large as the slices that the worker reads.
const PIECE_BYTES: usize = 8 << 20;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench --bench load -- FILE");
        return;
    };
    let trace = std::fs::read(&path).expect("a readable file");
    let events = scan(&trace, 0).event_count();
    println!("bytes {}", trace.len());
    println!("events {events}");
    println!("scan_ms {:.1}", median_ms(|| scan(&trace, events)));
    println!("load_ms {:.1}", median_ms(|| open(&path, &trace)));
    println!("held_bytes {}", open(&path, &trace).memory().total());
}

fn median_ms<T>(mut action: impl FnMut() -> T) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let result = black_box(action());
            let elapsed = start.elapsed().as_secs_f64() * 1e3;
            drop(result);
            elapsed
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn scan(trace: &[u8], expected: usize) -> HeaderScan {
    let mut scan = HeaderScan::expecting(expected);
    scan.feed(trace, true);
    scan
}

fn open(path: &str, trace: &[u8]) -> Session {
    let mut loader = Loader::new();
    for piece in trace.chunks(PIECE_BYTES) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while let Ok(Progress::Paused) = loader.advance(usize::MAX) {}
    }
    let store = loader.finish().expect("a readable trace");
    let file = File::open(path).expect("a readable file");
    let facts = FileFacts { name: path.to_owned(), bytes: trace.len() as u64, ..FileFacts::default() };
    Session::new(store, Box::new(file), facts).expect("a trace that answers")
}
