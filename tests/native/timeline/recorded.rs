//! Recorded traces of the repository, with requests like those of the page.

use engine::session::{FileFacts, Loader, Progress, Run, Session};
use flate2::read::GzDecoder;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::Filter;
use std::io::Read;

/// Number of zoom levels: the whole trace, then a tenth of it, and so on.
const LEVELS: u32 = 5;

/// Returns the bytes of a trace of the repository; `None` if it doesn't exist or is incomplete.
pub fn unpacked(packed: &str) -> Option<Vec<u8>> {
    let path = crate::common::root().join(packed);
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Opens a trace of the repository.
pub fn trace(packed: &str) -> Session {
    open(unpacked(packed).expect("a trace"))
}

/// Opens a trace.
pub fn open(bytes: Vec<u8>) -> Session {
    let facts = FileFacts { name: "trace".to_owned(), bytes: bytes.len() as u64, packing: String::new() };
    let mut loader = Loader::new();
    loader.append(bytes.len(), |free| free.copy_from_slice(&bytes));
    while loader.advance(usize::MAX).expect("a readable trace") == Progress::Paused {}
    Session::new(loader.finish().expect("a readable trace"), Box::new(bytes), facts).expect("a session")
}

/// Returns the output of a query.
pub fn ask<Q: Run>(session: &mut Session, query: &Q) -> Q::Output {
    session.ask(query).expect("an answer")
}

/// Returns five visible ranges around the longest pause, or the center.
pub fn zooms(session: &mut Session) -> Vec<Span> {
    let limits = session.summary().user_span;
    let gcs = ask(session, &queries::Gcs { filter: Filter::default() });
    let stops = (0..gcs.stop_row.len()).max_by_key(|stop| gcs.stop_end[*stop] - gcs.stop_start[*stop]);
    let middle = stops.map_or(limits.start.0 + limits.duration() / 2, |stop| gcs.stop_start[stop]);
    let around = |level| {
        let length = limits.duration() / 10i64.pow(level);
        let start = (middle - length / 2).clamp(limits.start.0, limits.end.0 - length);
        Span::new(start, start + length)
    };
    (0..LEVELS).map(around).collect()
}
