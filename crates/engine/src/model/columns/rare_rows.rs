//! Rows of rare event types, so that analyses of rare events needn't scan all events.

use super::events::Events;
use crate::model::file::types::Types;
use crate::model::out_of_memory::{OutOfMemory, reserve};
use protocol::base::ids::TypeId;
use protocol::base::sort::sort_by_key;

/// At most one row in this many is listed.
const SHARE: u64 = 64;

/// Rows of all rare types, in order.
#[derive(Clone, Debug, Default)]
pub struct RareRows {
    /// By type.
    is_rare: Vec<bool>,
    rows: Vec<u32>,
}

impl RareRows {
    /// Lists the rows of the rarest types, up to a limit, in one pass over the columns of types.
    pub(crate) fn of(events: &Events, types: &Types) -> Result<Self, OutOfMemory> {
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
        let (mut rows, mut of_chunk) = (Vec::new(), Vec::new());
        for chunk in events.chunks() {
            let is_here = |id: u32| is_rare.get(id as usize) == Some(&true);
            if chunk.types_present.iter().any(is_here) {
                of_chunk.clear();
                chunk.types.rows_where(0..chunk.len(), &is_rare, &mut of_chunk);
                reserve(&mut rows, of_chunk.len())?;
                rows.extend(of_chunk.iter().map(|row| chunk.first_row as u32 + row));
            }
        }
        rows.shrink_to_fit();
        Ok(Self { is_rare, rows })
    }

    /// Returns whether the rows of a type are listed.
    pub fn covers(&self, event_type: TypeId) -> bool {
        self.is_rare.get(event_type.index()) == Some(&true)
    }

    /// Returns all listed rows, in order.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.is_rare.capacity() + 4 * self.rows.capacity()) as u64
    }
}
