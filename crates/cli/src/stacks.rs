//! `traceglass stacks`: print call stacks for flame graphs and other profilers.

use super::Stop;
use super::arguments::Trace;
use super::open::unreadable;
use super::stack_options::{StackOptions, formats};
use super::text::{Output, line};
use engine::session::Session;
use protocol::format::escaped;
use protocol::queries::StackSources;
use protocol::request::{StackSource, Weight};
use protocol::stacks::format::StackFormat;
use protocol::tables::EVERYTHING;
use protocol::{Failure, FailureCode};
use std::cmp::Reverse;
use std::io::Write;

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
        let session = open(&self.trace, &self.options, notes)?;
        write(session, self.options, self.format, &mut output.writer())
    }
}

/// Opens a trace and adds the symbols of files. What each file added goes to `notes`.
pub(super) fn open(trace: &Trace, options: &StackOptions, notes: &mut Output<'_>) -> Result<Session, Failure> {
    let mut session = trace.open(notes)?;
    for path in &options.symbols {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let added = session.add_symbols(&name, bytes)?;
        // If the notes can't be written, the stacks can still be read.
        let _ = line!(notes, "note: {added}");
    }
    Ok(session)
}

/// Writes the stacks that the options select.
pub(super) fn write(
    mut session: Session,
    options: StackOptions,
    format: StackFormat,
    output: &mut impl Write,
) -> Result<(), Stop> {
    let source = match &options.source {
        None => StackSource::Samples,
        Some(text) => source_named(&mut session, text, &options.weight)?,
    };
    Ok(session.stack_export(&options.query(source), format)?.write(output)?)
}

/// Finds a source by the name of its event type, with or without the provider. The end of a name suffices if it is
/// unique.
fn source_named(session: &mut Session, text: &str, weight: &Weight) -> Result<StackSource, Failure> {
    let table = session.ask(&StackSources)?;
    let name = |row: usize| match (table.provider.get(row), table.name.get(row)) {
        ("", "") => "samples".to_owned(),
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
        let message = format!("No stacks for “{text}” in this trace.");
        return Err(Failure::new(FailureCode::NotFound, message).with_detail(listed("Sources with stacks", &names)));
    };
    let fields = table.weights(row).map(|weight| table.weight_field.get(weight).to_owned());
    let fields: Vec<String> = fields.filter(|field| !field.is_empty()).collect();
    match weight {
        Weight::Field(field) if !fields.contains(field) => {
            let message = format!("{} has no numeric payload field “{field}”.", name(row));
            Err(Failure::new(FailureCode::NotFound, message).with_detail(listed("Numeric fields", &fields)))
        }
        _ => Ok(table.source(row).unwrap_or_default()),
    }
}

/// Lists the first names, one per line; nothing if there are none.
fn listed(title: &str, names: &[String]) -> String {
    const LISTED: usize = 10;
    let Some(first) = names.get(..LISTED.min(names.len())).filter(|first| !first.is_empty()) else {
        return String::new();
    };
    let first: Vec<_> = first.iter().map(|name| escaped(name)).collect();
    let more = names.len() - first.len();
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    format!("{title}:\n  {}{more}", first.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_first_ten_are_counted() {
        let names = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
        assert_eq!(listed("Names", &names(0)), "");
        assert_eq!(listed("Names", &names(2)), "Names:\n  0\n  1");
        assert!(listed("Names", &names(12)).ends_with("\n  9\n  and 2 more"));
    }
}
