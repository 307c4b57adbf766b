//! Tests whole traces against reference outputs and against counts by the recorded apps.

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
