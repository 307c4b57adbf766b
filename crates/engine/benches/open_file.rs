//! Measures the cost of opening a file of any size natively, like the command-line tool does.
//!
//! `cargo bench --bench open_file -- FILE [THREADS]` prints one `name value` per line: milliseconds to open, events,
//! events with rows, memory use, and the peak memory of the process, where the system reports it. With several threads,
//! also the share of the work that only one of them can do, and the speed-up that it allows with 2 to 16 cores, relative
//! to the same code on one core. The threads need a free core each, otherwise the shares are wrong.

use std::fs::File;
use std::sync::Arc;
use std::time::Instant;
use traceglass_engine::model::SharedWork;
use traceglass_engine::session::container::Unwrapped;
use traceglass_engine::session::container::native::{Native, Part, block_on, load};
use traceglass_engine::session::container::unwrap;
use traceglass_engine::session::{FileFacts, Loader, Session};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some(path) = arguments.first() else {
        eprintln!("usage: cargo bench --bench open_file -- FILE [THREADS]");
        return;
    };
    let threads = arguments.get(1).map_or(1, |threads| threads.parse().expect("a number of threads"));
    let start = Instant::now();
    let (session, SharedWork { done, aside }) = open(path, threads);
    let all = start.elapsed();
    println!("file_ms {:.1}", all.as_secs_f64() * 1e3);
    if threads > 1 {
        let own = (all - aside).as_secs_f64();
        let serial = own / (own + done.as_secs_f64());
        println!("serial_share {serial:.3}");
        for cores in [2.0, 4.0, 8.0, 16.0] {
            println!("speed_up_{cores} {:.2}", 1.0 / (serial + (1.0 - serial) / cores));
        }
    }
    let summary = session.summary();
    println!("bytes {}", summary.file_bytes);
    println!("events {}", summary.events);
    println!("rows {}", summary.indexed.map_or(summary.events, |part| part.rows));
    println!("held_bytes {}", session.memory().total());
    if let Some(bytes) = peak_bytes() {
        println!("peak_bytes {bytes}");
    }
}

/// Opens a trace. Also returns the time of the work that threads share.
fn open(path: &str, threads: usize) -> (Session, SharedWork) {
    let file = Part::whole(Arc::new(File::open(path).expect("a readable file")));
    let Ok(Unwrapped::One(packed)) = block_on(unwrap(&Native, file, None)) else { panic!("{path} is not one trace") };
    let (loader, source) = load(Loader::new().with_threads(threads), packed).expect("a readable trace");
    let shared = loader.shared_work();
    let store = loader.finish().expect("a readable trace");
    let facts = FileFacts { name: path.to_owned(), bytes: source.len(), ..FileFacts::default() };
    (Session::new(store, source, facts).expect("a trace that answers"), shared)
}

/// Returns the peak memory of this process in bytes.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
