//! `traceglass schema`: lists event types with their fields.

use super::text::{Output, line, seconds};
use super::{Stop, open, schema_diff};
use engine::clr::manifest::level_name;
use engine::session::Session;
use engine::session::export::{rate, source_word};
use protocol::base::ids::TypeId;
use protocol::base::time::Nanos;
use protocol::file::schema_diff::SchemaSet;
use protocol::file::schema_tables::SchemaFormat;
use protocol::format;
use protocol::queries;
use protocol::request::Filter;
use protocol::tables::{FieldValues, NOT_FIXED, schema_flag};
use std::path::PathBuf;

/// List event types, or compare those of two traces
///
/// Prints the provider, name, version, fields, level, keywords, opcode, schema source, counts, bytes, threads
/// and times.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceglass schema app.nettrace --values
  traceglass schema old.nettrace new.nettrace")]
pub struct SchemaCommand {
    /// Trace to read
    file: PathBuf,
    /// Trace to compare with: prints the event types that it adds, removes and changes
    #[arg(conflicts_with_all = ["csharp", "values"])]
    other: Option<PathBuf>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["csharp", "values"])]
    json: bool,
    /// Print C# EventSource classes that write these events
    #[arg(long, conflicts_with = "values")]
    csharp: bool,
    /// Add the values of each field
    #[arg(long)]
    values: bool,
}

impl SchemaCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let mut session = open::open(&self.file, None, notes)?;
        if let Some(other) = &self.other {
            let before = session.schemas();
            // Both traces may not fit into memory.
            drop(session);
            let after = open::open(other, None, notes)?.schemas();
            return schema_diff::print(&before, &after, self.json, output);
        }
        let format = match (self.json, self.csharp) {
            (true, _) => SchemaFormat::Json,
            (_, true) => SchemaFormat::CSharp,
            _ => return print_text(&mut session, self.values, output),
        };
        Ok(output.writer().write_all(&session.schema_file(format, "").bytes)?)
    }
}

fn print_text(session: &mut Session, with_values: bool, output: &mut Output<'_>) -> Result<(), Stop> {
    let set = session.schemas();
    let (types, schemas) = (&set.types, &set.schemas);
    let mut provider = None;
    for row in 0..set.len() {
        if provider != Some(types.provider.get(row)) {
            provider = Some(types.provider.get(row));
            line!(output, "{}", types.provider.get(row))?;
        }
        line!(output, "  {}", head(&set, row))?;
        line!(output, "      {}", totals(session, &set, row))?;
        if !schemas.fit.get(row).is_empty() {
            line!(output, "      payloads: {}", schemas.fit.get(row))?;
        }
        for (name, text) in [("message", &schemas.template), ("description", &schemas.description)] {
            if !text.get(row).is_empty() {
                line!(output, "      {name} “{}”", text.get(row))?;
            }
        }
        for field in schemas.fields_of(row) {
            line!(output, "      {}", field_line(&set, field))?;
        }
        let has_events = types.count.get(row).is_some_and(|count| *count > 0);
        if with_values && has_events && !schemas.fields_of(row).is_empty() {
            let event_type = TypeId(types.event_type.get(row).copied().unwrap_or_default());
            let filter = Filter { types: vec![event_type], ..Filter::default() };
            print_values(&session.ask(&queries::FieldValues { filter, event_type })?, output)?;
        }
    }
    Ok(())
}

/// Formats the first line of an event type: "7 v1 Order/Start, Informational, keywords Sales, opcode Start, schema from
/// the file".
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
    let source = match source_word(types, row) {
        "file" if has_second_list => "schema from the file, in its second field list",
        "file" => "schema from the file",
        "built-in" => "built-in schema",
        _ => "no schema",
    };
    words.push(source.to_owned());
    words.join(", ")
}

/// Formats the totals of an event type: "120 events, 3.40 kB (0.10% of the file), 12.5/s, 3 threads, 0.1 s to 9.0 s".
fn totals(session: &Session, set: &SchemaSet, row: usize) -> String {
    let types = &set.types;
    let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
    let file_bytes = number(&types.file_bytes);
    let share = file_bytes as f64 * 100.0 / session.file().bytes.max(1) as f64;
    let events = format::counted(number(&types.count), "event");
    let mut words = vec![format!("{events}, {} ({share:.2}% of the file)", format::bytes(file_bytes))];
    if let Some(rate) = rate(types, row) {
        words.push(format::rate(rate));
    }
    if number(&types.count) > 0 {
        let [first, last] =
            [&types.first, &types.last].map(|column| seconds(Nanos(column.get(row).copied().unwrap_or(0))));
        let threads = types.threads.get(row).copied().unwrap_or(0);
        words.push(format!("{}, {first} to {last}", format::counted(threads.into(), "thread")));
    }
    words.join(", ")
}

/// Describes a field, indented by depth: "customer: string (String, 18), at byte 8, 4 bytes".
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
        line += &format!(", {}", format::counted(bytes.into(), "byte"));
    }
    line
}

/// Prints the values of fields: "values of customer: 12 distinct; “customer-0” ×31, “customer-4” ×30".
fn print_values(values: &FieldValues, output: &mut Output<'_>) -> Result<(), Stop> {
    let of_all = |column: &[u64]| column.first().copied().unwrap_or(0);
    if of_all(&values.looked_at) < of_all(&values.events) {
        let [sampled, all] = [&values.looked_at, &values.events].map(|column| format::count(of_all(column)));
        line!(output, "      values from {sampled} of {all} events, evenly spaced")?;
    }
    for row in 0..values.field.len() {
        let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
        let least = if values.is_cut.get(row) == Some(&1) { "at least " } else { "" };
        let distinct = format::count(number(&values.distinct));
        let mut line = format!("values of {}: {least}{distinct} distinct", values.name.get(row));
        if !values.smallest.get(row).is_empty() {
            line += &format!(", {} to {}", values.smallest.get(row), values.largest.get(row));
        }
        let shown = values.values_of(row).map(|at| {
            let text: String = values.value.get(at).chars().take(80).collect();
            format!("“{text}” ×{}", format::count(values.value_events.get(at).copied().unwrap_or(0)))
        });
        let shown: Vec<String> = shown.take(5).collect();
        if !shown.is_empty() {
            line += &format!("; {}", shown.join(", "));
        }
        line!(output, "      {line}")?;
    }
    Ok(())
}
