//! Metadata records: the identity of event types and the layout of their payloads.

pub(crate) mod netperf;
mod record;
pub(crate) mod v5;
pub(crate) mod v6;

pub use record::{MAX_SKIPPED, MetadataRecord, Skipped, Unrecorded};

use crate::block::EventHeader;
use crate::error::Result;
use crate::listener::Trace;

/// Encoding of the metadata records that are payloads of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetadataEncoding {
    /// netperf 1: the provider is a GUID.
    Netperf1,
    /// netperf 2: the provider is a name.
    Netperf2,
    /// Versions 3 to 5: the record has a metadata ID.
    V3To5,
}

/// Reads the record that is the payload of an event.
pub(crate) fn read_event<T: Trace>(
    event: &EventHeader<'_>,
    encoding: MetadataEncoding,
    trace: T,
) -> Result<MetadataRecord> {
    match encoding {
        MetadataEncoding::V3To5 => v5::read_record(event, trace),
        MetadataEncoding::Netperf1 => netperf::read_record(event, true, trace),
        MetadataEncoding::Netperf2 => netperf::read_record(event, false, trace),
    }
}
