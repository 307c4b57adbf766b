//! Columns of the table of functions on the page, and its text for the clipboard.

use super::measure::Measure;
use crate::grid::{DECIMALS, GridColumn, cell_words};
use crate::timeline::clock::ClockFace;
use protocol::stacks::function_columns::FUNCTION_COLUMNS;
use protocol::table::{Cell, CellKind, Unit, tab_separated};
use protocol::tables::Functions;

/// Returns the columns. Narrow tables show the most important ones.
pub fn function_columns() -> Vec<GridColumn> {
    let [name, module, tier, own, total, stacks, first, last] = &FUNCTION_COLUMNS;
    vec![
        GridColumn::of(name, 128.0, 3.0),
        GridColumn::of(module, 90.0, 1.2).from(480.0),
        GridColumn::of(tier, 90.0, 0.5).from(650.0),
        GridColumn::picture("bar", "Weight, as a bar", 56.0).from(400.0),
        GridColumn::text("when", "When", 76.0, 0.0).with_hint("Time on stack (scaled per row)").from(560.0),
        GridColumn::of(own, 72.0, 0.0),
        GridColumn::of(total, 72.0, 0.0).from(330.0),
        GridColumn::of(stacks, 68.0, 0.0).from(720.0),
        GridColumn::of(first, 76.0, 0.0).from(870.0),
        GridColumn::of(last, 76.0, 0.0).from(870.0),
    ]
}

/// Formats a cell; `is_compared` if weights are differences. Times have a number of decimals of a second.
pub fn function_words(
    kind: CellKind,
    cell: &Cell<'_>,
    (measure, is_compared): (Measure, bool),
    (face, decimals): (ClockFace, usize),
) -> String {
    match (kind, cell) {
        (CellKind::Number(Unit::Weight), Cell::Number(weight)) if is_compared => measure.difference_number(*weight),
        (CellKind::Number(Unit::Weight), Cell::Number(weight)) => measure.number(*weight),
        _ => cell_words(kind, cell, &face, decimals),
    }
}

/// Returns rows as tab-separated values.
pub fn functions_text(functions: &Functions, rows: &[u32], measure: Measure) -> String {
    let weights = (measure, !functions.base_exclusive.is_empty());
    tab_separated(&FUNCTION_COLUMNS, functions, rows.iter().map(|row| *row as usize), |column, cell| {
        function_words(column.kind, cell, weights, (ClockFace::default(), DECIMALS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::request::{StackSource, Weight};

    #[test]
    fn functions_are_copied_as_lines() {
        let measure = Measure::of(&StackSource::Samples, &Weight::Count);
        let functions = Functions {
            name: ["A.B()", "C"].into_iter().collect(),
            module: ["App", ""].into_iter().collect(),
            exclusive: vec![1.0, 2.0],
            inclusive: vec![1500.0, 2.0],
            tier: ["ReadyToRun", ""].into_iter().collect(),
            stacks: vec![1500, 0],
            first: vec![250_000_000, 0],
            last: vec![1_000_000_000, 0],
            ..Functions::default()
        };
        let text = functions_text(&functions, &[1, 0], measure);
        let lines: Vec<&str> = text.lines().collect();
        let head = "Function\tModule\tTier\tSelf\tTotal\tStacks\tFirst\tLast";
        let [one, other] = ["C\t\t\t2\t2\t0\t\t", "A.B()\tApp\tReadyToRun\t1\t1,500\t1,500\t0.250000 s\t1.000000 s"];
        assert_eq!(lines, [head, one, other]);
    }
}
