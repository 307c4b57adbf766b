//! Sorting the rows of a tree.

use protocol::base::sort::sort_by;
use std::cmp::Ordering;

/// Sorts the rows of a tree stably, each among its siblings. Rows are in depth-first order; `level` returns their depth.
pub fn sort_tree<R>(rows: Vec<R>, level: fn(&R) -> u32, compare: &dyn Fn(&R, &R) -> Ordering) -> Vec<R> {
    let Some(top) = rows.iter().map(level).min() else { return rows };
    // Each top row with the rows below it.
    let mut parts: Vec<(R, Vec<R>)> = Vec::new();
    for row in rows {
        match parts.last_mut().filter(|_| level(&row) > top) {
            Some((_, below)) => below.push(row),
            None => parts.push((row, Vec::new())),
        }
    }
    sort_by(&mut parts, |one, other| compare(&one.0, &other.0));
    let sorted = parts.into_iter().map(|(row, below)| (row, sort_tree(below, level, compare)));
    sorted.flat_map(|(row, below)| std::iter::once(row).chain(below)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_among_siblings() {
        let rows = vec![(1, 'b'), (2, 'd'), (3, 'z'), (2, 'c'), (1, 'a'), (2, 'y'), (2, 'x')];
        let sorted = sort_tree(rows, |row| row.0, &|one, other| one.1.cmp(&other.1));
        assert_eq!(sorted, [(1, 'a'), (2, 'x'), (2, 'y'), (1, 'b'), (2, 'c'), (2, 'd'), (3, 'z')]);
        assert!(sort_tree(Vec::<(u32, char)>::new(), |row| row.0, &|_, _| Ordering::Equal).is_empty());
    }
}
