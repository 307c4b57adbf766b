//! Opens a file from disk.

use crate::protocol::{Failure, FailureCode};
use crate::session::{FileFacts, Loader, Progress, Session};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

/// Bytes read at a time.
const PIECE_BYTES: usize = 8 << 20;

/// Opens a trace. What is wrong with it, though it can be read, goes to `notes`.
pub(super) fn open(path: &Path, notes: &mut dyn Write) -> Result<Session, Failure> {
    let started = Instant::now();
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let bytes = file.metadata().map_err(|error| unreadable(path, &error))?.len();
    let mut loader = Loader::new();
    let mut piece = vec![0; PIECE_BYTES.min(bytes.max(1) as usize)];
    loop {
        let count = file.read(&mut piece).map_err(|error| unreadable(path, &error))?;
        if count == 0 {
            break;
        }
        loader.append(count, |space| space.copy_from_slice(&piece[..count]));
        if loader.advance(usize::MAX)? == Progress::Ended {
            break;
        }
    }
    let store = loader.finish()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut session = Session::new(store, Box::new(file), FileFacts { name, bytes })?;
    session.set_load_ms(started.elapsed().as_secs_f64() * 1000.0);
    note_diagnostics(&session, notes);
    Ok(session)
}

fn note_diagnostics(session: &Session, notes: &mut dyn Write) {
    const SHOWN: usize = 5;
    let diagnostics = session.store().diagnostics();
    let mut listed = 0;
    for diagnostic in diagnostics.examples().iter().take(SHOWN) {
        let times = if diagnostic.count > 1 { format!(" ({} times)", diagnostic.count) } else { String::new() };
        // Without a place to write notes the trace itself still matters.
        let _ = writeln!(notes, "note: {}{times} [byte {}]", diagnostic.message, diagnostic.offset);
        listed += diagnostic.count;
    }
    if diagnostics.total() > listed {
        let _ = writeln!(notes, "note: {} more problems", diagnostics.total() - listed);
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(FailureCode::Unreadable, format!("“{}” cannot be read: {error}", path.display()))
}
