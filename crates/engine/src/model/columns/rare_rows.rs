//! Rows of rare event types, so that analyses of rare events needn't scan all events.

use super::events::Events;
use crate::model::file::types::Types;
use crate::model::ingest::run;
use crate::model::out_of_memory::{OutOfMemory, reserve_exact};
use protocol::base::ids::TypeId;
use protocol::base::sort::sort_by_key;

/// At most one row in this many is listed.
const SHARE: u64 = 64;

/// Rows of all rare types, in order.
#[derive(Clone, Debug, Default)]
pub struct RareRows {
    /// By type.
    is_rare: Vec<bool>,
    /// In order.
    pub rows: Vec<u32>,
}

impl RareRows {
    /// Lists the rows of the rarest types, up to a limit, in one pass over the columns of types with some threads.
    pub(crate) fn of(events: &Events, types: &Types, threads: usize) -> Result<Self, OutOfMemory> {
        let mut by_count: Vec<(u64, TypeId)> = types.iter().map(|kind| (kind.count, kind.id)).collect();
        sort_by_key(&mut by_count, |kind| *kind);
        let (mut is_rare, mut left) = (vec![false; by_count.len()], events.len() as u64 / SHARE);
        for (count, id) in by_count {
            if count > left {
                break;
            }
            left -= count;
            if let Some(is_rare) = is_rare.get_mut(id.index()) {
                *is_rare = true;
            }
        }
        let (of_chunks, _) = run(threads, events.chunks(), |chunk| {
            let mut rows = Vec::new();
            if chunk.types_present.iter().any(|id| is_rare.get(id as usize) == Some(&true)) {
                chunk.types.rows_where(0..chunk.len(), &is_rare, &mut rows);
                rows.iter_mut().for_each(|row| *row += chunk.first_row as u32);
            }
            rows
        });
        let mut rows = Vec::new();
        reserve_exact(&mut rows, of_chunks.iter().map(Vec::len).sum())?;
        rows.extend(of_chunks.into_iter().flatten());
        Ok(Self { is_rare, rows })
    }

    /// Returns whether the rows of a type are listed.
    pub fn covers(&self, event_type: TypeId) -> bool {
        self.is_rare.get(event_type.index()) == Some(&true)
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.is_rare.capacity() + 4 * self.rows.capacity()) as u64
    }
}
