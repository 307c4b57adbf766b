//! Tests groups of events against hand-written traces and a plain loop.

use super::*;
use crate::analysis::filter::select::select;
use crate::analysis::testing::{What, store_of};
use proptest::prelude::*;
use protocol::events::columns::Property;
use protocol::request::{EventColumn, Filter};
use std::collections::BTreeMap;

fn page(store: &Store, bytes: &[u8], query: &GroupQuery) -> EventGroups {
    let all = Rc::new(select(store, &bytes, &Filter::default()).expect("a file"));
    let mut search = GroupSearch::new(store, all, query, None);
    while search.step(store, &bytes, true).expect("a file") != Step::Done {}
    search.finish().page(store, query, 0, 1000)
}

fn by_field(name: &str) -> GroupQuery {
    let measure = Some(Measure::Field("amount".to_owned()));
    GroupQuery { by: EventColumn::Field(name.to_owned()), measure, descending: true, ..GroupQuery::default() }
}

#[test]
fn groups_by_field_sum_another_field() {
    let (store, bytes) = store_of(&[
        (0, 5, What::Order("tea", 7)),
        (1, 5, What::Sample(true, vec![1])),
        (2, 6, What::Order("coffee", -3)),
        (3, 5, What::Order("tea", 8)),
        (4, 5, What::Throw("System.Exception")),
    ]);
    let table = page(&store, &bytes, &by_field("sku"));
    let names: Vec<(u8, &str)> = table.kind.iter().copied().zip(table.name.iter()).collect();
    let without = names.iter().position(|name| *name == (1, "")).expect("events without the field");
    let tea = names.iter().position(|name| *name == (0, "tea")).expect("tea");
    let coffee = names.iter().position(|name| *name == (0, "coffee")).expect("coffee");
    assert_eq!((table.groups[0], table.events[0] as usize), (3, store.events.len()));
    assert_eq!(
        (table.count[tea], table.sum[tea], table.min[tea], table.median[tea], table.max[tea]),
        (2, 15.0, 7.0, 7.0, 8.0)
    );
    assert_eq!((table.first[tea], table.last[tea]), (0, 3));
    assert_eq!((table.count[coffee], table.sum[coffee]), (1, -3.0));
    assert_eq!((table.measured[without], table.max[without].is_nan()), (0, true));
    assert!(table.count.is_sorted_by(|one, other| one >= other));
}

#[test]
fn groups_without_number_are_last_in_either_order() {
    let (store, bytes) = store_of(&[
        (0, 5, What::Order("tea", 7)),
        (1, 5, What::Throw("System.Exception")),
        (2, 6, What::Order("coffee", -3)),
    ]);
    for descending in [false, true] {
        let query = GroupQuery { column: GroupColumn::Sum, descending, ..by_field("sku") };
        let table = page(&store, &bytes, &query);
        let names: Vec<&str> = table.name.iter().collect();
        let expected = if descending { ["tea", "coffee"] } else { ["coffee", "tea"] };
        assert_eq!((&names[..2], table.kind[2]), (&expected[..], 1));
    }
}

#[test]
fn groups_by_thread_provider_event_and_level_have_names() {
    let (store, bytes) =
        store_of(&[(0, 5, What::Order("a", 1)), (1, 6, What::Order("b", 2)), (2, 6, What::Order("c", 3))]);
    for by in [EventColumn::Thread, EventColumn::Provider, EventColumn::Name, EventColumn::Level] {
        let query = GroupQuery { by: by.clone(), ..by_field("") };
        let table = page(&store, &bytes, &query);
        assert_eq!(table.count.iter().sum::<u64>() as usize, store.events.len(), "{by:?}");
        assert_eq!(table.measured.iter().sum::<u64>(), 3, "{by:?}");
        assert!(table.kind.iter().all(|kind| *kind == 0));
    }
}

#[test]
fn events_without_a_property_are_a_group() {
    let (store, bytes) =
        store_of(&[(0, 5, What::Order("a", 1)), (1, 6, What::Order("b", 2)), (2, 6, What::Order("c", 3))]);
    let query = GroupQuery { by: EventColumn::Property(Property::Cpu), ..by_field("") };
    let table = page(&store, &bytes, &query);
    let mut groups: Vec<_> = table.kind.iter().zip(table.name.iter()).zip(&table.count).collect();
    groups.sort_unstable();
    // Thread 1 wrote the nine methods.
    assert_eq!(groups, [((&0, "1"), &9), ((&0, "6"), &2), ((&1, ""), &1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn groups_match_plain_loop(orders in proptest::collection::vec((0usize..4, -5i32..5), 1..60)) {
        const SKUS: [&str; 4] = ["a", "b", "", "dd"];
        let events: Vec<_> = (0i64..).zip(&orders).map(|(at, (sku, amount))| (at, 5, What::Order(SKUS[*sku], *amount))).collect();
        let (store, bytes) = store_of(&events);
        let mut expected: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
        for (sku, amount) in &orders {
            let group = expected.entry(SKUS[*sku]).or_default();
            *group = (group.0 + 1, group.1 + f64::from(*amount));
        }
        let table = page(&store, &bytes, &by_field("sku"));
        let rows = (0..table.count.len()).filter(|row| table.kind[*row] == 0);
        let found: BTreeMap<&str, (u64, f64)> = rows.map(|row| (table.name.get(row), (table.count[row], table.sum[row]))).collect();
        prop_assert_eq!(found, expected);
    }
}
