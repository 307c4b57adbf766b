//! `traceglass events --by`: prints groups of events with their counts.

use super::Stop;
use super::text::{Output, line, seconds};
use engine::session::Session;
use engine::session::export::json::Json;
use protocol::base::time::Nanos;
use protocol::events::columns::Column;
use protocol::queries;
use protocol::request::{EventColumn, Filter, GroupColumn, GroupQuery, Measure};
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
    Ok(column.map_or_else(|| EventColumn::Field(field(text)), |column| column.column.clone()))
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
    let (mut first, mut left) = (0, limit);
    if !json {
        line!(output, "{}", heads(query))?;
    }
    loop {
        let count = u32::try_from(left).unwrap_or(ROWS_PER_PAGE).min(ROWS_PER_PAGE);
        let (filter, query_) = (filter.clone(), query.clone());
        let page = session.ask(&queries::EventGroups { filter, query: query_, first, count })?;
        for row in 0..page.count.len() {
            if json {
                output.verbatim(&json_line(&page, row, query))?;
            } else {
                line!(output, "{}", text_line(&page, row, query))?;
            }
        }
        let rows = page.count.len() as u64;
        (first, left) = (first + rows, left - rows);
        if rows == 0 || left == 0 {
            return Ok(());
        }
    }
}

fn heads(query: &GroupQuery) -> String {
    let numbers = match query.measure {
        None => String::new(),
        Some(_) => format!("  {:>16}  {:>14}  {:>14}  {:>14}  {:>14}", "total", "min", "p50", "p95", "max"),
    };
    format!("{:>12}  {:>14}  {:>14}{numbers}  {}", "events", "first", "last", "group")
}

fn text_line(page: &EventGroups, row: usize, query: &GroupQuery) -> String {
    let [first, last] = [&page.first, &page.last].map(|times| seconds(Nanos(times[row])));
    let mut line = format!("{:>12}  {first:>14}  {last:>14}", page.count[row]);
    if query.measure.is_some() {
        for (values, width) in numbers(page).into_iter().zip([16, 14, 14, 14, 14]) {
            let text = number(values[row], page.measured[row]).unwrap_or_else(|| "-".to_owned());
            line.push_str(&format!("  {text:>width$}"));
        }
    }
    line.push_str("  ");
    line.push_str(match page.kind[row] {
        0 => page.name.get(row),
        1 => "(no value)",
        _ => "(other values)",
    });
    line
}

fn json_line(page: &EventGroups, row: usize, query: &GroupQuery) -> String {
    let mut json = Json::default();
    json.object(|json| {
        match page.kind[row] {
            0 => json.key("of").string(page.name.get(row)),
            1 => json.key("without").plain(true),
            _ => json.key("others").plain(true),
        }
        json.key("events").integer(page.count[row]);
        json.key("firstNs").integer(page.first[row]);
        json.key("lastNs").integer(page.last[row]);
        if query.measure.is_some() {
            json.key("measured").integer(page.measured[row]);
            for (name, values) in ["sum", "min", "p50", "p95", "max"].into_iter().zip(numbers(page)) {
                if let Some(text) = number(values[row], page.measured[row]) {
                    json.key(name).plain(text);
                }
            }
        }
    });
    json.line();
    json.as_str().to_owned()
}

fn numbers(page: &EventGroups) -> [&Vec<f64>; 5] {
    [&page.sum, &page.min, &page.median, &page.percentile_95, &page.max]
}

/// Formats a number; `None` if no event has one, or JSON can't represent it.
fn number(value: f64, measured: u64) -> Option<String> {
    (measured > 0 && value.is_finite()).then(|| value.to_string())
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
