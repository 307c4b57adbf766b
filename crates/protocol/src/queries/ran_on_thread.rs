//! What ran on a thread between two events.

use crate::base::ids::ThreadId;
use crate::base::time::Span;
use crate::columns::Strings;
use crate::packed_table;
use crate::timeline::role_tables::StateTimes;
use serde::{Deserialize, Serialize};

/// What ran on a thread in a time range, such as that of a span.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RanOnThread {
    pub thread: ThreadId,
    pub span: Span,
    /// Maximum number of functions, waits and event types, each.
    pub limit: u32,
}

packed_table!(
    /// What ran on a thread in a time range.
    ThreadRan {
        /// [`crate::base::ids::ThreadId`]: one value.
        thread: Vec<u32>,
        /// Start and end of the time range.
        bounds: Vec<i64>,
        /// Nanoseconds by [`crate::tables::state`].
        state_nanos: Vec<i64>,
        /// Functions with the most exclusive time, without idle time: [`crate::base::ids::FunctionId`].
        function: Vec<u32>,
        function_name: Strings,
        function_nanos: Vec<f64>,
        /// Longest waits, except for waits for work: start.
        wait_start: Vec<i64>,
        wait_end: Vec<i64>,
        /// One of [`crate::tables::state`].
        wait_state: Vec<u8>,
        /// [`crate::base::ids::EventId`] of the start of the wait.
        wait_event: Vec<u32>,
        /// Number of all these waits: one value.
        waits: Vec<u64>,
        /// Event types with the most events, without samples: provider and name.
        event_name: Strings,
        event_count: Vec<u64>,
        /// [`crate::base::ids::EventId`] of the first event of the type.
        event_first: Vec<u32>,
        /// Number of all events without samples: one value.
        events: Vec<u64>,
    }
);

impl ThreadRan {
    /// Returns the time by state.
    pub fn times(&self) -> StateTimes {
        StateTimes::of_row(&self.state_nanos)
    }
}
