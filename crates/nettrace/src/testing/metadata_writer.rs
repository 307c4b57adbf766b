//! Writer of metadata records.

use super::PayloadWriter;
use crate::{Field, FieldType, Guid, MetadataRecord};

/// Writes the payload of a metadata event of versions 3 to 5, with tags if the record needs them.
pub(super) fn v5_payload(record: &MetadataRecord) -> Vec<u8> {
    let needs_v2 = record.has_v5_tags || has_arrays(&record.fields);
    let writer = PayloadWriter::new()
        .u32(record.metadata_id)
        .utf16(&record.provider)
        .u32(record.event_id)
        .utf16(&record.name)
        .u64(record.keywords)
        .u32(record.version)
        .u32(u32::from(record.level));
    let mut writer = if needs_v2 { writer.u32(0) } else { v1_fields(writer, &record.fields, false) };
    if let Some(opcode) = record.opcode {
        writer = writer.u32(1).u8(1).u8(opcode);
    }
    if needs_v2 {
        let fields = v2_fields(&record.fields, false);
        writer = writer.u32(fields.len() as u32).u8(2).bytes(&fields);
    }
    writer.finish()
}

fn has_arrays(fields: &[Field]) -> bool {
    fields.iter().any(|field| match &field.field_type {
        FieldType::Array(_) => true,
        FieldType::Object(fields) => has_arrays(fields),
        _ => false,
    })
}

fn v1_fields(writer: PayloadWriter, fields: &[Field], nested: bool) -> PayloadWriter {
    let mut writer = writer.u32(fields.len() as u32);
    for field in fields {
        writer = writer.u32(u32::from(type_code(&field.field_type, nested)));
        if let FieldType::Object(fields) = &field.field_type {
            writer = v1_fields(writer, fields, true);
        }
        writer = writer.utf16(&field.name);
    }
    writer
}

fn v2_fields(fields: &[Field], nested: bool) -> Vec<u8> {
    let mut writer = PayloadWriter::new().u32(fields.len() as u32);
    for field in fields {
        let content = v2_type(PayloadWriter::new().utf16(&field.name), &field.field_type, nested).finish();
        writer = writer.u32(content.len() as u32 + 4).bytes(&content);
    }
    writer.finish()
}

fn v2_type(writer: PayloadWriter, field_type: &FieldType, nested: bool) -> PayloadWriter {
    let writer = writer.u32(u32::from(type_code(field_type, nested)));
    match field_type {
        FieldType::Array(element) => v2_type(writer, element, true),
        FieldType::Object(fields) => writer.bytes(&v2_fields(fields, true)),
        _ => writer,
    }
}

/// Writes the payload of a metadata event of netperf 1 (which has a GUID for the provider) and 2.
pub(super) fn unframed_payload(record: &MetadataRecord, version_1: bool) -> Vec<u8> {
    let writer = PayloadWriter::new();
    let writer = match version_1 {
        true => writer.bytes(&record.provider_guid.unwrap_or(Guid::ZERO).0),
        false => writer.utf16(&record.provider),
    };
    let description = PayloadWriter::new()
        .u32(record.event_id)
        .utf16(&record.name)
        .u64(record.keywords)
        .u32(record.version)
        .u32(u32::from(record.level));
    let description = v1_fields(description, &record.fields, false).finish();
    let described = !record.name.is_empty() || !record.fields.is_empty();
    let description = if described { description } else { Vec::new() };
    writer.u32(record.event_id).u32(record.version).u32(description.len() as u32).bytes(&description).finish()
}

/// Writes the content of a metadata block of version 6.
pub(super) fn v6_block(records: &[MetadataRecord]) -> Vec<u8> {
    let mut writer = PayloadWriter::new().u16(0);
    for record in records {
        let row = v6_row(record);
        writer = writer.u16(row.len() as u16).bytes(&row);
    }
    writer.finish()
}

fn v6_row(record: &MetadataRecord) -> Vec<u8> {
    let mut optional = PayloadWriter::new();
    if let Some(opcode) = record.opcode {
        optional = optional.u8(1).u8(opcode);
    }
    let missing = record.unrecorded;
    if !missing.keywords {
        optional = optional.u8(3).u64(record.keywords);
    }
    if !missing.level {
        optional = optional.u8(8).u8(record.level);
    }
    if !missing.version {
        optional = optional.u8(9).u8(record.version as u8);
    }
    if let Some(template) = &record.message_template {
        optional = optional.u8(4).short_utf8(template);
    }
    if let Some(description) = &record.description {
        optional = optional.u8(5).short_utf8(description);
    }
    for (key, value) in &record.attributes {
        optional = optional.u8(6).short_utf8(key).short_utf8(value);
    }
    if let Some(Guid(guid)) = &record.provider_guid {
        optional = optional.u8(7).bytes(guid);
    }
    let optional = optional.finish();
    let writer = PayloadWriter::new()
        .var_u64(u64::from(record.metadata_id))
        .short_utf8(&record.provider)
        .var_u64(u64::from(record.event_id))
        .short_utf8(&record.name);
    v6_fields(writer, &record.fields).u16(optional.len() as u16).bytes(&optional).finish()
}

fn v6_fields(writer: PayloadWriter, fields: &[Field]) -> PayloadWriter {
    let mut writer = writer.u16(fields.len() as u16);
    for field in fields {
        let content = v6_type(PayloadWriter::new().short_utf8(&field.name), &field.field_type).finish();
        writer = writer.u16(content.len() as u16).bytes(&content);
    }
    writer
}

fn v6_type(writer: PayloadWriter, field_type: &FieldType) -> PayloadWriter {
    let writer = writer.u8(type_code(field_type, false));
    match field_type {
        FieldType::Array(element) | FieldType::RelLoc(element) | FieldType::DataLoc(element) => {
            v6_type(writer, element)
        }
        FieldType::FixedLengthArray(element, count) => v6_type(writer, element).u16(*count),
        FieldType::Object(fields) => v6_fields(writer, fields),
        _ => writer,
    }
}

/// Returns the type code. Inside objects and arrays, EventSource declares a Boolean of one byte as one of four.
fn type_code(field_type: &FieldType, nested: bool) -> u8 {
    match field_type {
        FieldType::Boolean8 if nested => FieldType::Boolean32.code(),
        other => other.code(),
    }
}
