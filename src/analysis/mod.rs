//! Questions to the store.

pub mod activity_path;
pub mod call_nodes;
pub mod call_tree;
pub mod detail;
pub mod flame_layout;
pub mod function_weights;
pub mod gc_timeline;
pub mod intervals;
pub mod level_index;
pub mod runs;
pub mod selection;
pub mod thread_samples;
