//! Groups of events by a key, with statistics of a number.
//!
//! The selected events are read once, in steps. Only payloads of types with the requested fields are read, and only
//! those fields are decoded.

mod keys;
mod sums;

use super::rank_order::selected_in;
use crate::analysis::filter::query::EventDurations;
use crate::analysis::scan::payload_batches::{PayloadBatches, Step};
use crate::analysis::scan::read_ahead::ReadAhead;
use crate::analysis::scan::selection::Selection;
use crate::analysis::values::sort_value::FieldPath;
use crate::analysis::values::value_text::number_in;
use crate::model::{CHUNK_ROWS, EventChunk, Store};
use keys::{GroupName, Keys};
use nettrace::{ByteSource, SourceError, decode_field};
use protocol::base::ids::EventId;
use protocol::base::sort::sorted_positions;
use protocol::events::groups::{GroupColumn, GroupQuery, Measure};
use protocol::tables::EventGroups;
use std::cmp::Ordering;
use std::rc::Rc;
use sums::{Group, GroupAccumulator};

/// Payloads decoded per step.
const DECODED_PAYLOADS: usize = CHUNK_ROWS / 16;

/// Search for groups, in steps, so that a session can be interrupted.
pub struct GroupSearch {
    selection: Rc<Selection>,
    next: usize,
    ahead: ReadAhead,
    keys: Keys,
    numbers: Numbers,
    sums: GroupAccumulator,
}

/// Source of an event's number.
enum Numbers {
    None,
    Durations(Rc<EventDurations>),
    /// Path of the field, by type.
    Fields(Vec<Option<FieldPath>>),
}

impl GroupSearch {
    /// Prepares groups of the selected events. `lasting` is needed to measure durations.
    pub fn new(
        store: &Store,
        selection: Rc<Selection>,
        query: &GroupQuery,
        lasting: Option<Rc<EventDurations>>,
    ) -> Self {
        let numbers = match (&query.measure, lasting) {
            (Some(Measure::Field(name)), _) => {
                let types = store.types.iter();
                Numbers::Fields(types.map(|one| FieldPath::find(&one.schema.fields, name)).collect())
            }
            (Some(Measure::Duration), Some(lasting)) => Numbers::Durations(lasting),
            _ => Numbers::None,
        };
        let keys = Keys::new(store, &query.by);
        Self { selection, next: 0, ahead: ReadAhead::default(), keys, numbers, sums: GroupAccumulator::default() }
    }

    /// Reads further events for a few milliseconds. Announces payloads that a source has to fetch, and waits for them,
    /// if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        if self.next < store.events.len() && !self.ahead.is_full(may_wait) {
            self.plan(store, source, may_wait);
            return Ok(Step::More);
        }
        let Self { ahead, keys, numbers, sums, .. } = self;
        ahead.step(source, may_wait, DECODED_PAYLOADS, |at, inside, payload| {
            if let Some(chunk) = store.events.chunks().get(at) {
                take(store, chunk, inside, payload, keys, numbers, sums);
            }
        })
    }

    /// Counts the next rows, or plans to read their payloads.
    fn plan(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) {
        let rows = self.next..(self.next + CHUNK_ROWS).min(store.events.len());
        let at = self.next / CHUNK_ROWS;
        self.next = rows.end;
        let Some(chunk) = store.events.chunks().get(at) else { return };
        let mut batches = PayloadBatches::default();
        for row in selected_in(&self.selection, &rows) {
            let inside = row - chunk.first_row;
            let event_type = chunk.event_type(inside).index();
            if self.keys.needs_payload(event_type) || self.numbers.needs_payload(event_type) {
                batches.add(chunk.payload_offset(inside), chunk.payload_length(inside), inside);
            } else {
                take(store, chunk, inside, &[], &mut self.keys, &self.numbers, &mut self.sums);
            }
        }
        self.ahead.add(at, batches, source, may_wait);
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.ahead.bytes() + self.keys.bytes() + self.sums.bytes()
    }

    /// Returns the groups, after the last step.
    pub fn finish(self) -> Groups {
        let (groups, is_sampled) = self.sums.finish();
        let names = (0..groups.len() as u32).collect::<Vec<_>>();
        let order = names.into_iter().filter(|at| groups[*at as usize].count > 0).collect();
        Groups { keys: self.keys, groups, is_sampled, order, sorted_by: None }
    }
}

fn take(
    store: &Store,
    chunk: &EventChunk,
    inside: usize,
    payload: &[u8],
    keys: &mut Keys,
    numbers: &Numbers,
    sums: &mut GroupAccumulator,
) {
    let row = (chunk.first_row + inside) as u32;
    let group = keys.group_of(store, chunk, inside, payload);
    sums.add(group, row, numbers.of(store, chunk, inside, payload));
}

impl Numbers {
    fn needs_payload(&self, event_type: usize) -> bool {
        matches!(self, Self::Fields(paths) if paths.get(event_type).is_some_and(Option::is_some))
    }

    fn of(&self, store: &Store, chunk: &EventChunk, inside: usize, payload: &[u8]) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Durations(lasting) => lasting.of_row((chunk.first_row + inside) as u32).map(|nanos| nanos as f64),
            Self::Fields(paths) => {
                let event_type = chunk.event_type(inside);
                let path = paths.get(event_type.index())?.as_ref()?;
                let fields = &store.types.get(event_type)?.schema.fields;
                number_in(path.follow(&decode_field(fields, payload, store.header.pointer_size, path.index))?)
            }
        }
    }
}

/// Groups of events, which can be displayed in any order.
pub struct Groups {
    keys: Keys,
    groups: Vec<Group>,
    /// True if percentiles are of a sample of the numbers.
    is_sampled: bool,
    /// Groups with events.
    order: Vec<u32>,
    sorted_by: Option<(GroupColumn, bool)>,
}

impl Groups {
    pub fn page(&mut self, store: &Store, query: &GroupQuery, first: u64, most: usize) -> EventGroups {
        self.sort(query.column, query.descending);
        let mut table = EventGroups {
            groups: vec![self.order.len() as u64],
            events: vec![self.groups.iter().map(|group| group.count).sum()],
            is_sampled: vec![u8::from(self.is_sampled)],
            ..EventGroups::default()
        };
        let wanted = self.order.get(usize::try_from(first).unwrap_or(usize::MAX)..).unwrap_or_default();
        for &at in wanted.iter().take(most) {
            let Some(group) = self.groups.get(at as usize) else { continue };
            let (kind, name) = name_of(&self.keys, at);
            let nanos = |row| store.clock.nanos(store.events.row(EventId(row)).ticks).0;
            table.kind.push(kind);
            table.name.push(name);
            table.count.push(group.count);
            table.first.push(nanos(group.first));
            table.last.push(nanos(group.last));
            table.measured.push(group.measured);
            table.sum.push(group.sum);
            table.min.push(group.min);
            table.median.push(group.median);
            table.percentile_95.push(group.percentile_95);
            table.max.push(group.max);
        }
        table
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + self.groups.capacity() * size_of::<Group>() + self.order.capacity() * size_of::<u32>()
    }

    fn sort(&mut self, column: GroupColumn, descending: bool) {
        if self.sorted_by == Some((column, descending)) {
            return;
        }
        let Self { keys, groups, order, .. } = self;
        let compare = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|at| order[at as usize]);
            let (a, b) = (&groups[one as usize], &groups[other as usize]);
            let by_name = || name_of(keys, one).cmp(&name_of(keys, other));
            let by_column = by_column(column, a, b, by_name);
            // Groups without a number are last in either order.
            let is_turned = descending && !(is_missing(column, a) || is_missing(column, b));
            let by_column = if is_turned { by_column.reverse() } else { by_column };
            by_column.then_with(by_name)
        };
        let sorted: Vec<u32> =
            sorted_positions(order.len(), &compare).into_iter().map(|at| order[at as usize]).collect();
        *order = sorted;
        self.sorted_by = Some((column, descending));
    }
}

fn by_column(column: GroupColumn, a: &Group, b: &Group, by_name: impl Fn() -> Ordering) -> Ordering {
    let numbers = |of: fn(&Group) -> f64| match (is_missing(column, a), is_missing(column, b)) {
        (false, false) => of(a).total_cmp(&of(b)),
        (one, other) => one.cmp(&other),
    };
    match column {
        GroupColumn::Count => a.count.cmp(&b.count),
        GroupColumn::Name => by_name(),
        GroupColumn::First => a.first.cmp(&b.first),
        GroupColumn::Last => a.last.cmp(&b.last),
        GroupColumn::Sum => numbers(|group| group.sum),
        GroupColumn::Min => numbers(|group| group.min),
        GroupColumn::Median => numbers(|group| group.median),
        GroupColumn::Percentile95 => numbers(|group| group.percentile_95),
        GroupColumn::Max => numbers(|group| group.max),
    }
}

/// Returns whether a group has no value in a numeric column.
fn is_missing(column: GroupColumn, group: &Group) -> bool {
    let is_measured = matches!(
        column,
        GroupColumn::Sum | GroupColumn::Min | GroupColumn::Median | GroupColumn::Percentile95 | GroupColumn::Max
    );
    is_measured && group.measured == 0
}

/// Returns the kind of a group, as in the table, and its name. Groups without one come last.
fn name_of(keys: &Keys, group: u32) -> (u8, &str) {
    match keys.name(group) {
        GroupName::Of(name) => (0, name),
        GroupName::Without => (1, ""),
        GroupName::Others => (2, ""),
    }
}

#[cfg(test)]
mod tests;
