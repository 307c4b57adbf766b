//! Event types of a trace as JSON.

use crate::analysis::file::event_types::type_table;
use crate::analysis::file::schema_table::schema_table;
use crate::analysis::values::field_type_text::wire_type;
use crate::session::Session;
use nettrace::Field;
use protocol::base::ids::TypeId;
use protocol::base::time::Nanos;
use protocol::export::Json;
use protocol::tables::{NOT_FIXED, Schemas, Types};

/// Returns the event types of matching providers, with the counts of [`type_table`] and the schemas of
/// [`schema_table`].
pub fn schema_json(session: &Session, is_wanted: impl Fn(&str) -> bool) -> String {
    let (types, schemas) = (type_table(session.store()), schema_table(session.store()));
    let rows = (0..types.event_type.len()).filter(|row| is_wanted(types.provider.get(*row)));
    let mut json = Json::default();
    json.object(|json| {
        json.key("file").string(&session.file().name);
        json.key("fileBytes").integer(session.file().bytes);
        json.key("schemas").array(|json| rows.for_each(|row| schema(json, session, (&types, &schemas), row)));
    });
    json.line();
    json.as_str().to_owned()
}

/// Returns the source of the fields as a word.
pub fn source_word(types: &Types, row: usize) -> &'static str {
    match types.schema_source.get(row) {
        Some(1) => "file",
        Some(2) => "built-in",
        _ => "none",
    }
}

/// Returns the events per second between the first and the last one.
pub fn rate(types: &Types, row: usize) -> Option<f64> {
    let (first, last) = (types.first.get(row)?, types.last.get(row)?);
    let nanos = last.saturating_sub(*first);
    let count = *types.count.get(row)?;
    (count > 1 && nanos > 0).then(|| (count - 1) as f64 * 1e9 / nanos as f64)
}

fn schema(json: &mut Json, session: &Session, (types, schemas): (&Types, &Schemas), row: usize) {
    let Some(one) = store_type(session, types, row) else { return };
    let record = &one.record;
    json.object(|json| {
        json.key("provider").string(&one.provider);
        json.key("providerGuid").string(schemas.guid.get(row));
        json.key("eventId").integer(record.event_id);
        json.key("version").integer(record.version);
        json.key("name").string(types.name.get(row));
        json.key("metadataName").string(&record.name);
        json.key("metadataId").integer(record.metadata_id);
        json.key("offset").integer(record.offset);
        json.key("level").integer(record.level);
        json.key("keywords").plain(format_args!("{:#x}", record.keywords));
        json.key("keywordNames").string(schemas.keywords.get(row));
        if let Some(opcode) = record.opcode {
            json.key("opcode").integer(opcode);
        }
        for (key, text) in
            [("task", &schemas.task), ("messageTemplate", &schemas.template), ("description", &schemas.description)]
        {
            if !text.get(row).is_empty() {
                json.key(key).string(text.get(row));
            }
        }
        if !schemas.fit.get(row).is_empty() {
            json.key("payloads").string(schemas.fit.get(row));
        }
        json.key("source").string(source_word(types, row));
        let described = schemas.fields_of(row).filter(|field| schemas.field_depth.get(*field) == Some(&0));
        json.key("fields").array(|json| {
            for (field, at) in one.schema.fields.iter().zip(described) {
                json.object(|json| field_row(json, field, schemas, at));
            }
        });
        if record.fields != one.schema.fields {
            json.key("declaredFields").array(|json| declared(json, &record.fields));
        }
        totals(json, types, row);
    });
}

fn store_type<'s>(session: &'s Session, types: &Types, row: usize) -> Option<&'s crate::model::EventType> {
    session.store().types.get(TypeId(*types.event_type.get(row)?))
}

fn field_row(json: &mut Json, field: &Field, schemas: &Schemas, at: usize) {
    json.key("name").string(&field.name);
    json.key("type").string(&wire_type(&field.field_type));
    json.key("csharpType").string(schemas.field_type.get(at));
    let numbers = [("offset", &schemas.field_offset), ("bytes", &schemas.field_bytes)];
    for (key, column) in numbers {
        if let Some(number) = column.get(at).filter(|number| **number != NOT_FIXED) {
            json.key(key).integer(*number);
        }
    }
}

fn declared(json: &mut Json, fields: &[Field]) {
    for field in fields {
        json.object(|json| {
            json.key("name").string(&field.name);
            json.key("type").string(&wire_type(&field.field_type));
        });
    }
}

fn totals(json: &mut Json, types: &Types, row: usize) {
    let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
    json.key("count").integer(number(&types.count));
    json.key("payloadBytes").integer(number(&types.payload_bytes));
    json.key("fileBytes").integer(number(&types.file_bytes));
    json.key("withStackInFile").integer(number(&types.with_stack));
    json.key("threads").integer(types.threads.get(row).copied().unwrap_or(0));
    if let Some(rate) = rate(types, row) {
        json.key("perSecond").float(rate);
    }
    if number(&types.count) > 0 {
        for (key, column) in [("firstNs", &types.first), ("lastNs", &types.last)] {
            json.key(key).integer(Nanos(column.get(row).copied().unwrap_or(0)).0);
        }
    }
}
