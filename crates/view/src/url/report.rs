//! How the report of a topic is looked at, as a part of the address: which of its tables, in which order.

use protocol::request::RowOrder;
use protocol::topics::report::{CellKind, ColumnHead, TableHead};

/// Number of columns shown by default, in order of importance.
const FEW_COLUMNS: usize = 10;

/// A column that is shown, and its place in the table.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownColumn {
    /// Its place among all columns of the table.
    pub at: usize,
    /// What it is.
    pub head: ColumnHead,
}

/// Which table of a report, in which order. Tables and columns are named as they are for programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportView {
    /// The table; empty for the first.
    pub table: String,
    /// The column that it is sorted by; empty for the order that the report has its rows in.
    pub column: String,
    /// Largest first, names from Z on.
    pub descending: bool,
    /// Whether less important columns are shown.
    pub all_columns: bool,
    /// The columns that are shown, if others are than at first.
    pub only: Vec<String>,
    /// Words that each shown row has; all rows if there are none.
    pub find: String,
}

impl ReportView {
    /// Hands out the parts of an address, but for what is as in [`Default`].
    pub fn encode(&self, push: &mut impl FnMut(&str, &str)) {
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

    /// Takes a part of an address; whether it is one of these.
    pub fn decode(&mut self, key: &str, value: &str) -> bool {
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

    /// The columns of a table that are shown, in its order.
    pub fn shown(&self, columns: &[ColumnHead]) -> Vec<ShownColumn> {
        let all = columns.iter().enumerate().map(|(at, head)| ShownColumn { at, head: head.clone() });
        let chosen: Vec<ShownColumn> = all.clone().filter(|column| self.only.contains(&column.head.key)).collect();
        let few = if self.all_columns { columns.len() } else { FEW_COLUMNS };
        // Columns that another table has say nothing about this one.
        if chosen.is_empty() { all.take(few).collect() } else { chosen }
    }

    /// With a column that was not shown, or without one that was; the last one stays.
    pub fn with_column_turned(&self, columns: &[ColumnHead], key: &str) -> Self {
        let shown = self.shown(columns);
        let is_shown = |of: &str| shown.iter().any(|column| column.head.key == of);
        let keys = columns.iter().map(|column| &column.key).filter(|of| is_shown(of) != (*of == key));
        let only: Vec<String> = keys.cloned().collect();
        if only.is_empty() { self.clone() } else { Self { only, all_columns: false, ..self.clone() } }
    }

    /// With all columns, or with those that are shown at first.
    pub fn with_all_columns(&self, all_columns: bool) -> Self {
        Self { all_columns, only: Vec::new(), ..self.clone() }
    }

    /// Whether a table has columns that are not shown at first.
    pub fn has_more(columns: &[ColumnHead]) -> bool {
        columns.len() > FEW_COLUMNS
    }

    /// The place of the table that is shown; the first, if there is none of that name.
    pub fn table_of(&self, tables: &[TableHead]) -> usize {
        tables.iter().position(|table| table.key == self.table).unwrap_or(0)
    }

    /// Which rows of a report with these tables are asked for; none if it has no table.
    pub fn order(&self, tables: &[TableHead]) -> Option<RowOrder> {
        let at = self.table_of(tables);
        let columns = &tables.get(at)?.columns;
        let column = columns.iter().position(|column| column.key == self.column);
        let column = column.and_then(|at| u8::try_from(at).ok());
        let descending = self.descending && column.is_some();
        Some(RowOrder { table: u8::try_from(at).ok()?, column, descending, find: self.find.trim().to_owned() })
    }

    /// After another table was chosen: its rows are as the report has them.
    pub fn with_table(table: &TableHead) -> Self {
        Self { table: table.key.clone(), ..Self::default() }
    }

    /// After a click on the head of a column: by that, or the other way round. Of numbers the largest come first.
    pub fn clicked(&self, column: &ColumnHead) -> Self {
        let descending = match self.column == column.key {
            true => !self.descending,
            false => matches!(column.kind, CellKind::Number(_)),
        };
        Self { column: column.key.clone(), descending, ..self.clone() }
    }

    /// The value of `aria-sort` for the head of a column.
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
    fn a_click_sorts_numbers_by_the_largest_and_words_from_a_on_and_another_turns_it_round() {
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
    fn less_important_columns_are_shown_on_request() {
        let columns = vec![table("things").columns.remove(0); 12];
        let few = ReportView::default();
        assert_eq!((few.shown(&columns).len(), few.shown(&columns[..3]).len()), (10, 3));
        assert_eq!((ReportView::has_more(&columns), ReportView::has_more(&columns[..10])), (true, false));
        assert_eq!(few.with_all_columns(true).shown(&columns).len(), 12);
    }

    #[test]
    fn columns_are_taken_away_and_come_back_one_by_one() {
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
    fn what_a_report_does_not_have_is_as_at_first() {
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
