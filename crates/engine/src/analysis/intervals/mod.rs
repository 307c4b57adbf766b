//! Intervals: GCs, lock waits, JIT compilations, loads, spans.

pub(crate) mod activity_lanes;
pub mod contention;
pub mod exception_handlers;
pub mod finalizers;
pub mod gaps;
pub mod gc;
pub mod gc_pauses;
pub(crate) mod interval_search;
pub mod interval_set;
pub mod jit;
pub mod loads;
pub mod logs;
pub mod lost_events;
pub mod pairs;
pub mod spans;
pub mod task_index;
pub mod tracks;
pub mod waits;
