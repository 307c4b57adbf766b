//! Descriptions of kinds of events, the same for all versions.

use crate::block::BlockInfo;
use crate::block::event_header::EventHeader;
use crate::block::events::{EventBlock, Events};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::{v1, v5, v6};
use crate::payload::field::Field;
use crate::trace::terms;
use crate::trace::{Off, Trace};
use crate::wire::byte_reader::Reader;
use crate::wire::guid::Guid;

/// A description of one kind of event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataRecord {
    /// What events refer to. In netperf 1 and 2 the offset of the record in the file.
    pub metadata_id: u32,
    /// The provider's name; empty in netperf 1, which has only its GUID.
    pub provider: String,
    /// The provider's GUID where the file has it (netperf 1, optional in version 6).
    pub provider_guid: Option<Guid>,
    /// The number of the event within its provider, 0 if it has none.
    pub event_id: u32,
    /// Counts changes of the event's layout.
    pub version: u32,
    /// The event's name; empty for everything the runtime itself writes.
    pub name: String,
    /// 1 (critical) to 5 (verbose), 0 for always.
    pub level: u8,
    /// The groups of events it belongs to, one bit each.
    pub keywords: u64,
    /// What the event means for its task (1 start, 2 stop …), if the file says.
    pub opcode: Option<u8>,
    /// The layout of the payload; empty if there is none or the file does not describe it.
    pub fields: Vec<Field>,
    /// Text with placeholders for the fields (version 6).
    pub message_template: Option<String>,
    /// Text about the event (version 6).
    pub description: Option<String>,
    /// Further facts as key and value, in file order (version 6).
    pub attributes: Vec<(String, String)>,
    /// What version 6 leaves out where it is 0 in [`MetadataRecord`].
    pub unrecorded: Unrecorded,
    /// Whether [`MetadataRecord::fields`] come from a tag behind the first list, which they replace (version 5).
    pub has_second_list: bool,
    /// What could be read and has no meaning that is known, at most [`MOST_SKIPPED`].
    pub skipped: Vec<Skipped>,
    /// Whether the record has the tags that make a file "version 5".
    pub has_v5_tags: bool,
    /// Why [`MetadataRecord::fields`] or what follows it is incomplete.
    pub partial: Option<Error>,
    /// Absolute offset of the record.
    pub offset: u64,
}

/// Parts of a description that are optional in version 6, and missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unrecorded {
    /// There is no level.
    pub level: bool,
    /// There are no keywords.
    pub keywords: bool,
    /// There is no version.
    pub version: bool,
}

/// Bytes of a description without a known meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where: "in the unknown tag 3", "behind the field “Count”".
    pub place: String,
    /// How many.
    pub bytes: u64,
}

/// Places of [`MetadataRecord::skipped`] that are kept.
pub const MOST_SKIPPED: usize = 64;

/// Notes the rest of what a reader is about as skipped, if there is one.
pub(crate) fn skip<T: Trace>(skipped: &mut Vec<Skipped>, rest: &Reader<'_, T>, place: impl FnOnce() -> String) {
    if !rest.is_empty() && skipped.len() < MOST_SKIPPED {
        skipped.push(Skipped { place: place(), bytes: rest.remaining() as u64 });
    }
}

/// A block of metadata records.
#[derive(Clone, Debug)]
pub struct MetadataBlock<'d, T: Trace = Off> {
    /// Where the block is.
    pub info: BlockInfo,
    content: Content<'d, T>,
}

/// How the payload of an event that is metadata is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetadataEncoding {
    /// netperf 1: the provider is a GUID.
    Netperf1,
    /// netperf 2: the provider is a name.
    Netperf2,
    /// Versions 3 to 5: the record has an id of its own.
    V3To5,
}

/// How records are stored.
#[derive(Clone, Debug)]
enum Content<'d, T: Trace> {
    /// As the payloads of events, up to version 5.
    Events(EventBlock<'d, T>, MetadataEncoding),
    /// As rows that begin with their size, in version 6. `cut` says that the end of the block is missing.
    Rows { reader: Reader<'d, T>, cut: bool },
}

impl<'d, T: Trace> MetadataBlock<'d, T> {
    /// Metadata written as the payloads of event blobs (up to version 5).
    pub(crate) fn of_events(events: EventBlock<'d, T>, encoding: MetadataEncoding) -> Self {
        Self { info: events.info, content: Content::Events(events, encoding) }
    }

    /// Reads the block header of version 6.
    pub(crate) fn read_v6(info: BlockInfo, mut reader: Reader<'d, T>, cut: bool) -> Result<Self> {
        let opened = reader.open(terms::BLOCK_HEADER);
        let header_bytes = reader.u16(terms::METADATA_HEADER_SIZE)?;
        reader.raw(terms::METADATA_RESERVED, header_bytes.into())?;
        reader.close(opened);
        Ok(Self { info, content: Content::Rows { reader, cut } })
    }

    /// The records of the block, in file order.
    pub fn records(&self) -> MetadataRecords<'d, T> {
        let records = match &self.content {
            Content::Events(block, encoding) => Records::Events(block.events(), *encoding),
            Content::Rows { reader, cut } => Records::Rows { reader: reader.clone(), cut: *cut },
        };
        MetadataRecords { records, last_bytes: 0, last_padding_bytes: 0 }
    }

    /// Absolute offset after the last record that is complete.
    pub(crate) fn end_of_whole_records(&self) -> u64 {
        match &self.content {
            Content::Events(block, _) => block.end_of_whole_events(),
            Content::Rows { reader, .. } => {
                let mut reader = reader.clone();
                let mut end = reader.offset();
                reader.trace().silently(|| {
                    while next_row(&mut reader).is_ok() {
                        end = reader.offset();
                    }
                });
                end
            }
        }
    }
}

/// Iterates over the records of a block. An error about one record does not keep the following ones from being read.
#[derive(Clone, Debug)]
pub struct MetadataRecords<'d, T: Trace = Off> {
    records: Records<'d, T>,
    last_bytes: u32,
    last_padding_bytes: u32,
}

#[derive(Clone, Debug)]
enum Records<'d, T: Trace> {
    Events(Events<'d, T>, MetadataEncoding),
    Rows { reader: Reader<'d, T>, cut: bool },
}

impl<T: Trace> MetadataRecords<'_, T> {
    /// Bytes in the file of the record that was given out last, with its framing.
    pub fn last_bytes(&self) -> u32 {
        self.last_bytes
    }

    /// Those of them that are padding behind it.
    pub fn last_padding_bytes(&self) -> u32 {
        self.last_padding_bytes
    }
}

impl<T: Trace> Iterator for MetadataRecords<'_, T> {
    type Item = Result<MetadataRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.records {
            Records::Events(events, encoding) => Some(events.next()?.and_then(|event| {
                (self.last_bytes, self.last_padding_bytes) = (event.file_bytes(), event.padding_bytes);
                read_event(event, *encoding, Off)
            })),
            Records::Rows { reader, .. } if reader.is_empty() => None,
            Records::Rows { reader, cut } => {
                let offset = reader.offset();
                let trace = reader.trace();
                let opened = trace.open_item(terms::DESCRIPTION, offset);
                let record = match next_row(reader) {
                    Ok(row) => Some(v6::read_row(row)),
                    Err(_) => {
                        let error = Error::new(ErrorKind::OutOfBounds("metadata record"), offset);
                        reader.give_up(&error);
                        (!*cut).then_some(Err(error))
                    }
                };
                trace.close_item(opened, reader.offset());
                self.last_bytes = (reader.offset() - offset) as u32;
                record
            }
        }
    }
}

/// Reads the record that is the payload of an event.
pub(crate) fn read_event<T: Trace>(
    event: &EventHeader<'_>,
    encoding: MetadataEncoding,
    trace: T,
) -> Result<MetadataRecord> {
    match encoding {
        MetadataEncoding::V3To5 => v5::read_record(event, trace),
        MetadataEncoding::Netperf1 | MetadataEncoding::Netperf2 => v1::read_record(event, encoding, trace),
    }
}

/// The next row of version 6, without its size.
fn next_row<'d, T: Trace>(reader: &mut Reader<'d, T>) -> Result<Reader<'d, T>> {
    let bytes = reader.u16(terms::ROW_SIZE)?;
    reader.section(usize::from(bytes))
}
