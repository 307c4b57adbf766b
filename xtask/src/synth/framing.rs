//! Reads and writes objects of nettrace 4 and 5: a head with the type name, a size, padding to four bytes of the file,
//! the content, an end tag (nettrace-v5.md, "Objects").

use crate::Outcome;
use std::io::{Read, Seek, SeekFrom, Write};

/// Tag in place of an object: the end of the file.
pub const NULL_REFERENCE: u8 = 1;
const END_OBJECT: u8 = 6;
const OBJECT_TAGS: [u8; 3] = [5, 5, NULL_REFERENCE];
const START: &[u8; 32] = b"Nettrace\x14\0\0\0!FastSerialization.1";
/// Size of the content of the first object.
const TRACE_BYTES: u64 = 48;
/// Maximum size of a block. Runtimes write about 100 KB.
const MAX_BLOCK_BYTES: usize = 64 << 20;

/// Kind of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Events.
    Events,
    /// Metadata records.
    Metadata,
    /// Sequence point.
    SequencePoint,
    /// Other block.
    Other,
}

/// Block of the source.
pub struct RawBlock<'b> {
    /// Absolute offset of its head.
    pub offset: u64,
    /// Kind.
    pub kind: Kind,
    /// Unchanged tags, versions and name.
    pub head: &'b [u8],
    /// Bytes between size and end tag.
    pub content: &'b [u8],
}

/// Reader of the blocks of a source.
pub struct Blocks<'s, S> {
    source: &'s mut S,
    offset: u64,
    head: Vec<u8>,
    content: Vec<u8>,
}

impl<'s, S: Read + Seek> Blocks<'s, S> {
    /// Returns the blocks from a position on.
    pub fn at(source: &'s mut S, offset: u64) -> Outcome<Self> {
        source.seek(SeekFrom::Start(offset)).map_err(unreadable)?;
        Ok(Self { source, offset, head: Vec::new(), content: Vec::new() })
    }

    /// Returns the absolute offset of the next block or the end-of-stream marker.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next block; `None` at the end-of-stream marker.
    pub fn next(&mut self) -> Outcome<Option<RawBlock<'_>>> {
        let offset = self.offset;
        if !read_head(self.source, &mut self.head, offset)? {
            return Ok(None);
        }
        let size = u32::from_le_bytes(read(self.source)?) as usize;
        let before = self.head.len() as u64 + 4;
        let padding = (offset + before).wrapping_neg() & 3;
        if size > MAX_BLOCK_BYTES {
            return Err(format!("The block at byte {offset} has an invalid size of {size} bytes."));
        }
        self.content.resize(padding as usize + size, 0);
        self.source.read_exact(&mut self.content).map_err(unreadable)?;
        expect_end(self.source, offset)?;
        self.offset += before + padding + size as u64 + 1;
        let kind = match name(&self.head) {
            b"EventBlock" => Kind::Events,
            b"MetadataBlock" => Kind::Metadata,
            b"SPBlock" => Kind::SequencePoint,
            _ => Kind::Other,
        };
        let content = self.content.get(padding as usize..).unwrap_or_default();
        Ok(Some(RawBlock { offset, kind, head: &self.head, content }))
    }
}

/// Reads what comes before the first block; where that begins.
pub fn read_start<S: Read + Seek>(source: &mut S) -> Outcome<u64> {
    source.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    if &read::<32>(source)? != START {
        return Err("Not a trace in nettrace 4 or 5.".to_owned());
    }
    let (offset, mut head) = (START.len() as u64, Vec::new());
    if !read_head(source, &mut head, offset)? || name(&head) != b"Trace" {
        return Err("The trace doesn't begin with a trace object.".to_owned());
    }
    read::<{ TRACE_BYTES as usize }>(source)?;
    expect_end(source, offset)?;
    Ok(offset + head.len() as u64 + TRACE_BYTES + 1)
}

/// Reads the head of an object; returns whether there is one.
fn read_head(source: &mut impl Read, head: &mut Vec<u8>, offset: u64) -> Outcome<bool> {
    let [tag] = read(source)?;
    if tag == NULL_REFERENCE {
        return Ok(false);
    }
    let rest: [u8; 14] = read(source)?;
    head.clear();
    head.push(tag);
    head.extend(rest);
    let name_bytes = rest.last_chunk().map_or(0, |length| u32::from_le_bytes(*length)) as usize;
    if head[..3] != OBJECT_TAGS || name_bytes > 64 {
        return Err(format!("Expected a block at byte {offset}. The trace may be damaged or truncated."));
    }
    let start = head.len();
    head.resize(start + name_bytes + 1, 0);
    source.read_exact(&mut head[start..]).map_err(unreadable)?;
    Ok(true)
}

/// Returns the type name in a head.
fn name(head: &[u8]) -> &[u8] {
    head.get(15..head.len() - 1).unwrap_or_default()
}

fn expect_end(source: &mut impl Read, offset: u64) -> Outcome {
    match read(source)? {
        [END_OBJECT] => Ok(()),
        _ => Err(format!("The block at byte {offset} doesn't end at its declared size.")),
    }
}

fn read<const BYTES: usize>(source: &mut impl Read) -> Outcome<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    source.read_exact(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn unreadable(error: std::io::Error) -> String {
    format!("the trace cannot be read: {error}")
}

/// Writer of a trace that counts its bytes.
pub struct Output<'w, W> {
    writer: &'w mut W,
    bytes: u64,
}

impl<'w, W: Write> Output<'w, W> {
    /// Creates a writer.
    pub fn new(writer: &'w mut W) -> Self {
        Self { writer, bytes: 0 }
    }

    /// Returns the number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Outcome {
        self.bytes += bytes.len() as u64;
        self.writer.write_all(bytes).map_err(|error| format!("the trace cannot be written: {error}"))
    }
}

/// Returns tags, versions and name of an object.
pub fn object_head(name: &str, version: u32) -> Vec<u8> {
    let mut head = OBJECT_TAGS.to_vec();
    for number in [version, version, name.len() as u32] {
        head.extend(number.to_le_bytes());
    }
    head.extend(name.as_bytes());
    head.push(END_OBJECT);
    head
}

/// Writes the start of a trace: a 64-bit process on 8 CPUs, a clock in nanoseconds.
pub fn write_start(output: &mut Output<'_, impl Write>, sampling_nanos: u32) -> Outcome {
    output.write(START)?;
    output.write(&object_head("Trace", 4))?;
    // Year, month, day of week, day, hour, minute, second, millisecond.
    output.write(&[2026_u16, 1, 4, 1, 0, 0, 0, 0].map(u16::to_le_bytes).concat())?;
    // Ticks at the sync time, and frequency.
    output.write(&[0, 1_000_000_000_u64].map(u64::to_le_bytes).concat())?;
    // Pointer size, process, CPUs, sampling interval.
    output.write(&[8, 1, 8, sampling_nanos].map(u32::to_le_bytes).concat())?;
    output.write(&[END_OBJECT])
}

/// Copies a part of the source.
pub fn copy<S: Read + Seek>(source: &mut S, start: u64, end: u64, output: &mut Output<'_, impl Write>) -> Outcome {
    source.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    let mut bytes = vec![0; (end - start) as usize];
    source.read_exact(&mut bytes).map_err(unreadable)?;
    output.write(&bytes)
}

/// Writes a block with the padding for its new offset.
pub fn write_block(output: &mut Output<'_, impl Write>, head: &[u8], content: &[u8]) -> Outcome {
    output.write(head)?;
    output.write(&(content.len() as u32).to_le_bytes())?;
    let padding = output.bytes().wrapping_neg() & 3;
    output.write(&[0; 3][..padding as usize])?;
    output.write(content)?;
    output.write(&[END_OBJECT])
}
