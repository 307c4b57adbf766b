//! The packed tables that answers carry. Times are [`crate::base::time::Nanos`] as `i64`.

use super::columns::Strings;
use crate::base::time::Span;
pub use crate::file::schema_tables::{FieldValues, NOT_FIXED, Schemas, schema_flag};
pub use crate::file::tables::{
    Costs, ExcerptPart, FieldCosts, FileBytes, NO_NUMBER, NO_TIME, PieceRuns, Pieces, Structure, compression, cost,
    part, piece,
};
use crate::packed_table;
pub use crate::stacks::tables::{
    CallNodes, CodePlaces, EVERYTHING, ExportedFile, Flame, FoundFrames, Functions, StackProfile, StackSources,
    UnresolvedCode, WHEN_BUCKETS, When, frame_flag, source_kind, weight_kind,
};
pub use crate::timeline::role_tables::RoleTimes;
pub use crate::timeline::tables::{Marks, Series, SpanRows, code_row, mark_flag, shade, span_shade};
pub use crate::topics::report::{NO_ROW_EVENT, ReportRows};

packed_table!(
    /// Event density: one row a bucket. While a trace loads, it covers what was read.
    Overview {
        /// Start of the first bucket, end of the last: two values.
        bounds: Vec<i64>,
        /// Up to when the trace was read when this was made: one value. The end, except while it is read.
        read_until: Vec<i64>,
        /// Events in the bucket.
        events: Vec<u32>,
        /// Threads that have a row in `thread_events`, busiest first: OS thread ids.
        os_threads: Vec<u64>,
        /// Row-major `os_threads × buckets`: events of that thread in the bucket.
        thread_events: Vec<u32>,
        /// Starts of the GC pauses in range.
        pause_starts: Vec<i64>,
        /// Their ends.
        pause_ends: Vec<i64>,
        /// Generation of each.
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
        /// Operating system's process id.
        os_process: Vec<u32>,
        /// Operating system's thread id.
        os_thread: Vec<u64>,
        /// What to call it: its name, else its role ("Main", "Finalizer", "Pool worker", "Thread").
        label: Strings,
        /// How the label was found, one sentence.
        reason: Strings,
        /// The operating system's id where the file has one, and which of several threads with that id: "17", "17 (2)".
        number: Strings,
        /// What else the file says of it: "Key: value · Key: value".
        facts: Strings,
        /// What to call its process where several are seen: "shop (909)".
        process_label: Strings,
        /// Events inside the filter's span (samples of the thread included).
        events: Vec<u64>,
        /// Samples of the thread inside the span.
        samples: Vec<u64>,
        /// Samples in managed code.
        managed_samples: Vec<u64>,
        /// Measured time in managed code, nanoseconds.
        managed_nanos: Vec<i64>,
        /// Measured time outside managed code, nanoseconds.
        external_nanos: Vec<i64>,
        /// Events known to be lost on this thread (whole trace).
        lost: Vec<u64>,
        /// Deepest stack among its samples.
        max_depth: Vec<u16>,
        /// First event of the whole trace.
        first: Vec<i64>,
        /// Last event of the whole trace.
        last: Vec<i64>,
    }
);

/// [`ThreadState`](crate::timeline::thread_state::ThreadState) in columns.
pub mod state {
    use crate::timeline::thread_state::ThreadState;

    /// [`ThreadState::Managed`]
    pub const MANAGED: u8 = ThreadState::Managed as u8;
    /// [`ThreadState::Native`]
    pub const NATIVE: u8 = ThreadState::Native as u8;
    /// [`ThreadState::Jit`]
    pub const JIT: u8 = ThreadState::Jit as u8;
    /// [`ThreadState::Lock`]
    pub const LOCK: u8 = ThreadState::Lock as u8;
    /// [`ThreadState::Blocked`]
    pub const BLOCKED: u8 = ThreadState::Blocked as u8;
    /// [`ThreadState::Io`]
    pub const IO: u8 = ThreadState::Io as u8;
    /// [`ThreadState::Sleep`]
    pub const SLEEP: u8 = ThreadState::Sleep as u8;
    /// [`ThreadState::Idle`]
    pub const IDLE: u8 = ThreadState::Idle as u8;
    /// [`ThreadState::Gc`]
    pub const GC: u8 = ThreadState::Gc as u8;
    /// [`ThreadState::NotSampled`]
    pub const NOT_SAMPLED: u8 = ThreadState::NotSampled as u8;
    /// How many values there are; 0 is none of them.
    pub const COUNT: usize = ThreadState::ALL.len() + 1;
}

packed_table!(
    /// What threads did in a span. The three parts have rows of their own; `…_lane` is the position
    /// of the thread in the request.
    Lanes {
        /// States: which lane.
        state_lane: Vec<u32>,
        /// Start.
        state_start: Vec<i64>,
        /// End.
        state_end: Vec<i64>,
        /// One of [`state`].
        state: Vec<u8>,
        /// Share of managed time in it, 0 to 255 (merged states are density).
        state_managed: Vec<u8>,
        /// Share of time in it in native code or the JIT compiler, 0 to 255.
        state_native: Vec<u8>,
        /// Waits that events tell of, which lie over the states: which lane.
        wait_lane: Vec<u32>,
        /// Start.
        wait_start: Vec<i64>,
        /// End.
        wait_end: Vec<i64>,
        /// One of [`state`].
        wait_state: Vec<u8>,
        /// Share of it that is waiting, 0 to 255 (merged waits are density).
        wait_share: Vec<u8>,
        /// [`crate::base::ids::EventId`] that it began with; of several the longest's.
        wait_event: Vec<u32>,
        /// Spans, if they were asked for: which lane.
        span_lane: Vec<u32>,
        /// Row, of as many as [`SpanRows`] says.
        span_row: Vec<u16>,
        /// First start.
        span_start: Vec<i64>,
        /// Last end.
        span_end: Vec<i64>,
        /// How many it stands for: what is shorter than the resolution is merged.
        span_count: Vec<u32>,
        /// How long those last together, nanoseconds.
        span_covered: Vec<i64>,
        /// One of [`span_shade`].
        span_shade: Vec<u8>,
        /// Of the longest: bits of [`mark_flag`].
        span_flags: Vec<u8>,
        /// Of the longest: [`crate::base::ids::EventId`] that it began with, or ended with if its start is not there.
        span_event: Vec<u32>,
        /// Of the longest: what it is, position in `names`.
        span_name: Vec<u32>,
        /// Of the longest: who tells of it, position in `names`.
        span_note: Vec<u32>,
        /// Stack slices: which lane.
        slice_lane: Vec<u32>,
        /// Start.
        slice_start: Vec<i64>,
        /// End.
        slice_end: Vec<i64>,
        /// 0 is the root frame.
        slice_depth: Vec<u16>,
        /// [`crate::base::ids::FunctionId`] of the longest in it.
        slice_function: Vec<u32>,
        /// Position in `names`.
        slice_name: Vec<u32>,
        /// 1: external leaf sample; 2: framework code; bits.
        slice_flags: Vec<u8>,
        /// Markers: which lane.
        marker_lane: Vec<u32>,
        /// Time of the event, or of the first in the bucket.
        marker_time: Vec<i64>,
        /// Events in the bucket.
        marker_count: Vec<u32>,
        /// [`crate::base::ids::EventId`] of the first.
        marker_event: Vec<u32>,
        /// 1 if an exception is among them.
        marker_kind: Vec<u8>,
        /// Readable names of the slices' functions, and texts of spans.
        names: Strings,
        /// Of one thread alone: its frames, as in `slice_function`. Empty where several threads are shown.
        frame: Vec<u32>,
        /// Module of the frame.
        frame_module: Strings,
        /// The family whose frames it stands for; empty if it is not folded.
        frame_family: Strings,
    }
);

packed_table!(
    /// Names of payload fields, in alphabetical order.
    FieldNames {
        /// The name.
        name: Strings,
        /// Whether it is a number, at least in some events.
        is_number: Vec<u8>,
    }
);

packed_table!(
    /// Garbage collections, by start.
    Gcs {
        /// Operating system's id of the process; 0 if all threads of the trace belong to one.
        process: Vec<u32>,
        /// The runtime's number of the collection: each process counts its own.
        number: Vec<u32>,
        /// Generation collected.
        generation: Vec<u8>,
        /// 0 blocking, 1 background, 2 foreground inside a background one.
        kind: Vec<u8>,
        /// GCStart event.
        start: Vec<i64>,
        /// GCEnd event, or the last known time of it.
        end: Vec<i64>,
        /// Sum of all its pauses, nanoseconds.
        pause_total: Vec<i64>,
        /// 1 if the program asked for it.
        induced: Vec<u8>,
        /// Why, in words.
        reason: Strings,
        /// [`crate::base::ids::ThreadId`] that started it.
        thread: Vec<u32>,
        /// [`crate::base::ids::EventId`] of the GCStart.
        event: Vec<u32>,
        /// Every pause, by start: row of its collection. A background collection has several.
        stop_row: Vec<u32>,
        /// SuspendEE begin.
        stop_start: Vec<i64>,
        /// RestartEE end.
        stop_end: Vec<i64>,
        /// How long it took until all threads stood still, nanoseconds.
        stop_suspension: Vec<i64>,
        /// Heap sizes after collections: row of the collection.
        heap_row: Vec<u32>,
        /// When they were told.
        heap_time: Vec<i64>,
        /// Bytes, five values each: generations 0, 1, 2, large and pinned objects.
        heap_sizes: Vec<u64>,
    }
);

impl Gcs {
    /// The time of each collection, from when the program is first told to stop until after the last event that is known of it.
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
    /// Exceptions thrown, by time.
    Exceptions {
        /// All that match, also beyond the limit: one value.
        total: Vec<u64>,
        /// When.
        time: Vec<i64>,
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// [`crate::base::ids::EventId`].
        event: Vec<u32>,
        /// Full type name.
        type_name: Strings,
        /// Message.
        message: Strings,
    }
);

packed_table!(
    /// A page of events, by time.
    EventRows {
        /// All that match, also outside the page: one value.
        total: Vec<u64>,
        /// [`crate::base::ids::EventId`].
        event: Vec<u32>,
        /// When.
        time: Vec<i64>,
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// [`crate::base::ids::TypeId`].
        event_type: Vec<u32>,
        /// Level: 1 critical … 5 verbose, 0 always.
        level: Vec<u8>,
        /// How long what it begins or ends lasts, nanoseconds; negative if it does neither.
        duration: Vec<i64>,
        /// Provider.
        provider: Strings,
        /// Event name.
        name: Strings,
        /// Decoded payload in one line, cut at 240 characters.
        payload: Strings,
        /// What it belongs to: its activity, then its labels with their values.
        belongs_to: Strings,
        /// Thread's label.
        thread_label: Strings,
        /// Whether it has a stack.
        has_stack: Vec<u8>,
    }
);

packed_table!(
    /// Fields of the payloads of a page of events.
    EventFields {
        /// All that match, also outside the page: one value.
        total: Vec<u64>,
        /// Row by row the value of each field as it is shown; empty if the event does not have it.
        value: Strings,
    }
);

packed_table!(
    /// Groups of events. Numbers are `NaN` for groups in which no event has one.
    EventGroups {
        /// All groups, also outside the page: one value.
        groups: Vec<u64>,
        /// All events: one value.
        events: Vec<u64>,
        /// 1 if percentiles are computed from some of the numbers, evenly spaced: one value.
        is_sampled: Vec<u8>,
        /// 0 a group with a name, 1 events that do not have the field, 2 events that there was no room to tell apart.
        kind: Vec<u8>,
        /// What the events have in common: the value as shown; of types `Provider/Name`; of levels the number.
        name: Strings,
        /// How many events.
        count: Vec<u64>,
        /// When the first happened.
        first: Vec<i64>,
        /// When the last happened.
        last: Vec<i64>,
        /// How many events have a number.
        measured: Vec<u64>,
        /// All numbers together.
        sum: Vec<f64>,
        /// The smallest.
        min: Vec<f64>,
        /// Half of them are at most this.
        median: Vec<f64>,
        /// 95 of 100 are at most this.
        percentile_95: Vec<f64>,
        /// The largest.
        max: Vec<f64>,
    }
);

packed_table!(
    /// Event types of the whole file, by provider, id, version.
    Types {
        /// [`crate::base::ids::TypeId`].
        event_type: Vec<u32>,
        /// Provider.
        provider: Strings,
        /// Event id.
        event_id: Vec<u32>,
        /// Version.
        version: Vec<u32>,
        /// Name: the file's, else the manifest's.
        name: Strings,
        /// Level.
        level: Vec<u8>,
        /// Keywords.
        keywords: Vec<u64>,
        /// Opcode.
        opcode: Vec<u32>,
        /// Fields at the top level.
        fields: Vec<u32>,
        /// 0: none; 1: the file; 2: the built-in manifest.
        schema_source: Vec<u8>,
        /// Events.
        count: Vec<u64>,
        /// Payload bytes.
        payload_bytes: Vec<u64>,
        /// All bytes in the file: payloads, headers of events, descriptions.
        file_bytes: Vec<u64>,
        /// Threads with events.
        threads: Vec<u32>,
        /// Events with a stack.
        with_stack: Vec<u64>,
        /// First event.
        first: Vec<i64>,
        /// Last event.
        last: Vec<i64>,
    }
);
