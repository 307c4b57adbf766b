//! Events in an order other than time: by thread, provider, name, level, or payload field.
//!
//! Work is done in steps, so that a session can be interrupted, and only as far as a query needs it. Equal rows stay in
//! time order, even in descending order.

use super::rank_order::{RankOrder, RankedBy};
use super::value_order::{ValueOf, ValueOrder};
use crate::analysis::filter::query::EventDurations;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::selection::Selection;
use crate::analysis::values::property::property_values;
use crate::analysis::values::sort_value::FieldPath;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::sort::sorted_positions;
use protocol::request::{EventColumn, EventOrder};
use std::cmp::Ordering;
use std::ops::Range;
use std::rc::Rc;

/// Selected events in an order, sorted as far as needed.
pub struct SortedEvents {
    selection: Rc<Selection>,
    order: Order,
}

enum Order {
    Ranks(RankOrder),
    Values(Box<ValueOrder>),
}

impl SortedEvents {
    /// Prepares an order other than time. `lasting` is needed to sort by duration.
    pub fn new(store: &Store, selection: Rc<Selection>, order: &EventOrder, lasting: Rc<EventDurations>) -> Self {
        let types = || store.types.iter();
        let ranked = |by, ranks: Vec<Option<u32>>| Order::Ranks(RankOrder::new(by, ranks, order.descending));
        let by_type = |ranks: Vec<u32>| ranked(RankedBy::Type, ranks.into_iter().map(Some).collect());
        let order = match &order.key {
            EventColumn::Thread => {
                let labels = store.threads.iter().map(crate::model::Thread::numbered_label).collect::<Vec<_>>();
                let ranks = ranks(labels.len(), |one, other| labels.get(one).cmp(&labels.get(other)));
                ranked(RankedBy::Thread, ranks.into_iter().map(Some).collect())
            }
            EventColumn::Property(property) => {
                let values = property_values(store, *property);
                let ranks = ranks(values.len(), |one, other| values.get(one).cmp(&values.get(other)));
                ranked(
                    RankedBy::Writer,
                    values.iter().zip(ranks).map(|(value, rank)| value.as_ref().map(|_| rank)).collect(),
                )
            }
            EventColumn::Provider => by_type(ranks_of_texts(types().map(|event_type| event_type.provider.as_str()))),
            // Time order needs no sorting; if requested anyway, all rows are equal.
            EventColumn::Time | EventColumn::BelongsTo | EventColumn::Payload => by_type(vec![0; types().count()]),
            EventColumn::Name => by_type(ranks_of_texts(types().map(|event_type| event_type.display_name.as_str()))),
            EventColumn::Level => by_type(types().map(|event_type| event_type.record.level.into()).collect()),
            EventColumn::Duration => {
                Order::Values(Box::new(ValueOrder::new(store, ValueOf::Duration(lasting), order.descending)))
            }
            EventColumn::Field(name) => {
                let paths = types().map(|event_type| FieldPath::find(&event_type.schema.fields, name)).collect();
                Order::Values(Box::new(ValueOrder::new(store, ValueOf::Field(paths), order.descending)))
            }
        };
        Self { selection, order }
    }

    /// Does a few milliseconds of the work that [`Self::rows`] needs for these positions. Waits for payloads that a
    /// source has to fetch if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file, or there isn't enough memory.
    pub fn prepare(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        wanted: &Range<u64>,
        may_wait: bool,
    ) -> Result<Step, SourceError> {
        Ok(match &mut self.order {
            Order::Ranks(order) => step_of(order.step(store, &self.selection)),
            Order::Values(order) => match order.read(store, source, &self.selection, may_wait)? {
                Step::Done => step_of(order.sort(wanted)),
                step => step,
            },
        })
    }

    /// Returns at most `most` rows from position `first`, once [`Self::prepare`] is done.
    pub fn rows(&self, store: &Store, first: u64, most: usize) -> Vec<u32> {
        match &self.order {
            Order::Ranks(order) => order.rows(store, &self.selection, first, most),
            Order::Values(order) => order.rows(first, most),
        }
    }

    /// Returns the position of `row`, or that it isn't selected; `None` while there is more work, of which it does a
    /// few milliseconds. Requires that [`Self::prepare`] is done for any positions.
    ///
    /// # Errors
    /// If its payload can't be read from the file.
    pub fn position(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        row: usize,
    ) -> Result<Option<Option<u64>>, SourceError> {
        if !self.selection.contains(row) {
            return Ok(Some(None));
        }
        Ok(match &mut self.order {
            Order::Ranks(order) => Some(order.position(store, &self.selection, row)),
            Order::Values(order) => order.position(store, source, row)?.map(Some),
        })
    }

    /// Returns the number of events.
    pub fn count(&self) -> u64 {
        self.selection.count()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        match &self.order {
            Order::Ranks(order) => order.bytes(),
            Order::Values(order) => order.bytes(),
        }
    }
}

fn step_of(is_done: bool) -> Step {
    if is_done { Step::Done } else { Step::More }
}

/// Returns the rank of each of `len` items; equal ones have the same.
fn ranks(len: usize, compare: impl Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let of = |one: u32, other: u32| compare(one as usize, other as usize);
    let mut ranks = vec![0; len];
    let mut last: Option<(u32, u32)> = None;
    for thing in sorted_positions(len, &of) {
        let rank = match last {
            Some((before, rank)) if of(before, thing).is_eq() => rank,
            Some((_, rank)) => rank + 1,
            None => 0,
        };
        if let Some(place) = ranks.get_mut(thing as usize) {
            *place = rank;
        }
        last = Some((thing, rank));
    }
    ranks
}

fn ranks_of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u32> {
    let texts: Vec<&str> = texts.collect();
    ranks(texts.len(), |one, other| texts.get(one).cmp(&texts.get(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::events::page::events_page;
    use crate::analysis::filter::select::select;
    use crate::analysis::testing::{What, store_of};
    use proptest::prelude::*;
    use protocol::base::ids::EventId;
    use protocol::events::columns::{Column, Property};
    use protocol::request::Filter;
    use protocol::table::Cell;
    use protocol::tables::EventRows;

    fn sorted(store: &Store, bytes: &[u8], key: EventColumn, descending: bool) -> Vec<usize> {
        let all = Rc::new(select(store, &bytes, &Filter::default()).expect("a file"));
        let order = EventOrder { key, descending };
        let rows =
            rows_of(&mut SortedEvents::new(store, all.clone(), &order, Rc::default()), store, bytes, 0..all.count());
        assert_eq!(rows.len() as u64, all.count());
        // Regardless of the first request.
        let mut other = SortedEvents::new(store, all.clone(), &order, Rc::default());
        for start in (0..all.count()).rev().step_by(997) {
            let part = rows_of(&mut other, store, bytes, start..start + 5);
            assert_eq!(part, rows[start as usize..(start as usize + 5).min(rows.len())]);
        }
        let mut third = SortedEvents::new(store, all, &order, Rc::default());
        rows_of(&mut third, store, bytes, 0..1);
        for (position, row) in rows.iter().enumerate().step_by(331) {
            let found = std::iter::repeat_with(|| third.position(store, &bytes, *row).expect("a file"));
            assert_eq!(found.flatten().next(), Some(Some(position as u64)));
        }
        rows
    }

    fn rows_of(sorted: &mut SortedEvents, store: &Store, bytes: &[u8], wanted: Range<u64>) -> Vec<usize> {
        while sorted.prepare(store, &bytes, &wanted, true).expect("a file") != Step::Done {}
        let rows = sorted.rows(store, wanted.start, (wanted.end - wanted.start) as usize);
        rows.into_iter().map(|row| row as usize).collect()
    }

    fn field(name: &str) -> EventColumn {
        EventColumn::Field(name.to_owned())
    }

    #[test]
    fn property_order_puts_events_without_property_last() {
        let events: Vec<_> = (0..6).map(|at| (at, [5, 16, 7][at as usize % 3], What::Order("a", 1))).collect();
        let (store, bytes) = store_of(&events);
        let cpus = |descending| -> Vec<i64> {
            let rows = sorted(&store, &bytes, EventColumn::Property(Property::Cpu), descending);
            let ticks = rows.into_iter().map(|row| store.events.row(EventId(row as u32)).ticks);
            ticks.filter(|ticks| *ticks >= 0).collect()
        };
        assert_eq!(cpus(false), [2, 5, 1, 4, 0, 3]);
        assert_eq!(cpus(true), [1, 4, 2, 5, 0, 3]);
        let page = page_of(&store, &bytes);
        let cells: Vec<_> = (9..12).map(|row| (Column::with_key("cpu").expect("a column").cell)(&page, row)).collect();
        assert_eq!(cells, [Cell::Missing("not recorded"), Cell::Integer(16), Cell::Integer(7)]);
    }

    fn page_of(store: &Store, bytes: &[u8]) -> EventRows {
        let rows: Vec<u32> = (0..store.events.len() as u32).collect();
        events_page(store, &bytes, &EventDurations::default(), &rows, 0).expect("a file")
    }

    #[test]
    fn field_order_puts_events_without_field_last() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Order("b", 7)),
            (1, 5, What::Sample(true, vec![1])),
            (2, 6, What::Order("a", -3)),
            (3, 5, What::Order("B", 7)),
            (4, 5, What::Order("a long text", 100)),
        ]);
        let orders = |rows: Vec<usize>| -> Vec<i64> {
            let ticks = |row: usize| store.events.row(protocol::base::ids::EventId(row as u32)).ticks;
            rows.into_iter().map(ticks).filter(|ticks| (0..5).contains(ticks)).take(5).collect()
        };
        assert_eq!(orders(sorted(&store, &bytes, field("amount"), false))[..4], [2, 0, 3, 4]);
        assert_eq!(orders(sorted(&store, &bytes, field("amount"), true))[..4], [4, 0, 3, 2]);
        assert_eq!(orders(sorted(&store, &bytes, field("sku"), false))[..4], [2, 4, 0, 3]);
        assert_eq!(orders(sorted(&store, &bytes, field("no such field"), false)), [0, 1, 2, 3, 4]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn order_of_any_part_is_stable(amounts in proptest::collection::vec(-3i32..3, 9_000..9_500), descending: bool) {
            let times = (0i64..).zip(&amounts);
            let (store, bytes) = store_of(&times.map(|(at, amount)| (at, 5 + at as u64 % 2, What::Order("x", *amount))).collect::<Vec<_>>());
            let rows = sorted(&store, &bytes, field("amount"), descending);
            let mut expected: Vec<usize> = (0..amounts.len()).collect();
            expected.sort_by_key(|&row| if descending { -amounts[row] } else { amounts[row] });
            let found: Vec<usize> = rows.into_iter().map(|row| store.events.row(protocol::base::ids::EventId(row as u32)).ticks as usize)
                .take(amounts.len()).collect();
            prop_assert_eq!(found, expected);
            let by_thread = sorted(&store, &bytes, EventColumn::Thread, descending);
            let thread = |row: usize| store.events.row(protocol::base::ids::EventId(row as u32)).thread;
            prop_assert!(by_thread.windows(2).all(|pair| thread(pair[0]) != thread(pair[1]) || pair[0] < pair[1]));
        }
    }
}
