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
    pub header: Header,
    pub clock: Clock,
    pub events: Events,
    pub rare_rows: RareRows,
    pub types: Types,
    pub threads: Threads,
    pub processes: Processes,
    pub stacks: Stacks,
    pub frames: Frames,
    pub functions: Functions,
    pub methods: Methods,
    pub modules: Modules,
    pub il_maps: IlMaps,
    /// Number of stacks that were continued with awaiting async methods.
    pub async_callers: AsyncCallers,
    /// Texts of functions and modules.
    pub strings: Strings,
    pub activities: Activities,
    pub writers: Writers,
    pub(super) related: SideTable<ActivityId>,
    /// Label lists (version 6).
    pub label_lists: Vec<LabelList>,
    pub(super) labels_of_events: SideTable<u32>,
    pub(super) kept: CopiedPayloads,
    /// Amounts of allocations that are in memory.
    pub allocation_amounts: AllocationAmounts,
    pub diagnostics: Diagnostics,
    /// Gaps of lost events, in the order of detection.
    pub losses: Vec<Loss>,
    /// What can't be read inside of event blocks.
    pub unreadable: Unreadable,
    /// Number of lost events; `None` if the format doesn't record it (netperf).
    pub lost_events: Option<u64>,
    /// Number of threads whose final number of attempts is unknown. They may have lost more events.
    pub unchecked_threads: u32,
    pub(super) threads_by_index: FastMap<u64, ThreadId>,
    /// Number of blocks of unknown kinds, which were skipped.
    pub unknown_blocks: u32,
    pub blocks: BlockDirectory,
    /// Number of events in the file, with and without rows.
    pub total_events: u64,
    /// Indexed part, if the trace isn't fully indexed.
    pub indexed: Option<Indexed>,
    /// Time from the first to the last event.
    pub full_span: Span,
    /// Time range without the rundown at the end.
    pub user_span: Span,
    pub rundown_events: u64,
}

impl Store {
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

    /// Returns the thread of an ID in event headers (version 6: an index), if it is the same one in the whole file.
    pub fn thread_with_index(&self, index: u64) -> Option<ThreadId> {
        self.threads_by_index.get(&index).copied()
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
        self.label_lists.get(list as usize)
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
            kept_payloads: self.kept.heap_bytes() + self.allocation_amounts.heap_bytes(),
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
