//! `traceglass schema`: every kind of event.

use super::Stop;
use super::text::{bytes, grouped, seconds};
use crate::analysis::wire_type::wire_type;
use crate::clr::manifest::{keyword_names, level_name, opcode_name};
use crate::nettrace::Field;
use crate::session::Session;
use crate::session::export::json::Json;
use crate::session::export::{Schema, schemas};
use std::io::Write;

/// Prints what kinds of events the trace describes.
pub(super) fn print(session: &Session, json: bool, output: &mut impl Write) -> Result<(), Stop> {
    let schemas = schemas(session.store());
    if json { print_json(session, &schemas, output) } else { print_text(session, &schemas, output) }
}

fn print_json(session: &Session, schemas: &[Schema<'_>], output: &mut impl Write) -> Result<(), Stop> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("fileBytes").integer(session.file().bytes);
        json.key("schemas").array(|json| schemas.iter().for_each(|schema| row(json, session, schema)));
    });
    json.line();
    Ok(output.write_all(json.as_str().as_bytes())?)
}

fn row(json: &mut Json, session: &Session, schema: &Schema<'_>) {
    let (event_type, record) = (schema.event_type, &schema.event_type.record);
    let clock = session.store().clock();
    json.object(|json| {
        json.key("provider").string(&event_type.provider);
        json.key("eventId").integer(record.event_id);
        json.key("version").integer(record.version);
        json.key("name").string(&event_type.display_name);
        json.key("metadataName").string(&record.name);
        json.key("metadataId").integer(record.metadata_id);
        json.key("offset").integer(record.offset);
        json.key("level").integer(record.level);
        json.key("keywords").plain(format_args!("{:#x}", record.keywords));
        if let Some(opcode) = record.opcode {
            json.key("opcode").integer(opcode);
        }
        if let Some(template) = &record.message_template {
            json.key("messageTemplate").string(template);
        }
        if let Some(description) = &record.description {
            json.key("description").string(description);
        }
        json.key("source").string(schema.source());
        json.key("fields").array(|json| fields(json, schema.fields()));
        if schema.fields() != schema.declared_fields() {
            json.key("declaredFields").array(|json| fields(json, schema.declared_fields()));
        }
        json.key("count").integer(schema.count);
        json.key("payloadBytes").integer(schema.payload_bytes);
        json.key("fileBytes").integer(schema.file_bytes);
        json.key("withStackInFile").integer(schema.with_stack);
        json.key("threads").integer(schema.threads);
        if let Some(rate) = schema.rate(session.store()) {
            json.key("perSecond").float(rate);
        }
        if let Some([first, last]) = schema.ticks.map(|ticks| ticks.map(|ticks| clock.nanos(ticks).0)) {
            json.key("firstNs").integer(first);
            json.key("lastNs").integer(last);
        }
    });
}

fn fields(json: &mut Json, fields: &[Field]) {
    for field in fields {
        json.object(|json| {
            json.key("name").string(&field.name);
            json.key("type").string(&wire_type(&field.field_type));
        });
    }
}

fn print_text(session: &Session, schemas: &[Schema<'_>], output: &mut impl Write) -> Result<(), Stop> {
    let mut provider = None;
    for schema in schemas {
        if provider != Some(&schema.event_type.provider) {
            provider = Some(&schema.event_type.provider);
            writeln!(output, "{}", schema.event_type.provider)?;
        }
        writeln!(output, "  {}", head(schema))?;
        writeln!(output, "      {}", totals(session, schema))?;
        let record = &schema.event_type.record;
        for (name, text) in [("message", &record.message_template), ("about", &record.description)] {
            if let Some(text) = text {
                writeln!(output, "      {name} “{text}”")?;
            }
        }
        for field in schema.fields() {
            writeln!(output, "      {}: {}", field.name, wire_type(&field.field_type))?;
        }
    }
    Ok(())
}

/// "7 v1 Order/Start, Informational, keywords Sales, opcode Start, described by the file".
fn head(schema: &Schema<'_>) -> String {
    let (event_type, record) = (schema.event_type, &schema.event_type.record);
    let mut words = vec![format!("{} v{} {}", record.event_id, record.version, event_type.display_name)];
    words.push(level_name(record.level).map_or_else(|| format!("level {}", record.level), str::to_owned));
    if record.keywords != 0 {
        let names = keyword_names(&event_type.provider, record.keywords).join(" | ");
        words.push(if names.is_empty() {
            format!("keywords {:#x}", record.keywords)
        } else {
            format!("keywords {names}")
        });
    }
    let opcode = event_type.opcode();
    if opcode != 0 {
        words.push(format!("opcode {}", opcode_name(opcode).map_or_else(|| opcode.to_string(), str::to_owned)));
    }
    words.push(match schema.source() {
        "file" => "described by the file".to_owned(),
        "built-in" => "fields from the built-in description".to_owned(),
        _ => "no fields".to_owned(),
    });
    words.join(", ")
}

/// "120 events, 3.4 kB (0.10 % of the file), 12.5 a second, 3 threads, 0.1 s to 9.0 s".
fn totals(session: &Session, schema: &Schema<'_>) -> String {
    let share = schema.file_bytes as f64 * 100.0 / session.file().bytes.max(1) as f64;
    let mut words =
        vec![format!("{}, {} ({share:.2} % of the file)", counted(schema.count, "event"), bytes(schema.file_bytes))];
    if let Some(rate) = schema.rate(session.store()) {
        words.push(format!("{rate:.1} a second"));
    }
    if let Some([first, last]) = schema.ticks.map(|ticks| ticks.map(|at| seconds(session.store().clock().nanos(at)))) {
        words.push(format!("{}, {first} to {last}", counted(schema.threads.into(), "thread")));
    }
    words.join(", ")
}

/// "1 event", "12,345 events".
fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}
