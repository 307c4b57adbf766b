//! Sort order of the function table.

use protocol::base::sort::sort_by;
use protocol::tables::Functions;
use std::cmp::Ordering;

/// Sort key of the function table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionColumn {
    /// Readable name.
    Name,
    /// Module.
    Module,
    /// JIT tier.
    Tier,
    /// Exclusive weight.
    Own,
    /// Inclusive weight.
    Total,
    /// Number of stacks.
    Stacks,
    /// Time of the first stack.
    First,
    /// Time of the last stack.
    Last,
}

/// Sort order of the function table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionSort {
    /// Sort key.
    pub column: FunctionColumn,
    /// True to sort descending.
    pub descending: bool,
}

impl Default for FunctionSort {
    fn default() -> Self {
        Self::by(FunctionColumn::Own)
    }
}

impl FunctionSort {
    /// Returns the default order of a column: names and times ascending, numbers descending.
    fn by(column: FunctionColumn) -> Self {
        use FunctionColumn::{First, Module, Name, Tier};
        Self { column, descending: !matches!(column, Name | Module | Tier | First) }
    }

    /// Returns the order after a click on a column: by that column, or reversed if it was sorted by it.
    pub fn chosen(self, column: FunctionColumn) -> Self {
        if self.column == column { Self { descending: !self.descending, ..self } } else { Self::by(column) }
    }

    /// Sorts rows of a table, stably.
    pub fn sort(self, functions: &Functions, rows: &mut [u32]) {
        let compare = |one: usize, other: usize| match self.column {
            FunctionColumn::Name => functions.name.get(one).cmp(functions.name.get(other)),
            FunctionColumn::Module => functions.module.get(one).cmp(functions.module.get(other)),
            FunctionColumn::Tier => functions.tier.get(one).cmp(functions.tier.get(other)),
            FunctionColumn::Own => by_number(&functions.exclusive, &functions.base_exclusive, one, other),
            FunctionColumn::Total => by_number(&functions.inclusive, &functions.base_inclusive, one, other),
            FunctionColumn::Stacks => functions.stacks.get(one).cmp(&functions.stacks.get(other)),
            FunctionColumn::First => functions.first.get(one).cmp(&functions.first.get(other)),
            FunctionColumn::Last => functions.last.get(one).cmp(&functions.last.get(other)),
        };
        sort_by(rows, |one, other| {
            let order = compare(*one as usize, *other as usize);
            let order = if self.descending { order.reverse() } else { order };
            order.then(one.cmp(other))
        });
    }
}

/// Compares by value, or by difference if there is a baseline.
fn by_number(column: &[f64], of_baseline: &[f64], one: usize, other: usize) -> Ordering {
    let value = |row: usize| {
        let now = column.get(row).copied().unwrap_or(0.0);
        of_baseline.get(row).map_or(now, |before| (now - before).abs())
    };
    value(one).total_cmp(&value(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_any_column_in_both_directions() {
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
        let sorted = |sort: FunctionSort| {
            let mut rows = vec![0, 1, 2];
            sort.sort(&functions, &mut rows);
            rows
        };
        let start = FunctionSort::default();
        assert_eq!(sorted(start), [0, 2, 1]);
        assert_eq!(sorted(start.chosen(FunctionColumn::Own)), [1, 2, 0]);
        assert_eq!(sorted(start.chosen(FunctionColumn::Total)), [1, 2, 0], "equal ones stay as they are");
        assert_eq!(sorted(start.chosen(FunctionColumn::Name)), [1, 0, 2]);
        assert_eq!(sorted(start.chosen(FunctionColumn::Module)), [2, 0, 1]);
        assert_eq!(sorted(start.chosen(FunctionColumn::Tier)), [1, 2, 0]);
        assert_eq!(sorted(start.chosen(FunctionColumn::Stacks)), [1, 2, 0]);
        assert_eq!(sorted(start.chosen(FunctionColumn::First)), [2, 1, 0], "the earliest first");
        assert_eq!(sorted(start.chosen(FunctionColumn::Last)), [2, 0, 1], "the latest first");
    }
}
