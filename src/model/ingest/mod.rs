//! From parsed blocks to the store.
//!
//! Rows of a region are collected, put in order and appended to the columns when the region ends; everything else is
//! interned at once. What needs the whole file (methods of frames, roles of threads, totals) is done in
//! [`Ingest::finish`].

mod column_writer;
mod facts;
mod region;
pub(super) mod stack_interner;
pub(super) mod symbol_collector;
mod thread_table;
mod type_table;

pub(super) use facts::{Deed, RoleEvidence};
pub(super) use thread_table::ThreadTable;

use super::activities::Activities;
use super::blocks::{Block, BlockDirectory};
use super::density::LiveDensity;
use super::diagnostics::Diagnostics;
use super::finish::{Gathered, finish};
use super::ids::{ActivityId, StackId, ThreadId};
use super::kept::KeptPayloads;
use super::losses::{Continuity, SequenceTracker};
use super::out_of_memory::OutOfMemory;
use super::processes::Processes;
use super::side_table::SideTable;
use super::store::Store;
use super::strings::Strings;
use crate::clr::KnownEvent;
use crate::nettrace::{
    BlockInfo, Container, Damage, EventBlock, EventHeader, Header, Item, LabelBlock, LabelList, MetadataBlock,
    RemovedThreads, SequencePoint, StackBlock, ThreadBlock,
};
use column_writer::ColumnWriter;
use facts::{Facts, Observed, sample_state};
use region::{Region, Row};
use rustc_hash::FxHashMap;
use stack_interner::{RegionStacks, StackInterner};
use type_table::{TypeSlot, TypeTable, variant_of};

/// Rows that are collected at least before some of them are appended inside a region.
const PARTIAL_FLUSH_ROWS: usize = 1 << 18;

/// Builds a [`Store`] from the items of a parser, in the order of the file.
///
/// ```
/// use traceglass::model::Ingest;
/// use traceglass::nettrace::{Parser, Step};
///
/// fn load(trace: &[u8]) -> Result<traceglass::model::Store, Box<dyn std::error::Error>> {
///     let (mut parser, mut ingest, mut rest) = (Parser::new(), Ingest::new(), trace);
///     while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
///         ingest.item(item)?;
///         rest = &rest[consumed..];
///     }
///     Ok(ingest.finish()?)
/// }
/// # assert!(load(b"not a trace").is_err());
/// ```
#[derive(Debug, Default)]
pub struct Ingest {
    state: Option<Box<State>>,
}

impl Ingest {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next item of the file. Items before the header are ignored.
    ///
    /// # Errors
    /// If the columns cannot grow. What was read so far cannot be used then.
    pub fn item(&mut self, item: Item<'_>) -> Result<(), OutOfMemory> {
        match (&mut self.state, item) {
            (state, Item::Header(header)) => *state = Some(Box::new(State::new(header)?)),
            (Some(state), item) => state.item(item)?,
            (None, _) => {}
        }
        Ok(())
    }

    /// Events taken so far.
    pub fn event_count(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.event_count)
    }

    /// How many events each thread has over time so far; none before the header.
    pub fn density(&self) -> Option<&LiveDensity> {
        self.state.as_ref().map(|state| &state.density)
    }

    /// The operating system's id of a thread of [`Ingest::density`].
    pub fn os_thread(&self, thread: ThreadId) -> Option<u64> {
        self.state.as_ref()?.threads.threads().get(thread).map(|thread| thread.os_thread)
    }

    /// The header, once it was read.
    pub fn header(&self) -> Option<&Header> {
        self.state.as_ref().map(|state| &state.header)
    }

    /// The finished store; that of an empty trace if there was no header.
    ///
    /// # Errors
    /// If memory for the last steps cannot be had.
    pub fn finish(self) -> Result<Store, OutOfMemory> {
        match self.state {
            Some(state) => state.finish(),
            None => Box::new(State::new(super::store::no_header())?).finish(),
        }
    }
}

/// Everything while it grows.
#[derive(Debug)]
struct State {
    header: Header,
    is_machine_wide: bool,
    types: TypeTable,
    threads: ThreadTable,
    processes: Processes,
    sequences: SequenceTracker,
    stacks: StackInterner,
    region_stacks: RegionStacks,
    region: Region,
    partial_flush_rows: usize,
    /// No event that is yet to come is earlier.
    sorted_until: i64,
    columns: ColumnWriter,
    strings: Strings,
    activities: Activities,
    related: SideTable<ActivityId>,
    labels: Vec<LabelList>,
    region_labels: FxHashMap<u32, u32>,
    labels_of_events: SideTable<u32>,
    kept: KeptPayloads,
    facts: Facts,
    density: LiveDensity,
    diagnostics: Diagnostics,
    blocks: BlockDirectory,
    event_count: u64,
}

impl State {
    fn new(header: Header) -> Result<Self, OutOfMemory> {
        let mut processes = Processes::default();
        processes.intern(header.process_id);
        Ok(Self {
            is_machine_wide: header.version >= 6,
            stacks: StackInterner::new(header.pointer_size),
            header,
            types: TypeTable::default(),
            threads: ThreadTable::default(),
            processes,
            sequences: SequenceTracker::default(),
            region_stacks: RegionStacks::default(),
            region: Region::default(),
            partial_flush_rows: PARTIAL_FLUSH_ROWS,
            sorted_until: i64::MIN,
            columns: ColumnWriter::new()?,
            strings: Strings::default(),
            activities: Activities::default(),
            related: SideTable::default(),
            labels: vec![LabelList::default()],
            region_labels: FxHashMap::default(),
            labels_of_events: SideTable::default(),
            kept: KeptPayloads::default(),
            facts: Facts::default(),
            density: LiveDensity::default(),
            diagnostics: Diagnostics::default(),
            blocks: BlockDirectory::default(),
            event_count: 0,
        })
    }

    fn item(&mut self, item: Item<'_>) -> Result<(), OutOfMemory> {
        match item {
            Item::Header(_) => {}
            Item::Events(block) => return self.events(&block),
            Item::Metadata(block) => self.metadata(&block),
            Item::Stacks(block) => self.stack_block(&block),
            Item::SequencePoint(point) => return self.sequence_point(&point),
            Item::Threads(block) => self.thread_block(&block),
            Item::RemovedThreads(removed) => self.removed_threads(&removed),
            Item::Labels(block) => self.label_block(&block),
            Item::Unknown(info) => self.unknown_block(info),
            Item::Damage(damage) => self.damage(&damage),
            Item::EndOfStream(info) => self.blocks.push(Block::new(info, 0)),
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Store, OutOfMemory> {
        self.flush(None)?;
        self.kept.shrink();
        let (losses, lost) = self.sequences.finish();
        finish(Gathered {
            can_tell_losses: self.header.container == Container::Nettrace,
            is_machine_wide: self.is_machine_wide,
            header: self.header,
            types: self.types.finish(),
            threads: self.threads,
            processes: self.processes,
            losses,
            lost,
            raw_stacks: self.stacks.finish(),
            events: self.columns.finish()?,
            strings: self.strings,
            activities: self.activities,
            related: self.related,
            labels: self.labels,
            labels_of_events: self.labels_of_events,
            kept: self.kept,
            symbols: self.facts.symbols,
            evidence: self.facts.evidence,
            diagnostics: self.diagnostics,
            blocks: self.blocks,
        })
    }

    fn metadata(&mut self, block: &MetadataBlock<'_>) {
        let mut records = 0;
        for record in block.records() {
            match record {
                Ok(record) => {
                    if let Some(error) = &record.partial {
                        let what = "The layout of an event is described incompletely, so its payload is shown as bytes";
                        self.diagnostics.add(record.offset, &format!("{what}: {error}"));
                    }
                    records += 1;
                    self.types.define(record);
                }
                Err(error) => self
                    .diagnostics
                    .add(error.offset(), &format!("The description of an event cannot be read: {error}")),
            }
        }
        self.blocks.push(Block::new(block.info, records));
    }

    fn stack_block(&mut self, block: &StackBlock<'_>) {
        let mut stacks = 0;
        for stack in block.stacks() {
            match stack {
                Ok((id, bytes)) if self.is_machine_wide => self.region_stacks.add_raw(id, bytes),
                Ok((id, bytes)) => self.region_stacks.add(id, self.stacks.intern(super::ids::ProcessId(0), bytes)),
                Err(error) => self.diagnostics.add(error.offset(), &format!("A call stack cannot be read: {error}")),
            }
            stacks += 1;
        }
        self.blocks.push(Block::new(block.info, stacks));
    }

    fn sequence_point(&mut self, point: &SequencePoint) -> Result<(), OutOfMemory> {
        self.flush(None)?;
        let ticks = point.timestamp.saturating_sub(self.header.sync_ticks);
        for &(thread, sequence) in &point.threads {
            self.checkpoint(thread, sequence, ticks);
        }
        self.region_stacks.clear();
        self.region_labels.clear();
        if point.flags & SequencePoint::FLUSH_THREADS != 0 {
            self.threads.forget_header_ids();
            self.sequences.forget_numbers();
        }
        if point.flags & SequencePoint::FLUSH_METADATA != 0 {
            self.types.forget_ids();
        }
        self.blocks.push(Block::new(point.info, point.threads.len() as u32));
        Ok(())
    }

    fn checkpoint(&mut self, capture_thread: u64, sequence: u32, ticks: i64) {
        let os_thread = self.os_id(capture_thread);
        self.sequences.checkpoint(capture_thread, sequence, ticks, os_thread);
    }

    /// The operating system's id of the thread that event headers name so.
    fn os_id(&mut self, header_id: u64) -> u64 {
        if self.is_machine_wide { self.threads.os_thread(header_id) } else { header_id }
    }

    fn thread_block(&mut self, block: &ThreadBlock<'_>) {
        let mut rows = 0;
        for row in block.rows() {
            match row {
                Ok(row) => {
                    let process_id = row.process_id.unwrap_or(u64::from(self.header.process_id));
                    let process = self.processes.intern(u32::try_from(process_id).unwrap_or(u32::MAX));
                    let os_thread = row.thread_id.unwrap_or(u64::MAX);
                    self.threads.declare(row.index, process, os_thread, row.name);
                    rows += 1;
                }
                Err(error) => self
                    .diagnostics
                    .add(error.offset(), &format!("The description of a thread cannot be read: {error}")),
            }
        }
        self.blocks.push(Block::new(block.info, rows));
    }

    fn removed_threads(&mut self, removed: &RemovedThreads) {
        let ticks = self.density.span_ticks().map_or(0, |(_, last)| last);
        for &(index, sequence) in &removed.threads {
            self.checkpoint(index, sequence, ticks);
            self.sequences.forget_number(index);
            self.threads.end(index);
        }
        self.blocks.push(Block::new(removed.info, removed.threads.len() as u32));
    }

    fn label_block(&mut self, block: &LabelBlock<'_>) {
        let mut lists = 0;
        for list in block.lists() {
            match list {
                Ok((index, list)) => {
                    let known = self.labels.iter().rev().take(64).position(|known| *known == list);
                    let place = known.map_or(self.labels.len(), |back| self.labels.len() - 1 - back);
                    if known.is_none() {
                        self.labels.push(list);
                    }
                    self.region_labels.insert(index, place as u32);
                    lists += 1;
                }
                Err(error) => {
                    self.diagnostics.add(error.offset(), &format!("A list of labels cannot be read: {error}"))
                }
            }
        }
        self.blocks.push(Block::new(block.info, lists));
    }

    fn unknown_block(&mut self, info: BlockInfo) {
        self.diagnostics.add(info.offset, "A block of an unknown kind is left out.");
        self.blocks.push(Block::new(info, 0));
    }

    fn damage(&mut self, damage: &Damage) {
        if !damage.continued {
            self.diagnostics.add(damage.offset, &damage.error.to_string());
        }
    }

    fn events(&mut self, block: &EventBlock<'_>) -> Result<(), OutOfMemory> {
        let mut summary = Block { min_ticks: i64::MAX, max_ticks: i64::MIN, ..Block::new(block.info, 0) };
        let sync_ticks = self.header.sync_ticks;
        let counts_sequence = self.header.container == Container::Nettrace;
        self.region.reserve((block.info.bytes / 32) as usize)?;
        let mut events = block.events();
        while let Some(event) = events.next() {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    let message = format!("The rest of a block of events cannot be read: {error}");
                    self.diagnostics.add(error.offset(), &message);
                    break;
                }
            };
            let ticks = event.timestamp.saturating_sub(sync_ticks);
            let capture = self.sequences.slot(event.capture_thread);
            if counts_sequence {
                self.follow_sequence(event, capture, ticks);
            }
            let thread = self.threads.lookup(event.thread);
            let slot = match self.types.slot(event.metadata_id) {
                Some(slot) => slot,
                None => self.undescribed(event),
            };
            let mut row = Row::new(ticks, capture, event.sequence);
            row.thread = thread.0;
            row.event_type = slot.event_type;
            row.payload_offset = event.payload_offset;
            row.payload_length = event.payload.len() as u32;
            if event.stack_id != 0 {
                let process = || self.threads.process(thread);
                row.stack = match self.region_stacks.get(event.stack_id, process, &mut self.stacks) {
                    Some(stack) => stack.0,
                    None => self.missing_stack(event).0,
                };
            } else if !event.inline_stack.is_empty() {
                row.stack = self.stacks.intern(super::ids::ProcessId(0), event.inline_stack).0;
            }
            if !event.activity_id.is_zero() {
                row.activity = self.activities.intern(event.activity_id).0;
            }
            if !event.related_activity_id.is_zero() {
                self.related.push(event.payload_offset, self.activities.intern(event.related_activity_id));
            }
            if event.label_list != 0 {
                row.activity = self.label_list(event).0;
            }
            if !slot.is_plain() {
                self.look_at_payload(&slot, event, &mut row)?;
            }
            if event.is_sorted {
                self.sorted_until = self.sorted_until.max(ticks);
            }
            self.density.add(thread, ticks);
            self.region.push(row);
            summary.items += 1;
            summary.min_ticks = summary.min_ticks.min(ticks);
            summary.max_ticks = summary.max_ticks.max(ticks);
        }
        self.event_count += u64::from(summary.items);
        if summary.items == 0 {
            (summary.min_ticks, summary.max_ticks) = (0, 0);
        }
        self.blocks.push(summary);
        self.flush_some()
    }

    /// Appends what is certainly in order when a region becomes large.
    fn flush_some(&mut self) -> Result<(), OutOfMemory> {
        if self.region.len() < self.partial_flush_rows {
            return Ok(());
        }
        self.flush(Some(self.sorted_until))?;
        self.partial_flush_rows = PARTIAL_FLUSH_ROWS.max(self.region.len() * 2);
        Ok(())
    }

    fn flush(&mut self, before: Option<i64>) -> Result<(), OutOfMemory> {
        let Self { region, columns, sequences, threads, .. } = self;
        let has_incarnations = threads.has_incarnations();
        region.flush(
            before,
            |slot| sequences.id(slot),
            |row, capture| {
                let thread = ThreadId(row.thread);
                let thread = if has_incarnations { threads.at(thread, row.ticks) } else { thread };
                columns.push(row, thread, capture)
            },
        )
    }

    #[inline]
    fn follow_sequence(&mut self, event: &EventHeader<'_>, capture: u32, ticks: i64) {
        let continuity = self.sequences.event(capture, event.sequence, ticks);
        if continuity != Continuity::Continues {
            self.broken_sequence(event, ticks, continuity);
        }
    }

    #[cold]
    fn broken_sequence(&mut self, event: &EventHeader<'_>, ticks: i64, continuity: Continuity) {
        match continuity {
            Continuity::Gap if self.is_machine_wide => {
                let os_thread = self.os_id(event.capture_thread);
                self.sequences.set_last_os_thread(os_thread);
            }
            Continuity::Restarted if !self.is_machine_wide => {
                self.threads.begin_incarnation(event.capture_thread, ticks);
            }
            Continuity::Backwards => {
                let message = "The numbers of a thread's events run backwards, so lost events cannot be counted there.";
                self.diagnostics.add(event.header_offset, message);
            }
            _ => {}
        }
    }

    #[cold]
    fn undescribed(&mut self, event: &EventHeader<'_>) -> TypeSlot {
        let message =
            "An event refers to a description that the file does not have; it is shown without name and fields.";
        self.diagnostics.add(event.header_offset, message);
        self.types.define_unknown(event.metadata_id)
    }

    #[cold]
    fn missing_stack(&mut self, event: &EventHeader<'_>) -> StackId {
        self.diagnostics.add(event.header_offset, "An event refers to a call stack that the file does not have.");
        StackId(0)
    }

    /// Notes the labels of an event and returns the activity among them.
    fn label_list(&mut self, event: &EventHeader<'_>) -> ActivityId {
        let Some(&list) = self.region_labels.get(&event.label_list) else {
            self.diagnostics.add(event.header_offset, "An event refers to labels that the file does not have.");
            return ActivityId(0);
        };
        self.labels_of_events.push(event.payload_offset, list);
        let Some(labels) = self.labels.get(list as usize) else { return ActivityId(0) };
        if let Some(related) = labels.related_activity_id {
            self.related.push(event.payload_offset, self.activities.intern(related));
        }
        labels.activity_id.map_or(ActivityId(0), |activity| self.activities.intern(activity))
    }

    /// Does what the payload of an event is needed for.
    fn look_at_payload(&mut self, slot: &TypeSlot, event: &EventHeader<'_>, row: &mut Row) -> Result<(), OutOfMemory> {
        if slot.is_sample {
            row.event_type += variant_of(sample_state(event.payload));
            if event.thread != event.capture_thread {
                self.note_sampler(event);
            }
        }
        if slot.keeps_payload {
            self.kept.keep(event.payload_offset, event.payload)?;
        }
        if slot.is_observed {
            self.observe(slot, event, row);
        }
        Ok(())
    }

    fn note_sampler(&mut self, event: &EventHeader<'_>) {
        let sampler = self.threads.lookup(event.capture_thread);
        self.facts.sampled_by(sampler);
    }

    fn observe(&mut self, slot: &TypeSlot, event: &EventHeader<'_>, row: &Row) {
        let thread = ThreadId(row.thread);
        let observed = Observed {
            known: slot.known,
            ticks: row.ticks,
            thread,
            process: self.threads.process(thread),
            payload: event.payload,
        };
        let another = self.facts.observe(&observed, &mut self.processes, &mut self.strings);
        // Traces with sequence numbers show by them that an id was used again.
        if let (Some(os_thread), Container::Netperf, KnownEvent::ThreadCreated) =
            (another, self.header.container, slot.known)
        {
            self.threads.begin_incarnation(os_thread, row.ticks);
        }
    }
}
