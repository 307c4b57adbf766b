//! Declarations of a trace: event types, stacks, sequence points, threads, labels.

use super::State;
use super::thread_table::name_of_index;
use super::type_table::Overrides;
use crate::model::file::blocks::{Block, BlockHead};
use crate::model::out_of_memory::OutOfMemory;
use nettrace::{
    Damage, LabelBlock, MetadataBlock, RemovedThreads, SequencePoint, StackBlock, ThreadBlock, UnknownBlock,
};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, thread_of_index};
use protocol::format;

impl State {
    pub(super) fn metadata(&mut self, block: &MetadataBlock<'_>) {
        let mut count = 0;
        let mut records = block.records();
        while let Some(record) = records.next() {
            match record {
                Ok(record) => {
                    if let Some(error) = &record.partial {
                        self.diagnostics.add_error(record.offset, "Event metadata is only partly readable. ", error);
                    }
                    count += 1;
                    let event_type = self.types.define(record);
                    self.blocks.add_description(event_type, records.last_bytes(), records.last_padding_bytes());
                }
                Err(error) => self.diagnostics.add_error(error.offset(), "Can't read event metadata. ", &error),
            }
        }
        self.blocks.push(Block::new(block.info, count));
    }

    pub(super) fn stack_block(&mut self, block: &StackBlock<'_>) {
        let mut stacks = 0;
        let address_bytes = usize::from(self.header.pointer_size);
        for stack in block.stacks() {
            if matches!(stack, Ok((_, bytes)) if !bytes.len().is_multiple_of(address_bytes)) {
                let message = "A call stack's size isn't a multiple of the pointer size.";
                self.diagnostics.add(block.info.offset, message);
            }
            match stack {
                Ok((id, bytes)) if self.is_machine_wide => self.region_stacks.add_raw(id, bytes),
                Ok((id, bytes)) => self.region_stacks.add(id, self.stacks.intern(ProcessId(0), bytes)),
                Err(error) => self.diagnostics.add_error(error.offset(), "Can't read a call stack. ", &error),
            }
            stacks += 1;
        }
        self.blocks.push(Block::new(block.info, stacks).saying(BlockHead::First(block.first_id)));
    }

    pub(super) fn sequence_point(&mut self, point: &SequencePoint) -> Result<(), OutOfMemory> {
        self.flush(None)?;
        let ticks = self.ticks_of_point(point.timestamp);
        if self.last_point.replace(ticks).is_some_and(|last| ticks < last) {
            let message = "A sequence point is earlier than the one before it: blocks are out of time order.";
            self.diagnostics.add(point.info.offset, message);
        }
        // An ID may occur twice: for an ended thread and for the current one. The current thread has the number that
        // follows its events.
        let mut nearest: FastMap<u64, u32> = FastMap::default();
        for &(thread, sequence) in &point.threads {
            if let Some(missing) = self.sequences.missing_at(thread, sequence) {
                nearest.entry(thread).and_modify(|least| *least = missing.min(*least)).or_insert(missing);
            }
        }
        for &(thread, sequence) in &point.threads {
            let missing = self.sequences.missing_at(thread, sequence);
            if missing.is_some() && nearest.get(&thread).copied() == missing {
                nearest.remove(&thread);
                self.checkpoint(thread, sequence, ticks);
            } else {
                self.sequences.checkpoint_of_ended(thread, sequence, ticks);
            }
        }
        self.sequences.forget_ended();
        self.region_stacks.clear();
        self.region_labels.clear();
        if point.flags & SequencePoint::FLUSH_THREADS != 0 {
            self.threads.forget_header_ids();
            self.sequences.forget_numbers(ticks);
        }
        if point.flags & SequencePoint::FLUSH_METADATA != 0 {
            self.types.forget_ids();
        }
        // The maximum means "at the end", and stays unchanged.
        let ticks = match point.timestamp {
            i64::MAX => i64::MAX,
            timestamp => timestamp.saturating_sub(self.header.sync_ticks),
        };
        let head = BlockHead::Point { ticks, flags: point.flags };
        self.blocks.push(Block::new(point.info, point.threads.len() as u32).saying(head));
        Ok(())
    }

    /// Returns the ticks of a sequence point; those of the latest event if it has no time (record-trace writes the
    /// maximum for "at the end", docs/format/wire-format.md#version-6-as-written-by-record-trace).
    fn ticks_of_point(&self, timestamp: i64) -> i64 {
        let latest = self.density.span_ticks().map_or(0, |(_, last)| last);
        if (0..i64::MAX).contains(&timestamp) { timestamp.saturating_sub(self.header.sync_ticks) } else { latest }
    }

    pub(super) fn checkpoint(&mut self, capture_thread: u64, sequence: u32, ticks: i64) {
        let os_thread = self.os_id(capture_thread);
        self.sequences.checkpoint(capture_thread, sequence, ticks, os_thread);
    }

    /// Returns the OS ID of a thread in event headers.
    pub(super) fn os_id(&mut self, header_id: u64) -> u64 {
        if self.is_machine_wide { self.threads.os_thread(header_id) } else { header_id }
    }

    pub(super) fn thread_block(&mut self, block: &ThreadBlock<'_>) {
        let mut rows = 0;
        for row in block.rows() {
            match row {
                Ok(row) => {
                    if let Some(error) = &row.partial {
                        let message = "A thread record is only partly readable. ";
                        self.diagnostics.add_error(error.offset(), message, error);
                    }
                    let process_id = row.process_id.unwrap_or(u64::from(self.header.process_id));
                    let process = self.processes.intern(u32::try_from(process_id).unwrap_or(u32::MAX));
                    // Without an OS thread ID, only the index identifies a thread.
                    let os_thread = row.thread_id.unwrap_or(thread_of_index(row.index));
                    let name = row.name.or_else(|| row.thread_id.is_none().then(|| name_of_index(row.index)));
                    self.threads.declare(row.index, process, os_thread, name);
                    self.threads.add_attributes(row.index, row.attributes);
                    rows += 1;
                }
                Err(error) => self.diagnostics.add_error(error.offset(), "Can't read a thread record. ", &error),
            }
        }
        self.blocks.push(Block::new(block.info, rows));
    }

    pub(super) fn removed_threads(&mut self, removed: &RemovedThreads) {
        let ticks = self.density.span_ticks().map_or(0, |(_, last)| last);
        for &(index, sequence) in &removed.threads {
            if !self.threads.is_declared(index) {
                let message = format!("A removal refers to undefined thread index {index}.");
                self.diagnostics.add(removed.info.offset, &message);
                continue;
            }
            self.checkpoint(index, sequence, ticks);
            self.sequences.forget_number(index);
            self.threads.end(index);
        }
        self.blocks.push(Block::new(removed.info, removed.threads.len() as u32));
    }

    pub(super) fn label_block(&mut self, block: &LabelBlock<'_>) {
        let mut lists = 0;
        if block.first_index == 0 {
            let message = "A label block starts at index 0, which is reserved for “no labels”.";
            self.diagnostics.add(block.info.offset, message);
        }
        for list in block.lists() {
            match list {
                Ok((index, list)) => {
                    let known = self.labels.iter().rev().take(64).position(|known| *known == list);
                    let place = known.map_or(self.labels.len(), |back| self.labels.len() - 1 - back);
                    if known.is_none() {
                        self.overrides.push(Overrides::of(&list));
                        self.labels.push(list);
                    }
                    self.region_labels.insert(index, place as u32);
                    lists += 1;
                }
                Err(error) => self.diagnostics.add_error(error.offset(), "Can't read a label list. ", &error),
            }
        }
        self.blocks.push(Block::new(block.info, lists).saying(BlockHead::First(block.first_index)));
    }

    pub(super) fn unknown_block(&mut self, block: &UnknownBlock) {
        let version = block.version.map_or(String::new(), |version| format!("version {version}, "));
        let (name, bytes) = (&block.name, format::counted(block.content_bytes, "byte"));
        let message = format!("Skipped a block of unknown type “{name}” ({version}{bytes}).");
        self.diagnostics.add(block.info.offset, &message);
        self.unknown_blocks += 1;
        self.blocks.push(Block::new(block.info, 0));
    }

    /// Reports events whose thread the file doesn't define (version 6, in which events refer to threads by index).
    pub(super) fn report_undefined_threads(&mut self, offset: u64) {
        for index in self.threads.take_undefined() {
            if self.is_machine_wide {
                self.diagnostics
                    .add(offset, &format!("An event uses undefined thread index {index}; the event was kept."));
            }
        }
    }

    pub(super) fn damage(&mut self, damage: &Damage) {
        self.blocks.add_damage(damage);
        if !damage.continued {
            self.sequences.damage();
            self.first_damage = self.first_damage.min(damage.offset);
            self.diagnostics.add_error(damage.offset, "", &damage.error);
        }
    }
}
