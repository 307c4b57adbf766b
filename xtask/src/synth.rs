//! Makes large traces of a real one: what happens in it happens again and again, later and later.
//!
//! The blocks of events, stacks and sequence points are repeated with their times moved on and their sequence numbers
//! continued, so that a reader sees one long recording without a gap. The rundown at the end, which every recording has
//! once, stays at the end; descriptions of events come once, at their first place.

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

/// How large the result is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// So many repetitions.
    Times(u64),
    /// At least so many bytes.
    Bytes(u64),
}

impl Size {
    /// Reads "250MB", "1GB": decimal units, as the page shows them.
    ///
    /// # Errors
    /// If it is no number with a unit.
    pub fn bytes(text: &str) -> Outcome<Self> {
        let number = |unit: &str| text.strip_suffix(unit).and_then(|number| number.trim().parse::<u64>().ok());
        let bytes = [("GB", 1_000_000_000), ("MB", 1_000_000)]
            .into_iter()
            .find_map(|(unit, factor)| number(unit)?.checked_mul(factor));
        bytes.map(Self::Bytes).ok_or_else(|| format!("invalid size: {text} (expected 250MB or 1GB, for example)"))
    }
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// How often the events are there.
    pub times: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What the source consists of.
struct Parts {
    /// Where the first block begins.
    body: u64,
    /// Offset of the rundown or the end-of-stream marker.
    tail: u64,
    /// How far the time is moved on with every repetition, in ticks.
    period_ticks: i64,
}

/// Writes a large trace to `to`.
///
/// # Errors
/// If a file cannot be read or written, or is no trace of nettrace 4 or 5.
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

/// Writes the trace of `source` to `output`, its events as often as `size` says. Holds one block at a time.
///
/// # Errors
/// If one of the two fails, or the source is no complete trace of nettrace 4 or 5.
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

/// Reads the source once: where its parts are, and what time they cover.
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
