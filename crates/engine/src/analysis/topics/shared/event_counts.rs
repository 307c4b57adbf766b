//! Number of events in scope, by event type.

use crate::analysis::scan::selection::Selection;
use crate::model::Store;
use protocol::request::Filter;

/// Returns, by type, the number of events that a filter selects; without a filter, those of the whole file, including
/// events without rows.
pub fn counts_by_type(store: &Store, selection: &Selection, filter: &Filter) -> Vec<u64> {
    if filter == &Filter::default() {
        return store.types.iter().map(|one| one.count).collect();
    }
    let mut counts = vec![0u64; store.types.len()];
    for chunk in store.events.chunks() {
        let first = chunk.first_row;
        let selected = selection.rank(first + chunk.len()) - selection.rank(first);
        if selected == 0 {
            continue;
        }
        let is_whole = selected == chunk.len() as u64;
        for row in (0..chunk.len()).filter(|row| is_whole || selection.contains(first + row)) {
            if let Some(count) = counts.get_mut(chunk.event_type(row).index()) {
                *count += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn selected_events_count_by_type() {
        let (store, _) =
            store_of(&[(0, 5, What::Order("tea", 1)), (1, 5, What::Throw("no")), (2, 5, What::Order("tea", 2))]);
        let rows = store.events.len();
        let sum_of = |selection: &Selection, filter: &Filter, name: &str| -> u64 {
            let counts = counts_by_type(&store, selection, filter);
            let of_name = store.types.iter().filter(|one| one.provider == name || one.display_name == name);
            of_name.map(|one| counts[one.id.index()]).sum()
        };
        let all = Selection::of_range(0..rows, rows);
        assert_eq!(sum_of(&all, &Filter::default(), "Orders"), 2);
        let last = Filter { query: "time:2ns..".to_owned(), ..Filter::default() };
        let selection = Selection::of_range(rows - 1..rows, rows);
        assert_eq!((sum_of(&selection, &last, "Orders"), sum_of(&selection, &last, "Exception/Start")), (1, 0));
    }
}
