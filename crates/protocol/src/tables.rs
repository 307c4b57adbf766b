//! Packed tables of answers. Times are [`crate::base::time::Nanos`] as `i64`.

use super::columns::Strings;
use crate::base::time::Span;
pub use crate::file::schema_tables::{FieldValues, NOT_FIXED, Schemas, schema_flag};
pub use crate::file::tables::{
    Costs, ExcerptPart, FieldCosts, FileBytes, NO_NUMBER, NO_TIME, SectionRuns, Sections, Structure, compression, cost,
    part, section_kind,
};
use crate::packed_table;
pub use crate::redaction::PrivateTexts;
pub use crate::stacks::tables::{
    CallNodes, CodePlaces, EVERYTHING, ExportedFile, Flame, FoundFrames, Functions, StackProfile, StackSources,
    UnresolvedCode, WHEN_BUCKETS, When, folded_frames, folded_name, frame_flag, source_kind, weight_kind,
};
pub use crate::timeline::role_tables::{CpuPart, RoleTimes, StateTimes};
pub use crate::timeline::tables::{
    Intervals, Series, SpanRows, TrackMatches, code_row, interval_flag, match_bit, shade, span_shade,
};
pub use crate::topics::report::{NO_ROW_EVENT, ReportRows};

packed_table!(
    /// Event density, one row per bucket. While a trace loads, it covers the part that has been read.
    Overview {
        /// Start of the first bucket, end of the last: two values.
        bounds: Vec<i64>,
        /// Time up to which the trace has been read; after loading, the end of the trace: one value.
        read_until: Vec<i64>,
        /// Events in the bucket.
        events: Vec<u32>,
        /// OS thread IDs of the rows of `thread_events`, busiest first.
        os_threads: Vec<u64>,
        /// Row-major `os_threads × buckets`: events of the thread in the bucket.
        thread_events: Vec<u32>,
        /// Starts of the GC pauses.
        pause_starts: Vec<i64>,
        /// Ends of the GC pauses.
        pause_ends: Vec<i64>,
        /// Generations of the GCs.
        pause_generations: Vec<u8>,
    }
);

packed_table!(
    /// Threads, busiest first.
    Threads {
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// [`crate::base::ids::ProcessId`].
        process: Vec<u32>,
        /// OS process ID.
        os_process: Vec<u32>,
        /// OS thread ID.
        os_thread: Vec<u64>,
        /// Label: the thread's name, or its role ("Main", "Finalizer", "Pool worker", "Thread").
        label: Strings,
        /// Source of the label, one sentence.
        reason: Strings,
        /// OS thread ID if the file has one, numbered if several threads have the same ID: "17", "17 (2)".
        number: Strings,
        /// Label with the number: "Pool worker 8123", "PriceFeed · 928". Filters match this text.
        numbered: Strings,
        /// Other properties in the file: "Key: value · Key: value".
        facts: Strings,
        /// Label of the process, if the trace has several: "shop (909)".
        process_label: Strings,
        /// Events in the filter's time range, including samples of the thread.
        events: Vec<u64>,
        /// Samples of the thread in the time range.
        samples: Vec<u64>,
        /// Samples in managed code.
        managed_samples: Vec<u64>,
        /// Lost events of the thread in the whole trace.
        lost: Vec<u64>,
        /// Maximum stack depth of the samples.
        max_depth: Vec<u16>,
        /// First event in the whole trace.
        first: Vec<i64>,
        /// Last event in the whole trace.
        last: Vec<i64>,
    }
);

/// [`ThreadState`](crate::timeline::thread_state::ThreadState) in columns.
pub mod state {
    use crate::timeline::thread_state::ThreadState;

    pub const MANAGED: u8 = ThreadState::Managed as u8;
    pub const NATIVE: u8 = ThreadState::Native as u8;
    pub const JIT: u8 = ThreadState::Jit as u8;
    pub const READY: u8 = ThreadState::Ready as u8;
    pub const LOCK: u8 = ThreadState::Lock as u8;
    pub const BLOCKED: u8 = ThreadState::Blocked as u8;
    pub const IO: u8 = ThreadState::Io as u8;
    pub const SLEEP: u8 = ThreadState::Sleep as u8;
    pub const IDLE: u8 = ThreadState::Idle as u8;
    pub const GC: u8 = ThreadState::Gc as u8;
    pub const NOT_SAMPLED: u8 = ThreadState::NotSampled as u8;
    /// Number of values, including 0 for no state.
    pub const COUNT: usize = ThreadState::ALL.len() + 1;
}

packed_table!(
    /// States, stacks and markers of threads in a time range. The parts have separate rows; `…_lane` is the index of
    /// the thread in the request.
    Lanes {
        /// States: lane.
        state_lane: Vec<u32>,
        state_start: Vec<i64>,
        state_end: Vec<i64>,
        /// One of [`state`].
        state: Vec<u8>,
        /// Share of managed time, 0 to 255 (merged states are a density).
        state_managed: Vec<u8>,
        /// Share of the time in native code or the JIT compiler, 0 to 255.
        state_native: Vec<u8>,
        /// [`WaitShares`](crate::timeline::wait_shares::WaitShares) of the time in it.
        state_waits: Vec<u32>,
        /// Index into `names` of the app's code that a long wait is in: "Cart.Add"; that of an empty text if unknown.
        state_site: Vec<u32>,
        /// Index into `names` of what a long wait is: "task wait"; that of an empty text for other states.
        state_wait: Vec<u32>,
        /// Nanoseconds of a long wait: as its events record them, because a sampled state lasts until the next sample.
        state_wait_nanos: Vec<i64>,
        /// Waits according to events, drawn over the states: lane.
        wait_lane: Vec<u32>,
        wait_start: Vec<i64>,
        wait_end: Vec<i64>,
        /// One of [`state`].
        wait_state: Vec<u8>,
        /// Share of waiting time, 0 to 255 (merged waits are a density).
        wait_share: Vec<u8>,
        /// [`crate::base::ids::EventId`] of the start of the longest wait.
        wait_event: Vec<u32>,
        /// Index into `names` of the target of the longest wait: the lock's ID, "Wait handle", "Monitor.Wait".
        wait_subject: Vec<u32>,
        /// Index into `names` of the thread that held the lock; that of an empty text if nothing records it.
        wait_owner: Vec<u32>,
        /// Spans, if requested: lane.
        span_lane: Vec<u32>,
        /// Row among those in [`SpanRows`].
        span_row: Vec<u16>,
        /// Start of the first span.
        span_start: Vec<i64>,
        /// End of the last span.
        span_end: Vec<i64>,
        /// Number of merged spans, which are shorter than the resolution.
        span_count: Vec<u32>,
        /// Total duration of the merged spans, in nanoseconds.
        span_covered: Vec<i64>,
        /// One of [`span_shade`].
        span_shade: Vec<u8>,
        /// Bits of [`interval_flag`] of the longest span.
        span_flags: Vec<u8>,
        /// [`crate::base::ids::EventId`] of the start of the longest span, or of its end if the trace doesn't contain
        /// the start.
        span_event: Vec<u32>,
        /// Name of the longest span: index into `names`.
        span_name: Vec<u32>,
        /// Source of the longest span: index into `names`.
        span_note: Vec<u32>,
        /// Stack slices: lane.
        slice_lane: Vec<u32>,
        slice_start: Vec<i64>,
        slice_end: Vec<i64>,
        /// Depth; 0 is the root frame.
        slice_depth: Vec<u16>,
        /// [`crate::base::ids::FunctionId`] of the longest merged slice.
        slice_function: Vec<u32>,
        /// Index into `names`.
        slice_name: Vec<u32>,
        /// Bits: 1 external leaf sample, 2 framework code.
        slice_flags: Vec<u8>,
        /// Markers: lane.
        marker_lane: Vec<u32>,
        /// Time of the first event in the bucket.
        marker_time: Vec<i64>,
        /// Events in the bucket.
        marker_count: Vec<u32>,
        /// [`crate::base::ids::EventId`] of the first event.
        marker_event: Vec<u32>,
        /// 1 if the bucket contains an exception.
        marker_kind: Vec<u8>,
        /// Readable names of functions, and texts of spans.
        names: Strings,
        /// Frames of a single thread, as in `slice_function`; empty for several threads.
        frame: Vec<u32>,
        frame_module: Strings,
        /// Family of folded frames; empty if the frame isn't folded.
        frame_family: Strings,
    }
);

packed_table!(
    /// Names of payload fields, in alphabetical order.
    FieldNames {
        name: Strings,
        /// 1 if the field is a number in at least one event type, else 0.
        is_number: Vec<u8>,
    }
);

packed_table!(
    /// GCs, by start.
    Gcs {
        /// OS process ID; 0 if the trace has one process.
        process: Vec<u32>,
        /// The runtime's number of the GC, counted per process.
        number: Vec<u32>,
        generation: Vec<u8>,
        /// 0 blocking, 1 background, 2 foreground inside a background GC.
        kind: Vec<u8>,
        /// Time of GCStart.
        start: Vec<i64>,
        /// Time of GCEnd, or of the last event about the GC.
        end: Vec<i64>,
        /// Total pause of the GC, in nanoseconds.
        pause_total: Vec<i64>,
        /// 1 if the app induced the GC.
        induced: Vec<u8>,
        /// Reason, for display.
        reason: Strings,
        /// [`crate::base::ids::ThreadId`] of the thread that started the GC.
        thread: Vec<u32>,
        /// [`crate::base::ids::EventId`] of GCStart.
        event: Vec<u32>,
        /// Pauses, by start: row of the GC. A background GC has several.
        stop_row: Vec<u32>,
        /// Time of SuspendEEBegin.
        stop_start: Vec<i64>,
        /// Time from which threads could run again.
        stop_end: Vec<i64>,
        /// Time until which the runtime counts the pause.
        stop_counted: Vec<i64>,
        /// Suspend time, in nanoseconds.
        stop_suspension: Vec<i64>,
        /// Time from the end of the GC's work until its thread ran again, in nanoseconds; -1 if unknown.
        stop_resume: Vec<i64>,
        /// Heap sizes after GCs: row of the GC.
        heap_row: Vec<u32>,
        /// Time of the event with the heap sizes.
        heap_time: Vec<i64>,
        /// Bytes, five values each: generations 0, 1, 2, LOH, POH.
        heap_sizes: Vec<u64>,
    }
);

impl Gcs {
    /// Returns the pauses of the GC in a row, by position.
    pub fn stops_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.stop_row.len()).filter(move |stop| self.stop_row[*stop] as usize == row)
    }

    /// Returns the duration of a pause as the runtime counts it, in nanoseconds.
    pub fn pause(&self, stop: usize) -> i64 {
        let at = |column: &[i64]| column.get(stop).copied().unwrap_or_default();
        at(&self.stop_counted).saturating_sub(at(&self.stop_start)).max(0)
    }

    /// Returns the suspend time of the GC in a row, summed over its pauses, in nanoseconds.
    pub fn suspend_total(&self, row: usize) -> i64 {
        let of = |stop: usize| self.stop_suspension.get(stop).copied().unwrap_or_default();
        self.stops_of(row).map(of).fold(0, i64::saturating_add)
    }

    /// Returns the time of GC work in the pauses of the GC in a row, in nanoseconds: the counted pause without suspend
    /// time.
    pub fn work_total(&self, row: usize) -> i64 {
        let total = self.pause_total.get(row).copied().unwrap_or_default();
        total.saturating_sub(self.suspend_total(row)).max(0)
    }

    /// Returns the resume time of the GC in a row, summed over its pauses, in nanoseconds; `None` if it wasn't
    /// recorded.
    pub fn resume_total(&self, row: usize) -> Option<i64> {
        let known = self.stops_of(row).filter_map(|stop| self.stop_resume.get(stop)).filter(|nanos| **nanos >= 0);
        known.copied().reduce(i64::saturating_add)
    }

    /// Returns the time range of each GC, from the first suspension to its last known event.
    pub fn spans(&self) -> Vec<Span> {
        let whole = self.start.iter().zip(&self.end);
        let mut spans: Vec<(i64, i64)> = whole.map(|(start, end)| (*start, *end.max(start))).collect();
        for (stop, row) in self.stop_row.iter().enumerate() {
            if let Some(span) = spans.get_mut(*row as usize) {
                let at = |column: &[i64], else_at: i64| column.get(stop).copied().unwrap_or(else_at);
                *span = (span.0.min(at(&self.stop_start, span.0)), span.1.max(at(&self.stop_end, span.1)));
            }
        }
        spans.into_iter().map(|(start, end)| Span::new(start, end.saturating_add(1))).collect()
    }
}

packed_table!(
    /// Requests with IDs of the W3C trace context, by start.
    TracedRequests {
        /// 1 outgoing, 0 incoming.
        is_sent: Vec<u8>,
        start: Vec<i64>,
        end: Vec<i64>,
        /// [`crate::base::ids::EventId`] of the start event.
        event: Vec<u32>,
        /// [`crate::base::ids::ThreadId`] of the start event.
        thread: Vec<u32>,
        /// First half of the trace ID.
        trace_high: Vec<u64>,
        /// Second half of the trace ID.
        trace_low: Vec<u64>,
        /// Span ID of the client: what an outgoing request sends, and the parent of an incoming one; 0 if that has none.
        client_span: Vec<u64>,
        /// [`crate::base::ids::EventId`] of the incoming request in which an outgoing one was sent; `u32::MAX` for none.
        caller: Vec<u32>,
        /// Method and target.
        name: Strings,
    }
);

packed_table!(
    /// Exceptions, by time.
    Exceptions {
        /// Number of matching exceptions, beyond the limit: one value.
        total: Vec<u64>,
        time: Vec<i64>,
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// [`crate::base::ids::EventId`].
        event: Vec<u32>,
        /// Full type name.
        type_name: Strings,
        message: Strings,
    }
);

packed_table!(
    EventRows {
        /// Number of matching events: one value.
        total: Vec<u64>,
        /// [`crate::base::ids::EventId`].
        event: Vec<u32>,
        time: Vec<i64>,
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// [`crate::base::ids::TypeId`].
        event_type: Vec<u32>,
        /// Level: 1 Critical … 5 Verbose, 0 LogAlways.
        level: Vec<u8>,
        /// Duration of the interval that the event starts or stops, in nanoseconds; negative for other events.
        duration: Vec<i64>,
        provider: Strings,
        name: Strings,
        /// Decoded payload in one line as in [`crate::events::payload`], truncated at 240 characters.
        payload: Strings,
        /// Activity, and labels with their values.
        belongs_to: Strings,
        thread_label: Strings,
        /// Row-major values of [`crate::events::columns::Property::ALL`]; empty if the event doesn't have the property.
        properties: Strings,
    }
);

packed_table!(
    /// Payload fields of a page of events.
    EventFields {
        /// Number of matching events: one value.
        total: Vec<u64>,
        /// Row-major displayed values; empty if the event doesn't have the field.
        value: Strings,
    }
);

packed_table!(
    /// Groups of events. Aggregates are NaN for groups without numbers.
    EventGroups {
        /// Number of groups: one value.
        groups: Vec<u64>,
        /// Number of events: one value.
        events: Vec<u64>,
        /// 1 if percentiles are computed from evenly spaced events only: one value.
        is_sampled: Vec<u8>,
        /// 0 a named group, 1 events without the field, 2 events beyond the limit of groups.
        kind: Vec<u8>,
        /// Name of the group: the displayed value; `Provider/Name` for types, the number for levels.
        name: Strings,
        /// Number of events.
        count: Vec<u64>,
        /// Time of the first event.
        first: Vec<i64>,
        /// Time of the last event.
        last: Vec<i64>,
        /// Number of events with a number.
        measured: Vec<u64>,
        sum: Vec<f64>,
        /// Minimum.
        min: Vec<f64>,
        median: Vec<f64>,
        /// 95th percentile.
        percentile_95: Vec<f64>,
        /// Maximum.
        max: Vec<f64>,
    }
);

packed_table!(
    /// Event types in the whole file, by provider, ID and version.
    Types {
        /// [`crate::base::ids::TypeId`].
        event_type: Vec<u32>,
        provider: Strings,
        event_id: Vec<u32>,
        version: Vec<u32>,
        /// Name in the file, or in the manifest.
        name: Strings,
        level: Vec<u8>,
        keywords: Vec<u64>,
        opcode: Vec<u32>,
        /// Number of top-level fields.
        fields: Vec<u32>,
        /// 0 none, 1 the file, 2 the built-in manifest.
        schema_source: Vec<u8>,
        /// Number of events.
        count: Vec<u64>,
        payload_bytes: Vec<u64>,
        /// Total bytes in the file: payloads, event headers and metadata.
        file_bytes: Vec<u64>,
        /// Number of threads with events.
        threads: Vec<u32>,
        /// Number of events with a stack.
        with_stack: Vec<u64>,
        /// Time of the first event.
        first: Vec<i64>,
        /// Time of the last event.
        last: Vec<i64>,
    }
);
