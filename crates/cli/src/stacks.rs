//! `traceglass stacks`: prints call stacks for flame graphs and other profilers.

use super::arguments::{Trace, misuse};
use super::open::unreadable;
use super::stack_options::{StackOptions, formats};
use super::text::{Output, line, listed};
use super::{Stop, field_names};
use engine::session::{Session, StackExport};
use protocol::Failure;
use protocol::queries::StackSources;
use protocol::request::{StackSource, Weight};
use protocol::stacks::format::StackFormat;
use protocol::tables::EVERYTHING;
use std::cmp::Reverse;

/// Print the call stacks of samples, or of any event type that has stacks
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceglass stacks app.nettrace --mine --format speedscope
  traceglass stacks app.nettrace --source GC/AllocationTick --weight AllocationAmount64 --format csv
  traceglass stacks app.nettrace --filter 'time:2s..4s' --baseline rest --format csv
  traceglass stacks app.nettrace --fold Enumerator --group '{%}!System->$1'
  traceglass stacks app.nettrace --symbols perf-4127.map")]
pub struct StacksCommand {
    #[command(flatten)]
    trace: Trace,
    /// Output format
    #[arg(long, value_parser = formats(), default_value = "folded")]
    format: StackFormat,
    #[command(flatten)]
    options: StackOptions,
}

impl StacksCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        self.options.check(self.format)?;
        let mut session = open(&self.trace, &self.options, notes)?;
        Ok(export(&mut session, self.options, self.format)?.write(&mut output.writer())?)
    }
}

/// Opens a trace and adds symbol files. Writes a note about each file.
pub(super) fn open(trace: &Trace, options: &StackOptions, notes: &mut Output<'_>) -> Result<Session, Failure> {
    let mut session = trace.open(notes)?;
    for path in &options.symbols {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let added = session.add_symbols(&name, bytes)?;
        // The stacks can be read even if notes can't be written.
        let _ = line!(notes, "note: {added}");
    }
    Ok(session)
}

/// Selects the stacks of the options, ready to write.
///
/// # Errors
/// Fails if the trace has no source, field or label with a name in the options.
pub(super) fn export(
    session: &mut Session,
    options: StackOptions,
    format: StackFormat,
) -> Result<StackExport<'_>, Stop> {
    options.filters().try_for_each(|filter| field_names::check_filter(session, filter))?;
    let source = match (&options.source, &options.weight) {
        (Some(text), weight) => source_named(session, text, weight)?,
        (None, weight @ Weight::Field(_)) => source_named(session, SAMPLES, weight)?,
        (None, _) => StackSource::Samples,
    };
    Ok(session.stack_export(&options.query(source), format)?)
}

/// Name of the default source.
const SAMPLES: &str = "samples";

/// Finds a source by the name of its event type, with or without the provider. A unique suffix is enough.
fn source_named(session: &mut Session, text: &str, weight: &Weight) -> Result<StackSource, Stop> {
    let table = session.ask(&StackSources)?;
    let name = |row: usize| match (table.provider.get(row), table.name.get(row)) {
        ("", "") => SAMPLES.to_owned(),
        ("", EVERYTHING) => "all".to_owned(),
        (provider, name) => format!("{provider}/{name}"),
    };
    let rows = 0..table.count.len();
    let wanted = text.to_lowercase();
    let ends = |row: &usize| name(*row).to_lowercase().ends_with(&wanted);
    let is_whole = |row: &usize| {
        let name = name(*row).to_lowercase();
        name == wanted || name.strip_suffix(&wanted).is_some_and(|before| before.ends_with('/'))
    };
    let row = rows.clone().find(is_whole).or_else(|| {
        let mut found = rows.clone().filter(ends);
        found.next().filter(|_| found.next().is_none())
    });
    let Some(row) = row else {
        let mut rows: Vec<usize> = rows.collect();
        rows.sort_by_key(|row| Reverse(table.count[*row]));
        let names: Vec<String> = rows.into_iter().map(name).collect();
        let sources = listed("Sources with stacks", &names);
        let message = match text {
            SAMPLES => "this trace has no samples; choose another source with --source".to_owned(),
            _ => format!("no stacks for “{text}” in this trace"),
        };
        return Err(misuse(format_args!("{message}\n{sources}")));
    };
    let fields = table.weights(row).map(|weight| table.weight_field.get(weight).to_owned());
    let fields: Vec<String> = fields.filter(|field| !field.is_empty()).collect();
    match weight {
        Weight::Field(field) if !fields.contains(field) => {
            let fields = listed("Numeric fields", &fields);
            let message = format!(
                "can't weight stacks by “{field}”: use count, time or a numeric payload field of {}",
                name(row)
            );
            Err(misuse(format_args!("{message}\n{fields}")))
        }
        _ => Ok(table.source(row).unwrap_or_default()),
    }
}
