//! Stacks as text for the clipboard.

use super::measure::Measure;
use super::tree_rows::TreeRows;
use crate::format;
use std::fmt::Write;

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
    fn tree_is_copied_as_indented_lines() {
        let measure = Measure::of(&StackSource::Samples, &Weight::Count);
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
