//! Cell texts and column widths of a report's table.

use crate::draw::units::CssPx;
use crate::grid::{DECIMALS, GridColumn, Shown, cell_words};
use crate::timeline::clock::ClockFace;
use crate::url::report::FEW_COLUMNS;
use protocol::topics::report::{Bar, CellKind, ColumnHead, Hue, ReportRows, Unit};

/// Width of a bar beside a number, for shares and for positions.
const SHARE_BAR: CssPx = 60.0;
const PLACE_BAR: CssPx = 180.0;
/// Maximum number of text columns for which the first one is much wider than the others.
const MANY_TEXTS: usize = 3;
/// Approximate width of a character of a heading, and its padding.
const CHARACTER: CssPx = 6.5;
const HEAD_ROOM: CssPx = 24.0;

/// Visible column with its index.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownColumn {
    /// Index among all columns of the table.
    pub at: usize,
    pub head: ColumnHead,
}

/// Returns the number in a cell; not finite if there is none.
fn number(page: &ReportRows, row: usize, column: usize) -> f64 {
    page.cell(row, column, CellKind::Number(Unit::Plain)).number().unwrap_or(f64::NAN)
}

/// Returns the start and length of the bar beside a number, in percent.
pub fn bar_percents(page: &ReportRows, row: usize, column: usize, bar: Bar) -> [f64; 2] {
    match bar {
        Bar::None => [0.0; 2],
        Bar::Share | Bar::ShareOfGeneration(_) => {
            let largest = page.largest.get(column).copied().unwrap_or(0.0);
            let value = number(page, row, column);
            let is_drawn = largest > 0.0 && value.is_finite();
            [0.0, if is_drawn { (value / largest * 100.0).clamp(0.0, 100.0) } else { 0.0 }]
        }
        Bar::Place => place_percents(page, row).unwrap_or([0.0; 2]),
    }
}

/// Returns the name of the color of a row's bar, if it isn't the analysis's own.
pub fn bar_hue(page: &ReportRows, row: usize, bar: Bar) -> Option<&'static str> {
    let Bar::ShareOfGeneration(column) = bar else { return None };
    let hue = match number(page, row, column.into()) {
        0.0 => Hue::Generation0,
        1.0 => Hue::Generation1,
        2.0 => Hue::Generation2,
        _ => return None,
    };
    Some(hue.slug())
}

/// Returns the position of a row's time within the enclosing interval, in percent; `None` without either.
fn place_percents(page: &ReportRows, row: usize) -> Option<[f64; 2]> {
    let [start, end, from, to] =
        [&page.start, &page.end, &page.within_start, &page.within_end].map(|times| times.get(row).copied());
    let (start, end, from, to) = (start? as f64, end? as f64, from? as f64, to? as f64);
    let percent = |at: f64| ((at - from) / (to - from) * 100.0).clamp(0.0, 100.0);
    (end >= start && to > from).then(|| [percent(start), percent(end) - percent(start)])
}

/// Returns a row as tab-separated values, for spreadsheets.
pub fn row_text(page: &ReportRows, row: usize, columns: &[ShownColumn], face: &ClockFace) -> String {
    let cell = |column: &ShownColumn| {
        let words = cell_words(column.head.kind, &page.cell(row, column.at, column.head.kind), face, DECIMALS);
        words.replace(['\t', '\n', '\r'], " ")
    };
    columns.iter().map(cell).collect::<Vec<_>>().join("\t")
}

/// Returns all rows of a page as tab-separated values, with a line of column titles.
pub fn rows_text(page: &ReportRows, columns: &[ShownColumn], face: &ClockFace) -> String {
    let titles: Vec<&str> = columns.iter().map(|column| column.head.name.as_str()).collect();
    let rows = (0..page.event.len()).map(|row| row_text(page, row, columns, face));
    std::iter::once(titles.join("\t")).chain(rows).map(|line| line + "\n").collect()
}

/// Returns the columns of a table; those beyond the first ten are hidden, unless `all` of them are wanted.
pub fn grid_columns(columns: &[ColumnHead], all: bool) -> Vec<GridColumn> {
    let texts = columns.iter().take(FEW_COLUMNS).filter(|column| column.kind == CellKind::Text).count();
    // Beside many others, the first one has less room.
    let first = if texts > MANY_TEXTS { 2.5 } else { 4.0 };
    columns.iter().enumerate().map(|(at, column)| grid_column(column, at, first, all)).collect()
}

fn grid_column(column: &ColumnHead, at: usize, first: f64, all: bool) -> GridColumn {
    let (least, share): (CssPx, f64) = match column.kind {
        CellKind::Text if at == 0 => (150.0, first),
        // Labels of threads end with their number.
        CellKind::Text if column.key == "thread" => (120.0, 2.0),
        CellKind::Text => (84.0, 2.0),
        CellKind::Number(Unit::Moment) => (112.0, 0.0),
        CellKind::Number(Unit::Share | Unit::Identity | Unit::Plain) => (72.0, 0.0),
        CellKind::Number(_) => (88.0, 0.0),
    };
    let head = column.name.chars().count() as f64 * CHARACTER + HEAD_ROOM;
    let least = least.max(if share == 0.0 { head } else { 0.0 });
    let bar = match column.bar {
        Bar::None => 0.0,
        Bar::Share | Bar::ShareOfGeneration(_) => SHARE_BAR,
        Bar::Place => PLACE_BAR,
    };
    let is_number = column.kind != CellKind::Text;
    GridColumn {
        is_number,
        sort: Some(is_number),
        shown: if all || at < FEW_COLUMNS { Shown::Always } else { Shown::Chosen },
        ..GridColumn::text(&column.key, &column.name, least + bar, share)
    }
}

/// Returns the columns with these keys, with their indices.
pub fn shown_columns(columns: &[ColumnHead], keys: &[String]) -> Vec<ShownColumn> {
    let shown = |key: &String| {
        let at = columns.iter().position(|column| column.key == *key)?;
        Some(ShownColumn { at, head: columns.get(at)?.clone() })
    };
    keys.iter().filter_map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(at: usize, name: &str, kind: CellKind, bar: Bar) -> ShownColumn {
        ShownColumn { at, head: ColumnHead { key: name.to_lowercase(), name: name.to_owned(), kind, bar } }
    }

    fn columns() -> [ShownColumn; 3] {
        [
            column(0, "Type", CellKind::Text, Bar::None),
            column(1, "Thrown", CellKind::Number(Unit::Count), Bar::Share),
            column(2, "First", CellKind::Number(Unit::Moment), Bar::None),
        ]
    }

    fn page() -> ReportRows {
        ReportRows {
            total: vec![2],
            largest: vec![0.0, 1200.0, 0.0],
            cells: vec![0.0, 1200.0, 1_500_000_000.0, f64::NAN, 300.0, f64::NAN],
            texts: ["a\tb"].into_iter().collect(),
            event: vec![0; 2],
            ..ReportRows::default()
        }
    }

    #[test]
    fn cells_have_units_and_bars_shares_of_maximum() {
        let (page, face) = (page(), ClockFace::default());
        assert_eq!(row_text(&page, 0, &columns(), &face), "a b\t1,200\t1.500000 s");
        assert_eq!(row_text(&page, 1, &columns(), &face), "\t300\t");
        assert_eq!(row_text(&page, 0, &columns()[1..2], &face), "1,200", "of what is shown, from its place");
        assert_eq!(rows_text(&page, &columns()[..2], &face), "Type\tThrown\na b\t1,200\n\t300\n");
        let share = |row, column| bar_percents(&page, row, column, Bar::Share)[1];
        assert_eq!((share(0, 1), share(1, 1)), (100.0, 25.0));
        assert_eq!((share(0, 0), share(1, 2), share(7, 9)), (0.0, 0.0, 0.0));
    }

    #[test]
    fn bar_has_color_of_generation() {
        let page = ReportRows { largest: vec![2.0, 9.0], cells: vec![2.0, 9.0, 7.0, 1.0], ..ReportRows::default() };
        let bar = Bar::ShareOfGeneration(0);
        assert_eq!([0, 1].map(|row| bar_hue(&page, row, bar)), [Some("gc2"), None]);
        assert_eq!(bar_hue(&page, 0, Bar::Share), None, "the topic's own");
        assert_eq!(bar_percents(&page, 0, 1, bar), [0.0, 100.0]);
    }

    #[test]
    fn columns_beyond_the_first_are_hidden() {
        let heads: Vec<ColumnHead> = columns().into_iter().cycle().take(12).map(|column| column.head).collect();
        let (few, all) = (grid_columns(&heads, false), grid_columns(&heads, true));
        let shown = |columns: &[GridColumn]| columns.iter().filter(|column| column.shown == Shown::Always).count();
        assert_eq!((shown(&few), shown(&all)), (10, 12));
        let widths: Vec<(CssPx, f64)> = few.iter().take(4).map(|column| (column.least, column.share)).collect();
        assert_eq!(widths, [(150.0, 2.5), (148.0, 0.0), (112.0, 0.0), (84.0, 2.0)]);
        assert_eq!((few[0].sort, few[1].sort), (Some(false), Some(true)), "numbers are sorted largest first");
        let found = shown_columns(&heads[..3], &["first", "gone", "type"].map(str::to_owned));
        assert_eq!(found.iter().map(|column| column.at).collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn place_bar_is_at_time_of_row() {
        let mut page = page();
        (page.start, page.end) = (vec![120, 150], vec![140, 149]);
        let place = |page: &ReportRows, row| bar_percents(page, row, 1, Bar::Place);
        assert_eq!(place(&page, 0), [0.0, 0.0], "of a table without what parts are within");
        (page.within_start, page.within_end) = (vec![100; 2], vec![200; 2]);
        assert_eq!(place(&page, 0), [20.0, 20.0]);
        assert_eq!(place(&page, 1), [0.0, 0.0], "it has no time");
        page.within_end[0] = 130;
        assert!((place(&page, 0)[1] - 100.0 / 3.0).abs() < 1e-9, "no further than the whole: {:?}", place(&page, 0));
    }
}
