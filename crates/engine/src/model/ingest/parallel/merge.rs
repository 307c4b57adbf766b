//! Adds what a thread read of a region to the store, with the numbers of the trace.

use super::super::State;
use super::super::type_table::TypeSlot;
use super::Bytes;
use super::chunks::{Numbers, Part};
use super::job::declarations;
use super::reader::thread_of;
use super::rows::{RegionPayloads, RegionRows, SAMPLER};
use crate::model::file::blocks::{Block, BlockHead};
use crate::model::file::fits::Decoded;
use crate::model::file::losses::Continuity;
use crate::model::out_of_memory::OutOfMemory;
use nettrace::{Guid, Item, StackBlock};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{ActivityId, ProcessId, ThreadId, TypeId};
use std::sync::Arc;

/// Payload to decode and compare with its schema.
#[derive(Clone, Copy)]
pub(super) struct Unfitted {
    pub event_type: u32,
    pub decoded: Decoded,
    pub offset: u64,
    pub length: u32,
}

impl State {
    /// Returns whether the trace has the types that it must have before a region.
    pub(in crate::model::ingest) fn has_types_of(&self, rows: &RegionRows) -> bool {
        self.types.types().len() == rows.types
    }

    /// Returns whether the rows of a region can be added as a thread read them: nothing before the region changed what
    /// they rely on, and they continue the rows before.
    pub(super) fn accepts(&self, rows: &RegionRows) -> bool {
        let declared: FastSet<u64> = rows.declared_threads.iter().copied().collect();
        let is_known = |id: u64| !self.is_machine_wide || declared.contains(&id) || self.threads.is_declared(id);
        let all = (self.columns.len() + rows.columns.len()) as u64;
        let first = rows.runs.0.first().and_then(|&(_, capture)| rows.captures.get(capture as usize));
        let first = rows.columns.ticks().map(|(first, _)| first).zip(first.map(|capture| capture.id));
        self.has_types_of(rows)
            && self.region.len() == 0
            && self.region_stacks.is_empty()
            && !self.threads.has_incarnations()
            && self.gate.is_open()
            && self.gate.has_room(all)
            && self.writers.has_room()
            && rows.captures.iter().all(|capture| self.sequences.is_forward(capture.id, capture.first.0))
            && rows.threads.iter().all(|id| is_known(*id))
            && rows.captures.iter().all(|capture| is_known(capture.id))
            && first.is_none_or(|(ticks, capture)| self.columns.is_next(ticks, capture))
    }

    /// Adds the items of a region.
    pub(super) fn merge(
        &mut self,
        items: &[Item<'_>],
        mut rows: RegionRows,
        bytes: Bytes<'_>,
        unfitted: &mut Vec<Unfitted>,
    ) -> Result<(), OutOfMemory> {
        let (declarations, items) = items.split_at(if self.is_machine_wide { declarations(items) } else { 0 });
        declarations.iter().try_for_each(|item| self.item(item.clone()))?;
        let threads: Vec<ThreadId> = rows.threads.iter().map(|id| self.threads.lookup(*id)).collect();
        let captures: Vec<(u32, u64)> = rows.captures.iter().map(|one| (self.sequences.slot(one.id), one.id)).collect();
        for (capture, (slot, _)) in rows.captures.iter().zip(&captures) {
            let continuity = self.sequences.event(*slot, capture.first.0, capture.first.1);
            if continuity == Continuity::Gap && self.is_machine_wide {
                let os_thread = self.os_id(capture.id);
                self.sequences.set_last_os_thread(os_thread);
            }
            self.sequences.continue_to(*slot, capture.last.0, capture.last.1);
        }
        // Number 0 means that an event has no stack.
        let mut stacks = vec![0];
        for &(id, thread) in &rows.stack_uses {
            let process = || self.threads.process(thread_of(&threads, thread));
            stacks.push(self.region_stacks.get(id, process, &mut self.stacks).map_or(0, |stack| stack.0));
        }
        let same = if self.is_machine_wide { same_threads(&threads) } else { FastMap::default() };
        let mut blocks = std::mem::take(&mut rows.blocks).into_iter();
        for item in items {
            match item {
                Item::Metadata(block) => self.metadata(block),
                Item::Stacks(block) => self.merge_stacks(block, &mut stacks),
                Item::Events(block) => {
                    let Some(mut counted) = blocks.next() else { continue };
                    if !same.is_empty() {
                        counted.join_threads(&same);
                    }
                    self.event_count += u64::from(counted.items);
                    // The sequence point before the region can refer to undefined threads.
                    self.report_undefined_threads(block.info.offset);
                    let block = Block::of_events(block, self.header.sync_ticks);
                    self.blocks.push_counted(block, counted, |thread| thread_of(&threads, thread));
                }
                _ => {}
            }
        }
        let mut activity = |guid: Guid| if guid.is_zero() { 0 } else { self.activities.intern(guid).0 };
        let activities: Vec<u32> = rows.activities.iter().map(|guid| activity(Guid(*guid))).collect();
        for &(offset, activity) in &rows.related {
            let activity = activities.get(activity as usize).copied().unwrap_or(0);
            self.related.push(offset, ActivityId(activity));
        }
        self.merge_labels(&rows);
        let writers = rows.writers.iter().map(|writer| self.writers.intern(*writer)).collect();
        self.sorted_until = self.sorted_until.max(rows.sorted_until);
        self.density.absorb(&rows.density, |thread| thread_of(&threads, thread));
        for &(thread, ticks) in &rows.outside {
            self.density.add(thread_of(&threads, thread), ticks);
        }
        if let Some((first, last)) = rows.columns.ticks() {
            self.density.cover(first, last);
        }
        self.compare_payloads(&rows, unfitted);
        self.merge_allocations(&rows)?;
        self.merge_payloads(&rows, &threads, bytes)?;
        let count = rows.columns.len();
        let threads = threads.iter().map(|thread| thread.0).collect();
        let numbers = Arc::new(Numbers { threads, stacks, activities, writers });
        self.columns.add_region(Part { columns: Arc::new(rows.columns), numbers, rows: 0..count }, rows.runs, &captures)
    }

    /// Compares the sizes of payloads with their schemas.
    fn compare_payloads(&mut self, rows: &RegionRows, unfitted: &mut Vec<Unfitted>) {
        let RegionPayloads { compared_offsets, compared_lengths, .. } = &rows.payloads;
        let mut at = 0;
        for (&event_type, &count) in rows.noted_types.iter().zip(&rows.compared).filter(|(_, count)| **count > 0) {
            let these = at..at + count as usize;
            at = these.end;
            let Some(slot) = self.types.slot_of(TypeId(event_type)) else { continue };
            let offsets = compared_offsets.get(these.clone()).unwrap_or_default();
            let lengths = compared_lengths.get(these).unwrap_or_default();
            self.types.compare_sizes(slot, lengths, |at, decoded| {
                if let (Some(&offset), Some(&length)) = (offsets.get(at), lengths.get(at)) {
                    unfitted.push(Unfitted { event_type, decoded, offset, length });
                }
            });
        }
    }

    fn merge_allocations(&mut self, rows: &RegionRows) -> Result<(), OutOfMemory> {
        let RegionPayloads { allocation_offsets, allocation_bytes, allocation_types, .. } = &rows.payloads;
        let mut positions = vec![None; rows.allocated.len()];
        for ((&offset, &bytes), &at) in allocation_offsets.iter().zip(allocation_bytes).zip(allocation_types) {
            let at = at as usize;
            self.amounts.note_of(offset, bytes, |types| {
                if let Some(&Some(known)) = positions.get(at).filter(|_| types.are_complete()) {
                    return Ok(known);
                }
                let allocated = rows.allocated.get(at);
                let name = || allocated?.name.clone();
                let position = types.position(allocated.and_then(|allocated| allocated.object), name)?;
                if let Some(known) = positions.get_mut(at) {
                    *known = Some(position);
                }
                Ok(position)
            })?;
        }
        Ok(())
    }

    fn merge_payloads(&mut self, rows: &RegionRows, threads: &[ThreadId], bytes: Bytes<'_>) -> Result<(), OutOfMemory> {
        if rows.payloads.fact_types.is_empty() {
            return Ok(());
        }
        let types = rows.noted_types.iter();
        let slots: Vec<Option<TypeSlot>> = types.map(|id| self.types.slot_of(TypeId(*id))).collect();
        let slot_at = |position: u32| slots.get(position as usize).copied().flatten();
        let RegionPayloads { fact_types, fact_ticks, fact_threads, fact_offsets, fact_lengths, .. } = &rows.payloads;
        let whose = fact_types.iter().zip(fact_threads);
        let places = fact_ticks.iter().zip(fact_offsets).zip(fact_lengths);
        for ((&position, &thread), ((&ticks, &offset), &length)) in whose.zip(places) {
            let thread = thread_of(threads, thread);
            if position == SAMPLER {
                self.facts.sampled_by(thread);
            } else if let Some(slot) = slot_at(position) {
                self.note_payload(slot, offset, bytes.at(offset, length), ticks, thread)?;
            }
        }
        Ok(())
    }

    fn merge_labels(&mut self, rows: &RegionRows) {
        let RegionPayloads { label_offsets, label_lists, .. } = &rows.payloads;
        let place = |index| self.region_labels.get(index).copied().unwrap_or(0);
        let places: Vec<u32> = rows.label_lists.iter().map(place).collect();
        for (&offset, &list) in label_offsets.iter().zip(label_lists) {
            self.labels_of_events.push(offset, places.get(list as usize).copied().unwrap_or(0));
        }
    }

    fn merge_stacks(&mut self, block: &StackBlock<'_>, numbers: &mut Vec<u32>) {
        let before = numbers.len();
        for (_, bytes) in block.stacks().filter_map(Result::ok) {
            numbers.push(self.stacks.intern(ProcessId(0), bytes).0);
        }
        let count = (numbers.len() - before) as u32;
        self.blocks.push(Block::new(block.info, count).saying(BlockHead::First(block.first_id)));
    }
}

/// Returns the numbers of a region whose thread has a lower number too, with that number: in version 6, several IDs can
/// stand for a thread.
fn same_threads(threads: &[ThreadId]) -> FastMap<u32, u32> {
    let mut first: FastMap<ThreadId, u32> = FastMap::default();
    let numbered = (0u32..).zip(threads);
    numbered.map(|(number, thread)| (number, *first.entry(*thread).or_insert(number))).filter(|(a, b)| a != b).collect()
}
