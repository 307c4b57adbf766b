//! Packed tables of the runtime's tracks: intervals, and values over time.

use crate::columns::Strings;
use crate::packed_table;

/// Bits of `Intervals::flags`.
pub mod interval_flag {
    /// The trace doesn't contain the start.
    pub const OPEN_START: u8 = 1;
    /// The trace doesn't contain the end.
    pub const OPEN_END: u8 = 2;
    /// Unknown, because the format doesn't record it.
    pub const UNKNOWN: u8 = 4;
    /// With `OPEN_END`: several stops may belong to the interval, so its end is the latest possible one.
    pub const UNSURE_END: u8 = 8;
}

/// Variants of intervals: `Intervals::shade`. 0 is the default of a track.
pub mod shade {
    /// Quickly compiled code: tier 0, or unoptimized.
    pub const CODE_QUICK: u8 = 0;
    /// Optimized code: tier 1, on-stack replacement, or compiled once.
    pub const CODE_OPTIMIZED: u8 = 1;
    pub const LEVEL_UNKNOWN: u8 = 0;
    pub const LEVEL_CRITICAL: u8 = 1;
    pub const LEVEL_ERROR: u8 = 2;
    pub const LEVEL_WARNING: u8 = 3;
    pub const LEVEL_INFORMATION: u8 = 4;
    pub const LEVEL_DEBUG: u8 = 5;
    pub const LEVEL_TRACE: u8 = 6;

    /// Returns the display name of a log level; empty if it is unknown.
    pub fn level_words(level: u8) -> &'static str {
        match level {
            LEVEL_CRITICAL => "Critical",
            LEVEL_ERROR => "Error",
            LEVEL_WARNING => "Warning",
            LEVEL_INFORMATION => "Information",
            LEVEL_DEBUG => "Debug",
            LEVEL_TRACE => "Trace",
            _ => "",
        }
    }
}

/// Rows of compilations: `Intervals::row`.
pub mod code_row {
    /// Method compiled in the foreground, while a thread waits.
    pub const FOREGROUND: u16 = 0;
    /// Method recompiled in the background.
    pub const BACKGROUND: u16 = 1;
}

packed_table!(
    /// Intervals of a track, by start. Intervals shorter than the resolution are merged.
    Intervals {
        /// Number of matching intervals, beyond the time range: one value.
        total: Vec<u64>,
        /// Total duration of all intervals, in nanoseconds: one value.
        total_nanos: Vec<i64>,
        /// Number of rows of the track: one value.
        rows: Vec<u16>,
        row: Vec<u16>,
        /// One of [`shade`].
        shade: Vec<u8>,
        /// Start of the first interval.
        start: Vec<i64>,
        /// End of the last interval.
        end: Vec<i64>,
        /// Number of merged intervals.
        count: Vec<u32>,
        /// Maximum number of concurrent intervals at the starts of the merged ones.
        at_once: Vec<u32>,
        /// Total duration of the merged intervals, in nanoseconds.
        covered: Vec<i64>,
        /// [`crate::base::ids::ThreadId`] of the longest interval.
        thread: Vec<u32>,
        /// [`crate::base::ids::EventId`] of the start of the longest interval, or of its stop if there is no start.
        event: Vec<u32>,
        /// Bits of [`interval_flag`] of the longest interval.
        flags: Vec<u8>,
        /// Name of the longest interval: index into `texts`.
        name: Vec<u32>,
        /// Note of the longest interval: index into `texts`.
        note: Vec<u32>,
        /// Names and notes.
        texts: Strings,
    }
);

/// Bits of `TrackMatches::matched`.
pub mod match_bit {
    /// Share of the time of the samples that match, in 63rds; rounded up to 1 for the smallest.
    pub const SHARE: u8 = 63;
    /// An event matches; in tracks of intervals, an interval.
    pub const EVENT: u8 = 64;
    /// The start of a span matches.
    pub const SPAN: u8 = 128;
}

packed_table!(
    /// Parts of tracks that match a filter. All rows have the same number of buckets.
    TrackMatches {
        /// Start and end of the time range in nanoseconds.
        bounds: Vec<i64>,
        /// Number of buckets per row: one value.
        buckets: Vec<u32>,
        /// By row and bucket: bits of [`match_bit`]. Rows of threads come first, then those of other tracks.
        matched: Vec<u8>,
    }
);

/// Kinds of spans: `Lanes::span_shade`.
pub mod span_shade {
    /// The app's own event sources and activities.
    pub const OWN: u8 = 0;
    /// Requests and networking.
    pub const IO: u8 = 1;
    /// Compilation.
    pub const JIT: u8 = 2;
    /// GC and finalizers.
    pub const GC: u8 = 3;
    /// Tasks and parts of async methods.
    pub const TASK: u8 = 4;
    /// Exception handlers.
    pub const EXCEPTION: u8 = 5;
}

packed_table!(
    /// Number of rows for the spans of threads with spans.
    SpanRows {
        /// [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        rows: Vec<u16>,
    }
);

packed_table!(
    /// Values over time, as lines that share tracks. Each value is valid until the next one of its line.
    Series {
        /// By track: its kind, as [`crate::timeline::track::TrackKind::number`]; [`u8::MAX`] for a counter or meter.
        lane_kind: Vec<u8>,
        /// By track: name of a counter or meter.
        lane_name: Strings,
        /// By track: 1 if it covers a whole process, so the filter's threads, text and labels don't apply.
        lane_is_wider: Vec<u8>,
        /// By track: 1 if it indicates a problem: pool workers were added because others were blocked.
        lane_is_urgent: Vec<u8>,
        /// By line: track.
        lane: Vec<u16>,
        /// By line: source, such as a provider, meter or event.
        source: Strings,
        /// By line: name in the track; empty for the only line.
        name: Strings,
        /// By line: unit, the same for all lines of a track; may be empty.
        unit: Strings,
        /// By line: index after its last value in `time` and `value`.
        until: Vec<u32>,
        /// Time in nanoseconds.
        time: Vec<i64>,
        value: Vec<f64>,
        /// Values with a note: index into `time`.
        note_row: Vec<u32>,
        /// Note: the reason of a change of the number of workers.
        note: Strings,
    }
);
