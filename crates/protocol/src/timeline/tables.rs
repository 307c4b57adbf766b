//! The packed tables of the runtime's tracks: things that begin and end, and values over time.

use crate::columns::Strings;
use crate::packed_table;

/// Bits of `Marks::flags`.
pub mod mark_flag {
    /// Its start is not in the trace.
    pub const OPEN_START: u8 = 1;
    /// Its end is not in the trace.
    pub const OPEN_END: u8 = 2;
    /// Whether there is anything is not known: the format does not tell.
    pub const UNKNOWN: u8 = 4;
    /// With `OPEN_END`: which of several stops is its own isn't known. It has ended at its end at the latest.
    pub const UNSURE_END: u8 = 8;
}

/// Varieties of marks: `Marks::shade`. 0 is the usual one of a kind.
pub mod shade {
    /// Code that was compiled quickly: tier 0, or without optimization.
    pub const CODE_QUICK: u8 = 0;
    /// Optimized code: tier 1, on-stack replacement, or compiled once.
    pub const CODE_OPTIMIZED: u8 = 1;
    /// A message whose level is not told.
    pub const LEVEL_UNKNOWN: u8 = 0;
    /// The program cannot go on.
    pub const LEVEL_CRITICAL: u8 = 1;
    /// Something failed.
    pub const LEVEL_ERROR: u8 = 2;
    /// Something is not as it should be.
    pub const LEVEL_WARNING: u8 = 3;
    /// What the program does.
    pub const LEVEL_INFORMATION: u8 = 4;
    /// For those who develop it.
    pub const LEVEL_DEBUG: u8 = 5;
    /// Every detail.
    pub const LEVEL_TRACE: u8 = 6;
}

/// Rows of compilations: `Marks::row`.
pub mod code_row {
    /// A method that a thread had to wait for.
    pub const FOREGROUND: u16 = 0;
    /// A method that was compiled again, better, in the background.
    pub const BACKGROUND: u16 = 1;
}

packed_table!(
    /// Things of a kind that begin and end, by start. What is shorter than the resolution is merged.
    Marks {
        /// All that match, also outside the span: one value.
        total: Vec<u64>,
        /// How long all of them last together, nanoseconds: one value.
        total_nanos: Vec<i64>,
        /// Of all, those whose start or end is not in the trace: one value.
        open_total: Vec<u64>,
        /// Rows of the whole track: one value.
        rows: Vec<u16>,
        /// Row of the track.
        row: Vec<u16>,
        /// One of [`shade`].
        shade: Vec<u8>,
        /// First start.
        start: Vec<i64>,
        /// Last end.
        end: Vec<i64>,
        /// How many it stands for.
        count: Vec<u32>,
        /// How long those last together, nanoseconds.
        covered: Vec<i64>,
        /// Of the longest: [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// Of the longest: [`crate::base::ids::EventId`] of the start, or of the stop if there is no start.
        event: Vec<u32>,
        /// Of the longest: bits of [`mark_flag`].
        flags: Vec<u8>,
        /// Of the longest: what it is, position in `texts`.
        name: Vec<u32>,
        /// Of the longest: what else is known, position in `texts`.
        note: Vec<u32>,
        /// Names and notes.
        texts: Strings,
    }
);

/// Kinds of spans: `Lanes::span_shade`.
pub mod span_shade {
    /// Of the program's own event sources and activities.
    pub const OWN: u8 = 0;
    /// Requests and networking.
    pub const IO: u8 = 1;
    /// Compilation.
    pub const JIT: u8 = 2;
    /// Garbage collection and finalizers.
    pub const GC: u8 = 3;
    /// Tasks and pieces of async methods.
    pub const TASK: u8 = 4;
    /// Handlers of exceptions.
    pub const EXCEPTION: u8 = 5;
}

packed_table!(
    /// How many rows the spans of threads need, for those that have spans.
    SpanRows {
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// Rows.
        rows: Vec<u16>,
    }
);

packed_table!(
    /// Values over time, as lines that share tracks. Each value holds until the next of its line.
    Series {
        /// By track: what it is about.
        lane_name: Strings,
        /// By track: 1 if it concerns a whole process and the filter's threads, text and labels were not applied.
        lane_is_wider: Vec<u8>,
        /// By track: 1 if it tells of trouble: workers of the thread pool were added since others were stuck.
        lane_is_urgent: Vec<u8>,
        /// How many tracks are about the runtime; the others are those of counters and meters: one value.
        own_lanes: Vec<u32>,
        /// By line: its track.
        lane: Vec<u16>,
        /// By line: who tells it: provider, meter, event.
        source: Strings,
        /// By line: which of its track's it is; empty if it is the only one.
        name: Strings,
        /// By line: unit, may be empty; the same for all lines of a track.
        unit: Strings,
        /// By line: position in `time` and `value` after its last value.
        until: Vec<u32>,
        /// When, nanoseconds.
        time: Vec<i64>,
        /// How much.
        value: Vec<f64>,
        /// Values with a note: position in `time`.
        note_row: Vec<u32>,
        /// What is to be said about them: why the number of workers changed.
        note: Strings,
    }
);
