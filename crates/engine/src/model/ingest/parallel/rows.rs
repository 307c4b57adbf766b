//! What a region contains, with numbers of its own.

use super::chunks::{RegionColumns, Runs};
use crate::clr::known::payload::AllocatedObject;
use crate::model::columns::writers::Writer;
use crate::model::file::blocks::CountedBlock;
use crate::model::threads::density::Buckets;
use protocol::packed_table;
use serde::{Deserialize, Serialize};

/// What a region contains.
#[derive(Serialize, Deserialize)]
pub(in crate::model::ingest) struct RegionRows {
    /// Number of types that the trace must have before the region.
    pub types: usize,
    #[serde(skip)]
    pub columns: RegionColumns,
    pub runs: Runs,
    /// Blocks of events, in order.
    pub blocks: Vec<CountedBlock>,
    /// IDs of threads in event headers, by number.
    pub threads: Vec<u64>,
    pub captures: Vec<Capture>,
    /// GUIDs of activities, by number.
    pub activities: Vec<[u8; 16]>,
    /// Payload offsets of events with a related activity.
    pub related: Vec<(u64, u32)>,
    /// IDs of the threads that the region declares (version 6).
    pub declared_threads: Vec<u64>,
    /// In version 6, by number, without number 0: ID of a stack, and number of the thread whose process it belongs to.
    pub stack_uses: Vec<(u32, u32)>,
    /// Indices of lists of labels in event headers, by number.
    pub label_lists: Vec<u32>,
    pub writers: Vec<Writer>,
    pub density: Buckets,
    /// Events outside of the density's frame, in file order.
    pub outside: Vec<(u32, i64)>,
    pub sorted_until: i64,
    /// Types with payloads that the owner needs.
    pub noted_types: Vec<u32>,
    /// By position in `noted_types`: number of payloads to compare with the schema.
    pub compared: Vec<u32>,
    /// Types of allocated objects.
    pub allocated: Vec<Allocated>,
    #[serde(skip)]
    pub payloads: RegionPayloads,
}

/// Events of a capture thread, whose sequence numbers have no gap.
#[derive(Serialize, Deserialize)]
pub(in crate::model::ingest) struct Capture {
    pub id: u64,
    pub first: (u32, i64),
    pub last: (u32, i64),
}

/// Type of allocated objects, with its name in its first event.
#[derive(Serialize, Deserialize)]
pub(in crate::model::ingest) struct Allocated {
    pub object: Option<AllocatedObject>,
    pub name: Option<String>,
}

packed_table!(
    /// Payloads that the owner of the store needs, in file order. Types are positions in [`RegionRows::noted_types`].
    RegionPayloads {
        /// Of payloads to compare with their schema, type by type: see [`RegionRows::compared`].
        compared_offsets: Vec<u64>,
        compared_lengths: Vec<u32>,
        /// Of allocations. Types are positions in [`RegionRows::allocated`].
        allocation_offsets: Vec<u64>,
        allocation_bytes: Vec<u64>,
        allocation_types: Vec<u32>,
        /// Of events with labels. Lists are positions in [`RegionRows::label_lists`].
        label_offsets: Vec<u64>,
        label_lists: Vec<u32>,
        /// Of payloads with facts for the store. [`SAMPLER`] stands for a thread that writes samples of others.
        fact_types: Vec<u32>,
        fact_ticks: Vec<i64>,
        fact_threads: Vec<u32>,
        fact_offsets: Vec<u64>,
        fact_lengths: Vec<u32>,
    }
);

/// See [`RegionPayloads::fact_types`].
pub(super) const SAMPLER: u32 = u32::MAX;
