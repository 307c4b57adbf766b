//! Descriptions of kinds of events, the same for all versions.

use super::block::BlockInfo;
use super::error::{Error, Result};
use super::event_block::{EventBlock, Events};
use super::field::Field;
use super::guid::Guid;
use super::metadata_v5;

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
    /// Whether the record has the tags that make a file "version 5".
    pub has_v5_tags: bool,
    /// Why [`MetadataRecord::fields`] or what follows it is incomplete.
    pub partial: Option<Error>,
    /// Absolute offset of the record.
    pub offset: u64,
}

/// A block of metadata records.
#[derive(Clone, Debug)]
pub struct MetadataBlock<'d> {
    /// Where the block is.
    pub info: BlockInfo,
    events: EventBlock<'d>,
}

impl<'d> MetadataBlock<'d> {
    /// Metadata written as the payloads of event blobs (up to version 5).
    pub(crate) fn of_events(events: EventBlock<'d>) -> Self {
        Self { info: events.info, events }
    }

    /// The records of the block, in file order.
    pub fn records(&self) -> MetadataRecords<'d> {
        MetadataRecords { events: self.events.events() }
    }

    /// Absolute offset after the last record that is complete.
    pub(crate) fn end_of_whole_records(&self) -> u64 {
        self.events.end_of_whole_events()
    }
}

/// Iterates over the records of a block. An error about one record does not keep the following ones from being read.
#[derive(Clone, Debug)]
pub struct MetadataRecords<'d> {
    events: Events<'d>,
}

impl Iterator for MetadataRecords<'_> {
    type Item = Result<MetadataRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.events.next()?.and_then(metadata_v5::read_record))
    }
}
