//! Samples of threads, and the runs of equal stacks built from them.

pub mod app_functions;
pub mod call_nodes;
pub mod durations;
pub mod index;
pub(crate) mod leaf_categories;
pub mod level_index;
pub mod level_of_detail;
pub mod rounds;
pub mod runs;
pub mod stack_states;
pub mod thread_samples;
pub mod thread_time;
pub mod tiers;
