//! The block directory: where each block of the file lies, what time it covers, whose events it has. It always covers
//! the whole file, and is at most a hundredth of it.

use super::damages::Damages;
use nettrace::{BlockInfo, BlockKind, Damage};
use protocol::base::ids::{ThreadId, TypeId};

/// A block of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// What it holds.
    pub kind: BlockKind,
    /// Absolute position of the first byte of its framing.
    pub offset: u64,
    /// Its bytes with framing.
    pub bytes: u64,
    /// Events, metadata records, stacks or rows in it.
    pub items: u32,
    /// See [`BlockInfo::padding_bytes`].
    pub padding_bytes: u8,
    /// Smallest ticks of its events; 0 if it has none.
    pub min_ticks: i64,
    /// Largest ticks of its events; 0 if it has none.
    pub max_ticks: i64,
    /// What its own header says.
    pub head: BlockHead,
    /// Where its counts by type begin, where those by thread do, and where they end.
    counts: [u32; 3],
}

/// What the header of a block says. Ticks count from the synchronisation point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BlockHead {
    /// Nothing.
    #[default]
    Silent,
    /// Of events.
    Events {
        /// Whether their headers are compressed.
        is_compressed: bool,
        /// Smallest and largest ticks as the writer says; some leave them 0, netperf has none.
        declared_ticks: Option<[i64; 2]>,
    },
    /// Of stacks or lists of labels: the number of the first one.
    First(u32),
    /// Of a sequence point.
    Point {
        /// Its time; the largest number for "at the end".
        ticks: i64,
        /// [`nettrace::SequencePoint::flags`].
        flags: u32,
    },
}

/// Events of one type, or of one thread, in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockCount {
    /// The number of the type ([`protocol::base::ids::TypeId`]) or of the thread ([`protocol::base::ids::ThreadId`]).
    pub id: u32,
    /// Events.
    pub events: u32,
}

impl Block {
    /// A block without times.
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

    /// The same with what its header says.
    pub(crate) fn saying(self, head: BlockHead) -> Self {
        Self { head, ..self }
    }
}

/// All blocks in file order.
#[derive(Clone, Debug, Default)]
pub struct BlockDirectory {
    blocks: Vec<Block>,
    /// Of each block with events the counts by type, then those by thread.
    counts: Vec<BlockCount>,
    damages: Damages,
    /// By type: bytes of its events and of its descriptions, and of the padding behind the ones and the others.
    type_bytes: Vec<[u64; 4]>,
    /// By thread: its events, and their bytes.
    thread_sums: Vec<[u64; 2]>,
}

const EVENTS: usize = 0;
const DESCRIPTIONS: usize = 1;
const PADDING: usize = 2;

/// The sum of a type, which is there from now on.
fn bytes_of(sums: &mut Vec<[u64; 4]>, event_type: TypeId, of: usize) -> &mut u64 {
    if sums.len() <= event_type.index() {
        sums.resize(event_type.index() + 1, [0; 4]);
    }
    &mut sums[event_type.index()][of]
}

/// Counts the events of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockCounts {
    types: Tally,
    threads: Tally,
}

impl BlockCounts {
    /// Counts an event of so many bytes, padding included or not.
    #[inline]
    pub fn add(&mut self, event_type: u32, thread: u32, bytes: u32, padding_bytes: u32) {
        self.types.add(event_type, bytes.wrapping_sub(padding_bytes));
        self.threads.add(thread, bytes);
    }
}

/// Events by a small number.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// How many, and their bytes.
    events: Vec<(u32, u32)>,
    /// Numbers with events.
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

    /// Hands out the counts with their bytes, and begins again.
    fn drain(&mut self) -> impl Iterator<Item = (BlockCount, u32)> {
        let Self { events, present } = self;
        present.drain(..).filter_map(|id| {
            let (events, bytes) = std::mem::take(events.get_mut(id as usize)?);
            Some((BlockCount { id, events }, bytes))
        })
    }
}

impl BlockDirectory {
    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block that a position of the file lies in.
    pub fn at(&self, offset: u64) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.offset <= offset);
        self.blocks.get(after.checked_sub(1)?).filter(|block| offset - block.offset < block.bytes)
    }

    /// Events by type of a block of this directory.
    pub fn types_of(&self, block: &Block) -> &[BlockCount] {
        let [first, threads, _] = block.counts;
        self.counts.get(first as usize..threads as usize).unwrap_or_default()
    }

    /// Events by thread of a block of this directory.
    pub fn threads_of(&self, block: &Block) -> &[BlockCount] {
        let [_, threads, end] = block.counts;
        self.counts.get(threads as usize..end as usize).unwrap_or_default()
    }

    /// Where the end mark ends, if there is one.
    pub fn end_of_stream(&self) -> Option<u64> {
        let end = self.blocks.iter().rfind(|block| block.kind == BlockKind::EndOfStream)?;
        Some(end.offset.saturating_add(end.bytes))
    }

    /// What of the file cannot be read.
    pub fn damages(&self) -> &Damages {
        &self.damages
    }

    /// Bytes of the events of a type in the file, with their headers, without padding.
    pub fn event_bytes_of(&self, event_type: TypeId) -> u64 {
        self.type_bytes.get(event_type.index()).map_or(0, |bytes| bytes[EVENTS])
    }

    /// Events of a thread in the file, and their bytes with headers and padding.
    pub fn thread_sums_of(&self, thread: ThreadId) -> [u64; 2] {
        self.thread_sums.get(thread.index()).copied().unwrap_or_default()
    }

    /// Bytes of the descriptions of a type in the file, without padding.
    pub fn description_bytes_of(&self, event_type: TypeId) -> u64 {
        self.type_bytes.get(event_type.index()).map_or(0, |bytes| bytes[DESCRIPTIONS])
    }

    /// Bytes of the padding behind the events of a type, and behind its descriptions.
    pub fn padding_bytes_of(&self, event_type: TypeId) -> [u64; 2] {
        self.type_bytes
            .get(event_type.index())
            .map_or([0; 2], |bytes| [EVENTS, DESCRIPTIONS].map(|of| bytes[PADDING + of]))
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        let counts = self.counts.capacity() * size_of::<BlockCount>();
        let bytes =
            self.type_bytes.capacity() * size_of::<[u64; 4]>() + self.thread_sums.capacity() * size_of::<[u64; 2]>();
        (self.blocks.capacity() * size_of::<Block>() + counts + bytes + self.damages.heap_bytes()) as u64
    }

    /// Notes the description of a type, and the padding that is a part of its bytes.
    pub(crate) fn add_description(&mut self, event_type: TypeId, bytes: u32, padding_bytes: u32) {
        *bytes_of(&mut self.type_bytes, event_type, DESCRIPTIONS) += u64::from(bytes.saturating_sub(padding_bytes));
        *bytes_of(&mut self.type_bytes, event_type, PADDING + DESCRIPTIONS) += u64::from(padding_bytes);
    }

    /// Notes padding behind an event of a type.
    pub(crate) fn add_padding(&mut self, event_type: TypeId, bytes: u32) {
        *bytes_of(&mut self.type_bytes, event_type, PADDING + EVENTS) += u64::from(bytes);
    }

    /// Notes what cannot be read.
    pub(crate) fn add_damage(&mut self, damage: &Damage) {
        self.damages.add(damage);
    }

    pub(crate) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Adds a block with events, and empties their counts.
    pub(crate) fn push_events(&mut self, block: Block, counts: &mut BlockCounts) {
        let first = self.counts.len() as u32;
        for (count, bytes) in counts.types.drain() {
            self.counts.push(count);
            *bytes_of(&mut self.type_bytes, TypeId(count.id), EVENTS) += u64::from(bytes);
        }
        let threads = self.counts.len() as u32;
        for (count, bytes) in counts.threads.drain() {
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
