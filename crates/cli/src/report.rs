//! `traceglass gc` and the like: what a topic comes to.

use super::Stop;
use super::text::{Align, on_one_line, table};
use engine::session::Session;
use protocol::request::{Filter, RowOrder, Topic};
use protocol::topics::report::{CellKind, ReportHead, ReportRows, TableHead};
use std::io::Write;

/// Rows of a table that are printed if nobody says how many.
const ROWS: u32 = 20;

/// Prints a report; of each table at most `limit` rows.
pub(super) fn print(
    session: &mut Session,
    topic: Topic,
    filter: &str,
    json: bool,
    limit: Option<u64>,
    output: &mut impl Write,
) -> Result<(), Stop> {
    let filter = Filter { query: filter.to_owned(), ..Filter::default() };
    if json {
        return Ok(writeln!(output, "{}", session.report_json(topic, &filter)?)?);
    }
    let head = session.report_head(topic, &filter)?;
    print_head(&head, output)?;
    let limit = limit.map_or(ROWS, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    for (at, of) in (0..).zip(&head.tables) {
        let order = RowOrder { table: at, ..RowOrder::default() };
        let page = session.report_rows(topic, &filter, &order, 0, limit)?;
        print_table(of, &page, output)?;
    }
    Ok(())
}

fn print_head(head: &ReportHead, output: &mut impl Write) -> Result<(), Stop> {
    if let Some(missing) = &head.not_recorded {
        writeln!(output, "Not recorded. {}\n{}", missing.words, missing.command)?;
        return Ok(());
    }
    writeln!(output, "{}", head.verdict)?;
    if !head.explanation.is_empty() {
        writeln!(output, "{}", head.explanation)?;
    }
    if !head.figures.is_empty() {
        writeln!(output)?;
    }
    let width = head.figures.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
    for figure in &head.figures {
        let line = format!("  {:<width$}  {}  {}", figure.name, figure.unit.words(figure.value), figure.note);
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}

fn print_table(of: &TableHead, page: &ReportRows, output: &mut impl Write) -> Result<(), Stop> {
    let printed = page.event.len();
    let more = of.rows - printed as u64;
    let note = if more > 0 { format!(" ({printed} of {}; --limit N prints more)", of.rows) } else { String::new() };
    writeln!(output, "\n{}{note}", of.title)?;
    let align = |kind| if kind == CellKind::Text { Align::Left } else { Align::Right };
    let columns: Vec<(&str, Align)> = of.columns.iter().map(|one| (one.name.as_str(), align(one.kind))).collect();
    let cell = |row: usize, column: usize| {
        let value = page.cells.get(row * of.columns.len() + column).copied().unwrap_or(f64::NAN);
        match of.columns[column].kind {
            CellKind::Number(unit) => unit.words(value),
            CellKind::Text if value.is_finite() => on_one_line(page.texts.get(value as usize)),
            CellKind::Text => String::new(),
        }
    };
    let rows: Vec<Vec<String>> =
        (0..printed).map(|row| (0..columns.len()).map(|column| cell(row, column)).collect()).collect();
    Ok(table(output, &columns, &rows)?)
}
