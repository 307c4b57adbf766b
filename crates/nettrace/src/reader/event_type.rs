//! Event types of a trace.

use crate::clr::{self, Schema};
use crate::metadata::MetadataRecord;
use crate::payload::Field;
use std::fmt;

/// Event type: provider, name and fields.
///
/// The runtime records its own events without names and fields. This crate supplies both for the most common events;
/// see [`clr::schema`].
#[derive(Clone, Debug)]
pub struct EventType {
    record: MetadataRecord,
    /// Provider name, if the record has only a GUID.
    provider: Option<&'static str>,
    schema: Option<Schema>,
    is_defined: bool,
}

impl EventType {
    /// Creates the type of the events of a metadata record.
    pub(super) fn of(record: MetadataRecord) -> Self {
        let provider = record.provider_guid.filter(|_| record.provider.is_empty()).and_then(clr::provider_name);
        let schema = clr::schema(provider.unwrap_or(&record.provider), record.event_id, record.version);
        Self { record, provider, schema, is_defined: true }
    }

    /// Creates the type of events whose metadata record is missing.
    pub(super) fn undefined(metadata_id: u32) -> Self {
        let record = MetadataRecord { metadata_id, ..MetadataRecord::default() };
        Self { record, provider: None, schema: None, is_defined: false }
    }

    /// Returns whether a record describes this type, ignoring its offset.
    pub(super) fn has_record(&self, record: &MetadataRecord) -> bool {
        let (id, offset) = (self.record.metadata_id, self.record.offset);
        self.is_defined && self.record == MetadataRecord { metadata_id: id, offset, ..record.clone() }
    }

    /// Returns the provider name.
    pub fn provider(&self) -> &str {
        self.provider.unwrap_or(&self.record.provider)
    }

    /// Returns the event name; empty if neither the file nor this crate contains it.
    pub fn name(&self) -> &str {
        match &self.schema {
            Some(schema) if self.record.name.is_empty() => schema.name,
            _ => &self.record.name,
        }
    }

    /// Returns the event ID, unique within the provider; 0 if the event has none.
    pub fn event_id(&self) -> u32 {
        self.record.event_id
    }

    /// Returns the version of the event's layout.
    pub fn version(&self) -> u32 {
        self.record.version
    }

    /// Returns the level: 1 (critical) to 5 (verbose); 0 for always.
    pub fn level(&self) -> u8 {
        self.record.level
    }

    /// Returns the keywords: groups of events, one bit each.
    pub fn keywords(&self) -> u64 {
        self.record.keywords
    }

    /// Returns the opcode (1 start, 2 stop, …), if the file has it.
    pub fn opcode(&self) -> Option<u8> {
        self.record.opcode
    }

    /// Returns the fields of the payload; empty if there are none or they are unknown.
    pub fn fields(&self) -> &[Field] {
        match &self.schema {
            Some(schema) if self.record.fields.is_empty() || schema.overrides_file => &schema.fields,
            _ => &self.record.fields,
        }
    }

    /// Returns the metadata record; `None` if it isn't in the file.
    pub fn metadata(&self) -> Option<&MetadataRecord> {
        self.is_defined.then_some(&self.record)
    }
}

impl fmt::Display for EventType {
    /// Writes provider and name; the event ID if the name is missing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (provider, name) = (self.provider(), self.name());
        match name {
            _ if !self.is_defined => write!(f, "undefined metadata {}", self.record.metadata_id),
            "" => write!(f, "{provider}/{}", self.event_id()),
            _ => write!(f, "{provider}/{name}"),
        }
    }
}
