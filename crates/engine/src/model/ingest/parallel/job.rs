//! Reads the events of one region, with numbers of its own.

use super::super::payload_observer::sample_state;
use super::super::region::{Region, Row};
use super::super::stack_interner::{RegionStacks, StackInterner};
use super::super::type_table::{Slots, TypeSlot, variant_of};
use super::super::{PARTIAL_FLUSH_ROWS, State};
use super::chunks::RegionColumns;
use crate::clr::KnownEvent;
use crate::model::columns::activities::Activities;
use crate::model::columns::writers::{Writer, Writers};
use crate::model::file::blocks::{Block, BlockCounts, CountedBlock};
use crate::model::threads::density::{Buckets, Frame};
use nettrace::{Container, EventBlock, EventHeader, Guid, Item, StackBlock};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StackId, ThreadId};
use std::sync::Arc;

/// Region to read.
pub(super) struct RegionJob<'i, 'd> {
    /// Without the sequence point at the end.
    items: &'i [Item<'d>],
    sync_ticks: i64,
    address_bytes: usize,
    /// Types at the start of the region.
    slots: Arc<Slots>,
    /// Number of types at the start of the region.
    types: usize,
    /// By block of metadata in the region: its types.
    definitions: Vec<Vec<(u32, TypeSlot)>>,
    frame: Frame,
}

/// What a region contains.
pub(super) struct RegionRows {
    /// Number of types that the trace must have before the region.
    pub types: usize,
    pub columns: RegionColumns,
    /// Blocks of events, in order.
    pub blocks: Vec<CountedBlock>,
    /// IDs of threads in event headers, by number.
    pub threads: Vec<u64>,
    pub captures: Vec<Capture>,
    pub activities: Vec<Guid>,
    /// Payload offsets of events with a related activity.
    pub related: Vec<(u64, u32)>,
    pub writers: Vec<Writer>,
    pub density: Buckets,
    /// Events outside of the density's frame, in file order.
    pub outside: Vec<(u32, i64)>,
    pub sorted_until: i64,
    /// Ways to process events.
    pub slots: Vec<TypeSlot>,
    /// Payloads to compare with their schema: slot, offset, length.
    pub compared: Vec<(u32, u64, u32)>,
    pub noted: Vec<Noted>,
}

/// Events of a capture thread, whose sequence numbers have no gap.
pub(super) struct Capture {
    pub id: u64,
    pub first: (u32, i64),
    pub last: (u32, i64),
}

/// Fact for the store, in file order.
pub(super) enum Noted {
    /// A thread that writes samples of others.
    Sampler(u32),
    /// A payload.
    Payload { slot: u32, ticks: i64, thread: u32, offset: u64, length: u32 },
}

impl State {
    /// Prepares a job for each region that threads can read, ahead of its metadata.
    pub(super) fn jobs<'i, 'd>(&self, regions: &[&'i [Item<'d>]]) -> Vec<Option<RegionJob<'i, 'd>>> {
        let frame = self.density.frame();
        let is_plain = self.header.version < 6 && self.header.container == Container::Nettrace && self.gate.is_open();
        let Some(frame) = frame.filter(|_| is_plain) else { return Vec::new() };
        let mut types = self.types.clone();
        let mut slots = Arc::new(types.slots().clone());
        let job = |region: &&'i [Item<'d>]| {
            let (point, items) = region.split_last()?;
            let is_readable = |item: &Item<'_>| matches!(item, Item::Events(_) | Item::Stacks(_) | Item::Metadata(_));
            let mut job = RegionJob {
                items,
                sync_ticks: self.header.sync_ticks,
                address_bytes: self.header.pointer_size.into(),
                slots: slots.clone(),
                types: types.types().len(),
                definitions: Vec::new(),
                frame,
            };
            for item in items {
                if let Item::Metadata(block) = item {
                    let ids = block.records().filter_map(Result::ok).map(|record| {
                        let id = record.metadata_id;
                        types.define(record);
                        id
                    });
                    let ids: Vec<u32> = ids.collect();
                    slots = Arc::new(types.slots().clone());
                    let defined = ids.into_iter().filter_map(|id| Some((id, slots.get(id)?)));
                    job.definitions.push(defined.collect());
                }
            }
            (matches!(point, Item::SequencePoint(_)) && items.iter().all(is_readable)).then_some(job)
        };
        regions.iter().map(job).collect()
    }
}

impl RegionJob<'_, '_> {
    /// Reads the region; `None` if it has something that only the owner of the store handles.
    pub fn read(&self) -> Option<RegionRows> {
        let mut reader = Reader::new(self);
        let bytes = |item: &Item<'_>| if let Item::Events(block) = item { block.info.bytes } else { 0 };
        reader.region.reserve((self.items.iter().map(bytes).sum::<u64>() / 32) as usize).ok()?;
        let mut definitions = self.definitions.iter();
        for item in self.items {
            match item {
                Item::Metadata(_) => {
                    let slots = Arc::make_mut(&mut reader.slots);
                    definitions.next()?.iter().for_each(|&(id, slot)| slots.set(id, slot));
                }
                Item::Stacks(block) => reader.stacks(block)?,
                Item::Events(block) => reader.events(block)?,
                _ => return None,
            }
        }
        reader.finish()
    }
}

/// Numbers in the order of their first use.
#[derive(Default)]
struct Numbering {
    ids: Vec<u64>,
    numbers: FastMap<u64, u32>,
    last: Option<(u64, u32)>,
}

impl Numbering {
    #[inline]
    fn number(&mut self, id: u64) -> u32 {
        match self.last {
            Some((last, number)) if last == id => number,
            _ => {
                let next = self.ids.len() as u32;
                let number = *self.numbers.entry(id).or_insert(next);
                if number == next {
                    self.ids.push(id);
                }
                self.last = Some((id, number));
                number
            }
        }
    }
}

struct Reader<'j> {
    job: &'j RegionJob<'j, 'j>,
    slots: Arc<Slots>,
    region: Region,
    threads: Numbering,
    capture_ids: Numbering,
    stacks: RegionStacks,
    stack_count: u32,
    /// Stays empty: stacks have numbers of their own.
    interner: StackInterner,
    activities: Activities,
    writers: Writers,
    counts: BlockCounts,
    last_sampler: Option<u32>,
    /// By type: its position in the slots of the result.
    slot_positions: Vec<Option<u32>>,
    rows: RegionRows,
}

impl<'j> Reader<'j> {
    fn new(job: &'j RegionJob<'_, '_>) -> Self {
        let rows = RegionRows {
            types: job.types,
            columns: RegionColumns::default(),
            blocks: Vec::new(),
            threads: Vec::new(),
            captures: Vec::new(),
            activities: Vec::new(),
            related: Vec::new(),
            writers: Vec::new(),
            density: Buckets::new(job.frame),
            outside: Vec::new(),
            sorted_until: i64::MIN,
            slots: Vec::new(),
            compared: Vec::new(),
            noted: Vec::new(),
        };
        Self {
            job,
            slots: job.slots.clone(),
            region: Region::default(),
            threads: Numbering::default(),
            capture_ids: Numbering::default(),
            stacks: RegionStacks::default(),
            stack_count: 0,
            interner: StackInterner::new(8),
            activities: Activities::default(),
            writers: Writers::default(),
            counts: BlockCounts::default(),
            last_sampler: None,
            slot_positions: Vec::new(),
            rows,
        }
    }

    fn stacks(&mut self, block: &StackBlock<'_>) -> Option<()> {
        for stack in block.stacks() {
            let (id, _) = stack.ok().filter(|(_, bytes)| bytes.len().is_multiple_of(self.job.address_bytes))?;
            self.stack_count += 1;
            self.stacks.add(id, StackId(self.stack_count));
        }
        Some(())
    }

    fn events(&mut self, block: &EventBlock<'_>) -> Option<()> {
        let mut summary = Block::of_events(block, self.job.sync_ticks);
        let mut padding: Vec<(u32, u32)> = Vec::new();
        (summary.min_ticks, summary.max_ticks) = (i64::MAX, i64::MIN);
        let mut events = block.events();
        while let Some(event) = events.next() {
            let event = event.ok()?;
            let ticks = event.timestamp.saturating_sub(self.job.sync_ticks);
            let capture = self.follow_sequence(event, ticks)?;
            let thread = self.threads.number(event.thread);
            let slot = self.slots.get(event.metadata_id)?;
            let is_rare = event.label_list != 0
                || event.payload.len() > slot.longest as usize
                || !event.inline_stack.is_empty()
                || !slot.is_indexed;
            if is_rare {
                return None;
            }
            summary.items += 1;
            summary.min_ticks = summary.min_ticks.min(ticks);
            summary.max_ticks = summary.max_ticks.max(ticks);
            if event.is_sorted {
                self.rows.sorted_until = self.rows.sorted_until.max(ticks);
            }
            if !self.rows.density.add(thread, ticks) {
                self.rows.outside.push((thread, ticks));
            }
            let stack = match event.stack_id {
                0 => 0,
                id => self.stacks.get(id, || ProcessId(0), &mut self.interner)?.0,
            };
            let mut activity = 0;
            if !event.activity_id.is_zero() {
                activity = self.activities.intern(event.activity_id).0;
            }
            if !event.related_activity_id.is_zero() {
                self.rows.related.push((event.payload_offset, self.activities.intern(event.related_activity_id).0));
            }
            if slot.may_misfit(event.payload.len()) {
                let slot = self.position_of(slot);
                self.rows.compared.push((slot, event.payload_offset, event.payload.len() as u32));
            }
            let mut event_type = slot.event_type;
            if !slot.is_plain() {
                event_type += self.note_payload(slot, event, ticks, thread)?;
            }
            let writer = self.writers.number(event.processor, event.thread, event.capture_thread);
            self.counts.add(event_type, thread, event.file_bytes(), event.padding_bytes);
            if event.padding_bytes > 0 {
                padding.push((event_type, event.padding_bytes));
            }
            self.region.push(Row {
                ticks,
                payload_offset: event.payload_offset,
                payload_length: event.payload.len() as u32,
                event_type,
                thread,
                stack,
                activity,
                writer,
                sequence: event.sequence,
                capture,
            });
        }
        let is_small = self.region.len() < PARTIAL_FLUSH_ROWS && self.writers.has_room();
        self.rows.blocks.push(CountedBlock::new(summary, &mut self.counts, padding));
        is_small.then_some(())
    }

    /// Returns the number of the capture thread, if the event follows its last one.
    #[inline]
    fn follow_sequence(&mut self, event: &EventHeader<'_>, ticks: i64) -> Option<u32> {
        let capture = self.capture_ids.number(event.capture_thread);
        let now = (event.sequence, ticks);
        match self.rows.captures.get_mut(capture as usize) {
            Some(before) if before.last.0.wrapping_add(1) == event.sequence => before.last = now,
            Some(_) => return None,
            None => self.rows.captures.push(Capture { id: event.capture_thread, first: now, last: now }),
        }
        Some(capture)
    }

    fn position_of(&mut self, slot: TypeSlot) -> u32 {
        let at = slot.event_type as usize;
        if self.slot_positions.len() <= at {
            self.slot_positions.resize(at + 1, None);
        }
        let slots = &mut self.rows.slots;
        let Some(position) = self.slot_positions.get_mut(at) else { return 0 };
        *position.get_or_insert_with(|| {
            slots.push(slot);
            slots.len() as u32 - 1
        })
    }

    /// Notes the payload of an event. Returns the variant of its type.
    fn note_payload(&mut self, slot: TypeSlot, event: &EventHeader<'_>, ticks: i64, thread: u32) -> Option<u32> {
        if slot.known == KnownEvent::AsyncEvents {
            return None;
        }
        let mut variant = 0;
        if slot.is_sample {
            if event.thread != event.capture_thread {
                let sampler = self.threads.number(event.capture_thread);
                if self.last_sampler.replace(sampler) != Some(sampler) {
                    self.rows.noted.push(Noted::Sampler(sampler));
                }
            }
            variant = variant_of(sample_state(event.payload));
        }
        if slot.keeps_payload.is_some() || slot.is_allocation || slot.is_observed {
            let (offset, length) = (event.payload_offset, event.payload.len() as u32);
            let slot = self.position_of(slot);
            self.rows.noted.push(Noted::Payload { slot, ticks, thread, offset, length });
        }
        Some(variant)
    }

    /// Orders the rows.
    fn finish(mut self) -> Option<RegionRows> {
        if self.region.step_back().is_some() {
            return None;
        }
        let (columns, captures) = (&mut self.rows.columns, &self.rows.captures);
        columns.reserve(self.region.len()).ok()?;
        let id = |capture: u32| captures.get(capture as usize).map_or(0, |capture| capture.id);
        let sink = |rows: &[Row], _| {
            columns.extend(rows);
            Ok(())
        };
        self.region.flush(None, id, sink).ok()?;
        self.rows.threads = self.threads.ids;
        self.rows.activities = self.activities.guids().to_vec();
        self.rows.writers = self.writers.iter().collect();
        Some(self.rows)
    }
}

/// Returns the number of a thread as the store's columns have it.
pub(super) fn thread_of(threads: &[ThreadId], number: u32) -> ThreadId {
    threads.get(number as usize).copied().unwrap_or_default()
}
