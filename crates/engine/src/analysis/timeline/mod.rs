//! Data of the timeline's tracks.

mod absences;
pub mod allocation_rate;
pub mod counters;
pub mod cpu_usage;
pub mod event_ticks;
pub mod exceptions;
pub mod lanes;
pub mod lines;
pub mod overview;
pub mod series;
pub mod series_source;
pub(crate) mod slice_levels;
pub mod thread_pool;
pub mod thread_states;
pub mod threads;
pub(crate) mod track_data;
pub mod track_matches;
pub mod window;
