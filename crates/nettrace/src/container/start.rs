//! Detects the format of a file and reads its header.

use super::block_chain::{HEADER_BYTES, TRACE, read_header};
use super::blocks;
use super::header::{Container, Header};
use super::object::{self, BEGIN_OBJECT, BEGIN_PRIVATE_OBJECT, END_OBJECT, Found, LONGEST_KNOWN_HEAD, STREAM_HEADER};
use crate::block::Item;
use crate::error::{Error, ErrorKind, Result};
use crate::framing::{Framing, Input, ObjectFraming, RecordFraming, State, Step, Turn, wait};
use crate::listener::{Trace, terms};
use crate::metadata::MetadataEncoding;

const MAGIC: &[u8; 8] = b"Nettrace";

/// Type name of the first object of netperf 1 and 2.
const EVENT_PIPE_FILE: &[u8] = b"Microsoft.DotNet.Runtime.EventPipeFile";

/// Maximum number of bytes that later versions may add to the first object.
const MAX_ADDED_BYTES: usize = 4096;

/// Newest supported version.
const NEWEST_VERSION: u32 = 6;

/// Reads the header of any format.
pub(crate) fn read<'d, T: Trace>(input: &Input<'d, T>) -> Result<Turn<'d>> {
    if !starts_like(input.data, MAGIC) && !starts_like(input.data, STREAM_HEADER) {
        return Err(Error::new(ErrorKind::NotATrace, input.offset));
    }
    if input.data.len() < MAGIC.len() {
        return more(input, MAGIC.len());
    }
    if !input.data.starts_with(MAGIC) {
        return read_object_file(input, 0, Container::Netperf);
    }
    input.reader(0, MAGIC.len()).ascii(terms::MAGIC, MAGIC.len())?;
    match input.data.get(MAGIC.len()..MAGIC.len() + 4) {
        None => more(input, MAGIC.len() + 4),
        Some([0, 0, 0, 0]) => read_v6(input),
        Some(_) => read_object_file(input, MAGIC.len(), Container::Nettrace),
    }
}

/// Returns whether the data begins with `expected`, up to the shorter of the two.
fn starts_like(data: &[u8], expected: &[u8]) -> bool {
    data.iter().zip(expected).all(|(found, expected)| found == expected)
}

/// Waits for more data. At the end of the data, fails: it isn't a trace, or its header is incomplete.
fn more<'d, T: Trace>(input: &Input<'d, T>, wanted: usize) -> Result<Turn<'d>> {
    if !input.eof {
        return Ok(wait(wanted));
    }
    let length = input.data.len();
    Err(match length {
        0..4 => Error::new(ErrorKind::NotATrace, input.offset),
        _ => Error::eof((wanted - length) as u64, input.at(length)),
    })
}

/// Reads the header of a file of objects: all versions up to 5.
fn read_object_file<'d, T: Trace>(input: &Input<'d, T>, start: usize, container: Container) -> Result<Turn<'d>> {
    let head_start = start + STREAM_HEADER.len();
    let Some(stream_header) = input.data.get(start..head_start) else { return more(input, head_start) };
    if stream_header != STREAM_HEADER {
        return Err(damaged("unknown serialization name", input.at(start)));
    }
    let mut named = input.reader(start, head_start);
    let name_bytes = named.u32(terms::STREAM_NAME_LENGTH)?;
    named.ascii(terms::STREAM_NAME, name_bytes as usize)?;
    let tag = match container {
        Container::Nettrace => BEGIN_PRIVATE_OBJECT,
        Container::Netperf => BEGIN_OBJECT,
    };
    let head = match object::read_head(input.reader(head_start, input.data.len()), tag) {
        Found::Object(head) => head,
        Found::Incomplete(bytes) => return more(input, head_start + bytes),
        Found::EndOfStream | Found::Other => {
            return Err(damaged("the first object is not a trace object", input.at(head_start)));
        }
    };
    let content = head_start + head.bytes;
    // The minimum reader version decides, because newer versions may still be readable.
    let known = match container {
        Container::Nettrace => 4,
        Container::Netperf => 3,
    };
    match (head.name, container, head.version) {
        // Version 4 in the other container is invalid, not newer.
        (b"Trace", ..) if head.oldest_reader > known && head.version != 4 => {
            let kind = ErrorKind::NeedsNewerReader { needed: head.oldest_reader, known };
            Err(Error::new(kind, input.at(head_start)))
        }
        (b"Trace", ..) if head.version >= known && head.oldest_reader <= known => {
            read_trace_object(input, content, container, (head.version, known), tag)
        }
        (EVENT_PIPE_FILE, Container::Netperf, 1) => {
            read_event_pipe_file(input, content, head.version, MetadataEncoding::Netperf1)
        }
        (EVENT_PIPE_FILE, Container::Netperf, 2) => {
            read_event_pipe_file(input, content, head.version, MetadataEncoding::Netperf2)
        }
        (b"Trace", ..) => Err(damaged("the version doesn't match the file type", input.at(head_start))),
        _ => Err(damaged("the first object is not a trace object", input.at(head_start))),
    }
}

fn read_trace_object<'d, T: Trace>(
    input: &Input<'d, T>,
    content: usize,
    container: Container,
    (version, known): (u32, u32),
    tag: u8,
) -> Result<Turn<'d>> {
    let fields_end = content + Header::TRACE_OBJECT_BYTES;
    let Some(&end_tag) = input.data.get(fields_end) else { return more(input, fields_end + 1) };
    let mut end = fields_end;
    if end_tag != END_OBJECT {
        // Later versions may add fields of unknown layout; the next object shows where they end.
        let limit = fields_end + MAX_ADDED_BYTES;
        let (available, wanted) = (input.data.len(), limit + LONGEST_KNOWN_HEAD);
        match object::find_head(input.data, fields_end, limit, tag, input.eof) {
            Ok(next) if input.data.get(next - 1) == Some(&END_OBJECT) => end = next - 1,
            Err(_) if available < wanted && !input.eof => return more(input, available.max(fields_end) + 1),
            _ => return Err(damaged("the trace object doesn't end after its fields", input.at(fields_end))),
        }
    }
    let mut fields = input.reader(content, end + 1);
    let mut header = Header::read_trace_object(container, known, &mut fields)?;
    fields.raw(terms::ADDED_FIELDS, end - fields_end)?;
    fields.u8(terms::END_OBJECT)?;
    if version > known {
        header.warnings.push(format!(
            "File version {version} is newer than this parser, but the file is compatible with version {known}."
        ));
    }
    let framing = Framing::Objects(ObjectFraming::new(tag));
    Ok((Step::Parsed { consumed: end + 1, item: Item::Header(header) }, Some(State::Framed(framing))))
}

/// Reads the header of netperf 1 and 2. The events are the content of the same object.
fn read_event_pipe_file<'d, T: Trace>(
    input: &Input<'d, T>,
    content: usize,
    version: u32,
    encoding: MetadataEncoding,
) -> Result<Turn<'d>> {
    let end = content + Header::EVENT_PIPE_FILE_BYTES;
    if input.data.len() < end {
        return more(input, end);
    }
    let header = Header::read_event_pipe_file(version, &mut input.reader(content, end))?;
    let framing = Framing::Records(RecordFraming::new(encoding));
    Ok((Step::Parsed { consumed: end, item: Item::Header(header) }, Some(State::Framed(framing))))
}

/// Reads the header of version 6: reserved zero, versions, and the first block.
fn read_v6<'d, T: Trace>(input: &Input<'d, T>) -> Result<Turn<'d>> {
    const VERSIONS: usize = 12;
    const FIRST_BLOCK: usize = 20;
    let Some(_) = input.data.get(..FIRST_BLOCK) else { return more(input, FIRST_BLOCK) };
    let mut versions = input.reader(MAGIC.len(), FIRST_BLOCK);
    versions.u32(terms::RESERVED)?;
    let (major, minor) = (versions.u32(terms::MAJOR_VERSION)?, versions.u32(terms::MINOR_VERSION)?);
    match major {
        6 => {}
        7.. => return Err(unsupported(major, input.at(VERSIONS))),
        _ => return Err(damaged("the version doesn't match the file type", input.at(VERSIONS))),
    }
    let Some((kind, content, end)) = read_header(input.data, FIRST_BLOCK) else {
        return more(input, FIRST_BLOCK + HEADER_BYTES);
    };
    if kind != TRACE {
        let header = Header::assumed(minor);
        return Ok((
            Step::Parsed { consumed: FIRST_BLOCK, item: Item::Header(header) },
            Some(State::Framed(Framing::Blocks)),
        ));
    }
    if input.data.len() < end {
        return more(input, end);
    }
    blocks::report_header(&input.reader(FIRST_BLOCK, content))?;
    let header = Header::read_trace_block(minor, &mut input.reader(content, end))?;
    Ok((Step::Parsed { consumed: end, item: Item::Header(header) }, Some(State::Framed(Framing::Blocks))))
}

#[cold]
fn damaged(what: &'static str, offset: u64) -> Error {
    Error::new(ErrorKind::DamagedHeader(what), offset)
}

#[cold]
fn unsupported(found: u32, offset: u64) -> Error {
    Error::new(ErrorKind::UnsupportedVersion { found, newest: NEWEST_VERSION }, offset)
}
