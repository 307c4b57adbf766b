//! Tables of reports: columns of numbers and texts, sorted by any column, page by page.

use super::thread_names::thread_name;
use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::scan::text_match::Needle;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sorted_positions;
use protocol::base::time::Span;
use protocol::table::Cell;
use protocol::topics::report::{Bar, CellKind, ColumnHead, NO_ROW_EVENT, ReportRows, TableHead, Unit};
use std::cmp::Ordering;

/// What a row leads to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowTarget {
    pub event: Option<EventId>,
    /// The time of the row.
    pub span: Option<Span>,
    /// Condition that filters to the row, in the filter language; may be empty.
    pub condition: String,
}

impl RowTarget {
    /// Returns the target of a row about an event.
    pub fn of(event: impl Into<Option<EventId>>) -> Self {
        Self { event: event.into(), ..Self::default() }
    }

    /// Adds the time of the row.
    pub fn over(self, span: impl Into<Option<Span>>) -> Self {
        Self { span: span.into(), ..self }
    }

    /// Adds the condition that filters to the row.
    pub fn filtered(self, condition: impl Into<String>) -> Self {
        Self { condition: condition.into(), ..self }
    }
}

/// A table with all its rows.
#[derive(Debug, Default)]
pub struct Table {
    key: &'static str,
    title: &'static str,
    columns: Vec<ColumnHead>,
    /// One list per column, with one value per row: a number, or the position of a text.
    cells: Vec<Vec<f64>>,
    texts: Texts,
    event: Vec<u32>,
    span: Vec<Span>,
    /// One per row: the time that contains the row's time; empty in tables without places.
    within: Vec<Span>,
    /// Positions of conditions in the texts.
    condition: Vec<u32>,
}

/// A table under construction: each column has its heading and, as a function, its cell of a row.
pub struct Columns<'r, R> {
    table: Table,
    rows: &'r [R],
}

impl<'r, R> Columns<'r, R> {
    /// Adds a text column.
    pub fn words<'c, C: Into<Cell<'c>>>(self, key: &str, name: &str, cell: impl FnMut(&'r R) -> C) -> Self {
        self.column((key, name, CellKind::Text, Bar::None), cell)
    }

    /// Adds a column of numbers.
    pub fn numbers<'c, C: Into<Cell<'c>>>(
        self,
        key: &str,
        name: &str,
        unit: Unit,
        cell: impl FnMut(&'r R) -> C,
    ) -> Self {
        self.column((key, name, CellKind::Number(unit), Bar::None), cell)
    }

    /// Adds a column of numbers with bars beside them.
    pub fn bars<'c, C: Into<Cell<'c>>>(self, key: &str, name: &str, unit: Unit, cell: impl FnMut(&'r R) -> C) -> Self {
        self.column((key, name, CellKind::Number(unit), Bar::Share), cell)
    }

    /// Adds a column of durations with bars in the colors of the generations in the existing column `generation`.
    pub fn pauses(self, key: &str, name: &str, cell: impl Fn(&'r R) -> i64) -> Self {
        let at = self.table.columns.iter().position(|column| column.key == "generation");
        let bar = at.map_or(Bar::Share, |at| Bar::ShareOfGeneration(at as u8));
        self.column((key, name, CellKind::Number(Unit::Duration), bar), cell)
    }

    /// Adds a column of durations, with the position of the row's time within the time that contains it.
    pub fn places<'c, C: Into<Cell<'c>>>(
        mut self,
        key: &str,
        name: &str,
        cell: impl FnMut(&'r R) -> C,
        within: impl Fn(&'r R) -> Span,
    ) -> Self {
        self.table.within = self.rows.iter().map(within).collect();
        self.column((key, name, CellKind::Number(Unit::Duration), Bar::Place), cell)
    }

    /// Adds a column of the names of threads.
    pub fn threads<T: Into<Option<ThreadId>>>(
        self,
        key: &str,
        name: &str,
        store: &Store,
        thread: impl Fn(&'r R) -> T,
    ) -> Self {
        // A table has many rows of few threads.
        let mut names: FastMap<Option<ThreadId>, String> = FastMap::default();
        self.words(key, name, |row| {
            let thread = thread(row).into();
            names.entry(thread).or_insert_with(|| thread_name(store, thread)).clone()
        })
    }

    fn column<'c, C: Into<Cell<'c>>>(
        mut self,
        (key, name, kind, bar): (&str, &str, CellKind, Bar),
        mut cell: impl FnMut(&'r R) -> C,
    ) -> Self {
        self.table.columns.push(ColumnHead { key: key.to_owned(), name: name.to_owned(), kind, bar });
        let mut values = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            values.push(self.table.value_of(&cell(row).into()));
        }
        self.table.cells.push(values);
        self
    }

    /// Returns the table, and gives each row its target.
    pub fn target(mut self, target: impl FnMut(&'r R) -> RowTarget) -> Table {
        for target in self.rows.iter().map(target) {
            self.table.event.push(target.event.map_or(NO_ROW_EVENT, |event| event.0));
            self.table.span.push(target.span.unwrap_or(Span::new(0, -1)));
            let condition = self.table.texts.position(&target.condition);
            self.table.condition.push(condition);
        }
        self.table
    }
}

impl Table {
    /// Starts a table with a key, a title for users, and these rows.
    pub fn of<'r, R>(key: &'static str, title: &'static str, rows: &'r [R]) -> Columns<'r, R> {
        Columns { table: Self { key, title, ..Self::default() }, rows }
    }

    /// Returns how a cell is stored.
    fn value_of(&mut self, cell: &Cell<'_>) -> f64 {
        match cell {
            Cell::Text(words) => f64::from(self.texts.position(words)),
            cell => cell.number().unwrap_or(f64::NAN),
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.event.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.event.is_empty()
    }

    /// Returns the table without its rows.
    pub fn head(&self) -> TableHead {
        TableHead {
            key: self.key.to_owned(),
            title: self.title.to_owned(),
            rows: self.len() as u64,
            columns: self.columns.clone(),
        }
    }

    /// Returns the positions of the rows sorted by a column. Empty cells come last; equal rows stay in their order.
    pub fn order(&self, column: Option<u8>, descending: bool) -> Vec<u32> {
        let column = column.map(usize::from);
        let Some((cells, head)) = column.and_then(|at| Some((self.cells.get(at)?, self.columns.get(at)?))) else {
            return (0..self.len() as u32).collect();
        };
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        sorted_positions(self.len(), &|one, other| {
            let (one, other) = (cells[one as usize], cells[other as usize]);
            match (one.is_finite(), other.is_finite(), head.kind) {
                (true, true, CellKind::Text) => turned(self.text(one).cmp(self.text(other))),
                (true, true, CellKind::Number(_)) => turned(one.total_cmp(&other)),
                (one, other, _) => other.cmp(&one),
            }
        })
    }

    /// Returns, for each row, whether each of these words is in one of its displayed cells. Numbers are searched only
    /// for words with digits, and timestamps never, because the user chooses the clock that formats them. `None` if
    /// there are no words.
    pub fn found(&self, words: &str) -> Option<Vec<bool>> {
        let needles: Vec<Needle> = words.split_whitespace().filter_map(Needle::new).collect();
        let has_digits = words.bytes().any(|byte| byte.is_ascii_digit());
        let mut found = vec![true; self.len()];
        for needle in &needles {
            let in_texts: Vec<bool> = self.texts.iter().map(|text| needle.is_in(text)).collect();
            let mut is_there = vec![false; self.len()];
            for (head, cells) in self.columns.iter().zip(&self.cells) {
                let is_in = |cell: f64| match head.kind {
                    CellKind::Text => in_texts.get(cell as usize).copied().unwrap_or(false),
                    CellKind::Number(Unit::Moment) => false,
                    CellKind::Number(unit) => has_digits && needle.is_in(&unit.words(cell)),
                };
                let cells = is_there.iter_mut().zip(cells);
                cells.for_each(|(is_there, cell)| *is_there = *is_there || cell.is_finite() && is_in(*cell));
            }
            found.iter_mut().zip(is_there).for_each(|(found, is_there)| *found &= is_there);
        }
        (!needles.is_empty()).then_some(found)
    }

    /// Returns the rows at these positions.
    pub fn rows(&self, positions: &[u32]) -> ReportRows {
        let mut page = ReportRows { total: vec![self.len() as u64], ..ReportRows::default() };
        let is_text = |at: usize| self.columns[at].kind == CellKind::Text;
        let largest = |(at, cells): (usize, &Vec<f64>)| match is_text(at) {
            true => 0.0,
            false => cells.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max),
        };
        page.largest = self.cells.iter().enumerate().map(largest).collect();
        let mut sent: FastMap<u32, u32> = FastMap::default();
        for &position in positions {
            let row = position as usize;
            for (at, cells) in self.cells.iter().enumerate() {
                let cell = cells[row];
                page.cells.push(match is_text(at) && cell.is_finite() {
                    true => {
                        let words = self.text(cell);
                        f64::from(*sent.entry(cell as u32).or_insert_with(|| page.texts.push(words)))
                    }
                    false => cell,
                });
            }
            page.event.push(self.event[row]);
            page.start.push(self.span[row].start.0);
            page.end.push(self.span[row].end.0);
            if let Some(within) = self.within.get(row) {
                page.within_start.push(within.start.0);
                page.within_end.push(within.end.0);
            }
            page.condition.push(self.text(self.condition[row].into()));
        }
        page
    }

    fn text(&self, position: f64) -> &str {
        self.texts.get(position as u32)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.len() * (self.cells.len() * size_of::<f64>() + size_of::<Span>() + 2 * size_of::<u32>())
            + self.within.len() * size_of::<Span>()
            + self.texts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = [("b", Some(2.0)), ("a", None), ("c", Some(7.0)), ("a", Some(2.0))];
        Table::of("things", "Things", &rows)
            .words("name", "Name", |row| row.0)
            .bars("bytes", "Bytes", Unit::Bytes, |row| row.1)
            .target(|_| RowTarget::default())
    }

    #[test]
    fn rows_are_sorted_with_empty_cells_last() {
        let table = table();
        assert_eq!(table.order(None, false), [0, 1, 2, 3]);
        assert_eq!(table.order(Some(0), false), [1, 3, 0, 2]);
        assert_eq!(table.order(Some(1), true), [2, 0, 3, 1]);
        assert_eq!(table.order(Some(1), false), [0, 3, 2, 1]);
    }

    #[test]
    fn rows_are_found_by_words_in_any_cell() {
        let table = table();
        let found = |words: &str| {
            let found = table.found(words).expect("there are words");
            found.into_iter().enumerate().filter(|(_, found)| *found).map(|(row, _)| row).collect::<Vec<_>>()
        };
        assert_eq!(found("A"), [1, 3]);
        assert_eq!(found("2"), [0, 3], "numbers as they are read");
        assert_eq!(found(" a  2 b "), [3], "each word somewhere in the row");
        assert_eq!(found("x"), [0; 0]);
        assert_eq!(table.found("  "), None);
    }

    #[test]
    fn page_has_deduplicated_texts_and_maximum_of_all_rows() {
        let page = table().rows(&[1, 3]);
        assert_eq!((page.total[0], page.largest), (4, vec![0.0, 7.0]));
        assert_eq!(page.texts.iter().collect::<Vec<_>>(), ["a"]);
        assert_eq!((page.cells[0], page.cells[2], page.cells[3]), (0.0, 0.0, 2.0));
        assert!(page.cells[1].is_nan());
        assert_eq!(page.event, [NO_ROW_EVENT; 2]);
        assert!(page.start[0] > page.end[0], "it has no time");
    }
}
