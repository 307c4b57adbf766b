//! Events in another order than that of time: by thread, provider, name, level, or a field of the payload.
//!
//! Work is done in steps, so that a session can be interrupted: rows are read and sorted in runs, and runs are merged two at
//! a time. Rows that are equal stay in order of time, also when the order is descending.

use super::payload_pieces::PayloadPieces;
use super::selection::{Selection, SelectionBuilder};
use super::sort_value::{Entry, FieldPath, Values};
use crate::model::sort::{sort_by, sorted_positions};
use crate::model::{CHUNK_ROWS, Store};
use crate::nettrace::{ByteSource, SourceError, decode_field};
use crate::protocol::request::{EventOrder, SortKey};
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Rows that a step reads when payloads have to be decoded, and when not. Divisors of [`CHUNK_ROWS`].
const DECODED_ROWS: usize = CHUNK_ROWS / 16;
const PLAIN_ROWS: usize = CHUNK_ROWS / 2;
/// Rows that a step merges.
const MERGED_ROWS: usize = CHUNK_ROWS;

/// Selected events in an order.
#[derive(Clone, Debug, Default)]
pub struct SortedRows {
    /// Those that have what they are sorted by.
    rows: Vec<u32>,
    /// The others, in order of time, after them.
    rest: Selection,
}

impl SortedRows {
    /// The rows from the one with `first` rows before it.
    pub fn iter_from(&self, first: u64) -> impl Iterator<Item = usize> + '_ {
        let sorted = self.rows.get(usize::try_from(first).unwrap_or(usize::MAX)..).unwrap_or_default();
        let rest = self.rest.iter_from(first.saturating_sub(self.rows.len() as u64));
        sorted.iter().map(|&row| row as usize).chain(rest)
    }

    /// How many rows stand before `row`; none if it is not selected.
    pub fn position(&self, row: usize) -> Option<u64> {
        if self.rest.contains(row) {
            return Some(self.rows.len() as u64 + self.rest.rank(row));
        }
        self.rows.iter().position(|&sorted| sorted as usize == row).map(|position| position as u64)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * 4 + self.rest.bytes()
    }
}

/// What rows are sorted by.
enum Keys {
    /// A rank by type.
    Types(Vec<u32>),
    /// A rank by thread.
    Threads(Vec<u32>),
    /// By type: where the field is, if the type has it.
    Field(Vec<Option<FieldPath>>),
}

/// A sorting on its way.
pub struct Sorting {
    keys: Keys,
    descending: bool,
    /// The next row to read.
    next: usize,
    pieces: PayloadPieces,
    values: Values,
    runs: VecDeque<Vec<Entry>>,
    merging: Option<Merging>,
    rest: SelectionBuilder,
}

/// Two runs that become one.
struct Merging {
    one: Vec<Entry>,
    other: Vec<Entry>,
    /// How many of each are in `merged`.
    taken: (usize, usize),
    merged: Vec<Entry>,
}

impl Sorting {
    /// Prepares an order other than that of time.
    pub fn new(store: &Store, order: &EventOrder) -> Self {
        let types = || store.types().iter();
        let keys = match &order.key {
            SortKey::Thread => {
                let labels = store.threads().iter().map(crate::model::Thread::numbered_label).collect::<Vec<_>>();
                Keys::Threads(ranks(labels.len(), |one, other| labels.get(one).cmp(&labels.get(other))))
            }
            SortKey::Provider => Keys::Types(ranks_of_texts(types().map(|event_type| event_type.provider.as_str()))),
            // What is sorted by time needs no sorting; asked for it nevertheless, all are equal.
            SortKey::Time => Keys::Types(Vec::new()),
            SortKey::Name => Keys::Types(ranks_of_texts(types().map(|event_type| event_type.display_name.as_str()))),
            SortKey::Level => Keys::Types(types().map(|event_type| event_type.record.level.into()).collect()),
            SortKey::Field(name) => {
                Keys::Field(types().map(|event_type| FieldPath::find(&event_type.schema.fields, name)).collect())
            }
        };
        Self {
            keys,
            descending: order.descending,
            next: 0,
            pieces: PayloadPieces::default(),
            values: Values::default(),
            runs: VecDeque::new(),
            merging: None,
            rest: SelectionBuilder::new(store.events().len()),
        }
    }

    /// Reads or merges some more rows, a few milliseconds' work; whether everything is in order now.
    ///
    /// # Errors
    /// If a payload cannot be read from the file, or there is not enough memory.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, selection: &Selection) -> Result<bool, SourceError> {
        if self.next < store.events().len() {
            self.read(store, source, selection)?;
            return Ok(false);
        }
        let Some(mut merging) = self.merging.take().or_else(|| self.next_pair()) else { return Ok(true) };
        let (values, descending) = (&self.values, self.descending);
        if merging.advance(|one, other| values.compare(one, other, descending))? {
            self.runs.push_back(merging.merged);
        } else {
            self.merging = Some(merging);
        }
        Ok(self.runs.len() == 1 && self.merging.is_none())
    }

    /// The rows in order, after the last [`Self::step`].
    pub fn finish(mut self) -> SortedRows {
        let rows = self.runs.pop_front().unwrap_or_default();
        SortedRows { rows: rows.iter().map(|entry| entry.row).collect(), rest: self.rest.finish() }
    }

    fn read(&mut self, store: &Store, source: &dyn ByteSource, selection: &Selection) -> Result<(), SourceError> {
        let rows = if matches!(self.keys, Keys::Field(_)) { DECODED_ROWS } else { PLAIN_ROWS };
        let end = (self.next + rows).min(store.events().len());
        let selected = selection.iter_from(selection.rank(self.next)).take_while(|&row| row < end);
        let mut run = Vec::new();
        let Some(chunk) = store.events().chunks().get(self.next / CHUNK_ROWS) else { return Ok(()) };
        let first = chunk.first_row();
        run.try_reserve_exact((selection.rank(end) - selection.rank(self.next)) as usize).map_err(|_| no_memory())?;
        match &self.keys {
            Keys::Types(ranks) => run.extend(selected.map(|row| {
                let rank = ranks.get(chunk.event_type(row - first).index()).copied().unwrap_or(0);
                Entry::of_rank(rank, row as u32)
            })),
            Keys::Threads(ranks) => run.extend(selected.map(|row| {
                let rank = ranks.get(chunk.thread(row - first).index()).copied().unwrap_or(0);
                Entry::of_rank(rank, row as u32)
            })),
            Keys::Field(paths) => {
                let path = |row: usize| paths.get(chunk.event_type(row).index()).and_then(Option::as_ref);
                for row in selected {
                    let inside = row - first;
                    if path(inside).is_some() {
                        self.pieces.add(chunk.payload_offset(inside), chunk.payload_length(inside), inside);
                    } else {
                        self.rest.insert(row);
                    }
                }
                let (values, rest) = (&mut self.values, &mut self.rest);
                self.pieces.visit(source, |payload, inside| {
                    let row = first + inside;
                    let event_type = store.types().get(chunk.event_type(inside));
                    let value = event_type.zip(path(inside)).and_then(|(event_type, path)| {
                        let (fields, size) = (&event_type.schema.fields, store.header().pointer_size);
                        values.entry(path.follow(&decode_field(fields, payload, size, path.index))?, row as u32)
                    });
                    match value {
                        Some(entry) => run.push(entry),
                        None => rest.insert(row),
                    }
                })?;
            }
        }
        let (values, descending) = (&self.values, self.descending);
        sort_by(&mut run, |one, other| values.compare(one, other, descending));
        if !run.is_empty() {
            self.runs.push_back(run);
        }
        self.next = end;
        Ok(())
    }

    /// The next two runs to merge.
    fn next_pair(&mut self) -> Option<Merging> {
        if self.runs.len() < 2 {
            return None;
        }
        let (one, other) = (self.runs.pop_front()?, self.runs.pop_front()?);
        Some(Merging { one, other, taken: (0, 0), merged: Vec::new() })
    }
}

impl Merging {
    /// Merges some more; whether that was all.
    fn advance(&mut self, compare: impl Fn(&Entry, &Entry) -> Ordering) -> Result<bool, SourceError> {
        let all = self.one.len() + self.other.len();
        if self.merged.capacity() < all {
            self.merged.try_reserve_exact(all).map_err(|_| no_memory())?;
        }
        for _ in 0..MERGED_ROWS {
            let (one, other) = (self.one.get(self.taken.0), self.other.get(self.taken.1));
            let takes_one = match (one, other) {
                (Some(one), Some(other)) => compare(one, other).is_le(),
                (one, _) => one.is_some(),
            };
            let Some(&next) = (if takes_one { one } else { other }) else { break };
            let taken = if takes_one { &mut self.taken.0 } else { &mut self.taken.1 };
            *taken += 1;
            self.merged.push(next);
        }
        Ok(self.merged.len() == all)
    }
}

fn no_memory() -> SourceError {
    SourceError::new("There is not enough memory to sort so many events. Narrow them with a filter.")
}

/// The rank of each of `len` things; equal ones have the same.
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
    use super::super::filter::select;
    use super::super::testing::{What, store_of};
    use super::*;
    use crate::protocol::request::Filter;
    use proptest::prelude::*;

    fn sorted(store: &Store, bytes: &[u8], key: SortKey, descending: bool) -> Vec<usize> {
        let all = select(store, &bytes, &Filter::default()).expect("a file");
        let mut sorting = Sorting::new(store, &EventOrder { key, descending });
        while !sorting.step(store, &bytes, &all).expect("a file") {}
        let sorted = sorting.finish();
        let rows: Vec<usize> = sorted.iter_from(0).collect();
        for (position, row) in rows.iter().enumerate() {
            assert_eq!(sorted.position(*row), Some(position as u64));
            assert_eq!(sorted.iter_from(position as u64).next(), Some(*row));
        }
        assert_eq!(rows.len() as u64, all.count());
        rows
    }

    fn field(name: &str) -> SortKey {
        SortKey::Field(name.to_owned())
    }

    #[test]
    fn fields_sort_by_what_they_are_and_events_without_them_come_last() {
        let (store, bytes) = store_of(&[
            (0, 5, What::Order("b", 7)),
            (1, 5, What::Sample(true, vec![1])),
            (2, 6, What::Order("a", -3)),
            (3, 5, What::Order("B", 7)),
            (4, 5, What::Order("a long text", 100)),
        ]);
        let orders = |rows: Vec<usize>| -> Vec<i64> {
            let ticks = |row: usize| store.events().row(crate::model::ids::EventId(row as u32)).ticks;
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
        fn runs_are_merged_stably(amounts in proptest::collection::vec(-3i32..3, 9_000..9_500), descending: bool) {
            let times = (0i64..).zip(&amounts);
            let (store, bytes) = store_of(&times.map(|(at, amount)| (at, 5 + at as u64 % 2, What::Order("x", *amount))).collect::<Vec<_>>());
            let rows = sorted(&store, &bytes, field("amount"), descending);
            let mut expected: Vec<usize> = (0..amounts.len()).collect();
            expected.sort_by_key(|&row| if descending { -amounts[row] } else { amounts[row] });
            let found: Vec<usize> = rows.into_iter().map(|row| store.events().row(crate::model::ids::EventId(row as u32)).ticks as usize)
                .take(amounts.len()).collect();
            prop_assert_eq!(found, expected);
            let by_thread = sorted(&store, &bytes, SortKey::Thread, descending);
            let thread = |row: usize| store.events().row(crate::model::ids::EventId(row as u32)).thread;
            prop_assert!(by_thread.windows(2).all(|pair| thread(pair[0]) != thread(pair[1]) || pair[0] < pair[1]));
        }
    }
}
