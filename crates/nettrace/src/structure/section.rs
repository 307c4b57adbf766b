//! Reads a piece of a file once more, with a listener.

use super::record::{PayloadReader, Record, Recorder, Window};
use super::{Reading, Structure};
use crate::block::Item;
use crate::block::event_header::EventHeader;
use crate::block::metadata::{self, MetadataEncoding};
use crate::container::header::{Container, Header};
use crate::error::Error;
use crate::parser::{Parser, Step};
use crate::payload;
use crate::payload::field::Field;
use crate::trace::Trace;
use crate::trace::terms;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// A piece of a file whose structure is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'d> {
    /// What it is.
    pub kind: PieceKind<'d>,
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its bytes, and some of what follows, by which the parser may have decided where it ends. May be empty where
    /// nothing is read of it.
    pub data: &'d [u8],
    /// Whether nothing follows the data in the file.
    pub eof: bool,
}

/// What a piece of a file is.
#[derive(Clone, Copy, Debug)]
pub enum PieceKind<'d> {
    /// The start of the file.
    Header,
    /// A block of a file with this header.
    Block(&'d Header),
    /// What cannot be read, and why if it is known.
    Damage(Option<&'d Error>),
    /// What follows the end mark.
    BehindEnd,
}

/// Which part of a structure is wanted.
#[derive(Clone, Debug)]
pub struct StructureQuery {
    /// Which parts.
    pub window: Window,
    /// Of those, the ones with these numbers.
    pub parts: Range<u64>,
    /// A byte whose item is looked for.
    pub offset: u64,
}

/// The layout of the payload of an event; none where it is not known.
pub type Layouts<'a> = dyn Fn(&EventHeader<'_>) -> Option<&'a [Field]> + 'a;

/// The structure of a piece of a file.
pub fn structure(piece: &Piece<'_>, query: &StructureQuery, layouts: &Layouts<'_>) -> Structure {
    let blank = || Record::new(query.window, query.parts.clone(), query.offset, piece.offset);
    let record = RefCell::new(blank());
    let end = piece.offset + piece.bytes;
    let whole = |term, reading: Reading| {
        let mut record = blank();
        record.whole(term, end, reading);
        record.finish()
    };
    match piece.kind {
        PieceKind::BehindEnd => return whole(terms::BEHIND_END, Reading::Raw),
        PieceKind::Damage(None) => return whole(terms::DAMAGE, Reading::Raw),
        PieceKind::Damage(Some(error)) => return whole(terms::DAMAGE, Reading::Unreadable(error.clone())),
        PieceKind::Header => read_header(piece, &record),
        PieceKind::Block(header) => {
            let exact = piece.data.get(..piece.bytes as usize).unwrap_or(piece.data);
            if !read_block(header, (piece.offset, end), (exact, true), &record, layouts) {
                // What follows decided that this is a block.
                *record.borrow_mut() = blank();
                if !read_block(header, (piece.offset, end), (piece.data, piece.eof), &record, layouts) {
                    return whole(terms::UNEXPLAINED, Reading::Raw);
                }
            }
        }
    }
    let mut record = record.into_inner();
    record.settle(end);
    record.finish()
}

fn read_header(piece: &Piece<'_>, record: &RefCell<Record>) {
    let recorder = Recorder::new(record, &NoPayloads);
    // Where even the header cannot be read, what was told up to there is all.
    let _ = Parser::new().traced(piece.data, piece.eof, recorder);
}

/// Reads a block; whether it is one by these bytes, and ends where it has to.
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
                let mut events = block.with_metadata().events();
                while let Some(Ok(_)) = events.next() {}
            }
            Item::Metadata(block) if !is_netperf => {
                payloads.is_all_metadata.set(true);
                block.records().for_each(drop);
            }
            Item::Stacks(block) => block.stacks().for_each(drop),
            Item::Threads(block) => block.rows().for_each(drop),
            Item::Labels(block) => block.lists().for_each(drop),
            _ => {}
        }
        // Metadata of netperf is given out before its events, without a byte of its own.
        if consumed > 0 {
            record.borrow_mut().settle(parser.offset());
            rest = rest.get(consumed..).unwrap_or_default();
            is_first = false;
        }
    }
    parser.offset() == end
}

/// What a header has.
struct NoPayloads;

impl<'r> PayloadReader<'r> for NoPayloads {
    fn tell(&self, _: Recorder<'r>, _: &EventHeader<'_>) {}
}

/// The payloads of a block.
struct Payloads<'l, 'a> {
    layouts: &'l Layouts<'a>,
    encoding: MetadataEncoding,
    pointer_size: u8,
    is_netperf: bool,
    /// Whether events describe others.
    is_all_metadata: Cell<bool>,
}

impl<'r> PayloadReader<'r> for Payloads<'_, '_> {
    fn tell(&self, trace: Recorder<'r>, event: &EventHeader<'_>) {
        if event.payload.is_empty() {
            return;
        }
        let opened = trace.open(terms::PAYLOAD, event.payload_offset);
        if self.is_all_metadata.get() || (self.is_netperf && event.metadata_id == 0) {
            // What cannot be read of it is told, too.
            let _ = metadata::read_event(event, self.encoding, trace);
        } else {
            let fields = (self.layouts)(event).unwrap_or_default();
            payload::tell(fields, event.payload, self.pointer_size, event.payload_offset, trace);
        }
        trace.close(opened, event.payload_offset + event.payload.len() as u64);
    }
}
