//! Opens traces from disk, compressed or not.

use super::arguments::Trace;
use super::text::{Output, line, seconds};
use engine::session::container::native::{Native, Part, block_on, load, threads};
use engine::session::container::{Unwrapped, unwrap};
use engine::session::{FileFacts, Loader, Session};
use protocol::base::indexed_part::{Indexed, MAX_ROWS, Window};
use protocol::format;
use protocol::reply::TraceEntry;
use protocol::{Failure, FailureCode};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

impl Trace {
    pub(super) fn open(&self, notes: &mut Output<'_>) -> Result<Session, Failure> {
        open(&self.file, self.rows.as_ref(), notes)
    }
}

/// Opens a trace and indexes the part that `rows` selects. Parse issues go to `notes`.
pub(super) fn open(file: &Path, rows: Option<&Window>, notes: &mut Output<'_>) -> Result<Session, Failure> {
    let session = open_silently(file, rows)?;
    note_diagnostics(&session, notes);
    if let Some(indexed) = &session.store().indexed {
        let why = if rows.is_some() {
            "only part of the trace is indexed"
        } else {
            "the trace is too large to index completely"
        };
        let words = indexed_words(indexed, session.store().total_events);
        // The trace can be read even if notes can't be written.
        let _ = line!(notes, "note: {why}: {words}. Totals cover the whole trace.");
    }
    Ok(session)
}

/// Describes the indexed part: "100,000,000 of 268,000,000 events, 0.000000 s to 76.000000 s".
pub(super) fn indexed_words(indexed: &Indexed, events: u64) -> String {
    let (start, end) = (seconds(indexed.span.start), seconds(indexed.span.end));
    format!("{} of {} events, {start} to {end}", format::count(indexed.rows), format::count(events))
}

/// Opens a trace without reporting parse issues.
pub(super) fn open_silently(path: &Path, rows: Option<&Window>) -> Result<Session, Failure> {
    let started = Instant::now();
    let (path, entry) = split(path);
    let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
    if file.metadata().map_err(|error| unreadable(&path, &error))?.is_dir() {
        return Err(Failure::new(FailureCode::Unreadable, format!("Can't read “{}”: it's a folder", path.display())));
    }
    let packed = match block_on(unwrap(&Native, Part::whole(Arc::new(file)), entry.as_deref()))? {
        Unwrapped::One(packed) => packed,
        Unwrapped::Several(candidates) => return Err(several(&path, &candidates)),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let packing = packed.packing.clone();
    let loader = Loader::of(rows.cloned().unwrap_or_default(), MAX_ROWS).with_threads(threads());
    let (loader, source) = load(loader, packed)?;
    let facts = FileFacts { name, bytes: source.len(), packing };
    let mut session = Session::new(loader.finish()?, source, facts)?;
    session.set_load_ms(started.elapsed().as_secs_f64() * 1000.0);
    Ok(session)
}

/// Splits `FILE!ENTRY` into an archive and its entry, unless a file has the complete name.
pub(super) fn split(path: &Path) -> (PathBuf, Option<String>) {
    if let Some(text) = path.to_str().filter(|_| !path.exists()) {
        for (at, _) in text.match_indices('!') {
            if Path::new(&text[..at]).is_file() {
                return (PathBuf::from(&text[..at]), Some(text[at + 1..].to_owned()));
            }
        }
    }
    (path.to_owned(), None)
}

fn several(path: &Path, candidates: &[TraceEntry]) -> Failure {
    let line = |one: &TraceEntry| {
        let size = one.bytes.map_or(String::new(), |bytes| format!("  ({})", format::bytes(bytes)));
        format!("  {}!{}{size}", path.display(), format::escaped(&one.path))
    };
    let lines: Vec<String> = candidates.iter().map(line).collect();
    let message = format!("“{}” contains {} traces; select one:", path.display(), candidates.len());
    Failure::new(FailureCode::Archive, message).with_detail(lines.join("\n"))
}

fn note_diagnostics(session: &Session, notes: &mut Output<'_>) {
    const SHOWN: usize = 5;
    let diagnostics = &session.store().diagnostics;
    let mut listed = 0;
    for diagnostic in diagnostics.examples.iter().take(SHOWN) {
        let place = format!("at byte {}", format::count(diagnostic.offset));
        let place = match diagnostic.count {
            0..=1 => place,
            times => format!("{}, first {place}", format::times(times)),
        };
        // The trace can be read even if notes can't be written.
        let _ = line!(notes, "note: {} ({place}).", diagnostic.message.trim_end_matches('.'));
        listed += diagnostic.count;
    }
    if diagnostics.total > listed {
        let _ = line!(notes, "note: {} more", format::counted(diagnostics.total - listed, "parse issue"));
    }
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(FailureCode::Unreadable, format!("Can't read “{}”: {error}", path.display()))
}
