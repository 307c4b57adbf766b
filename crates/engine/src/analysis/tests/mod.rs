//! Whole traces: comparisons with reference outputs and with what the recorded programs counted.

pub(crate) mod async_profiler;
mod file_structure;
mod machine_wide_runtime;
mod recording;
pub(crate) mod reference;
mod series;
mod spans;
mod thread_labels;
pub(crate) mod tracks;
mod truth;
