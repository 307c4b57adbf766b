//! `traceglass schema`: every kind of event.

use super::Stop;
use super::text::{bytes, grouped, seconds};
use engine::clr::manifest::level_name;
use engine::session::Session;
use engine::session::export::{rate, source_word};
use protocol::base::ids::TypeId;
use protocol::base::time::Nanos;
use protocol::file::schema_diff::SchemaSet;
use protocol::file::schema_tables::SchemaFormat;
use protocol::request::Filter;
use protocol::tables::{FieldValues, NOT_FIXED, schema_flag};
use std::io::Write;

/// How kinds of events are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SchemaOutput {
    /// For people.
    #[default]
    Text,
    /// For people, with the values of their fields.
    Values,
    /// As JSON.
    Json,
    /// As the source of event sources.
    CSharp,
}

/// Prints what kinds of events the trace describes.
pub(super) fn print(session: &mut Session, wanted: SchemaOutput, output: &mut impl Write) -> Result<(), Stop> {
    let format = match wanted {
        SchemaOutput::Json => SchemaFormat::Json,
        SchemaOutput::CSharp => SchemaFormat::CSharp,
        SchemaOutput::Text | SchemaOutput::Values => {
            return print_text(session, wanted == SchemaOutput::Values, output);
        }
    };
    Ok(output.write_all(&session.schema_file(format, "").bytes)?)
}

fn print_text(session: &mut Session, with_values: bool, output: &mut impl Write) -> Result<(), Stop> {
    let set = session.schemas();
    let (types, schemas) = (&set.types, &set.schemas);
    let mut provider = None;
    for row in 0..set.len() {
        if provider != Some(types.provider.get(row)) {
            provider = Some(types.provider.get(row));
            writeln!(output, "{}", types.provider.get(row))?;
        }
        writeln!(output, "  {}", head(&set, row))?;
        writeln!(output, "      {}", totals(session, &set, row))?;
        for (name, text) in [("message", &schemas.template), ("about", &schemas.description)] {
            if !text.get(row).is_empty() {
                writeln!(output, "      {name} “{}”", text.get(row))?;
            }
        }
        for field in schemas.fields_of(row) {
            writeln!(output, "      {}", field_line(&set, field))?;
        }
        let has_events = types.count.get(row).is_some_and(|count| *count > 0);
        if with_values && has_events && !schemas.fields_of(row).is_empty() {
            let event_type = TypeId(types.event_type.get(row).copied().unwrap_or_default());
            let filter = Filter { types: vec![event_type], ..Filter::default() };
            print_values(&*session.field_values(&filter, event_type)?, output)?;
        }
    }
    Ok(())
}

/// "7 v1 Order/Start, Informational, keywords Sales, opcode Start, described by the file".
fn head(set: &SchemaSet, row: usize) -> String {
    let (types, schemas) = (&set.types, &set.schemas);
    let number = |column: &[u32]| column.get(row).copied().unwrap_or(0);
    let level = types.level.get(row).copied().unwrap_or(0);
    let mut words = vec![format!("{} v{} {}", number(&types.event_id), number(&types.version), types.name.get(row))];
    words.push(level_name(level).map_or_else(|| format!("level {level}"), str::to_owned));
    match (schemas.keywords.get(row), types.keywords.get(row).copied().unwrap_or(0)) {
        ("", 0) => {}
        ("", keywords) => words.push(format!("keywords {keywords:#x}")),
        (names, _) => words.push(format!("keywords {names}")),
    }
    if number(&types.opcode) != 0 {
        words.push(format!("opcode {}", schemas.opcode.get(row)));
    }
    let has_second_list = schemas.flags.get(row).is_some_and(|flags| flags & schema_flag::SECOND_LIST != 0);
    words.push(
        match source_word(types, row) {
            "file" if has_second_list => "described by the file, in a second list",
            "file" => "described by the file",
            "built-in" => "fields from the built-in description",
            _ => "no fields",
        }
        .to_owned(),
    );
    words.join(", ")
}

/// "120 events, 3.4 kB (0.10 % of the file), 12.5 a second, 3 threads, 0.1 s to 9.0 s".
fn totals(session: &Session, set: &SchemaSet, row: usize) -> String {
    let types = &set.types;
    let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
    let file_bytes = number(&types.file_bytes);
    let share = file_bytes as f64 * 100.0 / session.file().bytes.max(1) as f64;
    let events = counted(number(&types.count), "event");
    let mut words = vec![format!("{events}, {} ({share:.2} % of the file)", bytes(file_bytes))];
    if let Some(rate) = rate(types, row) {
        words.push(format!("{rate:.1} a second"));
    }
    if number(&types.count) > 0 {
        let [first, last] =
            [&types.first, &types.last].map(|column| seconds(Nanos(column.get(row).copied().unwrap_or(0))));
        let threads = types.threads.get(row).copied().unwrap_or(0);
        words.push(format!("{}, {first} to {last}", counted(threads.into(), "thread")));
    }
    words.join(", ")
}

/// "customer: string (String, 18), at byte 8, 4 bytes", indented by depth.
fn field_line(set: &SchemaSet, field: usize) -> String {
    let schemas = &set.schemas;
    let depth = schemas.field_depth.get(field).copied().unwrap_or(0) as usize;
    let code =
        schemas.field_code.get(field).filter(|code| **code > 0).map_or(String::new(), |code| format!(", {code}"));
    let mut line = format!("{}{} ({}{code})", "  ".repeat(depth), set.field_text(field), schemas.field_wire.get(field));
    let fixed = |column: &[u32]| column.get(field).copied().filter(|number| *number != NOT_FIXED);
    if let Some(offset) = fixed(&schemas.field_offset) {
        line += &format!(", at byte {offset}");
    }
    if let Some(bytes) = fixed(&schemas.field_bytes) {
        line += &format!(", {}", counted(bytes.into(), "byte"));
    }
    line
}

/// "values of customer: 12 that differ; customer-0 ×31, customer-4 ×30, …"
fn print_values(values: &FieldValues, output: &mut impl Write) -> Result<(), Stop> {
    let of_all = |column: &[u64]| column.first().copied().unwrap_or(0);
    if of_all(&values.looked_at) < of_all(&values.events) {
        let looked_at = grouped(of_all(&values.looked_at));
        writeln!(
            output,
            "      values of {looked_at} of the {} events, evenly spaced",
            grouped(of_all(&values.events))
        )?;
    }
    for row in 0..values.field.len() {
        let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
        let least = if values.is_cut.get(row) == Some(&1) { "at least " } else { "" };
        let mut line =
            format!("values of {}: {least}{} that differ", values.name.get(row), grouped(number(&values.distinct)));
        if !values.smallest.get(row).is_empty() {
            line += &format!(", {} to {}", values.smallest.get(row), values.largest.get(row));
        }
        let shown = values.values_of(row).map(|at| {
            let text: String =
                values.value.get(at).chars().map(|one| if one.is_control() { ' ' } else { one }).take(80).collect();
            format!("“{text}” ×{}", grouped(values.value_events.get(at).copied().unwrap_or(0)))
        });
        let shown: Vec<String> = shown.take(5).collect();
        if !shown.is_empty() {
            line += &format!("; {}", shown.join(", "));
        }
        writeln!(output, "      {line}")?;
    }
    Ok(())
}

/// "1 event", "12,345 events".
fn counted(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}
