//! Metadata records of netperf 1 and 2. No document describes them; the layout is that of real files.

use crate::block::event_header::EventHeader;
use crate::block::metadata::{MetadataEncoding, MetadataRecord};
use crate::error::{Error, ErrorKind, Result};
use crate::metadata::v5::read_v1_fields;
use crate::trace::Trace;
use crate::trace::terms;
use crate::wire::byte_reader::Reader;

/// Reads the record that is the payload of this event. Events refer to it by its offset in the file.
pub(crate) fn read_record<T: Trace>(
    event: &EventHeader<'_>,
    encoding: MetadataEncoding,
    trace: T,
) -> Result<MetadataRecord> {
    let mut reader = Reader::traced(event.payload, event.payload_offset, trace);
    // Ids are positions of 32 bits.
    let Ok(metadata_id) = u32::try_from(event.header_offset) else {
        return Err(Error::new(
            ErrorKind::LimitExceeded("bytes before a description to refer to it"),
            event.header_offset,
        ));
    };
    let mut record = MetadataRecord { metadata_id, offset: event.payload_offset, ..MetadataRecord::default() };
    read_identity(&mut reader, &mut record, encoding)
        .map_err(|_| Error::new(ErrorKind::OutOfBounds("metadata record"), event.payload_offset))
        .inspect_err(|error| reader.give_up(error))?;
    record.partial = read_description(&mut reader, &mut record).inspect_err(|error| reader.give_up(error)).err();
    Ok(record)
}

fn read_identity<T: Trace>(
    reader: &mut Reader<'_, T>,
    record: &mut MetadataRecord,
    encoding: MetadataEncoding,
) -> Result<()> {
    match encoding {
        MetadataEncoding::Netperf1 => record.provider_guid = Some(reader.guid(terms::PROVIDER_GUID)?),
        MetadataEncoding::Netperf2 | MetadataEncoding::V3To5 => record.provider = reader.utf16_name(terms::PROVIDER)?,
    }
    record.event_id = reader.u32(terms::EVENT_ID)?;
    record.version = reader.u32(terms::VERSION)?;
    Ok(())
}

/// Reads what the events of the runtime itself do not have: everything but the identity.
fn read_description<T: Trace>(reader: &mut Reader<'_, T>, record: &mut MetadataRecord) -> Result<()> {
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
    use crate::trace::Off;

    /// S112: ids are positions of 32 bits; beyond them a description is told to be out of reach, not given another's.
    #[test]
    fn descriptions_beyond_4_gib_cannot_be_referred_to() {
        let payload = [&[0x41, 0, 0, 0][..], &[0; 12]].concat();
        let at = |header_offset| EventHeader { header_offset, payload: &payload, ..EventHeader::blank() };
        let read = |header_offset| read_record(&at(header_offset), MetadataEncoding::Netperf2, Off);
        assert_eq!(read(u64::from(u32::MAX)).unwrap().metadata_id, u32::MAX);
        assert!(matches!(read(1 << 32).unwrap_err().kind(), ErrorKind::LimitExceeded(_)));
    }
}
