//! Reads the events of one region, with numbers of its own.

use super::super::PARTIAL_FLUSH_ROWS;
use super::super::payload_observer::sample_state;
use super::super::region::{Region, Row};
use super::super::stack_interner::{RegionStacks, StackInterner};
use super::super::type_table::{Overrides, Slots, variant_of};
use super::chunks::{ColumnsWriter, Ends, RegionColumns, Runs, Shape};
use super::job::{RegionJob, Rule};
use super::rows::{Allocated, Capture, RegionPayloads, RegionRows, SAMPLER};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{AllocatedObject, Allocation};
use crate::model::columns::activities::Activities;
use crate::model::columns::writers::Writers;
use crate::model::file::blocks::{BlockCounts, CountedBlock};
use crate::model::threads::density::Buckets;
use nettrace::{EventBlock, EventHeader, Guid, Item, LabelBlock, StackBlock, ThreadBlock};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StackId, ThreadId};
use std::hash::Hash;
use std::sync::Arc;

/// Number of rows that are written to the columns together.
const ROWS_AT_ONCE: usize = 256;

impl RegionJob {
    /// Reads the region, without the sequence point at its end; `None` if it has something that only the owner of the
    /// store handles. The memory of `scratch` is reused.
    pub fn read(&self, items: &[Item<'_>], scratch: &mut RegionScratch) -> Option<RegionRows> {
        let RegionScratch { region, facts, allocations, labeled, compared } = scratch;
        if region.len() > 0 {
            // It is left over from a region that couldn't be read.
            *region = Region::default();
        }
        facts.clear();
        allocations.clear();
        labeled.clear();
        compared.iter_mut().for_each(Vec::clear);
        let mut reader = Reader::new(self, scratch);
        let bytes = |item: &Item<'_>| if let Item::Events(block) = item { block.info.bytes } else { 0 };
        reader.scratch.region.reserve((items.iter().map(bytes).sum::<u64>() / 32) as usize).ok()?;
        let mut definitions = self.definitions.iter();
        for item in items {
            match item {
                Item::Metadata(_) => {
                    let rules = Arc::make_mut(&mut reader.rules);
                    definitions.next()?.iter().for_each(|&(id, rule)| rules.set(id, rule));
                }
                Item::Stacks(block) => reader.stacks(block)?,
                Item::Threads(block) => reader.declare_threads(block)?,
                Item::Labels(block) => reader.labels(block)?,
                Item::Events(block) => reader.events(block)?,
                _ => return None,
            }
        }
        reader.finish()
    }
}

/// Memory of a thread that reads regions. It is reused, because new memory costs as much as the work.
#[derive(Clone, Debug, Default)]
pub(in crate::model::ingest) struct RegionScratch {
    region: Region,
    facts: Vec<Fact>,
    allocations: Vec<AllocatedBytes>,
    labeled: Vec<Labeled>,
    /// By position of the type: offset and length of payloads to compare with the schema.
    compared: Vec<Vec<(u64, u32)>>,
}

/// Payload with facts for the store. See [`RegionPayloads`].
#[derive(Clone, Debug)]
struct Fact {
    position: u32,
    ticks: i64,
    thread: u32,
    offset: u64,
    length: u32,
}

/// Allocation. `position` is that of its type in [`RegionRows::allocated`].
#[derive(Clone, Debug)]
struct AllocatedBytes {
    offset: u64,
    bytes: u64,
    position: u32,
}

/// Event with labels. `list` is a position in [`RegionRows::label_lists`].
#[derive(Clone, Debug)]
struct Labeled {
    offset: u64,
    list: u32,
}

/// What a list of labels changes in the rows of its events.
#[derive(Clone, Copy)]
struct Labels {
    activity: Option<Guid>,
    related: Option<Guid>,
    overrides: Option<Overrides>,
}

/// Numbers in the order of their first use.
struct Numbering<I> {
    ids: Vec<I>,
    numbers: FastMap<I, u32>,
    last: Option<(I, u32)>,
}

impl<I> Default for Numbering<I> {
    fn default() -> Self {
        Self { ids: Vec::new(), numbers: FastMap::default(), last: None }
    }
}

impl<I: Copy + Eq + Hash> Numbering<I> {
    #[inline]
    fn number(&mut self, id: I) -> u32 {
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
    job: &'j RegionJob,
    rules: Arc<Slots<Rule>>,
    scratch: &'j mut RegionScratch,
    threads: Numbering<u64>,
    capture_ids: Numbering<u64>,
    stacks: RegionStacks,
    stack_count: u32,
    /// Positions of stacks with the threads that use them.
    stack_uses: FastMap<(u32, u32), u32>,
    labels: FastMap<u32, Labels>,
    label_lists: Numbering<u32>,
    /// Stays empty: stacks have numbers of their own.
    interner: StackInterner,
    activities: Activities,
    writers: Writers,
    counts: BlockCounts,
    last_sampler: Option<u32>,
    ticks: Ends,
    payload_offsets: Ends,
    /// Bits of types and of payload lengths.
    bits: [u32; 2],
    /// By type: its position in the types of the result.
    positions: Vec<Option<u32>>,
    /// Positions among the types of allocated objects.
    allocated: FastMap<Option<AllocatedObject>, u32>,
    rows: RegionRows,
}

impl<'j> Reader<'j> {
    fn new(job: &'j RegionJob, scratch: &'j mut RegionScratch) -> Self {
        let rows = RegionRows {
            types: job.types,
            columns: RegionColumns::default(),
            runs: Runs::default(),
            blocks: Vec::new(),
            threads: Vec::new(),
            captures: Vec::new(),
            activities: Vec::new(),
            related: Vec::new(),
            declared_threads: Vec::new(),
            stack_uses: Vec::new(),
            label_lists: Vec::new(),
            writers: Vec::new(),
            density: Buckets::new(job.frame),
            outside: Vec::new(),
            sorted_until: i64::MIN,
            noted_types: Vec::new(),
            compared: Vec::new(),
            allocated: Vec::new(),
            payloads: RegionPayloads::default(),
        };
        Self {
            job,
            rules: job.rules.clone(),
            scratch,
            threads: Numbering::default(),
            capture_ids: Numbering::default(),
            stacks: RegionStacks::default(),
            stack_count: 0,
            stack_uses: FastMap::default(),
            labels: FastMap::default(),
            label_lists: Numbering::default(),
            interner: StackInterner::new(8),
            activities: Activities::default(),
            writers: Writers::default(),
            counts: BlockCounts::default(),
            last_sampler: None,
            ticks: Ends::NONE,
            payload_offsets: Ends::NONE,
            bits: [0; 2],
            positions: Vec::new(),
            allocated: FastMap::default(),
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

    fn declare_threads(&mut self, block: &ThreadBlock<'_>) -> Option<()> {
        for row in block.rows() {
            self.rows.declared_threads.push(row.ok()?.index);
        }
        Some(())
    }

    fn labels(&mut self, block: &LabelBlock<'_>) -> Option<()> {
        for list in block.lists() {
            let (index, list) = list.ok()?;
            let (activity, related) = (list.activity_id, list.related_activity_id);
            self.labels.insert(index, Labels { activity, related, overrides: Overrides::of(&list) });
        }
        Some(())
    }

    /// Applies the labels of an event. Returns the rule according to them, and the activity.
    fn apply_labels(&mut self, event: &EventHeader<'_>, rule: Rule) -> Option<(Rule, u32)> {
        let Labels { activity, related, overrides } = *self.labels.get(&event.label_list)?;
        let list = self.label_lists.number(event.label_list);
        self.scratch.labeled.push(Labeled { offset: event.payload_offset, list });
        if let Some(related) = related {
            self.rows.related.push((event.payload_offset, self.activities.intern(related).0));
        }
        let activity = activity.map_or(0, |activity| self.activities.intern(activity).0);
        let rule = match overrides {
            Some(overrides) => self.job.derived.overridden(rule, overrides)?,
            None => rule,
        };
        Some((rule, activity))
    }

    /// Returns the number of a stack that an event of a thread uses; `None` if it isn't defined.
    #[inline]
    fn stack(&mut self, id: u32, thread: u32) -> Option<u32> {
        let stack = self.stacks.get(id, || ProcessId(0), &mut self.interner)?.0;
        if !self.job.is_machine_wide {
            return Some(stack);
        }
        let next = self.rows.stack_uses.len() as u32 + 1;
        let number = *self.stack_uses.entry((stack, thread)).or_insert(next);
        if number == next {
            self.rows.stack_uses.push((id, thread));
        }
        Some(number)
    }

    fn events(&mut self, block: &EventBlock<'_>) -> Option<()> {
        let (mut items, mut all_ticks, mut payload_offsets) = (0, Ends::NONE, Ends::NONE);
        let [mut type_bits, mut length_bits] = self.bits;
        let mut padding: Vec<(u32, u32)> = Vec::new();
        let mut events = block.events();
        while let Some(event) = events.next() {
            let event = event.ok()?;
            let ticks = event.timestamp.saturating_sub(self.job.sync_ticks);
            let capture = self.follow_sequence(event, ticks)?;
            let thread = self.threads.number(event.thread);
            let mut rule = self.rules.get(event.metadata_id)?;
            let mut activity = 0;
            if event.label_list != 0 {
                (rule, activity) = self.apply_labels(event, rule)?;
            }
            if event.payload.len() > rule.longest as usize {
                rule = self.job.derived.of_length(rule, event.payload.len() as u32)?;
            }
            if rule.is_left || !event.inline_stack.is_empty() {
                return None;
            }
            items += 1;
            all_ticks.add(ticks);
            payload_offsets.add(event.payload_offset as i64);
            length_bits |= event.payload.len() as u32;
            if event.is_sorted {
                self.rows.sorted_until = self.rows.sorted_until.max(ticks);
            }
            if !self.rows.density.add(thread, ticks) {
                self.rows.outside.push((thread, ticks));
            }
            let stack = match event.stack_id {
                0 => 0,
                id => self.stack(id, thread)?,
            };
            if !event.activity_id.is_zero() {
                activity = self.activities.intern(event.activity_id).0;
            }
            if !event.related_activity_id.is_zero() {
                self.rows.related.push((event.payload_offset, self.activities.intern(event.related_activity_id).0));
            }
            if rule.size.may_misfit(event.payload.len()) {
                let position = self.position_of(rule.event_type);
                if let Some(compared) = self.scratch.compared.get_mut(position as usize) {
                    compared.push((event.payload_offset, event.payload.len() as u32));
                }
            }
            if let Some(known) = rule.allocation {
                self.allocation(known, event);
            }
            let mut event_type = rule.event_type;
            if rule.is_sample {
                self.note_sampler(event, ticks);
                event_type += variant_of(sample_state(event.payload));
            }
            if rule.is_noted {
                let position = self.position_of(rule.event_type);
                self.note(position, ticks, thread, event.payload_offset, event.payload.len());
            }
            type_bits |= event_type;
            let writer = self.writers.number(event.processor, event.thread, event.capture_thread);
            self.counts.add(event_type, thread, event.file_bytes(), event.padding_bytes);
            if event.padding_bytes > 0 {
                padding.push((event_type, event.padding_bytes));
            }
            self.scratch.region.push(Row {
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
        let is_small = self.scratch.region.len() < PARTIAL_FLUSH_ROWS && self.writers.has_room();
        self.bits = [type_bits, length_bits];
        self.ticks.extend(all_ticks);
        self.payload_offsets.extend(payload_offsets);
        let ticks = [all_ticks.lowest, all_ticks.highest];
        self.rows.blocks.push(CountedBlock::new(items, ticks, &mut self.counts, padding));
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

    fn position_of(&mut self, event_type: u32) -> u32 {
        let at = event_type as usize;
        if self.positions.len() <= at {
            self.positions.resize(at + 1, None);
        }
        let (types, compared) = (&mut self.rows.noted_types, &mut self.scratch.compared);
        let Some(position) = self.positions.get_mut(at) else { return 0 };
        *position.get_or_insert_with(|| {
            types.push(event_type);
            if compared.len() < types.len() {
                compared.push(Vec::new());
            }
            types.len() as u32 - 1
        })
    }

    /// Notes the amount and the type of an allocation.
    fn allocation(&mut self, known: u8, event: &EventHeader<'_>) {
        let Some(&known) = KnownEvent::ALLOCATIONS.get(usize::from(known)) else { return };
        let (payload, pointer_size) = (event.payload, self.job.address_bytes as u8);
        let Some(Allocation { bytes, object }) = Allocation::read(known, payload, pointer_size) else { return };
        let allocated = &mut self.rows.allocated;
        let position = *self.allocated.entry(object).or_insert_with(|| {
            let name = Allocation::type_name(known, payload, pointer_size).map(|name| name.to_string());
            allocated.push(Allocated { object, name });
            allocated.len() as u32 - 1
        });
        self.scratch.allocations.push(AllocatedBytes { offset: event.payload_offset, bytes, position });
    }

    /// Notes the thread that wrote a sample of another one.
    fn note_sampler(&mut self, event: &EventHeader<'_>, ticks: i64) {
        if event.thread != event.capture_thread {
            let sampler = self.threads.number(event.capture_thread);
            if self.last_sampler.replace(sampler) != Some(sampler) {
                self.note(SAMPLER, ticks, sampler, event.payload_offset, 0);
            }
        }
    }

    fn note(&mut self, position: u32, ticks: i64, thread: u32, offset: u64, length: usize) {
        self.scratch.facts.push(Fact { position, ticks, thread, offset, length: length as u32 });
    }

    /// Orders the rows.
    fn finish(mut self) -> Option<RegionRows> {
        if self.scratch.region.step_back().is_some() {
            return None;
        }
        let RegionRows { runs, captures, stack_uses, .. } = &mut self.rows;
        let highest = |count: usize| count.saturating_sub(1) as u32;
        let [types, payload_lengths] = self.bits;
        let shape = Shape {
            rows: self.scratch.region.len(),
            ticks: self.ticks,
            types,
            threads: highest(self.threads.ids.len()),
            stacks: if self.job.is_machine_wide { stack_uses.len() as u32 } else { self.stack_count },
            activities: highest(self.activities.guids().len()),
            writers: highest(self.writers.iter().len()),
            payload_offsets: self.payload_offsets,
            payload_lengths,
        };
        let mut columns = ColumnsWriter::new(shape).ok()?;
        let id = |capture: u32| captures.get(capture as usize).map_or(0, |capture| capture.id);
        // Stretches of one capture thread are often short, and each costs time in each column.
        let mut ordered: Vec<Row> = Vec::with_capacity(2 * ROWS_AT_ONCE);
        let sink = |rows: &[Row], _| {
            runs.extend(rows);
            for rows in rows.chunks(ROWS_AT_ONCE) {
                ordered.extend_from_slice(rows);
                if ordered.len() >= ROWS_AT_ONCE {
                    columns.extend(&ordered);
                    ordered.clear();
                }
            }
            Ok(())
        };
        self.scratch.region.flush(None, id, sink).ok()?;
        columns.extend(&ordered);
        self.rows.columns = columns.finish();
        let RegionScratch { facts, allocations, labeled, compared, .. } = self.scratch;
        let compared = || compared.iter().take(self.rows.noted_types.len());
        self.rows.compared = compared().map(|compared| compared.len() as u32).collect();
        let count: usize = compared().map(Vec::len).sum();
        let (mut compared_offsets, mut compared_lengths) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for compared in compared() {
            compared_offsets.extend(compared.iter().map(|(offset, _)| *offset));
            compared_lengths.extend(compared.iter().map(|(_, length)| *length));
        }
        self.rows.payloads = RegionPayloads {
            compared_offsets,
            compared_lengths,
            allocation_offsets: allocations.iter().map(|one| one.offset).collect(),
            allocation_bytes: allocations.iter().map(|one| one.bytes).collect(),
            allocation_types: allocations.iter().map(|one| one.position).collect(),
            label_offsets: labeled.iter().map(|one| one.offset).collect(),
            label_lists: labeled.iter().map(|one| one.list).collect(),
            fact_types: facts.iter().map(|fact| fact.position).collect(),
            fact_ticks: facts.iter().map(|fact| fact.ticks).collect(),
            fact_threads: facts.iter().map(|fact| fact.thread).collect(),
            fact_offsets: facts.iter().map(|fact| fact.offset).collect(),
            fact_lengths: facts.iter().map(|fact| fact.length).collect(),
        };
        self.rows.density.trim();
        self.rows.threads = self.threads.ids;
        self.rows.label_lists = self.label_lists.ids;
        self.rows.activities = self.activities.guids().iter().map(|guid| guid.0).collect();
        self.rows.writers = self.writers.iter().collect();
        Some(self.rows)
    }
}

/// Returns the number of a thread as the store's columns have it.
pub(super) fn thread_of(threads: &[ThreadId], number: u32) -> ThreadId {
    threads.get(number as usize).copied().unwrap_or_default()
}
