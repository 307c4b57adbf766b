//! Metadata records of netperf 1 and 2. No document describes them; the layout comes from recorded files.

use super::record::MetadataRecord;
use super::v5::read_v1_fields;
use crate::block::EventHeader;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Reads the record that is the payload of this event. Events refer to it by its offset in the file. `has_guid` says that
/// the provider is a GUID (netperf 1), else a name (netperf 2).
pub(crate) fn read_record<T: Trace>(event: &EventHeader<'_>, has_guid: bool, trace: T) -> Result<MetadataRecord> {
    let mut reader = ByteReader::traced(event.payload, event.payload_offset, trace);
    // IDs are 32-bit offsets.
    let Ok(metadata_id) = u32::try_from(event.header_offset) else {
        return Err(Error::new(
            ErrorKind::LimitExceeded("bytes before a metadata record to refer to it"),
            event.header_offset,
        ));
    };
    let mut record = MetadataRecord { metadata_id, offset: event.payload_offset, ..MetadataRecord::default() };
    read_identity(&mut reader, &mut record, has_guid)
        .map_err(|_| Error::new(ErrorKind::OutOfBounds("metadata record"), event.payload_offset))
        .inspect_err(|error| reader.give_up(error))?;
    record.partial = read_description(&mut reader, &mut record).inspect_err(|error| reader.give_up(error)).err();
    Ok(record)
}

fn read_identity<T: Trace>(reader: &mut ByteReader<'_, T>, record: &mut MetadataRecord, has_guid: bool) -> Result<()> {
    match has_guid {
        true => record.provider_guid = Some(reader.guid(terms::PROVIDER_GUID)?),
        false => record.provider = reader.utf16_name(terms::PROVIDER)?,
    }
    record.event_id = reader.u32(terms::EVENT_ID)?;
    record.version = reader.u32(terms::VERSION)?;
    Ok(())
}

/// Reads everything except the identity. Events of the runtime itself have only an identity.
fn read_description<T: Trace>(reader: &mut ByteReader<'_, T>, record: &mut MetadataRecord) -> Result<()> {
    let bytes = reader.u32(terms::DESCRIPTION_SIZE)? as usize;
    if bytes == 0 {
        return Ok(());
    }
    let mut description = reader.section(bytes)?;
    description.u32(terms::REPEATED)?;
    record.name = description.utf16_name(terms::EVENT_NAME)?;
    record.keywords = description.u64(terms::KEYWORDS)?;
    description.u32(terms::REPEATED)?;
    record.level = description.u32(terms::LEVEL)? as u8;
    if description.is_empty() {
        return Ok(());
    }
    read_v1_fields(&mut description, &mut record.fields, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listener::Off;

    /// S112: IDs are 32-bit offsets. A record beyond 4 GiB is an error, not the ID of another record.
    #[test]
    fn record_beyond_4_gib_is_an_error() {
        let payload = [&[0x41, 0, 0, 0][..], &[0; 12]].concat();
        let at = |header_offset| EventHeader { header_offset, payload: &payload, ..EventHeader::blank() };
        let read = |header_offset| read_record(&at(header_offset), false, Off);
        assert_eq!(read(u64::from(u32::MAX)).unwrap().metadata_id, u32::MAX);
        assert!(matches!(read(1 << 32).unwrap_err().kind(), ErrorKind::LimitExceeded(_)));
    }
}
