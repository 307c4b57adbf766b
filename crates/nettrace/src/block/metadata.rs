//! Metadata blocks.

use super::event_reader::{EventReader, Selection};
use super::events::EventBlock;
use super::info::{BlockInfo, BlockKind};
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Off, Trace, terms};
use crate::metadata::{self, MetadataEncoding, MetadataRecord, v6};
use crate::wire::byte_reader::ByteReader;

/// Block of metadata records.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct MetadataBlock<'d> {
    /// Location of the block in the file.
    pub info: BlockInfo,
    content: Content<'d>,
}

/// Encoding of the records.
#[derive(Clone, Debug)]
enum Content<'d> {
    /// Payloads of events, up to version 5.
    Events(EventBlock<'d>, MetadataEncoding),
    /// Rows that begin with their size, in version 6. `cut` means that the end of the block is missing.
    Rows { reader: ByteReader<'d>, cut: bool },
}

impl<'d> MetadataBlock<'d> {
    /// Creates a block of the metadata records that are payloads of events (up to version 5).
    pub(crate) fn of_events(events: EventBlock<'d>, encoding: MetadataEncoding) -> Self {
        Self { info: events.info, content: Content::Events(events, encoding) }
    }

    /// Returns the metadata records among the events of a netperf block, if there are any. Their bytes count as events.
    pub(crate) fn of_netperf(events: &EventBlock<'d>, encoding: MetadataEncoding) -> Option<Self> {
        let mut records = events.select(Selection::Metadata);
        records.info.kind = BlockKind::Metadata;
        (records.info.bytes, records.info.padding_bytes) = (0, 0);
        let any = matches!(records.events().next(), Some(Ok(_)));
        any.then(|| Self::of_events(records, encoding))
    }

    /// Reads the block header of version 6.
    pub(crate) fn read_v6<T: Trace>(info: BlockInfo, mut reader: ByteReader<'d, T>, cut: bool) -> Result<Self> {
        let opened = reader.open(terms::BLOCK_HEADER);
        let header_bytes = reader.u16(terms::METADATA_HEADER_SIZE)?;
        reader.raw(terms::METADATA_RESERVED, header_bytes.into())?;
        reader.close(opened);
        Ok(Self { info, content: Content::Rows { reader: reader.untraced(), cut } })
    }

    /// Returns the records of the block, in file order.
    pub fn records(&self) -> MetadataRecords<'d> {
        MetadataRecords(self.traced_records(Off))
    }

    /// Returns [`MetadataBlock::records`] with a listener.
    pub(crate) fn traced_records<T: Trace>(&self, trace: T) -> MetadataReader<'d, T> {
        let rows = match &self.content {
            Content::Events(block, encoding) => Rows::Events(block.traced_events(trace), *encoding),
            Content::Rows { reader, cut } => Rows::Rows { reader: reader.clone().with_trace(trace), cut: *cut },
        };
        MetadataReader { rows, last_bytes: 0, last_padding_bytes: 0 }
    }

    /// Returns the absolute offset after the last complete record.
    pub(crate) fn end_of_complete_records(&self) -> u64 {
        match &self.content {
            Content::Events(block, _) => block.end_of_complete_events(),
            Content::Rows { reader, .. } => {
                let mut reader = reader.clone();
                let mut end = reader.offset();
                while next_row(&mut reader).is_ok() {
                    end = reader.offset();
                }
                end
            }
        }
    }
}

/// Iterator over the records of a [`MetadataBlock`]. An unreadable record doesn't affect later ones, unless its size is
/// unreadable.
#[derive(Clone, Debug)]
pub struct MetadataRecords<'d>(MetadataReader<'d, Off>);

impl MetadataRecords<'_> {
    /// Returns the size of the last returned record in bytes, including its header.
    pub fn last_bytes(&self) -> u32 {
        self.0.last_bytes
    }

    /// Returns how many of [`MetadataRecords::last_bytes`] are padding.
    pub fn last_padding_bytes(&self) -> u32 {
        self.0.last_padding_bytes
    }
}

impl Iterator for MetadataRecords<'_> {
    type Item = Result<MetadataRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// [`MetadataRecords`] with a listener.
#[derive(Clone, Debug)]
pub(crate) struct MetadataReader<'d, T: Trace> {
    rows: Rows<'d, T>,
    last_bytes: u32,
    last_padding_bytes: u32,
}

#[derive(Clone, Debug)]
enum Rows<'d, T: Trace> {
    Events(EventReader<'d, T>, MetadataEncoding),
    Rows { reader: ByteReader<'d, T>, cut: bool },
}

impl<T: Trace> Iterator for MetadataReader<'_, T> {
    type Item = Result<MetadataRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.rows {
            Rows::Events(events, encoding) => Some(events.next()?.and_then(|event| {
                (self.last_bytes, self.last_padding_bytes) = (event.file_bytes(), event.padding_bytes);
                metadata::read_event(event, *encoding, Off)
            })),
            Rows::Rows { reader, .. } if reader.is_empty() => None,
            Rows::Rows { reader, cut } => {
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

/// Reads the next row of version 6, without its size.
fn next_row<'d, T: Trace>(reader: &mut ByteReader<'d, T>) -> Result<ByteReader<'d, T>> {
    let bytes = reader.u16(terms::ROW_SIZE)?;
    reader.section(usize::from(bytes))
}
