//! Columns of the table of functions.

use super::tables::Functions;
use crate::table::{Cell, Column, Unit};

/// Columns of the table of functions, in default order.
pub const FUNCTION_COLUMNS: [Column<Functions>; 8] = [
    Column::text("name", "Function", |table, row| table.name.get(row).into()),
    Column::text("module", "Module", |table, row| table.module.get(row).into()),
    Column::text("tier", "Tier", |table, row| table.tier.get(row).into()),
    Column::number("self", "Self", Unit::Weight, |table, row| weight(&table.exclusive, &table.base_exclusive, row)),
    Column::number("total", "Total", Unit::Weight, |table, row| weight(&table.inclusive, &table.base_inclusive, row)),
    Column::number("stacks", "Stacks", Unit::Count, |table, row| table.stacks.get(row).copied().into()),
    Column::number("first", "First", Unit::Moment, |table: &Functions, row| time(&table.first, table, row)).ascending(),
    Column::number("last", "Last", Unit::Moment, |table, row| time(&table.last, table, row)),
];

/// Returns a weight, or its difference from the baseline if there is one.
fn weight(now: &[f64], baseline: &[f64], row: usize) -> Cell<'static> {
    let before = baseline.get(row).copied().unwrap_or(0.0);
    now.get(row).map(|now| now - before).into()
}

/// Returns a time; none for a function without stacks.
fn time(times: &[i64], table: &Functions, row: usize) -> Cell<'static> {
    let has_stacks = table.stacks.get(row).is_some_and(|stacks| *stacks > 0);
    times.get(row).copied().filter(|_| has_stacks).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted_by_any_column() {
        let functions = Functions {
            name: ["b", "a", "c"].into_iter().collect(),
            module: ["z", "z", "y"].into_iter().collect(),
            tier: ["Tier 1", "ReadyToRun", "Tier 0"].into_iter().collect(),
            exclusive: vec![3.0, 1.0, 2.0],
            inclusive: vec![3.0, 9.0, 9.0],
            stacks: vec![1, 5, 2],
            first: vec![30, 20, 10],
            last: vec![50, 40, 60],
            ..Functions::default()
        };
        let sorted: Vec<Vec<u32>> = FUNCTION_COLUMNS
            .iter()
            .map(|column| {
                let mut rows = vec![0, 1, 2];
                column.sort(&functions, &mut rows, column.sort == Some(true));
                rows
            })
            .collect();
        let by_text: [[u32; 3]; 3] = [[1, 0, 2], [2, 0, 1], [1, 2, 0]];
        assert_eq!(sorted[..3], by_text);
        let by_number: [[u32; 3]; 5] = [[0, 2, 1], [1, 2, 0], [1, 2, 0], [2, 1, 0], [2, 0, 1]];
        assert_eq!(sorted[3..], by_number, "the earliest first, the latest first");
    }

    #[test]
    fn weights_of_a_comparison_are_differences() {
        let functions =
            Functions { exclusive: vec![3.0, 1.0, 2.0], base_exclusive: vec![2.0, 7.0, 2.0], ..Functions::default() };
        let mut rows = vec![0, 1, 2];
        FUNCTION_COLUMNS[3].sort(&functions, &mut rows, true);
        assert_eq!(rows, [1, 0, 2]);
        assert_eq!((FUNCTION_COLUMNS[3].cell)(&functions, 1), Cell::Number(-6.0));
    }
}
