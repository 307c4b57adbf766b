//! Metadata records of versions 3 to 5 (NetTraceFormat_v5 "Metadata event encoding").
//!
//! The document is wrong about the second field list ("V2Params"): a field's size includes the size itself, and its
//! name comes before its type.

use super::record::{MetadataRecord, Skipped, skip};
use crate::block::EventHeader;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_FIELD_DEPTH;
use crate::listener::{Trace, terms};
use crate::payload::{Field, FieldType};
use crate::wire::byte_reader::ByteReader;

const TAG_OPCODE: u8 = 1;
const TAG_V2_FIELDS: u8 = 2;

/// Reads the record that is the payload of this event.
pub(crate) fn read_record<T: Trace>(event: &EventHeader<'_>, trace: T) -> Result<MetadataRecord> {
    let mut reader = ByteReader::traced(event.payload, event.payload_offset, trace);
    read_fixed_part(&mut reader, event.payload_offset)
        .map_err(|error| {
            if error.is_truncation() {
                Error::new(ErrorKind::OutOfBounds("metadata record"), event.payload_offset)
            } else {
                error
            }
        })
        .inspect_err(|error| reader.give_up(error))
        .map(|mut record| {
            record.partial = read_rest(&mut reader, &mut record).inspect_err(|error| reader.give_up(error)).err();
            record
        })
}

fn read_fixed_part<T: Trace>(reader: &mut ByteReader<'_, T>, offset: u64) -> Result<MetadataRecord> {
    Ok(MetadataRecord {
        metadata_id: reader.u32(terms::DESCRIBED_ID)?,
        provider: reader.utf16_name(terms::PROVIDER)?,
        event_id: reader.u32(terms::EVENT_ID)?,
        name: reader.utf16_name(terms::EVENT_NAME)?,
        keywords: reader.u64(terms::KEYWORDS)?,
        version: reader.u32(terms::VERSION)?,
        level: reader.u32(terms::LEVEL)? as u8,
        offset,
        ..MetadataRecord::default()
    })
}

/// Reads the fields and the tags. Both may be missing.
fn read_rest<T: Trace>(reader: &mut ByteReader<'_, T>, record: &mut MetadataRecord) -> Result<()> {
    if reader.is_empty() {
        return Ok(());
    }
    read_v1_fields(reader, &mut record.fields, 0)?;
    let mut outcome = Ok(());
    while !reader.is_empty() {
        let opened = reader.open(terms::TAG);
        let length = reader.u32(terms::TAG_SIZE)? as usize;
        let kind = reader.u8(terms::TAG_KIND)?;
        let mut tag = reader.section(length)?;
        record.has_v5_tags = true;
        match kind {
            TAG_OPCODE => {
                record.opcode = Some(tag.u8(terms::OPCODE)?);
                skip(&mut record.skipped, &tag, || "after the opcode in its tag".to_owned());
            }
            TAG_V2_FIELDS => {
                if !record.fields.is_empty() {
                    let what = "an event has two field lists; the second one is used";
                    outcome = outcome.and(Err(Error::new(ErrorKind::Contradiction(what), tag.offset())));
                }
                record.fields.clear();
                record.has_second_list = true;
                let fields = read_v2_fields(&mut tag, &mut record.fields, &mut record.skipped, 0);
                if fields.is_ok() {
                    skip(&mut record.skipped, &tag, || "after the fields in their tag".to_owned());
                }
                if let Err(error) = &fields {
                    tag.give_up(error);
                }
                outcome = outcome.and(fields);
            }
            unknown => skip(&mut record.skipped, &tag, || format!("in the unknown tag {unknown}")),
        }
        reader.close(opened);
    }
    outcome
}

/// Reads a count and fields of type and name. Fields before an error stay in `fields`.
pub(crate) fn read_v1_fields<T: Trace>(
    reader: &mut ByteReader<'_, T>,
    fields: &mut Vec<Field>,
    depth: usize,
) -> Result<()> {
    let count = field_count(reader, depth)?;
    for _ in 0..count {
        let offset = reader.offset();
        let opened = reader.open(terms::FIELD_DESCRIPTION);
        let code = reader.u32(terms::TYPE_CODE)?;
        let field_type = match code {
            1 => {
                let mut nested = Vec::new();
                read_v1_fields(reader, &mut nested, depth + 1)?;
                FieldType::Object(nested)
            }
            _ => plain_type(code, depth > 0, offset)?,
        };
        fields.push(Field { name: reader.utf16_name(terms::FIELD_NAME)?, field_type });
        reader.close(opened);
    }
    Ok(())
}

/// Reads a count and fields of size, name and type. Further bytes of a field are skipped.
fn read_v2_fields<T: Trace>(
    reader: &mut ByteReader<'_, T>,
    fields: &mut Vec<Field>,
    skipped: &mut Vec<Skipped>,
    depth: usize,
) -> Result<()> {
    let count = field_count(reader, depth)?;
    for _ in 0..count {
        let offset = reader.offset();
        let opened = reader.open(terms::FIELD_DESCRIPTION);
        let size = reader.u32(terms::FIELD_SIZE)? as usize;
        let rest = size.checked_sub(4).ok_or_else(|| Error::new(ErrorKind::OutOfBounds("field"), offset))?;
        let mut field = reader.section(rest)?;
        let name = field.utf16_name(terms::FIELD_NAME)?;
        let field_type = read_v2_type(&mut field, skipped, depth, depth > 0)?;
        skip(skipped, &field, || format!("after the field “{name}”"));
        reader.close(opened);
        fields.push(Field { name, field_type });
    }
    Ok(())
}

fn read_v2_type<T: Trace>(
    reader: &mut ByteReader<'_, T>,
    skipped: &mut Vec<Skipped>,
    depth: usize,
    nested: bool,
) -> Result<FieldType> {
    let offset = reader.offset();
    if depth > MAX_FIELD_DEPTH {
        return Err(Error::new(ErrorKind::LimitExceeded("levels of nested fields"), offset));
    }
    match reader.u32(terms::TYPE_CODE)? {
        1 => {
            let mut fields = Vec::new();
            read_v2_fields(reader, &mut fields, skipped, depth + 1)?;
            Ok(FieldType::Object(fields))
        }
        19 => Ok(FieldType::Array(Box::new(read_v2_type(reader, skipped, depth + 1, true)?))),
        code => plain_type(code, nested, offset),
    }
}

fn field_count<T: Trace>(reader: &mut ByteReader<'_, T>, depth: usize) -> Result<u32> {
    let offset = reader.offset();
    if depth > MAX_FIELD_DEPTH {
        return Err(Error::new(ErrorKind::LimitExceeded("levels of nested fields"), offset));
    }
    let count = reader.u32(terms::FIELD_COUNT)?;
    // A field has at least six bytes.
    if count as usize > reader.remaining() / 6 {
        return Err(Error::new(ErrorKind::OutOfBounds("field list"), offset));
    }
    Ok(count)
}

/// Returns a type without parts. Inside objects and arrays, EventSource declares a 4-byte Boolean and a Decimal but
/// writes one byte and a double. In recorded files, later fields are readable only this way.
fn plain_type(code: u32, nested: bool, offset: u64) -> Result<FieldType> {
    match FieldType::from_plain_code(code) {
        Some(FieldType::Boolean32) if nested => Ok(FieldType::Boolean8),
        Some(FieldType::Decimal) if nested => Ok(FieldType::Float64),
        Some(field_type) => Ok(field_type),
        None => Err(Error::new(ErrorKind::UnknownFieldType(code), offset)),
    }
}
