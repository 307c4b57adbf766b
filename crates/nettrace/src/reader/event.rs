//! Events with their references resolved.

use super::event_type::EventType;
use super::tables::{Resolved, Tables};
use super::thread::Thread;
use crate::block::{EventHeader, LabelList};
use crate::clr;
use crate::container::Header;
use crate::payload::{FieldValues, Payload, ValueRef};
use crate::wire::guid::Guid;
use std::fmt;
use std::time::SystemTime;

/// Event of a [`TraceReader`](crate::TraceReader), with everything it refers to.
#[derive(Clone, Copy)]
pub struct Event<'r> {
    header: &'r Header,
    event: &'r EventHeader<'static>,
    payload: &'r [u8],
    stack: &'r [u8],
    event_type: &'r EventType,
    type_index: u32,
    thread: &'r Thread,
    capture_thread: &'r Thread,
    labels: &'r LabelList,
}

/// Labels of events without labels.
static NO_LABELS: LabelList = LabelList::EMPTY;

impl<'r> Event<'r> {
    /// Creates an event with the rows that it refers to.
    pub(super) fn new(
        header: &'r Header,
        tables: &'r Tables,
        event: &'r EventHeader<'static>,
        payload: &'r [u8],
        inline_stack: &'r [u8],
        resolved: Resolved,
    ) -> Option<Self> {
        Some(Self {
            header,
            event,
            payload,
            stack: if inline_stack.is_empty() { tables.stack(&resolved) } else { inline_stack },
            event_type: tables.event_type(&resolved)?,
            type_index: resolved.event_type,
            thread: tables.thread(resolved.thread)?,
            capture_thread: tables.thread(resolved.capture_thread)?,
            labels: tables.labels(&resolved).unwrap_or(&NO_LABELS),
        })
    }

    /// Returns the event type.
    pub fn event_type(&self) -> &'r EventType {
        self.event_type
    }

    /// Returns the index of the event type in [`TraceReader::event_types`](crate::TraceReader::event_types), which is a
    /// cheaper key than its names.
    pub fn type_index(&self) -> usize {
        self.type_index as usize
    }

    /// Returns the provider name.
    pub fn provider(&self) -> &'r str {
        self.event_type.provider()
    }

    /// Returns the event name; empty if neither the file nor this crate contains it.
    pub fn name(&self) -> &'r str {
        self.event_type.name()
    }

    /// Returns the event ID, unique within the provider; 0 if the event has none.
    pub fn event_id(&self) -> u32 {
        self.event_type.event_id()
    }

    /// Returns the version of the event's layout. Labels can override that of the event type.
    pub fn version(&self) -> u32 {
        self.labels.version.map_or(self.event_type.version(), u32::from)
    }

    /// Returns the level: 1 (critical) to 5 (verbose); 0 for always. Labels can override that of the event type.
    pub fn level(&self) -> u8 {
        self.labels.level.unwrap_or(self.event_type.level())
    }

    /// Returns the keywords: groups of events, one bit each. Labels can override those of the event type.
    pub fn keywords(&self) -> u64 {
        self.labels.keywords.unwrap_or(self.event_type.keywords())
    }

    /// Returns the opcode (1 start, 2 stop, …), if recorded. Labels can override that of the event type.
    pub fn opcode(&self) -> Option<u8> {
        self.labels.opcode.or(self.event_type.opcode())
    }

    /// Returns the raw timestamp in ticks.
    pub fn timestamp(&self) -> i64 {
        self.event.timestamp
    }

    /// Returns the time in nanoseconds since the sync time of the header, which is about the start of the trace.
    pub fn nanos(&self) -> i64 {
        self.header.nanos_since_sync(self.event.timestamp)
    }

    /// Returns the wall-clock time; `None` if it is out of range.
    pub fn time(&self) -> Option<SystemTime> {
        self.header.system_time(self.event.timestamp)
    }

    /// Returns the thread that the event is about.
    pub fn thread(&self) -> &'r Thread {
        self.thread
    }

    /// Returns the capture thread: the thread that wrote the event. The sampler of the runtime writes events about other
    /// threads.
    pub fn capture_thread(&self) -> &'r Thread {
        self.capture_thread
    }

    /// Returns the OS process ID, if known.
    pub fn process_id(&self) -> Option<u64> {
        self.thread.process_id()
    }

    /// Returns the CPU on which the event was written, if recorded.
    pub fn processor(&self) -> Option<u32> {
        Some(self.event.processor).filter(|processor| *processor != u32::MAX)
    }

    /// Returns the activity, if the event has one.
    pub fn activity_id(&self) -> Option<Guid> {
        Some(self.event.activity_id).filter(|id| !id.is_zero()).or(self.labels.activity_id)
    }

    /// Returns the related activity, if the event has one.
    pub fn related_activity_id(&self) -> Option<Guid> {
        Some(self.event.related_activity_id).filter(|id| !id.is_zero()).or(self.labels.related_activity_id)
    }

    /// Returns the labels (version 6); an empty list if the event has none.
    pub fn labels(&self) -> &'r LabelList {
        self.labels
    }

    /// Returns the addresses of the call stack, leaf first. [`Symbols`](crate::Symbols) names them.
    pub fn stack(&self) -> Stack<'r> {
        Stack::new(self.stack, self.header.pointer_size)
    }

    /// Returns the bytes of the payload.
    pub fn payload_bytes(&self) -> &'r [u8] {
        self.payload
    }

    /// Returns the payload with the fields of the event type.
    pub fn payload(&self) -> Payload<'r> {
        Payload::new(self.event_type.fields(), self.payload, self.header.pointer_size)
    }

    /// Decodes the fields of the payload in order, with their names.
    pub fn fields(&self) -> FieldValues<'r> {
        self.payload().iter()
    }

    /// Decodes the field with this name; [`ValueRef::Null`] if the event has no such field.
    pub fn field(&self, name: &str) -> ValueRef<'r> {
        self.payload().field(name).unwrap_or(ValueRef::Null)
    }

    /// Returns the event header without its payload. See [`Event::payload_bytes`].
    pub fn raw_header(&self) -> &'r EventHeader<'static> {
        self.event
    }

    /// Returns the header of the trace.
    pub fn trace_header(&self) -> &'r Header {
        self.header
    }

    /// Returns whether the event is a thread sample: of the runtime's sampler, which samples all managed threads,
    /// running or not, or a CPU sample of a machine-wide trace.
    pub fn is_cpu_sample(&self) -> bool {
        match self.provider() {
            clr::SAMPLE_PROFILER => self.event_id() == 0,
            clr::UNIVERSAL_EVENTS => self.name() == "cpu",
            _ => false,
        }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("type", &format_args!("{}", self.event_type))
            .field("timestamp", &self.timestamp())
            .field("thread", &self.thread.id())
            .field("payload", &self.payload())
            .finish_non_exhaustive()
    }
}

/// Addresses of a call stack, leaf first.
#[derive(Clone)]
pub struct Stack<'r> {
    addresses: std::slice::ChunksExact<'r, u8>,
}

impl<'r> Stack<'r> {
    fn new(bytes: &'r [u8], pointer_size: u8) -> Self {
        Self { addresses: bytes.chunks_exact(usize::from(pointer_size.max(1))) }
    }
}

/// Parses a little-endian address of 4 or 8 bytes.
fn address(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk::<8>(), bytes.first_chunk::<4>()) {
        (Some(bytes), _) => u64::from_le_bytes(*bytes),
        (None, Some(bytes)) => u32::from_le_bytes(*bytes).into(),
        (None, None) => 0,
    }
}

impl Iterator for Stack<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.addresses.next().map(address)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.addresses.size_hint()
    }
}

impl DoubleEndedIterator for Stack<'_> {
    fn next_back(&mut self) -> Option<u64> {
        self.addresses.next_back().map(address)
    }
}

impl ExactSizeIterator for Stack<'_> {}

impl fmt::Debug for Stack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone().map(|address| format!("{address:#x}"))).finish()
    }
}
