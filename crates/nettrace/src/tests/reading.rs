//! Reads a complete trace into memory, for comparisons.

use crate::testing::{self, Event};
use crate::{
    BlockInfo, Damage, Error, Header, Item, LabelList, MetadataRecord, RemovedThreads, Result, SequencePoint,
    ThreadRow, UnknownBlock,
};

/// Item with all of its content.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Header(Header),
    Events(BlockInfo, Vec<(u64, Event)>, Option<Error>),
    Metadata(BlockInfo, Vec<Result<MetadataRecord>>),
    Stacks(BlockInfo, Vec<Result<(u32, Vec<u8>)>>),
    SequencePoint(SequencePoint),
    Threads(BlockInfo, Vec<Result<ThreadRow>>),
    RemovedThreads(RemovedThreads),
    Labels(BlockInfo, Vec<Result<(u32, LabelList)>>),
    Unknown(UnknownBlock),
    Damage(Damage),
    EndOfStream(BlockInfo),
}

/// Reads a complete trace.
pub fn read(trace: &[u8]) -> Result<Vec<Seen>> {
    read_in_chunks(trace, || usize::MAX)
}

/// Reads a trace that arrives in chunks of these sizes.
pub fn read_in_chunks(trace: &[u8], next_chunk: impl FnMut() -> usize) -> Result<Vec<Seen>> {
    let mut seen = Vec::new();
    testing::read_in_chunks(trace, next_chunk, |item, _, _| seen.push(keep(item)))?;
    Ok(seen)
}

fn keep(item: &Item<'_>) -> Seen {
    match item {
        Item::Header(header) => Seen::Header(header.clone()),
        Item::Events(block) => {
            let mut kept = Vec::new();
            let mut events = block.events();
            let mut error = None;
            while let Some(event) = events.next() {
                match event {
                    Ok(header) => kept.push((header.header_offset, Event::from(header))),
                    Err(found) => error = Some(found),
                }
            }
            Seen::Events(block.info, kept, error)
        }
        Item::Metadata(block) => Seen::Metadata(block.info, block.records().collect()),
        Item::Stacks(block) => {
            let stacks = block.stacks().map(|stack| stack.map(|(id, addresses)| (id, addresses.to_vec())));
            Seen::Stacks(block.info, stacks.collect())
        }
        Item::SequencePoint(point) => Seen::SequencePoint(point.clone()),
        Item::Threads(block) => Seen::Threads(block.info, block.rows().collect()),
        Item::RemovedThreads(threads) => Seen::RemovedThreads(threads.clone()),
        Item::Labels(block) => Seen::Labels(block.info, block.lists().collect()),
        Item::Unknown(block) => Seen::Unknown(block.clone()),
        Item::Damage(damage) => Seen::Damage(damage.clone()),
        Item::EndOfStream(info) => Seen::EndOfStream(*info),
    }
}

/// Returns all events with the offsets of their headers.
pub fn events(seen: &[Seen]) -> Vec<(u64, Event)> {
    seen.iter()
        .flat_map(|seen| match seen {
            Seen::Events(_, events, _) => events.clone(),
            _ => Vec::new(),
        })
        .collect()
}

/// Returns all readable metadata records.
pub fn records(seen: &[Seen]) -> Vec<MetadataRecord> {
    seen.iter()
        .flat_map(|seen| match seen {
            Seen::Metadata(_, records) => records.iter().flatten().cloned().collect(),
            _ => Vec::new(),
        })
        .collect()
}

/// Returns all damage.
pub fn damages(seen: &[Seen]) -> Vec<Damage> {
    seen.iter()
        .filter_map(|seen| match seen {
            Seen::Damage(damage) => Some(damage.clone()),
            _ => None,
        })
        .collect()
}
