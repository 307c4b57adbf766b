//! Groups of events: in URLs, as table columns, and as the condition that filters to one of them.

use super::columns::key_of;
use super::filter_text::{condition_text, named};
use super::level::level_name;
use super::sort::decode_key;
use crate::grid::{GridColumn, Sorted};
use crate::stacks::measure as stack_measure;
use crate::timeline::clock::ClockFace;
use crate::traces::letter;
use protocol::events::columns::Column;
use protocol::events::group_columns::{GROUP_COLUMNS, Grouped};
use protocol::filter::{Comparison, Condition, Extent, Order, Pattern};
use protocol::request::{EventColumn, GroupColumn, GroupQuery, Measure, StackSource, Weight};
use protocol::table::{Cell, CellKind, Unit};
use protocol::tables::EventGroups;

const DURATION: &str = "dur";
/// Prefix of the keys of columns with the number of events of a trace.
const TRACE: &str = "trace-";

/// Returns a grouping by a key, largest groups first.
pub fn grouped_by(by: EventColumn, measure: Option<Measure>) -> GroupQuery {
    GroupQuery { by, measure, column: GroupColumn::Count, descending: true }
}

/// Writes the parts of a URL: `events-by=field.TypeName&events-sum=field.Size&events-rows=-sum`.
pub fn encode(query: &GroupQuery, push: &mut impl FnMut(&str, &str)) {
    push("events-by", &key_of(&query.by));
    if let Some(measure) = &query.measure {
        push("events-sum", &encode_measure(measure));
    }
    let Sorted { key, descending } = sorted(query);
    let order = format!("{}{key}", if descending { "-" } else { "" });
    if order != "-count" {
        push("events-rows", &order);
    }
}

/// Reads a part of a URL, and returns whether it is about groups.
pub fn decode(query: &mut Option<GroupQuery>, key: &str, value: &str) -> bool {
    match (key, query) {
        ("events-by", query) => *query = decode_key(value).map(|by| grouped_by(by, None)),
        // The grouping itself comes first in a URL.
        ("events-sum", Some(query)) => query.measure = decode_measure(value),
        ("events-rows", Some(query)) => {
            let (descending, name) = value.strip_prefix('-').map_or((false, value), |name| (true, name));
            if let Some(column) = GroupColumn::with_key(name) {
                (query.column, query.descending) = (column, descending);
            }
        }
        _ => return false,
    }
    true
}

/// Returns a measure as part of a URL.
pub fn encode_measure(measure: &Measure) -> String {
    match measure {
        Measure::Duration => DURATION.to_owned(),
        Measure::Field(name) => format!("field.{name}"),
    }
}

/// Reads a measure from part of a URL.
pub fn decode_measure(text: &str) -> Option<Measure> {
    match text {
        DURATION => Some(Measure::Duration),
        _ => text.strip_prefix("field.").map(|name| Measure::Field(name.to_owned())),
    }
}

/// Returns the heading of a column.
fn column_words(column: &Grouped, query: &GroupQuery) -> String {
    match (column.more, &query.by, &query.measure) {
        (GroupColumn::Name, EventColumn::Field(name), _) => name.clone(),
        (GroupColumn::Name, by, _) => {
            let known = Column::groupable().find(|column| column.more.column == *by);
            known.map_or("All", |column| column.title).to_owned()
        }
        (GroupColumn::Sum, _, Some(Measure::Field(name))) => format!("Total {name}"),
        (GroupColumn::Sum, ..) => "Total duration".to_owned(),
        _ => column.title.to_owned(),
    }
}

pub fn group_columns(query: &GroupQuery) -> Vec<GridColumn> {
    let is_measured = query.measure.is_some();
    let column = |column: &Grouped| {
        let (least, share, from) = match column.more {
            GroupColumn::Name => (140.0, 1.0, 0.0),
            GroupColumn::First | GroupColumn::Last if is_measured => (104.0, 0.0, 780.0),
            GroupColumn::First | GroupColumn::Last => (112.0, 0.0, 0.0),
            GroupColumn::Sum => (116.0, 0.0, 0.0),
            _ => (80.0, 0.0, 0.0),
        };
        GridColumn { title: column_words(column, query), ..GridColumn::of(column, least, share).from(from) }
    };
    let shown = GROUP_COLUMNS.iter().filter(|column| is_measured || column.kind != CellKind::Number(Unit::Weight));
    shown.map(column).collect()
}

/// Returns the columns of the table for several traces: without percentiles, which can't be computed from those of each
/// trace, and with the number of events of each.
pub fn group_columns_of_all(query: &GroupQuery, traces: usize) -> Vec<GridColumn> {
    let mut columns = group_columns(query);
    let is_percentile =
        |key: &str| matches!(GroupColumn::with_key(key), Some(GroupColumn::Median | GroupColumn::Percentile95));
    columns.retain(|column| !is_percentile(&column.key));
    let of_trace = |trace| GridColumn::number(format!("{TRACE}{trace}"), letter(trace), 72.0);
    let place = columns.iter().position(|column| GroupColumn::with_key(&column.key) == Some(GroupColumn::Count));
    let place = place.map_or(columns.len(), |count| count + 1);
    columns.splice(place..place, (0..traces).map(of_trace));
    columns
}

/// Returns the position of the trace that a column counts.
pub fn counted_trace(key: &str) -> Option<usize> {
    key.strip_prefix(TRACE)?.parse().ok()
}

/// Returns the order of the groups.
pub fn sorted(query: &GroupQuery) -> Sorted {
    Sorted::by(query.column.declared().map_or("", |column| column.key), query.descending)
}

/// Returns the text of a cell.
pub fn cell(table: &EventGroups, row: usize, query: &GroupQuery, column: GroupColumn, face: ClockFace) -> String {
    let Some(declared) = column.declared().filter(|_| row < table.count.len()) else { return String::new() };
    match (column, (declared.cell)(table, row), &query.measure) {
        (GroupColumn::Name, ..) => group_name(table, row, query),
        (GroupColumn::First | GroupColumn::Last, Cell::Integer(at), _) => face.cell(at),
        (_, Cell::Number(value), Some(Measure::Field(name))) => with_unit(Weight::Field(name.clone()), value),
        (_, Cell::Number(value), _) => with_unit(Weight::Time, value),
        (_, cell, _) => cell.words(declared.kind),
    }
}

fn with_unit(weight: Weight, value: f64) -> String {
    stack_measure::Measure::of(&StackSource::Everything, &weight).number(value)
}

/// Returns the display name of a group.
pub fn group_name(table: &EventGroups, row: usize, query: &GroupQuery) -> String {
    match (table.kind.get(row), &query.by) {
        (None, _) => String::new(),
        (Some(0), EventColumn::Level) => level_name(table.name.get(row).parse().unwrap_or(0)).to_owned(),
        (Some(0), _) if table.name.get(row).is_empty() => "(empty)".to_owned(),
        (Some(0), _) => table.name.get(row).to_owned(),
        (Some(1), EventColumn::Field(field)) => format!("(no {field})"),
        (Some(1), by) => format!("({})", Column::of(by).map_or("", |column| column.more.without)),
        _ => "(other values)".to_owned(),
    }
}

/// Returns a pattern that matches every value.
fn any() -> Pattern {
    Pattern::Regex { pattern: ".?".to_owned(), ignores_case: false }
}

/// Returns the condition, in the filter syntax, that matches exactly the events of a group; `None` if the syntax can't
/// express it.
pub fn condition(table: &EventGroups, row: usize, query: &GroupQuery, is_excluded: bool) -> Option<String> {
    let name = table.name.get(row);
    let condition = match (table.kind.get(row)?, &query.by) {
        (0, EventColumn::Level) => Condition::Level(Order::Equal, name.parse().ok()?),
        (0, EventColumn::Field(field)) => {
            Condition::Payload(field.clone(), Comparison::Is(Pattern::Text(name.to_owned())))
        }
        // Events with any value of the field are excluded.
        (1, EventColumn::Field(field)) => {
            let has_any = Condition::Payload(field.clone(), Comparison::Like(any()));
            return Some(condition_text(has_any, !is_excluded));
        }
        (kind, by) => {
            let target = Column::of(by)?.target?;
            match kind {
                0 => named(target, name),
                1 => return Some(condition_text(Condition::Named(target, any(), Extent::Part), !is_excluded)),
                _ => return None,
            }
        }
    };
    Some(condition_text(condition, is_excluded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::events::columns::Property;
    use protocol::filter::parse;

    fn table() -> EventGroups {
        EventGroups {
            kind: vec![0, 0, 1],
            name: ["a \"b\"", "", ""].into_iter().collect(),
            count: vec![3, 2, 1],
            first: vec![0; 3],
            last: vec![0; 3],
            measured: vec![2, 1, 0],
            sum: vec![3.5, 2.0, 0.0],
            max: vec![2.0, 2.0, f64::NAN],
            ..EventGroups::default()
        }
    }

    fn by_sku() -> GroupQuery {
        grouped_by(EventColumn::Field("sku".to_owned()), Some(Measure::Field("amount".to_owned())))
    }

    #[test]
    fn group_queries_round_trip_through_url() {
        for measure in [None, Some(Measure::Duration), Some(Measure::Field("a.b".to_owned()))] {
            for column in GROUP_COLUMNS.map(|column| column.more) {
                for by in [EventColumn::Thread, EventColumn::Level, EventColumn::Field("x y".to_owned())] {
                    let query = GroupQuery { column, ..grouped_by(by, measure.clone()) };
                    let (mut parts, mut found) = (Vec::new(), None);
                    encode(&query, &mut |key, value| parts.push((key.to_owned(), value.to_owned())));
                    assert!(parts.iter().all(|(key, value)| decode(&mut found, key, value)));
                    assert_eq!(found, Some(query));
                }
            }
        }
        assert!(!decode(&mut None, "events-sum", "dur"));
    }

    #[test]
    fn every_group_has_a_name_and_a_condition() {
        let (table, query) = (table(), by_sku());
        let names: Vec<String> = (0..3).map(|row| group_name(&table, row, &query)).collect();
        assert_eq!(names, ["a \"b\"", "(empty)", "(no sku)"]);
        let conditions: Vec<String> = (0..3).filter_map(|row| condition(&table, row, &query, false)).collect();
        assert_eq!(conditions, [r#"payload.sku="a \"b\"""#, r#"payload.sku="""#, "-payload.sku:/.?/"]);
        assert!(conditions.iter().all(|text| parse(text).is_ok()));
        assert_eq!(condition(&table, 0, &grouped_by(EventColumn::Level, None), true), None);
    }

    #[test]
    fn groups_of_a_property_have_conditions() {
        let (table, query) = (table(), grouped_by(EventColumn::Property(Property::Cpu), None));
        assert_eq!([1, 2].map(|row| group_name(&table, row, &query)), ["(empty)", "(not recorded)"]);
        let conditions = [0, 2].map(|row| condition(&table, row, &query, true));
        assert_eq!(conditions, [r#"-cpu="a \"b\"""#, "cpu:/.?/"].map(|text| Some(text.to_owned())));
        assert_eq!(group_columns(&query)[0].title, "CPU number");
    }

    #[test]
    fn columns_of_all_traces_have_counts_and_no_percentiles() {
        let columns = group_columns_of_all(&by_sku(), 2);
        let keys: Vec<&str> = columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["name", "count", "trace-0", "trace-1", "sum", "min", "max", "first", "last"]);
        assert_eq!((columns[3].title.as_str(), counted_trace(keys[3]), counted_trace("name")), ("B", Some(1), None));
    }

    #[test]
    fn groups_without_numbers_have_empty_cells() {
        let (table, query) = (table(), by_sku());
        let sums: Vec<String> =
            (0..3).map(|row| cell(&table, row, &query, GroupColumn::Sum, ClockFace::default())).collect();
        assert_eq!(sums, ["3.5", "2", "–"]);
        assert_eq!(cell(&table, 2, &query, GroupColumn::Max, ClockFace::default()), "–");
    }
}
