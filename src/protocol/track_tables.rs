//! The packed tables of the runtime's tracks: things that begin and end, and values over time.

use super::columns::Strings;
use crate::packed_table;

/// Bits of `Marks::flags`.
pub mod mark_flag {
    /// Its start is not in the trace.
    pub const OPEN_START: u8 = 1;
    /// Its end is not in the trace.
    pub const OPEN_END: u8 = 2;
}

/// Varieties of marks: `Marks::shade`. 0 is the usual one of a kind.
pub mod shade {
    /// A method that a thread had to wait for.
    pub const JIT_FOREGROUND: u8 = 0;
    /// A method that was compiled again, better, in the background.
    pub const JIT_BACKGROUND: u8 = 1;
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
        /// Of the longest: [`crate::model::ids::ThreadId`].
        thread: Vec<u32>,
        /// Of the longest: [`crate::model::ids::EventId`] of the start, or of the stop if there is no start.
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

packed_table!(
    /// Values over time. Each holds until the next of its series.
    Series {
        /// Who tells it: provider or meter; "Thread pool" for the runtime's own.
        source: Strings,
        /// What it is.
        name: Strings,
        /// Unit, may be empty.
        unit: Strings,
        /// Position in `time` and `value` after its last value.
        until: Vec<u32>,
        /// When.
        time: Vec<i64>,
        /// How much.
        value: Vec<f64>,
    }
);
