//! Metadata rows of version 6 (NetTraceFormat "MetadataBlock").

use super::record::{MetadataRecord, Skipped, Unrecorded, skip};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_FIELD_DEPTH;
use crate::listener::{Trace, terms};
use crate::payload::{Field, FieldType};
use crate::wire::byte_reader::ByteReader;

/// Reads a row, without its size.
pub(crate) fn read_row<T: Trace>(mut reader: ByteReader<'_, T>) -> Result<MetadataRecord> {
    let offset = reader.offset();
    let mut record = read_fixed_part(&mut reader, offset)
        .map_err(|error| {
            if error.is_truncation() { Error::new(ErrorKind::OutOfBounds("metadata record"), offset) } else { error }
        })
        .inspect_err(|error| reader.give_up(error))?;
    record.partial = read_rest(&mut reader, &mut record).inspect_err(|error| reader.give_up(error)).err();
    Ok(record)
}

fn read_fixed_part<T: Trace>(reader: &mut ByteReader<'_, T>, offset: u64) -> Result<MetadataRecord> {
    Ok(MetadataRecord {
        metadata_id: reader.var_u32(terms::ROW_ID)?,
        provider: reader.utf8_name(terms::ROW_PROVIDER)?,
        event_id: reader.var_u32(terms::ROW_EVENT_ID)?,
        name: reader.utf8_name(terms::ROW_EVENT_NAME)?,
        offset,
        unrecorded: Unrecorded { level: true, keywords: true, version: true },
        ..MetadataRecord::default()
    })
}

fn read_rest<T: Trace>(reader: &mut ByteReader<'_, T>, record: &mut MetadataRecord) -> Result<()> {
    read_fields(reader, &mut record.fields, &mut record.skipped, 0)?;
    let size = reader.u16(terms::OPTIONAL_SIZE)?;
    let mut optional = reader.section(usize::from(size))?;
    while !optional.is_empty() {
        read_optional(&mut optional, record)?;
    }
    skip(&mut record.skipped, reader, || "after the optional part".to_owned());
    Ok(())
}

fn read_optional<T: Trace>(reader: &mut ByteReader<'_, T>, record: &mut MetadataRecord) -> Result<()> {
    let offset = reader.offset();
    match reader.u8(terms::OPTIONAL_KIND)? {
        1 => record.opcode = Some(reader.u8(terms::OPTIONAL_OPCODE)?),
        3 => (record.keywords, record.unrecorded.keywords) = (reader.u64(terms::OPTIONAL_KEYWORDS)?, false),
        4 => record.message_template = Some(reader.utf8_name(terms::OPTIONAL_TEMPLATE)?),
        5 => record.description = Some(reader.utf8_name(terms::OPTIONAL_DESCRIPTION)?),
        6 => {
            let key = reader.utf8_name(terms::OPTIONAL_KEY)?;
            record.attributes.push((key, reader.utf8_name(terms::OPTIONAL_VALUE)?));
        }
        7 => record.provider_guid = Some(reader.guid(terms::OPTIONAL_GUID)?),
        8 => (record.level, record.unrecorded.level) = (reader.u8(terms::OPTIONAL_LEVEL)?, false),
        9 => {
            let version = reader.u8(terms::OPTIONAL_VERSION)?;
            (record.version, record.unrecorded.version) = (version.into(), false);
        }
        kind => return Err(Error::new(ErrorKind::UnknownOptionalKind(kind), offset)),
    }
    Ok(())
}

/// Reads a count and fields. Fields before an error stay in `fields`.
fn read_fields<T: Trace>(
    reader: &mut ByteReader<'_, T>,
    fields: &mut Vec<Field>,
    skipped: &mut Vec<Skipped>,
    depth: usize,
) -> Result<()> {
    for _ in 0..reader.u16(terms::ROW_FIELD_COUNT)? {
        let opened = reader.open(terms::ROW_FIELD);
        let size = reader.u16(terms::ROW_FIELD_SIZE)?;
        let mut field = reader.section(usize::from(size))?;
        let name = field.utf8_name(terms::ROW_FIELD_NAME)?;
        let field_type = read_type(&mut field, skipped, depth)?;
        skip(skipped, &field, || format!("after the field “{name}”"));
        reader.close(opened);
        fields.push(Field { name, field_type });
    }
    Ok(())
}

fn read_type<T: Trace>(reader: &mut ByteReader<'_, T>, skipped: &mut Vec<Skipped>, depth: usize) -> Result<FieldType> {
    let offset = reader.offset();
    if depth > MAX_FIELD_DEPTH {
        return Err(Error::new(ErrorKind::LimitExceeded("levels of nested fields"), offset));
    }
    let code = reader.u8(terms::ROW_TYPE_CODE)?;
    Ok(match code {
        1 => {
            let mut fields = Vec::new();
            read_fields(reader, &mut fields, skipped, depth + 1)?;
            FieldType::Object(fields)
        }
        19 => FieldType::Array(Box::new(read_type(reader, skipped, depth + 1)?)),
        20 => FieldType::VarInt,
        21 => FieldType::VarUInt,
        22 => {
            let element = Box::new(read_type(reader, skipped, depth + 1)?);
            FieldType::FixedLengthArray(element, reader.u16(terms::ELEMENT_COUNT)?)
        }
        23 => FieldType::Utf8CodeUnit,
        24 => FieldType::RelLoc(read_fixed_element(reader, skipped, depth + 1)?),
        25 => FieldType::DataLoc(read_fixed_element(reader, skipped, depth + 1)?),
        _ => FieldType::from_plain_code(u32::from(code))
            .ok_or_else(|| Error::new(ErrorKind::UnknownFieldType(u32::from(code)), offset))?,
    })
}

/// Reads the element type of a reference, whose elements must have a fixed size.
fn read_fixed_element<T: Trace>(
    reader: &mut ByteReader<'_, T>,
    skipped: &mut Vec<Skipped>,
    depth: usize,
) -> Result<Box<FieldType>> {
    let offset = reader.offset();
    let element = read_type(reader, skipped, depth)?;
    match element.fixed_bytes(8) {
        Some(_) => Ok(Box::new(element)),
        None => Err(Error::new(ErrorKind::DamagedBlock("RelLoc or DataLoc with elements of variable size"), offset)),
    }
}
