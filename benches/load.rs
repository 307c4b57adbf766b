//! How fast a trace is read natively: a bare scan of event headers (the yardstick) and the full load into a store.
//!
//! `cargo bench --bench load -- FILE` prints one `name value` a line; times in milliseconds, medians of five runs.

use std::hint::black_box;
use std::time::Instant;
use traceglass::nettrace::{Item, Parser, Step};
use traceglass::session::{Loader, Progress};

const RUNS: usize = 5;
const PIECE_BYTES: usize = 16 << 20;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench --bench load -- FILE");
        return;
    };
    let trace = std::fs::read(&path).expect("a readable file");
    println!("bytes {}", trace.len());
    println!("events {}", scan(&trace).time.len());
    println!("scan_ms {:.1}", median_ms(|| drop(black_box(scan(&trace)))));
    println!("load_ms {:.1}", median_ms(|| drop(black_box(load(&trace)))));
    println!("held_bytes {}", load(&trace).memory().total());
}

fn median_ms(mut action: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            action();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

/// What every reader has to decode of an event, and nothing else.
#[derive(Default)]
struct Columns {
    time: Vec<i64>,
    kind: Vec<u32>,
    thread: Vec<u64>,
    stack: Vec<u32>,
    payload_offset: Vec<u64>,
    payload_length: Vec<u32>,
}

fn scan(trace: &[u8]) -> Columns {
    let mut columns = Columns::default();
    let mut parser = Parser::new();
    let mut rest = trace;
    while let Ok(Step::Parsed { consumed, item }) = parser.parse(rest, true) {
        if let Item::Events(block) = item {
            let mut headers = block.events();
            while let Some(Ok(header)) = headers.next() {
                columns.time.push(header.timestamp);
                columns.kind.push(header.metadata_id);
                columns.thread.push(header.thread);
                columns.stack.push(header.stack_id);
                columns.payload_offset.push(header.payload_offset);
                columns.payload_length.push(header.payload.len() as u32);
            }
        }
        rest = &rest[consumed..];
    }
    columns
}

fn load(trace: &[u8]) -> traceglass::model::Store {
    let mut loader = Loader::new();
    for piece in trace.chunks(PIECE_BYTES) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while let Ok(Progress::Paused) = loader.advance(usize::MAX) {}
    }
    loader.finish().expect("a readable trace")
}
