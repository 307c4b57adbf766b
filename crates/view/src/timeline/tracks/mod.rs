//! One file per kind of track.

pub mod exceptions;
pub mod gc;
pub mod gc_split;
pub mod interval_look;
pub mod interval_walk;
pub mod intervals;
pub mod lane_frame;
pub mod lane_walk;
pub mod series;
pub mod span_lanes;
pub mod thread;
pub mod thread_rows;
pub mod track;
