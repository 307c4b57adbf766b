//! Reads a trace in chunks and checks the guarantees of the parser.

use crate::{Item, Parser, Result, Step};

/// Calls `visit` with every item of a trace that arrives in chunks of these sizes, with the item's offset and bytes.
///
/// # Errors
/// If the parser returns an error.
///
/// # Panics
/// If the parser breaks a guarantee: asks for bytes that it has or that don't exist, consumes more than it was given, or
/// doesn't make progress.
pub fn read_in_chunks(
    trace: &[u8],
    mut next_chunk: impl FnMut() -> usize,
    mut visit: impl FnMut(&Item<'_>, u64, usize),
) -> Result<()> {
    let mut parser = Parser::new();
    let mut available = 0usize;
    let mut steps = 0;
    loop {
        let start = parser.offset() as usize;
        let data = &trace[start..available.max(start)];
        let eof = available >= trace.len();
        match parser.parse(data, eof)? {
            Step::NeedMoreData { wanted } => {
                assert!(!eof, "asks for more although there is no more");
                assert!(wanted > data.len(), "asks for what it has");
                available = available.saturating_add(next_chunk().max(1)).min(trace.len());
            }
            Step::Parsed { consumed, item } => {
                assert!(consumed <= data.len(), "takes more than it was given");
                visit(&item, start as u64, consumed);
            }
            Step::End => return Ok(()),
        }
        steps += 1;
        assert!(steps < 3 * trace.len() + 100, "does not get on");
    }
}
