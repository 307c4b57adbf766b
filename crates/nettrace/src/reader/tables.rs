//! Tables that events refer to: event types, threads, stacks and label lists.

use super::event_type::EventType;
use super::issue::{IssueKind, Issues};
use super::thread::Thread;
use crate::block::{EventHeader, Item, LabelList, SequencePoint};
use crate::container::Header;
use crate::metadata::MetadataRecord;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Metadata IDs below this are looked up in a table; runtimes count from 1. netperf 1 and 2 use file offsets.
const DENSE_IDS: usize = 1 << 16;

/// Position without a value.
const NONE: u32 = u32::MAX;

/// Positions of an event's references in the tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    pub event_type: u32,
    pub thread: u32,
    pub capture_thread: u32,
    labels: u32,
    stack: (u32, u32),
}

impl Default for Resolved {
    fn default() -> Self {
        Self { event_type: NONE, thread: NONE, capture_thread: NONE, labels: NONE, stack: (0, 0) }
    }
}

/// Rows that can be found by content.
#[derive(Debug)]
struct Interned<T> {
    rows: Vec<T>,
    by_hash: HashMap<u64, Vec<u32>>,
}

impl<T> Interned<T> {
    fn new() -> Self {
        Self { rows: Vec::new(), by_hash: HashMap::new() }
    }

    /// Returns the position of an equal row, adding one if necessary.
    fn intern(&mut self, key: impl Hash, is_same: impl Fn(&T) -> bool, row: impl FnOnce() -> T) -> u32 {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let same_hash = self.by_hash.entry(hasher.finish()).or_default();
        let rows = &mut self.rows;
        let known = same_hash.iter().find(|position| rows.get(**position as usize).is_some_and(&is_same));
        if let Some(&known) = known {
            return known;
        }
        let position = rows.len() as u32;
        same_hash.push(position);
        rows.push(row());
        position
    }
}

/// Tables of a trace.
#[derive(Debug)]
pub(super) struct Tables {
    /// True if event headers refer to threads by index (version 6).
    has_thread_table: bool,
    /// Traced process, if known.
    process_id: Option<u64>,
    types: Interned<EventType>,
    dense_types: Vec<u32>,
    sparse_types: HashMap<u32, u32>,
    threads: Interned<Thread>,
    /// Threads by the ID or index in event headers.
    by_header_id: HashMap<u64, u32>,
    last_thread: Option<(u64, u32)>,
    /// Addresses of the stacks since the last sequence point.
    stack_bytes: Vec<u8>,
    /// Start and end of each stack.
    stacks: HashMap<u32, (u32, u32)>,
    labels: Vec<LabelList>,
    label_lists: HashMap<u32, u32>,
}

impl Tables {
    /// Creates empty tables.
    pub fn new(header: &Header) -> Self {
        Self {
            has_thread_table: header.version >= 6,
            process_id: Some(u64::from(header.process_id)).filter(|id| *id != 0),
            types: Interned::new(),
            dense_types: Vec::new(),
            sparse_types: HashMap::new(),
            threads: Interned::new(),
            by_header_id: HashMap::new(),
            last_thread: None,
            stack_bytes: Vec::new(),
            stacks: HashMap::new(),
            labels: Vec::new(),
            label_lists: HashMap::new(),
        }
    }

    /// Returns the event types.
    pub fn types(&self) -> &[EventType] {
        &self.types.rows
    }

    /// Returns the threads.
    pub fn threads(&self) -> &[Thread] {
        &self.threads.rows
    }

    /// Returns the type of a resolved event.
    pub fn event_type(&self, resolved: &Resolved) -> Option<&EventType> {
        self.types.rows.get(resolved.event_type as usize)
    }

    /// Returns the thread at a position.
    pub fn thread(&self, position: u32) -> Option<&Thread> {
        self.threads.rows.get(position as usize)
    }

    /// Returns the labels of a resolved event.
    pub fn labels(&self, resolved: &Resolved) -> Option<&LabelList> {
        self.labels.get(resolved.labels as usize)
    }

    /// Returns the addresses of the stack of a resolved event.
    pub fn stack(&self, resolved: &Resolved) -> &[u8] {
        let (start, end) = resolved.stack;
        self.stack_bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Adds the rows of a block.
    pub fn add(&mut self, item: Item<'_>, issues: &mut Issues) {
        match item {
            Item::Metadata(block) => {
                for record in block.records() {
                    match record {
                        Ok(record) => self.add_metadata(record, issues),
                        Err(error) => {
                            issues.add(error.offset(), IssueKind::UnreadableRow { row: "metadata record", error });
                        }
                    }
                }
            }
            Item::Stacks(block) => {
                for stack in block.stacks() {
                    match stack {
                        Ok((id, addresses)) => self.add_stack(id, addresses),
                        Err(error) => issues.add(error.offset(), IssueKind::UnreadableRow { row: "stack", error }),
                    }
                }
            }
            Item::Threads(block) => {
                for row in block.rows() {
                    match row {
                        Ok(mut row) => {
                            if let Some(error) = row.partial.take() {
                                issues.add(error.offset(), IssueKind::IncompleteRow { row: "thread", error });
                            }
                            let index = row.index;
                            let position = self.intern_thread(Thread::of_row(row, self.process_id));
                            self.by_header_id.insert(index, position);
                            self.last_thread = None;
                        }
                        Err(error) => issues.add(error.offset(), IssueKind::UnreadableRow { row: "thread", error }),
                    }
                }
            }
            Item::Labels(block) => {
                for list in block.lists() {
                    match list {
                        Ok((index, list)) => {
                            self.label_lists.insert(index, self.labels.len() as u32);
                            self.labels.push(list);
                        }
                        Err(error) => issues.add(error.offset(), IssueKind::UnreadableRow { row: "label list", error }),
                    }
                }
            }
            Item::Unknown(block) => issues.add(block.info.offset, IssueKind::UnknownBlock(block.name)),
            _ => {}
        }
    }

    fn add_metadata(&mut self, record: MetadataRecord, issues: &mut Issues) {
        if let Some(error) = &record.partial {
            let error = error.clone();
            issues.add(record.offset, IssueKind::IncompleteRow { row: "metadata record", error });
        }
        let id = record.metadata_id;
        let key = (record.event_id, record.version, record.name.as_str(), record.provider.as_str());
        let is_same = |known: &EventType| known.has_record(&record);
        let position = self.types.intern(key, is_same, || EventType::of(record.clone()));
        self.set_type(id, position);
    }

    fn set_type(&mut self, metadata_id: u32, position: u32) {
        let id = metadata_id as usize;
        if id >= DENSE_IDS {
            self.sparse_types.insert(metadata_id, position);
            return;
        }
        if self.dense_types.len() <= id {
            self.dense_types.resize(id + 1, NONE);
        }
        if let Some(known) = self.dense_types.get_mut(id) {
            *known = position;
        }
    }

    fn add_stack(&mut self, id: u32, addresses: &[u8]) {
        let start = self.stack_bytes.len();
        let range = (u32::try_from(start), u32::try_from(start + addresses.len()));
        // After 4 GiB of stacks without a sequence point, further stacks are dropped.
        let (Ok(start), Ok(end)) = range else { return };
        self.stack_bytes.extend_from_slice(addresses);
        self.stacks.insert(id, (start, end));
    }

    fn intern_thread(&mut self, thread: Thread) -> u32 {
        let key = (thread.index(), thread.id(), thread.process_id());
        self.threads.intern(key, |known| *known == thread, || thread.clone())
    }

    /// Removes the thread with this index (version 6).
    pub fn remove_thread(&mut self, index: u64) {
        self.by_header_id.remove(&index);
        self.last_thread = None;
    }

    /// Removes entries that are invalid after a sequence point.
    pub fn sequence_point(&mut self, point: &SequencePoint) {
        self.stack_bytes.clear();
        self.stacks.clear();
        self.labels.clear();
        self.label_lists.clear();
        if point.flags & SequencePoint::FLUSH_THREADS != 0 {
            self.by_header_id.clear();
            self.last_thread = None;
        }
        if point.flags & SequencePoint::FLUSH_METADATA != 0 {
            self.dense_types.clear();
            self.sparse_types.clear();
        }
    }

    /// Resolves the references of an event.
    #[inline]
    pub fn resolve(&mut self, event: &EventHeader<'_>, issues: &mut Issues) -> Resolved {
        let event_type = match self.dense_types.get(event.metadata_id as usize) {
            Some(&position) if position != NONE => position,
            _ => self.sparse_type(event, issues),
        };
        let thread = self.thread_of_header(event.thread, event, issues);
        let capture_thread = match event.capture_thread {
            same if same == event.thread => thread,
            other => self.thread_of_header(other, event, issues),
        };
        let labels = match event.label_list {
            0 => NONE,
            index => self.label_lists.get(&index).copied().unwrap_or_else(|| {
                issues.add(event.header_offset, IssueKind::UndefinedLabels(index));
                NONE
            }),
        };
        let stack = match event.stack_id {
            0 => (0, 0),
            id => self.stacks.get(&id).copied().unwrap_or_else(|| {
                issues.add(event.header_offset, IssueKind::UndefinedStack(id));
                (0, 0)
            }),
        };
        Resolved { event_type, thread, capture_thread, labels, stack }
    }

    #[inline(never)]
    fn sparse_type(&mut self, event: &EventHeader<'_>, issues: &mut Issues) -> u32 {
        let id = event.metadata_id;
        if let Some(&position) = self.sparse_types.get(&id) {
            return position;
        }
        issues.add(event.header_offset, IssueKind::UndefinedMetadata(id));
        let position = self.types.intern(id, |_| false, || EventType::undefined(id));
        self.set_type(id, position);
        position
    }

    #[inline]
    fn thread_of_header(&mut self, header_id: u64, event: &EventHeader<'_>, issues: &mut Issues) -> u32 {
        match self.last_thread {
            Some((last, position)) if last == header_id => position,
            _ => self.find_thread(header_id, event, issues),
        }
    }

    fn find_thread(&mut self, header_id: u64, event: &EventHeader<'_>, issues: &mut Issues) -> u32 {
        let position = match self.by_header_id.get(&header_id) {
            Some(&position) => position,
            None => {
                let thread = if self.has_thread_table {
                    issues.add(event.header_offset, IssueKind::UndefinedThread(header_id));
                    Thread::of_row(crate::block::ThreadRow { index: header_id, ..Default::default() }, None)
                } else {
                    Thread::of_id(header_id, self.process_id)
                };
                let position = self.intern_thread(thread);
                self.by_header_id.insert(header_id, position);
                position
            }
        };
        self.last_thread = Some((header_id, position));
        position
    }
}
