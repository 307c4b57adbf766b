//! State of an analysis's report in a URL: table and sort order.

use super::part::UrlPart;
use protocol::request::RowOrder;
use protocol::topics::report::{CellKind, ColumnHead, TableHead};

/// Number of columns shown by default, in order of importance.
const FEW_COLUMNS: usize = 10;

/// Visible column with its index.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownColumn {
    /// Index among all columns of the table.
    pub at: usize,
    /// Column.
    pub head: ColumnHead,
}

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
    /// Visible columns, if they differ from the default ones.
    pub only: Vec<String>,
    /// Text that rows must contain; empty for all rows.
    pub find: String,
}

impl UrlPart for ReportView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        if !self.table.is_empty() {
            push("table", &self.table);
        }
        if !self.column.is_empty() {
            push("rows", &format!("{}{}", if self.descending { "-" } else { "" }, self.column));
        }
        if self.all_columns {
            push("wide", "1");
        }
        if !self.only.is_empty() {
            push("shown", &self.only.join("."));
        }
        if !self.find.is_empty() {
            push("find", &self.find);
        }
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
            "shown" => self.only = value.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect(),
            "find" => value.clone_into(&mut self.find),
            _ => return false,
        }
        true
    }

    /// Searching isn't a step.
    fn is_step_from(&self, before: &Self) -> bool {
        Self { find: self.find.clone(), ..before.clone() } != *self
    }
}

impl ReportView {
    /// Returns the visible columns of a table, in its order.
    pub fn shown(&self, columns: &[ColumnHead]) -> Vec<ShownColumn> {
        let all = columns.iter().enumerate().map(|(at, head)| ShownColumn { at, head: head.clone() });
        let chosen: Vec<ShownColumn> = all.clone().filter(|column| self.only.contains(&column.head.key)).collect();
        let few = if self.all_columns { columns.len() } else { FEW_COLUMNS };
        // Columns of another table have no effect on this one.
        if chosen.is_empty() { all.take(few).collect() } else { chosen }
    }

    /// Returns the state with a column toggled; the last one stays.
    pub fn with_column_turned(&self, columns: &[ColumnHead], key: &str) -> Self {
        let shown = self.shown(columns);
        let is_shown = |of: &str| shown.iter().any(|column| column.head.key == of);
        let keys = columns.iter().map(|column| &column.key).filter(|of| is_shown(of) != (*of == key));
        let only: Vec<String> = keys.cloned().collect();
        if only.is_empty() { self.clone() } else { Self { only, all_columns: false, ..self.clone() } }
    }

    /// Returns the state with all columns, or with the default ones.
    pub fn with_all_columns(&self, all_columns: bool) -> Self {
        Self { all_columns, only: Vec::new(), ..self.clone() }
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

    /// Returns the state after a click on a column heading: sorted by it, or reversed. Numbers are sorted descending
    /// first.
    pub fn clicked(&self, column: &ColumnHead) -> Self {
        let descending = match self.column == column.key {
            true => !self.descending,
            false => matches!(column.kind, CellKind::Number(_)),
        };
        Self { column: column.key.clone(), descending, ..self.clone() }
    }

    /// Returns the value of `aria-sort` for a column heading.
    pub fn aria_sort(&self, column: &ColumnHead) -> &'static str {
        match (self.column == column.key, self.descending) {
            (false, _) => "none",
            (true, false) => "ascending",
            (true, true) => "descending",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::topics::report::{Bar, Unit};

    fn table(key: &str) -> TableHead {
        let column = |key: &str, kind| ColumnHead { key: key.to_owned(), name: key.to_owned(), kind, bar: Bar::None };
        let columns = vec![column("name", CellKind::Text), column("bytes", CellKind::Number(Unit::Bytes))];
        TableHead { key: key.to_owned(), title: key.to_owned(), rows: 3, columns }
    }

    #[test]
    fn click_sorts_numbers_descending_and_second_click_reverses() {
        let table = table("things");
        let look = ReportView::default().clicked(&table.columns[1]);
        assert_eq!(
            look.order(std::slice::from_ref(&table)),
            Some(RowOrder { table: 0, column: Some(1), descending: true, ..RowOrder::default() })
        );
        assert_eq!((look.aria_sort(&table.columns[1]), look.aria_sort(&table.columns[0])), ("descending", "none"));
        assert_eq!(look.clicked(&table.columns[1]).aria_sort(&table.columns[1]), "ascending");
        assert_eq!(look.clicked(&table.columns[0]).aria_sort(&table.columns[0]), "ascending");
    }

    #[test]
    fn all_columns_are_shown_on_request() {
        let columns = vec![table("things").columns.remove(0); 12];
        let few = ReportView::default();
        assert_eq!((few.shown(&columns).len(), few.shown(&columns[..3]).len()), (10, 3));
        assert_eq!((ReportView::has_more(&columns), ReportView::has_more(&columns[..10])), (true, false));
        assert_eq!(few.with_all_columns(true).shown(&columns).len(), 12);
    }

    #[test]
    fn columns_are_toggled_individually() {
        let columns = table("things").columns;
        let keys =
            |look: &ReportView| look.shown(&columns).into_iter().map(|one| (one.at, one.head.key)).collect::<Vec<_>>();
        let look = ReportView::default().with_column_turned(&columns, "name");
        assert_eq!(keys(&look), [(1, "bytes".to_owned())]);
        assert_eq!(look.with_column_turned(&columns, "bytes"), look, "the last one stays");
        assert_eq!(keys(&look.with_column_turned(&columns, "name")), keys(&ReportView::default()));
        assert_eq!(keys(&look.with_all_columns(false)), keys(&ReportView::default()));
        let others = ReportView { only: vec!["gone".to_owned()], ..ReportView::default() };
        assert_eq!(keys(&others), keys(&ReportView::default()));
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
