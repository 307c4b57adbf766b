//! Columns of the table of groups.

use crate::request::GroupColumn;
use crate::table::{Cell, Column, Unit, column_with_key};
use crate::tables::EventGroups;

/// Column of the table of groups, with its name in queries.
pub type Grouped = Column<EventGroups, GroupColumn>;

/// Columns in default order. Those of numbers after the number of events need a measure.
pub const GROUP_COLUMNS: [Grouped; 9] = [
    Column::text("name", "Group", |table: &EventGroups, row| match table.kind.get(row) {
        Some(0) => table.name.get(row).into(),
        Some(1) => Cell::Missing("(no value)"),
        _ => Cell::Missing("(other values)"),
    })
    .json("of")
    .with(GroupColumn::Name),
    Column::number("count", "Events", Unit::Count, |table: &EventGroups, row| table.count.get(row).copied().into())
        .json("events")
        .with(GroupColumn::Count),
    measured("sum", "Total", GroupColumn::Sum, |table, row| number(table, &table.sum, row)),
    measured("min", "Min", GroupColumn::Min, |table, row| number(table, &table.min, row)),
    measured("p50", "p50", GroupColumn::Median, |table, row| number(table, &table.median, row)),
    measured("p95", "p95", GroupColumn::Percentile95, |table, row| number(table, &table.percentile_95, row)),
    measured("max", "Max", GroupColumn::Max, |table, row| number(table, &table.max, row)),
    Column::number("first", "First", Unit::Moment, |table: &EventGroups, row| table.first.get(row).copied().into())
        .ascending()
        .json("firstNs")
        .with(GroupColumn::First),
    Column::number("last", "Last", Unit::Moment, |table: &EventGroups, row| table.last.get(row).copied().into())
        .ascending()
        .json("lastNs")
        .with(GroupColumn::Last),
];

const fn measured(
    key: &'static str,
    title: &'static str,
    column: GroupColumn,
    cell: fn(&EventGroups, usize) -> Cell<'_>,
) -> Grouped {
    Column::number(key, title, Unit::Weight, cell).with(column)
}

/// Returns a number of a group; none if no event has one.
fn number(table: &EventGroups, values: &[f64], row: usize) -> Cell<'static> {
    let is_measured = table.measured.get(row).is_some_and(|events| *events > 0);
    match values.get(row) {
        Some(value) if is_measured && value.is_finite() => Cell::Number(*value),
        _ => Cell::Missing("–"),
    }
}

impl GroupColumn {
    /// Returns the declaration of the column.
    pub fn declared(self) -> Option<&'static Grouped> {
        const COLUMNS: &[Grouped] = &GROUP_COLUMNS;
        COLUMNS.iter().find(|column| column.more == self)
    }

    /// Returns the column with a key.
    pub fn with_key(key: &str) -> Option<Self> {
        column_with_key(&GROUP_COLUMNS, key).map(|column| column.more)
    }
}
