//! Block directory: offset, time range and content of each block. It always covers the whole file, in at most 1% of its
//! size.

use super::damages::Damages;
use nettrace::{BlockInfo, BlockKind, Damage, EventBlock};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ThreadId, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    pub kind: BlockKind,
    /// Absolute offset of the block header.
    pub offset: u64,
    /// Bytes, including the block header.
    pub bytes: u64,
    /// Number of events, metadata records, stacks or rows.
    pub items: u32,
    /// See [`BlockInfo::padding_bytes`].
    pub padding_bytes: u8,
    /// Smallest ticks of its events; 0 if there are none.
    pub min_ticks: i64,
    /// Largest ticks of its events; 0 if there are none.
    pub max_ticks: i64,
    /// Content of its header.
    pub head: BlockHead,
    /// Start of its counts by type, start of its counts by thread, and their end.
    counts: [u32; 3],
}

/// Content of a block's header. Ticks are relative to the sync point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BlockHead {
    /// No content.
    #[default]
    Silent,
    Events {
        /// True if event headers are compressed.
        is_compressed: bool,
        /// Smallest and largest ticks that the writer declared. Some writers declare 0; netperf has none.
        declared_ticks: Option<[i64; 2]>,
    },
    /// Block of stacks or label lists: number of the first one.
    First(u32),
    /// Sequence point.
    Point {
        /// Time; the maximum for "at the end".
        ticks: i64,
        /// [`nettrace::SequencePoint::flags`].
        flags: u32,
    },
}

/// Number of events of one type or thread in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BlockCount {
    /// Type ([`protocol::base::ids::TypeId`]) or thread ([`protocol::base::ids::ThreadId`]).
    pub id: u32,
    pub events: u32,
}

impl Block {
    /// Creates a block without times.
    pub(crate) fn new(info: BlockInfo, items: u32) -> Self {
        let BlockInfo { kind, offset, bytes, padding_bytes, .. } = info;
        Self {
            kind,
            offset,
            bytes,
            items,
            padding_bytes,
            min_ticks: 0,
            max_ticks: 0,
            head: BlockHead::Silent,
            counts: [0; 3],
        }
    }

    /// Creates the block of a block of events, so far without events.
    pub(crate) fn of_events(block: &EventBlock<'_>, sync_ticks: i64) -> Self {
        let relative = |ticks: i64| ticks.saturating_sub(sync_ticks);
        let declared_ticks = block.declared_ticks.map(|ticks| ticks.map(relative));
        Self::new(block.info, 0).saying(BlockHead::Events { is_compressed: block.compressed, declared_ticks })
    }

    /// Sets the content of the block header.
    pub(crate) fn saying(self, head: BlockHead) -> Self {
        Self { head, ..self }
    }
}

/// All blocks, in file order.
#[derive(Clone, Debug, Default)]
pub struct BlockDirectory {
    pub blocks: Vec<Block>,
    /// For each block with events, the counts by type, then those by thread.
    counts: Vec<BlockCount>,
    pub damages: Damages,
    /// By type: bytes of events, of metadata, and of the padding after each.
    type_bytes: Vec<[u64; 4]>,
    /// By thread: number of events and bytes.
    thread_sums: Vec<[u64; 2]>,
}

const EVENTS: usize = 0;
const DESCRIPTIONS: usize = 1;
const PADDING: usize = 2;

/// Returns the sums of a type, adding a row if necessary.
fn bytes_of(sums: &mut Vec<[u64; 4]>, event_type: TypeId, of: usize) -> &mut u64 {
    if sums.len() <= event_type.index() {
        sums.resize(event_type.index() + 1, [0; 4]);
    }
    &mut sums[event_type.index()][of]
}

/// Counter for the events of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockCounts {
    types: Tally,
    threads: Tally,
}

impl BlockCounts {
    /// Counts an event. `bytes` includes the padding.
    #[inline]
    pub fn add(&mut self, event_type: u32, thread: u32, bytes: u32, padding_bytes: u32) {
        self.types.add(event_type, bytes.wrapping_sub(padding_bytes));
        self.threads.add(thread, bytes);
    }
}

/// Events of a block with their counts, before threads have the numbers of the trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CountedBlock {
    /// Number of events.
    pub items: u32,
    /// Smallest and largest ticks; 0 if there are no events.
    ticks: [i64; 2],
    types: Vec<(BlockCount, u32)>,
    threads: Vec<(BlockCount, u32)>,
    /// Types with the padding after their events.
    padding: Vec<(u32, u32)>,
}

impl CountedBlock {
    /// Takes the counts of a block.
    pub fn new(items: u32, ticks: [i64; 2], counts: &mut BlockCounts, padding: Vec<(u32, u32)>) -> Self {
        let ticks = if items == 0 { [0; 2] } else { ticks };
        let (types, threads) = (counts.types.take(), counts.threads.take());
        Self { items, ticks, types, threads, padding }
    }

    /// Joins the counts of threads: `same` contains the numbers to replace.
    pub fn join_threads(&mut self, same: &FastMap<u32, u32>) {
        let mut joined: Vec<(BlockCount, u32)> = Vec::with_capacity(self.threads.len());
        let mut places: FastMap<u32, usize> = FastMap::default();
        for (count, bytes) in std::mem::take(&mut self.threads) {
            let id = same.get(&count.id).copied().unwrap_or(count.id);
            let place = *places.entry(id).or_insert(joined.len());
            match joined.get_mut(place) {
                Some((known, sum)) => {
                    known.events += count.events;
                    *sum = sum.wrapping_add(bytes);
                }
                None => joined.push((BlockCount { id, ..count }, bytes)),
            }
        }
        self.threads = joined;
    }
}

/// Counter by ID.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// Number of events and bytes, by ID.
    events: Vec<(u32, u32)>,
    /// IDs that have events.
    present: Vec<u32>,
}

impl Tally {
    #[inline]
    fn add(&mut self, id: u32, bytes: u32) {
        match self.events.get_mut(id as usize) {
            Some((events, sum)) if *events > 0 => {
                *events += 1;
                *sum = sum.wrapping_add(bytes);
            }
            _ => self.begin(id, bytes),
        }
    }

    fn begin(&mut self, id: u32, bytes: u32) {
        if self.events.len() <= id as usize {
            self.events.resize(id as usize + 1, (0, 0));
        }
        if let Some(events) = self.events.get_mut(id as usize) {
            *events = (1, bytes);
            self.present.push(id);
        }
    }

    /// Does the same as [`Tally::drain`], with memory of the right size.
    fn take(&mut self) -> Vec<(BlockCount, u32)> {
        let mut counts = Vec::with_capacity(self.present.len());
        counts.extend(self.drain());
        counts
    }

    /// Returns the counts with their bytes, and resets them.
    fn drain(&mut self) -> impl Iterator<Item = (BlockCount, u32)> {
        let Self { events, present } = self;
        present.drain(..).filter_map(|id| {
            let (events, bytes) = std::mem::take(events.get_mut(id as usize)?);
            Some((BlockCount { id, events }, bytes))
        })
    }
}

impl BlockDirectory {
    /// Returns the block that contains an offset of the file.
    pub fn at(&self, offset: u64) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.offset <= offset);
        self.blocks.get(after.checked_sub(1)?).filter(|block| offset - block.offset < block.bytes)
    }

    /// Returns the events by type of a block of this directory.
    pub fn types_of(&self, block: &Block) -> &[BlockCount] {
        let [first, threads, _] = block.counts;
        self.counts.get(first as usize..threads as usize).unwrap_or_default()
    }

    /// Returns the events by thread of a block of this directory.
    pub fn threads_of(&self, block: &Block) -> &[BlockCount] {
        let [_, threads, end] = block.counts;
        self.counts.get(threads as usize..end as usize).unwrap_or_default()
    }

    /// Returns the offset after the end-of-stream marker, if there is one.
    pub fn end_of_stream(&self) -> Option<u64> {
        let end = self.blocks.iter().rfind(|block| block.kind == BlockKind::EndOfStream)?;
        Some(end.offset.saturating_add(end.bytes))
    }

    /// Returns the bytes of a type's events in the file, with headers, without padding.
    pub fn event_bytes_of(&self, event_type: TypeId) -> u64 {
        self.type_bytes.get(event_type.index()).map_or(0, |bytes| bytes[EVENTS])
    }

    /// Returns the number of a thread's events in the file, and their bytes with headers and padding.
    pub fn thread_sums_of(&self, thread: ThreadId) -> [u64; 2] {
        self.thread_sums.get(thread.index()).copied().unwrap_or_default()
    }

    /// Returns the bytes of a type's metadata in the file, without padding.
    pub fn description_bytes_of(&self, event_type: TypeId) -> u64 {
        self.type_bytes.get(event_type.index()).map_or(0, |bytes| bytes[DESCRIPTIONS])
    }

    /// Returns the bytes of the padding after a type's events, and after its metadata.
    pub fn padding_bytes_of(&self, event_type: TypeId) -> [u64; 2] {
        self.type_bytes
            .get(event_type.index())
            .map_or([0; 2], |bytes| [EVENTS, DESCRIPTIONS].map(|of| bytes[PADDING + of]))
    }

    pub fn heap_bytes(&self) -> u64 {
        let counts = self.counts.capacity() * size_of::<BlockCount>();
        let bytes =
            self.type_bytes.capacity() * size_of::<[u64; 4]>() + self.thread_sums.capacity() * size_of::<[u64; 2]>();
        (self.blocks.capacity() * size_of::<Block>() + counts + bytes + self.damages.heap_bytes()) as u64
    }

    /// Adds the metadata of a type. `bytes` includes the padding.
    pub(crate) fn add_description(&mut self, event_type: TypeId, bytes: u32, padding_bytes: u32) {
        *bytes_of(&mut self.type_bytes, event_type, DESCRIPTIONS) += u64::from(bytes.saturating_sub(padding_bytes));
        *bytes_of(&mut self.type_bytes, event_type, PADDING + DESCRIPTIONS) += u64::from(padding_bytes);
    }

    /// Adds the padding after an event of a type.
    pub(crate) fn add_padding(&mut self, event_type: TypeId, bytes: u32) {
        *bytes_of(&mut self.type_bytes, event_type, PADDING + EVENTS) += u64::from(bytes);
    }

    /// Adds a damaged range.
    pub(crate) fn add_damage(&mut self, damage: &Damage) {
        self.damages.add(damage);
    }

    pub(crate) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Adds a block with the counts of its events, and resets them.
    pub(crate) fn push_events(&mut self, block: Block, counts: &mut BlockCounts) {
        self.push_with(block, counts.types.drain(), counts.threads.drain());
    }

    /// Adds a block with the counts of its events. `number` returns the number of a thread in the trace.
    pub(crate) fn push_counted(&mut self, block: Block, counted: CountedBlock, number: impl Fn(u32) -> ThreadId) {
        let CountedBlock { items, ticks: [min_ticks, max_ticks], types, threads, padding } = counted;
        let block = Block { items, min_ticks, max_ticks, ..block };
        padding.into_iter().for_each(|(event_type, bytes)| self.add_padding(TypeId(event_type), bytes));
        let threads = threads.into_iter().map(|(count, bytes)| (BlockCount { id: number(count.id).0, ..count }, bytes));
        self.push_with(block, types.into_iter(), threads);
    }

    fn push_with(
        &mut self,
        block: Block,
        types: impl Iterator<Item = (BlockCount, u32)>,
        of_threads: impl Iterator<Item = (BlockCount, u32)>,
    ) {
        let first = self.counts.len() as u32;
        for (count, bytes) in types {
            self.counts.push(count);
            *bytes_of(&mut self.type_bytes, TypeId(count.id), EVENTS) += u64::from(bytes);
        }
        let threads = self.counts.len() as u32;
        for (count, bytes) in of_threads {
            self.counts.push(count);
            let thread = count.id as usize;
            if self.thread_sums.len() <= thread {
                self.thread_sums.resize(thread + 1, [0; 2]);
            }
            if let Some([events, sum]) = self.thread_sums.get_mut(thread) {
                *events += u64::from(count.events);
                *sum += u64::from(bytes);
            }
        }
        self.blocks.push(Block { counts: [first, threads, self.counts.len() as u32], ..block });
    }
}
