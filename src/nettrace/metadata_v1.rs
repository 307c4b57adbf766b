//! Metadata records of netperf 1 and 2. No document describes them; the layout is that of real files.

use super::error::{Error, ErrorKind, Result};
use super::event_header::EventHeader;
use super::metadata::{MetadataEncoding, MetadataRecord};
use super::metadata_v5::read_v1_fields;
use super::reader::Reader;

/// Reads the record that is the payload of this event. Events refer to it by its offset in the file.
pub(crate) fn read_record(event: &EventHeader<'_>, encoding: MetadataEncoding) -> Result<MetadataRecord> {
    let mut reader = Reader::new(event.payload, event.payload_offset);
    let mut record = MetadataRecord {
        metadata_id: event.header_offset as u32,
        offset: event.payload_offset,
        ..MetadataRecord::default()
    };
    read_identity(&mut reader, &mut record, encoding)
        .map_err(|_| Error::new(ErrorKind::OutOfBounds("metadata record"), event.payload_offset))?;
    record.partial = read_description(&mut reader, &mut record).err();
    Ok(record)
}

fn read_identity(reader: &mut Reader<'_>, record: &mut MetadataRecord, encoding: MetadataEncoding) -> Result<()> {
    match encoding {
        MetadataEncoding::Netperf1 => record.provider_guid = Some(reader.guid()?),
        MetadataEncoding::Netperf2 | MetadataEncoding::V3To5 => record.provider = reader.utf16_name()?,
    }
    record.event_id = reader.u32()?;
    record.version = reader.u32()?;
    Ok(())
}

/// Reads what the events of the runtime itself do not have: everything but the identity.
fn read_description(reader: &mut Reader<'_>, record: &mut MetadataRecord) -> Result<()> {
    let bytes = reader.u32()? as usize;
    if bytes == 0 {
        return Ok(());
    }
    let mut description = reader.section(bytes)?;
    description.u32()?;
    record.name = description.utf16_name()?;
    record.keywords = description.u64()?;
    description.u32()?;
    record.level = description.u32()? as u8;
    if description.is_empty() {
        return Ok(());
    }
    read_v1_fields(&mut description, &mut record.fields, 0)
}
