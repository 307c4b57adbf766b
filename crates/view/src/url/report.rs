//! State of an analysis's report in a URL: table and sort order.

use super::part::{self, UrlPart};
use crate::grid::{Arrangement, Sorted};
use protocol::request::RowOrder;
use protocol::topics::report::{ColumnHead, TableHead};

/// Number of columns shown by default, in order of importance.
pub const FEW_COLUMNS: usize = 10;

/// Table and order of a report. Tables and columns have their machine-readable names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportView {
    /// Table; empty for the first one.
    pub table: String,
    /// Sort column; empty for the default order.
    pub column: String,
    /// True to sort descending.
    pub descending: bool,
    /// True if less important columns are visible.
    pub all_columns: bool,
    pub arrangement: Arrangement,
    /// Text that rows must contain; empty for all rows.
    pub find: String,
}

impl UrlPart for ReportView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let sign = if self.descending && !self.column.is_empty() { "-" } else { "" };
        part::push_texts(
            push,
            &[
                ("table", &self.table),
                ("rows", &format!("{sign}{}", self.column)),
                ("wide", if self.all_columns { "1" } else { "" }),
                ("shown", &self.arrangement.shown.join(".")),
                ("widths", &self.arrangement.encode_widths()),
                ("find", &self.find),
            ],
        );
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "table" => value.clone_into(&mut self.table),
            "rows" => {
                let (descending, column) = value.strip_prefix('-').map_or((false, value), |column| (true, column));
                self.descending = descending && !column.is_empty();
                column.clone_into(&mut self.column);
            }
            "wide" => self.all_columns = value == "1",
            "shown" => {
                self.arrangement.shown = value.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
            }
            "widths" => self.arrangement.decode_widths(value),
            "find" => value.clone_into(&mut self.find),
            _ => return false,
        }
        true
    }

    /// Searching and resizing columns aren't steps.
    fn is_step_from(&self, before: &Self) -> bool {
        let arrangement = before.arrangement.with_widths_of(&self.arrangement);
        Self { find: self.find.clone(), arrangement, ..before.clone() } != *self
    }
}

impl ReportView {
    /// Returns the state with all columns, or with the default ones.
    pub fn with_all_columns(&self, all_columns: bool) -> Self {
        let arrangement = Arrangement { shown: Vec::new(), ..self.arrangement.clone() };
        Self { all_columns, arrangement, ..self.clone() }
    }

    /// Returns whether a table has columns that are hidden by default.
    pub fn has_more(columns: &[ColumnHead]) -> bool {
        columns.len() > FEW_COLUMNS
    }

    /// Returns the index of the visible table; the first if none has that name.
    pub fn table_of(&self, tables: &[TableHead]) -> usize {
        tables.iter().position(|table| table.key == self.table).unwrap_or(0)
    }

    /// Returns the table and order to request; `None` if the report has no table.
    pub fn order(&self, tables: &[TableHead]) -> Option<RowOrder> {
        let at = self.table_of(tables);
        let columns = &tables.get(at)?.columns;
        let column = columns.iter().position(|column| column.key == self.column);
        let column = column.and_then(|at| u8::try_from(at).ok());
        let descending = self.descending && column.is_some();
        Some(RowOrder { table: u8::try_from(at).ok()?, column, descending, find: self.find.trim().to_owned() })
    }

    /// Returns the state after selecting another table, in its default order.
    pub fn with_table(table: &TableHead) -> Self {
        Self { table: table.key.clone(), ..Self::default() }
    }

    /// Returns the order of the rows, if it isn't the default one.
    pub fn sorted(&self) -> Option<Sorted> {
        let sorted = Sorted { key: self.column.clone(), descending: self.descending };
        (!self.column.is_empty()).then_some(sorted)
    }

    /// Returns the state with another order of the rows.
    pub fn with_order(&self, Sorted { key, descending }: Sorted) -> Self {
        Self { column: key, descending, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::topics::report::{Bar, CellKind, Unit};

    fn table(key: &str) -> TableHead {
        let column = |key: &str, kind| ColumnHead { key: key.to_owned(), name: key.to_owned(), kind, bar: Bar::None };
        let columns = vec![column("name", CellKind::Text), column("bytes", CellKind::Number(Unit::Bytes))];
        TableHead { key: key.to_owned(), title: key.to_owned(), rows: 3, columns }
    }

    #[test]
    fn order_is_requested_by_index() {
        let table = table("things");
        let look = ReportView::default().with_order(Sorted { key: "bytes".to_owned(), descending: true });
        let order = RowOrder { table: 0, column: Some(1), descending: true, ..RowOrder::default() };
        assert_eq!(look.order(std::slice::from_ref(&table)), Some(order));
        assert_eq!(look.sorted(), Some(Sorted { key: "bytes".to_owned(), descending: true }));
        assert_eq!(ReportView::default().sorted(), None);
    }

    #[test]
    fn unknown_table_or_column_is_default() {
        let tables = [table("things"), table("others")];
        let (table, column, find) = ("others".to_owned(), "gone".to_owned(), " a b ".to_owned());
        let look = ReportView { table, column, descending: true, find, ..ReportView::default() };
        let words = "a b".to_owned();
        assert_eq!(look.order(&tables), Some(RowOrder { table: 1, column: None, descending: false, find: words }));
        assert_eq!(look.order(&[]), None);
        assert_eq!(ReportView { table: "gone".to_owned(), ..look }.table_of(&tables), 0);
        let other = ReportView::with_table(&tables[1]);
        assert_eq!((other.table_of(&tables), other.find.as_str()), (1, ""), "words are of one table");
    }
}
