//! Jobs and their results as one buffer each, for workers that share no memory.
//!
//! A job is the bytes of a region, a result its columns. A small encoded part follows, then the length of this part.

use super::chunks::RegionColumns;
use super::job::{Derived, RegionJob, Rule};
use super::reader::RegionScratch;
use super::rows::{RegionPayloads, RegionRows};
use crate::model::columns::narrow::{IdColumn, OffsetColumn};
use crate::model::store::no_header;
use nettrace::{Item, Parser, Step};
use protocol::Packed;
use protocol::columns::{Column, ColumnMeta};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Small part of a job.
#[derive(Deserialize)]
struct JobHead {
    version: u32,
    /// Absolute offset of the region.
    offset: u64,
    /// Number of bytes of the region.
    bytes: usize,
    job: RegionJob,
    rules: Vec<(u32, Rule)>,
    derived: Derived,
}

/// Small part of a result.
#[derive(Deserialize)]
struct RowsHead {
    rows: RegionRows,
    /// Number of rows in the columns.
    count: usize,
    /// Minimum of the ticks and of the payload offsets.
    bases: [i64; 2],
    directory: Vec<ColumnMeta>,
}

/// Names of the columns of IDs and lengths.
const IDS: [&str; 6] = ["types", "threads", "stacks", "activities", "writers", "lengths"];

/// Room for the small part of a result.
const SMALL_BYTES: usize = 32 << 10;

/// Appends the small part of a buffer.
fn seal(buffer: &mut Vec<u8>, head: &impl Serialize) -> Option<()> {
    let end = postcard::to_allocvec(head).ok()?;
    buffer.reserve_exact(end.len() + 4);
    buffer.extend_from_slice(&end);
    buffer.extend_from_slice(&(end.len() as u32).to_le_bytes());
    Some(())
}

/// Returns the small part of a buffer, and the length of what precedes it.
fn open<T: DeserializeOwned>(buffer: &[u8]) -> Option<(T, usize)> {
    let (rest, length) = buffer.split_last_chunk()?;
    let start = rest.len().checked_sub(u32::from_le_bytes(*length) as usize)?;
    Some((postcard::from_bytes(rest.get(start..)?).ok()?, start))
}

impl RegionJob {
    /// Encodes the part of the job that follows the bytes of the region and some bytes after it. The region starts at
    /// `offset`, and has `bytes`.
    pub fn encode(&self, version: u32, offset: u64, bytes: usize) -> Option<Vec<u8>> {
        let rules: Vec<(u32, Rule)> = self.rules.iter().collect();
        let mut end = Vec::new();
        seal(&mut end, &(version, offset, bytes, self, rules, &*self.derived))?;
        Some(end)
    }
}

impl RegionRows {
    fn encode(&self) -> Option<Vec<u8>> {
        let RegionColumns { ticks, types, threads, stacks, activities, writers, payload_offsets, payload_lengths } =
            &self.columns;
        let ids = [types, threads, stacks, activities, writers, payload_lengths];
        let bytes = ids.map(IdColumn::heap_bytes).into_iter().sum::<u64>() + 2 * ticks.heap_bytes();
        let mut packed = Packed::default();
        packed.body.reserve(bytes as usize + SMALL_BYTES);
        let bases = [pack_offsets(ticks, "ticks", &mut packed), pack_offsets(payload_offsets, "offsets", &mut packed)];
        IDS.iter().zip(ids).for_each(|(name, column)| pack_ids(column, name, &mut packed));
        self.payloads.append_to(&mut packed);
        let Packed { directory, mut body } = packed;
        seal(&mut body, &(self, ticks.len(), bases, directory))?;
        Some(body)
    }

    /// Decodes what [`read_region`] returned.
    pub fn decode(buffer: Vec<u8>) -> Option<Self> {
        let (RowsHead { rows, count, bases: [first_ticks, first_offset], directory }, _) = open::<RowsHead>(&buffer)?;
        let packed = Packed { directory, body: buffer };
        let [types, threads, stacks, activities, writers, payload_lengths] =
            IDS.map(|name| unpack_ids(name, &packed, count));
        let columns = RegionColumns {
            ticks: unpack_offsets("ticks", &packed, first_ticks, count)?,
            types: types?,
            threads: threads?,
            stacks: stacks?,
            activities: activities?,
            writers: writers?,
            payload_offsets: unpack_offsets("offsets", &packed, first_offset, count)?,
            payload_lengths: payload_lengths?,
        };
        Some(Self { columns, payloads: RegionPayloads::unpack(&packed).ok()?, ..rows })
    }
}

/// Appends a column, and returns its minimum.
fn pack_offsets(column: &OffsetColumn, name: &str, packed: &mut Packed) -> i64 {
    match column {
        OffsetColumn::Near { base, offsets } => {
            offsets.pack(name, packed);
            *base
        }
        OffsetColumn::Far(values) => {
            values.pack(name, packed);
            0
        }
    }
}

fn unpack_offsets(name: &str, packed: &Packed, base: i64, count: usize) -> Option<OffsetColumn> {
    Some(match packed.column(name).ok()?.len() {
        length if length == 4 * count => OffsetColumn::Near { base, offsets: values(name, packed)? },
        length if length == 8 * count => OffsetColumn::Far(values(name, packed)?),
        _ => return None,
    })
}

/// Appends a column; one of the same values has only zeros.
fn pack_ids(column: &IdColumn, name: &str, packed: &mut Packed) {
    match column {
        IdColumn::Same(_) => packed.push(name, &[]),
        IdColumn::Byte(values) => values.pack(name, packed),
        IdColumn::Narrow(values) => values.pack(name, packed),
        IdColumn::Wide(values) => values.pack(name, packed),
    }
}

fn unpack_ids(name: &str, packed: &Packed, count: usize) -> Option<IdColumn> {
    Some(match packed.column(name).ok()?.len() {
        0 => IdColumn::Same(0),
        length if length == count => IdColumn::Byte(values(name, packed)?),
        length if length == 2 * count => IdColumn::Narrow(values(name, packed)?),
        length if length == 4 * count => IdColumn::Wide(values(name, packed)?),
        _ => return None,
    })
}

fn values<T>(name: &str, packed: &Packed) -> Option<Arc<Vec<T>>>
where
    Vec<T>: Column,
{
    Column::unpack(name, packed).ok().map(Arc::new)
}

/// Reads a region in a worker that doesn't own the store. `job` is the bytes of the region, with the sequence point at
/// its end and some bytes after it, and the encoded part. Returns the encoded rows; `None` if the region has something that only the owner of the
/// store handles.
#[inline(never)]
pub fn read_region(buffer: &[u8]) -> Option<Vec<u8>> {
    let (JobHead { version, offset, bytes, mut job, rules, derived }, length) = open::<JobHead>(buffer)?;
    job.rules = Arc::new(rules.into_iter().collect());
    job.derived = Arc::new(derived);
    let mut header = no_header();
    header.version = version;
    let items = items_of(Parser::at_block(&header, offset), buffer.get(..length)?, bytes)?;
    job.read(items.split_last()?.1, &mut RegionScratch::default())?.encode()
}

/// Returns the items in the first `length` of these bytes; `None` if the last one isn't complete, or bytes after all of
/// these can change it.
pub fn items_of(mut parser: Parser, bytes: &[u8], length: usize) -> Option<Vec<Item<'_>>> {
    let (mut items, mut at) = (Vec::new(), 0);
    while at < length {
        let Ok(Step::Parsed { consumed, item }) = parser.parse(bytes.get(at..)?, false) else { return None };
        items.push(item);
        at += consumed;
    }
    (at == length).then_some(items)
}
