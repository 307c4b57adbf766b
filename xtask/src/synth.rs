//! Generates large traces by repeating a real one.
//!
//! Blocks of events, stacks and sequence points are repeated with shifted times and continued sequence numbers, so that
//! the result is one long recording without a gap. The rundown stays at the end; metadata records occur once, at their
//! first position.

mod events;
mod framing;
pub mod objects;
pub mod samples;
mod sequences;
mod writing;

use crate::{Outcome, command::step};
use events::{Block, rewrite, survey};
use framing::{Blocks, Kind, Output, write_block};
use sequences::Sequences;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// Size of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Number of repetitions.
    Times(u64),
    /// Minimum number of bytes.
    Bytes(u64),
}

impl Size {
    /// Parses "250MB" or "1GB", in decimal units as on the page.
    ///
    /// # Errors
    /// Fails if the text isn't a number with a unit.
    pub fn bytes(text: &str) -> Outcome<Self> {
        let number = |unit: &str| text.strip_suffix(unit).and_then(|number| number.trim().parse::<u64>().ok());
        let bytes = [("GB", 1_000_000_000), ("MB", 1_000_000)]
            .into_iter()
            .find_map(|(unit, factor)| number(unit)?.checked_mul(factor));
        bytes.map(Self::Bytes).ok_or_else(|| format!("invalid size: {text} (expected 250MB or 1GB, for example)"))
    }
}

/// Result of a generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Number of repetitions of the events.
    pub times: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Parts of the source.
struct Parts {
    /// Offset of the first block.
    body: u64,
    /// Offset of the rundown or the end-of-stream marker.
    tail: u64,
    /// Shift of each repetition, in ticks.
    period_ticks: i64,
}

/// Writes a large trace to `to`.
///
/// # Errors
/// Fails if a file can't be read or written, or isn't a trace of nettrace 4 or 5.
pub fn run(from: &Path, size: Size, to: &Path) -> Outcome {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut source = BufReader::with_capacity(1 << 20, File::open(from).map_err(|error| failed(from, error))?);
    let file = File::create(to).map_err(|error| failed(to, error))?;
    let mut output = BufWriter::with_capacity(1 << 20, file);
    step(&format!("writing {}", to.display()), || {
        let written = repeat(&mut source, size, &mut output)?;
        output.flush().map_err(|error| failed(to, error))?;
        println!("wrote {} bytes: {} times the events of {}", written.bytes, written.times, from.display());
        Ok(())
    })
}

/// Writes the trace of `source` to `output`, with repeated events. Stores one block at a time.
///
/// # Errors
/// Fails if reading or writing fails, or the source isn't a complete trace of nettrace 4 or 5.
pub fn repeat<S: Read + Seek>(source: &mut S, size: Size, output: &mut impl Write) -> Outcome<Written> {
    let parts = parts(source)?;
    let body_bytes = (parts.tail - parts.body).max(1);
    let times = match size {
        Size::Times(times) => times.max(1),
        Size::Bytes(bytes) => bytes.div_ceil(body_bytes).max(1),
    };
    let mut output = Output::new(output);
    framing::copy(source, 0, parts.body, &mut output)?;
    let mut sequences = Sequences::default();
    for number in 0..times {
        let shift = parts.period_ticks.wrapping_mul(number as i64);
        let is_last = number + 1 == times;
        sequences.begin_repetition();
        let mut blocks = Blocks::at(source, parts.body)?;
        while let Some(block) = blocks.next()? {
            let in_tail = block.offset >= parts.tail;
            if in_tail && !is_last {
                break;
            }
            if block.kind == Kind::Metadata && number > 0 && !in_tail {
                continue;
            }
            let content = rewrite(&block, shift, &mut sequences)?;
            write_block(&mut output, block.head, &content)?;
        }
    }
    output.write(&[framing::NULL_REFERENCE])?;
    Ok(Written { times, bytes: output.bytes() })
}

/// Scans the source for its parts and its time range.
fn parts<S: Read + Seek>(source: &mut S) -> Outcome<Parts> {
    let body = framing::read_start(source)?;
    let mut blocks = Blocks::at(source, body)?;
    let (mut rundown, mut tail) = (HashSet::new(), None);
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    while let Some(block) = blocks.next()? {
        match survey(&block)? {
            Block::Metadata { ends } => rundown.extend(ends),
            Block::Events { types, .. } if types.iter().any(|id| rundown.contains(id)) => {
                tail = Some(block.offset);
                break;
            }
            Block::Events { times: Some((from, to)), .. } => (first, last) = (first.min(from), last.max(to)),
            Block::SequencePoint(ticks) => (first, last) = (first.min(ticks), last.max(ticks)),
            Block::Events { times: None, .. } | Block::Other => {}
        }
    }
    let tail = tail.unwrap_or(blocks.offset());
    let period_ticks = if first > last { 0 } else { last.wrapping_sub(first).wrapping_add(1) };
    Ok(Parts { body, tail, period_ticks })
}
