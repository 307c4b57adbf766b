//! Columns as a grid draws them, and the order of its rows.

use crate::draw::units::CssPx;
use crate::timeline::clock::ClockFace;
use protocol::table::{Cell, CellKind, Column, Unit};
use std::cmp::Ordering;

/// When a column is visible, unless users choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shown {
    /// By default.
    #[default]
    Always,
    /// After users chose it.
    Chosen,
    /// After users added it; it then stays when the columns are reset.
    Added,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GridColumn {
    /// Machine-readable name, in URLs and style sheets.
    pub key: String,
    pub title: String,
    /// Test ID of the heading; empty for that of the grid with `-sort-` and the key.
    pub testid: &'static str,
    /// Tooltip of the heading.
    pub hint: &'static str,
    /// True if the column contains numbers, which are aligned at their right.
    pub is_number: bool,
    /// True if only screen readers get the title: the cells are pictures.
    pub is_silent: bool,
    /// Minimum width.
    pub least: CssPx,
    /// Share of the remaining width; 0 for a fixed width.
    pub share: f64,
    /// Width of the grid from which the column is visible.
    pub from: CssPx,
    /// Whether the first click sorts descending; `None` if clicks don't sort.
    pub sort: Option<bool>,
    /// When the column is visible.
    pub shown: Shown,
}

impl GridColumn {
    /// Returns a text column that takes a share of the remaining width.
    pub fn text(key: impl Into<String>, title: impl Into<String>, least: CssPx, share: f64) -> Self {
        Self {
            key: key.into(),
            testid: "",
            title: title.into(),
            hint: "",
            is_number: false,
            is_silent: false,
            least,
            share,
            from: 0.0,
            sort: None,
            shown: Shown::Always,
        }
    }

    /// Returns a declared column with a minimum width and a share of the remaining width. Clicks sort.
    pub fn of<T, M>(column: &Column<T, M>, least: CssPx, share: f64) -> Self {
        Self {
            is_number: column.kind != CellKind::Text,
            sort: column.sort,
            ..Self::text(column.key, column.title, least, share)
        }
    }

    /// Returns a column of numbers with a fixed width.
    pub fn number(key: impl Into<String>, title: impl Into<String>, width: CssPx) -> Self {
        Self { is_number: true, ..Self::text(key, title, width, 0.0) }
    }

    /// Returns a column of pictures with a fixed width.
    pub fn picture(key: impl Into<String>, title: impl Into<String>, width: CssPx) -> Self {
        Self { is_silent: true, ..Self::text(key, title, width, 0.0) }
    }

    /// Returns the column, visible in grids from this width on.
    pub fn from(self, from: CssPx) -> Self {
        Self { from, ..self }
    }

    /// Returns the column with a tooltip.
    pub fn with_hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Returns the column with another test ID of its heading.
    pub fn with_testid(self, testid: &'static str) -> Self {
        Self { testid, ..self }
    }

    /// Returns the column, hidden until users choose it.
    pub fn chosen(self) -> Self {
        Self { shown: Shown::Chosen, ..self }
    }

    /// Returns the column, aligned at its left.
    pub fn left(self) -> Self {
        Self { is_number: false, ..self }
    }

    /// Returns the column, sorted by clicks: smallest first.
    pub fn ascending(self) -> Self {
        Self { sort: Some(false), ..self }
    }

    /// Returns the column, sorted by clicks: largest first.
    pub fn descending(self) -> Self {
        Self { sort: Some(true), ..self }
    }
}

/// Formats a number; "–" if it isn't finite. Times have the format of the page.
pub fn number_words(value: f64, unit: Unit, face: &ClockFace, decimals: usize) -> String {
    match unit {
        Unit::Moment if value.is_finite() => face.moment(value as i64, decimals),
        unit => unit.words(value),
    }
}

/// Formats a cell. Times have the format of the page.
pub fn cell_words(kind: CellKind, cell: &Cell<'_>, face: &ClockFace, decimals: usize) -> String {
    match (kind, cell) {
        (_, Cell::Range(start, end)) => face.range(*start, *end),
        (CellKind::Number(Unit::Moment), Cell::Integer(at)) => face.moment(*at, decimals),
        (CellKind::Number(unit), Cell::Number(number)) => number_words(*number, unit, face, decimals),
        _ => cell.words(kind),
    }
}

/// Order of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sorted {
    pub key: String,
    /// True if the order is descending.
    pub descending: bool,
}

impl Sorted {
    /// Returns the order by a column.
    pub fn by(key: impl Into<String>, descending: bool) -> Self {
        Self { key: key.into(), descending }
    }

    /// Returns the order of two rows whose cells compare like this.
    pub fn turned(&self, order: Ordering) -> Ordering {
        if self.descending { order.reverse() } else { order }
    }

    /// Returns the order after a click on a heading: by that column, or reversed if it was sorted by it. `None` if the
    /// column isn't sortable.
    pub fn clicked(before: Option<&Self>, column: &GridColumn) -> Option<Self> {
        let first = column.sort?;
        let descending = before.filter(|before| before.key == column.key).map_or(first, |before| !before.descending);
        Some(Self { key: column.key.clone(), descending })
    }

    /// Returns the value of `aria-sort` for a heading; `None` if the column isn't sortable.
    pub fn aria(now: Option<&Self>, column: &GridColumn) -> Option<&'static str> {
        column.sort?;
        Some(match now.filter(|now| now.key == column.key).map(|now| now.descending) {
            None => "none",
            Some(false) => "ascending",
            Some(true) => "descending",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_click_reverses_order() {
        let (name, size) =
            (GridColumn::text("name", "Name", 90.0, 1.0).ascending(), GridColumn::number("size", "Size", 90.0));
        let size = size.descending();
        let by_size = Sorted::clicked(None, &size);
        assert_eq!(by_size, Some(Sorted { key: "size".to_owned(), descending: true }));
        assert_eq!(Sorted::aria(by_size.as_ref(), &size), Some("descending"));
        assert_eq!(Sorted::aria(by_size.as_ref(), &name), Some("none"));
        let reversed = Sorted::clicked(by_size.as_ref(), &size);
        assert_eq!(Sorted::aria(reversed.as_ref(), &size), Some("ascending"));
        let by_name = Sorted::clicked(reversed.as_ref(), &name);
        assert_eq!(Sorted::aria(by_name.as_ref(), &name), Some("ascending"));
        let plain = GridColumn::picture("bar", "Share", 60.0);
        assert_eq!((Sorted::clicked(None, &plain), Sorted::aria(None, &plain)), (None, None));
    }
}
