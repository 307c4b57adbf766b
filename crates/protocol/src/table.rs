//! Table columns, declared once for display, sorting and copying.

use crate::base::sort::sort_by;
use crate::topics::report::Unit;
use std::cmp::Ordering;

/// Kind of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Text.
    Text,
    /// Number with a unit.
    Number(Unit),
    /// Number whose unit depends on the query: a weight of stacks.
    Weight,
}

/// Value of a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'t> {
    /// The row has no value.
    Nothing,
    /// Text.
    Text(&'t str),
    /// Number.
    Number(f64),
}

impl Value<'_> {
    /// Compares values: missing ones, then texts, then numbers by absolute value.
    fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) => one.cmp(other),
            (one, other) => one.size().total_cmp(&other.size()),
        }
    }

    fn size(self) -> f64 {
        if let Value::Number(number) = self { number.abs() } else { -1.0 }
    }
}

impl<'t> From<&'t str> for Value<'t> {
    fn from(text: &'t str) -> Self {
        Self::Text(text)
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }
}

/// Column of a table of type `T`.
pub struct Column<T> {
    /// Machine-readable name.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Kind of its cells.
    pub kind: Kind,
    /// Returns the value in a row.
    pub cell: fn(&T, usize) -> Value<'_>,
    /// True if sorting by it begins with the largest value.
    pub descending: bool,
}

impl<T> Column<T> {
    /// Declares a column; texts are sorted ascending, numbers descending.
    pub const fn new(key: &'static str, title: &'static str, kind: Kind, cell: fn(&T, usize) -> Value<'_>) -> Self {
        Self { key, title, kind, cell, descending: !matches!(kind, Kind::Text) }
    }

    /// Returns the column, sorted ascending first.
    pub const fn ascending(self) -> Self {
        Self { descending: false, ..self }
    }

    /// Sorts rows of a table stably by this column.
    pub fn sort(&self, table: &T, rows: &mut [u32], descending: bool) {
        sort_by(rows, |one, other| {
            let order = (self.cell)(table, *one as usize).compare((self.cell)(table, *other as usize));
            let order = if descending { order.reverse() } else { order };
            order.then(one.cmp(other))
        });
    }
}

/// Returns rows of a table as tab-separated values, with a line of column titles. `words` formats values.
pub fn tab_separated<T>(
    columns: &[Column<T>],
    table: &T,
    rows: impl IntoIterator<Item = usize>,
    words: impl Fn(&Column<T>, Value<'_>) -> String,
) -> String {
    let line = |cells: Vec<String>| cells.join("\t") + "\n";
    let cell = |column: &Column<T>, row| words(column, (column.cell)(table, row)).replace(['\t', '\n', '\r'], " ");
    let mut text = line(columns.iter().map(|column| column.title.to_owned()).collect());
    for row in rows {
        text += &line(columns.iter().map(|column| cell(column, row)).collect());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = Vec<(&'static str, f64)>;

    const COLUMNS: [Column<Pairs>; 2] = [
        Column::new("name", "Name", Kind::Text, |pairs, row| pairs.get(row).map_or("", |pair| pair.0).into()),
        Column::new("size", "Size", Kind::Weight, |pairs, row| pairs.get(row).map(|pair| pair.1).into()),
    ];

    #[test]
    fn rows_are_sorted_stably_by_any_column() {
        let pairs = vec![("b", 2.0), ("a", -9.0), ("c", 2.0)];
        let sorted = |at: usize, descending| {
            // The last row has no value.
            let mut rows = vec![0, 1, 2, 3];
            COLUMNS[at].sort(&pairs, &mut rows, descending);
            rows
        };
        assert_eq!(sorted(0, false), [3, 1, 0, 2]);
        assert_eq!(sorted(1, false), [3, 0, 2, 1], "a difference is as large as its size");
        assert_eq!(sorted(1, true), [1, 0, 2, 3]);
        assert_eq!([COLUMNS[0].descending, COLUMNS[1].descending], [false, true]);
    }

    #[test]
    fn copied_cells_are_in_one_line() {
        let pairs = vec![("a\tb\n", 1.5)];
        let words = |_: &Column<Pairs>, value: Value<'_>| match value {
            Value::Text(text) => text.to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Nothing => String::new(),
        };
        assert_eq!(tab_separated(&COLUMNS, &pairs, 0..2, words), "Name\tSize\na b \t1.5\n\t\n");
    }
}
