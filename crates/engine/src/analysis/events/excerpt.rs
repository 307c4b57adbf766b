//! Which events a part of a trace needs: those that are wanted, and those without which they could not be understood.

use crate::analysis::scan::selection::Selection;
use crate::model::{EventType, Store};

/// Where the payloads of these events begin in the file, ascending: the selected ones, and those that name code,
/// modules, threads, types and the process, whenever they were recorded.
pub fn needed_payloads(store: &Store, selection: &Selection) -> Vec<u64> {
    let explains: Vec<bool> = store.types().iter().map(explains_others).collect();
    let mut offsets = Vec::new();
    for chunk in store.events().chunks() {
        let first_row = chunk.first_row();
        for row in 0..chunk.len() {
            let explains = explains.get(chunk.event_type(row).0 as usize).copied().unwrap_or(false);
            if explains || selection.contains(first_row + row) {
                offsets.push(chunk.payload_offset(row));
            }
        }
    }
    // Rows may be as many as events: here speed counts more than the size of the program.
    offsets.sort_unstable();
    offsets
}

fn explains_others(event_type: &EventType) -> bool {
    event_type.is_rundown || event_type.known.explains_others()
}

#[cfg(test)]
mod tests {
    use super::needed_payloads;
    use crate::analysis::scan::selection::Selection;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn names_are_needed_whatever_is_wanted() {
        let (store, _) = store_of(&[(10, 5, What::Sample(true, vec![1, 2])), (20, 5, What::Order("apples", 3))]);
        let rows = store.events().len();
        let methods = rows - 2;
        let of = |range| needed_payloads(&store, &Selection::of_range(range, rows)).len();
        assert_eq!([of(0..rows), of(rows - 1..rows), of(0..0)], [rows, methods + 1, methods]);
        assert!(needed_payloads(&store, &Selection::of_range(0..rows, rows)).is_sorted());
    }
}
