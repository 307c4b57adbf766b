//! Converts event headers to rows: the hot loop over all events.

use super::payload_observer::{Observed, sample_state};
use super::region::Row;
use super::type_table::{TypeSlot, variant_of};
use super::{PARTIAL_FLUSH_ROWS, State};
use crate::clr::KnownEvent;
use crate::clr::known::payload::Allocation;
use crate::model::file::blocks::Block;
use crate::model::file::losses::Continuity;
use crate::model::out_of_memory::OutOfMemory;
use nettrace::{Container, EventBlock, EventHeader};
use protocol::base::ids::{ProcessId, StackId, ThreadId, TypeId};
use protocol::format;

/// Parse issue of a buffer of the async profiler.
const UNKNOWN_ASYNC_BUFFER: &str = "A buffer of the async profiler has an unknown layout; its async calls are missing.";

impl State {
    pub(super) fn events(&mut self, block: &EventBlock<'_>) -> Result<(), OutOfMemory> {
        let mut summary = Block::of_events(block, self.header.sync_ticks);
        (summary.min_ticks, summary.max_ticks) = (i64::MAX, i64::MIN);
        let sync_ticks = self.header.sync_ticks;
        let counts_sequence = self.header.container == Container::Nettrace;
        self.region.reserve((block.info.bytes / 32) as usize)?;
        let gaps = self.sequences.gaps();
        self.has_undescribed = false;
        let mut events = block.events();
        while let Some(event) = events.next() {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    let error = error.clone();
                    let unread = format::counted(events.unread(), "byte");
                    let message = format!("Skipped {unread} at the end of an event block. ");
                    self.diagnostics.add_error(error.offset(), &message, &error);
                    self.unreadable.bytes += events.unread();
                    self.first_damage = self.first_damage.min(error.offset());
                    self.sequences.damage();
                    break;
                }
            };
            let ticks = event.timestamp.saturating_sub(sync_ticks);
            // netperf has no capture threads and is sorted by time, so simultaneous events stay in file order.
            let capture = self.sequences.slot(if counts_sequence { event.capture_thread } else { 0 });
            if counts_sequence {
                self.follow_sequence(event, capture, ticks);
            }
            let thread = self.threads.lookup(event.thread);
            let mut slot = match self.types.slot(event.metadata_id) {
                Some(slot) => slot,
                None => self.undescribed(event),
            };
            summary.items += 1;
            summary.min_ticks = summary.min_ticks.min(ticks);
            summary.max_ticks = summary.max_ticks.max(ticks);
            if event.is_sorted {
                self.sorted_until = self.sorted_until.max(ticks);
            }
            self.density.add(thread, ticks);
            if !self.gate.admits(ticks) || !slot.is_indexed {
                self.count_only(event, slot, thread, ticks);
                continue;
            }
            let mut activity = 0;
            if event.label_list != 0 {
                (slot, activity) = self.apply_labels(event, slot);
            }
            if event.payload.len() > slot.longest as usize {
                slot = self.types.of_length(slot, event.payload.len() as u32);
            }
            let mut stack = 0;
            if event.stack_id != 0 {
                let process = || self.threads.process(thread);
                stack = match self.region_stacks.get(event.stack_id, process, &mut self.stacks) {
                    Some(stack) => stack.0,
                    None => self.missing_stack(event).0,
                };
            } else if !event.inline_stack.is_empty() {
                stack = self.stacks.intern(ProcessId(0), event.inline_stack).0;
            }
            if !event.activity_id.is_zero() {
                activity = self.activities.intern(event.activity_id).0;
            }
            if !event.related_activity_id.is_zero() {
                self.related.push(event.payload_offset, self.activities.intern(event.related_activity_id));
            }
            if slot.size.may_misfit(event.payload.len()) {
                self.types.compare(slot, event.payload);
            }
            let mut event_type = slot.event_type;
            if !slot.is_plain() {
                event_type += self.look_at_payload(slot, event, ticks, thread)?;
            }
            let writer = self.writers.number(event.processor, event.thread, event.capture_thread);
            self.count_bytes(event_type, thread, event);
            // Built in place: a row that other functions write to would be copied through memory.
            self.region.push(Row {
                ticks,
                payload_offset: event.payload_offset,
                payload_length: event.payload.len() as u32,
                event_type,
                thread: thread.0,
                stack,
                activity,
                writer,
                sequence: event.sequence,
                capture,
            });
        }
        // Metadata isn't lost, so events without it show that the bytes of the block were changed.
        if self.has_undescribed && self.sequences.gaps() > gaps {
            self.sequences.forget_gaps(gaps);
            self.sequences.damage();
            self.unreadable.garbled_bytes += block.info.bytes;
        }
        self.event_count += u64::from(summary.items);
        self.report_undefined_threads(block.info.offset);
        if summary.items == 0 {
            (summary.min_ticks, summary.max_ticks) = (0, 0);
        } else {
            self.density.cover(summary.min_ticks, summary.max_ticks);
            if let Some(end) = self.expected_end_ticks {
                self.density.reach(end);
            }
        }
        self.blocks.push_events(summary, &mut self.block_counts);
        self.flush_some()?;
        if let Some((_, latest)) = self.density.span_ticks() {
            self.gate.close_when_full((self.columns.len() + self.region.len()) as u64, latest);
        }
        Ok(())
    }

    #[inline]
    fn count_bytes(&mut self, event_type: u32, thread: ThreadId, event: &EventHeader<'_>) {
        self.block_counts.add(event_type, thread.0, event.file_bytes(), event.padding_bytes);
        if event.padding_bytes > 0 {
            self.blocks.add_padding(TypeId(event_type), event.padding_bytes);
        }
    }

    /// Counts an event without a row. Its payload is still observed.
    #[inline(never)]
    fn count_only(&mut self, event: &EventHeader<'_>, mut slot: TypeSlot, thread: ThreadId, ticks: i64) {
        if event.label_list != 0
            && let Some(&list) = self.region_labels.get(&event.label_list)
        {
            slot = self.overridden(slot, list);
        }
        if event.payload.len() > slot.longest as usize {
            slot = self.types.of_length(slot, event.payload.len() as u32);
        }
        if slot.size.may_misfit(event.payload.len()) {
            self.types.compare(slot, event.payload);
        }
        let mut event_type = slot.event_type;
        if slot.is_sample {
            event_type += self.note_sample(event);
        }
        if slot.is_observed {
            self.observe(slot, (event.payload_offset, event.payload), ticks, thread);
        }
        self.count_bytes(event_type, thread, event);
        let process = || self.threads.process(thread);
        let has_stack = match event.stack_id {
            0 => event.inline_stack.len() >= self.header.pointer_size.into(),
            id => self.region_stacks.get(id, process, &mut self.stacks).is_some_and(|stack| stack != StackId(0)),
        };
        let thread = self.threads.at(thread, ticks);
        let event_type = TypeId(event_type);
        self.gate.unindexed.add(event_type, thread, ticks, has_stack, event.payload.len() as u32);
    }

    /// Appends the rows whose order is final when a region becomes large.
    fn flush_some(&mut self) -> Result<(), OutOfMemory> {
        if self.region.len() < self.partial_flush_rows {
            return Ok(());
        }
        self.flush(Some(self.sorted_until))?;
        self.partial_flush_rows = PARTIAL_FLUSH_ROWS.max(self.region.len() * 2);
        Ok(())
    }

    pub(super) fn flush(&mut self, before: Option<i64>) -> Result<(), OutOfMemory> {
        // netperf doesn't guarantee the order within blocks of later versions.
        if let Some(offset) = self.region.step_back().filter(|_| self.header.container == Container::Nettrace) {
            let message = "Events of a thread were out of time order and have been sorted.";
            self.diagnostics.add(offset, message);
        }
        let Self { region, columns, sequences, threads, .. } = self;
        let incarnations = threads.has_incarnations().then_some(&*threads);
        region.flush(before, |slot| sequences.id(slot), |rows, capture| columns.push(rows, capture, incarnations))?;
        self.row_totals.follow(self.columns.complete(), self.types.types());
        Ok(())
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
            // Threads restart without a declaration only up to version 5 (docs/format/wire-format.md#lost-events).
            Continuity::Backwards | Continuity::Restarted => {
                let message = "Sequence numbers go backwards on a thread, so its lost events can't be counted.";
                self.diagnostics.add(event.header_offset, message);
            }
            _ => {}
        }
    }

    #[cold]
    fn undescribed(&mut self, event: &EventHeader<'_>) -> TypeSlot {
        let message = "An event uses an undefined metadata ID and is shown without name or fields.";
        self.diagnostics.add(event.header_offset, message);
        self.has_undescribed = true;
        self.types.define_unknown(event.metadata_id)
    }

    #[cold]
    fn missing_stack(&mut self, event: &EventHeader<'_>) -> StackId {
        let message = format!("An event uses undefined stack ID {}.", event.stack_id);
        self.diagnostics.add(event.header_offset, &message);
        StackId(0)
    }

    /// Applies the labels of an event. Returns the type according to them, and the activity.
    fn apply_labels(&mut self, event: &EventHeader<'_>, slot: TypeSlot) -> (TypeSlot, u32) {
        let Some(&list) = self.region_labels.get(&event.label_list) else {
            self.diagnostics.add(event.header_offset, "An event uses an undefined label list.");
            return (slot, 0);
        };
        self.labels_of_events.push(event.payload_offset, list);
        let Some(labels) = self.labels.get(list as usize) else { return (slot, 0) };
        if let Some(related) = labels.related_activity_id {
            self.related.push(event.payload_offset, self.activities.intern(related));
        }
        let activity = labels.activity_id.map_or(0, |activity| self.activities.intern(activity).0);
        (self.overridden(slot, list), activity)
    }

    /// Returns the type of an event according to a label list.
    fn overridden(&mut self, slot: TypeSlot, list: u32) -> TypeSlot {
        match self.overrides.get(list as usize) {
            Some(Some(overrides)) => self.types.overridden(slot, overrides),
            _ => slot,
        }
    }

    /// Observes the payload of an event. Returns the variant of its type.
    fn look_at_payload(
        &mut self,
        slot: TypeSlot,
        event: &EventHeader<'_>,
        ticks: i64,
        thread: ThreadId,
    ) -> Result<u32, OutOfMemory> {
        let variant = if slot.is_sample { self.note_sample(event) } else { 0 };
        let (payload, pointer_size) = (event.payload, self.header.pointer_size);
        if slot.is_allocation
            && let Some(allocation) = Allocation::read(slot.known, payload, pointer_size)
        {
            let name = || Allocation::type_name(slot.known, payload, pointer_size).map(|name| name.to_string());
            self.amounts.note(event.payload_offset, &allocation, name)?;
        }
        self.note_payload(slot, event.payload_offset, event.payload, ticks, thread)?;
        Ok(variant)
    }

    /// Adds what the store needs of a payload, except an allocated amount.
    pub(super) fn note_payload(
        &mut self,
        slot: TypeSlot,
        payload_offset: u64,
        payload: &[u8],
        ticks: i64,
        thread: ThreadId,
    ) -> Result<(), OutOfMemory> {
        if let Some(keep) = slot.keeps_payload {
            self.kept.keep(keep, payload_offset, payload)?;
        }
        if slot.is_observed {
            self.observe(slot, (payload_offset, payload), ticks, thread);
        }
        Ok(())
    }

    /// Observes a sample. Returns the variant of its type for the state.
    fn note_sample(&mut self, event: &EventHeader<'_>) -> u32 {
        if event.thread != event.capture_thread {
            let sampler = self.threads.lookup(event.capture_thread);
            self.facts.sampled_by(sampler);
        }
        variant_of(sample_state(event.payload))
    }

    fn observe(&mut self, slot: TypeSlot, (offset, payload): (u64, &[u8]), ticks: i64, thread: ThreadId) {
        if slot.known == KnownEvent::AsyncEvents {
            let process = self.threads.process(thread);
            if !self.chains.take(process, payload, self.header.sync_ticks, &mut self.stacks) {
                self.diagnostics.add(offset, UNKNOWN_ASYNC_BUFFER);
            }
            return;
        }
        let observed = Observed { known: slot.known, ticks, thread, process: self.threads.process(thread), payload };
        let another = self.facts.observe(&observed, &mut self.processes, &mut self.strings);
        // Where they exist, sequence numbers reveal reused IDs.
        if let (Some(os_thread), Container::Netperf, KnownEvent::ThreadCreated) =
            (another, self.header.container, slot.known)
        {
            self.threads.begin_incarnation(os_thread, ticks);
        }
    }
}
