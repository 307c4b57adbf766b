//! `traceglass excerpt`: writes the matching events as a trace.

use super::arguments::check_output;
use super::text::{Output, line};
use super::{Stop, create, field_names, open, values};
use engine::session::Session;
use protocol::format;
use protocol::queries::Excerpt;
use protocol::redaction::Redaction;
use protocol::request::Filter;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write matching events to a new trace of the same format
///
/// The excerpt also includes the stacks and the method, thread and type names that its events use, even if recorded at
/// other times.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceglass excerpt app.nettrace slow.nettrace --filter 'time:1s..2s'")]
pub struct ExcerptCommand {
    /// Trace to read
    file: PathBuf,
    /// File to write
    out: PathBuf,
    /// Write only matching events
    #[arg(long, value_parser = values::filter, allow_hyphen_values = true)]
    filter: Option<Filter>,
}

impl ExcerptCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        check_output(&self.out, &self.file)?;
        let mut session = open::open(&self.file, None, notes)?;
        let filter = self.filter.unwrap_or_default();
        field_names::check_filter(&mut session, &filter)?;
        write(&mut session, &filter, &Redaction::default(), &self.out, output)
    }
}

/// Size of an excerpt.
struct Size {
    events: u64,
    bytes: usize,
    /// Unreadable bytes of the trace, which are excluded.
    damaged: u64,
}

/// Writes an excerpt to a file, and prints its size.
pub(super) fn write(
    session: &mut Session,
    filter: &Filter,
    redaction: &Redaction,
    out: &Path,
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    let Size { events, bytes, damaged } = write_to(session, filter, redaction, &mut create(out)?)?;
    line!(output, "{}, {}", format::counted(events, "event"), format::counted(bytes as u64, "byte"))?;
    if damaged > 0 {
        line!(output, "excluded {}", format::counted(damaged, "damaged byte"))?;
    }
    Ok(())
}

/// Returns the trace with masked text.
pub(super) fn masked(session: &mut Session, redaction: &Redaction) -> Result<Vec<u8>, Stop> {
    let mut trace = Vec::new();
    write_to(session, &Filter::default(), redaction, &mut trace)?;
    Ok(trace)
}

fn write_to(
    session: &mut Session,
    filter: &Filter,
    redaction: &Redaction,
    trace: &mut impl Write,
) -> Result<Size, Stop> {
    let (mut from, mut bytes) = (0, 0);
    loop {
        let part = session.ask(&Excerpt { filter: filter.clone(), from, redaction: redaction.clone() })?;
        trace.write_all(&part.bytes)?;
        bytes += part.bytes.len();
        let number = |column: &[u64]| column.first().copied().unwrap_or_default();
        from = number(&part.next);
        if part.is_done.first() != Some(&0) {
            return Ok(Size { events: number(&part.events), bytes, damaged: number(&part.damaged_bytes) });
        }
    }
}
