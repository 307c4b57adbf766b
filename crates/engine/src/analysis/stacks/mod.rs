//! Call trees, flame graphs, and transforms of stacks.

pub mod call_tree;
pub mod difference;
pub mod event_stacks;
pub mod families;
pub mod flame_layout;
pub mod folded_text;
pub mod frames;
pub mod function_detail;
pub mod function_spans;
pub mod function_weights;
pub mod hot_locations;
pub mod inverted_tree;
pub mod node_states;
pub mod occurrences;
pub mod over_time;
pub mod sample_choice;
pub mod search;
pub mod shape;
pub mod sources;
pub mod stack_tree;
pub mod tree_query;
pub mod tree_tables;
pub mod unresolved;
