//! Jobs and their results as one buffer each, for workers that share no memory.
//!
//! A buffer has columns with names of their own, then a small encoded part with their directory, then the length of this part.

use super::Bytes;
use super::chunks::RegionColumns;
use super::job::{RegionJob, Rule};
use super::rows::{RegionPayloads, RegionRows};
use crate::model::store::no_header;
use nettrace::{Item, Parser, Step};
use protocol::Packed;
use protocol::columns::ColumnMeta;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name of the column with the bytes of a region in the file.
const BYTES: &str = "bytes";

/// Small part of a job.
#[derive(Deserialize)]
struct JobHead {
    version: u32,
    /// Absolute offset of the region.
    offset: u64,
    job: RegionJob,
    rules: Vec<(u32, Rule)>,
}

/// Returns one buffer.
fn seal(packed: Packed, head: &impl Serialize) -> Option<Vec<u8>> {
    let Packed { directory, mut body } = packed;
    let end = postcard::to_allocvec(&(head, directory)).ok()?;
    body.extend_from_slice(&end);
    body.extend_from_slice(&(end.len() as u32).to_le_bytes());
    Some(body)
}

/// Returns the parts of a buffer.
fn open<T: DeserializeOwned>(mut body: Vec<u8>) -> Option<(T, Packed)> {
    let (rest, length) = body.split_last_chunk()?;
    let start = rest.len().checked_sub(u32::from_le_bytes(*length) as usize)?;
    let (head, directory): (T, Vec<ColumnMeta>) = postcard::from_bytes(rest.get(start..)?).ok()?;
    body.truncate(start);
    Some((head, Packed { directory, body }))
}

impl RegionJob {
    /// Encodes the job with the bytes of its region, without the sequence point.
    pub fn encode(&self, version: u32, region: Bytes<'_>) -> Option<Vec<u8>> {
        let rules: Vec<(u32, Rule)> = self.rules.iter().collect();
        let mut packed = Packed::default();
        packed.push(BYTES, region.bytes);
        seal(packed, &(version, region.offset, self, rules))
    }
}

impl RegionRows {
    fn encode(&self) -> Option<Vec<u8>> {
        let mut packed = self.columns.pack();
        self.payloads.append_to(&mut packed);
        seal(packed, self)
    }

    /// Decodes what [`read_region`] returned.
    pub fn decode(buffer: Vec<u8>) -> Option<Self> {
        let (rows, packed) = open::<Self>(buffer)?;
        let (columns, payloads) = (RegionColumns::unpack(&packed).ok()?, RegionPayloads::unpack(&packed).ok()?);
        Some(Self { columns, payloads, ..rows })
    }
}

/// Reads a region in a worker that doesn't own the store. Returns the encoded rows; `None` if the region has something
/// that only the owner of the store handles.
pub fn read_region(job: Vec<u8>) -> Option<Vec<u8>> {
    let (JobHead { version, offset, mut job, rules }, packed) = open(job)?;
    job.rules = Arc::new(rules.into_iter().collect());
    let mut header = no_header();
    header.version = version;
    let items = items_of(Parser::at_block(&header, offset), packed.column(BYTES).ok()?)?;
    job.read(&items)?.encode()
}

/// Returns the items in these bytes; `None` if the last one isn't complete, or more bytes can change it.
pub fn items_of(mut parser: Parser, bytes: &[u8]) -> Option<Vec<Item<'_>>> {
    let (mut items, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let Ok(Step::Parsed { consumed, item }) = parser.parse(rest, false) else { return None };
        items.push(item);
        rest = rest.get(consumed..)?;
    }
    Some(items)
}
