//! `traceglass events --by`: events by what they have in common.

use super::Stop;
use super::text::seconds;
use engine::session::Session;
use engine::session::export::json::Json;
use protocol::base::time::Nanos;
use protocol::request::{Filter, GroupColumn, GroupQuery, Measure, SortKey};
use protocol::tables::EventGroups;
use std::io::Write;

/// Rows fetched at a time.
const PAGE: u32 = 4096;
/// Before the name of a field that is called like something else.
const FIELD: &str = "payload.";

/// Understands what follows `--by` and `--sum`.
///
/// # Errors
/// A sentence, if there is nothing to sum up by.
pub(super) fn grouping(by: Option<&String>, sum: Option<&String>) -> Result<Option<GroupQuery>, String> {
    let Some(by) = by else {
        return if sum.is_some() { Err("“--sum” needs “--by”".to_owned()) } else { Ok(None) };
    };
    let field = |name: &str| name.strip_prefix(FIELD).unwrap_or(name).to_owned();
    let by = match by.as_str() {
        "event" => SortKey::Name,
        "provider" => SortKey::Provider,
        "thread" => SortKey::Thread,
        "level" => SortKey::Level,
        name => SortKey::Field(field(name)),
    };
    let measure = sum.map(|name| match name.as_str() {
        "dur" => Measure::Duration,
        name => Measure::Field(field(name)),
    });
    let column = if measure.is_some() { GroupColumn::Sum } else { GroupColumn::Count };
    Ok(Some(GroupQuery { by, measure, column, descending: true }))
}

/// Prints groups, largest first.
pub(super) fn print(
    session: &mut Session,
    filter: &str,
    query: &GroupQuery,
    json: bool,
    limit: Option<u64>,
    output: &mut impl Write,
) -> Result<(), Stop> {
    let filter = Filter { query: filter.to_owned(), ..Filter::default() };
    let mut left = limit.unwrap_or(u64::MAX);
    let mut first = 0;
    if !json {
        writeln!(output, "{}", heads(query).trim_end())?;
    }
    loop {
        let count = u32::try_from(left).unwrap_or(PAGE).min(PAGE);
        let page = session.group_page(&filter, query, first, count)?;
        for row in 0..page.count.len() {
            let line = if json { json_line(&page, row, query) } else { text_line(&page, row, query) };
            writeln!(output, "{}", line.trim_end())?;
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
        Some(_) => format!("  {:>16}  {:>14}  {:>14}  {:>14}  {:>14}", "sum", "min", "p50", "p95", "max"),
    };
    format!("{:>12}  {:>14}  {:>14}{numbers}  {}", "events", "first", "last", "of")
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
        1 => "(events without it)",
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
    json.as_str().to_owned()
}

fn numbers(page: &EventGroups) -> [&Vec<f64>; 5] {
    [&page.sum, &page.min, &page.median, &page.percentile_95, &page.max]
}

/// None if there is none, or one that JSON cannot write.
fn number(value: f64, measured: u64) -> Option<String> {
    (measured > 0 && value.is_finite()).then(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_grouped_by_is_a_word_or_a_field() {
        let of = |by: &str, sum: Option<&str>| grouping(Some(&by.to_owned()), sum.map(str::to_owned).as_ref());
        let query = of("thread", Some("dur")).expect("a query").expect("groups");
        assert_eq!((query.by, query.measure), (SortKey::Thread, Some(Measure::Duration)));
        let query = of("payload.thread", Some("Size")).expect("a query").expect("groups");
        assert_eq!(query.by, SortKey::Field("thread".to_owned()));
        assert_eq!((query.measure, query.column), (Some(Measure::Field("Size".to_owned())), GroupColumn::Sum));
        assert!(grouping(None, Some(&"dur".to_owned())).is_err());
        assert_eq!(grouping(None, None), Ok(None));
    }
}
