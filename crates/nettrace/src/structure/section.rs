//! Reads a section of a file again, with a listener.

use super::record::{PayloadReader, Record, Recorder, Window};
use super::{PartValue, Structure};
use crate::block::{EventHeader, Item};
use crate::container::{Container, Header};
use crate::error::Error;
use crate::framing::Step;
use crate::listener::{Trace, terms};
use crate::metadata::{self, MetadataEncoding};
use crate::parser::Parser;
use crate::payload::{self, Field};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Section of a file: its header, a block, damage, or the bytes after the end-of-stream marker.
#[derive(Clone, Copy, Debug)]
pub struct Section<'d> {
    /// Kind of section.
    pub kind: SectionKind<'d>,
    /// Absolute offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Bytes of the section, and the bytes after it that the parser needed to find its end. May be empty for damage and
    /// bytes after the end-of-stream marker, which aren't read.
    pub data: &'d [u8],
    /// True if the file ends with `data`.
    pub eof: bool,
}

/// Kind of a [`Section`].
#[derive(Clone, Copy, Debug)]
pub enum SectionKind<'d> {
    /// Header of the file.
    Header,
    /// Block of a file with this header.
    Block(&'d Header),
    /// Damage, with its cause if known.
    Damage(Option<&'d Error>),
    /// Bytes after the end-of-stream marker.
    AfterEnd,
}

/// Requested part of a structure.
#[derive(Clone, Debug)]
pub struct StructureQuery {
    /// The requested parts.
    pub window: Window,
    /// Positions of the returned parts among those of the window.
    pub parts: Range<u64>,
    /// Absolute offset to find: see [`Structure::item_at_offset`] and [`Structure::row_at_offset`].
    pub offset: u64,
}

/// Fields of the payload of an event; `None` if unknown.
pub type Layouts<'a> = dyn Fn(&EventHeader<'_>) -> Option<&'a [Field]> + 'a;

/// Returns the structure of a section of a file, down to the byte.
///
/// `layouts` provides the fields of payloads. The same parser reads traces, so the structure can't differ from what was
/// read.
pub fn structure(section: &Section<'_>, query: &StructureQuery, layouts: &Layouts<'_>) -> Structure {
    let blank = || Record::new(query.window, query.parts.clone(), query.offset, section.offset);
    let record = RefCell::new(blank());
    let end = section.offset + section.bytes;
    let whole = |term, reading: PartValue| {
        let mut record = blank();
        record.whole(term, end, reading);
        record.finish()
    };
    match section.kind {
        SectionKind::AfterEnd => return whole(terms::AFTER_END, PartValue::Raw),
        SectionKind::Damage(None) => return whole(terms::DAMAGE, PartValue::Raw),
        SectionKind::Damage(Some(error)) => return whole(terms::DAMAGE, PartValue::Unreadable(error.clone())),
        SectionKind::Header => read_header(section, &record),
        SectionKind::Block(header) => {
            let exact = section.data.get(..section.bytes as usize).unwrap_or(section.data);
            if !read_block(header, (section.offset, end), (exact, true), &record, layouts) {
                // Recognizing the block requires the bytes after it.
                *record.borrow_mut() = blank();
                if !read_block(header, (section.offset, end), (section.data, section.eof), &record, layouts) {
                    return whole(terms::UNEXPLAINED, PartValue::Raw);
                }
            }
        }
    }
    let mut record = record.into_inner();
    record.settle(end);
    record.finish()
}

fn read_header(section: &Section<'_>, record: &RefCell<Record>) {
    let recorder = Recorder::new(record, &NoPayloads);
    // If the header is unreadable, everything before the error is reported.
    let _ = Parser::new().traced(section.data, section.eof, recorder);
}

/// Reads a block. Returns whether the bytes are a block that ends at `end`.
fn read_block(
    header: &Header,
    (offset, end): (u64, u64),
    (data, eof): (&[u8], bool),
    record: &RefCell<Record>,
    layouts: &Layouts<'_>,
) -> bool {
    let encoding = match (header.container, header.version) {
        (Container::Netperf, 1) => MetadataEncoding::Netperf1,
        (Container::Netperf, 2) => MetadataEncoding::Netperf2,
        _ => MetadataEncoding::V3To5,
    };
    let is_netperf = header.container == Container::Netperf;
    let (pointer_size, is_all_metadata) = (header.pointer_size, Cell::new(false));
    let payloads = Payloads { layouts, encoding, pointer_size, is_netperf, is_all_metadata };
    let recorder = Recorder::new(record, &payloads);
    let mut parser = Parser::at_block(header, offset);
    let (mut rest, mut is_first) = (data, true);
    while parser.offset() < end
        && let Ok(Step::Parsed { consumed, item }) = parser.traced(rest, eof, recorder)
    {
        record.borrow_mut().set_limit(parser.offset());
        match item {
            Item::Damage(_) if is_first => return false,
            Item::Events(block) => {
                let mut events = block.with_metadata().traced_events(recorder);
                while let Some(Ok(_)) = events.next() {}
            }
            Item::Metadata(block) if !is_netperf => {
                payloads.is_all_metadata.set(true);
                block.traced_records(recorder).for_each(drop);
            }
            Item::Stacks(block) => block.traced_stacks(recorder).for_each(drop),
            Item::Threads(block) => block.traced_rows(recorder).for_each(drop),
            Item::Labels(block) => block.traced_lists(recorder).for_each(drop),
            _ => {}
        }
        // Metadata in a netperf block is emitted before the events, and its bytes count as events.
        if consumed > 0 {
            record.borrow_mut().settle(parser.offset());
            rest = rest.get(consumed..).unwrap_or_default();
            is_first = false;
        }
    }
    parser.offset() == end
}

/// Payloads of a header: none.
struct NoPayloads;

impl<'r> PayloadReader<'r> for NoPayloads {
    fn report(&self, _: Recorder<'r>, _: &EventHeader<'_>) {}
}

/// Payloads of a block.
struct Payloads<'l, 'a> {
    layouts: &'l Layouts<'a>,
    encoding: MetadataEncoding,
    pointer_size: u8,
    is_netperf: bool,
    /// True if all events are metadata records.
    is_all_metadata: Cell<bool>,
}

impl<'r> PayloadReader<'r> for Payloads<'_, '_> {
    fn report(&self, trace: Recorder<'r>, event: &EventHeader<'_>) {
        if event.payload.is_empty() {
            return;
        }
        let opened = trace.open(terms::PAYLOAD, event.payload_offset);
        if self.is_all_metadata.get() || (self.is_netperf && event.metadata_id == 0) {
            // Errors are reported too.
            let _ = metadata::read_event(event, self.encoding, trace);
        } else {
            let fields = (self.layouts)(event).unwrap_or_default();
            payload::report(fields, event.payload, self.pointer_size, event.payload_offset, trace);
        }
        trace.close(opened, event.payload_offset + event.payload.len() as u64);
    }
}
