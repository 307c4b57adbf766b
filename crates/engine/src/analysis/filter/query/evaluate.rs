//! Evaluates queries: for many rows at a time without payloads, or for one row with its payload.

use super::Node;
use crate::analysis::scan::rows::retain_rows;
use crate::model::{EventChunk, EventType, Store};
use nettrace::{Value, decode};
use protocol::base::ids::TypeId;
use std::cell::OnceCell;

/// A bit for each row of a chunk: rows that match, and rows that only the payload can decide.
pub(super) struct Bits {
    pub yes: Vec<u64>,
    pub maybe: Vec<u64>,
}

impl Bits {
    fn certain(yes: Vec<u64>) -> Self {
        let maybe = vec![0; yes.len()];
        Self { yes, maybe }
    }
}

/// An event with its payload, which is decoded on first use.
pub(super) struct Row<'a> {
    pub store: &'a Store,
    pub chunk: &'a EventChunk,
    /// Position in the chunk.
    pub row: usize,
    pub event_type: &'a EventType,
    pub payload: &'a [u8],
    values: OnceCell<Vec<Value>>,
}

impl<'a> Row<'a> {
    pub fn new(store: &'a Store, chunk: &'a EventChunk, row: usize, payload: &'a [u8]) -> Option<Self> {
        let event_type = store.types.get(chunk.event_type(row))?;
        Some(Self { store, chunk, row, event_type, payload, values: OnceCell::new() })
    }

    /// Returns the values of its type's fields.
    pub fn values(&self) -> &[Value] {
        let pointer_size = self.store.header.pointer_size;
        self.values.get_or_init(|| decode(&self.event_type.schema.fields, self.payload, pointer_size))
    }
}

impl Node {
    /// Returns the matching rows among those whose bits are set.
    pub fn judge(&self, store: &Store, chunk: &EventChunk, within: &[u64]) -> Bits {
        match self {
            Self::Fixed(true) => Bits::certain(within.to_vec()),
            Self::Fixed(false) => Bits::certain(vec![0; within.len()]),
            Self::Types(allowed) => {
                by_name(chunk.types_present.iter(), allowed, within, |row| chunk.event_type(row).index())
            }
            Self::Threads(allowed) => {
                by_name(chunk.threads_present.iter(), allowed, within, |row| chunk.thread(row).index())
            }
            Self::Writers(_) | Self::Stacks(_) | Self::Activities(_) | Self::Labels(_) | Self::Routes(_) => {
                let mut yes = within.to_vec();
                retain_rows(&mut yes, |row| self.wants_by_row(store, chunk, row));
                Bits::certain(yes)
            }
            Self::Rows(rows) => {
                let first = chunk.first_row;
                let mut yes = within.to_vec();
                retain_rows(&mut yes, |row| rows.contains(&(first + row)));
                Bits::certain(yes)
            }
            Self::Picked(rows) => Bits::certain(picked(rows, chunk, within)),
            Self::Text(leaf) => leaf.judge(chunk, within),
            Self::Payload(field) => {
                let mut maybe = within.to_vec();
                retain_rows(&mut maybe, |row| field.type_can_match(chunk.event_type(row)));
                Bits { yes: vec![0; within.len()], maybe }
            }
            Self::TraceContext(leaf) => {
                let mut maybe = within.to_vec();
                retain_rows(&mut maybe, |row| leaf.type_can_match(chunk.event_type(row)));
                Bits { yes: vec![0; within.len()], maybe }
            }
            Self::Not(inner) => {
                let Bits { mut yes, maybe } = inner.judge(store, chunk, within);
                for ((yes, maybe), within) in yes.iter_mut().zip(&maybe).zip(within) {
                    *yes = within & !*yes & !maybe;
                }
                Bits { yes, maybe }
            }
            Self::All(parts) => all(parts, store, chunk, within),
            Self::Any(parts) => any(parts, store, chunk, within),
        }
    }

    /// Returns whether a row with its payload matches.
    pub fn matches_row(&self, row: &Row<'_>) -> bool {
        match self {
            Self::Text(leaf) => leaf.matches_row(row),
            Self::Payload(field) => field.matches_row(row),
            Self::TraceContext(leaf) => leaf.matches_row(row),
            Self::Not(inner) => !inner.matches_row(row),
            Self::All(parts) => parts.iter().all(|part| part.matches_row(row)),
            Self::Any(parts) => parts.iter().any(|part| part.matches_row(row)),
            _ => self.wants_by_row(row.store, row.chunk, row.row),
        }
    }

    /// Returns the same for conditions that don't depend on payloads.
    fn wants_by_row(&self, store: &Store, chunk: &EventChunk, row: usize) -> bool {
        let at = |allowed: &[bool], index: usize| allowed.get(index) == Some(&true);
        match self {
            Self::Fixed(wanted) => *wanted,
            Self::Types(allowed) => at(allowed, chunk.event_type(row).index()),
            Self::Threads(allowed) => at(allowed, chunk.thread(row).index()),
            Self::Writers(allowed) => at(allowed, chunk.writer(row) as usize),
            Self::Stacks(allowed) => at(allowed, chunk.stack(row).index()),
            Self::Activities(allowed) => {
                let related = || store.related_activity_at(chunk.payload_offset(row));
                at(allowed, chunk.activity(row).index())
                    || related().is_some_and(|related| at(allowed, related.index()))
            }
            Self::Labels(allowed) => {
                let list = store.label_list_at(chunk.payload_offset(row));
                list.is_some_and(|list| at(allowed, list as usize))
            }
            Self::Routes(leaf) => leaf.matches(store, chunk, row),
            Self::Rows(rows) => rows.contains(&(chunk.first_row + row)),
            Self::Picked(rows) => rows.binary_search(&((chunk.first_row + row) as u32)).is_ok(),
            Self::Text(_) | Self::Payload(_) | Self::TraceContext(_) => false,
            Self::Not(_) | Self::All(_) | Self::Any(_) => false,
        }
    }
}

/// Evaluates conditions on names; chunks in which all names have the same result aren't examined.
fn by_name(
    mut present: impl Iterator<Item = u32>,
    allowed: &[bool],
    within: &[u64],
    name_of: impl Fn(usize) -> usize,
) -> Bits {
    let is_allowed = |name: usize| allowed.get(name) == Some(&true);
    let first = present.next().is_some_and(|name| is_allowed(name as usize));
    let mut yes = within.to_vec();
    if present.any(|name| is_allowed(name as usize) != first) {
        retain_rows(&mut yes, |row| is_allowed(name_of(row)));
    } else if !first {
        yes.fill(0);
    }
    Bits::certain(yes)
}

fn picked(rows: &[u32], chunk: &EventChunk, within: &[u64]) -> Vec<u64> {
    let first = chunk.first_row;
    let (from, until) =
        [first, first + chunk.len()].map(|row| rows.partition_point(|&picked| (picked as usize) < row)).into();
    let mut yes = vec![0; within.len()];
    for &row in rows.get(from..until).unwrap_or_default() {
        let row = row as usize - first;
        if let Some((word, within)) = yes.get_mut(row / 64).zip(within.get(row / 64)) {
            *word |= within & 1 << (row % 64);
        }
    }
    yes
}

/// Evaluates "and": each part examines only the rows that remain.
fn all(parts: &[Node], store: &Store, chunk: &EventChunk, within: &[u64]) -> Bits {
    let mut bits = Bits::certain(within.to_vec());
    for part in parts {
        let left: Vec<u64> = bits.yes.iter().zip(&bits.maybe).map(|(yes, maybe)| yes | maybe).collect();
        if left.iter().all(|word| *word == 0) {
            break;
        }
        let of_part = part.judge(store, chunk, &left);
        for (index, left) in left.iter().enumerate() {
            let possible = left & (of_part.yes[index] | of_part.maybe[index]);
            bits.yes[index] &= of_part.yes[index];
            bits.maybe[index] = possible & !bits.yes[index];
        }
    }
    bits
}

/// Evaluates "or": each part examines only rows that don't match yet.
fn any(parts: &[Node], store: &Store, chunk: &EventChunk, within: &[u64]) -> Bits {
    let mut bits = Bits::certain(vec![0; within.len()]);
    for part in parts {
        let left: Vec<u64> = bits.yes.iter().zip(within).map(|(yes, within)| within & !yes).collect();
        let of_part = part.judge(store, chunk, &left);
        for index in 0..within.len() {
            bits.yes[index] |= of_part.yes[index];
            bits.maybe[index] = (bits.maybe[index] | of_part.maybe[index]) & !bits.yes[index];
        }
    }
    bits
}

impl super::PayloadField {
    /// Returns whether the payload of such events has the field.
    pub fn type_can_match(&self, event_type: TypeId) -> bool {
        self.types.get(event_type.index()) == Some(&true)
    }
}
