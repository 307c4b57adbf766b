//! Code shared by the benchmarks.

use std::fs::File;
use std::hint::black_box;
use std::time::Instant;
use traceglass_engine::session::{FileFacts, Loader, Progress, Session};

/// Number of runs, of which the median is reported.
pub const RUNS: usize = 5;
/// Number of bytes appended at a time.
const CHUNK_BYTES: usize = 8 << 20;

/// Opens a trace whose bytes are in memory like the page does; payloads are read from the file again.
pub fn open(path: &str, trace: &[u8]) -> Session {
    let mut loader = Loader::new();
    for chunk in trace.chunks(CHUNK_BYTES) {
        loader.append(chunk.len(), |space| space.copy_from_slice(chunk));
        while let Ok(Progress::Paused) = loader.advance(usize::MAX) {}
    }
    let store = loader.finish().expect("a readable trace");
    let file = File::open(path).expect("a readable file");
    let facts = FileFacts { name: path.to_owned(), bytes: trace.len() as u64, ..FileFacts::default() };
    Session::new(store, Box::new(file), facts).expect("a trace that answers")
}

/// Durations of a repeated operation.
#[derive(Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// Measures one run. The result is dropped afterwards.
    pub fn add<T>(&mut self, action: impl FnOnce() -> T) {
        let start = Instant::now();
        let result = black_box(action());
        self.0.push(start.elapsed().as_secs_f64() * 1e3);
        drop(result);
    }

    /// Returns the median in milliseconds.
    pub fn median_ms(mut self) -> f64 {
        self.0.sort_by(f64::total_cmp);
        self.0[self.0.len() / 2]
    }
}
