//! Store of a loaded trace.

use super::code::async_callers::AsyncCallers;
use super::code::frames::Frames;
use super::code::functions::{Function, Functions};
use super::code::il_maps::IlMaps;
use super::code::methods::Methods;
use super::code::modules::Modules;
use super::code::stacks::Stacks;
use super::columns::activities::Activities;
use super::columns::allocation_amounts::AllocationAmounts;
use super::columns::copied_payloads::CopiedPayloads;
use super::columns::events::{EventRow, Events};
use super::columns::rare_rows::RareRows;
use super::columns::side_table::SideTable;
use super::columns::strings::Strings;
use super::columns::writers::Writers;
use super::file::blocks::BlockDirectory;
use super::file::diagnostics::Diagnostics;
use super::file::losses::{Loss, Unreadable};
use super::file::types::Types;
use super::threads::processes::Processes;
use super::threads::table::{Thread, Threads};
use nettrace::{ByteSource, Field, Header, LabelList, SourceError, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, FrameId, FunctionId, ThreadId};
use protocol::base::indexed_part::Indexed;
use protocol::base::time::{Clock, Span};
use protocol::memory::MemoryUse;
use std::borrow::Cow;

/// Content of a trace. Most payloads stay in the file.
#[derive(Debug)]
pub struct Store {
    pub(super) header: Header,
    pub(super) clock: Clock,
    pub(super) events: Events,
    pub(super) rare_rows: RareRows,
    pub(super) types: Types,
    pub(super) threads: Threads,
    pub(super) processes: Processes,
    pub(super) stacks: Stacks,
    pub(super) frames: Frames,
    pub(super) functions: Functions,
    pub(super) methods: Methods,
    pub(super) modules: Modules,
    pub(super) il_maps: IlMaps,
    pub(super) async_callers: AsyncCallers,
    pub(super) strings: Strings,
    pub(super) activities: Activities,
    pub(super) writers: Writers,
    pub(super) related: SideTable<ActivityId>,
    pub(super) labels: Vec<LabelList>,
    pub(super) labels_of_events: SideTable<u32>,
    pub(super) kept: CopiedPayloads,
    pub(super) amounts: AllocationAmounts,
    pub(super) diagnostics: Diagnostics,
    pub(super) losses: Vec<Loss>,
    pub(super) unreadable: Unreadable,
    pub(super) lost_events: Option<u64>,
    pub(super) unchecked_threads: u32,
    pub(super) threads_by_index: FastMap<u64, ThreadId>,
    pub(super) unknown_blocks: u32,
    pub(super) blocks: BlockDirectory,
    pub(super) total_events: u64,
    pub(super) indexed: Option<Indexed>,
    pub(super) full_span: Span,
    pub(super) user_span: Span,
    pub(super) rundown_events: u64,
}

impl Store {
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the clock, which converts ticks of events to nanoseconds.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Returns the rows of rare event types.
    pub fn rare_rows(&self) -> &RareRows {
        &self.rare_rows
    }

    /// Returns the number of events in the file, with and without rows.
    pub fn total_events(&self) -> u64 {
        self.total_events
    }

    /// Returns the indexed part, if the trace isn't fully indexed.
    pub fn indexed(&self) -> Option<&Indexed> {
        self.indexed.as_ref()
    }

    pub fn types(&self) -> &Types {
        &self.types
    }

    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    pub fn processes(&self) -> &Processes {
        &self.processes
    }

    /// Returns the OS process ID of a thread; 0 if unknown.
    pub fn os_process_of(&self, thread: &Thread) -> u32 {
        self.processes.get(thread.process).map_or(0, |process| process.os_process)
    }

    /// Returns whether the threads with events belong to several OS processes.
    pub fn has_several_processes(&self) -> bool {
        let mut processes = self.threads.iter().filter(|thread| thread.events > 0).map(|one| self.os_process_of(one));
        let first = processes.next();
        processes.any(|process| Some(process) != first)
    }

    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    pub fn frames(&self) -> &Frames {
        &self.frames
    }

    /// Returns the functions of frames.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    pub fn methods(&self) -> &Methods {
        &self.methods
    }

    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    pub fn il_maps(&self) -> &IlMaps {
        &self.il_maps
    }

    /// Returns the number of stacks that were continued with awaiting async methods.
    pub fn async_callers(&self) -> AsyncCallers {
        self.async_callers
    }

    /// Returns the texts of functions and modules.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    pub fn activities(&self) -> &Activities {
        &self.activities
    }

    pub fn writers(&self) -> &Writers {
        &self.writers
    }

    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Returns the gaps of lost events, in the order of detection.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Returns the thread of an ID in event headers (version 6: an index), if it is the same one in the whole file.
    pub fn thread_with_index(&self, index: u64) -> Option<ThreadId> {
        self.threads_by_index.get(&index).copied()
    }

    /// Returns the number of threads whose final number of attempts is unknown. They may have lost more events.
    pub fn unchecked_threads(&self) -> u32 {
        self.unchecked_threads
    }

    /// Returns the number of blocks of unknown kinds, which were skipped.
    pub fn unknown_blocks(&self) -> u32 {
        self.unknown_blocks
    }

    /// Returns the number of lost events; `None` if the format doesn't record it (netperf).
    pub fn lost_events(&self) -> Option<u64> {
        self.lost_events
    }

    /// Returns what can't be read inside of event blocks.
    pub fn unreadable(&self) -> Unreadable {
        self.unreadable
    }

    /// Returns the blocks of the file.
    pub fn blocks(&self) -> &BlockDirectory {
        &self.blocks
    }

    /// Returns the time from the first to the last event.
    pub fn full_span(&self) -> Span {
        self.full_span
    }

    /// Returns the time range without the rundown at the end.
    pub fn user_span(&self) -> Span {
        self.user_span
    }

    /// Returns the indexed part of a selected time range, or of everything without the rundown: the denominator of
    /// shares.
    pub fn indexed_span(&self, chosen: Option<Span>) -> Span {
        let span = chosen.unwrap_or(self.user_span);
        match &self.indexed {
            Some(indexed) => span.intersect(indexed.span).unwrap_or(Span { end: span.start, ..span }),
            None => span,
        }
    }

    /// Returns the number of rundown events.
    pub fn rundown_events(&self) -> u64 {
        self.rundown_events
    }

    /// Returns the function of a frame.
    pub fn function_of(&self, frame: FrameId) -> Option<&Function> {
        self.functions.get(self.frames.function(frame))
    }

    /// Returns the IL offset of a frame, if the trace has an IL map of its method. Leaves are return addresses, too:
    /// the runtime takes stacks of threads that it called or suspended, and CPU samples have no such maps.
    pub fn il_offset(&self, frame: FrameId) -> Option<u32> {
        let frame = self.frames.get(frame)?;
        let method = self.methods.get(frame.method?)?;
        // The call instruction precedes the return address.
        let code_offset = frame.address.checked_sub(method.start)?.saturating_sub(1);
        self.il_maps.il_offset(method.il_map?, code_offset)
    }

    /// Returns the readable name of a function; empty for an unknown ID.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.functions.get(function).map_or("", |function| self.strings.get(function.name))
    }

    /// Returns the related activity of an event, if there is one.
    pub fn related_activity(&self, event: EventId) -> Option<ActivityId> {
        self.related.get(self.events.get(event)?.payload_offset)
    }

    /// Returns the related activity of the event with a payload offset, if there is one.
    pub fn related_activity_at(&self, payload_offset: u64) -> Option<ActivityId> {
        self.related.get(payload_offset)
    }

    /// Returns all label lists (version 6).
    pub fn label_lists(&self) -> &[LabelList] {
        &self.labels
    }

    /// Returns the index in [`Self::label_lists`] for the event with a payload offset.
    pub fn label_list_at(&self, payload_offset: u64) -> Option<u32> {
        self.labels_of_events.get(payload_offset)
    }

    /// Returns the index in [`Self::label_lists`] for every event with labels.
    pub fn label_lists_of_events(&self) -> impl Iterator<Item = u32> + '_ {
        self.labels_of_events.values()
    }

    /// Returns the labels of an event (version 6).
    pub fn labels(&self, event: EventId) -> Option<&LabelList> {
        let list = self.labels_of_events.get(self.events.get(event)?.payload_offset)?;
        self.labels.get(list as usize)
    }

    /// Returns the payload of an event: its copy in memory if there is one, otherwise from the file.
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn payload(&self, event: EventId, source: &dyn ByteSource) -> Result<Cow<'_, [u8]>, SourceError> {
        match self.events.get(event) {
            Some(row) => self.payload_of(&row, source),
            None => Ok(Cow::Borrowed(&[])),
        }
    }

    /// Returns the payload of a row; see [`Store::payload`].
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn payload_of(&self, row: &EventRow, source: &dyn ByteSource) -> Result<Cow<'_, [u8]>, SourceError> {
        if let Some(kept) = self.kept_payload(row) {
            return Ok(Cow::Borrowed(kept));
        }
        let end = row.payload_offset.saturating_add(u64::from(row.payload_length));
        if end > source.len() {
            return Err(SourceError::out_of_range(row.payload_offset, u64::from(row.payload_length), source.len()));
        }
        let mut bytes = vec![0; row.payload_length as usize];
        source.read_at(row.payload_offset, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// Returns the copy of a row's payload; `None` if analyses don't need its type, or the limit was reached.
    pub fn kept_payload(&self, row: &EventRow) -> Option<&[u8]> {
        self.kept.get(row.payload_offset, row.payload_length)
    }

    /// Returns the amounts of allocations that are in memory.
    pub fn allocation_amounts(&self) -> &AllocationAmounts {
        &self.amounts
    }

    /// Returns the decoded payload of an event: each field with its value.
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn decode(&self, event: EventId, source: &dyn ByteSource) -> Result<Vec<(&Field, Value)>, SourceError> {
        let Some(row) = self.events.get(event) else { return Ok(Vec::new()) };
        let Some(event_type) = self.types.get(row.event_type) else { return Ok(Vec::new()) };
        let payload = self.payload_of(&row, source)?;
        let values = decode(&event_type.schema.fields, &payload, self.header.pointer_size);
        Ok(event_type.schema.fields.iter().zip(values).collect())
    }

    /// Returns the memory use, without the page cache.
    pub fn memory(&self) -> MemoryUse {
        MemoryUse {
            columns: self.events.heap_bytes(),
            strings: self.strings.heap_bytes(),
            stacks: self.stacks.heap_bytes()
                + self.frames.heap_bytes()
                + self.functions.heap_bytes()
                + self.methods.heap_bytes()
                + self.modules.heap_bytes()
                + self.il_maps.heap_bytes(),
            summaries: self.rare_rows.heap_bytes()
                + self.types.deep_bytes()
                + self.threads.heap_bytes()
                + self.activities.heap_bytes()
                + self.writers.heap_bytes()
                + self.related.heap_bytes()
                + self.labels_of_events.heap_bytes()
                + self.diagnostics.heap_bytes()
                + (self.losses.capacity() * size_of::<Loss>()) as u64,
            directory: self.blocks.heap_bytes(),
            kept_payloads: self.kept.heap_bytes() + self.amounts.heap_bytes(),
            page_cache: 0,
        }
    }
}

/// Returns a placeholder header for files without one.
pub(super) fn no_header() -> Header {
    let mut header = Header::assumed(0);
    header.version = 4;
    header.warnings.clear();
    header
}
