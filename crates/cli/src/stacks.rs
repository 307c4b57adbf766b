//! `traceglass stacks`.

use super::Stop;
use super::open::unreadable;
use super::stack_options::StackOptions;
use engine::session::Session;
use protocol::request::{Baseline, BaselineOf, Filter, StackSource, TreeQuery, Weight};
use protocol::tables::{EVERYTHING, StackSources};
use protocol::{Failure, FailureCode, Request};
use std::io::Write;
use std::path::PathBuf;

/// Prints stacks by thread.
pub(super) fn print(session: &mut Session, wanted: &StackOptions, output: &mut impl Write) -> Result<(), Stop> {
    let source = match &wanted.source {
        None => StackSource::Samples,
        Some(text) => source_named(session, text, &wanted.weight)?,
    };
    let baseline = wanted.baseline.as_ref().map(|baseline| {
        let filter = baseline.filter.as_deref();
        let of = filter.map_or(BaselineOf::Rest, |filter| BaselineOf::Filter(filter_of(filter)));
        Baseline { of, is_scaled: baseline.is_scaled }
    });
    let query = TreeQuery {
        filter: filter_of(&wanted.filter),
        source,
        samples: wanted.samples,
        weight: wanted.weight.clone(),
        shape: wanted.shape.clone(),
        baseline,
    };
    Ok(session.stack_export(&query, wanted.format)?.write(output)?)
}

/// Takes names and lines of code from files; what they brought goes to `notes`.
pub(super) fn add_symbols(session: &mut Session, files: &[PathBuf], notes: &mut dyn Write) -> Result<(), Failure> {
    for path in files {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let words = session.add_symbols(&name, bytes)?;
        // Without a place to write notes the stacks themselves still matter.
        let _ = writeln!(notes, "note: {words}");
    }
    Ok(())
}

fn filter_of(query: &str) -> Filter {
    Filter { query: query.to_owned(), ..Filter::default() }
}

/// The source that a text names: an event by its name, or by its provider and its name; also in part, if only one fits.
fn source_named(session: &mut Session, text: &str, weight: &Weight) -> Result<StackSource, Failure> {
    let packed = session.answer(&Request::StackSources)?.into_packed();
    let table = packed.and_then(|packed| StackSources::unpack(&packed).ok()).unwrap_or_default();
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
        let names: Vec<String> = rows.map(name).collect();
        let message = format!("There are no stacks of “{text}” in this trace.");
        return Err(Failure::new(FailureCode::NotFound, message).with_detail(listed("Stacks are there of", &names)));
    };
    let fields = table.weights(row).map(|weight| table.weight_field.get(weight).to_owned());
    let fields: Vec<String> = fields.filter(|field| !field.is_empty()).collect();
    match weight {
        Weight::Field(field) if !fields.contains(field) => {
            let message = format!("{} has no number “{field}” in its payload.", name(row));
            Err(Failure::new(FailureCode::NotFound, message).with_detail(listed("Numbers are", &fields)))
        }
        _ => Ok(table.source(row).unwrap_or_default()),
    }
}

fn listed(words: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{words}: {}", names.join(", ")) }
}
