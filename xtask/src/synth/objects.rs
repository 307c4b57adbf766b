//! Generates a trace with a heap snapshot of any number of objects, which no available real trace contains.

use super::framing::{self, Output, object_head, write_block};
use super::writing::{EventWriter, WRITER, block_header, push_metadata, push_utf16};
use crate::{Outcome, command::step};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const TYPES: u64 = 400;
/// Number of objects or references per event, as in the runtime's buffers.
const OF_AN_EVENT: u64 = 1500;
/// Distance between objects that a handle keeps alive.
const BETWEEN_ROOTS: u64 = 1000;
const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;

/// Event types: metadata ID, and the runtime's event ID.
const STARTED: (u64, u32) = (1, 1);
const NAMES: (u64, u32) = (2, 15);
const ROOTS: (u64, u32) = (3, 16);
const NODES: (u64, u32) = (4, 18);
const EDGES: (u64, u32) = (5, 19);

/// Writes a trace with a number of objects to `to`.
///
/// # Errors
/// Fails if the file can't be written.
pub fn write(objects: u64, to: &Path) -> Outcome {
    step(&format!("writing {}", to.display()), || {
        let failed = |error: std::io::Error| format!("{}: {error}", to.display());
        let mut file = BufWriter::new(File::create(to).map_err(failed)?);
        write_to(objects, &mut file)?;
        file.flush().map_err(failed)
    })
}

/// Writes the trace.
///
/// # Errors
/// Fails if `output` fails.
pub fn write_to(objects: u64, output: &mut impl Write) -> Outcome {
    let mut output = Output::new(output);
    framing::write_start(&mut output, 1_000_000)?;
    let mut descriptions = block_header();
    for (kind, event_id) in [STARTED, NAMES, ROOTS, NODES, EDGES] {
        push_metadata(&mut descriptions, kind, RUNTIME, event_id, if event_id == 1 { 2 } else { 0 });
    }
    write_block(&mut output, &object_head("MetadataBlock", 2), &descriptions)?;
    let mut snapshot = Snapshot { output: &mut output, writer: EventWriter::default(), ticks: 0 };
    let mut started = Vec::new();
    [1u32, 2, 1, 0].iter().for_each(|number| started.extend(number.to_le_bytes()));
    started.extend([0; 10]);
    snapshot.event(STARTED.0, &started)?;
    snapshot.event(NAMES.0, &names())?;
    snapshot.bulk_events(NODES.0, objects, |object, payload| {
        for number in [address(object), size(object), object % TYPES + 1, references(object, objects).count() as u64] {
            payload.extend(number.to_le_bytes());
        }
    })?;
    let all: Vec<u64> = (0..objects).flat_map(|object| references(object, objects)).collect();
    snapshot.bulk_events(EDGES.0, all.len() as u64, |at, payload| {
        payload.extend(address(all[at as usize]).to_le_bytes());
        payload.extend([0; 4]);
    })?;
    snapshot.bulk_events(ROOTS.0, objects.div_ceil(BETWEEN_ROOTS), |root, payload| {
        payload.extend(address(root * BETWEEN_ROOTS).to_le_bytes());
        // Kind: handle.
        payload.push(2);
        payload.extend([0; 12]);
    })?;
    output.write(&[framing::NULL_REFERENCE])
}

fn address(object: u64) -> u64 {
    FIRST_ADDRESS + object * 256
}

fn size(object: u64) -> u64 {
    24 + object % 25 * 8
}

/// Returns the references of an object: two objects further on, as in a tree that starts at every root, and sometimes
/// any object.
fn references(object: u64, objects: u64) -> impl Iterator<Item = u64> {
    let begin = object - object % BETWEEN_ROOTS;
    let below = [1, 2].map(|next| (object % BETWEEN_ROOTS) * 2 + next);
    let inside = below.into_iter().filter(|at| *at < BETWEEN_ROOTS).map(move |at| begin + at);
    let any = (object % 7 == 3).then(|| (object.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % objects);
    inside.filter(move |target| *target < objects).chain(any)
}

/// Returns type IDs and names: count, runtime, then for each type ID, module, token, flags, element type, name,
/// parameters.
fn names() -> Vec<u8> {
    let mut payload = (TYPES as u32).to_le_bytes().to_vec();
    payload.extend([0; 2]);
    for type_id in 1..=TYPES {
        payload.extend(type_id.to_le_bytes());
        payload.extend([0; 8 + 4 + 4 + 1]);
        push_utf16(&mut payload, &format!("Archive.Shelf{}.Book{type_id}", type_id % 20));
        payload.extend([0; 4]);
    }
    payload
}

/// Writer of the snapshot's events, each in its own block.
struct Snapshot<'o, 'f, W: Write> {
    output: &'o mut Output<'f, W>,
    writer: EventWriter,
    ticks: u64,
}

impl<W: Write> Snapshot<'_, '_, W> {
    fn event(&mut self, kind: u64, payload: &[u8]) -> Outcome {
        self.ticks += 1000;
        self.writer.begin();
        self.writer.event(kind, WRITER, 0, self.ticks, payload);
        write_block(self.output, &object_head("EventBlock", 2), &self.writer.content)
    }

    /// Writes numbered events with many items: number, count, runtime, then each item.
    fn bulk_events(&mut self, kind: u64, things: u64, write: impl Fn(u64, &mut Vec<u8>)) -> Outcome {
        for (number, first) in (0u32..).zip((0..things).step_by(OF_AN_EVENT as usize)) {
            let end = (first + OF_AN_EVENT).min(things);
            let mut payload = number.to_le_bytes().to_vec();
            payload.extend(((end - first) as u32).to_le_bytes());
            payload.extend([0; 2]);
            (first..end).for_each(|thing| write(thing, &mut payload));
            self.event(kind, &payload)?;
        }
        Ok(())
    }
}
