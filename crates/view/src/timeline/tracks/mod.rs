//! Tracks: a row in [`table`] and a file each, and what several have in common.

pub mod contention;
pub mod exceptions;
pub mod finalizers;
pub mod gc;
pub mod gc_split;
pub mod interval_look;
pub mod interval_walk;
pub mod intervals;
pub mod jit;
pub mod lane_frame;
pub mod lane_walk;
pub mod loads;
pub mod logs;
pub mod lost_events;
pub mod network;
pub mod requests;
pub mod series;
pub mod span_lanes;
pub mod spans;
pub mod table;
pub mod thread;
pub mod thread_rows;
pub mod track;
