//! Measures the cost of opening a file of any size natively, read in pieces like the command-line tool does.
//!
//! `cargo bench --bench open_file -- FILE` prints one `name value` per line: milliseconds to open, events, events with
//! rows, memory use, and the peak memory of the process, where the system reports it.

use std::fs::File;
use std::io::Read;
use std::time::Instant;
use traceglass_engine::session::{FileFacts, Loader, Progress, Session};

/// Bytes read at a time.
const PIECE_BYTES: usize = 8 << 20;

fn main() {
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: cargo bench --bench open_file -- FILE");
        return;
    };
    let start = Instant::now();
    let session = open(&path);
    println!("file_ms {:.1}", start.elapsed().as_secs_f64() * 1e3);
    let summary = session.summary();
    println!("bytes {}", summary.file_bytes);
    println!("events {}", summary.events);
    println!("rows {}", summary.indexed.map_or(summary.events, |part| part.rows));
    println!("held_bytes {}", session.memory().total());
    if let Some(bytes) = peak_bytes() {
        println!("peak_bytes {bytes}");
    }
}

fn open(path: &str) -> Session {
    let mut file = File::open(path).expect("a readable file");
    let (mut loader, mut bytes) = (Loader::new(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let length = file.read(&mut piece).expect("a readable file");
        if length == 0 {
            break;
        }
        bytes += length as u64;
        loader.append(length, |space| space.copy_from_slice(&piece[..length]));
        while let Ok(Progress::Paused) = loader.advance(usize::MAX) {}
    }
    let store = loader.finish().expect("a readable trace");
    let facts = FileFacts { name: path.to_owned(), bytes, ..FileFacts::default() };
    Session::new(store, Box::new(file), facts).expect("a trace that answers")
}

/// Returns the peak memory of this process in bytes.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
