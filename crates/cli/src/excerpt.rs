//! `traceglass excerpt`: some of the events as a trace.

use super::Stop;
use engine::session::Session;
use protocol::request::Filter;
use std::io::Write;

/// Writes the events that match, and what is needed to understand them, as a trace; says what it has.
pub(super) fn write(
    session: &mut Session,
    filter: &str,
    trace: &mut impl Write,
    output: &mut impl Write,
) -> Result<(), Stop> {
    let filter = Filter { query: filter.to_owned(), ..Filter::default() };
    let (mut from, mut bytes) = (0, 0);
    loop {
        let part = session.excerpt(&filter, from)?;
        trace.write_all(&part.bytes)?;
        bytes += part.bytes.len();
        let number = |column: &[u64]| column.first().copied().unwrap_or_default();
        from = number(&part.next);
        if part.is_done.first() != Some(&0) {
            let (events, damaged) = (number(&part.events), number(&part.damaged_bytes));
            writeln!(output, "{events} events, {bytes} bytes")?;
            if damaged > 0 {
                writeln!(output, "left out, since they cannot be read: {damaged} bytes")?;
            }
            return Ok(());
        }
    }
}
