//! Stacks as text for the clipboard.

use super::measure::Measure;
use super::tree_rows::TreeRows;
use crate::format;
use protocol::tables::Functions;
use std::fmt::Write;

/// Decimals of a second.
const DECIMALS: usize = 6;

/// Returns rows of a function table as tab-separated values.
pub fn functions_text(functions: &Functions, rows: &[u32], measure: Measure) -> String {
    let mut text = String::from("Function\tModule\tTier\tSelf\tTotal\tStacks\tFirst\tLast\n");
    for row in rows.iter().map(|row| *row as usize) {
        let words = |column: &[f64]| measure.number(column.get(row).copied().unwrap_or(0.0));
        let (name, module) = (functions.name.get(row), functions.module.get(row));
        let (own, total) = (words(&functions.exclusive), words(&functions.inclusive));
        let count = functions.stacks.get(row).copied().unwrap_or(0);
        let time = |column: &[i64]| column.get(row).filter(|_| count > 0).map(|at| format::seconds(*at, DECIMALS));
        let [first, last] = [&functions.first, &functions.last].map(|column| time(column).unwrap_or_default());
        let (tier, stacks) = (functions.tier.get(row), format::count(count));
        // Writing to a string can't fail.
        let _ = writeln!(text, "{name}\t{module}\t{tier}\t{own}\t{total}\t{stacks}\t{first}\t{last}");
    }
    text
}

/// Returns the visible rows of a tree, indented by level.
pub fn tree_text(rows: &TreeRows, measure: Measure) -> String {
    let mut text = String::from("Total\tShare\tSelf\tFunction\n");
    for row in &rows.rows {
        let (total, share) = (measure.number(row.inclusive), format::percent(row.inclusive, rows.total));
        let indent = "  ".repeat(row.level.saturating_sub(1) as usize);
        let _ = writeln!(text, "{total}\t{share}\t{}\t{indent}{}", measure.number(row.exclusive), row.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::request::{StackSource, Weight};
    use protocol::tables::CallNodes;

    #[test]
    fn tables_are_copied_as_lines() {
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
        let nodes = |name: &str| CallNodes {
            total: vec![4.0],
            function: vec![1],
            inclusive: vec![2.0],
            exclusive: vec![1.0],
            has_children: vec![1],
            name: [name].into_iter().collect(),
            ..CallNodes::default()
        };
        let mut rows = TreeRows::top(&nodes("outer"), None);
        rows.expand(&[1], &nodes("inner"));
        assert_eq!(tree_text(&rows, measure).lines().last(), Some("2\t50%\t1\t  inner"));
    }
}
