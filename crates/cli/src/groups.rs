//! `traceglass events --by`: prints groups of events with their counts.

use super::Stop;
use super::text::{Output, cell_words, head, table};
use engine::session::Session;
use protocol::events::columns::Column;
use protocol::events::group_columns::{GROUP_COLUMNS, Grouped};
use protocol::export::{Json, write_cells};
use protocol::queries;
use protocol::request::{EventColumn, Filter, GroupColumn, GroupQuery, Measure};
use protocol::table::{Cell, CellKind, Unit};
use protocol::tables::EventGroups;
use std::convert::Infallible;

const ROWS_PER_PAGE: u32 = 4096;
/// Prefix that distinguishes payload fields from other keys with the same name.
const FIELD: &str = "payload.";

/// Returns the help for keys of groups.
pub(super) fn key_help() -> String {
    let keys: Vec<&str> = Column::groupable().map(|column| column.key).collect();
    format!("Group events by {}, or a payload field such as TypeName", keys.join(", "))
}

/// Parses the key of groups.
pub(super) fn key(text: &str) -> Result<EventColumn, Infallible> {
    let column = Column::groupable().find(|column| column.key == text);
    Ok(column.map_or_else(|| EventColumn::Field(field(text)), |column| column.more.column.clone()))
}

/// Parses the number to aggregate.
pub(super) fn measure(text: &str) -> Result<Measure, Infallible> {
    Ok(if text == "dur" { Measure::Duration } else { Measure::Field(field(text)) })
}

fn field(name: &str) -> String {
    name.strip_prefix(FIELD).unwrap_or(name).to_owned()
}

/// Returns a query for groups, sorted by sum or count, largest first.
pub(super) fn query(by: EventColumn, measure: Option<Measure>) -> GroupQuery {
    let column = if measure.is_some() { GroupColumn::Sum } else { GroupColumn::Count };
    GroupQuery { by, measure, column, descending: true }
}

pub(super) fn print(
    session: &mut Session,
    filter: &Filter,
    query: &GroupQuery,
    limit: u64,
    json: bool,
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    let is_shown = |column: &&Grouped| query.measure.is_some() || column.kind != CellKind::Number(Unit::Weight);
    let columns: Vec<&Grouped> = GROUP_COLUMNS.iter().filter(is_shown).collect();
    let (mut first, mut left) = (0, limit);
    let mut rows = Vec::new();
    loop {
        let count = u32::try_from(left).unwrap_or(ROWS_PER_PAGE).min(ROWS_PER_PAGE);
        let (filter, query_) = (filter.clone(), query.clone());
        let page = session.ask(&queries::EventGroups { filter, query: query_, first, count })?;
        for row in 0..page.count.len() {
            if json {
                output.verbatim(&json_line(&page, row, &columns))?;
            } else {
                let words = |column: &&Grouped| words(column.kind, &(column.cell)(&page, row), query);
                rows.push(columns.iter().map(words).collect());
            }
        }
        let count = page.count.len() as u64;
        (first, left) = (first + count, left - count);
        if count == 0 || left == 0 {
            break;
        }
    }
    if !json {
        let heads: Vec<_> = columns.iter().map(|column| head(column)).collect();
        table(output, &heads, &rows)?;
    }
    Ok(())
}

/// Formats a cell. Durations have units; the units of payload fields are unknown.
fn words(kind: CellKind, cell: &Cell<'_>, query: &GroupQuery) -> String {
    match (kind, &query.measure) {
        (CellKind::Number(Unit::Weight), Some(Measure::Duration)) => cell_words(CellKind::Number(Unit::Duration), cell),
        _ => cell_words(kind, cell),
    }
}

fn json_line(page: &EventGroups, row: usize, columns: &[&Grouped]) -> String {
    let mut json = Json::default();
    json.object(|json| {
        match page.kind[row] {
            0 => {}
            1 => json.key("without").plain(true),
            _ => json.key("others").plain(true),
        }
        write_cells(json, columns.iter().copied(), page, row);
        if columns.len() == GROUP_COLUMNS.len() {
            json.key("measured").integer(page.measured[row]);
        }
    });
    json.line();
    json.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_parses_words_and_fields() {
        let of = |by| key(by).expect("a key");
        assert_eq!(
            [of("thread"), of("payload.thread")],
            [EventColumn::Thread, EventColumn::Field("thread".to_owned())]
        );
        assert_eq!([measure("dur"), measure("Size")], [Ok(Measure::Duration), Ok(Measure::Field("Size".to_owned()))]);
    }

    #[test]
    fn groups_with_sum_are_sorted_by_it() {
        assert_eq!(query(EventColumn::Thread, None).column, GroupColumn::Count);
        assert_eq!(query(EventColumn::Thread, Some(Measure::Duration)).column, GroupColumn::Sum);
    }
}
