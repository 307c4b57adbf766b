//! Lists that grow by a few items per task.

use std::collections::HashSet;
use std::hash::Hash;

/// Returns the wanted items that are visible already or among the first `most` others.
pub fn nearer<K: Copy + Eq + Hash>(shown: &[K], wanted: &[K], most: usize) -> Vec<K> {
    let shown: HashSet<&K> = shown.iter().collect();
    let mut left = most;
    let mut may_come = |_: &&K| {
        let may = left > 0;
        left -= usize::from(may);
        may
    };
    wanted.iter().filter(|item| shown.contains(item) || may_come(item)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::nearer;

    #[test]
    fn new_items_per_task_are_limited() {
        assert_eq!(nearer(&[], &[1, 2, 3], 2), [1, 2]);
        assert_eq!(nearer(&[1, 2], &[1, 2, 3], 2), [1, 2, 3]);
        assert_eq!(nearer(&[7, 8], &[1, 7, 2, 8, 3], 2), [1, 7, 2, 8], "what is shown stays, in the new order");
        assert_eq!(nearer(&[7], &[1], 0), [0; 0]);
    }
}
