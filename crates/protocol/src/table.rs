//! Table columns, declared once for display, sorting, copying, exports and the command line.

use crate::base::sort::sort_by;
use crate::filter::Name;
use crate::format;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Unit of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Unit {
    Count,
    /// Duration in nanoseconds.
    Duration,
    /// Time in nanoseconds since the sync point.
    Moment,
    Bytes,
    /// Share of 1.
    Share,
    /// Count per second.
    PerSecond,
    BytesPerSecond,
    /// Number without a unit, or with a separate unit.
    Plain,
    /// Number that identifies something, without separators.
    Identity,
    /// Number whose unit depends on the query, such as a weight of stacks.
    Weight,
    Offset,
}

impl Unit {
    /// Formats a number for display; "–" if it isn't finite.
    pub fn words(self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_owned();
        }
        match self {
            Self::Count => format::count(value.max(0.0).round() as u64),
            Self::Duration => format::duration(value as i64),
            Self::Moment => format::seconds(value as i64, 6),
            Self::Bytes if value < 0.0 => format!("−{}", format::bytes(-value as u64)),
            Self::Bytes => format::bytes(value as u64),
            Self::Share => format::percent(value, 1.0),
            Self::PerSecond => format::rate(value),
            Self::BytesPerSecond => format!("{}/s", format::bytes(value.max(0.0) as u64)),
            Self::Plain | Self::Weight => format::quantity(value),
            Self::Identity => format!("{value:.0}"),
            Self::Offset => format::offset(value.max(0.0) as u64),
        }
    }
}

/// Kind of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CellKind {
    Text,
    Number(Unit),
}

/// Value of a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'t> {
    /// No value, with the reason if it isn't obvious. Exports omit it.
    Missing(&'static str),
    Text(Cow<'t, str>),
    /// Exact number.
    Integer(i64),
    Number(f64),
    /// Start and end of a time range in nanoseconds.
    Range(i64, i64),
}

impl<'t> Cell<'t> {
    /// Returns the number that cells are sorted by; `None` for texts.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Missing(_) | Self::Text(_) => None,
            Self::Integer(number) | Self::Range(number, _) => Some(number as f64),
            Self::Number(number) => Some(number),
        }
    }

    /// Formats the cell for display.
    pub fn words(&self, kind: CellKind) -> String {
        match (self, kind) {
            (Self::Missing(reason), _) => (*reason).to_owned(),
            (Self::Text(text), _) => text.to_string(),
            (Self::Range(start, end), _) => format::range(*start, *end),
            (Self::Integer(number), CellKind::Text) => number.to_string(),
            (Self::Integer(number), CellKind::Number(unit)) => unit.words(*number as f64),
            (Self::Number(number), CellKind::Text) => format::quantity(*number),
            (Self::Number(number), CellKind::Number(unit)) => unit.words(*number),
        }
    }

    /// Returns the cell without units and separators, for other programs; empty if it has no value.
    pub fn plain(self) -> Cow<'t, str> {
        match self {
            Self::Missing(_) => "".into(),
            Self::Text(text) => text,
            Self::Integer(number) => number.to_string().into(),
            Self::Number(number) => number.to_string().into(),
            Self::Range(start, end) => format!("{start}..{end}").into(),
        }
    }

    /// Compares cells of a kind: those without a value, then texts, then numbers. Weights may be differences, which are
    /// compared by their sizes.
    fn compare(&self, other: &Self, kind: CellKind) -> Ordering {
        let key = |cell: &Self| match (cell.number(), kind) {
            (Some(number), CellKind::Number(Unit::Weight)) => number.abs(),
            (Some(number), _) => number,
            (None, _) => f64::NEG_INFINITY,
        };
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Missing(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Missing(_)) => Ordering::Greater,
            (one, other) => key(one).total_cmp(&key(other)),
        }
    }
}

impl<'t> From<&'t str> for Cell<'t> {
    fn from(text: &'t str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Self::Number(number as f64), Self::Integer)
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        (number as u64).into()
    }
}

macro_rules! from_integers {
    ($($number:ty)*) => {
        $(impl From<$number> for Cell<'_> {
            fn from(number: $number) -> Self {
                Self::Integer(number.into())
            }
        })*
    };
}

from_integers!(u8 u16 u32 i64);

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'t, V: Into<Cell<'t>>> From<Option<V>> for Cell<'t> {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Missing(""), V::into)
    }
}

/// Column of a table of type `T`, with facts of type `M` that only such tables have.
#[derive(Clone, Debug)]
pub struct Column<T, M = ()> {
    /// Machine-readable name: in URLs, in style sheets and on the command line.
    pub key: &'static str,
    pub title: &'static str,
    /// Kind and unit of its cells.
    pub kind: CellKind,
    /// Key in JSON; empty for a column that JSON doesn't contain.
    pub json: &'static str,
    pub cell: fn(&T, usize) -> Cell<'_>,
    /// Whether sorting begins with the largest value; `None` if rows aren't sorted by the column.
    pub sort: Option<bool>,
    /// Name in a filter condition that matches events with a value of this column.
    pub target: Option<Name>,
    pub more: M,
}

impl<T> Column<T> {
    /// Declares a column of texts, sorted ascending.
    pub const fn text(key: &'static str, title: &'static str, cell: fn(&T, usize) -> Cell<'_>) -> Self {
        let (kind, sort) = (CellKind::Text, Some(false));
        Self { key, title, kind, json: key, cell, sort, target: None, more: () }
    }

    /// Declares a column of numbers, sorted descending.
    pub const fn number(key: &'static str, title: &'static str, unit: Unit, cell: fn(&T, usize) -> Cell<'_>) -> Self {
        Self { kind: CellKind::Number(unit), sort: Some(true), ..Self::text(key, title, cell) }
    }

    /// Returns the column, sorted ascending first.
    pub const fn ascending(self) -> Self {
        Self { sort: Some(false), ..self }
    }

    /// Returns the column with another key in JSON, or none if it is empty.
    pub const fn json(self, json: &'static str) -> Self {
        Self { json, ..self }
    }
}

impl<T> Column<T> {
    /// Returns the column with facts that only such tables have.
    pub const fn with<M>(self, more: M) -> Column<T, M> {
        let Self { key, title, kind, json, cell, sort, target, more: () } = self;
        Column { key, title, kind, json, cell, sort, target, more }
    }
}

impl<T, M> Column<T, M> {
    /// Compares rows by this column.
    pub fn compare(&self, one: (&T, usize), other: (&T, usize)) -> Ordering {
        (self.cell)(one.0, one.1).compare(&(self.cell)(other.0, other.1), self.kind)
    }

    /// Sorts records stably by this column.
    pub fn sort_records(&self, records: &mut [T], descending: bool) {
        sort_by(records, |one, other| {
            let order = self.compare((one, 0), (other, 0));
            if descending { order.reverse() } else { order }
        });
    }

    /// Sorts rows of a table stably by this column.
    pub fn sort(&self, table: &T, rows: &mut [u32], descending: bool) {
        sort_by(rows, |one, other| {
            let order = self.compare((table, *one as usize), (table, *other as usize));
            let order = if descending { order.reverse() } else { order };
            order.then(one.cmp(other))
        });
    }
}

pub fn column_with_key<'c, T, M>(columns: &'c [Column<T, M>], key: &str) -> Option<&'c Column<T, M>> {
    columns.iter().find(|column| column.key == key)
}

/// Returns rows of a table as tab-separated values, with a line of column titles. `words` formats cells.
pub fn tab_separated<'c, T: 'c, M: 'c>(
    columns: impl IntoIterator<Item = &'c Column<T, M>> + Clone,
    table: &T,
    rows: impl IntoIterator<Item = usize>,
    words: impl Fn(&Column<T, M>, &Cell<'_>) -> String,
) -> String {
    let line = |cells: Vec<String>| cells.join("\t") + "\n";
    let cell = |column: &Column<T, M>, row| words(column, &(column.cell)(table, row)).replace(['\t', '\n', '\r'], " ");
    let mut text = line(columns.clone().into_iter().map(|column| column.title.to_owned()).collect());
    for row in rows {
        text += &line(columns.clone().into_iter().map(|column| cell(column, row)).collect());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = Vec<(&'static str, f64)>;

    const COLUMNS: [Column<Pairs>; 3] = [
        Column::text("name", "Name", |pairs, row| pairs.get(row).map_or("", |pair| pair.0).into()),
        Column::number("size", "Size", Unit::Weight, |pairs, row| pairs.get(row).map(|pair| pair.1).into()),
        Column::number("time", "Time", Unit::Moment, |pairs: &Pairs, row| pairs.get(row).map(|pair| pair.1).into())
            .ascending(),
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
        assert_eq!(sorted(2, false), [3, 1, 0, 2], "a time before the start is earlier");
        assert_eq!(COLUMNS.map(|column| column.sort), [Some(false), Some(true), Some(false)]);
    }

    #[test]
    fn copied_cells_are_in_one_line() {
        let pairs = vec![("a\tb\n", 1.5)];
        let text = tab_separated(&COLUMNS[..2], &pairs, 0..2, |_, cell| cell.clone().plain().into_owned());
        assert_eq!(text, "Name\tSize\na b \t1.5\n\t\n");
    }

    #[test]
    fn numbers_are_formatted_with_units() {
        let cases = [
            (Unit::Count, 1234.0, "1,234"),
            (Unit::Duration, 84_600_000.0, "84.6 ms"),
            (Unit::Moment, 1_500_000_999.0, "1.500001 s"),
            (Unit::Bytes, -89_300_000.0, "−89.3 MB"),
            (Unit::Share, 0.043, "4.3%"),
            (Unit::PerSecond, 12.5, "12.5/s"),
            (Unit::Identity, 4321.0, "4321"),
            (Unit::Offset, 20_838_932.0, "0x013DFA14"),
            (Unit::Plain, f64::NAN, "–"),
        ];
        for (unit, value, words) in cases {
            assert_eq!(Cell::Number(value).words(CellKind::Number(unit)), words);
        }
    }
}
