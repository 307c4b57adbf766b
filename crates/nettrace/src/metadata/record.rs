//! Metadata records, in the same form for all versions.

use crate::error::Error;
use crate::listener::Trace;
use crate::payload::Field;
use crate::wire::byte_reader::ByteReader;
use crate::wire::guid::Guid;

/// Metadata record, which describes an event type.
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataRecord {
    /// ID by which events refer to the record. In netperf 1 and 2, the offset of the record in the file.
    pub metadata_id: u32,
    /// Provider name; empty in netperf 1, which has only the GUID.
    pub provider: String,
    /// Provider GUID, if the file has it (netperf 1, optional in version 6).
    pub provider_guid: Option<Guid>,
    /// Event ID, unique within the provider; 0 if the event has none.
    pub event_id: u32,
    /// Version of the event's layout.
    pub version: u32,
    /// Event name; empty for events of the runtime itself.
    pub name: String,
    /// Level: 1 (critical) to 5 (verbose); 0 for always.
    pub level: u8,
    /// Keywords: groups of events, one bit each.
    pub keywords: u64,
    /// Opcode (1 start, 2 stop, …), if the file has it.
    pub opcode: Option<u8>,
    /// Fields of the payload; empty if there are none or the file doesn't describe them.
    pub fields: Vec<Field>,
    /// Message with placeholders for the fields (version 6).
    pub message_template: Option<String>,
    /// Description of the event (version 6).
    pub description: Option<String>,
    /// Other key/value pairs, in file order (version 6).
    pub attributes: Vec<(String, String)>,
    /// Optional parts of version 6 that the record lacks.
    pub unrecorded: Unrecorded,
    /// True if [`MetadataRecord::fields`] come from a tag that replaces the first field list (version 5).
    pub has_second_list: bool,
    /// Bytes without a known meaning, at most [`MAX_SKIPPED`] entries.
    pub skipped: Vec<Skipped>,
    /// True if the record has the tags of "version 5".
    pub has_v5_tags: bool,
    /// Error that made [`MetadataRecord::fields`] or the parts after them incomplete.
    pub partial: Option<Error>,
    /// Absolute offset of the record.
    pub offset: u64,
}

/// Optional parts of version 6 that are missing. Their values in the [`MetadataRecord`] are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unrecorded {
    /// True if the level is missing.
    pub level: bool,
    /// True if the keywords are missing.
    pub keywords: bool,
    /// True if the version is missing.
    pub version: bool,
}

/// Bytes of a metadata record without a known meaning.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Location in the record, for display: "in the unknown tag 3", "after the field “Count”".
    pub place: String,
    /// Number of bytes.
    pub bytes: u64,
}

/// Maximum length of [`MetadataRecord::skipped`].
pub const MAX_SKIPPED: usize = 64;

/// Records the unread rest of a part as skipped.
pub(crate) fn skip<T: Trace>(skipped: &mut Vec<Skipped>, rest: &ByteReader<'_, T>, place: impl FnOnce() -> String) {
    if !rest.is_empty() && skipped.len() < MAX_SKIPPED {
        skipped.push(Skipped { place: place(), bytes: rest.remaining() as u64 });
    }
}
